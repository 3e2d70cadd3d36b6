//! F9: the clock jumps. Revoked and expired tokens stay so, and tokens live for one hour.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::checker::{expect_forgeries_noticed, expect_whole};
use crate::client::Client;
use crate::load::{Load, Plan, Rejections};
use crate::settings::{self, figure, skip};
use crate::subject::Subject;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// The tolerance for the lifetime of a token.
const SLACK: i64 = 5;
const JUMPS: [i64; 3] = [-HOUR, HOUR, DAY];

/// A server whose clock is set by a file.
struct Moved {
    subject: Subject,
    clock: PathBuf,
    installation: i64,
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F9"]
fn f9_expired_tokens_stay_expired_after_clock_jump() {
    let Some(moved) = Moved::start() else { return };
    for jump in JUMPS {
        let revoked = moved.token();
        assert_eq!(moved.send(&revoked, "DELETE", "/installation/token"), 204);
        let expired = moved.token();
        moved.check_life();
        moved.jump(HOUR + SLACK);
        assert_eq!(moved.look(&expired), 401, "after its hour");
        for offset in [jump, 0, jump] {
            moved.jump(offset);
            assert_eq!(moved.look(&revoked), 401, "revoked, then a jump of {offset} s");
            assert_eq!(moved.look(&expired), 401, "expired, then a jump of {offset} s");
        }
        // The control: a token that is neither revoked nor expired is accepted.
        moved.jump(jump);
        let good = moved.token();
        assert_eq!(moved.look(&good), 200, "nobody would notice if every token were rejected");
        moved.jump(0);
    }
    figure("F9: 3 jumps (-1 h, +1 h, +1 day): 6 dead tokens stay dead, lives of 60 min within 5 s");
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F9"]
fn f9_writes_continue_across_clock_jumps() {
    let Some(mut moved) = Moved::start() else { return };
    let plan = Plan {
        writers: 3,
        pushers: 1,
        readers: 1,
        rejections: Rejections::Definite,
        seed: settings::seed("F9"),
        round: 0,
    };
    std::thread::scope(|scope| {
        let load = Load::start(scope, &moved.subject, plan);
        for jump in JUMPS {
            moved.jump(jump);
            load.seen.expect_more(20);
        }
        let seen = load.stop();
        let failed = seen.failed_pushes.lock().expect("no client panics").clone();
        assert_eq!(failed, Vec::<String>::new());
    });
    moved.jump(0);
    moved.subject.restart();
    let acknowledged = expect_whole(&moved.subject, "F9, after the jumps").acknowledged;
    expect_forgeries_noticed(moved.subject.server(), moved.subject.ledger());
    figure(&format!("F9: {acknowledged} acknowledged writes over 3 jumps, 0 lost, no id given twice"));
}

impl Moved {
    fn start() -> Option<Self> {
        let Some(library) = library() else {
            skip("F9: there is no libfaketime (package faketime)");
            return None;
        };
        let mut subject = Subject::prepare(&[]);
        let clock = subject.home().join("clock");
        std::fs::write(&clock, "+0").expect("the file can be written");
        subject.add_app();
        let mut program = Command::new(settings::program_path());
        program.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", &clock);
        program.envs([("FAKETIME_NO_CACHE", "1"), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")]);
        subject.launch_by(program);
        let mut moved = Self { subject, clock, installation: 0 };
        let list = moved.as_app("GET", "/app/installations");
        moved.installation = list[0]["id"].as_i64().expect("the app is installed");
        Some(moved)
    }

    /// Sets the server's clock to this many seconds from the real time.
    fn jump(&self, seconds: i64) {
        // Atomically, because the server may read the file at any time.
        let new = self.clock.with_extension("new");
        std::fs::write(&new, format!("{seconds:+}"))
            .and_then(|()| std::fs::rename(&new, &self.clock))
            .expect("it moves");
    }

    fn now(&self) -> i64 {
        let moved: i64 =
            std::fs::read_to_string(&self.clock).ok().and_then(|text| text.parse().ok()).unwrap_or_default();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs();
        i64::try_from(now).expect("a time") + moved
    }

    fn as_app(&self, method: &str, path: &str) -> Value {
        let pem = std::fs::read(self.subject.home().join("helper.pem")).expect("the app has a key");
        let key = jsonwebtoken::EncodingKey::from_rsa_pem(&pem).expect("a good key");
        let claims = json!({ "iss": "Iv1.helper", "iat": self.now() - 30, "exp": self.now() + 300 });
        let header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::RS256);
        let token = jsonwebtoken::encode(&header, &claims, &key).expect("claims can be signed");
        let response = Client::new(self.subject.server().address, &token).send(method, path, "");
        let response = response.expect("the server responds");
        assert!(response.is_success(), "{method} {path}: {response:?}");
        response.json()
    }

    fn token(&self) -> String {
        let made = self.as_app("POST", &format!("/app/installations/{}/access_tokens", self.installation));
        made["token"].as_str().expect("a token").to_owned()
    }

    /// A token is valid for one hour, and not longer.
    fn check_life(&self) {
        let token = self.token();
        self.jump(HOUR - SLACK);
        assert_eq!(self.look(&token), 200, "before its hour is over");
        self.jump(HOUR + SLACK);
        assert_eq!(self.look(&token), 401, "after its hour is over");
    }

    fn look(&self, token: &str) -> u16 {
        self.send(token, "GET", "/installation/repositories")
    }

    fn send(&self, token: &str, method: &str, path: &str) -> u16 {
        let response = Client::new(self.subject.server().address, token).send(method, path, "");
        response.expect("the server responds").status
    }
}

/// The paths in common distributions.
fn library() -> Option<PathBuf> {
    let parents =
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];
    parents.iter().map(|parent| Path::new(parent).join("faketime/libfaketime.so.1")).find(|path| path.exists())
}
