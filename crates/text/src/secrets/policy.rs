//! What a user says about secrets: values that are none, and patterns of their own.
//!
//! Texts are looked through at some sixty places, on writing and on reading, and all of them have to agree. So the policy of
//! the user is installed once when the program starts, and the scanner asks it about what it found. Only the user's own
//! configuration makes one: a repository that could allow values could carry secrets past its readers.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{OnceLock, PoisonError, RwLock},
};

use regex::bytes::{Regex, RegexBuilder};

use super::{SecretHit, find_secret_match_with, is_value_edge};
use crate::digest::Digest;

/// How many entries a list has at most.
const MAX_ENTRIES: usize = 64;
/// How long a pattern is at most, in bytes.
const MAX_PATTERN: usize = 512;
/// How much memory a compiled pattern takes at most, in bytes.
const MAX_COMPILED: usize = 256 * 1024;
/// How deep the groups of a pattern are nested at most.
const MAX_NESTING: u32 = 16;
/// How many values are let pass because a person let their memory pass; the oldest go first.
const MAX_CLEARED: usize = 1_024;
/// What a digest begins with.
const DIGEST_MARK: &str = "sha256:";
/// What a rule of the user is called.
pub(super) const OWN_RULE: &str = "own-rule";

/// Which values are no secrets, and which are although the table does not know them.
#[derive(Debug, Clone, Default)]
pub struct SecretPolicy {
    allowed: Vec<Regex>,
    digests: Vec<Digest>,
    rules: Vec<Regex>,
}

/// Why a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretPolicyError {
    /// Too many entries.
    #[error("{n} entries, at most {MAX_ENTRIES} are read")]
    TooMany {
        /// How many there are.
        n: usize,
    },
    /// A pattern is too long.
    #[error("entry {number} is longer than {MAX_PATTERN} bytes")]
    TooLong {
        /// Which, from 1.
        number: usize,
    },
    /// A pattern cannot be compiled, or would take too much memory.
    #[error("entry {number} is not a regular expression: {why}")]
    BadPattern {
        /// Which, from 1.
        number: usize,
        /// What is wrong.
        why: String,
    },
    /// A pattern matches a text of nothing.
    #[error("entry {number} matches an empty text; write what it begins with")]
    MatchesNothing {
        /// Which, from 1.
        number: usize,
    },
    /// A digest has another form.
    #[error("entry {number} is not a digest; expected sha256: and 64 hexadecimal characters")]
    BadDigest {
        /// Which, from 1.
        number: usize,
    },
}

impl SecretPolicy {
    /// The policy with these values allowed: patterns that match a value as a whole, or `sha256:` and its digest.
    pub fn with_allowed(self, entries: &[String]) -> Result<Self, SecretPolicyError> {
        check_entry_count(entries)?;
        let (mut allowed, mut digests) = (Vec::new(), Vec::new());
        for (index, entry) in entries.iter().enumerate() {
            let number = index + 1;
            match entry.strip_prefix(DIGEST_MARK) {
                Some(digest) => digests.push(
                    digest
                        .parse()
                        .map_err(|_| SecretPolicyError::BadDigest { number })?,
                ),
                None => {
                    compile_user_pattern(number, entry)?;
                    allowed.push(compile_user_pattern(number, &format!("^(?:{entry})$"))?);
                }
            }
        }
        Ok(Self {
            allowed,
            digests,
            ..self
        })
    }

    /// The policy with rules of the user's own: what one of these patterns matches is a secret.
    pub fn with_rules(self, entries: &[String]) -> Result<Self, SecretPolicyError> {
        check_entry_count(entries)?;
        let rules = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| compile_user_pattern(index + 1, entry));
        Ok(Self {
            rules: rules.collect::<Result<_, _>>()?,
            ..self
        })
    }

    /// How many values and how many rules it names.
    pub fn count_entries(&self) -> (usize, usize) {
        (self.allowed.len() + self.digests.len(), self.rules.len())
    }

    /// Where a rule of the user finds a secret.
    pub(super) fn find_own_rule(&self, plain: &str) -> Option<SecretHit> {
        let found = self
            .rules
            .iter()
            .flat_map(|it| it.find_iter(plain.as_bytes()));
        let mut places = found.map(|it| it.range()).filter(|it| !it.is_empty());
        places
            .find(|it| !self.allows_value(plain.as_bytes(), it))
            .map(|it| (OWN_RULE, it))
    }

    /// Whether the value at this place is none of a secret's: the user said so of it, or of the word that it stands in.
    pub(super) fn allows_value(&self, plain: &[u8], at: &Range<usize>) -> bool {
        let is_said = |value: &[u8]| {
            let digest = || Digest::hash_bytes(value);
            self.allowed.iter().any(|it| it.is_match(value))
                || (!self.digests.is_empty() && self.digests.contains(&digest()))
                || is_cleared_value(value)
        };
        is_said(&plain[at.clone()]) || is_said(&plain[widen_to_word(plain, at)])
    }
}

fn check_entry_count(entries: &[String]) -> Result<(), SecretPolicyError> {
    let n = entries.len();
    if n > MAX_ENTRIES {
        return Err(SecretPolicyError::TooMany { n });
    }
    Ok(())
}

/// Compiles within bounds. This kind of expression takes time linear in the text, whatever is written.
fn compile_user_pattern(number: usize, pattern: &str) -> Result<Regex, SecretPolicyError> {
    if pattern.len() > MAX_PATTERN + "^(?:)$".len() {
        return Err(SecretPolicyError::TooLong { number });
    }
    let compiled = RegexBuilder::new(pattern)
        .unicode(false)
        .size_limit(MAX_COMPILED)
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| SecretPolicyError::BadPattern {
            number,
            why: describe_pattern_error(&error),
        })?;
    if compiled.is_match(b"") {
        return Err(SecretPolicyError::MatchesNothing { number });
    }
    Ok(compiled)
}

