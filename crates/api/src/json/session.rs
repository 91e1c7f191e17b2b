//! What agents were shown, session by session, and why.

use std::collections::BTreeMap;

use apostille_agents::{
    client::Client,
    session::{AgentSession, Moment, ShownMemory},
};
use apostille_core::{
    Context,
    memory::MemoryId,
    space::Space,
    store::StoreError,
    verify::{self, VerifiedMemory},
};
use apostille_text::moderate::neutralise_to_one_line;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    ScoreView,
    text_schema::{ShownStandingWord, TextEncoded},
};

/// What a session was shown.
#[derive(Default, Serialize, JsonSchema)]
pub struct SessionReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// Its client's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TextEncoded<Client>")]
    pub client: Option<&'static str>,
    /// When something was shown.
    pub moments: Vec<MomentView>,
}

/// A moment of the session.
#[derive(Serialize, JsonSchema)]
pub struct MomentView {
    /// Which prompt it belongs to.
    pub turn: usize,
    /// When.
    #[schemars(with = "TextEncoded<Timestamp>")]
    pub at: String,
    /// What moment it was.
    #[schemars(with = "TextEncoded<Moment>")]
    pub moment: &'static str,
    /// Whether the person asked to leave memory out of it.
    pub ignored: bool,
    /// What was shown.
    pub shown: Vec<ShownMemoryView>,
    /// What would have been shown, but did not hold.
    pub withheld: Vec<ShownMemoryView>,
}

/// A memory that was shown, as it was then and as it is now.
#[derive(Serialize, JsonSchema)]
pub struct ShownMemoryView {
    /// As it was called.
    pub handle: String,
    /// Which.
    pub id: String,
    /// What it says, where it is still there and holds.
    pub fact: Option<String>,
    /// How it stood when it was shown.
    pub standing: String,
    /// How it stands now, where it is still there.
    #[schemars(with = "Option<TextEncoded<ShownStandingWord>>")]
    pub now: Option<&'static str>,
    /// Whether it was of use.
    pub applied: bool,
    /// Its score.
    pub score: f32,
    /// Where the score came from.
    pub why: ScoreView,
}

impl SessionReply {
    /// What a session was shown: at its last turn, or at all of them. Of the memories in these spaces, with how they
    /// stand now; of others, nothing but their names.
    pub fn from_session(
        cx: &Context,
        spaces: &[Space],
        session: &AgentSession,
        is_all: bool,
    ) -> Result<Self, StoreError> {
        let first = session.entries.first();
        Ok(Self {
            ok: true,
            session: first.map(|it| it.session.clone()),
            client: first.map(|it| it.client.as_str()),
            moments: build_moment_views(cx, spaces, session, is_all)?,
        })
    }
}

/// How often the person said something.
pub fn count_session_turns(session: &AgentSession) -> usize {
    session
        .entries
        .iter()
        .filter(|it| it.moment == Moment::Prompt)
        .count()
}

/// The moments to tell: those of the last turn, or all at which something was shown.
fn build_moment_views(
    cx: &Context,
    spaces: &[Space],
    session: &AgentSession,
    is_all: bool,
) -> Result<Vec<MomentView>, StoreError> {
    // Also of what the client has dropped since: it was shown all the same.
    let ids: Vec<MemoryId> = session.told_ids().into_iter().collect();
    let mut memories = cx.store.get_by_ids(&ids)?;
    memories.retain(|it| spaces.contains(&it.space));
    let now: BTreeMap<MemoryId, VerifiedMemory> = verify::follow_memory_citations(cx, memories)
        .into_iter()
        .map(|it| (it.memory.id, it))
        .collect();
    let (done, told): (Vec<_>, Vec<_>) = session
        .entries
        .iter()
        .partition(|it| it.moment == Moment::Done);
    let is_applied = |id| done.iter().flat_map(|it| &it.shown).any(|it| it.id == id);
    let line = |it: &ShownMemory| build_shown_memory_view(it, now.get(&it.id), is_applied(it.id));
    let n_turns = count_session_turns(session);
    let mut turn = 0;
    let mut views = Vec::new();
    for entry in told {
        let is_prompt = entry.moment == Moment::Prompt;
        turn += usize::from(is_prompt);
        let is_telling = is_prompt || !entry.shown.is_empty() || !entry.withheld.is_empty();
        if is_telling && (is_all || turn == n_turns) {
            views.push(MomentView {
                turn,
                at: entry.at.to_string(),
                moment: entry.moment.as_str(),
                ignored: entry.is_ignored,
                shown: entry.shown.iter().map(line).collect(),
                withheld: entry.withheld.iter().map(line).collect(),
            });
        }
    }
    Ok(views)
}

fn build_shown_memory_view(
    it: &ShownMemory,
    now: Option<&VerifiedMemory>,
    applied: bool,
) -> ShownMemoryView {
    // What does not hold here is named, and not told.
    let fact = now
        .filter(|it| it.is_good())
        .map(|it| neutralise_to_one_line(&it.memory.fact));
    ShownMemoryView {
        handle: it.handle.to_string(),
        id: it.id.to_string(),
        fact,
        standing: it.verdict.clone(),
        now: now.map(|it| it.standing().as_str()),
        applied,
        score: it.score,
        why: ScoreView::from(&it.why),
    }
}

/// Sessions.
#[derive(Serialize, JsonSchema)]
pub struct SessionsReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    /// One a row.
    pub sessions: Vec<SessionRow>,
}

/// A session in a list.
#[derive(Serialize, JsonSchema)]
pub struct SessionRow {
    /// Its client's name for it.
    pub session: String,
    /// Whose it is.
    #[schemars(with = "TextEncoded<Client>")]
    pub client: &'static str,
    /// Where.
    pub repo: String,
    /// When it was last added to.
    #[schemars(with = "TextEncoded<Timestamp>")]
    pub at: String,
    /// How often the person said something.
    pub turns: usize,
    /// How many memories were shown.
    pub shown: usize,
}

impl SessionsReply {
    /// These sessions; those without a moment are none.
    pub fn new<'a>(sessions: impl IntoIterator<Item = &'a AgentSession>) -> Self {
        let row = |it: &AgentSession| {
            let last = it.entries.last()?;
            Some(SessionRow {
                session: last.session.clone(),
                client: last.client.as_str(),
                repo: last.space.to_string(),
                at: last.at.to_string(),
                turns: count_session_turns(it),
                shown: it.shown_ids().len(),
            })
        };
        Self {
            ok: true,
            sessions: sessions.into_iter().filter_map(row).collect(),
        }
    }
}
