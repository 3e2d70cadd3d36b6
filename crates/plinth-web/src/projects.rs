//! A project: its fields drawn as what they are, and its items.

use maud::{Markup, html};
use plinth_base::error::Result;
use serde_json::Value;

use crate::layout;
use crate::model::{Field, Iteration, Project, ProjectItem};
use crate::response::WebResponse;
use crate::routes::OwnerKind;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 50;
const FIELD_PAGES_MAX: u32 = 1;

pub async fn show(visit: &Visit, kind: OwnerKind, owner: &str, number: i64) -> Result<WebResponse> {
    let word = match kind {
        OwnerKind::Organization => "orgs",
        OwnerKind::User => "users",
    };
    let base = format!("/{word}/{}/projectsV2/{number}", text::segment(owner));
    let project: Project = visit.get(&base).await?;
    let fields = visit.list_all::<Field>(&format!("{base}/fields?"), FIELD_PAGES_MAX).await?.items;
    let custom: Vec<&Field> = fields.iter().filter(|field| is_custom(field)).collect();
    let built_in: Vec<&str> =
        fields.iter().filter(|field| !is_custom(field)).map(|field| field.name.as_str()).collect();
    let ids: Vec<String> = custom.iter().map(|field| field.id.to_string()).collect();
    let query = text::query(&[("fields", &ids.join(","))]);
    let query = if query.is_empty() { "?".to_owned() } else { query };
    let items = visit.list_or_empty::<ProjectItem>(&format!("{base}/items{query}"), SHOWN).await?;
    let body = html! {
        main #main {
            p class="soft" { a href=(project.owner.page()) { (project.owner.login) } " · project " (project.number) }
            h1 {
                (project.title)
                @if !project.public { " " span class="tag" { "Private" } }
                @if project.state == "closed" { " " span class="tag" { "Closed" } }
            }
            @if let Some(about) = &project.short_description { p class="lead" { (about) } }
            h2 { "Fields" }
            div class="cards" { @for field in &custom { (field_view(field)) } }
            p class="soft" { "In every project: " (built_in.join(", ")) "." }
            h2 { "Items" }
            (item_table(&custom, &items.items))
            (layout::pager(visit, &items))
        }
    };
    Ok(WebResponse::Page(layout::page(visit, &project.title, body)))
}

/// Fields that somebody has added; the others are columns of every project.
fn is_custom(field: &Field) -> bool {
    matches!(field.data_type.as_str(), "text" | "number" | "date" | "single_select" | "iteration")
}

fn field_view(field: &Field) -> Markup {
    html! {
        section class="box padded" {
            h3 { (field.name) }
            p class="soft" {
                (field.data_type.replace('_', " "))
                @if field.issue_field_id.is_some() { " · from an issue field" }
            }
            @if let Some(options) = &field.options {
                ul class="chips" {
                    @for option in options {
                        li class={ "chip " (option.color.to_lowercase()) } title=[Some(&option.description.raw).filter(|text| !text.is_empty())] {
                            (option.name.raw)
                        }
                    }
                }
            }
            @if let Some(configuration) = &field.configuration {
                p class="soft" { (text::count(configuration.duration, "day", "days")) " each" }
                ol class="iterations" { @for iteration in &configuration.iterations { (iteration_view(iteration)) } }
            }
        }
    }
}

fn iteration_view(iteration: &Iteration) -> Markup {
    html! {
        li class=[iteration.completed.then_some("done")] {
            b { (iteration.title.raw) } " "
            span class="soft" {
                "from " (text::day(&iteration.start_date)) ", " (text::count(iteration.duration, "day", "days"))
                @if iteration.completed { " · completed" }
            }
        }
    }
}

fn item_table(fields: &[&Field], items: &[ProjectItem]) -> Markup {
    if items.is_empty() {
        return html! { p class="soft" { "There is no item." } };
    }
    html! {
        div class="box scroll" tabindex="0" role="region" aria-label="Items" {
            table class="items" {
                thead { tr { th { "Title" } th { "State" } @for field in fields { th { (field.name) } } } }
                tbody { @for item in items { (item_row(fields, item)) } }
            }
        }
    }
}

fn item_row(fields: &[&Field], item: &ProjectItem) -> Markup {
    let value = |field: &Field| item.fields.iter().find(|value| value.id == field.id).map(|value| plain(&value.value));
    html! {
        tr {
            @match &item.content {
                Some(content) => {
                    td { a href=(content.html_url) { (content.title) } " " span class="soft" { "#" (content.number) } }
                    td { (crate::pulls::status(&content.state)) }
                }
                None => { td class="soft" { "Not visible to you" } td { (item.content_type) } }
            }
            @for field in fields { td { (value(field).unwrap_or_default()) } }
        }
    }
}

/// A value of a field as text, whatever its form is.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(object) => {
            let named = ["raw", "name", "title", "text"].iter().find_map(|key| object.get(*key));
            named.map(plain).unwrap_or_default()
        }
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
