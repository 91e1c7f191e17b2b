//! What an agent is shown at each moment of a session, and what a session leaves behind.
//! What is known about the programs that agents live in: what they send to a hook and how it is answered, what they
//! write down of a session, and how their settings name this program.
//!
//! [`clients`] has a folder for each of them. The other modules are what those folders share, and know no client by name:
//! [`hook`] reads payloads and prints answers, [`transcripts`] collects turns, [`settings`] edits other people's files.

pub mod brief;
pub mod client;
pub mod clients;
pub mod glean;
pub mod hook;
pub mod learn;
pub mod pace;
pub mod session;
pub mod settings;
pub mod transcript;
pub mod transcripts;
