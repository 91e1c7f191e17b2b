//! What an agent is shown at each moment of a session, and what a session leaves behind.

pub mod brief;
pub mod client;
pub mod glean;
pub mod hook;
pub mod learn;
pub mod pace;
pub mod session;
pub mod settings;
pub mod transcript;
pub mod transcripts;
