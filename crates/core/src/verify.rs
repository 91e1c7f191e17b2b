//! Verify: look up the citations of memories, write down what was found, and let those that moved follow the code.
//!
//! A verdict belongs to a tree, and a memory belongs to everybody who shares the store. What is gone on a feature branch, in
//! a half-done edit or in an old checkout may stand in every other tree. So a memory is changed only where the tree is
//! settled (`Source::is_settled`: the default branch, nothing uncommitted); elsewhere verifying looks and writes down what it
//! saw. And even there it is invalidated only when the caller says so, and only on proof (`CitationFinding::is_proof`): the
//! change is part of this tree's own history, or the cited text was never there. A commit that is not part of this
//! history, such as one of a branch not merged yet, is a reason to withhold a memory and none to drop it.
//!
//! Of a correction that was made on a branch, the default branch itself is asked, wherever the caller is; see `branches`.
//!
//! Nothing is lost by this caution: recall withholds what does not hold, whatever the memory's status is.

pub mod proposal;

use std::collections::BTreeSet;

use crate::speaker::Person;
use crate::{
    Context, CoreError,
    branches::{self, OtherVersion, VersionView, choose_version},
    event::{Batch, Event, EventBody, Precondition},
    judge::MemoryJudge,
    memory::{Handle, Memory, MemoryId, Status},
    refusal::check_text,
    standing_text::{StandingView, describe_stage},
    store::StoreError,
};
use apostille_cite::{
    capture::capture_lines,
    citation::Citation,
    diff,
    follow::{CitationFinding, FAR, JudgedClaim},
    standing::{Judgement, Showing, Standing},
    verdict::Verdict,
};
use apostille_text::{moderate, words::words};

/// How many memories are changed in one write.
const LOT: usize = 100;
/// How much of a diff is kept with an invalidated memory, in characters.
const MAX_DIFF: usize = 4_000;

/// What verifying may change. On any tree but a settled one, nothing is changed whatever it says.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerifyOptions<'a> {
    /// Whether citations that moved follow the code.
    pub heal: bool,
    /// Whether memories with evidence against them are marked as wrong.
    pub invalidate: bool,
    /// The person who says so: without one, what a person said is left alone.
    pub by: Option<&'a Person>,
}

words! {
    /// What verifying did to a memory.
    VerifyAction as "deed" {
        /// Its citations follow the code now.
        Healed = "healed",
        /// It was marked as wrong.
        Invalidated = "invalidated",
        /// Its correction stands on the default branch now, and took its place.
        Superseded = "superseded",
        /// Its citations were put on the edited lines, which still say it.
        Confirmed = "confirmed",
    }
}

/// A memory with what was found at its citations.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedMemory {
    /// The memory as it was when it was looked up.
    pub memory: Memory,
    /// One verdict for each citation, in order.
    pub verdicts: Vec<Verdict>,
    /// How its fact stands by them.
    pub judgement: Judgement,
    /// Whether it was recorded on a branch that never reached this tree.
    pub is_unmerged: bool,
    /// Whether every citation was found in this tree, or followed through its history to what became of it. Otherwise
    /// nothing says that what it cites was ever part of this tree.
    pub is_traced: bool,
    /// The version of it that it is kept beside until the default branch decides.
    pub beside: Option<OtherVersion>,
    /// What took its place, where that is still there.
    pub superseded_by: Option<Handle>,
    /// Whether another version of it is the one that a reader of this tree is shown, or another took its place for good.
    pub is_outranked: bool,
    /// What was done about it.
    pub deed: Option<VerifyAction>,
}

impl<'a> From<&'a VerifiedMemory> for StandingView<'a> {
    fn from(it: &'a VerifiedMemory) -> Self {
        Self {
            memory: &it.memory,
            verdicts: &it.verdicts,
            judgement: &it.judgement,
        }
    }
}

impl<'a> From<&'a VerifiedMemory> for VersionView<'a> {
    fn from(it: &'a VerifiedMemory) -> Self {
        Self {
            memory: &it.memory,
            standing: it.standing(),
            is_unmerged: it.is_unmerged,
        }
    }
}

