//! The database URL, as libpq reads it: hosts, timeouts, and how far TLS goes.

use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::tls;
use plinth_base::error::{Error, Result};

pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Data that the other side does not acknowledge for so long ends the connection.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(5);
/// Quiet connections are probed by the kernel, so that those through a firewall or to a dead host end.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const KEEPALIVE_RETRIES: u32 = 3;
/// What the driver sets where the URL says nothing.
const KEEPALIVE_IDLE_OF_DRIVER: Duration = Duration::from_secs(2 * 60 * 60);
/// The server ends what runs longer: no request waits that long. A transaction whose client has gone without a word must
/// not hold its locks for long, and ours never wait for anything but the database.
const SERVER_TIMEOUTS: &str = "-c statement_timeout=10000 -c idle_in_transaction_session_timeout=5000";

/// Where the database is and how to connect to it.
#[derive(Clone)]
pub(super) struct Target {
    pub config: Config,
    pub tls: MakeRustlsConnect,
}

impl Target {
    /// Reads a URL or a list of `key=value` words. What the URL sets itself counts more than our defaults.
    pub fn parse(url: &str) -> Result<Self> {
        let (rest, options) = TlsOptions::take_from(url)?;
        let mut config: Config =
            rest.parse().map_err(|error| Error::BadRequest(format!("the database URL cannot be read: {error}")))?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(TCP_USER_TIMEOUT);
        }
        if config.get_keepalives_idle() == KEEPALIVE_IDLE_OF_DRIVER {
            config.keepalives_idle(KEEPALIVE_IDLE);
        }
        if config.get_keepalives_interval().is_none() {
            config.keepalives_interval(KEEPALIVE_INTERVAL);
        }
        if config.get_keepalives_retries().is_none() {
            config.keepalives_retries(KEEPALIVE_RETRIES);
        }
        if config.get_application_name().is_none() {
            config.application_name("plinth");
        }
        let server_options = match config.get_options() {
            Some(given) => format!("{SERVER_TIMEOUTS} {given}"),
            None => SERVER_TIMEOUTS.to_owned(),
        };
        config.options(server_options);
        config.ssl_mode(match options.mode {
            TlsMode::Disable => SslMode::Disable,
            TlsMode::Prefer => SslMode::Prefer,
            TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
        });
        Ok(Self { tls: MakeRustlsConnect::new(tls::client_config(&options)?), config })
    }
}

/// How far a connection is protected, in libpq's words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TlsMode {
    Disable,
    /// Encrypted where the server offers it.
    #[default]
    Prefer,
    /// Encrypted, by whomever.
    Require,
    /// The certificate leads to a trusted root.
    VerifyCa,
    /// The certificate leads to a trusted root and is made out to this host.
    VerifyFull,
}

impl TlsMode {
    fn parse(text: &str) -> Result<Self> {
        match text {
            "disable" => Ok(TlsMode::Disable),
            "prefer" => Ok(TlsMode::Prefer),
            "require" => Ok(TlsMode::Require),
            "verify-ca" => Ok(TlsMode::VerifyCa),
            "verify-full" => Ok(TlsMode::VerifyFull),
            other => Err(Error::BadRequest(format!(
                "sslmode={other} in the database URL: use disable, prefer, require, verify-ca or verify-full"
            ))),
        }
    }
}

/// What a database URL says about TLS. The driver knows less than libpq, so these words are taken out for it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TlsOptions {
    pub mode: TlsMode,
    /// A file in PEM, or the word `system`.
    pub root_certificates: Option<PathBuf>,
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
}

