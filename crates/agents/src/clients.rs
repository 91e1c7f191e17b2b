//! The clients: one folder each, and one row in the table below.
//!
//! A folder holds everything that is known about its client and nothing about another:
//!
//! | file | holds |
//! |---|---|
//! | `payload.rs` | what it sends to a hook, and how to tell that it is the one who calls |
//! | `reply.rs` | how it is answered |
//! | `transcript.rs` | what it writes down of a session |
//! | `mod.rs` | the row of the table, and the variables that its shells have |
//! | `settings.rs` | where its settings are, and what they say so that it uses this program |
//! | `samples/` | payloads as it documents them, and what is answered |
//!
//! A client without hooks has `mod.rs` and `settings.rs` alone.
//!
//! What clients share is outside: `hook`, `transcripts` and `settings` know none of them by name. A client that reads the
//! files of another one takes them from that one's folder.

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod opencode;
#[cfg(test)]
mod tests;
mod vscode;
mod windsurf;
mod zed;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    client::Client,
    hook::{
        EnvLookup, HookCall, HookMoment, HookReply, HookSample, Names,
        caller::{self, CallerMarks},
        format::PayloadFormat,
        payload::Payload,
        reply::ReplyFormat,
    },
    past_transcripts::{PastSession, TranscriptPlaces, count_in_own_folder},
    settings::{
        layout::{ClientSettings, UserFolders},
        settings_part::OwnTraces,
    },
    transcript::TranscriptTurn,
    transcripts::{self, TranscriptError, TranscriptReader},
};

/// Every client, in the order in which they are asked whether a call is theirs: Visual Studio Code takes whatever is
/// stamped with a time and nobody else's, so it comes last.
static CLIENTS: [&ClientProfile; 9] = [
    &cursor::PROFILE,
    &copilot::PROFILE,
    &codex::PROFILE,
    &gemini::PROFILE,
    &claude_code::PROFILE,
    &opencode::PROFILE,
    &zed::PROFILE,
    &windsurf::PROFILE,
    &vscode::PROFILE,
];

/// Everything that is known about a client.
pub struct ClientProfile {
    /// Which.
    pub client: Client,
    caller: CallerMarks,
    payload: PayloadFormat,
    reply: ReplyFormat,
    new_reader: fn() -> Box<dyn TranscriptReader>,
    places: TranscriptPlaces,
    /// Its settings, as the installer knows them.
    pub settings: ClientSettings,
    /// What it sets in the shells that it runs commands in. Whoever has one of them in his environment is no person.
    shell_variables: &'static [&'static str],
    /// Further variables that it has itself and gives to all that it starts.
    own_variables: &'static [&'static str],
    /// What its program is called, where it lives in a terminal: what it starts is not started by a person. A program with
    /// terminals of its own has none, because people type there, too.
    program_names: &'static [&'static str],
}

/// What is known about a client.
pub fn find_client_profile(client: Client) -> &'static ClientProfile {
    let mut all = CLIENTS.iter().copied();
    // A test holds that every client has a row.
    all.find(|it| it.client == client).unwrap_or(CLIENTS[0])
}

/// What is known about every client, in the order in which people are told of them.
pub fn list_client_profiles() -> impl Iterator<Item = &'static ClientProfile> {
    Client::ALL.iter().map(|it| find_client_profile(*it))
}

/// The clients that ask this program at their moments, in the order in which people are told of them.
pub fn list_hooked_clients() -> impl Iterator<Item = Client> {
    let hooked = list_client_profiles().filter(|it| it.settings.hooks.is_some());
    hooked.map(|it| it.client)
}

/// What clients set in the shells that they run commands in.
pub fn list_shell_variables() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().flat_map(|it| it.shell_variables).copied()
}

/// What tells that a client is above a process: variables that no person's terminal has.
pub fn list_own_variables() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().flat_map(|it| it.own_variables).copied()
}

/// What the programs of clients are called that live in a terminal.
pub fn list_program_names() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().flat_map(|it| it.program_names).copied()
}

/// Reads what a client sent to a hook that stands in the file of `named`. `None`: an event that we do not know, or no JSON.
pub fn read_hook_call(
    named: Client,
    event: &str,
    stdin: &str,
    env: &EnvLookup,
) -> Option<HookCall> {
    let payload = Payload::parse_object(stdin)?;
    let marks = CLIENTS.map(|it| (it.client, &it.caller));
    let client = caller::find_caller(named, &marks, &payload, env);
    let format = &find_client_profile(client).payload;
    format.read_call(client, &payload, event, env)
}

/// What is printed in answer to a call; empty when there is nothing to say.
pub fn print_hook_reply(call: &HookCall, reply: &HookReply) -> String {
    (find_client_profile(call.client).reply.print)(call, reply)
}

/// Whether context that is given now would reach the model. What would not should not be looked for, or counted as shown.
#[must_use]
pub fn can_take_context(call: &HookCall) -> bool {
    let something = HookReply {
        context: Some("x".into()),
        notice: None,
    };
    print_hook_reply(call, &something) != print_hook_reply(call, &HookReply::default())
}