impl VerifiedMemory {
    /// A memory of a repository that is not here: what it cites cannot be looked up.
    #[must_use]
    pub fn without_look(memory: Memory) -> Self {
        let standing = if memory.citations.is_empty() {
            Standing::Stated
        } else {
            Standing::Unknown
        };
        Self {
            memory,
            verdicts: Vec::new(),
            judgement: standing.into(),
            is_unmerged: false,
            is_traced: false,
            beside: None,
            superseded_by: None,
            is_outranked: false,
            deed: None,
        }
    }

    /// Where it is in its life, in words; nothing where it is in use.
    pub fn describe_stage(&self) -> Option<String> {
        describe_stage(&self.memory, self.superseded_by)
    }

    /// Whether another took its place for good.
    pub fn is_superseded(&self) -> bool {
        self.memory.status.superseded_by().is_some()
    }

    /// How its fact stands.
    pub fn standing(&self) -> Standing {
        self.judgement.standing
    }

    /// Whether it may be called fresh again: its code was neither edited nor speaks against it. What could not be looked
    /// up is no reason to refuse.
    #[must_use]
    pub fn can_be_refreshed(&self) -> bool {
        self.standing() != Standing::Check && !self.is_bad()
    }

    /// Whether its evidence does not simply stand.
    fn is_doubted(&self) -> bool {
        self.standing().showing() != Showing::Plain
    }

    /// How it is shown: of several versions only one is.
    #[must_use]
    pub fn showing(&self) -> Showing {
        if self.is_outranked {
            Showing::Withheld
        } else {
            self.standing().showing()
        }
    }

    /// Whether it may be shown, plainly or with a mark.
    pub fn is_good(&self) -> bool {
        self.showing() != Showing::Withheld
    }

    /// Whether there is evidence against it. What could not be looked up is no evidence, nor is what stands here against
    /// the version of another branch.
    pub fn is_bad(&self) -> bool {
        self.standing().is_refuted() && !self.is_outranked
    }

    /// Whether it is wrong about this tree: what a branch says that never reached the tree is not about it.
    pub fn is_invalid(&self) -> bool {
        self.is_bad() && !self.is_unmerged
    }
}

/// What came of verifying.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VerifyReport {
    /// Each memory, in the order given.
    pub memories: Vec<VerifiedMemory>,
    /// Whether this is the default branch with nothing half done in it, so that something could be changed.
    pub is_settled: bool,
    /// In which tree they were looked up, as `main@3f2c1d2e`, where that is not the reader's own.
    pub verified_at: Option<String>,
}

/// Looks up the citations of these memories, and does what the orders allow. `seen` is told of each one as it is done.
pub fn verify(
    cx: &Context,
    memories: Vec<Memory>,
    orders: VerifyOptions,
    mut seen: impl FnMut(&VerifiedMemory),
) -> Result<VerifyReport, CoreError> {
    let mut looked_up = follow_citations_in_detail(cx, memories, FAR);
    for (verified, _) in &looked_up {
        seen(verified);
    }
    if orders.heal {
        settle_versions(cx, &mut looked_up)?;
    }
    let is_settled = (orders.heal || orders.invalidate) && cx.source.is_settled().unwrap_or(false);
    if is_settled {
        write_verify_changes(cx, orders, &mut looked_up)?;
    }
    let memories: Vec<VerifiedMemory> = looked_up.into_iter().map(|it| it.0).collect();
    log_verified_memories(cx, &memories)?;
    Ok(VerifyReport {
        memories,
        is_settled,
        verified_at: cx.source.describe_tree(),
    })
}

/// Lets the citations of these memories follow the code, and corrections take their place, where the tree is settled: what
/// `verify` does, while nobody waits. Nobody was shown anything, so only what changed is written. How many did.
pub fn heal_memories(cx: &Context, memories: Vec<Memory>) -> Result<usize, CoreError> {
    if !cx.source.is_settled().unwrap_or(false) {
        return Ok(0);
    }
    let mut looked_up = follow_citations_in_detail(cx, memories, FAR);
    settle_versions(cx, &mut looked_up)?;
    let orders = VerifyOptions {
        heal: true,
        invalidate: false,
        by: None,
    };
    write_verify_changes(cx, orders, &mut looked_up)?;
    Ok(looked_up.iter().filter(|it| it.0.deed.is_some()).count())
}

