//! Handlers of the operations on files and directories.

use std::borrow::Cow;

use super::find::{self, Content, Form, Found};
use super::json::{At, Directory, File, Item, Submodule, Symlink};
use super::readme;
use crate::app::App;
use crate::git_objects::RAW;
use crate::negotiation::Media;
use crate::policy::Endpoint;
use crate::policy::table::{GetContents, GetReadme, GetReadmeInDirectory};
use crate::pulls::find_target;
use crate::rendering::render;
use crate::request::Allowed;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_core::objects::Large;
use plinth_core::repos::RepoTarget;
use plinth_git::Reader;

const HTML: &str = "application/vnd.github.html; charset=utf-8";
/// Extensions of files that are rendered; others are shown as they are.
const MARKDOWN: &[&str] = &["md", "markdown", "mdown", "mkdn"];

pub async fn get(access: Allowed<GetContents, RepoTarget>, app: App) -> Result<ApiResponse> {
    let path = access.context().params.get("path").to_owned();
    respond(&app, &access, "file", move |reader, root, form| find::find(reader, root, &path, form)).await
}

pub async fn get_readme(access: Allowed<GetReadme, RepoTarget>, app: App) -> Result<ApiResponse> {
    respond(&app, &access, "readme", |reader, root, form| find_readme(reader, root, readme::DIRECTORIES, form)).await
}

pub async fn get_readme_in_directory(
    access: Allowed<GetReadmeInDirectory, RepoTarget>,
    app: App,
) -> Result<ApiResponse> {
    let directory = access.context().params.get("dir").to_owned();
    respond(&app, &access, "readme", move |reader, root, form| find_readme(reader, root, &[&directory], form)).await
}

fn find_readme(reader: &Reader<'_>, root: Sha, directories: &[&str], form: Form) -> Result<Found> {
    let path = readme::find(reader, root, directories)?.ok_or(Error::NotFound)?;
    let found = find::find(reader, root, &path, form)?;
    // A link that leads nowhere has no content to show.
    if let Content::Symlink(_) = found.content { Err(Error::NotFound) } else { Ok(found) }
}

/// Finds something in the commit that the query names. `id` is that of the element around a rendered file.
async fn respond<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    id: &str,
    find: impl FnOnce(&Reader<'_>, Sha, Form) -> Result<Found> + Send + 'static,
) -> Result<ApiResponse> {
    let (context, repo) = (access.context(), &access.repo);
    let asked = context.query("ref").filter(|text| !text.is_empty());
    let reference = asked.unwrap_or(Cow::Borrowed(&repo.default_branch));
    let target = find_target(app, repo, &reference).await?.ok_or(Error::NotFound)?;
    let form = match context.media {
        Media::Raw => Form::Raw,
        Media::Html => Form::Html,
        Media::Json | Media::Text | Media::Full | Media::Diff | Media::Patch | Media::Sha | Media::Object => Form::Json,
    };
    let found = app.objects.read_large(repo.id, move |reader| find(reader, find::root_of(reader, &target)?, form));
    let Large { value: Found { item, content }, reserved } = found.await?;
    let at = At { reference: &reference, repo, urls: access.urls() };
    let shown = || Item::new(&item, at);
    let response = match &content {
        Content::File(blob) => match form {
            Form::Raw => ApiResponse::text(RAW, blob.data().to_vec()),
            Form::Html => ApiResponse::text(HTML, to_html(app, access, id, (&item.path, blob.data())).await?),
            Form::Json => ApiResponse::ok(&File::new(shown(), blob.data())),
        },
        Content::LargeFile => ApiResponse::ok(&File::without_content(shown())),
        Content::Directory(entries) => {
            let entries: Vec<_> = entries.iter().map(|entry| Item::in_list(entry, at)).collect();
            match context.media {
                Media::Object => ApiResponse::ok(&Directory { item: shown(), entries }),
                _ => ApiResponse::ok(&entries),
            }
        }
        Content::Symlink(target) => ApiResponse::ok(&Symlink { item: shown(), target }),
        Content::Submodule(url) => ApiResponse::ok(&Submodule { item: shown(), submodule_git_url: url.as_deref() }),
    };
    response.holding(reserved)
}

/// Renders Markdown, and shows any other text as it is.
async fn to_html<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    id: &str,
    (path, content): (&str, &[u8]),
) -> Result<String> {
    let text = String::from_utf8_lossy(content);
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_markdown = MARKDOWN.iter().any(|known| known.eq_ignore_ascii_case(extension));
    let path = escape(path);
    if !is_markdown {
        let text = escape(&text);
        return Ok(format!("<div id=\"{id}\" class=\"plain\" data-path=\"{path}\"><pre>{text}</pre></div>"));
    }
    let rendered = render(app, access.context(), &access.repo, std::iter::once(text.as_ref())).await?;
    let html = rendered.first().and_then(Option::as_ref).map_or("", |rendered| rendered.html.as_str());
    Ok(format!(
        "<div id=\"{id}\" class=\"md\" data-path=\"{path}\">\
         <article class=\"markdown-body entry-content container-lg\" itemprop=\"text\">{html}</article></div>"
    ))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
