//! What a person types and how it is answered: arguments, colours and output.

pub mod args;
pub mod breakers;
pub mod command_context;
pub mod paint;
