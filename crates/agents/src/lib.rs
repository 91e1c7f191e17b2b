//! What an agent is shown at each moment of a session, and what a session leaves behind. Everything that is known about
//! the programs that agents live in: what they send to a hook and how it is answered, what they write down of a session,
//! and how their settings name this program.
//!
//! ```
//! use apostille_agents::client::Client;
//! use apostille_agents::clients::{print_hook_reply, read_hook_call};
//! use apostille_agents::hook::{HookMoment, HookReply};
//!
//! let stdin = r#"{"hook_event_name": "BeforeAgent", "session_id": "s1", "prompt": "why does it fail?"}"#;
//! let no_variables = |_: &str| None;
//! let call = read_hook_call(Client::Gemini, "BeforeAgent", stdin, &no_variables).unwrap();
//! assert_eq!(call.moment, HookMoment::Prompt { text: "why does it fail?".into() });
//!
//! let reply = HookReply { context: Some("retries: 3".into()), notice: None };
//! assert_eq!(
//!     print_hook_reply(&call, &reply),
//!     r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"retries: 3"}}"#
//! );
//! ```
//!
//! How the pieces fit: [`clients`] has a folder for each client. [`hook`] reads payloads and prints answers,
//! [`transcripts`] collects turns, [`settings`] edits other people's files: what clients share, and no client is known there
//! by name. [`briefing`] decides what is shown; [`session`] is what was shown so far, and [`ledger`] keeps it on disk. When a
//! session is over, [`extract`] finds what was stated in its [`transcript`] and not remembered, [`learn`] turns it into
//! proposals and an [`episode`], and keeps what was said. [`past_transcripts`]
//! are those that lie on this machine already, and [`past_sessions`] learns from them in the same way. [`hook::exposure`] knows which
//! tools bring in what strangers wrote. [`hook_latency`] is how long agents waited for their hooks.

pub mod archive;
pub mod briefing;
pub mod client;
pub mod clients;
pub mod commit_origin;
pub mod ended_session;
pub mod episode;
pub mod extract;
pub mod hook;
pub mod hook_latency;
pub mod learn;
pub mod ledger;
pub mod measure;
pub mod own_notes;
pub mod past_sessions;
pub mod past_transcripts;
pub mod session;
pub mod settings;
pub mod task_opening;
pub mod testimony;
pub mod transcript;
pub mod transcripts;
