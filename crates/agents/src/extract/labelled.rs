//! Sessions with labels, and how well the statements in them are found: `cargo run -p apostille-agents --example statements -- FILE…`
//! measures any.
//!
//! A session is a head and its lines: `# claude-code: name`, then `person: …`, `agent: …`, `call: …`; two spaces continue a line.
//! `=> fact: word; other words` after a prompt says what it states, by words that a proposal must have; `=? …` what it may be
//! found to state. What stands before a line `---` is a preamble.

use super::{
    ExtractedStatement, StatementSort, own_sentences::split_own_sentences,
    sentence_context::SentenceContext, statement_model::is_quotable,
    wording::list_wording_features,
};
use crate::{
    client::Client,
    transcript::{TranscriptTurn, TurnSpeaker},
};

/// What should be found.
#[derive(Debug, Clone)]
pub struct StatementLabel {
    /// What sort of statement it is.
    pub sort: StatementSort,
    /// What a proposal that says it has to contain.
    pub words: Vec<String>,
    /// The prompt in which it was said.
    pub said: String,
}

/// A line of a session: who, and what.
#[derive(Debug, Clone)]
pub struct LabelledLine {
    /// "person", "agent", or what an agent did.
    pub who: String,
    /// What was said or done.
    pub text: String,
}

/// A session with its labels.
#[derive(Debug, Clone)]
pub struct LabelledSession {
    /// The client it was held with.
    pub client: Client,
    /// What it is called.
    pub name: String,
    /// Its lines, in their order.
    pub lines: Vec<LabelledLine>,
    /// What should be found in it.
    pub labels: Vec<StatementLabel>,
    /// What may be found, or not.
    pub optional: Vec<StatementLabel>,
}

/// The sessions of a file, or the line that cannot be read.
pub fn parse_labelled_sessions(text: &str) -> Result<Vec<LabelledSession>, String> {
    let body = match text.split_once("\n---\n") {
        Some((preamble, body)) if !preamble.starts_with("# ") => body,
        _ => text,
    };
    let all = format!("\n{body}");
    let blocks = all.split("\n# ").skip(1);
    blocks.map(parse_labelled_session).collect()
}

fn parse_labelled_session(block: &str) -> Result<LabelledSession, String> {
    let (head, body) = block.split_once('\n').unwrap_or((block, ""));
    let (client, name) = head.split_once(": ").ok_or(head)?;
    let mut session = LabelledSession {
        client: client.parse().map_err(|_| head)?,
        name: name.into(),
        lines: Vec::new(),
        labels: Vec::new(),
        optional: Vec::new(),
    };
    for line in body.lines().filter(|it| !it.trim().is_empty()) {
        session.read_line(line).ok_or(line)?;
    }
    Ok(session)
}

impl LabelledSession {
    fn read_line(&mut self, line: &str) -> Option<()> {
        if let Some(more) = line.strip_prefix("  ") {
            let last = self.lines.last_mut()?;
            last.text = format!("{}\n{more}", last.text);
        } else if let Some(label) = line.strip_prefix("=> ") {
            self.labels.push(self.read_label(label)?);
        } else if let Some(label) = line.strip_prefix("=? ") {
            self.optional.push(self.read_label(label)?);
        } else {
            let (who, text) = line.split_once(": ")?;
            self.lines.push(LabelledLine {
                who: who.into(),
                text: text.into(),
            });
        }
        Some(())
    }

    fn read_label(&self, label: &str) -> Option<StatementLabel> {
        let (sort, words) = label.split_once(": ")?;
        let said = self.lines.iter().rfind(|it| it.who == "person")?;
        Some(StatementLabel {
            sort: sort.parse().ok()?,
            words: words.split("; ").map(Into::into).collect(),
            said: said.text.clone(),
        })
    }

    /// What was said in it, as a transcript without calls.
    pub fn to_turns(&self) -> Vec<TranscriptTurn> {
        let said = self.lines.iter().filter_map(|it| match it.who.as_str() {
            "person" => Some((TurnSpeaker::Person, &it.text)),
            "agent" => Some((TurnSpeaker::Agent, &it.text)),
            _ => None,
        });
        let turns = said
            .enumerate()
            .map(|(at, (speaker, text))| TranscriptTurn {
                number: at + 1,
                at: None,
                speaker,
                text: text.clone(),
                uses: Vec::new(),
            });
        turns.collect()
    }

