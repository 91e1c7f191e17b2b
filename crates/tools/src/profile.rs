//! Sets of tools: an agent pays tokens for every tool it is told of, so it is told of few.

use std::sync::OnceLock;

use apostille_core::Context;
use apostille_core::policy::{Limits, Policy};
use apostille_text::words::words;
use serde_json::{Value, json};

use super::answer::Answer;
use super::tool::{CallMarks, Effect, Tool};
use super::{everyday, files, layers, simple, verified};
use apostille_api::{Fault, Here, wire};

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
        MADE[self as usize].get_or_init(|| self.made())
    }

    /// What its tools are called.
    pub fn tool_names(self) -> impl Iterator<Item = &'static str> {
        self.tools().iter().map(|it| it.name)
    }

    fn made(self) -> Vec<Tool> {
        match self {
            Self::Default => everyday::tools(),
            Self::Verified => verified::tools(),
            Self::Simple => simple::tools(),
            Self::Layers => layers::tools(),
            Self::Files => files::tools(),
            Self::All => all(),
        }
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
    pub fn tool(self, name: &str) -> Option<&'static Tool> {
        let name = underscored(name);
        self.tools().iter().find(|it| it.name == name)
    }

    /// Calls a tool of this set.
    pub fn call(
        self,
        cx: &Context<'_>,
        here: &Here<'_>,
        tool: &str,
        arguments: Value,
    ) -> Result<Answer, Fault> {
        let tool = underscored(tool);
        let arguments = match here.root {
            Some(root) => within(arguments, root),
            None => arguments,
        };
        let marks: CallMarks = wire::read(&arguments)?;
        let here = &Here {
            is_tainted: here.is_tainted || marks.tainted,
            ..*here
        };
        if marks.ignore_memory && self.reads(&tool, &arguments) {
            return Answer::json(&json!({"ignored": true, "memories": []}));
        }
        match self.home(&tool, &arguments) {
            Self::Verified => verified::call(cx, here, &tool, &arguments),
            Self::Simple => {
                let (ours, own) = (notebook(cx.policy), here.own.map(notebook));
                let here = Here {
                    own: own.as_ref(),
                    ..*here
                };
                let cx = Context {
                    policy: &ours,
                    ..*cx
                };
                simple::call(&cx, &here, &tool, &arguments)
            }
            Self::Layers => layers::call(cx, here, &tool, &arguments),
            Self::Files => files::call(cx, here, &tool, &arguments),
            Self::Default | Self::All => everyday::call(cx, here, &tool, &arguments),
        }
    }

    /// Whether a call only looks into memory.
    fn reads(self, tool: &str, arguments: &Value) -> bool {
        arguments["command"] == "view"
            || self.tool(tool).is_some_and(|it| it.effect == Effect::Reads)
    }

    /// The sets that all is made of. Of two tools with the same name, the one with proof comes first.
    fn single() -> impl Iterator<Item = Self> {
        let sets = Self::ALL.iter().copied();
        sets.filter(|it| *it != Self::All)
    }

    /// The set that a tool belongs to, where all of them are given. A note without a subject is one for the notebook.
    fn home(self, tool: &str, arguments: &Value) -> Self {
        if self != Self::All {
            return self;
        }
        let is_note = tool == "memory_store" && arguments.get("text").is_some();
        let has = |set: &Self| set.tool(tool).is_some();
        if is_note {
            Self::Simple
        } else {
            Self::single().find(has).unwrap_or_default()
        }
    }
}

/// The same arguments with paths from the root of the checkout: many an agent knows whole paths only.
fn within(mut arguments: Value, root: &str) -> Value {
    let shorten = |it: &mut Value| {
        let short = it
            .as_str()
            .and_then(|it| it.strip_prefix(root)?.strip_prefix('/'))
            .map(str::to_owned);
        if let Some(short) = short {
            *it = Value::String(short);
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
fn all() -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for tool in Profile::single().flat_map(Profile::tools) {
        if tools.iter().all(|it| it.name != tool.name) {
            tools.push(tool.clone());
        }
    }
    tools
}

/// The name of a tool as it is here, however it was spelled.
fn underscored(name: &str) -> String {
    name.replacen('.', "_", 1)
}

/// The rules of a notebook, with what was set here.
fn notebook(policy: &Policy) -> Policy {
    let notebook = Policy::notebook();
    let max_total = policy.limits.max_total.or(notebook.limits.max_total);
    Policy {
        limits: Limits {
            max_total,
            ..policy.limits
        },
        require_citations: false,
        ..*policy
    }
}