impl TlsOptions {
    /// Splits a URL into the rest of it and what it says about TLS.
    fn take_from(url: &str) -> Result<(String, Self)> {
        let mut options = Self::default();
        let rest = if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            options.take_from_query(url)?
        } else {
            options.take_from_words(url)?
        };
        if options.mode == TlsMode::Require && options.root_certificates.is_some() {
            // As libpq: whoever names a root wants it to be used.
            options.mode = TlsMode::VerifyCa;
        }
        Ok((rest, options))
    }

    fn take_from_query(&mut self, url: &str) -> Result<String> {
        let Some((base, query)) = url.split_once('?') else { return Ok(url.to_owned()) };
        let mut left = Vec::new();
        for pair in query.split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8();
            let value = value.map_err(|_| Error::BadRequest(format!("{key} in the database URL is not UTF-8")))?;
            if !self.take(key, &value)? {
                left.push(pair);
            }
        }
        Ok(if left.is_empty() { base.to_owned() } else { format!("{base}?{}", left.join("&")) })
    }

    /// Words such as `host=a password='b c'`, in which a backslash protects the next character.
    fn take_from_words(&mut self, text: &str) -> Result<String> {
        let mut left = String::new();
        let mut rest = text.trim_start();
        while let Some((key, after)) = rest.split_once('=') {
            let (value, length) = read_value(after.trim_start());
            let raw = &after.trim_start()[..length];
            if !self.take(key.trim(), &value)? {
                left.push_str(&format!("{}={raw} ", key.trim()));
            }
            rest = after.trim_start()[length..].trim_start();
        }
        left.push_str(rest);
        Ok(left.trim_end().to_owned())
    }

    /// Whether the word is one of ours.
    fn take(&mut self, key: &str, value: &str) -> Result<bool> {
        match key {
            "sslmode" => self.mode = TlsMode::parse(value)?,
            "sslrootcert" => self.root_certificates = Some(value.into()),
            "sslcert" => self.certificate = Some(value.into()),
            "sslkey" => self.key = Some(value.into()),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The value at the start of the text, and how many bytes it takes there.
fn read_value(text: &str) -> (String, usize) {
    let is_quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut letters = text.char_indices().skip(usize::from(is_quoted));
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => value.extend(letters.next().map(|(_, letter)| letter)),
            '\'' if is_quoted => return (value, at + 1),
            letter if !is_quoted && letter.is_whitespace() => return (value, at),
            letter => value.push(letter),
        }
    }
    (value, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_tls_are_taken_out_of_a_url() {
        let url = "postgres://me@a,b:6432/name?target_session_attrs=read-write&sslmode=verify-full\
                   &sslrootcert=%2Fetc%2Fca.pem&connect_timeout=3&sslcert=c.pem&sslkey=k.pem";
        let (rest, options) = TlsOptions::take_from(url).expect("a good URL");
        assert_eq!(rest, "postgres://me@a,b:6432/name?target_session_attrs=read-write&connect_timeout=3");
        let expected = TlsOptions {
            mode: TlsMode::VerifyFull,
            root_certificates: Some("/etc/ca.pem".into()),
            certificate: Some("c.pem".into()),
            key: Some("k.pem".into()),
        };
        assert_eq!(options, expected);
        let words = r"host=a password='b \' sslmode=x' sslmode = require user=c";
        let (rest, options) = TlsOptions::take_from(words).expect("good words");
        assert_eq!((rest.as_str(), options.mode), (r"host=a password='b \' sslmode=x' user=c", TlsMode::Require));
        for plain in ["postgres://a/b", "host=a user=b"] {
            assert_eq!(TlsOptions::take_from(plain).expect("good"), (plain.to_owned(), TlsOptions::default()));
        }
    }

    #[test]
    fn a_root_makes_require_verify_as_libpq_does() {
        let mode = |url: &str| TlsOptions::take_from(url).map(|(_, options)| options.mode);
        assert_eq!(mode("postgres://a/b?sslmode=require&sslrootcert=x").ok(), Some(TlsMode::VerifyCa));
        assert_eq!(mode("postgres://a/b?sslmode=require").ok(), Some(TlsMode::Require));
        let refused = mode("postgres://a/b?sslmode=verify").expect_err("an unknown mode").to_string();
        assert!(refused.contains("sslmode=verify") && refused.contains("verify-full"), "{refused}");
    }

    #[test]
    fn several_hosts_and_timeouts_pass_through() {
        let url = "postgres://me@a:1,b:2/name?target_session_attrs=read-write&tcp_user_timeout=9&keepalives_idle=60\
                   &options=-c%20statement_timeout%3D5000";
        let Target { config, .. } = Target::parse(url).expect("a good URL");
        assert_eq!(config.get_hosts().len(), 2);
        assert_eq!(config.get_target_session_attrs(), tokio_postgres::config::TargetSessionAttrs::ReadWrite);
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(9)));
        assert_eq!(config.get_keepalives_idle(), Duration::from_secs(60));
        let options = config.get_options().expect("options");
        assert!(options.starts_with(SERVER_TIMEOUTS) && options.ends_with("-c statement_timeout=5000"), "{options}");
        let Target { config, .. } = Target::parse("postgres://a/b").expect("a good URL");
        assert_eq!(config.get_tcp_user_timeout(), Some(&TCP_USER_TIMEOUT));
        assert_eq!(config.get_keepalives_idle(), KEEPALIVE_IDLE);
    }
}
