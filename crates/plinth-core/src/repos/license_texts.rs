//! The texts of well-known licences.

use spdx::text::LICENSE_TEXTS;

/// Licences by the keys that GitHub uses. As constants, the binary contains only these texts.
pub const LICENSES: [(&str, &str); 8] = [
    ("apache-2.0", text_of("Apache-2.0")),
    ("bsd-2-clause", text_of("BSD-2-Clause")),
    ("bsd-3-clause", text_of("BSD-3-Clause")),
    ("gpl-3.0", text_of("GPL-3.0")),
    ("isc", text_of("ISC")),
    ("mit", text_of("MIT")),
    ("mpl-2.0", text_of("MPL-2.0")),
    ("unlicense", text_of("Unlicense")),
];

/// The identifier and the name of a licence.
pub fn describe(key: &str) -> (&'static str, &'static str) {
    match key {
        "apache-2.0" => ("Apache-2.0", "Apache License 2.0"),
        "bsd-2-clause" => ("BSD-2-Clause", "BSD 2-Clause \"Simplified\" License"),
        "bsd-3-clause" => ("BSD-3-Clause", "BSD 3-Clause \"New\" or \"Revised\" License"),
        "gpl-3.0" => ("GPL-3.0", "GNU General Public License v3.0"),
        "isc" => ("ISC", "ISC License"),
        "mit" => ("MIT", "MIT License"),
        "mpl-2.0" => ("MPL-2.0", "Mozilla Public License 2.0"),
        "unlicense" => ("Unlicense", "The Unlicense"),
        _ => ("NOASSERTION", "Other"),
    }
}

/// The text of an SPDX licence. Runs in the compiler, which rejects an unknown id.
const fn text_of(id: &str) -> &'static str {
    let mut at = 0;
    while at < LICENSE_TEXTS.len() {
        let (known, text) = LICENSE_TEXTS[at];
        if is_equal(known.as_bytes(), id.as_bytes()) {
            return text;
        }
        at += 1;
    }
    panic!("SPDX does not have this licence")
}

/// `==` does not run in the compiler.
const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
