//! Every target on its seeds and on mutations of them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{CONTROLS, TARGETS, Target, find, mutation};

/// The first input that is a finding.
fn first_finding(target: &Target, mutations: usize) -> Option<Vec<u8>> {
    let seeds = (target.seeds)();
    let inputs = seeds.iter().cloned().chain(mutation::inputs(&seeds, mutations));
    inputs.into_iter().find(|input| catch_unwind(AssertUnwindSafe(|| target.run(input))).is_err())
}

fn check(name: &str, mutations: usize) {
    let target = find(name).expect("the target exists");
    if let Some(input) = first_finding(target, mutations) {
        panic!("a finding of {name}: {:?}", String::from_utf8_lossy(&input));
    }
}

macro_rules! mutated_seeds_hold {
    ($($test:ident: $target:literal, $mutations:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check($target, $mutations);
            }
        )*

        const TESTED: &[&str] = &[$($target),*];
    };
}

mutated_seeds_hold! {
    pkt_line_holds_on_mutated_seeds: "pkt-line", 20_000;
    push_commands_hold_on_mutated_seeds: "push-commands", 20_000;
    upload_request_holds_on_mutated_seeds: "upload-request", 20_000;
    objects_hold_on_mutated_seeds: "objects", 5_000;
    trees_hold_on_mutated_seeds: "trees", 5_000;
    packs_hold_on_mutated_seeds: "packs", 1_000;
    diff_holds_on_mutated_seeds: "diff", 10_000;
    reanchor_holds_on_mutated_seeds: "reanchor", 3_000;
    markdown_holds_on_mutated_seeds: "markdown", 2_000;
    names_hold_on_mutated_seeds: "names", 20_000;
    ref_names_hold_on_mutated_seeds: "ref-names", 20_000;
    json_web_tokens_hold_on_mutated_seeds: "json-web-tokens", 1_000;
    http1_holds_on_mutated_seeds: "http1", 3_000;
    requests_hold_on_mutated_seeds: "requests", 1_000;
    bodies_hold_on_mutated_seeds: "bodies", 1_000;
    state_file_holds_on_mutated_seeds: "state-file", 2_000;
}

#[test]
fn every_target_is_tested_and_has_a_step() {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    let (mut expected, mut tested) = (names.clone(), TESTED.to_vec());
    expected.sort_unstable();
    tested.sort_unstable();
    assert_eq!(tested, expected);
    let steps = include_str!("../../xtask/src/fuzz.rs");
    for name in names.into_iter().chain(CONTROLS.iter().map(|control| control.name)) {
        assert!(steps.contains(&format!("(\"{name}\", ")), "{name} has no step");
    }
}

/// A search that finds nothing proves nothing.
#[test]
fn planted_defect_is_found() {
    let check = |data: &[u8]| assert!(!data.contains(&b'*'), "the planted defect");
    let control = Target { name: "control", seeds: || vec![b"abc".to_vec()], check };
    assert!(first_finding(&control, 1_000).is_some());
    assert!(first_finding(find("control-slow").expect("a control"), 1_000).is_none(), "only coverage leads there");
}
