//! What values depend on that were made from refs (docs/decisions/0183-shared-bodies.md).

use plinth_base::ids::RepoId;
use plinth_git::RefName;
use plinth_store::{ContentKind, Dependency, RowKey};

/// One ref.
pub fn on_ref(repo: RepoId, name: &RefName) -> Dependency {
    Dependency::Row(repo, ContentKind::Refs, row_key(name))
}

/// Several refs of a repository.
pub fn on_refs(repo: RepoId) -> Dependency {
    Dependency::Kind(repo, ContentKind::Refs)
}

pub(super) fn row_key(name: &RefName) -> RowKey {
    RowKey::of_name(name.as_str())
}
