//! What follows from an event: sentences of a comment become support for rules, a comment that is taken back takes its support
//! with it, and the end of a pull request goes onto the episodes of its work.

use apostille_core::{
    Context, CoreError,
    episode_text::find_episode_part,
    evidence::{ReviewAuthority, ReviewRemark},
    memory::{Layer, Memory, MemoryId},
    pull_outcome::{PullOutcome, mark_pull_outcome, record_pull_end},
    review_rules::{ProposedRule, RuleOutcome, find_person_asked, propose_rule, withdraw_comment},
    space::Space,
    store::MemoryFilter,
};
use apostille_tasks::task::trailers::read_trailer;

use crate::{
    codeowners::CodeOwners,
    extract::{ExtractedRule, extract_rules},
    payload::{ClosedPull, ReviewComment, ReviewEvent},
    seen::SeenReviews,
};

/// How many episodes are looked through for those of a pull request, the newest first.
const MAX_EPISODES: usize = 1_000;
/// How many episodes one pull request is told on.
const MAX_TOLD: usize = 20;
/// The fewest digits by which a commit is known.
const MIN_HASH: usize = 7;

/// What the machine knows beside the event.
pub struct ReviewSurroundings<'a> {
    /// Who owns files, by the default branch.
    pub owners: &'a CodeOwners,
    /// The space of a person, by the name at the host; `None` where their memory is not kept here.
    pub person: &'a dyn Fn(&str) -> Option<Space>,
    /// The memories that were shown in a session, where that is known here.
    pub shown_in: &'a dyn Fn(&str) -> Vec<MemoryId>,
}

/// What followed from an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewChanges {
    /// What became of each sentence.
    pub rules: Vec<RuleOutcome>,
    /// What became of sentences that are about one person.
    pub personal: Vec<RuleOutcome>,
    /// What lost support.
    pub withdrawn: Vec<Memory>,
    /// The episodes that tell an outcome now.
    pub episodes: Vec<Memory>,
    /// How many memories were shown in that work.
    pub n_shown: usize,
    /// Why nothing was done, where that can be said in a word.
    pub ignored: Option<&'static str>,
}

impl ReviewChanges {
    fn ignored(why: &'static str) -> Self {
        Self {
            ignored: Some(why),
            ..Self::default()
        }
    }
}

/// Does what follows from an event. Doing it twice changes nothing.
pub fn process_event(
    cx: &Context,
    around: &ReviewSurroundings,
    seen: &mut SeenReviews,
    event: &ReviewEvent,
) -> Result<ReviewChanges, CoreError> {
    match event {
        ReviewEvent::Nothing(why) => Ok(ReviewChanges::ignored(why)),
        ReviewEvent::Closed(pull) => end_pull_request(cx, around, pull),
        ReviewEvent::Commented(comment) => read_comment(cx, around, seen, comment),
        ReviewEvent::Withdrawn {
            repo,
            comment,
            author,
            at,
        } => {
            let at = at.map_or(cx.now, |it| it.max(cx.now));
            let withdrawn = withdraw_everywhere(cx, around, (repo, author.as_deref()), comment)?;
            seen.note_comment(&name_comment(repo, comment), at, true);
            Ok(ReviewChanges {
                withdrawn,
                ..ReviewChanges::default()
            })
        }
    }
}

/// A comment's name beyond its repository.
fn name_comment(repo: &Space, comment: &str) -> String {
    format!("{}#{comment}", repo.as_str())
}

fn read_comment(
    cx: &Context,
    around: &ReviewSurroundings,
    seen: &mut SeenReviews,
    comment: &ReviewComment,
) -> Result<ReviewChanges, CoreError> {
    let name = name_comment(&comment.repo, &comment.comment);
    if !seen.is_news(&name, comment.at) {
        return Ok(ReviewChanges::ignored("this state of the comment is known"));
    }
    // What it said before is no longer said, whatever it says now. It may have been read before this was kept.
    let place = (&comment.repo, comment.author.as_deref());
    let withdrawn = withdraw_everywhere(cx, around, place, &comment.comment)?;
    let mut changes = ReviewChanges {
        withdrawn,
        ..ReviewChanges::default()
    };
    match find_reason_to_ignore(comment) {
        Some(why) => changes.ignored = Some(why),
        None => propose_rules(cx, around, comment, &mut changes)?,
    }
    // Only now: what failed is tried again.
    seen.note_comment(&name, comment.at, false);
    Ok(changes)
}

fn find_reason_to_ignore(comment: &ReviewComment) -> Option<&'static str> {
    let is_own = comment
        .author
        .as_deref()
        .is_some_and(|it| it.eq_ignore_ascii_case(&comment.reviewer));
    if comment.authority == ReviewAuthority::Stranger {
        Some("a stranger wrote it")
    } else if is_own {
        Some("it is on the reviewer's own pull request")
    } else {
        None
    }
}

fn propose_rules(
    cx: &Context,
    around: &ReviewSurroundings,
    comment: &ReviewComment,
    changes: &mut ReviewChanges,
) -> Result<(), CoreError> {
    for found in extract_rules(&comment.body) {
        let rule = ProposedRule {
            space: comment.repo.clone(),
            remark: build_remark(around, comment, &found),
            text: found.text,
        };
        let outcome = propose_rule(cx, &rule)?;
        if let RuleOutcome::Supported(it) | RuleOutcome::Approved(it) = &outcome
            && let Some(person) = find_person_asked(it, &rule.remark)
            && let Some(space) = (around.person)(&person)
        {
            let personal = ProposedRule { space, ..rule };
            changes.personal.push(propose_rule(cx, &personal)?);
        }
        changes.rules.push(outcome);
    }
    Ok(())
}

