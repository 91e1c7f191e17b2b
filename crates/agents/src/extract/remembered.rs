//! Whether the agent remembered a statement by itself.

use std::collections::BTreeSet;

use super::{ExtractedStatement, StatementSort, lexicon::has_listed_word};
use crate::transcript::{TranscriptCall, TranscriptTurn, TurnSpeaker, is_shell_tool};
use apostille_text::terms;

/// Tools that remember, by what their names hold, whatever a client puts before them.
const TOOLS: &str = "memory_remember memory.remember memory_store memory.store memory_write memory_create memory_add \
    memory_supersede memory_revise save_memory store_memory add_memory create_memor update_memory \
    memorize";
/// Files that a client reads at every start: what stands there is remembered too.
const RULES: &str =
    "agents.md claude.md claude.local.md gemini.md memory.md copilot-instructions.md .cursorrules";
/// The share of a statement's terms that the call must have.
const SAME: f64 = 0.5;
/// The same where the agent answers the very statement: it may put it into its own words.
const SAME_IN_ANSWER: f64 = 0.25;

/// Whether an agent kept what was stated, then or later in the session.
pub(super) fn is_statement_remembered(turns: &[TranscriptTurn], it: &ExtractedStatement) -> bool {
    let stated = collect_telling_terms(&it.fact);
    let mut is_answer = it.sort != StatementSort::Correction;
    let mut later = turns.iter().skip_while(|turn| turn.number <= it.turn);
    later.any(|turn| {
        is_answer &= turn.speaker != TurnSpeaker::Person;
        let least = if is_answer { SAME_IN_ANSWER } else { SAME };
        let is_kept = |it: &TranscriptCall| {
            is_remember_call(it) && compute_term_share(&stated, &it.input) >= least
        };
        turn.speaker == TurnSpeaker::Agent && turn.uses.iter().any(is_kept)
    })
}

fn is_remember_call(it: &TranscriptCall) -> bool {
    let (tool, input) = (it.tool.to_ascii_lowercase(), it.input.to_ascii_lowercase());
    let is_tool = TOOLS.split(' ').any(|name| tool.contains(name));
    let mut edits = ["create", "insert", "str_replace", "add"].iter();
    let is_file_tool = tool.ends_with("memory") && edits.any(|it| input.contains(it));
    let is_command = is_shell_tool(&tool) && input.contains("apostille remember");
    let writes_rules = it.paths.iter().any(|path| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        has_listed_word(RULES, &name.to_ascii_lowercase())
            || path.contains("/memories/")
            || path.contains("/memory/")
    });
    let reads = ["read", "view", "cat", "grep", "glob"]
        .iter()
        .any(|it| tool == *it || tool.ends_with(&format!("_{it}")));
    (is_tool || is_file_tool || is_command || (writes_rules && !reads))
        && it.has_succeeded != Some(false)
}

/// The terms that carry a statement: not those that every such sentence has.
fn collect_telling_terms(fact: &str) -> BTreeSet<String> {
    const FRAME: &str =
        "The user wants the agent to does not want said always never we our this project";
    const SMALL: &str = "a an and or is are in on of for with it be from by at as use i no";
    let frame = collect_distinct_terms(FRAME);
    let mut terms = collect_distinct_terms(fact);
    terms.retain(|it| !frame.contains(it) && !has_listed_word(SMALL, it));
    terms
}

/// The words of a text, each once, in one form.
pub(super) fn collect_distinct_terms(text: &str) -> BTreeSet<String> {
    terms::extract_terms(text)
        .into_iter()
        .map(|it| it.0)
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "a sentence has few terms")]
fn compute_term_share(stated: &BTreeSet<String>, input: &str) -> f64 {
    let kept = collect_distinct_terms(input);
    stated.intersection(&kept).count() as f64 / stated.len().max(1) as f64
}
