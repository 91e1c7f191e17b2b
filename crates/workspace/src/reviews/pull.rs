//! Reads reviews from GitHub's API: for those whom no host can reach. What changed since the last time, page by page; what names
//! the state of a listing is kept, so that asking again costs nothing where nothing happened.

use std::collections::{BTreeMap, BTreeSet};

use apostille_core::{
    memory::Stage, review_remarks::list_remarks, review_rules::list_review_rules, space::Space,
};
use apostille_git::github::{GitHub, GitHubApiAnswer};
use apostille_reviews::payload::{CommentPayload, CommentPlace, PullRequestPayload, ReviewEvent};
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;

use super::{
    PullState, ReviewFolder,
    worker::{ReviewDesk, ReviewReport, process_pulled},
};
use crate::{error::CommandError, github::connect_github};

/// How far the first pull looks back.
const FIRST_DAYS: i64 = 90;
/// How many are asked for on a page, and how many pages of a listing at once.
const PER_PAGE: usize = 100;
const MAX_PAGES: usize = 20;
/// How many pull requests are asked for their reviews at once.
const MAX_PULLS: usize = 100;
/// How many comments that rules rest on are looked at again: one that was deleted is in no listing.
const MAX_CHECKED: usize = 100;

/// Reads what reviewers wrote since the last time, and does what follows from it.
pub fn pull_reviews(
    desk: &ReviewDesk,
    folder: &ReviewFolder,
) -> Result<ReviewReport, CommandError> {
    let (system, settings) = (desk.system, &desk.workspace.settings);
    let hub = connect_github(system, settings, None)?;
    let began = system.clock()();
    let mut state = folder.read_pull_state(&settings.repo);
    let since = state.since.as_deref().and_then(|it| it.parse().ok());
    let first = || began.saturating_sub(SignedDuration::from_hours(24 * FIRST_DAYS));
    let since: Timestamp = since.unwrap_or_else(|| first().unwrap_or(began));
    let mut puller = ReviewPuller {
        hub: &hub,
        repo: settings.repo.clone(),
        since,
        state: &mut state,
        pulls: BTreeMap::new(),
    };
    let mut events = Vec::new();
    let gathered = puller.gather_events(desk, &mut events);
    let mut report = process_pulled(desk, folder, events)?;
    match gathered {
        Ok(()) => {
            state.pulled_at = Some(began.to_string());
            state.since = Some(began.to_string());
            folder.write_pull_state(&settings.repo, &state, system.random_source()())?;
        }
        // What was read counts; the next pull begins where this one did.
        Err(error) if report.n_events > 0 => report.problem = Some(error.message()),
        Err(error) => return Err(error),
    }
    Ok(report)
}

/// One pull from one repository.
struct ReviewPuller<'a> {
    hub: &'a GitHub,
    repo: Space,
    since: Timestamp,
    state: &'a mut PullState,
    /// The pull requests that are known so far.
    pulls: BTreeMap<u64, PullRequestPayload>,
}

