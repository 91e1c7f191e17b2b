//! The certificate that the server shows, and how it is exchanged while the server runs.
//!
//! Certificates last weeks, servers months. So the two files are looked at once a second, and a pair that fits is shown to
//! the next connection; those that are open go on with the one they began with. A pair that does not fit is left alone:
//! whoever renews a certificate writes two files, one after the other, and between the two nobody must be turned away.

use std::{
    fs::{File, Metadata},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, RwLock},
    time::{Duration, SystemTime},
};

use apostille_core::format::format_timestamp;
use apostille_mcp::concurrency::lock_despite_panic;
use jiff::Timestamp;
use rustls::{
    InconsistentKeys, ServerConfig,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem, pem::PemObject as _},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, KeyUsage};

/// The largest file that is read.
const MAX_FILE: u64 = 1024 * 1024;
/// Later than any certificate can say: the year 10000.
const LATEST: Duration = Duration::from_secs(253_402_300_800);

/// Where certificate and key are, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The certificate, and the ones between it and an authority.
    pub cert: PathBuf,
    /// Its key, not encrypted.
    pub key: PathBuf,
}

/// Why a certificate cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read.
    #[error("cannot read '{path}'")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file holds nothing of the kind.
    #[error("'{path}' holds no {what} in PEM")]
    Absent {
        /// Which.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
    },
    /// The key is no secret.
    #[error("the key '{path}' is open to every user of this machine; run: chmod o-rwx '{path}'")]
    OpenKey {
        /// Which.
        path: PathBuf,
    },
    /// The two files are not of one pair.
    #[error(
        "the key '{key}' is not the key of the certificate '{cert}'; name the two files of one pair"
    )]
    Mismatch {
        /// The certificate.
        cert: PathBuf,
        /// The key.
        key: PathBuf,
    },
    /// It ended.
    #[error("the certificate '{path}' expired on {}; renew it", format_timestamp(*.until))]
    Expired {
        /// Which.
        path: PathBuf,
        /// When.
        until: Timestamp,
    },
    /// It has not begun.
    #[error("the certificate '{path}' is not valid yet; look at the clock of this machine")]
    NotYetValid {
        /// Which.
        path: PathBuf,
    },
    /// Something else is wrong with it.
    #[error("the certificate '{cert}' or its key '{key}' cannot be used: {why}")]
    Unusable {
        /// The certificate.
        cert: PathBuf,
        /// The key.
        key: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// How a file looks from outside: its length, when it was changed, and which file it is.
type FileStamp = Option<(u64, Option<SystemTime>, u64)>;

impl CertificateFiles {
    fn stamp_files(&self) -> [FileStamp; 2] {
        [&self.cert, &self.key].map(|it| {
            let metadata = std::fs::metadata(it).ok()?;
            let modified = metadata.modified().ok();
            Some((metadata.len(), modified, read_file_number(&metadata)))
        })
    }

    fn load_pair(&self, now: Timestamp) -> Result<LoadedCertificate, CertificateError> {
        let (cert, _) = read_whole_file(&self.cert)?;
        let (key, metadata) = read_whole_file(&self.key)?;
        if is_open_to_others(&metadata) {
            let path = self.key.clone();
            return Err(CertificateError::OpenKey { path });
        }
        let chain: Result<Vec<CertificateDer<'static>>, pem::Error> =
            CertificateDer::pem_slice_iter(&cert).collect();
        let chain = chain.ok().filter(|it| !it.is_empty());
        let chain = chain.ok_or_else(|| CertificateError::Absent {
            path: self.cert.clone(),
            what: "certificate",
        })?;
        let key = PrivateKeyDer::from_pem_slice(&key).map_err(|_| CertificateError::Absent {
            path: self.key.clone(),
            what: "private key without a password",
        })?;
        self.check_pair(chain, key, now)
    }

    fn check_pair(
        &self,
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        now: Timestamp,
    ) -> Result<LoadedCertificate, CertificateError> {
        let unusable = |why: &dyn ToString| CertificateError::Unusable {
            cert: self.cert.clone(),
            key: self.key.clone(),
            why: why.to_string(),
        };
        let until = self.check_validity(&chain[0], now, &unusable)?;
        let pair = CertifiedKey::from_der(chain, key, &ring_provider()).map_err(|error| {
            if error == rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) {
                return CertificateError::Mismatch {
                    cert: self.cert.clone(),
                    key: self.key.clone(),
                };
            }
            unusable(&error)
        })?;
        let pair = Arc::new(pair);
        Ok(LoadedCertificate { pair, until })
    }

    /// Until when it is valid, where it is. Who signed it is the clients' concern: no authority is asked here, and only
    /// what is said of the time counts, which is looked at first.
    fn check_validity(
        &self,
        cert: &CertificateDer<'_>,
        now: Timestamp,
        unusable: &dyn Fn(&dyn ToString) -> CertificateError,
    ) -> Result<Option<Timestamp>, CertificateError> {
        let cert = EndEntityCert::try_from(cert).map_err(|error| unusable(&error))?;
        let seconds = u64::try_from(now.as_second()).unwrap_or_default();
        let path = self.cert.clone();
        match find_time_fault(&cert, Duration::from_secs(seconds)) {
            Some(webpki::Error::CertExpired { not_after, .. }) => {
                let until = to_timestamp(not_after).unwrap_or(now);
                Err(CertificateError::Expired { path, until })
            }
            Some(webpki::Error::CertNotValidYet { .. }) => {
                Err(CertificateError::NotYetValid { path })
            }
            Some(error) => Err(unusable(&error)),
            None => Ok(match find_time_fault(&cert, LATEST) {
                Some(webpki::Error::CertExpired { not_after, .. }) => to_timestamp(not_after),
                _ => None,
            }),
        }
    }
}

