//! Statements that a connection sends again and again, parsed and planned once.
//!
//! Under row-level security the server spends three quarters of a statement's time on planning it, so a statement that was sent a
//! few times is given a name there. That needs a connection whose other end is one session of the server. Behind a
//! pooler each transaction may meet another one, where the name is not known, or is that of another program's
//! statement. So every connection brings a mark along when it is made, and names nothing before a session of the server has
//! answered with that mark: a pooler refuses it or leaves it out.

use std::{borrow::Cow, collections::HashMap};

use tokio_postgres::Statement;

/// How often a statement is sent as it is: most processes that open a store ask a thing once.
const UNNAMED_USES: u32 = 2;
/// How many statements a connection names; each takes memory of the server.
const MOST: usize = 96;

/// The setting of a session that holds the mark.
pub(crate) const MARK_SETTING: &str = "apostille.connection";

/// The statements of one connection.
#[derive(Default)]
pub(crate) struct NamedStatements {
    /// What was brought along; `None` where nothing is named.
    mark: Option<String>,
    /// Whether a session of the server has answered with it.
    is_direct: bool,
    n_uses: HashMap<Cow<'static, str>, u32>,
    named: HashMap<Cow<'static, str>, Statement>,
}

impl NamedStatements {
    pub(crate) fn with_mark(mark: Option<&str>) -> Self {
        Self {
            mark: mark.map(Into::into),
            ..Self::default()
        }
    }

    /// The statement by its name on the server, where it has one.
    pub(crate) fn find(&self, sql: &str) -> Option<Statement> {
        self.named.get(sql).cloned()
    }

    /// Counts that a statement is sent; whether it is worth a name by now.
    pub(crate) fn is_due(&mut self, sql: &str) -> bool {
        if self.mark.is_none() || self.named.len() >= MOST || self.named.contains_key(sql) {
            return false;
        }
        if let Some(n) = self.n_uses.get_mut(sql) {
            *n += 1;
            return *n > UNNAMED_USES;
        }
        // Statements that are put together as they are needed are many, and seldom the same.
        if self.n_uses.len() < 4 * MOST {
            self.n_uses.insert(Cow::Owned(sql.to_owned()), 1);
        }
        false
    }

    /// The mark that a session has to answer with first.
    pub(crate) fn unproven_mark(&self) -> Option<&str> {
        self.mark.as_deref().filter(|_| !self.is_direct)
    }

    /// Takes the answer of a session; whether statements may be named.
    pub(crate) fn prove(&mut self, answer: Option<&str>) -> bool {
        self.is_direct = self.mark.is_some() && answer == self.mark.as_deref();
        if !self.is_direct {
            self.mark = None;
        }
        self.is_direct
    }

    pub(crate) fn insert(&mut self, sql: Cow<'static, str>, statement: Statement) {
        self.n_uses.remove(&sql);
        self.named.insert(sql, statement);
    }
}
