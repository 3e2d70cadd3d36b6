//! Licences and `.gitignore` files for new repositories.

use plinth_base::clock::Timestamp;
use plinth_git::Identity;

use crate::repos::license_texts::LICENSES;

/// What SPDX writes for the year and the name in the copyright line of a licence.
const PLACEHOLDERS: [&str; 2] = ["<year> <copyright holders>", "<year> <owner>"];

/// The text of a licence with the year and the name of its author.
pub fn license(key: &str, author: &Identity) -> Option<String> {
    let (_, text) = LICENSES.iter().find(|(known, _)| known.eq_ignore_ascii_case(key))?;
    let year = Timestamp(author.date.seconds).date().year();
    let owner = format!("{year} {}", author.name);
    Some(PLACEHOLDERS.iter().fold((*text).to_owned(), |text, placeholder| text.replacen(placeholder, &owner, 1)))
}

/// The files to ignore in a project of some kind, by the name that GitHub uses.
pub fn gitignore(name: &str) -> Option<&'static str> {
    match name {
        "Go" => Some("/bin/\n*.exe\n*.out\n*.test\ngo.work\n"),
        "Java" => Some("/build/\n/target/\n.gradle/\n*.class\n*.jar\n"),
        "Node" => Some("node_modules/\ncoverage/\ndist/\n*.log\n.env\n"),
        "Python" => Some("__pycache__/\n*.py[cod]\n*.egg-info/\nbuild/\ndist/\n.venv/\n"),
        "Rust" => Some("/target/\n**/*.rs.bk\n"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plinth_git::Date;

    #[test]
    fn license_has_year_and_author_in_its_copyright_line() {
        let author = Identity { name: "Mona".into(), email: "mona@example.com".into(), date: Date::utc(1_773_130_150) };
        for (key, line) in [
            ("mit", Some("Copyright (c) 2026 Mona")),
            ("ISC", Some("Copyright 2026 Mona")),
            ("bsd-2-clause", Some("Copyright (c) 2026 Mona")),
            ("bsd-3-clause", Some("Copyright (c) 2026 Mona.")),
            ("apache-2.0", None),
            ("gpl-3.0", None),
            ("mpl-2.0", None),
            ("unlicense", None),
        ] {
            let text = license(key, &author).expect(key);
            let found = text.lines().map(str::trim_end).find(|line| line.contains("2026"));
            assert_eq!(found, line, "{key}");
        }
        assert_eq!(license("own", &author), None);
    }
}
