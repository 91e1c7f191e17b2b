//! `init` and `doctor`: what is written into other programs’ settings, and the proof that it works.
//!
//! Every command is a function from what was typed to what is printed; a test, the tour and the binary call the same one.
//!
//! ```
//! use apostille_setup::init;
//! use apostille_terminal::args::InitArgs;
//! use apostille_terminal::command_context::{CommandContext, CommandOutput};
//! use apostille_workspace::error::CommandError;
//!
//! let command: fn(&CommandContext, &InitArgs) -> Result<CommandOutput, CommandError> = init::run;
//! # let _ = command;
//! ```

pub mod doctor;
pub mod init;
pub mod tour;
