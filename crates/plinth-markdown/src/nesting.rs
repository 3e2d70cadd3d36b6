//! Checks that HTML is cheap to sanitize: not deep, few unclosed tags, no tag with many attributes.
//!
//! HTML in a text may be nested in any way. A start tag counts wherever it may be one; an end tag only where it certainly
//! is one and closes the innermost tag. So the estimate is never too low.

/// Tags that are open at once.
const OPEN_MAX: usize = 128;
/// Attributes of one tag.
const ATTRIBUTES_MAX: usize = 64;
/// Repetitions of unclosed tags: the parser reopens one like `<b>` in each following block.
const REPEATED_MAX: usize = 100_000;

const VOID_TAGS: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
const REPEATED_TAGS: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Whether the sanitizer is fast on this HTML.
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
    names.iter().any(|other| other.eq_ignore_ascii_case(name))
}

/// The length of a comment at its longest; no end tag in it counts.
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

/// The length of a tag from after the `<` to after the `>`; a quoted `>` is part of a value.
fn tag_length(tag: &str) -> usize {
    let mut quote = None;
    let mut expects_value = false;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') if expects_value => quote = Some(byte),
            (None, b'>') => return at + 1,
            (None, _) => {}
        }
        expects_value = byte == b'=' || (expects_value && byte.is_ascii_whitespace());
    }
    tag.len()
}

fn attributes_of(tag: &str) -> usize {
    let tag = &tag[..tag_length(tag)];
    // Each attribute starts after a space, a slash or the quote of the previous one.
    tag.bytes().zip(tag.bytes().skip(1)).filter(|(before, byte)| is_border(*before) && !is_border(*byte)).count()
}

fn is_border(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'')
}
