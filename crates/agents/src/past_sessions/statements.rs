//! What past sessions state, each thing once, the best first.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use apostille_core::{memory::Draft, space::Space};
use apostille_text::overlap::normalise_fact;
use jiff::Timestamp;

use super::SourceSession;
use crate::{
    extract::{ExtractedStatement, StatementSort, draft_extracted_statement, extract_statements},
    past_transcripts::PastSession,
    transcript::{TranscriptTurn, TurnSpeaker},
};

/// What was stated, by its words without their spelling.
#[derive(Debug, Default)]
pub(super) struct StatedFacts(BTreeMap<String, StatedFact>);

/// Something that was stated, as it was put last.
#[derive(Debug)]
pub(super) struct StatedFact {
    statement: ExtractedStatement,
    session: SourceSession,
    at: Option<Timestamp>,
    sessions: BTreeSet<String>,
}

impl StatedFacts {
    /// Takes in what one session states.
    pub(super) fn add_session(&mut self, past: &PastSession, turns: &[TranscriptTurn]) {
        for found in extract_statements(turns) {
            let turn = turns.iter().find(|it| it.number == found.turn);
            let at = turn.and_then(|it| it.at);
            let prompts = turns
                .iter()
                .filter(|it| it.speaker == TurnSpeaker::Person && it.number <= found.turn);
            let statement = ExtractedStatement {
                // Which prompt of the session it is: people count those.
                turn: prompts.count(),
                ..found
            };
            self.add_statement(past, statement, at);
        }
    }

    fn add_statement(
        &mut self,
        past: &PastSession,
        statement: ExtractedStatement,
        at: Option<Timestamp>,
    ) {
        let new = StatedFact {
            session: SourceSession {
                name: past.name.clone(),
                client: past.client,
            },
            at,
            sessions: BTreeSet::new(),
            statement,
        };
        let key = normalise_fact(None, &new.statement.fact);
        let known = self.0.entry(key).or_insert_with(|| StatedFact {
            at: None,
            session: new.session.clone(),
            statement: new.statement.clone(),
            sessions: BTreeSet::new(),
        });
        known.sessions.insert(past.name.clone());
        if new.at >= known.at {
            let sessions = std::mem::take(&mut known.sessions);
            *known = StatedFact { sessions, ..new };
        }
    }

    /// What was stated in several sessions, and what was stated in one; each the best first.
    pub(super) fn into_ranked(self) -> (Vec<StatedFact>, Vec<StatedFact>) {
        let mut all: Vec<StatedFact> = self.0.into_values().collect();
        all.sort_by_key(|it| {
            let sort = rank_sort(it.statement.sort);
            (Reverse(it.sessions.len()), sort, Reverse(it.at))
        });
        all.into_iter().partition(|it| it.sessions.len() > 1)
    }
}

/// What costs most when it is not known comes first.
fn rank_sort(sort: StatementSort) -> u8 {
    match sort {
        StatementSort::Correction => 0,
        StatementSort::Preference => 1,
        StatementSort::Fact => 2,
    }
}

impl StatedFact {
    /// The draft of it, with the sessions that it was stated in.
    pub(super) fn into_draft(self, repo: &Space, user: &Space) -> Draft {
        let (name, client) = (&self.session.name, self.session.client);
        let draft = draft_extracted_statement(&self.statement, repo, user, name, client);
        let day = self.at.map(|it| it.strftime(", %Y-%m-%d").to_string());
        let more = match self.sessions.len() {
            0 | 1 => String::new(),
            n => format!("; in {n} sessions"),
        };
        let reason = draft.reason.unwrap_or_default();
        Draft {
            reason: Some(format!("{reason}{}{more}", day.unwrap_or_default())),
            ..draft
        }
    }
}
