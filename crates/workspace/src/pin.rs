//! The PIN that confirms a person's decisions at a terminal: a salted slow hash in a private file, and the wrong tries.
//!
//! It keeps out an agent that has a shell and can pretend to be a terminal. It does not keep out a program that rewrites this
//! file, and a short PIN can be guessed by a program that copies it: docs/security.md says so.

use std::{
    fs, io,
    num::NonZeroU32,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use apostille_core::format;
use jiff::{SignedDuration, Timestamp};
use ring::pbkdf2::{self, PBKDF2_HMAC_SHA256};
use serde::{Deserialize, Serialize};

use crate::{atomic_file, error::CommandError};

/// The format that is written.
const VERSION: u32 = 1;
/// Nobody else on the machine reads it.
const MODE: u32 = 0o600;
/// The fewest characters of a PIN.
pub const MIN_PIN: usize = 6;
/// The most characters of a PIN.
pub const MAX_PIN: usize = 128;
/// Rounds of the hash: 600,000 take 0.09 s, measured. Tests set and check many PINs with code that is not optimised.
const ROUNDS: u32 = if cfg!(debug_assertions) {
    1_000
} else {
    600_000
};
/// The most rounds that are computed for a file: one that was tampered with does not stall a command.
const MAX_ROUNDS: u32 = 10_000_000;
/// Wrong tries that cost no waiting.
const FREE_TRIES: u32 = 3;
/// What the next wrong try costs; each one after it costs twice as much.
const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(30);
/// The most that is waited for.
const MAX_WAIT: SignedDuration = SignedDuration::from_hours(1);
const HASH_BYTES: usize = 32;

/// What came of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinCheck {
    /// It is the PIN.
    Right,
    /// It is not.
    Wrong,
    /// There were too many wrong ones; nothing was compared.
    Locked {
        /// When the next try counts.
        until: Timestamp,
    },
}

/// The file of a PIN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinFile(PathBuf);

#[derive(Serialize, Deserialize)]
struct PinRecord {
    version: u32,
    salt: String,
    rounds: NonZeroU32,
    hash: String,
    made: String,
    /// Wrong tries since the last right one.
    wrong: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_wrong: Option<String>,
}

