//! Media types: which representation an `Accept` header asks for.

use http::HeaderMap;

use plinth_base::error::{Error, Result};

const COMMON: [&[u8]; 3] = [b"application/vnd.github+json", b"*/*", b"application/json"];

/// The representation that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Media {
    #[default]
    Json,
    /// Bodies as they were written.
    Raw,
    /// Bodies as plain text.
    Text,
    /// Bodies as HTML.
    Html,
    /// Bodies in all three forms.
    Full,
    /// A pull request or a commit as a diff.
    Diff,
    /// A pull request as a series of patches, or a commit as one.
    Patch,
    /// Only the id of a commit.
    Sha,
    /// A directory as an object instead of a list.
    Object,
}

impl Media {
    /// Takes the first type that this service knows; types with unknown parameters mean plain JSON.
    pub fn of(headers: &HeaderMap) -> Result<Self> {
        let asked = headers.get_all(http::header::ACCEPT);
        // What most clients send needs no parsing.
        if asked.iter().all(|value| COMMON.contains(&value.as_bytes())) {
            return Ok(Media::Json);
        }
        let asked = asked.iter();
        let text = asked.map(|value| String::from_utf8_lossy(value.as_bytes())).collect::<Vec<_>>().join(", ");
        let mut acceptable = text.split(',').filter_map(|item| Self::parse(item.split(';').next()?.trim())).peekable();
        if acceptable.peek().is_none() {
            return Err(Error::NotAcceptable(text));
        }
        Ok(acceptable.find(|media| *media != Media::Json).unwrap_or(Media::Json))
    }

    fn parse(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        // The operations for signing in respond with forms by default.
        const PLAIN: &[&str] = &[
            "",
            "*/*",
            "application/*",
            "application/json",
            "application/octet-stream",
            "application/x-www-form-urlencoded",
        ];
        if PLAIN.contains(&name.as_str()) {
            return Some(Media::Json);
        }
        let vendor = name.strip_prefix("application/vnd.")?;
        let ours = vendor.strip_prefix("plinth").or_else(|| vendor.strip_prefix("github"));
        let Some(rest) = ours else { return Some(Media::Json) };
        let rest = rest.split('+').next().unwrap_or_default();
        let parameter = rest.trim_start_matches("-commitcomment").trim_start_matches(".v3").trim_start_matches('.');
        Some(match parameter {
            "raw" => Media::Raw,
            "text" => Media::Text,
            "html" => Media::Html,
            "full" => Media::Full,
            "diff" => Media::Diff,
            "patch" => Media::Patch,
            "sha" => Media::Sha,
            "object" => Media::Object,
            _ => Media::Json,
        })
    }

    /// The value of the media-type header of the response.
    pub fn header(self) -> &'static str {
        match self {
            Media::Json => "github.v3; format=json",
            Media::Raw => "github.v3; param=raw; format=json",
            Media::Text => "github.v3; param=text; format=json",
            Media::Html => "github.v3; param=html; format=json",
            Media::Full => "github.v3; param=full; format=json",
            Media::Diff => "github.v3; param=diff",
            Media::Patch => "github.v3; param=patch",
            Media::Sha => "github.v3; param=sha",
            Media::Object => "github.v3; param=object; format=json",
        }
    }

    /// Whether a response has bodies as they were written.
    pub fn shows_body(self) -> bool {
        !matches!(self, Media::Text | Media::Html)
    }

    /// Whether a response has bodies without markup.
    pub fn shows_text(self) -> bool {
        matches!(self, Media::Text | Media::Full)
    }

    /// Whether a response has bodies as HTML.
    pub fn shows_html(self) -> bool {
        matches!(self, Media::Html | Media::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(accept: &str) -> Result<Media> {
        let mut headers = HeaderMap::new();
        headers.insert("accept", accept.parse().expect("the test's header is good"));
        Media::of(&headers)
    }

    #[test]
    fn every_spelling_of_a_client_is_understood() {
        for (accept, media) in [
            ("*/*", Media::Json),
            ("application/json", Media::Json),
            ("application/vnd.github+json", Media::Json),
            ("application/vnd.plinth+json", Media::Json),
            ("application/vnd.github.v3+json", Media::Json),
            ("application/vnd.github.v3.full+json", Media::Full),
            ("application/vnd.github.html+json", Media::Html),
            ("application/vnd.plinth-commitcomment.text+json", Media::Text),
            ("application/vnd.github-commitcomment.raw+json", Media::Raw),
            ("application/vnd.github.v3.diff", Media::Diff),
            ("application/vnd.github.sha", Media::Sha),
            ("application/vnd.github.object+json", Media::Object),
            (
                "application/vnd.github.squirrel-girl-preview, application/vnd.github.comfort-fade-preview+json",
                Media::Json,
            ),
            ("text/html, application/vnd.github.machine-man-preview+json;q=0.5", Media::Json),
        ] {
            assert_eq!(of(accept).expect(accept), media, "{accept}");
        }
    }

    #[test]
    fn a_type_that_cannot_be_served_is_refused() {
        assert!(matches!(of("text/html"), Err(Error::NotAcceptable(accept)) if accept == "text/html"));
    }
}
