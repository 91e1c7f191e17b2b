//! The version of the prompt that led to a change: the SHA-256 of its parts that do not vary from run to run. What
//! memory adds varies, and is left out.

use apostille_text::digest::Digest;

/// The digest of these parts, in this order. Names and lengths count, so that no text can pass for another's.
pub fn compute_prompt_version(parts: &[(&str, &[u8])]) -> Digest {
    let mut bytes = Vec::new();
    for (name, text) in parts {
        bytes.extend_from_slice(format!("{name}\0{}\0", text.len()).as_bytes());
        bytes.extend_from_slice(text);
    }
    Digest::hash_bytes(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_order_and_borders_count() {
        let one = compute_prompt_version(&[("AGENTS.md", b"ab"), ("CLAUDE.md", b"c")]);
        assert_eq!(
            one,
            compute_prompt_version(&[("AGENTS.md", b"ab"), ("CLAUDE.md", b"c")])
        );
        assert_ne!(
            one,
            compute_prompt_version(&[("AGENTS.md", b"a"), ("CLAUDE.md", b"bc")])
        );
        assert_ne!(
            one,
            compute_prompt_version(&[("CLAUDE.md", b"c"), ("AGENTS.md", b"ab")])
        );
        assert_ne!(
            one,
            compute_prompt_version(&[("AGENTS.md", b"ab"), ("GEMINI.md", b"c")])
        );
    }
}
