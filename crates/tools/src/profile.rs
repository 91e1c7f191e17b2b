//! Sets of tools: an agent pays tokens for every tool it is told of, so it is told of few.

use std::sync::OnceLock;

use apostille_core::{
    Context,
    policy::{MemoryLimits, Policy},
};
use apostille_text::words::words;
use serde_json::{Value, json};

use super::{
    answer::ToolAnswer,
    edit_note::add_edit_note,
    everyday, files, layers, simple,
    tool::{CallMarks, Tool, ToolCall, ToolEffect},
    verified,
};
use apostille_api::{CallFault, Caller, host::ActivityStore, wire};

/// What every tool answers in a turn in which the user asked to ignore memory.
pub(super) const IGNORED: &str =
    "The user asked to leave memory out of this turn. Nothing was read or written.";

words! {
    /// A set of tools.
    #[derive(Default)]
    Profile as "profile" {
        /// Five verbs for every day.
        #[default]
        Default = "default",
        /// Ten tools over facts with the code that proves them.
        Verified = "verified",
        /// A notebook of three tools.
        Simple = "simple",
        /// One tool that writes a person's identity and what was learned.
        Layers = "layers",
        /// One tool with the commands of a file system.
        Files = "files",
        /// Everything at once.
        All = "all",
    }
}

impl Profile {
    /// The tools of this set, always in the same order. They are made once: every call asks for them.
    #[must_use]
    pub fn tools(self) -> &'static [Tool] {
        static MADE: [OnceLock<Vec<Tool>>; Profile::ALL.len()] =
            [const { OnceLock::new() }; Profile::ALL.len()];
        MADE[self as usize].get_or_init(|| match self {
            Self::Default => everyday::list_everyday_tools(),
            Self::Verified => verified::list_verified_tools(),
            Self::Simple => simple::list_simple_tools(),
            Self::Layers => layers::list_layers_tools(),
            Self::Files => files::list_files_tools(),
            Self::All => merge_all_tools(),
        })
    }

    /// What its tools are called.
    pub fn tool_names(self) -> impl Iterator<Item = &'static str> {
        self.tools().iter().map(|it| it.name)
    }

    /// What a model is told of the server as a whole.
    #[must_use]
    pub fn instructions(self) -> &'static str {
        match self {
            Self::Default | Self::All => everyday::GUIDANCE,
            Self::Verified => verified::GUIDANCE,
            Self::Simple => simple::GUIDANCE,
            Self::Layers => layers::GUIDANCE,
            Self::Files => files::GUIDANCE,
        }
    }

    /// The tool with this name, with an underscore or a dot.
    #[must_use]
    pub fn find_tool(self, name: &str) -> Option<&'static Tool> {
        let name = normalize_tool_name(name);
        self.tools().iter().find(|it| it.name == name)
    }

    /// Calls a tool of this set.
    pub fn call_tool(
        self,
        cx: &Context,
        caller: &Caller,
        tool: &str,
        arguments: Value,
    ) -> Result<ToolAnswer, CallFault> {
        if caller.is_ignored {
            return Ok(ToolAnswer::new_plain(IGNORED));
        }
        let tool = normalize_tool_name(tool);
        let arguments = match caller.root {
            Some(root) => strip_root_from_paths(arguments, root),
            None => arguments,
        };
        let marks: CallMarks = wire::read_arguments(&arguments)?;
        let caller = &Caller {
            is_tainted: caller.is_tainted || marks.tainted,
            ..*caller
        };
        if marks.ignore_memory && self.is_reading_call(&tool, &arguments) {
            return ToolAnswer::new_json(&json!({"ignored": true, "memories": []}));
        }
        let set = self.profile_of_tool(&tool, &arguments);
        let Some(tool) = set.find_tool(&tool) else {
            return Err(CallFault::no_such_tool(&tool, set.tool_names()));
        };
        let can_revise = self.find_tool("memory_revise").is_some();
        let call = |cx, caller| {
            let arguments = &arguments;
            let answer = (tool.run)(&ToolCall {
                cx,
                caller,
                arguments,
            })?;
            let answer = match tool.effect {
                ToolEffect::Reads => add_trust_note(caller, answer),
                _ => answer,
            };
            Ok(add_edit_note(&cx, caller, answer, can_revise))
        };
        if set != Self::Simple {
            return call(*cx, caller);
        }
        let ours = build_notebook_policy(cx.policy);
        let own = caller.own.map(build_notebook_policy);
        let caller = &Caller {
            own: own.as_ref(),
            ..*caller
        };
        let policy = &ours;
        call(Context { policy, ..*cx }, caller)
    }

    /// Whether a call only looks into memory.
    fn is_reading_call(self, tool: &str, arguments: &Value) -> bool {
        arguments["command"] == "view"
            || self
                .find_tool(tool)
                .is_some_and(|it| it.effect == ToolEffect::Reads)
    }

    /// The sets that all is made of. Of two tools with the same name, the one with proof comes first.
    fn single_profiles() -> impl Iterator<Item = Self> {
        let sets = Self::ALL.iter().copied();
        sets.filter(|it| *it != Self::All)
    }

    /// The set that a tool belongs to, where all of them are given. A note without a subject is one for the notebook.
    fn profile_of_tool(self, tool: &str, arguments: &Value) -> Self {
        if self != Self::All {
            return self;
        }
        let is_note = tool == "memory_store" && arguments.get("text").is_some();
        let has = |set: &Self| set.find_tool(tool).is_some();
        if is_note {
            Self::Simple
        } else {
            Self::single_profiles().find(has).unwrap_or_default()
        }
    }
}

/// The answer with a line about what the repository brings and nobody trusted: an agent that finds nothing knows why.
fn add_trust_note(caller: &Caller, answer: ToolAnswer) -> ToolAnswer {
    match caller.activity.and_then(ActivityStore::trust_note) {
        Some(note) => answer.with_field("untrusted", &note, note),
        None => answer,
    }
}

/// The same arguments with paths from the root of the checkout: many an agent knows whole paths only.
fn strip_root_from_paths(mut arguments: Value, root: &str) -> Value {
    let shorten = |it: &mut Value| {
        let path = it.as_str().and_then(|it| it.strip_prefix(root));
        if let Some(short) = path.and_then(|it| it.strip_prefix('/')) {
            *it = short.into();
        }
    };
    arguments.get_mut("path").map(shorten);
    for it in arguments
        .get_mut("citations")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        shorten(it);
        it.get_mut("path").map(shorten);
    }
    arguments
}

/// The tools of all sets, of two with the same name the first.
fn merge_all_tools() -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for tool in Profile::single_profiles().flat_map(Profile::tools) {
        if tools.iter().all(|it| it.name != tool.name) {
            tools.push(tool.clone());
        }
    }
    tools
}

/// The name of a tool as it is here, however it was spelled.
fn normalize_tool_name(name: &str) -> String {
    name.replacen('.', "_", 1)
}

/// The rules of a notebook, with what was set here.
fn build_notebook_policy(policy: &Policy) -> Policy {
    let notebook = Policy::for_notebook();
    let max_total = policy.limits.max_total.or(notebook.limits.max_total);
    Policy {
        limits: MemoryLimits {
            max_total,
            ..policy.limits
        },
        require_citations: false,
        ..*policy
    }
}
