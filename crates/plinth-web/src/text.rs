//! Parts of URLs, dates and numbers as pages show them.

use std::fmt::Write;

use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All but unreserved characters.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const PATH: &AsciiSet = &SEGMENT.remove(b'/');

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SHORT_SHA: usize = 7;

/// One segment of a path, slashes included.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// A part of a path whose slashes stay.
pub fn path(text: &str) -> String {
    utf8_percent_encode(text, PATH).to_string()
}

/// A part of a path as it was meant; `None` if it is not UTF-8.
pub fn decode(text: &str) -> Option<String> {
    Some(percent_decode_str(text).decode_utf8().ok()?.into_owned())
}

/// A query with these parameters, encoded.
pub fn query(pairs: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        let separator = if text.is_empty() { '?' } else { '&' };
        write!(text, "{separator}{name}={}", segment(value)).expect("writing to a string always succeeds");
    }
    text
}

/// The beginning of an object id.
pub fn short(sha: &str) -> &str {
    sha.get(..SHORT_SHA).unwrap_or(sha)
}

/// A time with its date; scripts show how long ago it was.
pub fn date(time: &str) -> Markup {
    html! { time datetime=(time) { (day(time)) } }
}

/// The day of a time of the API, such as `Mar 3, 2026`.
pub fn day(time: &str) -> String {
    let mut parts = time.get(..10).unwrap_or_default().splitn(3, '-');
    let number = |part: Option<&str>| part.and_then(|text| text.parse::<usize>().ok());
    match (number(parts.next()), number(parts.next()), number(parts.next())) {
        (Some(year), Some(month @ 1..=12), Some(day)) => format!("{} {day}, {year}", MONTHS[month - 1]),
        _ => time.to_owned(),
    }
}

/// A number with its noun.
pub fn count(number: i64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// A size in bytes, for people.
pub fn size(bytes: u64) -> String {
    const UNIT: u64 = 1024;
    match bytes {
        0..UNIT => format!("{bytes} B"),
        UNIT..0x10_0000 => format!("{:.1} KB", bytes as f64 / UNIT as f64),
        _ => format!("{:.1} MB", bytes as f64 / (UNIT * UNIT) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_leave_their_part_of_a_url() {
        assert_eq!(segment("a/b?c#d\"e"), "a%2Fb%3Fc%23d%22e");
        assert_eq!(path("a b/../c"), "a%20b/../c");
        assert_eq!(query(&[("a", "1&2"), ("b", ""), ("c", "é")]), "?a=1%262&c=%C3%A9");
    }

    #[test]
    fn days_and_sizes_are_for_people() {
        assert_eq!(day("2026-03-03T10:00:00Z"), "Mar 3, 2026");
        assert_eq!(day("soon"), "soon");
        assert_eq!((size(10), size(2048), size(3 << 20)), ("10 B".into(), "2.0 KB".into(), "3.0 MB".into()));
    }
}
