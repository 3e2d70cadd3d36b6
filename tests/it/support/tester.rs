//! The authority with which tests write into the store themselves.

use plinth_base::error::Result;
use plinth_store::{Connection, WriteAuthority};

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
