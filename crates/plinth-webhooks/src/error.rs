//! Why a delivery failed without a response.

use std::fmt;

/// The reason, as the deliveries API shows it. None contains an address or a part of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendError {
    InvalidUrl(&'static str),
    UnknownHost,
    /// Not public, and not among the addresses that the operator allows.
    ForbiddenAddress,
    CannotConnect,
    /// The handshake failed, or the certificate is not valid for the host.
    Tls,
    /// The receiver closed the connection, or sent something that is not HTTP.
    BadResponse,
    TimedOut,
    /// The secret of the hook cannot be decrypted. The operator may still find the key.
    NoKey,
    /// The recipient may no longer read what the message is about.
    NotAllowed,
    /// The hook was deactivated.
    Inactive,
}

impl SendError {
    /// Whether a later attempt may succeed without a change of the hook or of a setting.
    pub fn is_temporary(self) -> bool {
        match self {
            SendError::InvalidUrl(_) | SendError::ForbiddenAddress | SendError::NotAllowed | SendError::Inactive => {
                false
            }
            SendError::UnknownHost
            | SendError::CannotConnect
            | SendError::Tls
            | SendError::BadResponse
            | SendError::TimedOut
            | SendError::NoKey => true,
        }
    }

    /// The label of the metric.
    pub fn label(self) -> &'static str {
        match self {
            SendError::InvalidUrl(_) => "invalid_url",
            SendError::UnknownHost => "unknown_host",
            SendError::ForbiddenAddress => "forbidden_address",
            SendError::CannotConnect => "cannot_connect",
            SendError::Tls => "tls",
            SendError::BadResponse => "bad_response",
            SendError::TimedOut => "timed_out",
            SendError::NoKey => "no_key",
            SendError::NotAllowed => "not_allowed",
            SendError::Inactive => "inactive",
        }
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendError::InvalidUrl(why) => write!(out, "invalid URL: {why}"),
            SendError::UnknownHost => out.write_str("failed to resolve the host"),
            SendError::ForbiddenAddress => out.write_str("the host has an address that is not public"),
            SendError::CannotConnect => out.write_str("failed to connect to host"),
            SendError::Tls => out.write_str("failed to verify the certificate of the host"),
            SendError::BadResponse => out.write_str("the host did not send a valid response"),
            SendError::TimedOut => out.write_str("timed out"),
            SendError::NoKey => out.write_str("the secret of the hook cannot be decrypted"),
            SendError::NotAllowed => out.write_str("the installation may no longer read this"),
            SendError::Inactive => out.write_str("the hook is not active"),
        }
    }
}

impl std::error::Error for SendError {}
