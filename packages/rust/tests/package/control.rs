//! Servers whose control interface has an address and a token of its own, such as one in a container.

use plinth_test::{Error, Filter, Plinth};

const TOKEN: &str = "forTestsOnly";
const STATE: &str = "users: [{ login: mona }]";

/// A server with a token, and another connection to it, as that of a process that did not start it.
fn connect(token: &str) -> Result<(Plinth, Plinth), Error> {
    let started =
        Plinth::builder().state(STATE).flags(["--control", "127.0.0.1:0", "--control-token", TOKEN]).start()?;
    let control_url = started.control_url().expect("it was started with --control").to_owned();
    let connected = Plinth::connect(started.url()).with_control(&control_url, token);
    Ok((started, connected))
}

fn is_user(github: &Plinth, login: &str) -> bool {
    ureq::get(format!("{}/users/{login}", github.url())).call().is_ok()
}

#[test]
fn token_gives_access_to_a_server_that_runs_already() -> Result<(), Error> {
    let (started, connected) = connect(TOKEN)?;
    assert_ne!(started.control_url(), Some(started.url()));
    connected.apply("users: [{ login: ada }]")?;
    assert!(is_user(&connected, "ada"));
    connected.reset()?;
    assert!(!is_user(&connected, "ada"));
    drop(connected);
    assert_eq!(started.requests().list(&Filter::default())?.len(), 1);
    Ok(())
}

#[test]
fn wrong_token_is_rejected() -> Result<(), Error> {
    let (_started, connected) = connect("another")?;
    assert!(matches!(connected.reset(), Err(Error::Rejected { status: 401, .. })));
    Ok(())
}

#[test]
fn namespace_is_reached_through_the_control_interface() -> Result<(), Error> {
    let (_started, connected) = connect(TOKEN)?;
    let namespace = connected.namespace()?;
    assert_ne!(namespace.url(), connected.url());
    namespace.apply("users: [{ login: ada }]")?;
    assert_eq!([is_user(&namespace, "ada"), is_user(&connected, "ada")], [true, false]);
    assert_eq!(namespace.requests().list(&Filter::default())?.len(), 1);
    namespace.reset()?;
    assert!(!is_user(&namespace, "ada"));
    Ok(())
}
