//! A tool as clients and models are told of it.

use std::ops::Deref;

use apostille_core::{Context, memory::Draft, space::Space};
use schemars::JsonSchema;
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::Value;

use crate::ToolAnswer;
use apostille_api::{
    CallFault, Caller,
    wire::{self, ArgumentError, InputSchema},
};

/// What calling a tool does to what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// Nothing.
    Reads,
    /// Something is added; the same call twice adds it once, or asks.
    Adds,
    /// Something is changed; what was there before stays in the history.
    Changes,
    /// Something is gone afterwards.
    Removes,
}

/// A tool.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name: letters and underscores, because several clients refuse anything else.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// When to call it, and what it does.
    pub about: &'static str,
    /// The schema of its arguments, with one example.
    pub input: Value,
    /// What it does to what is kept.
    pub effect: ToolEffect,
    /// What answers a call of it.
    pub(crate) run: fn(&ToolCall<'_>) -> ToolResult,
}

/// What a tool answers, or why it cannot.
pub(crate) type ToolResult = Result<ToolAnswer, CallFault>;

/// A call of a tool: the context that the verbs of the core are given, and where the caller stands.
#[derive(Clone, Copy)]
pub(crate) struct ToolCall<'a> {
    pub(crate) cx: Context<'a>,
    pub(crate) caller: &'a Caller<'a>,
    pub(crate) arguments: &'a Value,
}

impl<'a> Deref for ToolCall<'a> {
    type Target = Context<'a>;

    fn deref(&self) -> &Context<'a> {
        &self.cx
    }
}

impl<'a> ToolCall<'a> {
    /// The arguments, or some of them.
    pub(crate) fn read_input<T: DeserializeOwned>(&self) -> Result<T, ArgumentError> {
        wire::read_arguments(self.arguments)
    }

    /// The spaces in play, the nearest first.
    pub(crate) fn spaces(&self) -> Vec<Space> {
        self.caller.spaces()
    }

    /// The context for what is written into this space.
    pub(crate) fn context_for(&self, space: &Space) -> Context<'a> {
        self.caller.context_for_space(&self.cx, space)
    }

    /// The caller's words, on their way into this space.
    pub(crate) fn draft(&self, space: &Space, fact: String) -> Draft {
        let voice = self.caller.agent_voice(self.actor);
        Draft::new(space.clone(), fact, voice)
    }
}

/// What may be said with every call, whichever tool it is of. Only some tools tell of it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct CallMarks {
    /// The words come from a web page, issue or tool output
    #[serde(default)]
    pub(super) tainted: bool,
    /// The user asked to ignore memory this turn
    #[serde(default)]
    pub(super) ignore_memory: bool,
    /// owner/name, only if asked for
    #[schemars(with = "Option<String>")]
    #[expect(
        dead_code,
        reason = "read by whoever finds the place of a call, before it comes to a tool"
    )]
    repo: Option<IgnoredAny>,
}

impl CallMarks {
    /// The schema of those that a tool tells of.
    pub(super) fn select_schema(names: &[&str]) -> InputSchema {
        InputSchema::from_type::<Self>().keep_only(names)
    }
}
