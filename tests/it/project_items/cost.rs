//! What a list of items costs.

use crate::attacks::support::{METRICS, Victim};
use crate::support::fixtures::{StateFile, two_branches};

/// The project, its fields, the page, the repository, and the issues with their labels, assignees and values.
const STATEMENTS_ON_SQLITE: u64 = 8;

#[test]
fn page_of_items_takes_as_many_statements_as_one_item() {
    let mut state = StateFile::default().users(&["mona"]).repo("mona/hello", &two_branches("")).classic(
        "mona",
        "repo, project",
        "ghp_mona",
    );
    let mut items = Vec::new();
    for number in 1..=40 {
        state = state.entry("issues", &format!("repo: mona/hello, title: Issue {number}, author: mona"));
        items.push(format!("{{ content: 'mona/hello#{number}' }}"));
    }
    let state = state.project("mona", "Plan", &format!("items: [{}]", items.join(", ")));
    let victim = Victim::start_with(&state.to_string(), METRICS);
    let statements = [1, 30].map(|per_page| {
        victim.statements_of(|| {
            let path = format!("/users/mona/projectsV2/1/items?per_page={per_page}");
            assert_eq!(victim.get("ghp_mona", &path).status(), 200);
        })
    });
    assert_eq!(statements[0], statements[1]);
    if victim.database_flags().is_empty() {
        assert_eq!(statements[0], STATEMENTS_ON_SQLITE);
    }
}
