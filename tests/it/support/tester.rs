//! The authority with which tests write into the store themselves.

use plinth::db::{Connection, WriteAuthority};
use plinth::error::Result;

/// Whoever runs a test may change everything.
pub struct Tester;

impl WriteAuthority for Tester {
    type Proof = ();

    fn operation(&self) -> &'static str {
        "test"
    }

    async fn check(&self, _: &mut Connection) -> Result<()> {
        Ok(())
    }
}
