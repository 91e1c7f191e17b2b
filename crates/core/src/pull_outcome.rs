//! What became of a pull request, on the episode of the work, and with the memories that were shown in it.
//!
//! The outcome stands as a tag, beside `failed` and `abandoned`: a pull request that was closed without merging is a signal, and
//! what was tried in it is no pattern.

use crate::{
    Context, CoreError,
    event::EventBody,
    memory::{Draft, DuplicateChoice, Layer, Memory, MemoryName, Origin, ReplacementKind},
    remember::{RememberOutcome, remember},
    review_remarks::as_reviews,
};
use apostille_text::words::words;

words! {
    /// How a pull request ended; the tag of the episode of the work on it.
    PullOutcome as "outcome" {
        /// It was merged.
        Merged = "merged",
        /// It was closed without merging.
        Rejected = "rejected",
    }
}

impl PullOutcome {
    fn describe(self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::Rejected => "closed without merging",
        }
    }

    /// The outcome that an episode carries.
    #[must_use]
    pub fn of_episode(episode: &Memory) -> Option<Self> {
        let mut tags = episode.tags.iter();
        tags.find_map(|it| it.parse().ok())
    }
}

/// Puts the outcome of a pull request on an episode: another version of it, with the tag and a line. `None` where it has it
/// already, or is a person's own words, which are left alone.
pub fn mark_pull_outcome(
    cx: &Context,
    episode: &Memory,
    outcome: PullOutcome,
    pull_request: u64,
) -> Result<Option<Memory>, CoreError> {
    let is_known = PullOutcome::of_episode(episode) == Some(outcome);
    if is_known || episode.layer != Layer::Episode || episode.voice.is_person() {
        return Ok(None);
    }
    let cx = &as_reviews(cx);
    let mut tags = episode.tags.clone();
    tags.retain(|it| it.parse::<PullOutcome>().is_err());
    tags.truncate(cx.policy.limits.tags.saturating_sub(1));
    tags.push(outcome.to_string());
    let text = write_outcome_line(episode, outcome, pull_request);
    let is_short = text.chars().count() <= cx.policy.limits.episode_chars;
    let fact = if is_short { text } else { episode.fact.clone() };
    let better = ReplacementKind::Better;
    let draft = Draft {
        layer: Some(Layer::Episode),
        kind: Some(episode.kind),
        subject: episode.subject.clone(),
        reason: episode.reason.clone(),
        task: episode.task.clone(),
        tags,
        on_duplicate: DuplicateChoice::Replace(MemoryName::Id(episode.id), better),
        ..Draft::new(episode.space.clone(), fact, episode.voice.clone())
    };
    Ok(match remember(cx, draft)? {
        RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
            Some(*memory)
        }
        RememberOutcome::Similar { .. } | RememberOutcome::Refused(_) => None,
    })
}

/// The text with a line that tells the outcome. In the program's own record of a session it is the beginning of the line that says
/// how it ended, which is what a reader is told in one line.
fn write_outcome_line(episode: &Memory, outcome: PullOutcome, pull_request: u64) -> String {
    const JUDGED: &str = "Outcome: ";
    let told = format!("pull request {pull_request} {}", outcome.describe());
    let is_own = episode.voice.origin == Origin::System;
    let is_judged = |it: &str| is_own && it.starts_with(JUDGED);
    let is_old = |it: &&str| !it.starts_with("Pull request outcome: ");
    let has_judged = episode.fact.lines().any(is_judged);
    let mut lines: Vec<String> = Vec::new();
    for line in episode.fact.lines().filter(is_old) {
        lines.push(match line.strip_prefix(JUDGED).filter(|_| is_own) {
            Some(was) => format!("{JUDGED}{told}{}", tell_rest(was)),
            None => line.to_owned(),
        });
    }
    if !has_judged {
        lines.push(format!("Pull request outcome: {told}"));
    }
    lines.join("\n")
}

/// What the line said before, without an earlier outcome, and without `merged`, which is told by now.
fn tell_rest(was: &str) -> String {
    let is_other =
        |it: &&str| !it.starts_with("pull request ") && !matches!(*it, "merged" | "unknown");
    let parts = was.split(", ").filter(is_other);
    parts.map(|it| format!(", {it}")).collect()
}

/// Notes with each memory that was shown in the work on a pull request how that ended. Nothing else about them changes.
pub fn record_pull_end(
    cx: &Context,
    shown: &[Memory],
    outcome: PullOutcome,
    pull_request: u64,
) -> Result<(), CoreError> {
    let cx = &as_reviews(cx);
    let ended = |it: &Memory| {
        let what = EventBody::PullEnded {
            is_merged: outcome == PullOutcome::Merged,
            pull_request,
        };
        cx.new_memory_event(it, what)
    };
    let events: Vec<_> = shown.iter().map(ended).collect();
    if !events.is_empty() {
        cx.append_durable(events, Vec::new())?;
    }
    Ok(())
}
