//! A client that gets a new token when the old one has expired.

use octocrab::{Error, Octocrab, Result};

/// Calls actions with a client, and once more with that of a new token if the present one has expired.
pub struct Renewing<C> {
    create_client: C,
    client: Octocrab,
}

impl<C: AsyncFn() -> Octocrab> Renewing<C> {
    pub async fn new(create_client: C) -> Self {
        Self { client: create_client().await, create_client }
    }

    pub async fn call<T>(&mut self, action: impl AsyncFn(&Octocrab) -> Result<T>) -> Result<T> {
        match action(&self.client).await {
            Err(Error::GitHub { source, .. }) if source.status_code.as_u16() == 401 => {
                self.client = (self.create_client)().await;
                action(&self.client).await
            }
            other => other,
        }
    }
}
