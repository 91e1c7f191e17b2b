//! The model of tests: it answers from a list, and keeps what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use apostille_core::model::{Model, ModelError, ModelRequest};

/// A question as it was asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordedRequest {
    /// What the model was to do.
    pub(crate) system: String,
    /// What it was to do it with.
    pub(crate) user: String,
    /// The schema of the answer.
    pub(crate) schema: Value,
    /// How long the answer was to be at most.
    pub(crate) max_tokens: u32,
}

#[derive(Debug, Default)]
struct ModelScript {
    answers: VecDeque<Result<String, ModelError>>,
    asked: Vec<RecordedRequest>,
}

/// Answers in memory, one after the other; when none is left, the model is off. A clone is the same model.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScriptedModel(Arc<Mutex<ModelScript>>);

impl ScriptedModel {
    /// A model that gives these answers.
    pub(crate) fn new(answers: impl IntoIterator<Item = Result<String, ModelError>>) -> Self {
        let answers = answers.into_iter().collect();
        Self(Arc::new(Mutex::new(ModelScript {
            answers,
            asked: Vec::new(),
        })))
    }

    /// A model that says this once.
    pub(crate) fn with_answer(text: impl Into<String>) -> Self {
        Self::new([Ok(text.into())])
    }

    /// What it was asked since the last call.
    pub(crate) fn take_requests(&self) -> Vec<RecordedRequest> {
        std::mem::take(&mut self.lock_script().asked)
    }

    fn lock_script(&self) -> MutexGuard<'_, ModelScript> {
        // A panic while the lock was held leaves a list that is whole: each change is one call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Model for ScriptedModel {
    fn complete(&self, ask: &ModelRequest<'_>) -> Result<String, ModelError> {
        let ModelRequest {
            system,
            user,
            schema,
            max_tokens,
        } = *ask;
        let mut script = self.lock_script();
        script.asked.push(RecordedRequest {
            system: system.to_owned(),
            user: user.to_owned(),
            schema: schema.clone(),
            max_tokens,
        });
        script.answers.pop_front().unwrap_or(Err(ModelError::Off))
    }
}
