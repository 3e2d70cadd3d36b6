//! TLS to PostgreSQL: which server certificates are accepted, and the client's own certificate.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::tls_options::{TlsMode, TlsOptions};
use plinth_base::error::{Error, Result};

/// The value of `sslrootcert` for the root certificates of the operating system.
const SYSTEM_ROOTS: &str = "system";

/// The configuration of rustls for these options.
pub(super) fn client_config(options: &TlsOptions) -> Result<ClientConfig> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match options.mode {
        TlsMode::Disable | TlsMode::Prefer | TlsMode::Require => {
            Arc::new(LaxVerifier { chain: None, provider: provider.clone() })
        }
        TlsMode::VerifyCa => {
            Arc::new(LaxVerifier { chain: Some(chain_verifier(options, &provider)?), provider: provider.clone() })
        }
        TlsMode::VerifyFull => chain_verifier(options, &provider)?,
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Internal(error.into()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    match (&options.certificate, &options.key) {
        (None, None) => Ok(builder.with_no_client_auth()),
        (Some(certificate), Some(key)) => {
            let rejected = |error: &dyn std::fmt::Display| wrong_file("sslkey", key, error);
            let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| rejected(&error))?;
            let chain = certificates("sslcert", certificate)?;
            builder.with_client_auth_cert(chain, secret).map_err(|error| rejected(&error))
        }
        _ => Err(Error::BadRequest("the database URL has one of sslcert and sslkey, but they belong together".into())),
    }
}

fn chain_verifier(options: &TlsOptions, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>> {
    let Some(file) = &options.root_certificates else {
        return Err(Error::BadRequest(
            "sslmode=verify-ca and verify-full need sslrootcert=FILE, or sslrootcert=system, in the database URL"
                .into(),
        ));
    };
    let mut roots = RootCertStore::empty();
    if file.as_os_str() == SYSTEM_ROOTS {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    } else {
        for certificate in certificates("sslrootcert", file)? {
            roots.add(certificate).map_err(|error| wrong_file("sslrootcert", file, &error))?;
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .build()
        .map_err(|error| wrong_file("sslrootcert", file, &error))
}

fn certificates(option: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let rejected = |error: &dyn std::fmt::Display| wrong_file(option, file, error);
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).map_err(|error| rejected(&error))?.collect();
    match found {
        Ok(found) if found.is_empty() => Err(rejected(&"there is no certificate in it")),
        Ok(found) => Ok(found),
        Err(error) => Err(rejected(&error)),
    }
}

fn wrong_file(option: &str, file: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::BadRequest(format!("{option} {} of the database URL: {why}", file.display()))
}

/// For the modes that check less than `verify-full`, as libpq has them: everything but the host name, or nothing at all.
#[derive(Debug)]
struct LaxVerifier {
    /// Nothing to accept every certificate.
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for LaxVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(certificate, intermediates, name, ocsp_response, now) {
            // The name is checked last, so everything else is right.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match &self.chain {
            Some(chain) => chain.verify_tls12_signature(message, certificate, signed),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match &self.chain {
            Some(chain) => chain.verify_tls13_signature(message, certificate, signed),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
