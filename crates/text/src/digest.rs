//! SHA-256, as bytes and as the hexadecimal text people see.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 digest of 64 hexadecimal characters")]
pub struct DigestParseError;

impl Digest {
    /// The digest of these bytes.
    pub fn hash_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest that these bytes are.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The thirty-two bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first sixteen hexadecimal characters: enough to tell lines apart.
    pub fn short_hex(&self) -> String {
        self.to_string()[..16].to_owned()
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // Every record has several: digit by digit through the formatter, they were a good part of writing one.
        let mut text = [0; 64];
        for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair = [
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 15)],
            ];
        }
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Digest({}…)", self.short_hex())
    }
}

impl FromStr for Digest {
    type Err = DigestParseError;
    fn from_str(text: &str) -> Result<Self, DigestParseError> {
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
            return Err(DigestParseError);
        };
        let pairs: &[[u8; 2]; 32] = pairs.try_into().map_err(|_| DigestParseError)?;
        let digit = |it: u8| char::from(it).to_digit(16).ok_or(DigestParseError);
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            let value = digit(*high)? << 4 | digit(*low)?;
            *byte = u8::try_from(value).map_err(|_| DigestParseError)?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let digest = Digest::hash_bytes(b"abc");
        assert!(digest.to_string().starts_with("ba7816bf8f01cfea"));
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!(digest.to_string().to_uppercase().parse(), Ok(digest));
        for odd in [
            "xyz",
            &"g".repeat(64),
            &"+f".repeat(32),
            &"é".repeat(32),
            &"0".repeat(66),
        ] {
            assert!(odd.parse::<Digest>().is_err(), "{odd}");
        }
    }
}
