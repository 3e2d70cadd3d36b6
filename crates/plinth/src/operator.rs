//! The authority of the operator: whoever can run commands on the store may change everything in it.

use plinth_store::internal_authority;

internal_authority!(
    /// Commands and the state file write with this. Only this crate can name it.
    pub(crate) Operator = "operator", changes_rights
);
