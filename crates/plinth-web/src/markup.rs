//! Changes to rendered Markdown: links into a repository, and suggestions as diffs.
//!
//! What comes in is sanitized: every `<` begins a tag, and every attribute has double quotes.

use crate::diff;

/// Rendered Markdown as pages show it: the API marks the language of code as `lang`, which means a human one in HTML, and
/// the boxes of task lists have no names.
pub fn for_page(html: &str) -> String {
    html.replace("<pre lang=\"", "<pre data-lang=\"")
        .replace("<input type=\"checkbox\"", "<input aria-label=\"Task\" type=\"checkbox\"")
}

/// Where a rendered file is. All parts are encoded for URLs.
pub struct LinkBase {
    pub repo: String,
    pub reference: String,
    pub directory: String,
}

/// Makes the relative links and images of a rendered file lead to the files of its repository.
pub fn with_links_into(html: &str, base: &LinkBase) -> String {
    let mut out = String::with_capacity(html.len() + html.len() / 16);
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        out.push_str(before);
        let end = end_of_tag(tag);
        push_tag(&mut out, &tag[..end], base);
        rest = &tag[end..];
    }
    out.push_str(rest);
    out
}

/// The length of a tag, whose attributes may contain `>`.
fn end_of_tag(tag: &str) -> usize {
    let mut is_quoted = false;
    for (index, byte) in tag.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'>' if !is_quoted => return index + 1,
            _ => {}
        }
    }
    tag.len()
}

fn push_tag(out: &mut String, tag: &str, base: &LinkBase) {
    let attribute = if tag.starts_with("<a ") {
        " href=\""
    } else if tag.starts_with("<img ") {
        " src=\""
    } else {
        return out.push_str(tag);
    };
    let Some(start) = tag.find(attribute).map(|start| start + attribute.len()) else { return out.push_str(tag) };
    let length = tag[start..].find('"').unwrap_or_default();
    let url = &tag[start..start + length];
    if !is_relative(url) {
        return out.push_str(tag);
    }
    let word = if attribute == " src=\"" { "raw" } else { "blob" };
    let directory = if url.starts_with('/') { "" } else { base.directory.as_str() };
    let path = resolve(directory, url.trim_start_matches('/'));
    out.push_str(&tag[..start]);
    out.push_str(&format!("{}/{word}/{}/{path}", base.repo, base.reference));
    out.push_str(&tag[start + length..]);
}

/// Neither a URL with a scheme or host, nor a link inside the page.
fn is_relative(url: &str) -> bool {
    let has_scheme = url.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
    !url.is_empty() && !url.starts_with('#') && !url.starts_with("//") && !has_scheme
}

fn resolve(directory: &str, url: &str) -> String {
    let (path, tail) = url.split_at(url.find(['?', '#']).unwrap_or(url.len()));
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("{}{tail}", parts.join("/"))
}

const SUGGESTION: &str = "```suggestion";

/// The lines that a comment suggests instead of those that it is about; `None` without a suggestion.
pub fn suggestion(body: &str) -> Option<Vec<&str>> {
    let mut lines = body.lines();
    lines.by_ref().find(|line| line.trim() == SUGGESTION)?;
    Some(lines.take_while(|line| !line.trim_start().starts_with("```")).collect())
}

/// The body of a comment without its first suggestion, which is shown as a diff.
pub fn without_suggestion(html: &str) -> String {
    // comrak marks the language of a block on its code; the sanitizer may keep only the block.
    let Some(start) = html.find("<pre") else { return html.to_owned() };
    let end = html[start..].find("</pre>").map_or(html.len(), |end| start + end + "</pre>".len());
    format!("{}{}", &html[..start], &html[end..])
}

/// The lines of a hunk that a comment of `count` lines is about: the last ones.
pub fn commented_lines(hunk: &str, count: usize) -> Vec<String> {
    let lines: Vec<&str> = hunk.lines().skip(1).filter(|line| !line.starts_with(['-', '\\'])).collect();
    let start = lines.len().saturating_sub(count);
    lines[start..].iter().map(|line| diff::without_sign(line).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_lead_into_the_repository() {
        let base = LinkBase { repo: "/o/r".into(), reference: "main".into(), directory: "docs".into() };
        for (html, expected) in [
            (r#"<a href="a.md#x">"#, r#"<a href="/o/r/blob/main/docs/a.md#x">"#),
            (r#"<a href="../b.md">"#, r#"<a href="/o/r/blob/main/b.md">"#),
            (r#"<a href="/c.md">"#, r#"<a href="/o/r/blob/main/c.md">"#),
            (r#"<img src="i.png" alt="a > b">"#, r#"<img src="/o/r/raw/main/docs/i.png" alt="a > b">"#),
            (r##"<a href="#top">"##, r##"<a href="#top">"##),
            (r#"<a href="https://example.com/">"#, r#"<a href="https://example.com/">"#),
            (r#"<a href="mailto:a@b.c">"#, r#"<a href="mailto:a@b.c">"#),
            (r#"<p>write &lt;a href="x"&gt;</p>"#, r#"<p>write &lt;a href="x"&gt;</p>"#),
        ] {
            assert_eq!(with_links_into(html, &base), expected);
        }
    }

    #[test]
    fn suggestion_is_found_with_what_it_replaces() {
        let body = "Better:\n\n```suggestion\none\ntwo\n```\n\nNot so?";
        assert_eq!(suggestion(body), Some(vec!["one", "two"]));
        assert_eq!(suggestion("```\ncode\n```"), None);
        assert_eq!(commented_lines("@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d", 2), ["c", "d"]);
    }
}
