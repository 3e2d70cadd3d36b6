//! Plain text to HTML and back.

/// Escapes text for HTML.
pub(super) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\0' => {}
            character => html.push(character),
        }
    }
    html
}

/// The text of sanitized HTML, without its tags.
pub(super) fn text_of(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        unescape(&rest[..at], &mut text);
        let tag = &rest[at..];
        let end = tag_end(tag);
        let is_break = tag[..end].starts_with("<br");
        rest = &tag[end..];
        // A `<br>` usually has a line feed after it.
        if is_break && !rest.starts_with('\n') {
            text.push('\n');
        }
    }
    unescape(rest, &mut text);
    text.trim().to_owned()
}

fn tag_end(tag: &str) -> usize {
    let mut quoted = false;
    for (at, byte) in tag.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => return at + 1,
            _ => {}
        }
    }
    tag.len()
}

/// The sanitizer writes only these as entities.
fn unescape(html: &str, text: &mut String) {
    const ENTITIES: [(&str, char); 5] =
        [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&nbsp;", '\u{a0}')];
    let mut rest = html;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        let entity = &rest[at..];
        let found = ENTITIES.iter().find(|(name, _)| entity.starts_with(name));
        let (length, character) = found.map_or((1, '&'), |(name, character)| (name.len(), *character));
        text.push(character);
        rest = &entity[length..];
    }
    text.push_str(rest);
}
