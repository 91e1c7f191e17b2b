//! Glean with a model: it is shown a bounded part of the session, and nothing it finds counts without the words that
//! prove it.
//!
//! What comes back is not trusted. Each find must name a turn of the person that the model was shown, quote words that
//! stand in it, and speak of what was quoted. What does not is dropped and never mended.

mod answer;
mod evidence;
mod prompt;

use super::ExtractedStatement;
use crate::transcript::TranscriptTurn;
use apostille_core::model::{Model, ModelError, ModelRequest};
use evidence::ExtractionEvidence;

/// How much is sent, and how much is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractionBudget {
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

impl Default for ExtractionBudget {
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
pub fn extract_with_model(
    model: &dyn Model,
    turns: &[TranscriptTurn],
    known: &[String],
    budget: ExtractionBudget,
) -> Result<Vec<ExtractedStatement>, ModelError> {
    let sent = prompt::select_sent_turns(turns, &budget);
    if !sent.iter().any(|it| it.is_person) {
        return Ok(Vec::new());
    }
    let said = model.complete(&ModelRequest {
        system: prompt::SYSTEM,
        user: &prompt::format_extraction_prompt(&sent),
        schema: &answer::build_extraction_schema(),
        max_tokens: budget.tokens,
    })?;
    let evidence = ExtractionEvidence::new(&sent, known, budget.fact);
    // The finds that stand, each once.
    let mut found: Vec<ExtractedStatement> = Vec::new();
    for item in answer::parse_extraction_answer(&said)? {
        let proven = evidence.prove_item(item);
        found.extend(proven.filter(|it| found.iter().all(|other| other.fact != it.fact)));
    }
    found.truncate(budget.finds);
    Ok(found)
}
