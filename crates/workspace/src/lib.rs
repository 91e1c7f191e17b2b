//! Configuration, the checkout, and the store and source that belong to a call: everything that is opened before a verb runs.

pub mod beside;
pub mod config;
pub mod desk;
pub mod disk;
pub mod error;
pub mod host;
pub mod hub;
pub mod model;
pub mod place;
pub mod prompt;
pub mod sessions;
pub mod speaker;
pub mod system;
pub mod task;
pub mod tokens;
pub mod unplaced;
pub mod used;
