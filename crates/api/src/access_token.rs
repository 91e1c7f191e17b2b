//! Who is let in, and how far: the one thing that a request through the socket is judged by.

use apostille_core::space::Space;
use apostille_core::speaker::TokenFacts;
use apostille_text::digest::Digest;
use jiff::Timestamp;

pub use apostille_core::tokens::Access;

/// What the token of the person with the printed link is called.
pub const OWNER: &str = "panel";

/// What whoever sent a request may do, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// What it is called, for logs: never the token.
    pub name: String,
    /// The spaces it reaches; `None`: all.
    pub spaces: Option<Vec<Space>>,
    /// The person that its holder works for: their user's space, and no other. `None`: the server's own user.
    pub user: Option<Space>,
    /// What may be done there.
    pub access: Access,
    /// Whether it is a person in the panel, and no program.
    pub is_panel: bool,
}

impl AccessToken {
    /// How far the program reaches that started a server on its standard input: it reads and writes as an agent does, and decides
    /// nothing.
    #[must_use]
    pub fn for_standard_input(client: Option<&str>) -> Self {
        Self {
            name: client.unwrap_or("program").into(),
            spaces: None,
            user: None,
            access: Access::Write,
            is_panel: false,
        }
    }

    /// What it says of who speaks.
    pub fn to_facts(&self) -> TokenFacts {
        TokenFacts {
            name: self.name.clone(),
            is_reviewing: self.allows_access(Access::Review),
            is_panel: self.is_panel,
            spaces: self.reached_spaces(),
        }
    }

    /// Whether it reaches this space.
    pub fn reaches_space(&self, space: &Space) -> bool {
        match &self.user {
            Some(user) if space.is_user() => space == user,
            _ => self.spaces.as_ref().is_none_or(|it| it.contains(space)),
        }
    }

    /// The spaces it reaches, where that is a list.
    fn reached_spaces(&self) -> Option<Vec<Space>> {
        let mut spaces = self.spaces.clone()?;
        if let Some(user) = &self.user {
            spaces.retain(|it| !it.is_user());
            spaces.push(user.clone());
        }
        Some(spaces)
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

/// What a token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenLookup {
    /// This.
    Granted(AccessToken),
    /// Nothing any more: it is known, and was made to end then.
    Expired(Timestamp),
    /// Nothing: it is not known, or was revoked.
    Unknown,
}

/// Where tokens are kept cannot be asked: nobody is let in, and nobody is told that a token is wrong.
#[derive(Debug, thiserror::Error)]
#[error("tokens cannot be looked up: {0}")]
pub struct TokenLookupError(pub String);

/// Who holds which token.
pub trait TokenRegistry: Send + Sync + 'static {
    /// What a token with this digest, or no token at all, opens. It may ask a file or a database, and takes its time.
    fn look_up_token(&self, token: Option<&Digest>) -> Result<TokenLookup, TokenLookupError>;
}
