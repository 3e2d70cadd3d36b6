//! The language of a file, by its extension. As on GitHub, texts and data have none.

use std::collections::BTreeMap;

/// Extensions in lower case, by language.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("Assembly", &["asm", "s"]),
    ("C", &["c", "h"]),
    ("C#", &["cs"]),
    ("C++", &["cc", "cpp", "cxx", "hh", "hpp", "hxx"]),
    ("CSS", &["css"]),
    ("Clojure", &["clj", "cljs"]),
    ("CMake", &["cmake"]),
    ("Dart", &["dart"]),
    ("Elixir", &["ex", "exs"]),
    ("Elm", &["elm"]),
    ("Erlang", &["erl", "hrl"]),
    ("F#", &["fs", "fsx"]),
    ("Fortran", &["f", "f90", "f95"]),
    ("Go", &["go"]),
    ("Groovy", &["gradle", "groovy"]),
    ("HCL", &["hcl", "tf"]),
    ("HTML", &["htm", "html"]),
    ("Haskell", &["hs"]),
    ("Java", &["java"]),
    ("JavaScript", &["cjs", "js", "jsx", "mjs"]),
    ("Julia", &["jl"]),
    ("Kotlin", &["kt", "kts"]),
    ("Less", &["less"]),
    ("Lua", &["lua"]),
    ("Nix", &["nix"]),
    ("OCaml", &["ml", "mli"]),
    ("Objective-C", &["m"]),
    ("PHP", &["php"]),
    ("Perl", &["pl", "pm"]),
    ("PowerShell", &["ps1", "psm1"]),
    ("Python", &["py", "pyi"]),
    ("R", &["r"]),
    ("Ruby", &["rake", "rb"]),
    ("Rust", &["rs"]),
    ("SCSS", &["scss"]),
    ("Scala", &["scala"]),
    ("Shell", &["bash", "sh", "zsh"]),
    ("Svelte", &["svelte"]),
    ("Swift", &["swift"]),
    ("TypeScript", &["cts", "mts", "ts", "tsx"]),
    ("Vue", &["vue"]),
    ("Zig", &["zig"]),
];
/// Names of files without an extension.
const NAMES: &[(&str, &str)] = &[("CMakeLists.txt", "CMake"), ("Dockerfile", "Dockerfile"), ("Makefile", "Makefile")];
/// Directories with the code of others, or with results of a build.
const IGNORED: &[&str] = &["bower_components", "dist", "node_modules", "third_party", "vendor"];

/// The language of a file; `None` for other files.
pub fn language_of(path: &[u8]) -> Option<&'static str> {
    let path = std::str::from_utf8(path).ok()?;
    let mut parts = path.rsplit('/');
    let name = parts.next()?;
    if parts.any(|directory| IGNORED.contains(&directory)) {
        return None;
    }
    if let Some((_, language)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(language);
    }
    let (_, extension) = name.rsplit_once('.')?;
    let extension = extension.to_ascii_lowercase();
    let has = |(_, extensions): &&(&str, &[&str])| extensions.contains(&extension.as_str());
    LANGUAGES.iter().find(has).map(|(language, _)| *language)
}

/// Languages with their bytes, the largest first.
pub fn sorted(bytes: BTreeMap<&'static str, u64>) -> Vec<(&'static str, u64)> {
    let mut sorted: Vec<_> = bytes.into_iter().filter(|(_, bytes)| *bytes > 0).collect();
    sorted.sort_by_key(|(language, bytes)| (std::cmp::Reverse(*bytes), *language));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_depends_on_extension_and_name() {
        for (path, language) in [
            ("src/main.rs", Some("Rust")),
            ("A.PY", Some("Python")),
            ("docker/Dockerfile", Some("Dockerfile")),
            ("README.md", None),
            ("data.json", None),
            ("rs", None),
            (".rs", Some("Rust")),
            ("node_modules/a/index.js", None),
            ("web/vendor/a.js", None),
            ("vendor.js", Some("JavaScript")),
        ] {
            assert_eq!(language_of(path.as_bytes()), language, "{path}");
        }
        assert_eq!(language_of(b"\xff.rs"), None);
    }

    #[test]
    fn every_extension_has_one_language() {
        let mut extensions: Vec<&str> = LANGUAGES.iter().flat_map(|(_, extensions)| *extensions).copied().collect();
        let all = extensions.len();
        extensions.sort_unstable();
        extensions.dedup();
        assert_eq!(extensions.len(), all);
    }
}
