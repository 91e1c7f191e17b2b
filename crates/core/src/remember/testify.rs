//! What a session's own record says for a draft: the user's words, and the commands that ran.
//!
//! What an agent says about the user needs the user's words, and what it says about a command needs a run of it. Both are
//! looked up in what the client wrote down ([`Testimony`](crate::evidence::Testimony)), never taken from the call: a quote has
//! to stand in a turn of the user, and it has to say the fact. What is not proved waits for a person; only a quote or a run
//! that is certainly not there is refused, because an agent can put that right at once.

use apostille_text::{
    quotes::{
        find_saying_quote, is_own_statement, is_quoted_from, is_said_by_quote, speaks_of_user,
    },
    secrets,
};

use super::{classify::Classified, quarantine::is_gleaned};
use crate::{
    Context,
    evidence::{CommandRun, Evidence, SaidQuote, UserTurn},
    memory::{Draft, Kind, Layer},
    refusal::Refusal,
    runs::names_command,
};

/// How much of what somebody said is kept as a quote, in characters.
const MAX_QUOTE: usize = 300;

/// What was found in the record of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionProof {
    /// What proves the draft.
    pub(super) evidence: Vec<Evidence>,
    /// Why what it needs could not be proved.
    pub(super) lacking: Option<String>,
}

/// Looks for what proves a draft that no person states.
pub(super) fn find_session_proof(
    cx: &Context,
    it: &Classified,
    has_citations: bool,
) -> Result<SessionProof, Refusal> {
    let draft = &it.draft;
    let mut proof = SessionProof::default();
    let is_found = is_gleaned(&draft.voice, it.layer);
    // What the program finds waits for a person in any case; the run that it rests on is kept for them to see.
    if let Some(command) = draft.ran.as_ref().filter(|_| is_found) {
        SessionRecord::read(cx, draft).prove_run(draft, command, &mut proof)?;
        return Ok(proof);
    }
    let is_claim = it.layer.is_lasting() && !is_found;
    // Whatever kind an agent calls it: "the user wants …" is about the user.
    let is_about_user =
        it.kind == Kind::User || it.layer == Layer::Identity || speaks_of_user(&draft.fact);
    // A file of notes is a text of its own; what it says of the user goes with them everywhere, and is proved like any other.
    let needs_proof = is_about_user || cx.policy.require_citations && !draft.is_verbatim;
    // What the program saw run waits for a person all the same, who is shown the run.
    if let (true, Some(command)) = (is_gleaned(&draft.voice, it.layer), &draft.ran) {
        SessionRecord::read(cx, draft).prove_run(draft, command, &mut proof)?;
        proof.lacking = None;
        return Ok(proof);
    }
    if draft.voice.is_person() || draft.voice.tainted || !is_claim || !needs_proof {
        return Ok(proof);
    }
    let record = SessionRecord::read(cx, draft);
    match &draft.said {
        Some(words) => record.prove_quote(draft, words, &mut proof)?,
        None if is_about_user
            || needs_words(it, has_citations)
            || draft.on_duplicate.replaced_name().is_some() =>
        {
            record.search_quote(draft, &mut proof)
        }
        None => {}
    }
    match &draft.ran {
        Some(command) => record.prove_run(draft, command, &mut proof)?,
        None if !has_citations => record.search_run(draft, &mut proof),
        None => {}
    }
    if is_about_user && proof.evidence.is_empty() && proof.lacking.is_none() {
        proof.lacking = Some(record.explain_missing_words());
    }
    Ok(proof)
}

/// Whether the user's words would prove what nothing else does.
fn needs_words(it: &Classified, has_citations: bool) -> bool {
    !has_citations || it.kind == Kind::User || it.layer == Layer::Identity
}

/// The record of the session that a draft was written in, as far as it can be read.
struct SessionRecord {
    turns: Option<Vec<UserTurn>>,
    runs: Option<Vec<CommandRun>>,
    session: String,
}

impl SessionRecord {
    fn read(cx: &Context, draft: &Draft) -> Self {
        let session = draft.voice.session.clone().unwrap_or_default();
        let testimony = cx.testimony.filter(|_| !session.is_empty());
        Self {
            turns: testimony.and_then(|it| it.list_user_turns(&session)),
            runs: testimony.and_then(|it| it.list_command_runs(&session)),
            session,
        }
    }

    /// The words that were given as a quote have to be found, and have to say the fact.
    fn prove_quote(
        &self,
        draft: &Draft,
        words: &str,
        proof: &mut SessionProof,
    ) -> Result<(), Refusal> {
        let Some(turns) = &self.turns else {
            proof.lacking = Some(NO_RECORD.into());
            return Ok(());
        };
        let turn = turns
            .iter()
            .rev()
            .find(|it| is_quoted_from(words, &it.text));
        let turn = turn.ok_or(Refusal::NotSaid)?;
        if is_said_by_quote(&draft.fact, words) && is_own_statement(words, &turn.text) {
            proof.evidence.push(self.quote(turn, words));
        } else {
            proof.lacking = Some("the words of the user that are quoted do not say it".into());
        }
        Ok(())
    }

    /// Looks for words of the user that say the fact, the latest first.
    fn search_quote(&self, draft: &Draft, proof: &mut SessionProof) {
        let turns = self.turns.iter().flatten().rev();
        let found = turns.filter_map(|turn| {
            let words = find_saying_quote(&draft.fact, &turn.text, MAX_QUOTE)?;
            secrets::find_secret(words)
                .is_none()
                .then(|| self.quote(turn, words))
        });
        proof.evidence.extend(found.take(1));
    }

    fn quote(&self, turn: &UserTurn, words: &str) -> Evidence {
        Evidence::Said(SaidQuote {
            quote: words.chars().take(MAX_QUOTE).collect(),
            session: self.session.clone(),
            turn: turn.turn,
            at: turn.at,
        })
    }

    /// A command that was given as a proof has to have run, and the fact has to be about it.
    fn prove_run(
        &self,
        draft: &Draft,
        command: &str,
        proof: &mut SessionProof,
    ) -> Result<(), Refusal> {
        let Some(runs) = &self.runs else {
            proof.lacking = Some(NO_RECORD.into());
            return Ok(());
        };
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let run = runs
            .iter()
            .rev()
            .find(|it| words(&it.command) == words(command));
        let run = run.ok_or_else(|| Refusal::NotRun {
            command: command.chars().take(MAX_QUOTE).collect(),
        })?;
        if names_command(&draft.fact, &run.command) {
            proof.evidence.push(Evidence::Ran(run.clone()));
        } else {
            proof.lacking = Some(format!("it does not name the command `{command}`"));
        }
        Ok(())
    }

    /// Looks for a command that the fact names and that succeeded.
    fn search_run(&self, draft: &Draft, proof: &mut SessionProof) {
        let runs = self.runs.iter().flatten().rev();
        let mut named =
            runs.filter(|it| it.has_succeeded && names_command(&draft.fact, &it.command));
        let is_fit = |it: &&CommandRun| secrets::find_secret(&it.command).is_none();
        let run = named.find(is_fit);
        proof.evidence.extend(run.cloned().map(Evidence::Ran));
    }

    fn explain_missing_words(&self) -> String {
        match self.turns {
            Some(_) => {
                "nothing that the user said in this session says it; quote their words as `said`"
                    .into()
            }
            None => NO_RECORD.into(),
        }
    }
}

/// Why nothing of a session can be proved.
const NO_RECORD: &str =
    "it is about the user or a command, and no record of this session can be read to prove it";
