//! Names and numbers in requests: refs, objects, accounts, repositories, times, cursors.

use plinth_api::app::CursorKey;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{RefName, RefNameError, Sha};
use plinth_core::accounts::Login;
use plinth_core::repos::RepoName;
use plinth_core::tokens::Scopes;

use crate::Target;
use crate::input::texts;

/// Names are accepted by the rules of `git check-ref-format`, written down here once more, and by ours.
pub const REF_NAMES: Target = Target {
    name: "ref-names",
    seeds: || {
        texts(&[
            "refs/heads/main",
            "refs/heads/a.lock",
            "refs/heads/a..b",
            "refs/heads/@{x}",
            "refs/heads/@",
            "refs/-x/y",
            "HEAD",
            "refs/heads/.x",
            "refs/heads/x.",
            "refs/heads/a b~^:?*[\\",
            "refs//x",
            "/refs/x",
            "refs/x/",
            "refs/heads/\u{7f}ü",
        ])
    },
    check: |data| {
        let Ok(name) = std::str::from_utf8(data) else { return };
        let parsed = RefName::parse(name);
        let expected = is_well_formed(name) && name.len() <= RefName::LENGTH_MAX && name.split('/').all(is_ours);
        assert_eq!(parsed.is_ok(), expected, "{name:?}: {parsed:?}");
        match parsed {
            Ok(parsed) => assert_eq!((parsed.as_str(), parsed.component_count()), (name, name.split('/').count())),
            Err(RefNameError::TooLong) => assert!(name.len() > RefName::COMPONENT_LENGTH_MAX),
            Err(RefNameError::LeadingDash) => assert!(name.contains('-')),
            Err(RefNameError::Malformed) => assert!(!is_well_formed(name)),
        }
    },
};

/// The ten rules in the manual of git-check-ref-format.
fn is_well_formed(name: &str) -> bool {
    let component = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    let forbidden = |character: char| character < ' ' || "\u{7f} ~^:?*[\\".contains(character);
    name.contains('/')
        && name.split('/').all(component)
        && !name.contains("..")
        && !name.contains(forbidden)
        && !name.ends_with('.')
        && !name.contains("@{")
}

fn is_ours(component: &str) -> bool {
    !component.starts_with('-') && component.len() <= RefName::COMPONENT_LENGTH_MAX
}

/// A name that is accepted is unchanged, and contains nothing that means something in a path or in a header.
pub const NAMES: Target = Target {
    name: "names",
    seeds: || {
        texts(&[
            "octo-org",
            "hello.world_-1",
            "..",
            ".git",
            "x.git",
            "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
            "2026-03-10T12:00:00Z",
            "2026-03-10T12:00:00.5+02:00",
            "-009999-01-02T01:59:59Z",
            "repo, admin:org, read:project",
            "AAAAAAAAACqVbMHM0RXQ0jQkqOqEzuoY",
        ])
    },
    check: |data| {
        let Ok(text) = std::str::from_utf8(data) else { return };
        if let Ok(login) = Login::parse(text) {
            assert_eq!(login.as_str(), text);
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{text:?}");
        }
        if let Ok(name) = RepoName::parse(text) {
            assert_eq!(name.as_str(), text);
            assert!(text != "." && text != ".." && !text.contains(['/', '\\', '\0', '\n']), "{text:?}");
        }
        if let Ok(sha) = text.parse::<Sha>() {
            assert_eq!(sha.to_string(), text.to_ascii_lowercase());
        }
        if let Some(time) = Timestamp::parse(text) {
            assert_eq!(Timestamp::parse(&time.to_string()), Some(time), "{text:?}");
            let _ = (time.date(), time.with_milliseconds(), time.http_date());
        }
        let scopes = Scopes::parse(text);
        assert!(scopes.missing_of(&scopes).is_empty());
        // Nobody else has the key.
        assert_eq!(CursorKey::new(b"a key").open("list", text), None);
    },
};