/// Looks up the citations of these memories and writes nothing, not even that somebody looked.
pub fn follow_memory_citations(cx: &Context, memories: Vec<Memory>) -> Vec<VerifiedMemory> {
    follow_recent_citations(cx, memories, FAR)
}

/// The same where somebody waits: at most so many commits are followed, and one leap takes the place of the rest.
pub fn follow_recent_citations(
    cx: &Context,
    memories: Vec<Memory>,
    most: usize,
) -> Vec<VerifiedMemory> {
    let looked_up = follow_citations_in_detail(cx, memories, most).into_iter();
    looked_up.map(|it| it.0).collect()
}

/// Each memory with its verdicts, and what else was seen.
fn follow_citations_in_detail(
    cx: &Context,
    memories: Vec<Memory>,
    most: usize,
) -> Vec<(VerifiedMemory, Vec<CitationFinding>)> {
    let mut looked_up = judge_memories(cx, memories, most);
    note_other_versions(cx, &mut looked_up, most);
    note_replacements(cx, &mut looked_up);
    looked_up
}

fn judge_memories(
    cx: &Context,
    memories: Vec<Memory>,
    most: usize,
) -> Vec<(VerifiedMemory, Vec<CitationFinding>)> {
    let found = MemoryJudge::new(cx, most).judge_memories(&memories);
    let verify = |(memory, judged): (Memory, JudgedClaim)| {
        let is_traced = |it: &CitationFinding| !it.verdict.is_bad() || it.is_proof();
        let verified = VerifiedMemory {
            memory,
            verdicts: judged.verdicts(),
            is_unmerged: judged.is_unmerged(),
            is_traced: judged.findings.iter().all(is_traced),
            judgement: judged.judgement,
            beside: None,
            superseded_by: None,
            is_outranked: false,
            deed: None,
        };
        (verified, judged.findings)
    };
    memories.into_iter().zip(found).map(verify).collect()
}

/// Says of each memory which other version there is, and whether that is the one to show here. What the store cannot tell
/// is no version.
fn note_other_versions(
    cx: &Context,
    looked_up: &mut [(VerifiedMemory, Vec<CitationFinding>)],
    most: usize,
) {
    let memories: Vec<&Memory> = looked_up.iter().map(|it| &it.0.memory).collect();
    let doubted = looked_up.iter().filter(|it| it.0.is_doubted());
    let doubted: BTreeSet<MemoryId> = doubted.map(|it| it.0.memory.id).collect();
    let replaced = list_replaced_meanwhile(cx, &memories, &doubted);
    let families = branches::find_version_families(cx, &memories, |id| doubted.contains(&id));
    for family in families.unwrap_or_default() {
        let is_absent = |it: &&Memory| looked_up.iter().all(|known| known.0.memory.id != it.id);
        let absent = family.members().filter(is_absent).cloned().collect();
        let absent = judge_memories(cx, absent, most);
        let members = looked_up.iter().filter(|it| family.has(it.0.memory.id));
        let views = members.chain(&absent).map(|it| VersionView::from(&it.0));
        let chosen = choose_version(&views.collect::<Vec<_>>());
        for (it, _) in looked_up.iter_mut() {
            if family.has(it.memory.id) {
                it.beside = family.other_version_of(it.memory.id);
                it.is_outranked = chosen != Some(it.memory.id);
            }
        }
    }
    for (it, _) in looked_up {
        it.is_outranked |= replaced.contains(&it.memory.id);
    }
}

/// Says of each memory that was superseded what took its place, unless that is gone since.
fn note_replacements(cx: &Context, looked_up: &mut [(VerifiedMemory, Vec<CitationFinding>)]) {
    let statuses = looked_up.iter().map(|it| &it.0.memory.status);
    let ids: Vec<MemoryId> = statuses.filter_map(Status::superseded_by).collect();
    if ids.is_empty() {
        return;
    }
    let known = cx.store.get_by_ids(&ids).unwrap_or_default();
    for (it, _) in looked_up.iter_mut().filter(|it| it.0.is_superseded()) {
        let by = it.memory.status.superseded_by();
        let is_new = |new: &&Memory| Some(new.id) == by && new.space == it.memory.space;
        it.superseded_by = known.iter().find(is_new).map(Memory::handle);
        it.is_outranked = true;
    }
}