/// Whether the client still has what it was told when the session began.
pub fn has_start_context(call: &HookCall) -> bool {
    let is_resumed = matches!(
        call.moment,
        HookMoment::Start {
            is_again: true,
            is_compacted: false
        }
    );
    is_resumed && find_client_profile(call.client).reply.keeps_start
}

/// Whether the client goes on without what was said before: it compacts, it begins anew, or it resumes without the
/// context that hooks gave to prompts.
pub fn is_context_lost(call: &HookCall) -> bool {
    match call.moment {
        HookMoment::Start {
            is_again,
            is_compacted,
        } => is_compacted || !is_again || !find_client_profile(call.client).reply.keeps_prompts,
        HookMoment::Compact => true,
        _ => false,
    }
}

/// Everything that may be of ours in the settings of any client.
pub fn collect_own_traces() -> OwnTraces {
    let all = || list_client_profiles().map(|it| &it.settings);
    OwnTraces {
        excluded: all().filter_map(|it| it.excluded).collect(),
        servers: all().flat_map(|it| [it.server, it.user_server]).collect(),
    }
}

/// The variables by which clients are known, or which lead to their files.
pub fn list_client_variables() -> impl Iterator<Item = &'static str> {
    list_client_profiles().flat_map(|it| it.caller.variables.iter().copied())
}

/// The variables that hold the session of the agent that started a program.
pub fn list_session_variables() -> impl Iterator<Item = &'static str> {
    list_client_profiles().filter_map(|it| it.caller.session_variable)
}

impl ClientProfile {
    /// What the client documents, for every event that we answer.
    pub fn hook_samples(&self) -> &'static [HookSample] {
        self.payload.samples
    }

    /// Whether the client shows a notice that is part of the answer. Elsewhere it belongs on the error output.
    #[must_use]
    pub fn has_notice(&self) -> bool {
        self.reply.has_notice
    }

    /// What an answer may say at an event; nothing, where it is plain text.
    pub fn answer_keys(&self, event: &str) -> Option<Names> {
        let is_plain = self.reply.plain_events.contains(&event);
        (!is_plain).then_some(self.reply.keys)
    }

    /// What the client sets in the hooks that it runs, where a payload alone would not tell who calls.
    pub fn hook_variables(&self) -> &'static [(&'static str, &'static str)] {
        self.caller.sets
    }

    /// What the client itself calls an event of its hooks file; nothing, where it has no such event.
    #[must_use]
    pub fn own_event_name<'e>(&self, event: &'e str) -> Option<&'e str> {
        let Some(names) = self.settings.own_events else {
            return Some(event);
        };
        let name = names.iter().find(|(it, _)| *it == event);
        name.map(|(_, own)| *own)
    }

    /// The turns of a transcript; of a long one, those in its last `limit_bytes`. A file that is not there yet has none.
    pub fn read_transcript_file(
        &self,
        path: &Path,
        limit_bytes: u64,
    ) -> Result<Vec<TranscriptTurn>, TranscriptError> {
        let read = transcripts::read_transcript_turns((self.new_reader)(), path, limit_bytes)?;
        Ok(read.0)
    }

    /// How many tokens a session spent, without those that a cache gave, where its client writes that down.
    #[must_use]
    pub fn count_transcript_tokens(&self, path: &Path, limit_bytes: u64) -> Option<u64> {
        let read = transcripts::read_transcript_turns((self.new_reader)(), path, limit_bytes);
        read.ok()?.1
    }

    /// Whether what was said can be read there: the client writes lines of a known shape, and has begun to.
    #[must_use]
    pub fn has_readable_transcript(&self, path: Option<&Path>) -> bool {
        let is_written = |it: &Path| fs::metadata(it).is_ok_and(|it| it.is_file() && it.len() > 0);
        self.payload.is_transcript_known && path.is_some_and(is_written)
    }

    /// Where the client keeps the transcript of a session in this home, for events that do not say it; only where the
    /// session's id is enough to know.
    pub fn default_transcript_path(&self, home: &Path, session: &str) -> Option<PathBuf> {
        let home = home.to_str()?;
        let env = |name: &str| (name == "HOME").then(|| home.to_owned());
        (self.payload.find_transcript)(Some(session), &env)
    }

    /// The transcripts that the client left below this user's folders.
    pub fn list_past_transcripts(&self, user: &UserFolders<'_>) -> Vec<PathBuf> {
        (self.places.list)(user)
    }

    /// How many of them lie in a folder that is this checkout's alone. Nothing in them is read.
    pub fn count_past_transcripts(&self, user: &UserFolders<'_>, root: &Path) -> usize {
        count_in_own_folder(&self.places, user, root)
    }

    /// Why the client's past transcripts are not read, where that is so.
    pub fn explain_unread_transcripts(&self) -> Option<&'static str> {
        self.places.why_unread
    }

    /// What the beginning of a transcript says of its session.
    pub fn read_past_session(&self, path: &Path) -> Result<PastSession, TranscriptError> {
        self.places.read_session(self.client, path)
    }
}
