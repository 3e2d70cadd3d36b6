//! The authority of the operator: whoever can run commands on the store may change everything in it.

use plinth_store::internal_authority;

internal_authority!(
    /// Commands and the state file write with this. No other module can name it.
    pub(in crate::cli) Operator = "operator", changes_rights
);
