//! Short texts of fields: validation of names and descriptions, and their HTML.

/// Why a text is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextError {
    Blank,
    TooLong(usize),
    Control,
}

impl std::fmt::Display for TextError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TextError::Blank => out.write_str("can't be blank"),
            TextError::TooLong(limit) => write!(out, "is too long (maximum is {limit} characters)"),
            TextError::Control => out.write_str("can't contain control characters"),
        }
    }
}

pub const NAME_CHARACTERS_MAX: usize = 100;
pub const DESCRIPTION_CHARACTERS_MAX: usize = 1_000;

/// A name: one line that is not blank.
pub fn check_name(text: &str) -> Result<(), TextError> {
    if text.trim().is_empty() {
        return Err(TextError::Blank);
    }
    if text.chars().any(char::is_control) {
        return Err(TextError::Control);
    }
    check_length(text, NAME_CHARACTERS_MAX)
}

/// A description: it may be empty and have several lines.
pub fn check_description(text: &str) -> Result<(), TextError> {
    if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\r' | '\t')) {
        return Err(TextError::Control);
    }
    check_length(text, DESCRIPTION_CHARACTERS_MAX)
}

fn check_length(text: &str, limit: usize) -> Result<(), TextError> {
    if text.chars().count() > limit { Err(TextError::TooLong(limit)) } else { Ok(()) }
}

/// The name as it is compared: without outer spaces, in lower case.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The text as HTML. The text has no markup, so all special characters are escaped.
pub fn html(raw: &str) -> String {
    let mut html = String::with_capacity(raw.len());
    for character in raw.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            other => html.push(other),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_name_and_check_description_report_each_error() {
        assert_eq!(check_name("Priority"), Ok(()));
        assert_eq!(check_name(&"ä".repeat(100)), Ok(()));
        for (bad, why) in [
            ("", TextError::Blank),
            (" \u{3000}", TextError::Blank),
            ("a\0b", TextError::Control),
            ("a\nb", TextError::Control),
            (&"ä".repeat(101), TextError::TooLong(100)),
        ] {
            assert_eq!(check_name(bad), Err(why), "{bad:?}");
        }
        assert_eq!(check_description(""), Ok(()));
        assert_eq!(check_description("two\r\n\tlines"), Ok(()));
        assert_eq!(check_description("a\0b"), Err(TextError::Control));
        assert_eq!(check_description(&"x".repeat(1_001)), Err(TextError::TooLong(1_000)));
    }

    #[test]
    fn html_escapes_markup() {
        assert_eq!(
            html("<img src=x onerror='a(\"1\")'> & co"),
            "&lt;img src=x onerror='a(&quot;1&quot;)'&gt; &amp; co"
        );
        assert_eq!(html("plain ü"), "plain ü");
    }

    #[test]
    fn name_key_ignores_case_and_outer_spaces() {
        assert_eq!(name_key(" In Progress "), name_key("in progress"));
        assert_ne!(name_key("in  progress"), name_key("in progress"));
    }
}
