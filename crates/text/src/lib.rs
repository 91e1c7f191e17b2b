//! Text in, values out: secrets, moderation, literals and search terms. Nothing here knows a memory or a store.

pub mod contradict;
pub mod delimiters;
pub mod digest;
pub mod literals;
pub mod moderate;
pub mod overlap;
pub mod secrets;
pub mod shorten;
pub mod terms;
pub mod typo;
pub mod words;
