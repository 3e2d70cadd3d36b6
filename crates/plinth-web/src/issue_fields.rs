//! The issue fields of an organization.

use maud::html;
use plinth_base::error::Result;

use crate::layout;
use crate::model::IssueField;
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

pub async fn show(visit: &Visit, org: &str) -> Result<WebResponse> {
    let fields: Vec<IssueField> = visit.get(&format!("/orgs/{}/issue-fields", text::segment(org))).await?;
    let body = html! {
        main #main {
            p class="soft" { a href={ "/" (text::segment(org)) } { (org) } }
            h1 { "Issue fields" }
            @if fields.is_empty() { p class="soft" { "There is no field." } }
            @for field in &fields {
                section class="box padded" {
                    h2 { (field.name) " " span class="tag" { (field.data_type.replace('_', " ")) } }
                    p class="soft" {
                        @if let Some(about) = &field.description { (about) " · " }
                        (field.visibility.replace('_', " "))
                    }
                    @if let Some(options) = &field.options {
                        ul class="chips" { @for option in options { li class={ "chip " (option.color.to_lowercase()) } { (option.name) } } }
                    }
                }
            }
        }
    };
    Ok(WebResponse::Page(layout::page(visit, "Issue fields", body)))
}
