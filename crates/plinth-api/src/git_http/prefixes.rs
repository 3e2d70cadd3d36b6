//! Prefixes of reference names that a client asks for, with a bound on what finding their names costs.

/// Prefixes that are looked up one by one, each with a query of its own. With more, all names are read and compared.
const QUERIES_MAX: usize = 64;

/// Prefixes in order, none of which covers another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefixes(Vec<String>);

impl Prefixes {
    /// The empty prefix, which every name has.
    pub fn all() -> Self {
        Self(vec![String::new()])
    }

    pub fn new(mut prefixes: Vec<String>) -> Self {
        prefixes.sort_unstable();
        prefixes.dedup_by(|later, earlier| later.starts_with(earlier.as_str()));
        Self(prefixes)
    }

    /// Whether a name has one of them: that can only be the last one that does not come after it.
    pub fn cover(&self, name: &str) -> bool {
        let behind = self.0.partition_point(|prefix| prefix.as_str() <= name);
        self.0[..behind].last().is_some_and(|prefix| name.starts_with(prefix.as_str()))
    }

    /// What to look up, in order. The names found are still to be compared with all prefixes.
    pub fn queries(&self) -> Vec<String> {
        if self.0.len() <= QUERIES_MAX { self.0.clone() } else { vec![String::new()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_that_another_one_covers_is_not_asked_for_twice() {
        let given = ["refs/tags/", "refs/heads/main", "refs/heads/", "refs/heads/main", "HEAD"];
        let prefixes = Prefixes::new(given.map(str::to_owned).to_vec());
        assert_eq!(prefixes.queries(), ["HEAD", "refs/heads/", "refs/tags/"]);
        assert_eq!(Prefixes::new(vec!["a".into(), String::new()]), Prefixes::all());
    }

    #[test]
    fn names_are_found_by_the_prefix_that_they_have() {
        let prefixes =
            Prefixes::new(["HEAD", "refs/heads/a", "refs/heads/b/", "refs/tags/"].map(str::to_owned).to_vec());
        for name in ["HEAD", "refs/heads/a", "refs/heads/abc", "refs/heads/b/c", "refs/tags/v1"] {
            assert!(prefixes.cover(name), "{name}");
        }
        for name in ["", "HEA", "refs/heads/", "refs/heads/b", "refs/heads/c", "refs/zoo"] {
            assert!(!prefixes.cover(name), "{name}");
        }
        assert!(Prefixes::all().cover("HEAD") && Prefixes::all().cover(""));
    }

    #[test]
    fn many_prefixes_are_one_query() {
        let many = |count: usize| Prefixes::new((0..count).map(|number| format!("refs/heads/{number}-")).collect());
        assert_eq!(many(QUERIES_MAX).queries().len(), QUERIES_MAX);
        assert_eq!(many(QUERIES_MAX + 1).queries(), [""]);
    }
}
