//! What is different in the process of the test.

use std::path::Path;

use plinth_test::{Error, Plinth};

fn start(state: &str) -> Result<Plinth, Error> {
    Plinth::builder().state(state).in_process().program("/nowhere/plinth").start()
}

fn is_served(url: &str) -> bool {
    ureq::get(url).call().is_ok()
}

/// The names of the threads of this process.
fn threads() -> Vec<String> {
    let tasks = Path::new("/proc/self/task").read_dir().into_iter().flatten().flatten();
    tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok()).collect()
}

#[test]
fn server_runs_on_threads_of_this_process_and_ends_with_its_value() -> Result<(), Error> {
    let github = start("users: [{ login: mona }]")?;
    let url = github.url().to_owned();
    assert!(is_served(&format!("{url}/users/mona")));
    assert!(threads().iter().any(|name| name.trim() == "plinth"));
    drop(github);
    assert!(!is_served(&url));
    Ok(())
}

#[test]
fn state_file_with_a_mistake_is_explained() {
    let Err(Error::Start(reason)) = start("users: [{ name: mona }]") else { panic!("it started") };
    assert!(reason.contains("login"), "{reason}");
}

#[test]
fn unknown_flag_is_explained() {
    let started = Plinth::builder().flags(["--explane"]).in_process().start();
    assert!(matches!(started, Err(Error::Start(reason)) if reason.contains("--explane")));
}

#[tokio::test]
async fn server_responds_while_the_only_thread_of_a_runtime_waits() -> Result<(), Error> {
    let github = start("users: [{ login: mona }]")?;
    github.reset()?;
    assert!(is_served(&format!("{}/users/mona", github.url())));
    Ok(())
}