    /// How well the statements in it were found. A proposal is right when it says a statement that no other said before; it may
    /// say two that were made in one breath.
    pub fn judge_statements(
        &self,
        turns: &[TranscriptTurn],
        found: &[ExtractedStatement],
    ) -> JudgedStatements {
        let mut judged = JudgedStatements {
            labelled: self.labels.len(),
            ..JudgedStatements::default()
        };
        let mut open: Vec<&StatementLabel> = self.labels.iter().collect();
        let says = |it: &ExtractedStatement, label: &StatementLabel| label.is_said_by(it, turns);
        let is_optional =
            |it: &ExtractedStatement| self.optional.iter().any(|label| says(it, label));
        for it in found.iter().filter(|it| !is_optional(it)) {
            judged.proposed += 1;
            let (meant, rest): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|label| says(it, label));
            open = rest;
            judged.found += meant.len();
            match meant.first() {
                Some(_) => judged.right += 1,
                None => judged
                    .faults
                    .push(format!("wrong {}: {}", self.name, it.fact)),
            }
            judged.sorted += meant.iter().filter(|label| label.sort == it.sort).count();
        }
        let missed = open
            .iter()
            .map(|it| format!("miss  {}: {}", self.name, it.said));
        judged.faults.extend(missed);
        judged
    }
}

impl StatementLabel {
    fn is_said_by(&self, found: &ExtractedStatement, turns: &[TranscriptTurn]) -> bool {
        let turn = turns.iter().find(|it| it.number == found.turn);
        let fact = fold_quotes(&found.fact);
        let mut words = self.words.iter();
        turn.is_some_and(|it| it.text.trim() == self.said.trim())
            && words.all(|word| fact.contains(&fold_quotes(word)))
    }
}

/// In lower case; a quotation within a quotation has the other marks.
fn fold_quotes(text: &str) -> String {
    text.to_lowercase().replace('"', "'")
}

/// How many of the labelled statements were found, and how many of the proposals were right.
#[derive(Debug, Clone, Default)]
pub struct JudgedStatements {
    /// Proposals, but for those that may be made or not.
    pub proposed: usize,
    /// Proposals that say a labelled statement.
    pub right: usize,
    /// Labelled statements.
    pub labelled: usize,
    /// Labelled statements that a proposal says.
    pub found: usize,
    /// Those of them whose sort is the labelled one.
    pub sorted: usize,
    /// What was proposed wrongly, and what was missed.
    pub faults: Vec<String>,
}

impl JudgedStatements {
    /// Of a hundred proposals, how many are right.
    pub fn precision(&self) -> usize {
        (self.right * 100).checked_div(self.proposed).unwrap_or(100)
    }

    /// Of a hundred labelled statements, how many are found.
    pub fn recall(&self) -> usize {
        (self.found * 100).checked_div(self.labelled).unwrap_or(100)
    }

    /// Adds the figures of another session.
    pub fn add(&mut self, more: Self) {
        self.proposed += more.proposed;
        self.right += more.right;
        self.labelled += more.labelled;
        self.found += more.found;
        self.sorted += more.sorted;
        self.faults.extend(more.faults);
    }
}

impl std::fmt::Display for JudgedStatements {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (precision, recall) = (self.precision(), self.recall());
        write!(
            f,
            "precision {precision} % ({}/{}), recall {recall} % ({}/{}), sort {}/{}",
            self.right, self.proposed, self.found, self.labelled, self.sorted, self.found
        )
    }
}

/// A sentence of a labelled session, as the model is trained on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingSentence {
    /// The turn it stands in.
    pub turn: usize,
    /// Whether it is a part of what is labelled.
    pub is_stated: bool,
    /// How it is worded.
    pub features: Vec<String>,
}

/// The sentences of a session that may state something, but for those that may be found or not.
pub fn list_training_sentences(session: &LabelledSession) -> Vec<TrainingSentence> {
    let turns = session.to_turns();
    let mut list = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        if turn.speaker != TurnSpeaker::Person {
            continue;
        }
        let sentences = split_own_sentences(&turn.text);
        let setting = SentenceContext::from_turns(&turns, at, &sentences);
        for (place, sentence) in sentences.iter().enumerate() {
            let lower = sentence.text.to_lowercase();
            let is_part = |label: &StatementLabel| {
                let mut words = label.words.iter();
                label.said == turn.text && words.any(|it| lower.contains(&it.to_lowercase()))
            };
            if is_quotable(sentence) && !session.optional.iter().any(is_part) {
                list.push(TrainingSentence {
                    turn: turn.number,
                    is_stated: session.labels.iter().any(is_part),
                    features: list_wording_features(&sentences, place, &setting)
                        .into_iter()
                        .collect(),
                });
            }
        }
    }
    list
}