fn build_remark(
    around: &ReviewSurroundings,
    comment: &ReviewComment,
    found: &ExtractedRule,
) -> ReviewRemark {
    let path = comment.path.as_ref();
    let is_owner = path.is_some_and(|it| around.owners.is_owner(&comment.reviewer, it.as_str()));
    ReviewRemark {
        pull_request: comment.pull_request,
        comment: comment.comment.clone(),
        reviewer: comment.reviewer.clone(),
        // The file alone makes nobody more than a stranger: an owner without the right to push is none.
        authority: match comment.authority {
            ReviewAuthority::Collaborator if is_owner => ReviewAuthority::Maintainer,
            other => other,
        },
        author: comment.author.clone(),
        path: path.filter(|_| !found.is_everywhere).cloned(),
        at: comment.at,
    }
}

/// Takes a comment's support away from the repository's rules, and from what it supports in its author's space.
fn withdraw_everywhere(
    cx: &Context,
    around: &ReviewSurroundings,
    (repo, author): (&Space, Option<&str>),
    comment: &str,
) -> Result<Vec<Memory>, CoreError> {
    let mut withdrawn = withdraw_comment(cx, repo, comment)?;
    if let Some(person) = author.and_then(|it| (around.person)(it)) {
        withdrawn.extend(withdraw_comment(cx, &person, comment)?);
    }
    Ok(withdrawn)
}

/// Puts the outcome of a pull request on the episodes of its work, and counts it for or against what was shown there.
fn end_pull_request(
    cx: &Context,
    around: &ReviewSurroundings,
    pull: &ClosedPull,
) -> Result<ReviewChanges, CoreError> {
    let outcome = match pull.is_merged {
        true => PullOutcome::Merged,
        false => PullOutcome::Rejected,
    };
    let mut changes = ReviewChanges::default();
    let mut shown: Vec<MemoryId> = Vec::new();
    for episode in find_pull_episodes(cx, pull)? {
        let session = episode.voice.session.clone();
        if let Some(marked) = mark_pull_outcome(cx, &episode, outcome, pull.number)? {
            changes.episodes.push(marked);
            shown.extend(session.iter().flat_map(|it| (around.shown_in)(it)));
        }
    }
    shown.sort();
    shown.dedup();
    let mut shown = cx.store.get_by_ids(&shown)?;
    shown.retain(|it| it.space == pull.repo && it.layer == Layer::Knowledge);
    record_pull_end(cx, &shown, outcome, pull.number)?;
    changes.n_shown = shown.len();
    if changes.episodes.is_empty() {
        changes.ignored = Some("no episode of this work is known, or it has the outcome already");
    }
    Ok(changes)
}

/// The episodes of the work on a pull request: those that name it, those of the commits in it, and where its author works on the
/// repository, those of the task that it names.
fn find_pull_episodes(cx: &Context, pull: &ClosedPull) -> Result<Vec<Memory>, CoreError> {
    let newest = MemoryFilter {
        layers: vec![Layer::Episode],
        ..MemoryFilter::active_in([pull.repo.clone()], MAX_EPISODES)
    };
    let tasks = list_named_tasks(pull);
    let mut found = cx.store.list_memories(&newest)?;
    found.retain(|it| {
        let of_task = it.task.as_ref().is_some_and(|task| tasks.contains(task));
        // Somebody from outside can open one of commits that are others'.
        let of_commits = pull.is_own && names_commit(&it.fact, &pull.commits);
        of_task || of_commits || names_pull(&it.fact, pull.number)
    });
    found.truncate(MAX_TOLD);
    Ok(found)
}

/// The tasks that a pull request names by a trailer or its branch. Anybody can open one that names any task, so only somebody
/// who works here is believed.
fn list_named_tasks(pull: &ClosedPull) -> Vec<String> {
    if !pull.is_own {
        return Vec::new();
    }
    let trailers = pull.texts.iter().filter_map(|it| {
        // A description may be all trailers; in a message the first paragraph is the subject.
        let message = format!("subject\n\n{it}");
        read_trailer(&message, "Task-Id").map(str::to_owned)
    });
    let branch = pull.branch.as_deref().unwrap_or_default();
    let last = branch.rsplit('/').next().unwrap_or_default();
    let branches = [branch, last].into_iter().filter(|it| !it.is_empty());
    trailers.chain(branches.map(str::to_owned)).collect()
}

fn names_pull(episode: &str, number: u64) -> bool {
    let named = find_episode_part(episode, "Pull request");
    let named = named.and_then(|it| it.strip_prefix('#'));
    let digits = named.map(|it| it.split(|c: char| !c.is_ascii_digit()).next());
    digits.flatten() == Some(&*number.to_string())
}

fn names_commit(episode: &str, commits: &[String]) -> bool {
    let told = ["Commits", "commits"].iter();
    let told = told.filter_map(|it| find_episode_part(episode, it));
    let hashes = told.flat_map(|it| it.split([';', ',', ' ']));
    let is_hash = |it: &&str| it.len() >= MIN_HASH && it.bytes().all(|it| it.is_ascii_hexdigit());
    let mut hashes = hashes.filter(is_hash);
    hashes.any(|it| commits.iter().any(|commit| commit.starts_with(it)))
}