/// The last line of what the library says; the lines above draw the pattern.
fn describe_pattern_error(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

/// The word around a value, up to blanks, quotes and brackets: of a token, its prefix belongs to it.
pub(super) fn widen_to_word(plain: &[u8], at: &Range<usize>) -> Range<usize> {
    let before = plain[..at.start].iter().rev();
    let after = plain[at.end..].iter();
    let is_inside = |it: &&u8| !is_value_edge(**it);
    let start = at.start - before.take_while(is_inside).count();
    let end = at.end + after.take_while(is_inside).count();
    start..end
}

static INSTALLED: OnceLock<SecretPolicy> = OnceLock::new();
static CLEARED: RwLock<VecDeque<Digest>> = RwLock::new(VecDeque::new());

/// Makes this the policy of the process. The first one counts: a process serves one user.
pub fn install_secret_policy(policy: SecretPolicy) {
    let _ = INSTALLED.set(policy);
}

/// The policy of the process.
pub(super) fn installed_policy() -> &'static SecretPolicy {
    static NONE: SecretPolicy = SecretPolicy {
        allowed: Vec::new(),
        digests: Vec::new(),
        rules: Vec::new(),
    };
    INSTALLED.get().unwrap_or(&NONE)
}

/// Lets the values of a text pass from now on, in this process: a person saw them and said that they are no secrets.
///
/// What is shown is looked through once more on its way out, where nobody knows the memory any longer that it came from. So
/// what a person let pass is noted when the memory is read.
pub fn let_values_pass(text: &str) {
    const VALUES_MAX: usize = 32;
    for _ in 0..VALUES_MAX {
        let Some(found) = find_secret_match_with(installed_policy(), text) else {
            return;
        };
        let digest = found.digest_value();
        let mut cleared = CLEARED.write().unwrap_or_else(PoisonError::into_inner);
        if cleared.contains(&digest) {
            return;
        }
        cleared.truncate(MAX_CLEARED - 1);
        cleared.push_front(digest);
    }
}

fn is_cleared_value(value: &[u8]) -> bool {
    let cleared = CLEARED.read().unwrap_or_else(PoisonError::into_inner);
    !cleared.is_empty() && cleared.contains(&Digest::hash_bytes(value))
}

#[cfg(test)]
mod tests {
    use super::super::find_secret_match_with;
    use super::*;

    fn read_policy(allow: &[&str], rules: &[&str]) -> Result<SecretPolicy, SecretPolicyError> {
        let owned = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        SecretPolicy::default()
            .with_allowed(&owned(allow))?
            .with_rules(&owned(rules))
    }

    #[test]
    fn policy_allows_values_and_adds_rules() {
        let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let password = ["the password is hun", "ter2"].concat();
        let digest = format!("sha256:{}", Digest::hash_bytes(token.as_bytes()));
        let check = |allow: &[&str], rules: &[&str], text: &str, expected: Option<&str>| {
            let policy = read_policy(allow, rules).unwrap();
            let found = find_secret_match_with(&policy, text).map(|it| it.rule);
            assert_eq!(found, expected, "{allow:?} {rules:?} {text}");
        };
        check(&[], &[], &token, Some("github-token"));
        check(&[&digest], &[], &token, None);
        check(&["ghp_a1B2[A-Za-z0-9]+"], &[], &token, None);
        check(&["ghp_a1B2"], &[], &token, Some("github-token"));
        check(&["hunter[0-9]"], &[], &password, None);
        // One value that is allowed does not let another pass.
        let both = format!("{password}, and {token}");
        check(&["hunter[0-9]"], &[], &both, Some("github-token"));
        check(&[], &["ACME-[0-9]{6}"], "it is ACME-123456", Some(OWN_RULE));
        check(&["ACME-000000"], &["ACME-[0-9]{6}"], "ACME-000000", None);
        check(&[], &["ACME-[0-9]{6}"], "it is ACME-12", None);
    }

    #[test]
    fn policy_refuses_entries_it_cannot_use() {
        let check = |allow: &[&str], expected: &str| {
            let error = read_policy(allow, &[]).map(|_| ()).unwrap_err();
            assert_eq!(error.to_string(), expected, "{allow:?}");
        };
        check(
            &["ok", "a("],
            "entry 2 is not a regular expression: unclosed group",
        );
        check(
            &[".*"],
            "entry 1 matches an empty text; write what it begins with",
        );
        check(
            &["sha256:12"],
            "entry 1 is not a digest; expected sha256: and 64 hexadecimal characters",
        );
        check(&[&"a".repeat(600)], "entry 1 is longer than 512 bytes");
        check(&["a"; 65], "65 entries, at most 64 are read");
        assert!(read_policy(&["(a{1000}){1000}"], &[]).is_err());
    }

    #[test]
    fn values_of_a_cleared_text_pass() {
        let token = ["gl", "pat-", "Zz9yY8xX7wW6vV5uU4tT"].concat();
        let find = |text: &str| find_secret_match_with(&SecretPolicy::default(), text);
        assert!(find(&token).is_some());
        let_values_pass(&format!("the sample is {token}"));
        assert!(find(&format!("again {token}")).is_none());
        assert!(find(&token.replace("Zz9", "Aa1")).is_some());
    }
}
