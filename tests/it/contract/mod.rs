//! The HTTP contract.
