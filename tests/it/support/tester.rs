//! The authority with which tests write to the store directly.

use plinth_base::error::Result;
use plinth_store::{Connection, WriteAuthority};

/// A test may write everything.
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
