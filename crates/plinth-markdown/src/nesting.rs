//! Whether HTML is cheap to sanitize: not deep, not full of tags that stay open, no tag with endless attributes.
//!
//! Tags that were written by hand may be nested in any way. A start tag is counted wherever it may be one; an end tag
//! only where it surely is one and closes the innermost tag. So the estimate is never below the truth.

/// Tags open at once.
const OPEN_MAX: usize = 128;
/// Attributes of one tag.
const ATTRIBUTES_MAX: usize = 64;
/// A tag like `<b>` that stays open is repeated in each block that follows; so often at most.
const REPEATED_MAX: usize = 100_000;

const VOID_TAGS: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
const REPEATED_TAGS: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Whether the sanitizer will be quick with this.
pub(super) fn is_harmless(html: &str) -> bool {
    let mut scan = Scan { open: Vec::new(), repeating: 0, repeated: 0 };
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let (harmless, length) = match tag.as_bytes().first() {
            Some(b'!') => {
                let length = comment_length(tag);
                (tag[..length].split('<').skip(1).all(|hidden| scan.start(hidden)), length)
            }
            Some(b'/') => (scan.end(&tag[1..]), 1),
            Some(byte) if byte.is_ascii_alphabetic() => (scan.start(tag), tag_length(tag)),
            _ => (true, 0),
        };
        if !harmless {
            return false;
        }
        rest = &tag[length..];
    }
    true
}

struct Scan<'a> {
    open: Vec<&'a str>,
    repeating: usize,
    repeated: usize,
}

impl<'a> Scan<'a> {
    fn start(&mut self, tag: &'a str) -> bool {
        let name = name_of(tag);
        if is_one_of(name, &REPEATED_TAGS) {
            self.repeating += 1;
        }
        self.repeated += self.repeating;
        if !name.is_empty() && !is_one_of(name, &VOID_TAGS) {
            self.open.push(name);
        }
        self.open.len() <= OPEN_MAX && self.repeated <= REPEATED_MAX && attributes_of(tag) <= ATTRIBUTES_MAX
    }

    fn end(&mut self, tag: &str) -> bool {
        let name = name_of(tag);
        if self.open.last().is_some_and(|innermost| innermost.eq_ignore_ascii_case(name)) {
            self.open.pop();
            self.repeating -= usize::from(is_one_of(name, &REPEATED_TAGS));
        } else {
            self.repeated += self.repeating + 1;
        }
        self.repeated <= REPEATED_MAX
    }
}

fn name_of(tag: &str) -> &str {
    let end = tag.find(|character: char| character.is_ascii_whitespace() || "/>".contains(character));
    &tag[..end.unwrap_or(tag.len())]
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Up to where no end tag is believed: the last place at which the comment may end.
fn comment_length(tag: &str) -> usize {
    let closing = if tag.starts_with("!--") {
        "-->"
    } else if tag.starts_with("![CDATA[") {
        "]]>"
    } else {
        ">"
    };
    tag.find(closing).map_or(tag.len(), |at| at + closing.len())
}

/// From behind the `<` to behind the `>`, where one in quotes is part of a value.
fn tag_length(tag: &str) -> usize {
    let mut quote = None;
    let mut value_follows = false;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') if value_follows => quote = Some(byte),
            (None, b'>') => return at + 1,
            (None, _) => {}
        }
        value_follows = byte == b'=' || (value_follows && byte.is_ascii_whitespace());
    }
    tag.len()
}

fn attributes_of(tag: &str) -> usize {
    let tag = &tag[..tag_length(tag)];
    // Each attribute starts behind a space, a slash or the quote of the one before.
    tag.bytes().zip(tag.bytes().skip(1)).filter(|(before, byte)| is_border(*before) && !is_border(*byte)).count()
}

fn is_border(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'')
}
