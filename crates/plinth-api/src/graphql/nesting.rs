//! How deep the brackets of a document are nested, found without recursion.

/// A query of a tool has about 15 levels.
const DEPTH_MAX: usize = 50;

pub fn is_too_deep(document: &str) -> bool {
    let (mut rest, mut depth) = (document.as_bytes(), 0usize);
    while let Some((&byte, after)) = rest.split_first() {
        rest = match byte {
            b'"' => after_string(rest),
            b'#' => after_line(after),
            _ => after,
        };
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return true;
        }
    }
    false
}

/// What is after a string, or after a block string between three quotes.
fn after_string(text: &[u8]) -> &[u8] {
    const BLOCK: &[u8] = b"\"\"\"";
    let delimiter = if text.starts_with(BLOCK) { BLOCK } else { &BLOCK[..1] };
    let mut rest = &text[delimiter.len()..];
    while let Some((&byte, after)) = rest.split_first() {
        if rest.starts_with(delimiter) {
            return &rest[delimiter.len()..];
        }
        rest = if byte == b'\\' { after.get(1..).unwrap_or_default() } else { after };
        // A string ends at the latest with its line; the parser rejects it then.
        if byte == b'\n' && delimiter.len() == 1 {
            return rest;
        }
    }
    rest
}

fn after_line(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len());
    &text[end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        "{".repeat(levels)
    }

    #[test]
    fn brackets_of_every_kind_are_counted() {
        assert!(!is_too_deep(&nested(50)));
        assert!(is_too_deep(&nested(51)));
        assert!(is_too_deep(&"[({".repeat(17)));
        assert!(!is_too_deep(&"{}".repeat(1_000)));
    }

    #[test]
    fn brackets_in_strings_and_comments_close_nothing() {
        for hidden in ["\"}}}\"", "\"\\\"}}}\"", "\"\"\"}} \" }}\"\"\"", "# }}}\n", "\"\""] {
            assert!(is_too_deep(&format!("{}{hidden}{}", nested(26), nested(25))), "{hidden}");
            assert!(!is_too_deep(&format!("{}{hidden}{}", nested(25), nested(25))), "{hidden}");
        }
    }

    #[test]
    fn unfinished_texts_end() {
        for text in ["\"", "\"\\", "\"\"\"", "#", "\"\"\"\"\"", ""] {
            assert!(!is_too_deep(text), "{text}");
        }
    }
}
