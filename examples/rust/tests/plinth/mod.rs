//! A server for the time of a test. It keeps nothing, and takes a free port.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

pub struct Plinth {
    server: Child,
    pub url: String,
}

impl Plinth {
    /// Returns once requests are answered.
    pub fn start(state: &str) -> Plinth {
        let mut server = Command::new(std::env::var("PLINTH").unwrap_or("plinth".into()))
            .args(["serve", "--ephemeral", "--listen", "127.0.0.1:0", "--ready-json", "--state", state])
            .stdout(Stdio::piped())
            .spawn()
            .expect("plinth is installed, or PLINTH says where it is");
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: serde_json::Value = serde_json::from_str(&line).expect("plinth has said why it did not start");
        Plinth { server, url: ready["url"].as_str().unwrap().into() }
    }
}

impl Drop for Plinth {
    fn drop(&mut self) {
        // Asked to stop, it takes its temporary files with it; `Child::kill` would not let it.
        let _ = Command::new("kill").arg(self.server.id().to_string()).status();
        let _ = self.server.wait();
    }
}
