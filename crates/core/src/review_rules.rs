//! Rules that reviewers ask for: from a comment to a candidate, from several comments to a rule.
//!
//! A candidate is a pending memory whose evidence are comments ([`ReviewRemark`]). Comments that ask for the same add to it, and
//! when enough people who may decide have asked ([`ReviewPolicy`](crate::policy::ReviewPolicy)), it is in use: nobody but this file lets it out without a
//! person. **One comment never makes a rule**, and what a stranger writes is not kept at all. A comment that is deleted or
//! changed takes its support away, also from a rule in use. Nothing here reads a comment: whoever does hands in a sentence
//! (`apostille-reviews`), and that sentence travels the write path like any other words from outside.

mod gist;

use crate::{
    Context, CoreError,
    event::{EventBody, Precondition},
    evidence::{Evidence, ReviewAuthority, ReviewRemark},
    memory::{
        Channel, Draft, DuplicateChoice, Kind, Layer, Memory, MemoryName, Origin, ReplacementKind,
        Stage, Status, Voice,
    },
    refusal::Refusal,
    remember::{
        DraftRelation, EarlyEnd, RememberOutcome,
        approval::build_approval_events,
        modules::{ModuleOverlap, compare_modules},
        relation::ComparedMemory,
        resubmission::is_rejected_memory,
        reviewed::{ReviewedOutcome, remember_reviewed},
        separate_refusal,
    },
    review_remarks::{
        MAX_RULES, REVIEW_RULE, REVIEWS_ACTOR, as_reviews, count_distinct, is_older,
        is_review_rule, is_unconfirmed_rule, list_remarks,
    },
    space::Space,
    store::{EventPage, ListOrder, MemoryFilter, StoreError},
};
use apostille_text::contradict::FactRelation;

use gist::RuleGist;

/// How many comments a rule keeps as evidence: more would prove nothing more.
const MAX_REMARKS: usize = 12;
/// How many candidates may rest on one reviewer alone. Whoever floods crowds out nobody else.
const MAX_OF_ONE: usize = 25;
/// In how many pull requests of one person a reviewer asks for the same thing before it is about that person.
const TIMES_OF_ONE: usize = 3;
/// How often a write is tried again that another one overtook.
const TRIES: usize = 4;
/// How much of the log of a memory is read to see who let it in.
const MAX_CHANGES: usize = 50;

/// A sentence of a reviewer that may be a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedRule {
    /// Whose rule.
    pub space: Space,
    /// The sentence.
    pub text: String,
    /// The comment.
    pub remark: ReviewRemark,
}

/// What became of a reviewer's sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleOutcome {
    /// It waits as a candidate.
    Proposed(Box<Memory>),
    /// It supports a candidate, or a rule in use.
    Supported(Box<Memory>),
    /// It was the last support that was missing: the rule is in use.
    Approved(Box<Memory>),
    /// Nothing was done, for this reason.
    Ignored(&'static str),
    /// It was turned away.
    Refused(Refusal),
}

/// The rules of a space, and the candidates.
pub fn list_review_rules(
    cx: &Context,
    space: &Space,
    stages: &[Stage],
) -> Result<Vec<Memory>, CoreError> {
    let mut rules = cx.store.list_memories(&MemoryFilter {
        spaces: vec![space.clone()],
        layers: vec![Layer::Knowledge],
        origins: vec![Origin::Review],
        stages: stages.to_vec(),
        order: ListOrder::Oldest,
        limit: MAX_RULES,
        ..MemoryFilter::default()
    })?;
    rules.retain(is_review_rule);
    Ok(rules)
}

/// Takes in a sentence of a reviewer: it supports what asks for the same, or becomes a candidate.
pub fn propose_rule(cx: &Context, rule: &ProposedRule) -> Result<RuleOutcome, CoreError> {
    if rule.remark.authority == ReviewAuthority::Stranger {
        return Ok(RuleOutcome::Ignored("a stranger said it"));
    }
    let cx = &as_reviews(cx);
    let stages = [Stage::Active, Stage::Pending, Stage::Invalid];
    let known = list_review_rules(cx, &rule.space, &stages)?;
    let is_live = |it: &&Memory| it.status.stage().is_live();
    let gist = RuleGist::from_text(&rule.text);
    let agrees = |it: &&Memory| gist.agrees_with(&RuleGist::from_text(&it.fact));
    if let Some(same) = known.iter().filter(is_live).find(agrees) {
        return add_remark(cx, same.clone(), &rule.remark);
    }
    if known.iter().any(|it| is_rejected_memory(it) && agrees(&it)) {
        return Ok(RuleOutcome::Ignored("a person rejected it"));
    }
    if count_candidates_of(&known, &rule.remark.reviewer) >= MAX_OF_ONE {
        return Ok(RuleOutcome::Ignored(
            "too many candidates of this reviewer wait",
        ));
    }
    let old = known.iter().filter(|it| it.is_active());
    let old = old.rev().find(|it| gist.opposes_rule(it, rule)).cloned();
    remember_candidate(cx, rule, old)
}

