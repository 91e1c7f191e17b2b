//! The sets of tools that an agent can be given, each a folder: the verbs for every day ([`everyday`]), verified memory
//! ([`verified`]), a plain notebook ([`simple`]), layers ([`layers`]), memory as files ([`files`]).
//!
//! A tool is a function over JSON: arguments in, an [`Answer`] out. [`Profile`] picks the set and calls a tool by its
//! name; [`prompts`] are the texts that a client can fetch.

mod answer;
pub mod everyday;
pub mod files;
pub mod layers;
mod outcome;
mod profile;
pub mod prompts;
pub mod resources;
pub mod simple;
mod tool;
pub mod verified;

pub use answer::ToolAnswer;
pub use profile::Profile;
pub use tool::{Tool, ToolEffect};
