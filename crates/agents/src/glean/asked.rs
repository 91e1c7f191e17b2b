//! Glean with a model: it is shown a bounded part of the session, and nothing it finds counts without the words that
//! prove it.
//!
//! What comes back is not trusted. Each find must name a turn of the person that the model was shown, quote words that
//! stand in it, and speak of what was quoted. What does not is dropped and never mended.

mod answer;
mod evidence;
mod prompt;

use super::Gleaned;
use crate::transcript::Turn;
use answer::Item;
use apostille_core::model::{Ask, Model, ModelError};
use evidence::Evidence;

/// How much is sent, and how much is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Characters of the transcript in all; the newest turns are kept.
    pub transcript: usize,
    /// Characters of one turn of the person.
    pub person: usize,
    /// Characters of one turn of the agent.
    pub agent: usize,
    /// Finds that are taken at most.
    pub finds: usize,
    /// Characters of one find.
    pub fact: usize,
    /// How long the answer may become, in the model's own measure.
    pub tokens: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            transcript: 12_000,
            person: 600,
            agent: 200,
            finds: 5,
            fact: 300,
            tokens: 2_000,
        }
    }
}

/// What the person stated and nobody remembered, as far as a model finds it and the transcript proves it.
///
/// `known` is what need not be found: facts that are remembered, or that the session was shown. A session in which the
/// person said nothing that may be sent is not sent at all.
pub fn ask(
    model: &dyn Model,
    turns: &[Turn],
    known: &[String],
    budget: Budget,
) -> Result<Vec<Gleaned>, ModelError> {
    let sent = prompt::sent(turns, &budget);
    if !sent.iter().any(|it| it.is_person) {
        return Ok(Vec::new());
    }
    let (user, schema) = (prompt::user(&sent), answer::schema());
    let said = model.complete(&Ask {
        system: prompt::SYSTEM,
        user: &user,
        schema: &schema,
        max_tokens: budget.tokens,
    })?;
    let evidence = Evidence::new(&sent, known, budget.fact);
    Ok(proven(&evidence, answer::read(&said)?, budget.finds))
}

/// The finds that stand, each once.
fn proven(evidence: &Evidence<'_>, items: Vec<Item>, most: usize) -> Vec<Gleaned> {
    let mut found: Vec<Gleaned> = Vec::new();
    for item in items {
        let Some(it) = evidence.judge(item) else {
            continue;
        };
        if found.len() < most && !found.iter().any(|other| other.fact == it.fact) {
            found.push(it);
        }
    }
    found
}