impl RuleGist {
    /// Whether a proposed rule is against one in use, in the same scope. Where the scopes differ, both may be right.
    fn opposes_rule(&self, old: &Memory, rule: &ProposedRule) -> bool {
        let new = Memory {
            fact: rule.text.clone(),
            evidence: vec![Evidence::Review(rule.remark.clone())],
            citations: Vec::new(),
            ..old.clone()
        };
        let relation =
            ComparedMemory::new(&new).relate_to(&ComparedMemory::new(old), f32::INFINITY);
        let is_opposed = self.opposes(&RuleGist::from_text(&old.fact))
            || relation == Some(FactRelation::Opposed);
        is_opposed && compare_modules(&new, old) == ModuleOverlap::Same
    }
}

fn count_candidates_of(known: &[Memory], reviewer: &str) -> usize {
    let is_alone = |it: &&Memory| {
        it.status.stage() == Stage::Pending
            && list_remarks(it).all(|it| it.reviewer.eq_ignore_ascii_case(reviewer))
    };
    known.iter().filter(is_alone).count()
}

fn remember_candidate(
    cx: &Context,
    rule: &ProposedRule,
    old: Option<Memory>,
) -> Result<RuleOutcome, CoreError> {
    let on_duplicate = match &old {
        Some(old) => DuplicateChoice::Replace(MemoryName::Id(old.id), ReplacementKind::Better),
        None => DuplicateChoice::Ask,
    };
    let outcome = match remember_reviewed(cx, draft_rule(rule, on_duplicate), rule.remark.clone())?
    {
        ReviewedOutcome::Suspicious => {
            return Ok(RuleOutcome::Ignored("moderation found something in it"));
        }
        ReviewedOutcome::Through(outcome) => outcome,
    };
    let near = match outcome {
        RememberOutcome::Remembered { memory, .. } => return Ok(RuleOutcome::Proposed(memory)),
        RememberOutcome::Refreshed { .. } => return Ok(RuleOutcome::Ignored(KNOWN)),
        RememberOutcome::Refused(refusal) => return Ok(RuleOutcome::Refused(refusal)),
        RememberOutcome::Similar { near } => near,
    };
    let ids: Vec<_> = near.iter().map(|it| it.id).collect();
    let mut alike = cx.store.get_by_ids(&ids)?;
    let gist = RuleGist::from_text(&rule.text);
    // The same words may ask for the opposite.
    alike.retain(|it| it.is_active() || is_review_rule(it));
    alike.retain(|it| !gist.opposes(&RuleGist::from_text(&it.fact)));
    let is_same = near
        .first()
        .is_some_and(|it| it.relation == DraftRelation::NearDuplicate);
    match alike.into_iter().next().filter(|_| is_same) {
        Some(same) if is_review_rule(&same) => add_remark(cx, same, &rule.remark),
        Some(_) => Ok(RuleOutcome::Ignored(KNOWN)),
        None => remember_beside(cx, rule),
    }
}

/// Keeps a candidate beside what is much like it: the two are not the same.
fn remember_beside(cx: &Context, rule: &ProposedRule) -> Result<RuleOutcome, CoreError> {
    let beside = DuplicateChoice::Create("reviewers ask for it".into());
    let draft = draft_rule(rule, beside);
    Ok(match remember_reviewed(cx, draft, rule.remark.clone())? {
        ReviewedOutcome::Through(RememberOutcome::Remembered { memory, .. }) => {
            RuleOutcome::Proposed(memory)
        }
        ReviewedOutcome::Through(RememberOutcome::Refused(it)) => RuleOutcome::Refused(it),
        _ => RuleOutcome::Ignored(KNOWN),
    })
}

const KNOWN: &str = "a memory in use says it";