/// Those of the doubted memories that another process replaced or dropped since they were read, as healing in the
/// background does: nothing is to be repaired there.
fn list_replaced_meanwhile(
    cx: &Context,
    memories: &[&Memory],
    doubted: &BTreeSet<MemoryId>,
) -> BTreeSet<MemoryId> {
    let were_active = memories.iter().filter(|it| it.is_active());
    let ids: Vec<MemoryId> = were_active
        .map(|it| it.id)
        .filter(|id| doubted.contains(id))
        .collect();
    if ids.is_empty() {
        return BTreeSet::new();
    }
    let now = cx.store.get_by_ids(&ids).unwrap_or_default();
    let gone = now.into_iter().filter(|it| !it.is_active());
    gone.map(|it| it.id).collect()
}

/// Lets corrections take their place that stand on the default branch by now.
fn settle_versions(
    cx: &Context,
    looked_up: &mut [(VerifiedMemory, Vec<CitationFinding>)],
) -> Result<(), CoreError> {
    let waiting = looked_up.iter().filter(|it| it.0.beside.is_some());
    let waiting: Vec<&Memory> = waiting.map(|it| &it.0.memory).collect();
    let replaced = branches::settle_merged_versions(cx, &waiting)?;
    for (it, _) in looked_up {
        if replaced.contains(&it.memory.id) {
            (it.deed, it.is_outranked) = (Some(VerifyAction::Superseded), true);
        }
    }
    Ok(())
}

/// Writes what is to be changed, a lot at a time. Where another writer was first, each memory of the lot is tried alone,
/// and one that another program changed meanwhile is left as it is.
fn write_verify_changes(
    cx: &Context,
    orders: VerifyOptions,
    looked_up: &mut [(VerifiedMemory, Vec<CitationFinding>)],
) -> Result<(), CoreError> {
    let mut due: Vec<(&mut VerifiedMemory, VerifyAction, Event)> = Vec::new();
    let is_open = |it: &&mut (VerifiedMemory, _)| it.0.memory.is_active() && it.0.deed.is_none();
    for (verified, sights) in looked_up.iter_mut().filter(is_open) {
        if let Some((deed, what)) = choose_verify_action(cx, orders, verified, sights) {
            let event = cx.new_memory_event(&verified.memory, what);
            due.push((verified, deed, event));
        }
    }
    for lot in due.chunks_mut(LOT) {
        if append_verify_lot(cx, lot)? {
            continue;
        }
        for one in lot {
            append_verify_lot(cx, std::slice::from_mut(one))?;
        }
    }
    Ok(())
}

/// Whether a lot was written; `false` when another writer was first.
fn append_verify_lot(
    cx: &Context,
    lot: &mut [(&mut VerifiedMemory, VerifyAction, Event)],
) -> Result<bool, CoreError> {
    let unmoved = |it: &(&mut VerifiedMemory, _, _)| Precondition::unmoved(&it.0.memory);
    let expects = lot.iter().map(unmoved).collect();
    let events = lot.iter().map(|it| it.2.clone()).collect();
    match cx.append_durable(events, expects) {
        Ok(_) => {}
        Err(StoreError::Conflict { .. }) => return Ok(false),
        Err(error) => return Err(error),
    }
    for (verified, deed, _) in lot {
        verified.deed = Some(*deed);
    }
    Ok(true)
}

fn choose_verify_action(
    cx: &Context,
    orders: VerifyOptions,
    it: &VerifiedMemory,
    sights: &[CitationFinding],
) -> Option<(VerifyAction, EventBody)> {
    if it.standing() == Standing::Stands && orders.heal {
        return heal_citations(cx, it).map(|what| (VerifyAction::Healed, what));
    }
    let is_proven = it.is_bad() && sights.iter().any(CitationFinding::is_proof);
    let is_allowed = !it.memory.voice.is_persons_word()
        || orders.by.is_some_and(|by| by.can_reach(&it.memory.space));
    (orders.invalidate && is_proven && is_allowed).then(|| {
        let reason = format_invalid_reason(it);
        let diff = build_kept_diff(it);
        (
            VerifyAction::Invalidated,
            EventBody::Invalidated { reason, diff },
        )
    })
}

