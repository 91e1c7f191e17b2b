//! An event as it is kept until somebody works on it: only what is used of a delivery, and no secret that somebody wrote into a
//! comment.

use apostille_core::{evidence::ReviewAuthority, space::Space};
use apostille_text::secrets::find_secret;
use serde::{Deserialize, Serialize};

use crate::payload::{ClosedPull, ReviewComment, ReviewEvent};

/// An event as JSON: one flat object, with the fields that its word calls for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReviewEventRecord {
    /// `commented`, `withdrawn` or `closed`.
    kind: String,
    repo: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pull_request: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reviewer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authority: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    commits: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    texts: Vec<String>,
    /// Whether the comment is new, the pull request was merged.
    #[serde(default)]
    is_so: bool,
    #[serde(default)]
    is_own: bool,
}

/// What is kept of a text: nothing of one with a secret in it.
fn keep_text(text: &str) -> String {
    match find_secret(text) {
        Some(_) => String::new(),
        None => text.to_owned(),
    }
}

impl ReviewEventRecord {
    /// What is kept of an event; `None` where nothing follows from it: strangers may write as much as they like, and fill
    /// nothing.
    #[must_use]
    pub fn from_event(event: &ReviewEvent) -> Option<Self> {
        match event {
            ReviewEvent::Nothing(_) => None,
            ReviewEvent::Commented(it)
                if it.is_new && it.authority == ReviewAuthority::Stranger =>
            {
                None
            }
            ReviewEvent::Commented(it) => Some(Self {
                kind: "commented".into(),
                repo: it.repo.as_str().into(),
                pull_request: Some(it.pull_request),
                comment: Some(it.comment.clone()),
                reviewer: Some(it.reviewer.clone()),
                authority: Some(it.authority.to_string()),
                author: it.author.clone(),
                path: it.path.as_ref().map(ToString::to_string),
                body: Some(keep_text(&it.body)),
                at: Some(it.at.to_string()),
                is_so: it.is_new,
                ..Self::default()
            }),
            ReviewEvent::Withdrawn {
                repo,
                comment,
                author,
                at,
            } => Some(Self {
                kind: "withdrawn".into(),
                repo: repo.as_str().into(),
                comment: Some(comment.clone()),
                author: author.clone(),
                at: at.map(|it| it.to_string()),
                ..Self::default()
            }),
            ReviewEvent::Closed(it) => Some(Self {
                kind: "closed".into(),
                repo: it.repo.as_str().into(),
                pull_request: Some(it.number),
                branch: it.branch.clone(),
                commits: it.commits.clone(),
                texts: it.texts.iter().map(|it| keep_text(it)).collect(),
                is_so: it.is_merged,
                is_own: it.is_own,
                ..Self::default()
            }),
        }
    }

    /// The event again; `None` for a record that is none.
    #[must_use]
    pub fn into_event(self) -> Option<ReviewEvent> {
        let repo: Space = self.repo.parse().ok()?;
        let at = self.at.and_then(|it| it.parse().ok());
        Some(match &*self.kind {
            "commented" => ReviewEvent::Commented(Box::new(ReviewComment {
                repo,
                pull_request: self.pull_request?,
                comment: self.comment?,
                reviewer: self.reviewer?,
                authority: self.authority?.parse().ok()?,
                author: self.author,
                path: self.path.and_then(|it| it.parse().ok()),
                body: self.body.unwrap_or_default(),
                at: at?,
                is_new: self.is_so,
            })),
            "withdrawn" => ReviewEvent::Withdrawn {
                repo,
                comment: self.comment?,
                author: self.author,
                at,
            },
            "closed" => ReviewEvent::Closed(Box::new(ClosedPull {
                repo,
                number: self.pull_request?,
                is_merged: self.is_so,
                branch: self.branch,
                commits: self.commits,
                texts: self.texts,
                is_own: self.is_own,
            })),
            _ => return None,
        })
    }
}

impl ReviewEvent {
    /// In which repository it happened.
    #[must_use]
    pub fn repo(&self) -> Option<&Space> {
        match self {
            Self::Commented(it) => Some(&it.repo),
            Self::Withdrawn { repo, .. } => Some(repo),
            Self::Closed(it) => Some(&it.repo),
            Self::Nothing(_) => None,
        }
    }

    /// The same in a repository that is called otherwise here.
    #[must_use]
    pub fn in_space(mut self, space: &Space) -> Self {
        match &mut self {
            Self::Commented(it) => it.repo = space.clone(),
            Self::Withdrawn { repo, .. } => *repo = space.clone(),
            Self::Closed(it) => it.repo = space.clone(),
            Self::Nothing(_) => {}
        }
        self
    }
}
