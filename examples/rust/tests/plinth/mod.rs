//! A server with temporary data on a free port, that runs during a test.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

pub struct Plinth {
    server: Child,
    pub url: String,
}

impl Plinth {
    /// Returns when the server is ready.
    pub fn start(state: &str) -> Plinth {
        let mut server = Command::new(std::env::var("PLINTH").unwrap_or("plinth".into()))
            .args(["serve", "--ephemeral", "--listen", "127.0.0.1:0", "--ready-json", "--state", state])
            .stdout(Stdio::piped())
            .spawn()
            .expect("plinth is installed, or PLINTH is its path");
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: serde_json::Value = serde_json::from_str(&line).expect("plinth did not start; see its error output");
        Plinth { server, url: ready["url"].as_str().unwrap().into() }
    }
}

impl Drop for Plinth {
    fn drop(&mut self) {
        // On SIGTERM it removes its temporary files; `Child::kill` sends SIGKILL.
        let _ = Command::new("kill").arg(self.server.id().to_string()).status();
        let _ = self.server.wait();
    }
}
