//! What a list of issues costs.

use crate::attacks::support::{METRICS, Victim};
use crate::support::fixtures::{StateFile, two_branches};

/// The repository, the page, its length, and the labels, assignees and values of all issues on it.
const STATEMENTS_ON_SQLITE: u64 = 6;

#[test]
fn page_of_issues_takes_as_many_statements_as_one_issue() {
    let mut state = StateFile::default()
        .users(&["mona", "hubot"])
        .repo("mona/hello", &two_branches(""))
        .pull("mona/hello", "hubot", "title: Change, head: next, base: main")
        .classic("mona", "repo", "ghp_mona");
    for number in 0..40 {
        let issue = format!(
            "repo: mona/hello, title: Issue {number}, author: hubot, labels: [l{number}, bug], assignees: [mona]"
        );
        state = state.entry("issues", &issue);
    }
    let victim = Victim::start_with(&state.to_string(), METRICS);
    let statements = [1, 30].map(|per_page| {
        victim.statements_of(|| {
            let path = format!("/repos/mona/hello/issues?per_page={per_page}");
            assert_eq!(victim.get("ghp_mona", &path).status(), 200);
        })
    });
    assert_eq!(statements[0], statements[1]);
    if victim.database_flags().is_empty() {
        assert_eq!(statements[0], STATEMENTS_ON_SQLITE);
    }
}
