use std::sync::LazyLock;

use octocrab::Octocrab;
use octocrab::service::middleware::retry::RetryConfig;
use plinth_test::Plinth;

/// One server for all tests of a file. It ends with the process.
static SERVER: LazyLock<Plinth> = LazyLock::new(|| Plinth::start_file("state.yaml").unwrap());

/// An instance in the initial state, for one test.
pub fn server() -> Plinth {
    SERVER.namespace().unwrap()
}

/// A client that does not retry, so that tests are fast and see every error.
pub fn client(plinth: &Plinth, token: &str) -> Octocrab {
    let builder = Octocrab::builder().base_uri(plinth.url()).unwrap().personal_token(token);
    builder.add_retry_config(RetryConfig::None).build().unwrap()
}