fn draft_rule(rule: &ProposedRule, on_duplicate: DuplicateChoice) -> Draft {
    let is_user = rule.space.is_user();
    let voice = Voice {
        origin: Origin::Review,
        channel: Channel::PullRequest,
        tainted: true,
        exposed: false,
        author: Some(rule.remark.reviewer.clone()),
        session: None,
    };
    Draft {
        layer: Some(Layer::Knowledge),
        kind: Some(if is_user { Kind::User } else { Kind::Feedback }),
        tags: vec![REVIEW_RULE.into()],
        on_duplicate,
        ..Draft::new(rule.space.clone(), rule.text.clone(), voice)
    }
}

/// Adds a comment to what a rule rests on; where that makes the quorum, the rule is in use.
fn add_remark(cx: &Context, rule: Memory, remark: &ReviewRemark) -> Result<RuleOutcome, CoreError> {
    let mut latest = Some(rule);
    for _ in 0..TRIES {
        let Some(rule) = latest.take() else {
            return Ok(RuleOutcome::Ignored("the rule is gone"));
        };
        if list_remarks(&rule).any(|it| it.comment == remark.comment) {
            return Ok(RuleOutcome::Supported(Box::new(rule)));
        }
        if list_remarks(&rule).count() >= MAX_REMARKS {
            return Ok(RuleOutcome::Ignored("the rule has comments enough"));
        }
        let id = rule.id;
        match write_remark(cx, rule, remark) {
            Ok(written) => {
                // Another process may have written its own at the same moment: then one of them is not there.
                let kept = cx.store.get_by_ids(&[id])?.pop();
                let is_kept = kept
                    .as_ref()
                    .is_some_and(|it| list_remarks(it).any(|it| it.comment == remark.comment));
                if is_kept {
                    return Ok(written);
                }
                latest = kept;
            }
            Err(EarlyEnd::Broken(StoreError::Conflict { .. })) => {
                latest = cx.store.get_by_ids(&[id])?.pop();
            }
            Err(EarlyEnd::Broken(error)) => return Err(error),
            Err(EarlyEnd::Refused(refusal)) => return Ok(RuleOutcome::Refused(refusal)),
        }
        latest = latest.filter(|it| it.status.stage().is_live());
    }
    Ok(RuleOutcome::Ignored("others keep changing the rule"))
}

fn write_remark(
    cx: &Context,
    mut rule: Memory,
    remark: &ReviewRemark,
) -> Result<RuleOutcome, EarlyEnd> {
    let mut expects = vec![Precondition::unmoved(&rule)];
    let mut evidence = rule.evidence.clone();
    evidence.push(Evidence::Review(remark.clone()));
    let refreshed = cx.new_memory_event(&rule, replace_evidence(evidence));
    rule.apply_event(&refreshed);
    let mut events = vec![refreshed];
    let is_due = rule.status.stage() == Stage::Pending && can_be_approved(cx, &rule);
    if is_due {
        let (approved, unmoved) = build_approval_events(cx, &mut rule)?;
        events.extend(approved);
        expects.extend(unmoved);
    }
    cx.append_durable(events, expects)?;
    let rule = Box::new(rule);
    Ok(match is_due {
        true => RuleOutcome::Approved(rule),
        false => RuleOutcome::Supported(rule),
    })
}

/// Whether its comments let a candidate out of quarantine: nothing else is held against it, and what it would take the place of
/// is a reviewers' rule.
fn can_be_approved(cx: &Context, rule: &Memory) -> bool {
    // What is about a person is that person's to decide.
    !rule.space.is_user()
        && rule.marks.is_empty()
        && cx.policy.reviews.has_quorum(list_remarks(rule))
}

fn replace_evidence(evidence: Vec<Evidence>) -> EventBody {
    EventBody::Refreshed {
        citations: None,
        evidence: Some(evidence),
        names: None,
        followed: Vec::new(),
        voucher: None,
    }
}

/// Takes a comment's support away from whatever rests on it: it was deleted, or says something else now. What loses its quorum
/// waits again, and a candidate without a comment is retired. The memories as they are then.
pub fn withdraw_comment(
    cx: &Context,
    space: &Space,
    comment: &str,
) -> Result<Vec<Memory>, CoreError> {
    let cx = &as_reviews(cx);
    let mut changed = Vec::new();
    for rule in list_review_rules(cx, space, &[Stage::Active, Stage::Pending])? {
        if list_remarks(&rule).any(|it| it.comment == comment) {
            changed.extend(withdraw_remark(cx, rule, comment)?);
        }
    }
    Ok(changed)
}

