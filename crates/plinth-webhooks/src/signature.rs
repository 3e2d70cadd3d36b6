//! Signatures of deliveries: HMAC over the bytes of the body, as `@octokit/webhooks` and others verify them.

use std::fmt::Write;

use aws_lc_rs::hmac;

/// The value of `X-Hub-Signature`. Old receivers verify only this one.
pub fn sha1(secret: &[u8], body: &[u8]) -> String {
    sign("sha1=", hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret, body)
}

/// The value of `X-Hub-Signature-256`.
pub fn sha256(secret: &[u8], body: &[u8]) -> String {
    sign("sha256=", hmac::HMAC_SHA256, secret, body)
}

fn sign(prefix: &str, algorithm: hmac::Algorithm, secret: &[u8], body: &[u8]) -> String {
    let tag = hmac::sign(&hmac::Key::new(algorithm, secret), body);
    tag.as_ref().iter().fold(prefix.to_owned(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of GitHub's documentation, and the same with `openssl dgst -sha1 -hmac`.
    #[test]
    fn signatures_are_those_of_the_documented_example() {
        let (secret, body) = (b"It's a Secret to Everybody", b"Hello, World!");
        assert_eq!(sha256(secret, body), "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
        assert_eq!(sha1(secret, body), "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59");
    }
}
