//! API versions: requested by a header, echoed in every response.

use http::{HeaderMap, HeaderName};

use plinth_base::error::{Error, Result};

// Constants, because a name given as text is parsed for every request.
const X_SERVICE_API_VERSION: HeaderName = HeaderName::from_static("x-service-api-version");
const X_GITHUB_API_VERSION: HeaderName = HeaderName::from_static("x-github-api-version");

/// A version of the API that this service speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    V20221128,
    V20260310,
}

impl Version {
    pub const ALL: [Version; 2] = [Version::V20260310, Version::V20221128];
    /// What a request without the header gets.
    pub const DEFAULT: Version = Version::V20260310;

    pub fn as_str(self) -> &'static str {
        match self {
            Version::V20221128 => "2022-11-28",
            Version::V20260310 => "2026-03-10",
        }
    }

    /// Reads either spelling of the header.
    pub fn of(headers: &HeaderMap) -> Result<Self> {
        let names = [X_SERVICE_API_VERSION, X_GITHUB_API_VERSION];
        let Some((name, asked)) = names.iter().find_map(|name| headers.get(name).map(|value| (name, value))) else {
            return Ok(Self::DEFAULT);
        };
        let asked = String::from_utf8_lossy(asked.as_bytes());
        Self::ALL
            .into_iter()
            .find(|version| version.as_str() == asked)
            .ok_or_else(|| unsupported(name.as_str(), &asked))
    }
}

fn unsupported(header: &str, asked: &str) -> Error {
    let header = if header.contains("github") { "X-GitHub-Api-Version" } else { "X-Service-Api-Version" };
    Error::BadRequest(format!(
        "The version you specified in the \"{header}\" request header, \"{asked}\", is not a supported version. \
         The following versions are currently supported: \"{}\" (most recent), \"{}\".",
        Version::V20260310.as_str(),
        Version::V20221128.as_str(),
    ))
}