/// The citations as they stand now; `None` when all of them still are what was captured.
fn heal_citations(cx: &Context, it: &VerifiedMemory) -> Option<EventBody> {
    let mut followed = Vec::new();
    let mut citations = it.memory.citations.clone();
    for (citation, verdict) in citations.iter_mut().zip(&it.verdicts) {
        let cited = citation.location();
        let place = match verdict {
            Verdict::Moved { to } => to,
            // The fact stands in what the lines became.
            Verdict::Changed(found) => &found.at,
            // It is anchored anew too, so that the way from its commit to today stays short.
            Verdict::Holds => {
                if let Ok(now) = capture_lines(cx.source, &cited) {
                    *citation = now;
                }
                continue;
            }
            _ => continue,
        };
        *citation = capture_lines(cx.source, place).ok()?;
        followed.push(format!("{cited} → {place}"));
    }
    (!followed.is_empty()).then_some(EventBody::Refreshed {
        citations: Some(citations),
        evidence: None,
        names: None,
        followed,
        voucher: None,
    })
}

/// Why a memory is marked as wrong: what was found, the places named.
pub fn format_invalid_reason(it: &VerifiedMemory) -> String {
    let found = it.memory.citations.iter().zip(&it.verdicts);
    let reasons: Vec<String> = found
        .filter(|(_, verdict)| verdict.is_bad())
        .map(|(citation, verdict)| format_verdict_reason(citation, verdict))
        .collect();
    moderate::neutralise_text(&reasons.join("; "))
}

pub(crate) fn format_verdict_reason(citation: &Citation, verdict: &Verdict) -> String {
    let commit = |word: &str, commit: &Option<String>| {
        let short = commit.as_deref().and_then(|it| it.get(..10));
        short.map_or(String::new(), |it| format!(" {word} {it}"))
    };
    let place = citation.location();
    match verdict {
        Verdict::Changed(it) => {
            format!("{place} changed ({}){}", it.change, commit("by", &it.since))
        }
        Verdict::Gone { loss, since } => {
            format!("{place}: {}{}", loss.as_phrase(), commit("since", since))
        }
        other => format!("{place} {}", other.as_str()),
    }
}

/// What changed in the cited code. A diff that holds a secret is not kept, and a long one not whole.
fn build_kept_diff(it: &VerifiedMemory) -> Option<String> {
    let mut diff = String::new();
    for (citation, verdict) in it.memory.citations.iter().zip(&it.verdicts) {
        if let Verdict::Changed(found) = verdict
            && !found.is_harmless
        {
            let (old, new) = (&citation.snippet, &found.now);
            diff += &diff::format_unified_diff(&format!("{old}\n"), &format!("{new}\n"));
        }
    }
    let diff: String = diff.chars().take(MAX_DIFF).collect();
    let is_fit = !diff.is_empty() && check_text("diff", &diff).is_ok();
    is_fit.then(|| moderate::neutralise_text(&diff))
}

/// Writes down what was found, where it was found at all.
fn log_verified_memories(cx: &Context, memories: &[VerifiedMemory]) -> Result<(), CoreError> {
    let is_found = |it: &&VerifiedMemory| !it.verdicts.is_empty() && (it.is_good() || it.is_bad());
    let found = memories.iter().filter(is_found);
    let events = build_verified_events(cx, found.map(StandingView::from));
    if !events.is_empty() {
        let batch = Batch::new_telemetry(events, Vec::new());
        cx.store.append_batch(&batch)?;
    }
    Ok(())
}

/// What was found about some memories, as events. The tree is asked for once: a recall writes an event for each memory.
pub(crate) fn build_verified_events<'v>(
    cx: &Context,
    found: impl Iterator<Item = StandingView<'v>>,
) -> Vec<Event> {
    let mut commit = None;
    found
        .map(|it| {
            let commit = commit.get_or_insert_with(|| cx.source.read_tree().ok()?.commit);
            let places = it.memory.citations.iter().zip(it.verdicts);
            let what = EventBody::Verified {
                valid: it.judgement.standing.showing() != Showing::Withheld,
                found: places
                    .map(|(citation, verdict)| {
                        format!("{} {}", verdict.as_str(), citation.location())
                    })
                    .collect(),
                commit: commit.clone(),
            };
            cx.new_memory_event(it.memory, what)
        })
        .collect()
}
