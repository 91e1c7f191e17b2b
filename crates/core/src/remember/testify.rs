//! What a session's own record says for a draft: the user's words, and the commands that ran.
//!
//! What an agent says about the user needs the user's words, and what it says about a command needs a run of it. Both are
//! looked up in what the client wrote down ([`Testimony`](crate::evidence::Testimony)), never taken from the call: a quote has
//! to stand in a turn of the user, and it has to say the fact. What is not proved waits for a person; only a quote or a run
//! that is certainly not there is refused, because an agent can put that right at once. Words of a past conversation prove as
//! much, where the archive has them as the user's own.

use apostille_text::{
    quotes::{
        find_saying_quote, is_own_statement, is_quoted_from, is_said_by_quote, speaks_of_user,
    },
    secrets,
};

use super::{
    EarlyEnd,
    classify::{Classified, is_gleaned},
};
use crate::{
    Context,
    archive::{
        ArchiveHandle, ArchivePassage, ArchiveRecord, PassageSpeaker, recall::list_later_records,
        split_passage_name,
    },
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
) -> Result<SessionProof, EarlyEnd> {
    let draft = &it.draft;
    let mut proof = SessionProof::default();
    let said = draft.said.as_deref().map(split_passage_name);
    let is_found = is_gleaned(&draft.voice, it.layer);
    // What the program finds waits for a person in any case; what it rests on is kept for them to see.
    if is_found && let Some(found) = &draft.found {
        proof.evidence.push(found.clone());
        return Ok(proof);
    }
    if let Some(command) = draft.ran.as_ref().filter(|_| is_found) {
        SessionRecord::read(cx, draft).prove_run(draft, command, &mut proof)?;
        proof.lacking = None;
        return Ok(proof);
    }
    let is_claim = it.layer.is_lasting() && !is_found;
    // Whatever kind an agent calls it: "the user wants …" is about the user.
    let is_about_user =
        it.kind == Kind::User || it.layer == Layer::Identity || speaks_of_user(&draft.fact);
    // A file of notes is a text of its own; what it says of the user goes with them everywhere, and is proved like any other.
    let needs_proof = is_about_user || cx.policy.require_citations && !draft.is_verbatim;
    if let Some((Some(handle), words)) = said.filter(|_| is_claim && !draft.voice.tainted) {
        let said = ArchivedWords::find(cx, draft, handle)?;
        said.prove_quote(draft, words, &mut proof)?;
    }
    if draft.voice.is_person() || draft.voice.tainted || !is_claim || !needs_proof {
        return Ok(proof);
    }
    let record = SessionRecord::read(cx, draft);
    match said {
        Some((Some(_), _)) => {}
        Some((None, words)) => record.prove_quote(draft, words, &mut proof)?,
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

/// What the user said in a past conversation, as the archive has it.
struct ArchivedWords {
    /// What was named: the conversation, or one passage of it.
    name: ArchiveHandle,
    record: ArchiveRecord,
    /// The latest conversation about the same thing, where that is another one.
    later: Option<ArchiveHandle>,
}

/// Words of the user, with the passage that they stand in.
type QuotedWords<'a> = (&'a ArchivePassage, &'a str);

impl ArchivedWords {
    /// The conversation of this name, where it is one of a space that is in play and what is named in it is the user's.
    fn find(cx: &Context, draft: &Draft, name: ArchiveHandle) -> Result<Self, EarlyEnd> {
        let refuse = |why| refuse_passage(name, why);
        let archive = cx.archive.ok_or_else(|| refuse(NO_ARCHIVE))?;
        let is_here =
            |it: &ArchiveRecord| it.space == draft.space || cx.other_spaces.contains(&it.space);
        let found = archive.read_records(&[name.record])?.pop();
        let record = found.filter(is_here).ok_or_else(|| refuse(NO_PASSAGE))?;
        if let Some(number) = name.passage {
            let passage = record.find_passage(number);
            let passage = passage.ok_or_else(|| refuse(NO_PASSAGE))?;
            if passage.speaker != PassageSpeaker::User {
                return Err(refuse(NOT_THE_USERS).into());
            }
        }
        let later = list_later_records(archive, &record)?;
        Ok(Self {
            name,
            later: later.first().map(|it| ArchiveHandle::record(it.number)),
            record,
        })
    }

    /// The passages of the user that are named, the latest first: what was said last is what was decided.
    fn iter_own(&self) -> impl Iterator<Item = &ArchivePassage> {
        let is_named = |it: &&ArchivePassage| {
            let named = self.name.passage;
            it.speaker == PassageSpeaker::User && named.is_none_or(|named| it.number == named)
        };
        self.record.passages.iter().rev().filter(is_named)
    }

    /// The quoted words have to stand there and to say the fact; without any, words are looked for that do. A person knows what
    /// their own words say.
    fn prove_quote(
        &self,
        draft: &Draft,
        words: &str,
        proof: &mut SessionProof,
    ) -> Result<(), Refusal> {
        let is_person = draft.voice.is_person();
        let saying = match words.is_empty() {
            true => self.find_saying_words(&draft.fact),
            false => {
                let quoted = self.find_quoted_words(words)?;
                let is_stated = is_own_statement(words, &quoted.0.text);
                let is_proof = is_person || is_stated && is_said_by_quote(&draft.fact, words);
                is_proof.then_some(quoted)
            }
        };
        let own = || self.name.passage.and_then(|_| self.iter_own().next());
        let own = || own().filter(|_| is_person).map(|it| (it, &*it.text));
        let quote = saying.or_else(own);
        let quote = quote.filter(|it| secrets::find_secret(it.1).is_none());
        proof.evidence.extend(quote.map(|it| self.quote(it)));
        if !is_person {
            proof.lacking = self.explain_doubt(quote.is_some());
        }
        Ok(())
    }

    fn find_saying_words(&self, fact: &str) -> Option<QuotedWords<'_>> {
        let mut own = self.iter_own();
        own.find_map(|it| Some((it, find_saying_quote(fact, &it.text, MAX_QUOTE)?)))
    }

    fn find_quoted_words<'a>(&'a self, words: &'a str) -> Result<QuotedWords<'a>, Refusal> {
        let found = self.iter_own().find(|it| is_quoted_from(words, &it.text));
        let is_pasted = |it: &ArchivePassage| {
            let pasted = it.pasted.as_deref().unwrap_or_default();
            is_quoted_from(words, pasted)
        };
        match found {
            Some(passage) => Ok((passage, words)),
            None if self.iter_own().any(is_pasted) => Err(refuse_passage(self.name, PASTED)),
            None => Err(refuse_passage(self.name, NOT_THERE)),
        }
    }

    /// Why a person has to decide about words that stand there.
    fn explain_doubt(&self, is_said: bool) -> Option<String> {
        let name = self.name;
        if self.record.is_exposed {
            return Some(format!(
                "{name} was said in a session that had read words from outside"
            ));
        }
        if let Some(later) = self.later {
            return Some(format!(
                "the user spoke about the same thing again in {later}, after {name}; quote what was said there"
            ));
        }
        (!is_said).then(|| format!("the words of the user in {name} do not say it"))
    }

    fn quote(&self, (passage, words): QuotedWords<'_>) -> Evidence {
        let own = self.record.passages.iter();
        let own = own.filter(|it| it.speaker == PassageSpeaker::User);
        let turn = own.filter(|it| it.number <= passage.number).count();
        Evidence::Said(SaidQuote {
            quote: words.chars().take(MAX_QUOTE).collect(),
            session: self.record.name.clone(),
            turn: u32::try_from(turn).unwrap_or(u32::MAX),
            at: Some(passage.at),
        })
    }
}

fn refuse_passage(name: ArchiveHandle, why: &'static str) -> Refusal {
    Refusal::NoProofInPassage {
        passage: name.to_string(),
        why,
    }
}

const NO_ARCHIVE: &str = "conversations are not kept here, or not open to this caller";
const NO_PASSAGE: &str = "nothing that was said in this repository has this name";
const NOT_THERE: &str = "these words do not stand in it; quote them as they stand there";
const PASTED: &str = "these words were pasted there: they are another's, and not the user's";
const NOT_THE_USERS: &str = "it is what an agent said; only the user's own words prove";

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
