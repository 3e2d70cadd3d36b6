//! The URLs of submodules, from the file `.gitmodules`.

/// The URL of the submodule at a path.
pub fn url_of(gitmodules: &str, path: &str) -> Option<String> {
    let (mut section_path, mut section_url) = (None, None);
    for line in gitmodules.lines().map(str::trim) {
        if line.starts_with('[') {
            (section_path, section_url) = (None, None);
        } else if let Some((key, value)) = line.split_once('=') {
            let value = value.trim().trim_matches('"').to_owned();
            match key.trim().to_ascii_lowercase().as_str() {
                "path" => section_path = Some(value),
                "url" => section_url = Some(value),
                _ => {}
            }
        }
        if section_path.as_deref() == Some(path) && section_url.is_some() {
            return section_url;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::url_of;

    #[test]
    fn url_of_submodule_is_that_of_its_section() {
        let text = "[submodule \"a\"]\n\tpath = lib/a\n\turl = https://example.com/a.git\n\
                    [submodule \"b\"]\n\tURL = \"../b.git\"\n\tbranch = main\n\tpath = b\n[submodule \"c\"]\n\tpath = c\n";
        assert_eq!(url_of(text, "lib/a").as_deref(), Some("https://example.com/a.git"));
        assert_eq!(url_of(text, "b").as_deref(), Some("../b.git"));
        assert_eq!(url_of(text, "c"), None);
        assert_eq!(url_of(text, "a"), None);
    }
}
