//! Certificates for a server, by an authority that only these tests know. `openssl` makes them: it comes with Postgres.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::guard::{run_to_end, write_for_nobody};

const SETTINGS: &str = "\
[req]
distinguished_name = name
prompt = no
[name]
CN = apostille test
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = keyCertSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical,CA:FALSE
subjectAltName = DNS:localhost
";

/// Files in PEM form.
#[derive(Debug, Clone)]
pub struct CertificateFiles {
    /// The authority's certificate, for `sslrootcert`.
    pub authority: PathBuf,
    /// Another authority's, which signed nothing.
    pub stranger: PathBuf,
    /// The server's, for the name `localhost` and no address.
    pub server: PathBuf,
    /// The server's key.
    pub server_key: PathBuf,
}

/// Makes an authority, another one, and a certificate for `localhost`.
pub fn make_certificates(folder: &Path) -> CertificateFiles {
    write_for_nobody(&folder.join("openssl.cnf"), SETTINGS);
    let pem = |name: &str| folder.join(format!("{name}.pem"));
    let key = |name: &str| folder.join(format!("{name}.key"));
    make_certificate(folder, "authority", "authority", &[]);
    make_certificate(folder, "stranger", "authority", &[]);
    let signer = [pem("authority"), key("authority")].map(|it| it.display().to_string());
    let signed_by = ["-CA", &signer[0], "-CAkey", &signer[1]];
    make_certificate(folder, "server", "server", &signed_by);
    CertificateFiles {
        authority: pem("authority"),
        stranger: pem("stranger"),
        server: pem("server"),
        server_key: key("server"),
    }
}

/// The key is readable for its owner alone, as Postgres wants it.
fn make_certificate(folder: &Path, name: &str, extensions: &str, signed_by: &[&str]) {
    let mut openssl = Command::new("openssl");
    openssl.args([
        "req", "-x509", "-new", "-nodes", "-days", "3650", "-newkey", "ec",
    ]);
    openssl.args([
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-config",
        "openssl.cnf",
    ]);
    openssl.args(["-subj", &format!("/CN={name}"), "-extensions", extensions]);
    openssl.args([
        "-keyout",
        &format!("{name}.key"),
        "-out",
        &format!("{name}.pem"),
    ]);
    run_to_end(openssl.args(signed_by), folder);
    let files = [format!("{name}.key"), format!("{name}.pem")].map(|it| folder.join(it));
    assert!(
        files.iter().all(|it| fs::metadata(it).is_ok()),
        "openssl made no certificate"
    );
}
