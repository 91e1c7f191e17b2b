//! Whether a delivery comes from whoever knows the secret.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// What stands before the digits in the header.
const SCHEME: &str = "sha256=";
/// The shortest secret that is taken: a guessed one lets anybody write.
pub const MIN_SECRET: usize = 16;

/// Whether a body was signed with the secret: HMAC-SHA-256 over the bytes as they came, compared in constant time. The header is
/// that of GitHub, `sha256=` and 64 hexadecimal digits.
///
/// ```
/// use apostille_reviews::signature::is_signed;
///
/// let header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
/// assert!(is_signed("It's a Secret to Everybody", b"Hello, World!", header));
/// assert!(!is_signed("It's a Secret to Everybody", b"Hello, World?", header));
/// ```
#[must_use]
pub fn is_signed(secret: &str, body: &[u8], header: &str) -> bool {
    let Some(expected) = header.strip_prefix(SCHEME).and_then(decode_hex) else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    mac.update(body);
    !secret.is_empty() && mac.verify_slice(&expected).is_ok()
}

/// The signature of a body, as [`is_signed`] takes it: what waits is sealed with the same secret.
#[must_use]
pub fn sign_body(secret: &str, body: &[u8]) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return String::new();
    };
    mac.update(body);
    let digits = mac.finalize().into_bytes();
    let digits: String = digits.iter().map(|it| format!("{it:02x}")).collect();
    format!("{SCHEME}{digits}")
}

fn decode_hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    let is_hex = digits.len() == 64 && digits.iter().all(u8::is_ascii_hexdigit);
    let digit = |it: u8| {
        char::from(it)
            .to_digit(16)
            .and_then(|it| u8::try_from(it).ok())
    };
    is_hex.then(|| {
        let pairs = digits.chunks(2);
        pairs
            .filter_map(|it| Some(digit(it[0])? << 4 | digit(it[1])?))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forged_signatures_are_none() {
        let secret = "It's a Secret to Everybody";
        let good = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let check = |secret: &str, body: &[u8], header: &str, expected: bool| {
            assert_eq!(is_signed(secret, body, header), expected, "{header}");
        };
        let body = b"Hello, World!";
        check(secret, body, &format!("sha256={good}"), true);
        check(
            secret,
            body,
            &format!("sha256={}", good.to_uppercase()),
            true,
        );
        check(secret, body, good, false);
        check(secret, body, &format!("sha1={good}"), false);
        check(secret, body, &format!("sha256={}", &good[..62]), false);
        check(secret, body, &format!("sha256={good}00"), false);
        check(secret, body, &format!("sha256= {good}"), false);
        check(secret, body, "sha256=", false);
        check(secret, body, "", false);
        check(
            "another secret, long",
            body,
            &format!("sha256={good}"),
            false,
        );
        check("", body, &format!("sha256={good}"), false);
        check(secret, b"Hello, World! ", &format!("sha256={good}"), false);
    }
}
