//! Everything that a server can do, wherever it runs.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use plinth_test::{Error, Filter, Plinth};
use serde_json::json;
use ureq::Agent;

const STATE: &str = r#"
users: [{ login: mona }]
repos:
  - name: mona/hello
    commits: [{ branch: main, author: mona, message: first, files: { README.md: "hello\n" } }]
tokens:
  - { kind: classic, user: mona, scopes: [repo], token: ghp_forTestsOnly, expires_at: 2031-01-01T00:00:00Z }
"#;
const MINUTE: Duration = Duration::from_secs(60);

/// A server in each of the places where it can run.
fn servers() -> Result<Vec<Plinth>, Error> {
    let builders = [
        Plinth::builder(),
        #[cfg(feature = "in-process")]
        Plinth::builder().in_process(),
    ];
    builders.into_iter().map(|builder| builder.state(STATE).start()).collect()
}

/// The status of a GET with the token.
fn get(github: &Plinth, path: &str) -> u16 {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let request = agent.get(format!("{}{path}", github.url())).header("authorization", "Bearer ghp_forTestsOnly");
    request.call().expect("the server responds").status().as_u16()
}

/// Creates a branch, as the program under test would.
fn create_branch(github: &Plinth, name: &str) -> u16 {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let url = |path: &str| format!("{}/repos/mona/hello/git/{path}", github.url());
    let token = ("authorization", "Bearer ghp_forTestsOnly");
    let mut main = agent.get(url("ref/heads/main")).header(token.0, token.1).call().expect("the server responds");
    let main: serde_json::Value = main.body_mut().read_json().expect("JSON");
    let body = json!({ "ref": format!("refs/heads/{name}"), "sha": main["object"]["sha"] });
    let created = agent.post(url("refs")).header(token.0, token.1).send_json(&body);
    created.expect("the server responds").status().as_u16()
}

#[test]
fn reset_and_snapshots_return_to_a_state() -> Result<(), Error> {
    servers()?.iter().try_for_each(use_states)
}

fn use_states(github: &Plinth) -> Result<(), Error> {
    assert_eq!(create_branch(github, "new"), 201);
    github.snapshot("with-branch")?;
    github.reset()?;
    assert_eq!(get(github, "/repos/mona/hello/git/ref/heads/new"), 404);
    github.restore("with-branch")?;
    assert_eq!(get(github, "/repos/mona/hello/git/ref/heads/new"), 200);
    github.apply("users: [{ login: hubot }]")?;
    assert_eq!(get(github, "/users/hubot"), 200);
    let exported = github.export()?;
    github.reset()?;
    assert_eq!(get(github, "/users/hubot"), 404);
    github.apply(&exported)?;
    assert_eq!((get(github, "/users/hubot"), get(github, "/repos/mona/hello/git/ref/heads/new")), (200, 200));
    assert!(matches!(github.restore("none"), Err(Error::Rejected { status: 404, .. })));
    Ok(())
}

#[test]
fn token_expires_with_the_clock() -> Result<(), Error> {
    servers()?.iter().try_for_each(let_token_expire)
}

fn let_token_expire(github: &Plinth) -> Result<(), Error> {
    github.clock().freeze()?;
    github.clock().set("2030-12-31T23:59:00Z")?;
    assert_eq!((get(github, "/user"), github.clock().now()?), (200, "2030-12-31T23:59:00Z".to_owned()));
    github.clock().advance(2 * MINUTE)?;
    assert_eq!(get(github, "/user"), 401);
    github.clock().resume()
}

#[test]
fn faults_and_requests_are_seen() -> Result<(), Error> {
    servers()?.iter().try_for_each(use_faults_and_log)
}

fn use_faults_and_log(github: &Plinth) -> Result<(), Error> {
    github.faults().add(&json!({ "match": { "operation": "git/create-ref" }, "rate_limit": "secondary" }))?;
    assert_eq!([create_branch(github, "new"), create_branch(github, "new")], [403, 201]);
    github.faults().add(&json!({ "close": true, "times": 100 }))?;
    github.faults().clear()?;
    assert_eq!(get(github, "/no/such/path"), 404);
    let created = github.requests().list(&Filter { method: Some("POST"), ..Filter::default() })?;
    assert_eq!(created.iter().map(|request| request.status).collect::<Vec<_>>(), [Some(403), Some(201)]);
    assert_eq!(created[0].body.as_ref().map(|body| body["ref"].clone()), Some(json!("refs/heads/new")));
    assert_eq!(github.requests().unmatched()?.len(), 1);
    let waited = github.requests().wait(&Filter { path: Some("/no/**"), ..Filter::default() }, MINUTE)?;
    assert_eq!(waited.status, Some(404));
    github.requests().clear()?;
    assert!(github.requests().list(&Filter::default())?.is_empty());
    github.wait_for_deliveries(MINUTE)
}

#[test]
fn namespaces_are_isolated() -> Result<(), Error> {
    servers()?.iter().try_for_each(use_namespaces)
}

fn use_namespaces(github: &Plinth) -> Result<(), Error> {
    let (first, second) = (github.namespace()?, github.namespace()?);
    assert_eq!(create_branch(&first, "new"), 201);
    let branch = "/repos/mona/hello/git/ref/heads/new";
    assert_eq!([get(github, branch), get(&first, branch), get(&second, branch)], [404, 200, 404]);
    Ok(())
}

#[test]
fn state_file_with_a_mistake_does_not_start() {
    assert!(matches!(Plinth::start("users: [{ login: }]"), Err(Error::NotReady)));
}

#[test]
#[ignore = "the next test starts it in a process of its own"]
fn leaves_a_server_behind() -> Result<(), Error> {
    let github = Plinth::start(STATE)?;
    println!("server {} {}", github.url(), github.directory().expect("it was started").display());
    // As a value in a `static`.
    std::mem::forget(github);
    Ok(())
}

#[test]
fn server_ends_with_a_process_that_does_not_drop_it() {
    let mut process = Command::new(std::env::current_exe().expect("this program"));
    process.args(["--exact", "server::leaves_a_server_behind", "--ignored", "--nocapture"]);
    let output = String::from_utf8(process.output().expect("it runs").stdout).expect("text");
    let words: Vec<&str> = output.split_whitespace().skip_while(|word| *word != "server").collect();
    let deadline = Instant::now() + MINUTE;
    while ureq::get(words[1]).call().is_ok() || Path::new(words[2]).exists() {
        assert!(Instant::now() < deadline, "{output}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn text_of_a_state_is_in_a_directory_that_ends_with_the_server() -> Result<(), Error> {
    for github in servers()? {
        let directory = github.directory().expect("it was started").to_owned();
        assert!(directory.join("state.yaml").exists());
        drop(github);
        assert!(!directory.exists());
    }
    Ok(())
}