fn withdraw_remark(
    cx: &Context,
    mut rule: Memory,
    comment: &str,
) -> Result<Option<Memory>, CoreError> {
    for _ in 0..TRIES {
        let id = rule.id;
        match separate_refusal(write_withdrawal(cx, rule, comment)) {
            Ok(Ok(rule)) => return Ok(Some(rule)),
            Ok(Err(_)) => return Ok(None),
            Err(StoreError::Conflict { .. }) => match cx.store.get_by_ids(&[id])?.pop() {
                Some(again) if again.status.stage().is_live() => rule = again,
                _ => return Ok(None),
            },
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn write_withdrawal(cx: &Context, mut rule: Memory, comment: &str) -> Result<Memory, EarlyEnd> {
    let expects = vec![Precondition::unmoved(&rule)];
    let mut evidence = rule.evidence.clone();
    evidence.retain(|it| !matches!(it, Evidence::Review(it) if it.comment == comment));
    let is_bare = evidence.is_empty();
    let confirmed_at = rule.refreshed_at;
    let mut events = vec![cx.new_memory_event(&rule, replace_evidence(evidence))];
    rule.apply_event(&events[0]);
    let status = match rule.status {
        Status::Pending { .. } if is_bare => Status::Retired {
            why: "the comment that it came from was deleted or changed".into(),
        },
        Status::Active if !is_still_carried(cx, &rule)? => Status::Pending {
            why: "a comment that it rested on was deleted or changed".into(),
        },
        ref status => status.clone(),
    };
    // Nobody confirmed it by taking a comment back.
    let restored = EventBody::Restored {
        status,
        citations: None,
        refreshed_at: confirmed_at,
    };
    events.push(cx.new_memory_event(&rule, restored));
    rule.apply_event(&events[1]);
    cx.append_durable(events, expects)?;
    Ok(rule)
}

/// Whether a rule stays in use with the comments that are left: by its quorum, or by the yes of a person, who saw the sentence
/// and at least one reviewer who asks for it.
fn is_still_carried(cx: &Context, rule: &Memory) -> Result<bool, CoreError> {
    if cx.policy.reviews.has_quorum(list_remarks(rule)) {
        return Ok(true);
    }
    let page = EventPage {
        memory: Some(rule.id),
        changes_only: true,
        ..EventPage::newest(MAX_CHANGES)
    };
    let changes = cx.store.read_events(&rule.space, &page)?;
    let approved = changes
        .iter()
        .find(|it| it.event.what == EventBody::Approved);
    let by_person = approved.is_some_and(|it| it.event.actor.as_deref() != Some(REVIEWS_ACTOR));
    Ok(by_person && list_remarks(rule).next().is_some())
}

/// Retires the rules that nobody confirmed or applied for twice as long as the policy says, and the candidates that nobody
/// supported for that long. What was applied lives on.
pub fn expire_rules(cx: &Context, space: &Space) -> Result<Vec<Memory>, CoreError> {
    let cx = &as_reviews(cx);
    let mut expired = Vec::new();
    for mut rule in list_review_rules(cx, space, &[Stage::Active, Stage::Pending])? {
        let is_due = match rule.status.stage() {
            Stage::Pending => is_older(&rule, cx.now, cx.policy.reviews.expire_days),
            _ => is_unconfirmed_rule(cx, &rule, 2),
        };
        if !is_due {
            continue;
        }
        let reason = match rule.is_active() {
            true => "no reviewer asked for it again, and no task applied it",
            false => "too few reviewers asked for it",
        };
        let reason = reason.to_owned();
        let event = cx.new_memory_event(&rule, EventBody::Retired { reason });
        match cx.append_durable(vec![event.clone()], vec![Precondition::unmoved(&rule)]) {
            Ok(_) => {
                rule.apply_event(&event);
                expired.push(rule);
            }
            // Somebody decided about it meanwhile.
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(expired)
}

/// Whose pull requests a reviewer keeps asking this of: the same person's, in three of them. Their own space is where it may be
/// proposed.
#[must_use]
pub fn find_person_asked(rule: &Memory, remark: &ReviewRemark) -> Option<String> {
    let author = remark.author.as_ref()?;
    let is_same = |it: &&ReviewRemark| {
        let asked = it.author.as_ref();
        it.reviewer.eq_ignore_ascii_case(&remark.reviewer)
            && asked.is_some_and(|it| it.eq_ignore_ascii_case(author))
    };
    let pulls = list_remarks(rule).filter(is_same).map(|it| it.pull_request);
    (count_distinct(pulls) >= TIMES_OF_ONE).then(|| author.clone())
}
