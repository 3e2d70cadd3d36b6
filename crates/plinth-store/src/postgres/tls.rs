//! TLS to PostgreSQL: whose certificate is accepted, and which one is shown.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::target::{TlsMode, TlsOptions};
use plinth_base::error::{Error, Result};

/// The word that stands for the certificates of the operating system.
const SYSTEM_ROOTS: &str = "system";

/// What rustls shall do for these options.
pub(super) fn client_config(options: &TlsOptions) -> Result<ClientConfig> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match options.mode {
        TlsMode::Disable | TlsMode::Prefer | TlsMode::Require => Arc::new(AcceptAnyone(provider.clone())),
        TlsMode::VerifyCa => Arc::new(IgnoreName(chain_verifier(options, &provider)?)),
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
            let refused = |error: &dyn std::fmt::Display| wrong_file("sslkey", key, error);
            let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| refused(&error))?;
            let chain = certificates("sslcert", certificate)?;
            builder.with_client_auth_cert(chain, secret).map_err(|error| refused(&error))
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
    let refused = |error: &dyn std::fmt::Display| wrong_file(option, file, error);
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).map_err(|error| refused(&error))?.collect();
    match found {
        Ok(found) if found.is_empty() => Err(refused(&"there is no certificate in it")),
        Ok(found) => Ok(found),
        Err(error) => Err(refused(&error)),
    }
}

fn wrong_file(option: &str, file: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::BadRequest(format!("{option} {} of the database URL: {why}", file.display()))
}

/// For modes that encrypt without asking whom they talk to, as libpq has them.
#[derive(Debug)]
struct AcceptAnyone(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnyone {
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

/// Checks everything but the name, which the inner verifier checks last.
#[derive(Debug)]
struct IgnoreName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for IgnoreName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match self.0.verify_server_cert(certificate, intermediates, name, ocsp_response, now) {
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
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
