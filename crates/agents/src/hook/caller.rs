//! Who is really calling.
//!
//! `--client` says in whose file the command stands, but files are shared: Copilot CLI, VS Code and Cursor also run the
//! hooks in `.claude/settings.json`, VS Code those in `.github/hooks`, and Codex and Gemini CLI can copy them into files
//! of their own. The answer must have the caller's shape.
//!
//! The environment alone does not tell: a client that is started from another one's shell inherits its variables. So, in
//! this order:
//!
//! 1. a file that is read by its owner alone says who calls;
//! 2. fields that only one client sends;
//! 3. a variable that holds the very session the payload speaks of: an inherited one holds another session;
//! 4. what else marks a client, as far as the payload agrees: some stamp it with a time, others do not.

use crate::client::Client;

use super::{EnvLookup, Names, format::COMMON_FIELDS, payload::Payload};

/// How to tell that a call comes from a client.
pub(crate) struct CallerMarks {
    /// Whether the files of this client are read by it alone.
    pub(crate) is_only_reader: bool,
    /// Fields that no other client sends.
    pub(crate) fields: Names,
    /// The variable that holds the session's own id.
    pub(crate) session_variable: Option<&'static str>,
    /// Whether it stamps its payloads with a time.
    pub(crate) is_stamped: bool,
    /// Events that no other client has.
    pub(crate) events: Names,
    /// Whether a payload that says nothing of the above looks like one of its own. It is asked only about payloads that
    /// are stamped as its own are, and only when no client before it in the table took them.
    pub(crate) resembles: fn(&Payload<'_>, &EnvLookup<'_>) -> bool,
    /// What it sets in the hooks that it runs, where a payload alone would not tell.
    pub(crate) sets: &'static [(&'static str, &'static str)],
    /// Every variable that it sets, or that leads to its files and is read here.
    pub(crate) variables: Names,
}

/// A client that nothing is known of.
pub(crate) const UNMARKED: CallerMarks = CallerMarks {
    is_only_reader: false,
    fields: &[],
    session_variable: None,
    is_stamped: false,
    events: &[],
    resembles: |_, _| false,
    sets: &[],
    variables: &[],
};

/// The client that is calling, when the command stands in the file of `named`.
pub(crate) fn find_caller(
    named: Client,
    clients: &[(Client, &CallerMarks)],
    payload: &Payload,
    env: &EnvLookup,
) -> Client {
    let find = |is_it: &dyn Fn(&CallerMarks) -> bool| {
        let found = clients.iter().find(|(_, it)| is_it(it));
        found.map(|(client, _)| *client)
    };
    let mut marks = clients.iter();
    if marks.any(|(client, it)| *client == named && it.is_only_reader) {
        return named;
    }
    let event = payload.first_text(COMMON_FIELDS.event).unwrap_or_default();
    let session = payload.first_text(COMMON_FIELDS.session);
    let is_stamped = payload.has_field("timestamp");
    find(&|it| it.fields.iter().any(|field| payload.has_field(field)))
        .or_else(|| find(&|it| session.is_some() && it.session_variable.and_then(env) == session))
        .or_else(|| find(&|it| it.is_stamped == is_stamped && it.events.contains(&&*event)))
        .or_else(|| find(&|it| it.is_stamped == is_stamped && (it.resembles)(payload, env)))
        .unwrap_or(named)
}
