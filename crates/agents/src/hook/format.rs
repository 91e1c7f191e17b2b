//! How a client's payloads are read: the names of its events, fields and tools, and the reading by them.

use std::path::PathBuf;

use apostille_text::secrets::find_secret;

use crate::client::Client;

use super::{
    EnvLookup, HookCall, HookMoment, HookSample, Names,
    delegated_task::DelegatedTask,
    exposure::{ToolUse, weigh_tool_use},
    failure::{CommandOutcome, FailedCommand, recognize_failed_command},
    hook_blocks::{self, BlockTags},
    payload::Payload,
    touched_paths::{self, FileUse, read_command},
};

/// What a client sends to a hook.
pub(crate) struct PayloadFormat {
    /// What it calls its events; where it knows them by several sets of names, each.
    pub(crate) events: &'static [EventNames],
    pub(crate) fields: FieldNames,
    /// Its tools that read the files that they name.
    pub(crate) reading_tools: Names,
    /// Its tools that edit the files that they name, or are given a patch that does.
    pub(crate) editing_tools: Names,
    /// Its tools that run a command. Others are not looked at.
    pub(crate) shell_tools: Names,
    /// Its tools that hand a task to a sub-agent, where what they are given may be extended without deciding whether they
    /// run; and the fields that hold the task.
    pub(crate) task_tools: (Names, Names),
    /// How prompts begin that the client itself writes, and no person.
    pub(crate) own_prompts: Names,
    /// Whether what it tells before a compaction is one that comes for sure.
    pub(crate) is_compaction: fn(&Payload) -> bool,
    /// How a command ended, by what is sent after it. `None`: it did not fail, or nobody says.
    pub(crate) read_outcome: fn(&Payload<'_>) -> Option<CommandOutcome>,
    /// Whether what is sent after a tool is only asked about failures: all else was asked before the tool ran.
    pub(crate) is_after_for_failures: bool,
    /// The block in which it hands back what a hook said, as a part of the next prompt.
    pub(crate) echo: Option<BlockTags>,
    /// Where the transcript is when the payload does not say.
    pub(crate) find_transcript: fn(session: Option<&str>, env: &EnvLookup<'_>) -> Option<PathBuf>,
    /// Whether what it writes there is of a shape that is known.
    pub(crate) is_transcript_known: bool,
    /// What the client documents, for every event that is answered.
    pub(crate) samples: &'static [HookSample],
}

/// What a client calls its events, each in the place that it has in `COMMON_EVENTS`.
pub(crate) type EventNames = [&'static str; 8];

/// The names that a client gives to its fields. Where there are several, the first that says something counts.
pub(crate) struct FieldNames {
    pub(crate) event: Names,
    pub(crate) session: Names,
    pub(crate) turn: Names,
    pub(crate) agent: Names,
    pub(crate) cwd: Names,
    pub(crate) transcript: Names,
    pub(crate) said: Names,
    pub(crate) tool: Names,
    pub(crate) input: Names,
}

/// The names that most clients have taken over from one another.
pub(crate) const COMMON_FIELDS: FieldNames = FieldNames {
    event: &["hook_event_name"],
    session: &["session_id"],
    turn: &[],
    agent: &["agent_id"],
    cwd: &["cwd"],
    transcript: &["transcript_path"],
    said: &["last_assistant_message"],
    tool: &["tool_name"],
    input: &["tool_input"],
};

/// The events that Claude Code began with, and others took over by name.
pub(crate) const COMMON_EVENTS: EventNames = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "Stop",
    "SessionEnd",
    "PostToolUseFailure",
];

/// What most clients have in common.
pub(crate) const COMMON_FORMAT: PayloadFormat = PayloadFormat {
    events: &[COMMON_EVENTS],
    fields: COMMON_FIELDS,
    reading_tools: &[],
    editing_tools: &[],
    shell_tools: &[],
    task_tools: (&[], &[]),
    own_prompts: &[],
    read_outcome: |_| None,
    is_compaction: |_| true,
    is_after_for_failures: false,
    echo: None,
    find_transcript: |_, _| None,
    is_transcript_known: true,
    samples: &[],
};

impl PayloadFormat {
    /// What is called. `None`: an event that is not known.
    pub(crate) fn read_call(
        &self,
        client: Client,
        payload: &Payload,
        named_event: &str,
        env: &EnvLookup,
    ) -> Option<HookCall> {
        let (event, common) = self.find_event(payload, named_event)?;
        let fields = &self.fields;
        let session = payload.first_text(fields.session);
        let transcript = payload.first_text(fields.transcript).map(PathBuf::from);
        Some(HookCall {
            client,
            event: event.to_owned(),
            turn: payload.first_text(fields.turn),
            agent: payload.first_text(fields.agent),
            cwd: payload.first_text(fields.cwd).map(PathBuf::from),
            transcript: transcript.or_else(|| (self.find_transcript)(session.as_deref(), env)),
            moment: self.read_moment(common, payload),
            session,
        })
    }

    /// The event by its own name and by the common one: what the payload says it is, or else what the command line says.
    fn find_event(&self, payload: &Payload<'_>, named: &str) -> Option<(&str, &str)> {
        let known = |name: &str| {
            let mut events = self
                .events
                .iter()
                .flat_map(|it| it.iter().zip(COMMON_EVENTS));
            events.find(|(it, _)| **it == name)
        };
        let said = payload.first_text(self.fields.event);
        let (event, common) = said.and_then(|it| known(&it)).or_else(|| known(named))?;
        Some((event, common))
    }

    fn read_moment(&self, event: &str, payload: &Payload) -> HookMoment {
        match event {
            "SessionStart" => {
                // It is the same field in every client that has it.
                let source = payload.first_text(&["source"]).unwrap_or_default();
                HookMoment::Start {
                    is_again: ["resume", "fork", "compact"].contains(&&*source),
                    is_compacted: source == "compact",
                }
            }
            "UserPromptSubmit" => {
                let prompt = payload.first_text(&["prompt"]).unwrap_or_default();
                let mut own = self.own_prompts.iter();
                if own.any(|it| prompt.trim_start().starts_with(it)) {
                    return HookMoment::UNTOUCHED;
                }
                HookMoment::Prompt {
                    text: hook_blocks::strip_hook_blocks(self.echo.as_ref(), &prompt),
                }
            }
            "PreToolUse" => self.read_touch(payload, true),
            "PostToolUse" if !self.is_after_for_failures => self.read_touch(payload, false),
            "PostToolUse" | "PostToolUseFailure" => self.read_failure(payload),
            "PreCompact" if (self.is_compaction)(payload) => HookMoment::Compact,
            // Nothing happens, and nothing can be said.
            "PreCompact" => HookMoment::Stop { said: None },
            "Stop" => HookMoment::Stop {
                said: payload.first_text(self.fields.said),
            },
            _ => HookMoment::End,
        }
    }

    fn read_touch(&self, payload: &Payload, is_before: bool) -> HookMoment {
        let name = payload.first_text(self.fields.tool).unwrap_or_default();
        let input = payload.raw_json(self.fields.input).unwrap_or_default();
        let file_use = self.find_file_use(&name);
        let cwd = payload.first_text(self.fields.cwd);
        let used = ToolUse {
            tool: &name,
            input: &input,
            is_shell: file_use == Some(FileUse::Runs),
            cwd: cwd.as_deref(),
        };
        let touched = file_use.map(|it| touched_paths::find_touched_paths(it, &input));
        let mut touched = touched.unwrap_or_default();
        // Paths are written down with the session; a secret in one is not.
        for paths in [&mut touched.all, &mut touched.written] {
            paths.retain(|it| find_secret(it).is_none());
        }
        HookMoment::Touch {
            outside: weigh_tool_use(&used),
            paths: touched.all,
            written: touched.written,
            replaced: match is_before && file_use == Some(FileUse::Edits) {
                true => touched_paths::find_replaced_text(&input),
                false => String::new(),
            },
            is_before,
            failed: self.find_failed_command(payload).filter(|_| !is_before),
            task: self
                .find_delegated_task(&name, &input)
                .filter(|_| is_before),
        }
    }

    fn find_delegated_task(&self, tool: &str, input: &str) -> Option<Box<DelegatedTask>> {
        let (tools, fields) = self.task_tools;
        let is_task = tools.contains(&tool);
        let task = is_task.then(|| DelegatedTask::read(input, fields));
        task.flatten().map(Box::new)
    }

    fn read_failure(&self, payload: &Payload) -> HookMoment {
        let mut moment = HookMoment::UNTOUCHED;
        if let HookMoment::Touch { failed, .. } = &mut moment {
            *failed = self.find_failed_command(payload);
        }
        moment
    }

    /// The command that a tool ran, where it failed.
    fn find_failed_command(&self, payload: &Payload) -> Option<Box<FailedCommand>> {
        let name = payload.first_text(self.fields.tool)?;
        let is_shell = self.find_file_use(&name) == Some(FileUse::Runs);
        let outcome = is_shell.then(|| (self.read_outcome)(payload)).flatten()?;
        let input = payload.raw_json(self.fields.input)?;
        let object = Payload::parse_object(&input);
        let command = object.map_or_else(|| input.to_string(), |it| read_command(&it).0);
        recognize_failed_command(&command, &outcome).map(Box::new)
    }

    /// What a tool does with files; nothing where it is not known to be about files.
    fn find_file_use(&self, tool: &str) -> Option<FileUse> {
        let uses = [
            (self.shell_tools, FileUse::Runs),
            (self.editing_tools, FileUse::Edits),
            (self.reading_tools, FileUse::Reads),
        ];
        let mut known = uses.into_iter().filter(|(names, _)| names.contains(&tool));
        known.next().map(|it| it.1)
    }
}

/// A documented payload, kept as a file in `samples` beside the caller: `sample!("Stop")`, or with the file's name when an
/// event has several.
macro_rules! sample {
    ($event:literal) => {
        sample!($event, $event)
    };
    ($event:literal, $file:literal) => {
        $crate::hook::HookSample {
            event: $event,
            stdin: include_str!(concat!("samples/", $file, ".json")),
        }
    };
}
pub(crate) use sample;
