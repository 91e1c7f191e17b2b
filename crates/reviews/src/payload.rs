//! What GitHub delivers and lists, as far as it is used: small structs with every field optional, because old examples, other
//! versions of the host, and whoever forges a body leave any of them out.

use apostille_cite::citation::RepoPath;
use apostille_core::{evidence::ReviewAuthority, space::Space};
use jiff::Timestamp;
use serde::Deserialize;

/// The longest comment that is looked into, in bytes. A longer one is no remark, and its end is as good a place to hide as any.
pub const MAX_COMMENT: usize = 16 * 1024;
/// The longest name at the host.
const MAX_LOGIN: usize = 39;
/// How much of a text is looked through for trailers.
const MAX_TEXT: usize = 64 * 1024;

/// What happened at the host, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewEvent {
    /// A comment was written, or changed.
    Commented(Box<ReviewComment>),
    /// A comment was deleted, or a review dismissed.
    Withdrawn {
        /// In which repository.
        repo: Space,
        /// Which, by its anchor.
        comment: String,
        /// Whose pull request it was on.
        author: Option<String>,
        /// When, as far as is told.
        at: Option<Timestamp>,
    },
    /// A pull request was merged, or closed without.
    Closed(Box<ClosedPull>),
    /// Something that is of no use here.
    Nothing(&'static str),
}

/// A comment as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewComment {
    /// In which repository.
    pub repo: Space,
    /// On which pull request.
    pub pull_request: u64,
    /// Which, by its anchor.
    pub comment: String,
    /// Who wrote it.
    pub reviewer: String,
    /// How much they have to say, by the host.
    pub authority: ReviewAuthority,
    /// Whose pull request it is.
    pub author: Option<String>,
    /// The file it is about.
    pub path: Option<RepoPath>,
    /// The words.
    pub body: String,
    /// When it was written, or changed last.
    pub at: Timestamp,
    /// Whether it was written just now, and nothing can rest on it yet.
    pub is_new: bool,
}

/// A pull request that came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedPull {
    /// In which repository.
    pub repo: Space,
    /// Its number.
    pub number: u64,
    /// Whether it was merged.
    pub is_merged: bool,
    /// The branch that it was made from.
    pub branch: Option<String>,
    /// The commit at its end, and the one that merged it.
    pub commits: Vec<String>,
    /// Its description, and messages of its commits where they are known.
    pub texts: Vec<String>,
    /// Whether its author works on the repository, so that what it says of itself is believed.
    pub is_own: bool,
}

