//! Random ref updates by REST and by push, compared with a map after each step.

mod reference;
mod steps;

use std::cell::Cell;

use http::Method;
use plinth_base::ids::RepoId;
use proptest::collection::vec;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::{Value, json};

use self::reference::{DEFAULT, Model, NAMES, OBJECTS};
use self::steps::{How, Line, Requested, Step};
use super::{git, text};
use crate::git_http::host::{Host, OWNER};

const CASES: u32 = 5;
const STEPS: usize = 20;
/// Each attempt to shrink a sequence costs about as much as a case.
const SHRINKS_MAX: u32 = 40;
const ZERO: &str = "0000000000000000000000000000000000000000";

#[test]
fn refs_match_model_over_rest_and_push() {
    let config = Config { cases: CASES, max_shrink_iters: SHRINKS_MAX, failure_persistence: None, ..Config::default() };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let fixture = runtime.block_on(Fixture::new());
    let number = Cell::new(0);
    let outcome = TestRunner::new(config).run(&vec(steps::step(), STEPS), |steps| {
        number.set(number.get() + 1);
        runtime.block_on(fixture.check_case(number.get(), &steps)).map_err(TestCaseError::fail)
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(what, steps)) => panic!("{what}\nafter {steps:?}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

/// A service, and a directory with all objects and their pack.
struct Fixture {
    host: Host,
    objects: Vec<String>,
    pack: Vec<u8>,
}

impl Fixture {
    async fn new() -> Self {
        let host = Host::start().await;
        host.work("work", OWNER, "octo-org/hello", 3).await;
        let of = async |what: &str| host.git("work", &["rev-parse", what]).await.ok();
        let mut objects = vec![of("HEAD~2").await, of("HEAD~1").await, of("HEAD").await];
        host.git("work", &["tag", "-a", "-m", "a tag", "t", "HEAD~1"]).await.ok();
        host.git("work", &["checkout", "--quiet", "--orphan", "apart"]).await.ok();
        objects.push(host.commit("work", "apart.txt", "apart").await);
        objects.push(of("t").await);
        objects.push(host.git_with("work", &["hash-object", "-w", "--stdin"], b"a file of its own").await.ok());
        assert_eq!(objects.len(), OBJECTS);
        let arguments = ["pack-objects", "--revs", "--quiet", "all"];
        let name = host.git_with("work", &arguments, objects.join("\n").as_bytes()).await.ok();
        let pack = std::fs::read(host.path("work").join(format!("all-{name}.pack"))).expect("a pack");
        Self { host, objects, pack }
    }

    /// Executes all steps in a new repository with one commit.
    async fn check_case(&self, number: usize, steps: &[Step]) -> Result<(), String> {
        let name = format!("case-{number}");
        let made = self.host.service.with_token(OWNER).post("/orgs/octo-org/repos", json!({ "name": name })).await;
        let id = made.expect(201).json()["id"].as_i64().expect("a number");
        let case = Case { fixture: self, id: RepoId(id), full_name: format!("octo-org/{name}") };
        let mut model = Model::default();
        let begin = [Requested { name: 0, new: Some(0), how: How::Plain }];
        case.check(&mut model, &Step::Push { wishes: begin.into(), atomic: false }).await?;
        for (index, step) in steps.iter().enumerate() {
            let checked = case.check(&mut model, step).await;
            checked.map_err(|what| format!("step {index}, {step:?}: {what}; the model has {model:?}"))?;
        }
        case.check_objects().await
    }
}

/// One repository and the steps to execute in it.
struct Case<'a> {
    fixture: &'a Fixture,
    id: RepoId,
    full_name: String,
}

impl Case<'_> {
    async fn check(&self, model: &mut Model, step: &Step) -> Result<(), String> {
        let expected = |found: u16, wanted: u16| same(&found, &wanted, "the status");
        match step {
            Step::Create { name, object } => {
                let body = json!({ "ref": NAMES[*name], "sha": self.fixture.objects[*object] });
                expected(self.rest(Method::POST, "refs", body).await.0, model.create(NAMES[*name], *object))?;
            }
            Step::Update { name, object, force } => {
                let body = json!({ "sha": self.fixture.objects[*object], "force": force });
                let status = self.rest(Method::PATCH, NAMES[*name], body).await.0;
                expected(status, model.update(NAMES[*name], *object, *force))?;
            }
            Step::Delete { name } => {
                expected(self.rest(Method::DELETE, NAMES[*name], Value::Null).await.0, model.delete(NAMES[*name]))?;
            }
            Step::Match { name, length } => {
                self.check_matching(model, &NAMES[*name][..(*length).min(NAMES[*name].len())]).await?;
            }
            Step::Push { wishes, atomic } => {
                let (ended_well, printed) = self.push(model, wishes, *atomic).await;
                same(&ended_well, &steps::push(model, wishes, *atomic), &format!("the end of {printed}"))?;
            }
            Step::Raw { lines, atomic } => self.check_raw(model, lines, *atomic).await?,
            Step::Flush => {
                let flushed = self.fixture.host.service.app.objects.flush(self.id).await;
                flushed.map_err(|error| error.to_string())?;
            }
        }
        self.check_matching(model, "refs/").await?;
        self.check_ls_remote(model).await
    }

    async fn rest(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let path = format!("/repos/{}/git/{path}", self.full_name);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = self.fixture.host.service.with_token(OWNER).send(method, &path, body).await;
        let json = serde_json::from_slice(&response.body).unwrap_or_default();
        (response.status, json)
    }

    async fn push(&self, model: &Model, wishes: &[Requested], atomic: bool) -> (bool, String) {
        let objects = &self.fixture.objects;
        let mut words = vec!["push".to_owned(), "--porcelain".into()];
        words.extend(atomic.then(|| "--atomic".into()));
        for requested in wishes {
            if let How::Lease(expected) = requested.how {
                let expected = expected.in_model(model, requested.name).map_or("", |object| &objects[object]);
                words.push(format!("--force-with-lease={}:{expected}", NAMES[requested.name]));
            }
        }
        words.push(self.fixture.host.url(OWNER, &self.full_name));
        words.extend(wishes.iter().map(|requested| {
            let plus = if requested.how == How::Force { "+" } else { "" };
            format!("{plus}{}:{}", requested.new.map_or("", |object| &objects[object]), NAMES[requested.name])
        }));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let printed = self.fixture.host.git("work", &words).await;
        (printed.success, format!("{printed:?}"))
    }

    async fn check_raw(&self, model: &mut Model, lines: &[Line], atomic: bool) -> Result<(), String> {
        let sha = |object: Option<usize>| object.map_or(ZERO, |object| &self.fixture.objects[object]);
        let commands: Vec<reference::Command> =
            lines.iter().map(|line| (NAMES[line.name], line.old.in_model(model, line.name), line.new)).collect();
        let mut body = Vec::new();
        for (name, old, new) in &commands {
            let wishes = if atomic { "\0report-status atomic" } else { "\0report-status" };
            let line = format!("{} {} {name}{wishes}", sha(*old), sha(*new));
            body.extend(format!("{:04x}{line}", line.len() + 4).into_bytes());
        }
        body.extend(b"0000");
        if commands.iter().any(|(_, _, new)| new.is_some()) {
            body.extend(&self.fixture.pack);
        }
        let client = self.fixture.host.service.with_token(OWNER);
        let client = client.header("content-type", "application/x-git-receive-pack-request");
        let response = client.send(Method::POST, &format!("/{}.git/git-receive-pack", self.full_name), body).await;
        let report = String::from_utf8_lossy(&response.body).into_owned();
        let expected = model.receive(&commands, atomic, &(0..OBJECTS).collect());
        let reported =
            commands.iter().map(|(name, ..)| report.contains(&format!("ok {name}\n"))).collect::<Vec<bool>>();
        same(&reported, &expected, &report)
    }

    async fn check_matching(&self, model: &Model, prefix: &str) -> Result<(), String> {
        let (_, list) = self.rest(Method::GET, &format!("matching-refs/{prefix}"), Value::Null).await;
        let list = list.as_array().ok_or_else(|| format!("{prefix} is no list: {list}"))?;
        let listed: Vec<(String, String)> =
            list.iter().map(|item| (text(&item["ref"]), text(&item["object"]["sha"]))).collect();
        let wanted = self.named(model).filter(|(name, _)| name.starts_with(prefix)).collect();
        same(&listed, &wanted, &format!("the list of {prefix}"))
    }

    async fn check_ls_remote(&self, model: &Model) -> Result<(), String> {
        let mut listed = self.fixture.host.refs(&self.full_name).await;
        listed.retain(|line| !line.ends_with("^{}"));
        let head = self.fixture.objects[model.refs[DEFAULT]].clone();
        let mut wanted = vec![format!("{head} HEAD")];
        wanted.extend(self.named(model).map(|(name, sha)| format!("{sha} {name}")));
        same(&listed, &wanted, "what git lists")
    }

    fn named(&self, model: &Model) -> impl Iterator<Item = (String, String)> {
        model.refs.iter().map(|(name, object)| ((*name).to_owned(), self.fixture.objects[*object].clone()))
    }

    async fn check_objects(&self) -> Result<(), String> {
        let host = &self.fixture.host;
        let (good, complaint) = git(&host.service, self.id.0, &["fsck", "--strict", "--no-dangling"]);
        same(&good, &true, &complaint)?;
        host.check_fresh_clone(&self.full_name).await;
        host.assert_nothing_left();
        Ok(())
    }
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, wanted: &T, what: &str) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{found:?} instead of {wanted:?}: {what}")) }
}
