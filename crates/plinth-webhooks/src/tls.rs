//! TLS to receivers.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;

use crate::error::SendError;

/// Whether the certificate of a receiver is verified; a hook with `insecure_ssl` does without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verification {
    Full,
    None,
}

/// The configurations of rustls. The root certificates are read at the first use, which takes a while.
#[derive(Default)]
pub struct Tls {
    full: OnceCell<TlsConnector>,
    none: OnceCell<TlsConnector>,
    /// Besides those of the operating system, for tests.
    extra_roots: Vec<CertificateDer<'static>>,
}

impl Tls {
    pub fn with_extra_roots(extra_roots: Vec<CertificateDer<'static>>) -> Self {
        Self { extra_roots, ..Self::default() }
    }

    pub async fn connector(&self, verification: Verification) -> Result<&TlsConnector, SendError> {
        match verification {
            Verification::Full => self.full.get_or_try_init(|| connector(self.extra_roots.clone())).await,
            Verification::None => self.none.get_or_try_init(|| async { build(Arc::new(NoVerifier::default())) }).await,
        }
    }
}

async fn connector(extra_roots: Vec<CertificateDer<'static>>) -> Result<TlsConnector, SendError> {
    let read = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await;
    let native = read.map_err(|_| SendError::Tls)?.certs;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(native.into_iter().chain(extra_roots));
    if roots.is_empty() {
        tracing::warn!("no root certificates found: deliveries to https URLs fail");
        return Err(SendError::Tls);
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    build(verifier.map_err(|_| SendError::Tls)?)
}

fn build(verifier: Arc<dyn ServerCertVerifier>) -> Result<TlsConnector, SendError> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| SendError::Tls)?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config).into())
}

/// Accepts every certificate.
#[derive(Debug)]
struct NoVerifier(CryptoProvider);

impl Default for NoVerifier {
    fn default() -> Self {
        Self(aws_lc_rs::default_provider())
    }
}

impl ServerCertVerifier for NoVerifier {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::SocketAddr;
    use std::path::Path;
    use std::process::Command;

    use bytes::Bytes;
    use futures_util::future::BoxFuture;
    use http::HeaderMap;
    use plinth_base::ids::WebhookId;
    use rustls::ServerConfig;
    use rustls::pki_types::PrivateKeyDer;
    use rustls::pki_types::pem::PemObject;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    use super::*;
    use crate::address::{AllowedAddresses, PrivateTarget};
    use crate::client::{Client, Outgoing};
    use crate::target::Resolver;

    const NAME: &str = "receiver.example";

    /// Every name is this machine.
    struct Local;

    impl Resolver for Local {
        fn resolve<'a>(&'a self, _: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
            Box::pin(async move { Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))]) })
        }
    }

    /// A certificate authority, and its certificate for [`NAME`].
    fn make_certificates(directory: &Path) {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
        let leaf = format!("-addext subjectAltName=DNS:{NAME} -addext basicConstraints=critical,CA:FALSE");
        for arguments in [
            format!("req -x509 {key} -subj /CN=authority -keyout ca.key -out ca.crt"),
            format!("req -x509 {key} -subj /CN={NAME} -keyout leaf.key -out leaf.crt -CA ca.crt -CAkey ca.key {leaf}"),
        ] {
            let made = Command::new("openssl").current_dir(directory).args(arguments.split(' ')).output();
            let made = made.expect("openssl starts");
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        }
    }

    /// A receiver with the certificate for [`NAME`]; returns its port.
    async fn start(directory: &Path) -> u16 {
        let chain = vec![CertificateDer::from_pem_file(directory.join("leaf.crt")).expect("a certificate")];
        let key = PrivateKeyDer::from_pem_file(directory.join("leaf.key")).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the versions are known")
            .with_no_client_auth()
            .with_single_cert(chain, key);
        let acceptor = TlsAcceptor::from(Arc::new(config.expect("key and certificate belong together")));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("a listener has an address").port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    let _ = stream.read(&mut [0; 1024]).await;
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
                });
            }
        });
        port
    }

    #[tokio::test]
    async fn certificate_of_the_receiver_is_verified_unless_the_hook_says_otherwise() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        make_certificates(directory.path());
        let port = start(directory.path()).await;
        let root = CertificateDer::from_pem_file(directory.path().join("ca.crt")).expect("a certificate");
        for (name, roots, verification, expected) in [
            (NAME, vec![root.clone()], Verification::Full, Ok(200)),
            (NAME, vec![], Verification::Full, Err(SendError::Tls)),
            ("other.example", vec![root], Verification::Full, Err(SendError::Tls)),
            (NAME, vec![], Verification::None, Ok(200)),
            ("other.example", vec![], Verification::None, Ok(200)),
        ] {
            let allowed = AllowedAddresses { private_targets: vec![PrivateTarget::Loopback] };
            let client = Client::new(allowed).with_resolver(Arc::new(Local)).with_tls(Tls::with_extra_roots(roots));
            let outgoing = Outgoing {
                hook: WebhookId(1),
                url: format!("https://{name}:{port}/"),
                verification,
                headers: HeaderMap::new(),
                body: Bytes::from_static(b"{}"),
            };
            let outcome = client.send(&outgoing).await.response;
            assert_eq!(outcome.map(|received| received.status.as_u16()), expected, "{name} {verification:?}");
        }
    }
}
