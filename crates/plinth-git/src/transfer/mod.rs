//! Objects that enter and leave a repository: pushes, imports and fetches.

pub(crate) mod import;
pub(crate) mod quarantine;
pub(crate) mod receive;
pub(crate) mod upload_pack;
