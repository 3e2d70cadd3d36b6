//! A REST client that writes refs and comments.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::client::{Client, Failure, Response};
use crate::comparison::REF_PREFIX;
use crate::ledger::{Action, Event, Ledger};
use crate::load::{Common, PAUSE};
use crate::random::Random;
use crate::subject::{REPO, TOKEN};

/// Creates, updates and deletes refs and comments over REST.
pub struct Writer<'a> {
    common: Common<'a>,
    index: usize,
    random: Random,
    client: Client,
    /// An existing ref of this client, and a comment.
    ref_name: Option<String>,
    comment: Option<i64>,
}

impl<'a> Writer<'a> {
    pub fn new(common: Common<'a>, index: usize) -> Self {
        let random = Random::new(common.plan.seed, (common.plan.round * 64 + index) as u64);
        let client = Client::new(common.address, TOKEN).with_power(common.power_is_off.clone());
        Self { common, index, random, client, ref_name: None, comment: None }
    }

    /// Writes until the load stops.
    pub fn run(&mut self) {
        let mut number = 0;
        while !self.common.is_stopped() {
            number += 1;
            match self.random.below(10) {
                0..4 => self.comment(number),
                4 => self.delete_comment(),
                5..7 => self.create_ref(number),
                7 => self.move_ref(),
                8 => self.delete_ref(),
                _ => self.move_shared(),
            }
        }
    }

    fn comment(&mut self, number: usize) {
        let body = self.common.name("comment", self.index, number);
        let comment = json!({ "body": body, "commit_id": self.common.tip, "path": "file", "line": 2, "side": "RIGHT" });
        let path = format!("{REPO}/pulls/1/comments");
        let response = self.write(Action::Comment { body }, "POST", &path, &comment);
        if let Some(id) = response.and_then(|response| response.json()["id"].as_i64()) {
            self.comment = Some(id);
        }
    }

    fn delete_comment(&mut self) {
        let Some(id) = self.comment.take() else { return };
        let path = format!("{REPO}/pulls/comments/{id}");
        self.write(Action::DeleteComment { id }, "DELETE", &path, &Value::Null);
    }

    fn create_ref(&mut self, number: usize) {
        let name = format!("{REF_PREFIX}{}", self.common.name("ref", self.index, number));
        let sha = self.random.pick(self.common.commits).clone();
        let body = json!({ "ref": name, "sha": sha });
        let action = Action::Ref { name: name.clone(), sha: Some(sha) };
        if self.write(action, "POST", &format!("{REPO}/git/refs"), &body).is_some() {
            self.ref_name = Some(name);
        }
    }

    fn move_ref(&mut self) {
        let Some(name) = self.ref_name.clone() else { return };
        self.update(name);
    }

    /// All clients update one ref, so that their writes conflict.
    fn move_shared(&mut self) {
        let name = format!("{REF_PREFIX}shared");
        let sha = self.random.pick(self.common.commits).clone();
        let body = json!({ "sha": sha, "force": true });
        let path = format!("{REPO}/git/{name}");
        let response = self.write(Action::Ref { name: name.clone(), sha: Some(sha.clone()) }, "PATCH", &path, &body);
        if response.is_none() {
            let body = json!({ "ref": name, "sha": sha });
            self.write(Action::Ref { name, sha: Some(sha) }, "POST", &format!("{REPO}/git/refs"), &body);
        }
    }

    fn update(&mut self, name: String) {
        let sha = self.random.pick(self.common.commits).clone();
        let path = format!("{REPO}/git/{name}");
        let body = json!({ "sha": sha, "force": true });
        self.write(Action::Ref { name, sha: Some(sha) }, "PATCH", &path, &body);
    }

    fn delete_ref(&mut self) {
        let Some(name) = self.ref_name.take() else { return };
        let path = format!("{REPO}/git/{name}");
        self.write(Action::Ref { name, sha: None }, "DELETE", &path, &Value::Null);
    }

    fn write(&mut self, action: Action, method: &str, path: &str, body: &Value) -> Option<Response> {
        let (common, seen) = (&self.common, &self.common.seen);
        let is_definite = |status| common.is_definite(status);
        let sent = write(&mut self.client, common.ledger, action, (method, path, body), is_definite);
        match &sent {
            Ok(response) => {
                seen.count(&seen.writes, response);
                if response.is_success() {
                    seen.acknowledged.fetch_add(1, Ordering::SeqCst);
                    seen.created.fetch_add(usize::from(response.status == 201), Ordering::SeqCst);
                } else if response.status >= 429 {
                    std::thread::sleep(PAUSE);
                }
            }
            Err(Failure::NotConnected) => {
                seen.not_connected.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(PAUSE);
            }
            Err(Failure::Cut) => {
                seen.interrupted.fetch_add(1, Ordering::SeqCst);
            }
        }
        sent.ok().filter(Response::is_success)
    }
}

/// Sends one write and records it in the ledger.
pub fn write(
    client: &mut Client,
    ledger: &Ledger,
    action: Action,
    (method, path, body): (&str, &str, &Value),
    is_definite: impl Fn(u16) -> bool,
) -> Result<Response, Failure> {
    let is_comment = matches!(action, Action::Comment { .. });
    let operation = ledger.invoke(action);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let sent = client.send(method, path, &body);
    ledger.write(&match &sent {
        Ok(response) if response.is_success() => {
            Event::Ok { operation, id: if is_comment { response.json()["id"].as_i64() } else { None } }
        }
        Ok(response) if is_definite(response.status) => Event::Fail { operation },
        Err(Failure::NotConnected) => Event::Fail { operation },
        Ok(_) | Err(Failure::Cut) => Event::Unknown { operation },
    });
    sent
}
