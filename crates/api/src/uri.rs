//! Addresses, as far as they are read here.

/// A text whose odd bytes are written as `%20`; `None` where that is done badly, or there is a NUL in it.
pub fn decode_percent_encoding(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => decode_hex_digit(rest.next()?)? << 4 | decode_hex_digit(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|it| !it.contains('\0'))
}

fn decode_hex_digit(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|it| u8::try_from(it).ok())
}
