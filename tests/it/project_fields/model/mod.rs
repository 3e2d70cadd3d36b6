//! Random changes of issue fields and linked project fields, compared with a simple model.

mod state;

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use state::Model;

use crate::support::Service;
use crate::support::fixtures::octo_org;

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona"])
        .project("octo-org", "Roadmap", "")
        .classic("mona", "project, admin:org", "ghp_mona0000")
        .to_string()
});
/// Few names, so that they conflict: with each other, in another case, and with a built-in field.
const NAMES: [&str; 6] = ["Priority", "priority", "Effort", "Status", "Area", "Team"];
const KINDS: [&str; 3] = ["text", "single_select", "multi_select"];

#[derive(Debug, Clone)]
enum Step {
    Create { name: usize, kind: usize, options: usize },
    Rename { field: usize, name: usize },
    ReplaceOptions { field: usize, keep: u8, fresh: usize },
    Delete { field: usize },
    AddFollowing { field: usize },
    AddOwn { name: usize },
    PageForward { size: usize },
    PageBack { size: usize },
}

fn step() -> impl Strategy<Value = Step> {
    // With few fields, most steps find one that exists.
    let (name, field) = (0..NAMES.len(), 0..3usize);
    prop_oneof![
        3 => (name.clone(), 0..KINDS.len(), 1..4usize)
            .prop_map(|(name, kind, options)| Step::Create { name, kind, options }),
        2 => (field.clone(), name.clone()).prop_map(|(field, name)| Step::Rename { field, name }),
        3 => (field.clone(), any::<u8>(), 0..3usize)
            .prop_map(|(field, keep, fresh)| Step::ReplaceOptions { field, keep, fresh }),
        1 => field.clone().prop_map(|field| Step::Delete { field }),
        3 => field.prop_map(|field| Step::AddFollowing { field }),
        2 => name.prop_map(|name| Step::AddOwn { name }),
        1 => (1..7usize).prop_map(|size| Step::PageForward { size }),
        1 => (1..7usize).prop_map(|size| Step::PageBack { size }),
    ]
}

#[test]
fn random_changes_match_model() {
    let config = Config { cases: 16, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    let steps = proptest::collection::vec(step(), 20..40);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime can be created");
    let outcome = TestRunner::new(config).run(&steps, |steps| {
        runtime.block_on(async {
            let service = Service::with(&STATE).await;
            let mut model = Model::new(&service).await;
            for step in &steps {
                model.take(step).await;
            }
        });
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