impl PinFile {
    /// The file of a folder, whether it is there or not.
    pub fn in_folder(folder: &Path) -> Self {
        Self(folder.join("pin.json"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether a PIN is set. What cannot be looked at counts as one.
    pub fn is_set(&self) -> bool {
        match fs::symlink_metadata(&self.0) {
            Err(error) => !matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
            Ok(_) => true,
        }
    }

    /// When it was set.
    pub fn made(&self) -> Result<String, CommandError> {
        Ok(self.read_record()?.made)
    }

    /// Sets the PIN, also in the place of another.
    pub fn set_pin(&self, pin: &str, now: Timestamp, draw: u128) -> Result<(), CommandError> {
        let salt = draw.to_be_bytes();
        let rounds = NonZeroU32::new(ROUNDS).unwrap_or(NonZeroU32::MIN);
        let record = PinRecord {
            version: VERSION,
            salt: encode_hex(&salt),
            rounds,
            hash: encode_hex(&derive_key(pin, &salt, rounds)),
            made: format::format_timestamp(now),
            wrong: 0,
            last_wrong: None,
        };
        let _held = self.lock()?;
        self.write_record(&record, draw)
    }

    /// Compares what was typed. The try is counted before it is compared, so that a process that is killed in between has
    /// not guessed for nothing.
    pub fn check_pin(
        &self,
        typed: &str,
        now: Timestamp,
        draw: u128,
    ) -> Result<PinCheck, CommandError> {
        let _held = self.lock()?;
        let mut record = self.read_record()?;
        if let Some(until) = find_lock_end(&record, now) {
            return Ok(PinCheck::Locked { until });
        }
        record.wrong = record.wrong.saturating_add(1);
        record.last_wrong = Some(format::format_timestamp(now));
        self.write_record(&record, draw)?;
        if !is_pin(&record, typed) {
            return Ok(PinCheck::Wrong);
        }
        (record.wrong, record.last_wrong) = (0, None);
        self.write_record(&record, draw.wrapping_add(1))?;
        Ok(PinCheck::Right)
    }

    /// Removes the PIN.
    pub fn remove_pin(&self) -> Result<(), CommandError> {
        fs::remove_file(&self.0)
            .with_context(|| format!("cannot remove '{}'", self.0.display()))
            .map_err(CommandError::internal)
    }

    fn lock(&self) -> Result<fs::File, CommandError> {
        atomic_file::lock_private_file(&self.0.with_extension("lock"))
            .with_context(|| format!("cannot lock '{}'", self.0.display()))
            .map_err(CommandError::internal)
    }

    fn read_record(&self) -> Result<PinRecord, CommandError> {
        let read = || {
            let record: PinRecord = serde_json::from_str(&fs::read_to_string(&self.0)?)?;
            anyhow::ensure!(
                record.version <= VERSION && record.rounds.get() <= MAX_ROUNDS,
                "it is of a newer apostille, or was changed by another program"
            );
            Ok(record)
        };
        read()
            .with_context(|| format!("cannot read the PIN in '{}'", self.0.display()))
            .map_err(CommandError::internal)
    }

    fn write_record(&self, record: &PinRecord, draw: u128) -> Result<(), CommandError> {
        let text = serde_json::to_string_pretty(record).map_err(CommandError::internal)? + "\n";
        atomic_file::write_file_atomically(&self.0, text.as_bytes(), Some(MODE), draw)
            .with_context(|| format!("cannot write '{}'", self.0.display()))
            .map_err(CommandError::internal)
    }
}

/// Until when no try counts. A file whose last try cannot be read is locked from now on.
fn find_lock_end(record: &PinRecord, now: Timestamp) -> Option<Timestamp> {
    let over = record.wrong.checked_sub(FREE_TRIES)?;
    let last = record.last_wrong.as_deref().and_then(|it| it.parse().ok());
    let wait = FIRST_WAIT
        .checked_mul(1 << over.min(20))
        .map_or(MAX_WAIT, |it| it.min(MAX_WAIT));
    let until = last.unwrap_or(now).checked_add(wait).ok()?;
    (now < until).then_some(until)
}

fn derive_key(pin: &str, salt: &[u8], rounds: NonZeroU32) -> [u8; HASH_BYTES] {
    let mut key = [0; HASH_BYTES];
    pbkdf2::derive(PBKDF2_HMAC_SHA256, rounds, salt, pin.as_bytes(), &mut key);
    key
}

/// Compares in constant time. What is not hexadecimal is nobody's PIN.
fn is_pin(record: &PinRecord, typed: &str) -> bool {
    let (Some(salt), Some(hash)) = (decode_hex(&record.salt), decode_hex(&record.hash)) else {
        return false;
    };
    hash.len() == HASH_BYTES
        && pbkdf2::verify(
            PBKDF2_HMAC_SHA256,
            record.rounds,
            &salt,
            typed.as_bytes(),
            &hash,
        )
        .is_ok()
}

fn encode_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn with_pin(pin: &str) -> (tempfile::TempDir, PinFile) {
        let dir = tempfile::tempdir().unwrap();
        let file = PinFile::in_folder(&dir.path().join("deep"));
        assert!(!file.is_set());
        file.set_pin(pin, at(0), 7).unwrap();
        (dir, file)
    }

    /// As OpenSSL computes them.
    #[test]
    fn derive_key_agrees_with_openssl() {
        let check = |pin: &str, salt: &str, rounds: u32, expected: &str| {
            let key = derive_key(pin, salt.as_bytes(), NonZeroU32::new(rounds).unwrap());
            assert_eq!(encode_hex(&key), expected);
        };
        check(
            "password",
            "salt",
            1,
            "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b",
        );
        check(
            "password",
            "salt",
            4096,
            "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a",
        );
    }

    #[test]
    fn check_pin_takes_the_pin_alone() {
        let (_dir, file) = with_pin("morning coffee");
        let check = |typed: &str, expected: PinCheck| {
            assert_eq!(
                file.check_pin(typed, at(0), 9).unwrap(),
                expected,
                "{typed}"
            );
        };
        check("morning coffee", PinCheck::Right);
        check("morning", PinCheck::Wrong);
        check("", PinCheck::Wrong);
        check("morning coffee", PinCheck::Right);
        let text = fs::read_to_string(file.path()).unwrap();
        assert!(!text.contains("coffee"), "{text}");
    }

    #[test]
    fn wrong_tries_lock_for_longer_each_time() {
        let (_dir, file) = with_pin("morning coffee");
        let wrong = |now: i64| file.check_pin("guess!", at(now), 9).unwrap();
        let right = |now: i64| file.check_pin("morning coffee", at(now), 9).unwrap();
        let locked = |until: i64| PinCheck::Locked { until: at(until) };
        assert_eq!([wrong(0), wrong(0), wrong(0)], [PinCheck::Wrong; 3]);
        assert_eq!(right(29), locked(30), "also the right one waits");
        assert_eq!((wrong(30), wrong(31)), (PinCheck::Wrong, locked(90)));
        assert_eq!((wrong(90), wrong(209)), (PinCheck::Wrong, locked(210)));
        for _ in 0..10 {
            wrong(1_000_000);
        }
        assert_eq!(right(999_999), locked(1_000_000 + 240));
        assert_eq!(right(1_000_240), PinCheck::Right);
        assert_eq!(wrong(1_000_240), PinCheck::Wrong, "counted from anew");
    }

    #[test]
    fn lock_never_lasts_longer_than_an_hour() {
        let record = |wrong| PinRecord {
            version: VERSION,
            salt: String::new(),
            rounds: NonZeroU32::MIN,
            hash: String::new(),
            made: String::new(),
            wrong,
            last_wrong: Some(format::format_timestamp(at(0))),
        };
        for wrong in [9, 60, u32::MAX] {
            assert!(find_lock_end(&record(wrong), at(0)) <= Some(at(3600)));
            assert_eq!(find_lock_end(&record(wrong), at(3600)), None);
        }
    }

    #[test]
    fn damaged_file_is_nobodys_pin() {
        let (_dir, file) = with_pin("morning coffee");
        let text = fs::read_to_string(file.path()).unwrap();
        fs::write(file.path(), text.replace("\"hash\": \"", "\"hash\": \"zz")).unwrap();
        assert_eq!(
            file.check_pin("morning coffee", at(0), 9).unwrap(),
            PinCheck::Wrong
        );
        fs::write(file.path(), "").unwrap();
        assert!(file.is_set());
        assert!(file.check_pin("morning coffee", at(0), 9).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn pin_file_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_dir, file) = with_pin("morning coffee");
        let mode = |it: &Path| fs::metadata(it).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(file.path()), 0o600);
        assert_eq!(mode(file.path().parent().unwrap()), 0o700);
    }
}