impl ReviewPuller<'_> {
    /// Everything that happened, as far as the host answers.
    fn gather_events(
        &mut self,
        desk: &ReviewDesk,
        events: &mut Vec<ReviewEvent>,
    ) -> Result<(), CommandError> {
        events.extend(self.list_pull_events()?);
        events.extend(self.list_comment_events("/pulls/comments", CommentPlace::Diff)?);
        let place = CommentPlace::Conversation;
        events.extend(self.list_comment_events("/issues/comments", place)?);
        events.extend(self.list_review_events()?);
        events.extend(self.list_vanished(desk)?);
        Ok(())
    }

    /// The pull requests that changed, and the ends of those that ended.
    fn list_pull_events(&mut self) -> Result<Vec<ReviewEvent>, CommandError> {
        let path = "/pulls?state=all&sort=updated&direction=desc";
        let (mut events, since) = (Vec::new(), self.since);
        let is_old = |it: &PullRequestPayload| it.changed_at().is_some_and(|at| at < since);
        for page in 1..=MAX_PAGES {
            let path = format!("{path}&per_page={PER_PAGE}&page={page}");
            let known = self.state.etags.get(&path).filter(|_| page == 1).cloned();
            let listed: Vec<PullRequestPayload> = match self.hub.ask_api(&path, known.as_deref())? {
                GitHubApiAnswer::Fresh { body, etag } => {
                    if page == 1 {
                        self.keep_etag(&path, etag);
                    }
                    parse_listing(&body)?
                }
                GitHubApiAnswer::Unchanged => break,
                GitHubApiAnswer::Absent => return Err(self.build_absent_error()),
            };
            let is_last = listed.len() < PER_PAGE || listed.iter().any(is_old);
            for pull in listed.into_iter().filter(|it| !is_old(it)) {
                let Some(number) = pull.number else { continue };
                if pull.state.as_deref() == Some("closed")
                    && let Some(closed) = pull.clone().into_closed(self.repo.clone())
                {
                    events.push(ReviewEvent::Closed(Box::new(closed)));
                }
                self.pulls.insert(number, pull);
            }
            if is_last {
                break;
            }
        }
        Ok(events)
    }

    fn keep_etag(&mut self, path: &str, etag: Option<String>) {
        match etag {
            Some(etag) => self.state.etags.insert(path.to_owned(), etag),
            None => self.state.etags.remove(path),
        };
    }

    fn build_absent_error(&self) -> CommandError {
        let fault = format!("{} is not there, or not for this token", self.repo);
        CommandError::usage(fault).with_hint("set GITHUB_TOKEN to one that may read it")
    }

    /// The comments of one kind that changed, the oldest first.
    fn list_comment_events(
        &mut self,
        path: &str,
        place: CommentPlace,
    ) -> Result<Vec<ReviewEvent>, CommandError> {
        let since = format_second(self.since);
        let mut events = Vec::new();
        for page in 1..=MAX_PAGES {
            let path = format!(
                "{path}?sort=updated&direction=asc&since={since}&per_page={PER_PAGE}&page={page}"
            );
            let GitHubApiAnswer::Fresh { body, .. } = self.hub.ask_api(&path, None)? else {
                break;
            };
            let listed: Vec<CommentPayload> = parse_listing(&body)?;
            let is_last = listed.len() < PER_PAGE;
            for comment in listed {
                let Some(number) = comment.pull_number() else {
                    continue;
                };
                let author = self.find_author(number)?;
                if let Ok(it) = comment.into_comment(place, self.repo.clone(), number, author) {
                    events.push(ReviewEvent::Commented(Box::new(it)));
                }
            }
            if is_last {
                break;
            }
        }
        Ok(events)
    }

    /// Whose pull request it is, which a comment does not tell.
    fn find_author(&mut self, number: u64) -> Result<Option<String>, CommandError> {
        if let Some(pull) = self.pulls.get(&number) {
            return Ok(pull.author());
        }
        let pull = match self.hub.ask_api(&format!("/pulls/{number}"), None)? {
            GitHubApiAnswer::Fresh { body, .. } => {
                serde_json::from_slice(&body).map_err(CommandError::internal)?
            }
            _ => PullRequestPayload::default(),
        };
        let author = pull.author();
        self.pulls.insert(number, pull);
        Ok(author)
    }

    /// The reviews with words of their own, of the pull requests that changed.
    fn list_review_events(&mut self) -> Result<Vec<ReviewEvent>, CommandError> {
        let changed: Vec<(u64, Option<String>)> = self
            .pulls
            .iter()
            .rev()
            .take(MAX_PULLS)
            .map(|(number, pull)| (*number, pull.author()))
            .collect();
        let mut events = Vec::new();
        for (number, author) in changed {
            let path = format!("/pulls/{number}/reviews?per_page={PER_PAGE}");
            let known = self.state.etags.get(&path).cloned();
            let GitHubApiAnswer::Fresh { body, etag } =
                self.hub.ask_api(&path, known.as_deref())?
            else {
                continue;
            };
            self.keep_etag(&path, etag);
            let listed: Vec<CommentPayload> = parse_listing(&body)?;
            for review in listed {
                let (repo, author) = (self.repo.clone(), author.clone());
                if let Ok(it) = review.into_comment(CommentPlace::Review, repo, number, author) {
                    events.push(ReviewEvent::Commented(Box::new(it)));
                }
            }
        }
        // Only of pull requests that change are reviews asked for; the rest would be kept for ever.
        let too_many = self.state.etags.len().saturating_sub(MAX_PULLS * 10);
        let old: Vec<String> = self.state.etags.keys().take(too_many).cloned().collect();
        old.iter().for_each(|it| {
            self.state.etags.remove(it);
        });
        Ok(events)
    }

    /// The comments that rules rest on and that are gone.
    fn list_vanished(&self, desk: &ReviewDesk) -> Result<Vec<ReviewEvent>, CommandError> {
        let cx = desk.workspace.context();
        let stages = [Stage::Active, Stage::Pending];
        let rules = list_review_rules(&cx, &self.repo, &stages)?;
        let remarks = rules.iter().flat_map(list_remarks);
        let asked: BTreeSet<(String, Option<String>)> = remarks
            .map(|it| (it.comment.clone(), it.author.clone()))
            .collect();
        let mut vanished = Vec::new();
        for (comment, author) in asked.into_iter().take(MAX_CHECKED) {
            let Some(path) = find_comment_path(&comment) else {
                continue;
            };
            if self.hub.ask_api(&path, None)? == GitHubApiAnswer::Absent {
                vanished.push(ReviewEvent::Withdrawn {
                    repo: self.repo.clone(),
                    comment,
                    author,
                    at: None,
                });
            }
        }
        Ok(vanished)
    }
}

/// Where the API has a comment, by its anchor. A review cannot be deleted once it was submitted.
fn find_comment_path(anchor: &str) -> Option<String> {
    let number = |prefix: &str| anchor.strip_prefix(prefix)?.parse::<u64>().ok();
    let diff = number("discussion_r").map(|it| format!("/pulls/comments/{it}"));
    diff.or_else(|| number("issuecomment-").map(|it| format!("/issues/comments/{it}")))
}

fn format_second(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second())
        .unwrap_or(at)
        .to_string()
}

fn parse_listing<T: DeserializeOwned>(body: &[u8]) -> Result<Vec<T>, CommandError> {
    let listed = serde_json::from_slice(body);
    listed.map_err(|it| CommandError::internal(anyhow::anyhow!("GitHub's answer: {it}")))
}
