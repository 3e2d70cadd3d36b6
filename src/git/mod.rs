//! Reading and making Git objects: the only place that names gix or starts git.

pub mod diff;
