//! Certificates made as they are needed: for a name, for a time, with a key of their own.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};

/// Object identifiers, as they are written.
const ECDSA_WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
const EC_PUBLIC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
const PRIME256V1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
const COMMON_NAME: &[u8] = &[0x55, 4, 3];
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];

/// A certificate that signs itself, and its key.
pub struct Certificate {
    pub der: Vec<u8>,
    pub cert_pem: String,
    pub key_pem: String,
}

impl Certificate {
    /// For these host names, from the beginning of the one year to the beginning of the other.
    pub fn new(names: &[&str], from: u16, until: u16) -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap();
        let signed_with = sequence(&[oid(ECDSA_WITH_SHA256)]);
        let body = sequence(&[
            element(0xa0, &[element(2, &[vec![2]])]),
            element(2, &[vec![7]]),
            signed_with.clone(),
            write_name(names[0]),
            sequence(&[write_year(from), write_year(until)]),
            write_name(names[0]),
            sequence(&[
                sequence(&[oid(EC_PUBLIC_KEY), oid(PRIME256V1)]),
                bits(pair.public_key().as_ref()),
            ]),
            element(0xa3, &[sequence(&[write_alt_names(names)])]),
        ]);
        let signature = pair.sign(&random, &body).unwrap();
        let der = sequence(&[body, signed_with, bits(signature.as_ref())]);
        Self {
            cert_pem: write_pem("CERTIFICATE", &der),
            key_pem: write_pem("PRIVATE KEY", key.as_ref()),
            der,
        }
    }

    /// For this machine, valid for as long as these tests are run.
    pub fn for_localhost() -> Self {
        Self::new(&["localhost", "memory.example"], 2020, 2049)
    }
}

fn element(tag: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    let content = parts.concat();
    let mut head = vec![tag];
    // As few bytes as can be: a longer form of the same length is none.
    match u8::try_from(content.len()) {
        Ok(short) if short < 128 => head.push(short),
        Ok(length) => head.extend([0x81, length]),
        Err(_) => {
            let length = u16::try_from(content.len()).unwrap().to_be_bytes();
            head.extend([0x82, length[0], length[1]]);
        }
    }
    [head, content].concat()
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    element(0x30, parts)
}

fn oid(id: &[u8]) -> Vec<u8> {
    element(6, &[id.to_vec()])
}

fn bits(bytes: &[u8]) -> Vec<u8> {
    element(3, &[vec![0], bytes.to_vec()])
}

fn write_name(name: &str) -> Vec<u8> {
    let attribute = sequence(&[oid(COMMON_NAME), element(12, &[name.into()])]);
    sequence(&[element(0x31, &[attribute])])
}

fn write_year(year: u16) -> Vec<u8> {
    let text = format!("{:02}0101000000Z", year % 100);
    element(23, &[text.into()])
}

fn write_alt_names(names: &[&str]) -> Vec<u8> {
    let names: Vec<_> = names
        .iter()
        .map(|it| element(0x82, &[(*it).into()]))
        .collect();
    sequence(&[oid(SUBJECT_ALT_NAME), element(4, &[sequence(&names)])])
}

fn write_pem(label: &str, der: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(der);
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(64)
        .map(|it| std::str::from_utf8(it).unwrap())
        .collect();
    format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
        lines.join("\n")
    )
}
