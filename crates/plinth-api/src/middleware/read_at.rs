//! The state of the store that a request is about.

use crate::app::App;
use plinth_base::clock::Timestamp;
use plinth_store::Generations;

/// When a response was read from the store. Taken before anything is read.
#[derive(Debug, Clone, Copy)]
pub struct ReadAt {
    pub generations: Generations,
    /// Some responses change with time alone.
    pub second: Timestamp,
}

impl ReadAt {
    /// Nothing where the generations are not known.
    pub async fn now(app: &App) -> Option<Self> {
        // The clock first: what is read afterwards is of this second or a later one.
        let second = app.clock.now();
        app.generations().await.map(|generations| Self { generations, second })
    }

    /// As [`ReadAt::now`], unless this request knows it already.
    pub async fn or_now(known: Option<Self>, app: &App) -> Option<Self> {
        match known {
            Some(known) => Some(known),
            None => Self::now(app).await,
        }
    }
}
