//! Errors.

/// Why a server did not start, or did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("plinth cannot be started: {0}; install it, or set PLINTH to its path")]
    Program(std::io::Error),
    #[error("plinth did not start; its error output says why")]
    NotReady,
    /// Why a server in this process did not start.
    #[error("plinth did not start: {0}")]
    Start(String),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Http(#[from] Box<ureq::Error>),
    /// The control interface has rejected a request.
    #[error("{status}: {message}")]
    Rejected { status: u16, message: String },
}

impl From<ureq::Error> for Error {
    fn from(error: ureq::Error) -> Self {
        Error::Http(Box::new(error))
    }
}
