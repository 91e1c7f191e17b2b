//! Encryption of a connection, with libpq's meaning of `sslmode`.

use std::{fmt, path::PathBuf, sync::Arc};

use rustls::{
    ClientConfig, DigitallySignedStruct, Error as RustlsError, RootCertStore, SignatureScheme,
    client::{
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_cert_signed_by_trust_anchor,
    },
    crypto::{
        CryptoProvider, ring::default_provider, verify_tls12_signature, verify_tls13_signature,
    },
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
    server::ParsedCertificate,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    environment::{PostgresEnvironment, read_small_file},
    url::{PostgresUrl, PostgresUrlError, TlsLevel},
};

/// Where systems keep the certificates of public authorities in one file.
const SYSTEM_ROOTS: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

/// Whether a connection is encrypted.
#[derive(Clone)]
pub enum TlsMode {
    /// It is not.
    Off,
    /// It is where the server offers it.
    Prefer(MakeRustlsConnect),
    /// It is, or there is no connection.
    Require(MakeRustlsConnect),
}

impl fmt::Debug for TlsMode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "Off",
            Self::Prefer(_) => "Prefer",
            Self::Require(_) => "Require",
        })
    }
}

/// Which certificates an authority's signature is looked for in.
enum RootSource {
    File(PathBuf),
    System,
}

/// What an address and the environment ask for.
pub(crate) fn choose_tls_mode(
    url: &PostgresUrl,
    environment: &PostgresEnvironment,
) -> Result<TlsMode, PostgresUrlError> {
    let roots = find_root_source(url, environment);
    let level = read_tls_level(url, environment, roots.as_ref())?;
    if url.is_socket() || level == TlsLevel::Disable {
        return Ok(TlsMode::Off);
    }
    let config = match (level, roots) {
        (TlsLevel::VerifyFull, Some(roots)) => {
            verify_name_and_chain(read_roots(roots, environment)?)?
        }
        (TlsLevel::VerifyFull, None) => {
            verify_name_and_chain(read_roots(RootSource::System, environment)?)?
        }
        (_, Some(RootSource::System)) => return Err(PostgresUrlError::WeakSystemRoots),
        (_, Some(roots)) => verify_chain(read_roots(roots, environment)?)?,
        (TlsLevel::VerifyCa, None) => return Err(PostgresUrlError::NoAuthority),
        (_, None) => encrypt_only()?,
    };
    let connect = MakeRustlsConnect::new(config);
    Ok(match level {
        TlsLevel::Prefer => TlsMode::Prefer(connect),
        _ => TlsMode::Require(connect),
    })
}

/// `sslrootcert` of the address, of the environment, or libpq's own file.
fn find_root_source(url: &PostgresUrl, environment: &PostgresEnvironment) -> Option<RootSource> {
    let named = url.parameter("sslrootcert");
    match named.or_else(|| environment.variable("PGSSLROOTCERT")) {
        Some("system") => Some(RootSource::System),
        Some(path) => Some(RootSource::File(environment.expand_path(path))),
        None => environment
            .home_file(".postgresql/root.crt")
            .filter(|it| it.is_file())
            .map(RootSource::File),
    }
}

/// Where only the system's certificates are named, the default is the one level that may use them.
fn read_tls_level(
    url: &PostgresUrl,
    environment: &PostgresEnvironment,
    roots: Option<&RootSource>,
) -> Result<TlsLevel, PostgresUrlError> {
    let (name, text) = match url.parameter("sslmode") {
        Some(text) => ("sslmode", text),
        None => match environment.variable("PGSSLMODE") {
            Some(text) => ("PGSSLMODE", text),
            None if matches!(roots, Some(RootSource::System)) => return Ok(TlsLevel::VerifyFull),
            None => return Ok(TlsLevel::Prefer),
        },
    };
    TlsLevel::from_text(text).ok_or_else(|| PostgresUrlError::Value {
        name: name.into(),
        expected: TlsLevel::EXPECTED,
    })
}

fn read_roots(
    source: RootSource,
    environment: &PostgresEnvironment,
) -> Result<RootCertStore, PostgresUrlError> {
    let path = match source {
        RootSource::File(path) => path,
        RootSource::System => find_system_roots(environment)?,
    };
    let pem = read_small_file(&path)?;
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_slice_iter(pem.as_bytes()).filter_map(Result::ok);
    let (n_read, _) = roots.add_parsable_certificates(certificates);
    if n_read == 0 {
        return Err(PostgresUrlError::NoCertificate {
            path: path.display().to_string(),
        });
    }
    Ok(roots)
}

fn find_system_roots(environment: &PostgresEnvironment) -> Result<PathBuf, PostgresUrlError> {
    let named = environment.variable("SSL_CERT_FILE").map(PathBuf::from);
    named
        .or_else(|| {
            SYSTEM_ROOTS
                .iter()
                .map(PathBuf::from)
                .find(|it| it.is_file())
        })
        .ok_or(PostgresUrlError::NoSystemRoots)
}

fn verify_name_and_chain(roots: RootCertStore) -> Result<ClientConfig, PostgresUrlError> {
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(tls_error)?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn verify_chain(roots: RootCertStore) -> Result<ClientConfig, PostgresUrlError> {
    verify_by(LenientVerifier {
        roots: Some(roots),
        provider: default_provider(),
    })
}

fn encrypt_only() -> Result<ClientConfig, PostgresUrlError> {
    verify_by(LenientVerifier {
        roots: None,
        provider: default_provider(),
    })
}

fn verify_by(verifier: LenientVerifier) -> Result<ClientConfig, PostgresUrlError> {
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(tls_error)?;
    let builder = builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    Ok(builder.with_no_client_auth())
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn tls_error(error: RustlsError) -> PostgresUrlError {
    PostgresUrlError::Tls {
        why: error.to_string(),
    }
}

/// Checks less than a browser does, because `sslmode` says so: the chain without the name (`verify-ca`), or nothing but
/// that the server holds the key of the certificate it shows (`require`).
#[derive(Debug)]
struct LenientVerifier {
    roots: Option<RootCertStore>,
    provider: CryptoProvider,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, RustlsError> {
        if let Some(roots) = &self.roots {
            let certificate = ParsedCertificate::try_from(end_entity)?;
            let algorithms = self.provider.signature_verification_algorithms.all;
            verify_server_cert_signed_by_trust_anchor(
                &certificate,
                roots,
                intermediates,
                now,
                algorithms,
            )?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, RustlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, RustlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
