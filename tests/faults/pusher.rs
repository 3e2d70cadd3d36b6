//! A git client that pushes.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use crate::checker::{git, git_ok, printed};
use crate::comparison::REF_PREFIX;
use crate::ledger::{Action, Event};
use crate::load::{Common, PAUSE};
use crate::subject::TOKEN;

/// Repeatedly pushes a new commit to two new refs at once.
pub struct Pusher<'a> {
    pub common: Common<'a>,
    pub index: usize,
    pub work: PathBuf,
}

impl Pusher<'_> {
    /// Pushes until the load stops.
    pub fn run(&self) {
        for number in 0.. {
            if self.common.is_stopped() {
                break;
            }
            self.push(number);
        }
    }

    fn push(&self, number: usize) {
        let name = self.common.name("push", self.index, number);
        let parent = &self.common.commits[0];
        let tree = format!("{parent}^{{tree}}");
        let sha = git_ok(&self.work, &["commit-tree", &tree, "-p", parent, "-m", &name]);
        let names: Vec<String> = ["a", "b"].map(|end| format!("{REF_PREFIX}{name}-{end}")).into();
        let operation = self.common.ledger.invoke(Action::Push { names: names.clone(), sha: sha.clone() });
        let url = format!("http://x:{TOKEN}@{}/mona/rocket.git", self.common.address);
        let specs: Vec<String> = names.iter().map(|name| format!("{sha}:{name}")).collect();
        let output = git(&self.work, &["push", "--quiet", "--atomic", &url, &specs[0], &specs[1]]);
        if output.status.success() && !self.common.power_is_off.load(Ordering::SeqCst) {
            self.common.ledger.write(&Event::Ok { operation, id: None });
            self.common.seen.acknowledged.fetch_add(1, Ordering::SeqCst);
            self.common.seen.pushes.fetch_add(1, Ordering::SeqCst);
            return;
        }
        let text = printed(&output);
        let event = match status(&text) {
            Some(status) if self.common.is_definite(status) => Event::Fail { operation },
            _ => Event::Unknown { operation },
        };
        self.common.ledger.write(&event);
        self.common.seen.failed_pushes.lock().expect("no client panics").push(text);
        std::thread::sleep(PAUSE);
    }
}

/// The HTTP status in git's output, if there is one.
pub fn status(text: &str) -> Option<u16> {
    let after = ["returned error: ", "HTTP "].iter().find_map(|word| text.split(word).nth(1))?;
    after.get(..3)?.parse().ok()
}

#[test]
fn status_is_parsed_from_git_output() {
    assert_eq!(status("fatal: unable to access 'http://x/': The requested URL returned error: 503"), Some(503));
    assert_eq!(status("error: RPC failed; HTTP 503 curl 22"), Some(503));
    assert_eq!(status("fatal: the remote end hung up unexpectedly"), None);
}
