//! The service, protocol version and encoding of a git client's request.

use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};

use crate::request::context::RequestContext;
use plinth_base::error::{Error, Result};
use plinth_git::Protocol;

/// The agent in capability lists.
pub const AGENT: &str = concat!("agent=plinth/", env!("CARGO_PKG_VERSION"));

/// The two services of the protocol; they need different rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    UploadPack,
    ReceivePack,
}

impl Service {
    /// The service that the query names.
    pub fn of(context: &RequestContext) -> Result<Self> {
        match context.query("service").as_deref() {
            Some("git-upload-pack") => Ok(Service::UploadPack),
            Some("git-receive-pack") => Ok(Service::ReceivePack),
            Some(_) => Err(Error::Forbidden("This service is not offered.".into())),
            None => Err(Error::Forbidden("Please use a git client that speaks the smart protocol.".into())),
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Service::UploadPack => "git-upload-pack",
            Service::ReceivePack => "git-receive-pack",
        }
    }

    pub const fn advertisement_type(self) -> &'static str {
        match self {
            Service::UploadPack => "application/x-git-upload-pack-advertisement",
            Service::ReceivePack => "application/x-git-receive-pack-advertisement",
        }
    }

    pub const fn result_type(self) -> &'static str {
        match self {
            Service::UploadPack => "application/x-git-upload-pack-result",
            Service::ReceivePack => "application/x-git-receive-pack-result",
        }
    }

    /// A page in a browser cannot send a request with git's media type, so this check stops such requests.
    pub fn check_type(self, headers: &HeaderMap) -> Result<()> {
        let expected = match self {
            Service::UploadPack => "application/x-git-upload-pack-request",
            Service::ReceivePack => "application/x-git-receive-pack-request",
        };
        match headers.get(CONTENT_TYPE) {
            Some(sent) if sent.as_bytes() == expected.as_bytes() => Ok(()),
            Some(_) | None => Err(Error::BadRequest(format!("The type of the body must be {expected}."))),
        }
    }
}

/// The version that the client prefers; without the header it is version 0.
pub fn protocol_of(headers: &HeaderMap) -> Protocol {
    let asked = headers.get("git-protocol").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if asked.split(':').any(|parameter| parameter == "version=2") { Protocol::V2 } else { Protocol::V0 }
}

/// The encoding of a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Plain,
    Gzip,
}

impl Encoding {
    pub fn of(headers: &HeaderMap) -> Result<Self> {
        match headers.get(CONTENT_ENCODING).map(|value| value.as_bytes()) {
            None | Some(b"identity") => Ok(Encoding::Plain),
            Some(b"gzip" | b"x-gzip") => Ok(Encoding::Gzip),
            Some(_) => Err(Error::BadRequest("The encoding of the body is not known here.".into())),
        }
    }
}
