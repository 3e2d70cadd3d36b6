//! The object storage of a test.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::wait::wait_until;

/// The program `rclone`.
const RCLONE: &str = "PLINTH_TEST_RCLONE";
pub const BUCKET: &str = "bucket";
const PREFIX: &str = "some/prefix";

/// A directory, and a server of it if there is one.
pub struct Storage {
    directory: tempfile::TempDir,
    server: Option<S3Server>,
    /// Where clients connect: the server, or a proxy in front of it.
    endpoint: Option<SocketAddr>,
    access: Access,
}

/// What clients of S3 must know.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    pub key: &'static str,
    pub secret: &'static str,
    pub region: &'static str,
}

const RCLONE_ACCESS: Access = Access { key: "key", secret: "secret", region: "us-east-1" };

/// `rclone serve s3`.
struct S3Server {
    program: PathBuf,
    address: SocketAddr,
    child: Option<Child>,
}

impl Storage {
    /// S3, or a directory if there is no server of S3.
    pub fn start() -> Self {
        Self::start_s3().unwrap_or_else(Self::directory)
    }

    /// Only S3.
    pub fn start_s3() -> Option<Self> {
        let program = PathBuf::from(std::env::var_os(RCLONE)?);
        let mut storage = Self::directory();
        std::fs::create_dir(storage.directory.path().join(BUCKET)).expect("a bucket can be created");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        storage.server = Some(S3Server { program, address, child: None });
        storage.endpoint = Some(address);
        storage.bring_up();
        Some(storage)
    }

    fn directory() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        Self { directory, server: None, endpoint: None, access: RCLONE_ACCESS }
    }

    /// Servers of S3 that the caller has started.
    pub fn at(endpoint: SocketAddr, access: Access) -> Self {
        let mut storage = Self::directory();
        (storage.endpoint, storage.access) = (Some(endpoint), access);
        storage
    }

    pub fn url(&self) -> String {
        match self.endpoint {
            Some(_) => format!("s3://{BUCKET}/{PREFIX}"),
            None => format!("file://{}", self.directory.path().display()),
        }
    }

    /// The address of the S3 server.
    pub fn address(&self) -> SocketAddr {
        self.server.as_ref().expect("it is S3").address
    }

    /// Where clients of S3 connect; any text for a directory.
    pub fn endpoint_url(&self) -> String {
        self.endpoint.map_or_else(String::new, |endpoint| format!("http://{endpoint}"))
    }

    /// Clients that start from now on connect to another address.
    pub fn set_endpoint(&mut self, address: SocketAddr) {
        self.endpoint = Some(address);
    }

    /// The variables that the back end reads.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let Some(endpoint) = self.endpoint else { return Vec::new() };
        vec![
            ("AWS_ACCESS_KEY_ID", self.access.key.into()),
            ("AWS_SECRET_ACCESS_KEY", self.access.secret.into()),
            ("AWS_REGION", self.access.region.into()),
            ("AWS_ENDPOINT_URL", format!("http://{endpoint}")),
            ("AWS_ALLOW_HTTP", "true".into()),
        ]
    }

    pub fn bring_up(&mut self) {
        let server = self.server.as_mut().expect("it is S3");
        let child = Command::new(&server.program)
            .args(["serve", "s3", "--addr", &server.address.to_string(), "--auth-key"])
            .arg(format!("{},{}", self.access.key, self.access.secret))
            .arg(self.directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("rclone starts");
        server.child = Some(child);
        let address = server.address;
        wait_until("the S3 server accepts connections", || TcpStream::connect(address).is_ok());
    }

    /// Starts the server again, if there is one: it caches what its directories contain.
    pub fn restart(&mut self) {
        if self.server.is_some() {
            self.take_down();
            self.bring_up();
        }
    }

    /// Kills the server.
    pub fn take_down(&mut self) {
        if let Some(mut child) = self.server.as_mut().and_then(|server| server.child.take()) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// All files of packs.
    pub fn packs(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(self.directory.path(), &mut found);
        found.retain(|path| path.components().any(|part| part.as_os_str() == "packs"));
        found.sort_unstable();
        found
    }
}

/// Adds all files below a directory.
pub fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            collect(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.take_down();
    }
}