/// A body that is not what the host sends.
#[derive(Debug, thiserror::Error)]
#[error("the delivery is not what GitHub sends: {0}")]
pub struct BadDelivery(#[from] serde_json::Error);

#[derive(Debug, Default, Deserialize)]
struct Delivery {
    action: Option<String>,
    repository: Option<Repository>,
    pull_request: Option<PullRequestPayload>,
    issue: Option<IssuePayload>,
    comment: Option<CommentPayload>,
    review: Option<CommentPayload>,
}

#[derive(Debug, Default, Deserialize)]
struct Repository {
    full_name: Option<String>,
}

/// A person at the host.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct AccountPayload {
    login: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// A pull request, in a delivery or in a listing.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PullRequestPayload {
    /// Its number.
    pub number: Option<u64>,
    /// `open` or `closed`.
    pub state: Option<String>,
    updated_at: Option<String>,
    body: Option<String>,
    user: Option<AccountPayload>,
    author_association: Option<String>,
    merged: Option<bool>,
    merged_at: Option<String>,
    merge_commit_sha: Option<String>,
    head: Option<HeadPayload>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct HeadPayload {
    #[serde(rename = "ref")]
    branch: Option<String>,
    sha: Option<String>,
    repo: Option<HeadRepository>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct HeadRepository {
    full_name: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct IssuePayload {
    number: Option<u64>,
    user: Option<AccountPayload>,
    /// There where the issue is a pull request.
    pull_request: Option<serde_json::Value>,
}

/// A comment or a review, in a delivery or in a listing.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CommentPayload {
    id: Option<u64>,
    body: Option<String>,
    path: Option<String>,
    user: Option<AccountPayload>,
    author_association: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    submitted_at: Option<String>,
    pull_request_url: Option<String>,
    issue_url: Option<String>,
    html_url: Option<String>,
}

/// Where a comment was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentPlace {
    /// At lines of a diff.
    Diff,
    /// In the conversation of the pull request.
    Conversation,
    /// As the text of a review.
    Review,
}

impl CommentPlace {
    fn format_anchor(self, id: u64) -> String {
        match self {
            Self::Diff => format!("discussion_r{id}"),
            Self::Conversation => format!("issuecomment-{id}"),
            Self::Review => format!("pullrequestreview-{id}"),
        }
    }
}

/// Reads a delivery: the word of the header `X-GitHub-Event`, and the body.
pub fn read_delivery(event: &str, body: &[u8], host: &str) -> Result<ReviewEvent, BadDelivery> {
    let place = match event {
        "pull_request_review_comment" => CommentPlace::Diff,
        "pull_request_review" => CommentPlace::Review,
        "issue_comment" => CommentPlace::Conversation,
        "pull_request" => {
            let it: Delivery = serde_json::from_slice(body)?;
            return Ok(read_closed_pull(it, host));
        }
        _ => return Ok(ReviewEvent::Nothing("not an event of a review")),
    };
    let it: Delivery = serde_json::from_slice(body)?;
    Ok(read_comment_delivery(it, place, host))
}

fn read_space(repository: Option<Repository>, host: &str) -> Option<Space> {
    let name = repository?.full_name?;
    Space::repo(&format!("{host}/{name}")).ok()
}

fn read_closed_pull(it: Delivery, host: &str) -> ReviewEvent {
    if it.action.as_deref() != Some("closed") {
        return ReviewEvent::Nothing("the pull request did not end");
    }
    let repo = read_space(it.repository, host);
    let pull = repo.zip(it.pull_request);
    let closed = pull.and_then(|(repo, pull)| pull.into_closed(repo));
    closed.map_or(ReviewEvent::Nothing(UNNAMED), |it| {
        ReviewEvent::Closed(Box::new(it))
    })
}

const UNNAMED: &str = "it does not say which repository, pull request or comment it is about";

impl PullRequestPayload {
    /// The pull request as one that came to its end; `None` where it is not told which one it is.
    #[must_use]
    pub fn into_closed(self, repo: Space) -> Option<ClosedPull> {
        let head = self.head.unwrap_or_default();
        let is_same = |it: &HeadRepository| {
            let name = it.full_name.as_deref();
            name.is_some_and(|it| it.eq_ignore_ascii_case(repo.short_name()))
        };
        let is_here = head.repo.as_ref().is_some_and(is_same);
        let authority = read_authority(self.author_association.as_deref());
        let body = self.body.map(|it| cut_text(it, MAX_TEXT));
        Some(ClosedPull {
            number: self.number?,
            is_merged: self.merged.unwrap_or(false) || self.merged_at.is_some(),
            branch: head.branch,
            commits: [head.sha, self.merge_commit_sha]
                .into_iter()
                .flatten()
                .collect(),
            texts: body.into_iter().collect(),
            is_own: is_here || authority != ReviewAuthority::Stranger,
            repo,
        })
    }

    /// When it was changed last.
    #[must_use]
    pub fn changed_at(&self) -> Option<Timestamp> {
        self.updated_at.as_deref()?.parse().ok()
    }

    /// Whose it is.
    #[must_use]
    pub fn author(&self) -> Option<String> {
        read_login(self.user.as_ref())
    }
}

fn read_comment_delivery(it: Delivery, place: CommentPlace, host: &str) -> ReviewEvent {
    let Some(repo) = read_space(it.repository, host) else {
        return ReviewEvent::Nothing(UNNAMED);
    };
    let (number, author) = match (&it.pull_request, &it.issue) {
        (Some(pull), _) => (pull.number, pull.author()),
        (None, Some(issue)) if issue.pull_request.is_some() => {
            (issue.number, read_login(issue.user.as_ref()))
        }
        _ => return ReviewEvent::Nothing("not a comment on a pull request"),
    };
    let comment = match place {
        CommentPlace::Review => it.review,
        _ => it.comment,
    };
    let (Some(number), Some(comment)) = (number, comment) else {
        return ReviewEvent::Nothing(UNNAMED);
    };
    match it.action.as_deref() {
        Some("deleted" | "dismissed") => match comment.id {
            Some(id) => ReviewEvent::Withdrawn {
                repo,
                comment: place.format_anchor(id),
                author,
                at: comment.changed_at(),
            },
            None => ReviewEvent::Nothing(UNNAMED),
        },
        Some("created" | "edited" | "submitted") => {
            let read = comment.into_comment(place, repo, number, author);
            let is_new = it.action.as_deref() != Some("edited");
            read.map_or_else(ReviewEvent::Nothing, |it| {
                ReviewEvent::Commented(Box::new(ReviewComment { is_new, ..it }))
            })
        }
        _ => ReviewEvent::Nothing("nothing was said, changed or taken back"),
    }
}

impl CommentPayload {
    /// When it was written, or changed last.
    #[must_use]
    pub fn changed_at(&self) -> Option<Timestamp> {
        let times = [&self.updated_at, &self.submitted_at, &self.created_at];
        let times = times.into_iter().flatten();
        times.filter_map(|it| it.parse().ok()).max()
    }

    /// The number of the pull request that it is on, in a listing; `None` for a comment on an issue.
    #[must_use]
    pub fn pull_number(&self) -> Option<u64> {
        let is_pull = self
            .html_url
            .as_deref()
            .is_none_or(|it| it.contains("/pull/"));
        let url = self.pull_request_url.as_ref().or(self.issue_url.as_ref())?;
        url.rsplit('/').next()?.parse().ok().filter(|_| is_pull)
    }

    /// The comment as it is now, or why it is of no use.
    pub fn into_comment(
        self,
        place: CommentPlace,
        repo: Space,
        pull_request: u64,
        author: Option<String>,
    ) -> Result<ReviewComment, &'static str> {
        let at = self.changed_at().ok_or(UNNAMED)?;
        let user = self.user.unwrap_or_default();
        if user.kind.as_deref() == Some("Bot") {
            return Err("a program wrote it");
        }
        let reviewer = read_login(Some(&user)).ok_or("nobody with a plain name wrote it")?;
        let body = self.body.unwrap_or_default();
        Ok(ReviewComment {
            comment: place.format_anchor(self.id.ok_or(UNNAMED)?),
            authority: read_authority(self.author_association.as_deref()),
            path: self.path.and_then(|it| it.parse().ok()),
            body: match body.len() {
                ..=MAX_COMMENT => body,
                _ => String::new(),
            },
            repo,
            pull_request,
            reviewer,
            author,
            at,
            is_new: false,
        })
    }
}

/// A name at the host, if it is one: letters, digits and hyphens.
fn read_login(user: Option<&AccountPayload>) -> Option<String> {
    let login = user?.login.as_ref()?;
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
    let is_login = !login.is_empty() && login.len() <= MAX_LOGIN && login.bytes().all(is_plain);
    is_login.then(|| login.clone())
}

/// How much somebody has to say by the host's word. Who contributed once is a stranger all the same.
fn read_authority(association: Option<&str>) -> ReviewAuthority {
    match association {
        Some("OWNER" | "MEMBER") => ReviewAuthority::Maintainer,
        Some("COLLABORATOR") => ReviewAuthority::Collaborator,
        _ => ReviewAuthority::Stranger,
    }
}

fn cut_text(mut text: String, most: usize) -> String {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}
