//! One measurement, or a few that belong together.

use anyhow::Result;

use crate::harness::Context;
use crate::results::Results;

pub struct RowGroup {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Context) -> Result<Results>,
}