/// What is wrong with a certificate at this time, as far as time is concerned.
fn find_time_fault(cert: &EndEntityCert<'_>, at: Duration) -> Option<webpki::Error> {
    use webpki::Error::{
        CertExpired, CertNotValidYet, InvalidCertValidity, MalformedDnsIdentifier,
    };
    let at = UnixTime::since_unix_epoch(at);
    let usage = KeyUsage::server_auth();
    // Without an authority there is always an error; times are looked at before everything else.
    let checked = cert.verify_for_usage(ALL_VERIFICATION_ALGS, &[], &[], at, usage, None, None);
    checked.err().filter(|it| {
        matches!(
            it,
            CertExpired { .. }
                | CertNotValidYet { .. }
                | InvalidCertValidity
                | MalformedDnsIdentifier
        )
    })
}

fn to_timestamp(time: UnixTime) -> Option<Timestamp> {
    let seconds = i64::try_from(time.as_secs()).ok()?;
    Timestamp::from_second(seconds).ok()
}

fn ring_provider() -> CryptoProvider {
    rustls::crypto::ring::default_provider()
}

/// What is looked at and what is read is one file, whatever is put in its place meanwhile.
fn read_whole_file(path: &Path) -> Result<(Vec<u8>, Metadata), CertificateError> {
    let read = || {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE).read_to_end(&mut bytes)?;
        Ok((bytes, metadata))
    };
    read().map_err(|source| CertificateError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

/// The group may read it: that is how a key is shared by the servers of one machine.
#[cfg(unix)]
fn is_open_to_others(metadata: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o007 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn read_file_number(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn read_file_number(_: &Metadata) -> u64 {
    0
}

/// A pair that was looked at and found good.
#[derive(Debug)]
struct LoadedCertificate {
    pair: Arc<CertifiedKey>,
    until: Option<Timestamp>,
}

/// What the server shows to whoever connects.
#[derive(Debug)]
pub struct TlsIdentity {
    files: CertificateFiles,
    current: RwLock<LoadedCertificate>,
    /// How the files looked when they were read last, whether what was in them was good or not.
    seen: Mutex<[FileStamp; 2]>,
}

impl TlsIdentity {
    /// Reads certificate and key, and refuses what no client would take, or what others could use.
    pub fn load_files(files: CertificateFiles, now: Timestamp) -> Result<Self, CertificateError> {
        // A file that changes while it is read is read again.
        let seen = Mutex::new(files.stamp_files());
        let current = RwLock::new(files.load_pair(now)?);
        Ok(Self {
            files,
            current,
            seen,
        })
    }

    /// Takes the files as they are now, where they changed and are a pair; else what is wrong with them.
    pub(super) fn reload_if_changed(&self, now: Timestamp) -> Option<Result<(), CertificateError>> {
        let stamps = self.files.stamp_files();
        if std::mem::replace(&mut *lock_despite_panic(&self.seen), stamps) == stamps {
            return None;
        }
        Some(self.files.load_pair(now).map(|loaded| {
            *self.current.write().unwrap_or_else(|it| it.into_inner()) = loaded;
        }))
    }

    fn read_current<T>(&self, read: impl FnOnce(&LoadedCertificate) -> T) -> T {
        read(&self.current.read().unwrap_or_else(|it| it.into_inner()))
    }

    /// Until when the certificate is valid, where that can be told.
    pub(super) fn valid_until(&self) -> Option<Timestamp> {
        self.read_current(|it| it.until)
    }

    /// Whether the certificate is for this name or address.
    #[must_use]
    pub fn covers_name(&self, name: &str) -> bool {
        let Ok(name) = ServerName::try_from(name) else {
            return false;
        };
        self.read_current(|it| {
            let cert = it.pair.cert.first().map(EndEntityCert::try_from);
            matches!(cert, Some(Ok(it)) if it.verify_is_valid_for_subject_name(&name).is_ok())
        })
    }

    /// How connections are encrypted: TLS 1.2 and 1.3, with HTTP/1.1 in them.
    pub(super) fn build_config(self: &Arc<Self>) -> Result<ServerConfig, rustls::Error> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::<Self>::clone(self));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

impl ResolvesServerCert for TlsIdentity {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.read_current(|it| Arc::clone(&it.pair)))
    }
}
