//! Who is let in, and how far: the one thing that a request through the socket is judged by.

use apostille_core::space::Space;
use apostille_core::speaker::TokenFacts;
use apostille_text::{digest::Digest, words::words};
use jiff::Timestamp;

words! {
    /// What somebody may do; each includes what stands before it.
    Access as "access" {
        /// Look.
        Read = "read",
        /// Remember, revise and forget.
        Write = "write",
        /// Decide as a person does: let out of quarantine, reject, close a breaker.
        Review = "review",
    }
}

/// What the token of the person with the printed link is called.
pub const OWNER: &str = "panel";

/// What whoever sent a request may do, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// What it is called, for logs: never the token.
    pub name: String,
    /// The spaces it reaches; `None`: all.
    pub spaces: Option<Vec<Space>>,
    /// What may be done there.
    pub access: Access,
    /// Whether it is a person in the panel, and no program.
    pub is_panel: bool,
}

impl AccessToken {
    /// What it says of who speaks.
    pub fn to_facts(&self) -> TokenFacts {
        TokenFacts {
            name: self.name.clone(),
            is_reviewing: self.allows_access(Access::Review),
            is_panel: self.is_panel,
            spaces: self.spaces.clone(),
        }
    }

    /// Whether it reaches this space.
    pub fn reaches_space(&self, space: &Space) -> bool {
        self.spaces.as_ref().is_none_or(|it| it.contains(space))
    }

    /// Whether it is that of the person with the printed link, whom no token is called like.
    #[must_use]
    pub fn is_owner(&self) -> bool {
        self.is_panel && self.name == OWNER
    }

    /// Whether it allows this.
    pub fn allows_access(&self, access: Access) -> bool {
        self.access >= access
    }
}

/// Who holds which token.
pub trait TokenRegistry: Send + Sync + 'static {
    /// What a token with this digest, or no token at all, opens; `None`: nobody is let in with that.
    fn authenticate_token(&self, token: Option<&Digest>) -> Option<AccessToken>;

    /// Since when exactly this token is over, if it is known and was made to end.
    fn expired_since(&self, token: &Digest) -> Option<Timestamp>;
}
