//! The same tools in this process: what is left when the protocol and the process are taken away.

use std::path::Path;

use anyhow::Result;
use apostille_api::Caller;
use apostille_core::{
    policy::{BreakerPolicy, Policy},
    space::Space,
};
use apostille_tools::{Profile, ToolAnswer};
use serde_json::Value;

use super::{
    servers::max_total,
    tool::{SPACE, Tool},
};
use crate::ours::{self, Code, Ours};

/// A store that is open in this process.
pub(crate) struct Library<'a> {
    ours: Ours<'a>,
    repo: Space,
    user: Space,
}

impl<'a> Library<'a> {
    /// Opens a store under the rules that servers of this set are given.
    pub(crate) fn open(path: &Path, code: &'a Code, profile: Profile) -> Result<Self> {
        let mut policy = Policy {
            breakers: BreakerPolicy::OFF,
            ..Policy::default()
        };
        policy.limits.max_total = max_total(profile);
        let (repo, user) = (ours::space(SPACE)?, Space::user("me")?);
        Ok(Self {
            ours: Ours::open(path, code)?.ruled(policy),
            repo,
            user,
        })
    }

    /// Calls a tool.
    pub(crate) fn call(&self, tool: Tool, index: usize, arguments: Value) -> Result<ToolAnswer> {
        let here = Caller {
            user: Some(&self.user),
            ..Caller::in_repo(&self.repo)
        };
        let call = |cx: &apostille_core::Context<'_>| {
            tool.profile().call_tool(cx, &here, tool.name(), arguments)
        };
        Ok(self.ours.with(index, call)??)
    }

    /// How many memories the repository has.
    pub(crate) fn memories(&self) -> Result<u64> {
        self.ours.memories(&self.repo)
    }
}
