//! Two protocols of models behind [`apostille_core::model::Model`]. Nothing is asked unless the user sets one up.

pub mod protocols;
