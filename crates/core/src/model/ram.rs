//! The model of tests: it answers from a list, and keeps what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{Ask, Model, ModelError};

/// A question as it was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// What the model was to do.
    pub system: String,
    /// What it was to do it with.
    pub user: String,
    /// The schema of the answer.
    pub schema: Value,
    /// How long the answer was to be at most.
    pub max_tokens: u32,
}

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<Result<String, ModelError>>,
    asked: Vec<Asked>,
}

/// Answers in memory, one after the other; when none is left, the model is off. A clone is the same model.
#[derive(Debug, Clone, Default)]
pub struct Ram(Arc<Mutex<Script>>);

impl Ram {
    /// A model that gives these answers.
    pub fn new(answers: impl IntoIterator<Item = Result<String, ModelError>>) -> Self {
        let answers = answers.into_iter().collect();
        Self(Arc::new(Mutex::new(Script {
            answers,
            asked: Vec::new(),
        })))
    }

    /// A model that says this once.
    pub fn saying(text: impl Into<String>) -> Self {
        Self::new([Ok(text.into())])
    }

    /// What it was asked since the last call.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.script().asked)
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        // A panic while the lock was held leaves a list that is whole: each change is one call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Model for Ram {
    fn complete(&self, ask: &Ask<'_>) -> Result<String, ModelError> {
        let Ask {
            system,
            user,
            schema,
            max_tokens,
        } = *ask;
        let mut script = self.script();
        script.asked.push(Asked {
            system: system.to_owned(),
            user: user.to_owned(),
            schema: schema.clone(),
            max_tokens,
        });
        script.answers.pop_front().unwrap_or(Err(ModelError::Off))
    }
}
