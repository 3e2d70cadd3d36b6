//! The TLS options of a database URL, as libpq reads them.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

use plinth_base::error::{Error, Result};

/// How a connection is protected, in libpq's words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TlsMode {
    Disable,
    /// Encrypted where the server offers it.
    #[default]
    Prefer,
    /// Encrypted, without checking the certificate.
    Require,
    /// The certificate has a chain to a trusted root.
    VerifyCa,
    /// As `VerifyCa`, and the certificate is for this host.
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

/// The TLS options of a database URL. The driver does not know all of libpq's, so they are removed from the URL.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    pub mode: TlsMode,
    /// A file in PEM, or `system`.
    pub root_certificates: Option<PathBuf>,
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
}

impl TlsOptions {
    /// Splits a URL into its TLS options and the rest.
    pub fn take_from(url: &str) -> Result<(String, Self)> {
        let mut options = Self::default();
        let rest = if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            options.take_from_query(url)?
        } else {
            options.take_from_pairs(url)?
        };
        if options.mode == TlsMode::Require && options.root_certificates.is_some() {
            // As libpq: a root certificate is there to be used.
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

    /// Pairs such as `host=a password='b c'`, in which a backslash escapes the next character.
    fn take_from_pairs(&mut self, text: &str) -> Result<String> {
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

    /// Returns whether the key is a TLS option.
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

/// The value at the start of the text, and its length there in bytes.
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
    fn tls_options_are_removed_from_the_url() {
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
        let pairs = r"host=a password='b \' sslmode=x' sslmode = require user=c";
        let (rest, options) = TlsOptions::take_from(pairs).expect("good pairs");
        assert_eq!((rest.as_str(), options.mode), (r"host=a password='b \' sslmode=x' user=c", TlsMode::Require));
        for plain in ["postgres://a/b", "host=a user=b"] {
            assert_eq!(TlsOptions::take_from(plain).expect("good"), (plain.to_owned(), TlsOptions::default()));
        }
    }

    #[test]
    fn root_certificate_makes_require_verify_as_in_libpq() {
        let mode = |url: &str| TlsOptions::take_from(url).map(|(_, options)| options.mode);
        assert_eq!(mode("postgres://a/b?sslmode=require&sslrootcert=x").ok(), Some(TlsMode::VerifyCa));
        assert_eq!(mode("postgres://a/b?sslmode=require").ok(), Some(TlsMode::Require));
        let rejected = mode("postgres://a/b?sslmode=verify").expect_err("an unknown mode").to_string();
        assert!(rejected.contains("sslmode=verify") && rejected.contains("verify-full"), "{rejected}");
    }
}
