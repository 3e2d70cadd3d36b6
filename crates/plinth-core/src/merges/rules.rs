//! Validation of merges.

use super::MergeMethod;
use crate::pulls::model::{Mergeability, Pull, PullState};
use plinth_base::error::{Error, Result};

/// Checks that a pull request may be merged, as far as its state decides that.
pub fn check_mergeable(pull: &Pull, expected_head: Option<&str>) -> Result<()> {
    if pull.state == PullState::Closed {
        return Err(not_mergeable(MergeMethod::Merge));
    }
    if pull.draft {
        return Err(Error::NotAllowed("Pull Request is still a draft".into()));
    }
    if !is_expected(pull, expected_head) {
        return Err(Error::Conflict("Head branch was modified. Review and try the merge again.".into()));
    }
    Ok(())
}

/// Rejects what the test merge of the same two commits has rejected, without merging again.
pub fn check_test_merge(pull: &Pull, method: MergeMethod) -> Result<()> {
    let is_dirty = pull.test_merge.mergeability == Some(Mergeability::Dirty);
    if is_dirty && method != MergeMethod::Rebase { Err(not_mergeable(method)) } else { Ok(()) }
}

/// Checks that the base may be merged into the head, as far as the state of the pull request decides that.
pub fn check_updatable(pull: &Pull, expected_head: Option<&str>) -> Result<()> {
    if pull.state == PullState::Closed {
        return Err(Error::unprocessable("The pull request is closed."));
    }
    if !is_expected(pull, expected_head) {
        return Err(Error::unprocessable("expected head sha didn’t match current head ref."));
    }
    Ok(())
}

fn is_expected(pull: &Pull, expected_head: Option<&str>) -> bool {
    expected_head.is_none_or(|expected| expected.eq_ignore_ascii_case(&pull.version.head_sha.to_string()))
}

pub fn not_mergeable(method: MergeMethod) -> Error {
    Error::NotAllowed(match method {
        MergeMethod::Merge | MergeMethod::Squash => "Pull Request is not mergeable".into(),
        MergeMethod::Rebase => "This branch can't be rebased".into(),
    })
}

/// The base moves faster than it can be merged into.
pub fn base_modified() -> Error {
    Error::NotAllowed("Base branch was modified. Review and try the merge again.".into())
}
