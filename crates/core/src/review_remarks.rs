//! What is read off a reviewers' rule without deciding anything: the comments that it rests on, whether they are enough, where it is
//! for, and whether somebody confirmed it lately. Recall, standings and the queue ask here; what changes a rule is in
//! [`review_rules`](crate::review_rules).

pub mod scope;

use std::{cmp::Reverse, collections::BTreeSet};

use jiff::{SignedDuration, Timestamp};

use crate::{
    Context, CoreError,
    evidence::{Evidence, ReviewAuthority, ReviewRemark},
    memory::{Channel, Layer, Memory, Origin},
    policy::ReviewPolicy,
    space::Space,
    store::MemoryFilter,
};
use apostille_text::terms::extract_terms;

use scope::RuleScope;

/// Who the log names for what comments decide.
pub const REVIEWS_ACTOR: &str = "apostille reviews";
/// The tag of what reviewers ask for: by it the index finds the rules without a memory being read.
pub const REVIEW_RULE: &str = "review-rule";
/// How many rules of a space are looked through.
pub(crate) const MAX_RULES: usize = 1_000;
/// How many rules are told when a task begins.
const MAX_TOLD: usize = 5;

/// The comments that a memory rests on.
pub fn list_remarks(memory: &Memory) -> impl Iterator<Item = &ReviewRemark> {
    memory.evidence.iter().filter_map(|it| match it {
        Evidence::Review(remark) => Some(remark),
        _ => None,
    })
}

/// Whether it is a rule that reviewers gave, or a candidate for one.
#[must_use]
pub fn is_review_rule(memory: &Memory) -> bool {
    memory.layer == Layer::Knowledge
        && memory.voice.origin == Origin::Review
        && memory.voice.channel == Channel::PullRequest
}

impl ReviewPolicy {
    /// Whether these comments make a rule. Each person, comment and pull request counts once, and strangers never.
    pub fn has_quorum<'r>(&self, remarks: impl Iterator<Item = &'r ReviewRemark>) -> bool {
        let known: Vec<_> = remarks
            .filter(|it| it.authority != ReviewAuthority::Stranger)
            .collect();
        let maintainers = known
            .iter()
            .filter(|it| it.authority == ReviewAuthority::Maintainer);
        let n_maintainers = count_distinct(maintainers.map(|it| it.reviewer.to_lowercase()));
        let n_comments = count_distinct(known.iter().map(|it| &it.comment));
        let n_people = count_distinct(known.iter().map(|it| it.reviewer.to_lowercase()));
        let n_pulls = count_distinct(known.iter().map(|it| it.pull_request));
        // One comment never makes a rule, whatever is configured.
        let by_maintainers = self.maintainers > 0 && n_maintainers >= self.maintainers;
        let by_many = self.comments > 0
            && n_comments >= self.comments
            && n_people >= self.collaborators
            && n_pulls >= self.pulls;
        n_comments > 1 && (by_maintainers || by_many)
    }
}

pub(crate) fn count_distinct<T: Ord>(of: impl Iterator<Item = T>) -> usize {
    of.collect::<BTreeSet<T>>().len()
}

/// Whether a rule in use, which nobody applied, was not confirmed for so many times as long as the policy says.
pub fn is_unconfirmed_rule(cx: &Context, memory: &Memory, times: usize) -> bool {
    if !is_review_rule(memory) || !memory.is_active() || memory.usage.applied > 0 {
        return false;
    }
    let policy = &cx.policy.reviews;
    let times_days = i64::try_from(times).unwrap_or(i64::MAX);
    is_older(
        memory,
        cx.now,
        policy.expire_days.saturating_mul(times_days),
    ) || count_tasks_since(cx, memory, policy.expire_tasks.saturating_mul(times))
}

pub(crate) fn is_older(memory: &Memory, now: Timestamp, days: i64) -> bool {
    let age = now.duration_since(memory.refreshed_at);
    age > SignedDuration::from_hours(days.saturating_mul(24))
}

/// Whether so many tasks or sessions ended since a rule was confirmed last.
fn count_tasks_since(cx: &Context, memory: &Memory, tasks: usize) -> bool {
    let filter = MemoryFilter {
        layers: vec![Layer::Episode],
        since: Some(memory.refreshed_at),
        ..MemoryFilter::active_in([memory.space.clone()], tasks)
    };
    let ended = cx.store.list_memories(&filter);
    tasks > 0 && ended.is_ok_and(|it| it.len() >= tasks)
}

/// The rules in use in a space, those confirmed last first. It is asked at every edit, so the index is asked, and in a space
/// without rules that is all.
pub fn find_active_rules(cx: &Context, space: &Space) -> Result<Vec<Memory>, CoreError> {
    let terms = extract_terms(REVIEW_RULE);
    let terms: Vec<String> = terms.into_iter().map(|it| it.0).collect();
    let postings = cx.store.read_postings(space, &terms)?;
    let lists = postings.lists.iter();
    let numbers = lists.map(|it| it.iter().map(|it| it.number).collect::<BTreeSet<u64>>());
    let numbers = numbers.reduce(|a, b| &a & &b).unwrap_or_default();
    let newest: Vec<u64> = numbers.into_iter().rev().take(MAX_RULES).collect();
    if newest.is_empty() {
        return Ok(Vec::new());
    }
    let layers = [Layer::Knowledge];
    let newest = cx.store.retain_active_numbers(space, &newest, &layers)?;
    let mut rules = cx.store.get_by_numbers(space, &newest)?;
    rules.retain(|it| is_review_rule(it) && it.is_active());
    rules.sort_by_key(|it| (Reverse(it.refreshed_at), Reverse(it.number)));
    Ok(rules)
}

/// The rules that are told when a task begins, before it is known which files it is about: those for everywhere first.
pub fn find_task_rules(cx: &Context, spaces: &[Space]) -> Result<Vec<Memory>, CoreError> {
    let mut rules = Vec::new();
    for space in spaces.iter().filter(|it| !it.is_user()) {
        rules.extend(find_active_rules(cx, space)?);
    }
    rules.sort_by_key(|it| !RuleScope::of_memory(it).is_everywhere());
    rules.truncate(MAX_TOLD);
    Ok(rules)
}

/// The context in which comments decide: whoever is named in the log, it is no person.
pub(crate) fn as_reviews<'a>(cx: &Context<'a>) -> Context<'a> {
    Context {
        actor: Some(REVIEWS_ACTOR),
        ..*cx
    }
}
