//! Text in, values out: secrets, moderation, literals and search terms. Nothing here knows a memory or a store.
//!
//! ```
//! use apostille_text::{literals, moderate, secrets, terms};
//!
//! // What a fact states and the cited lines do not say.
//! let evidence = [("src/retry.rs", "pub const MAX_RETRIES: u32 = 3;")];
//! assert_eq!(literals::find_ungrounded_literals("`MAX_RETRIES` is 5", &evidence), ["5"]);
//! assert!(literals::find_ungrounded_literals("`MAX_RETRIES` is 3", &evidence).is_empty());
//!
//! // Text that is about to be shown: on one line, with nothing hidden in it.
//! assert_eq!(moderate::neutralise_to_one_line("one\u{200b}\ntwo"), "one two");
//! assert_eq!(secrets::find_secret("the build takes 40 seconds"), None);
//!
//! // An identifier is found as a whole and by its parts.
//! let found = terms::extract_terms("parseHttpHeader");
//! assert!(found.iter().any(|(term, _)| term == "http"));
//! ```
//!
//! How the pieces fit: [`secrets`] answers whether a text holds a secret, [`moderate`] takes out what a reader cannot see
//! and says whether a text gives orders to a model. [`literals`] are the names, numbers, paths and quotes of a fact, which
//! code spells the same way; [`terms`] is the one analyser for indexing and for questions, with [`typo`] and [`overlap`]
//! as its arithmetic. [`mod@words`] makes enums with a fixed spelling, [`word_lists`] looks words up, [`digest`] is SHA-256,
//! [`shorten`] cuts a text at a character, [`sentences`] counts what a text says, and [`quotes`] tells whether somebody's words say
//! a fact.

mod characters;
pub mod contradict;
pub mod dates;
pub mod delimiters;
pub mod digest;
pub mod fragments;
pub mod literals;
pub mod moderate;
pub mod overlap;
pub mod quotes;
pub mod secrets;
pub mod sentences;
pub mod shell_word;
pub mod shorten;
pub mod terms;
pub mod tokens;
pub mod typo;
pub mod word_lists;
pub mod words;
