//! Tools of clients that bring in what strangers wrote: pages, searches, other servers, other agents, skills.

use crate::hook::payload::Payload;

/// The name under which clients know our server.
const OWN_SERVER: &str = "apostille";

/// The tools of our own server. Every other tool of a server is a stranger's, also of one that calls itself by our name.
pub const OWN_TOOLS: &[&str] = &[
    "memory",
    "memory_delete",
    "memory_forget",
    "memory_get_recent",
    "memory_invalidate",
    "memory_log_applied",
    "memory_read_citation",
    "memory_recall",
    "memory_refresh",
    "memory_remember",
    "memory_revise",
    "memory_search",
    "memory_search_by_path",
    "memory_stats",
    "memory_store",
    "memory_supersede",
    "memory_verify",
    "memory_verify_citations",
    "memory_write",
];

/// What clients put before a tool of our server. Cursor does not tell the server.
const OWN_PREFIXES: &[&str] = &[
    "mcp__apostille__",
    "mcp_apostille_",
    "apostille__",
    "apostille-",
    "apostille/",
    "MCP:",
];

/// Parts of names of tools that fetch pages or search the web, in small letters.
const WEB_PARTS: &[&str] = &[
    "web",
    "fetch",
    "browser",
    "search_query",
    "github_repo",
    "githubrepo",
    "open_url",
    "read_url",
];

/// Tools that hand work to another agent, or take in its instructions. What that agent has read is not known here.
const AGENT_TOOLS: &[&str] = &[
    "task",
    "agent",
    "spawn_agent",
    "invoke_agent",
    "delegate_to_agent",
    "codebase_investigator",
    "skill",
    "activate_skill",
    "agentoutputtool",
    "read_skill",
];

/// Tools that list or read what servers offer beside tools.
const RESOURCE_TOOLS: &[&str] = &[
    "readmcpresourcetool",
    "listmcpresourcestool",
    "read_mcp_resource",
    "list_mcp_resources",
    "list_mcp_resource_templates",
];

/// Whether a tool that runs no commands brings in what strangers wrote.
pub(super) fn is_outside_tool(tool: &str, input: &str) -> bool {
    if is_own_tool(tool) {
        return false;
    }
    let name = tool.to_lowercase();
    if RESOURCE_TOOLS.contains(&name.as_str()) {
        let server = Payload::parse_object(input).and_then(|it| it.first_text(&["server"]));
        return server.as_deref() != Some(OWN_SERVER);
    }
    is_server_tool(&name)
        || AGENT_TOOLS.contains(&name.as_str())
        || name.contains("subagent")
        || WEB_PARTS.iter().any(|it| name.contains(it))
}

/// Whether a tool is one of ours, by its whole name: a server whose name is like ours is another server.
pub(super) fn is_own_tool(tool: &str) -> bool {
    let tool = tool.replace('.', "_");
    let mut names = OWN_PREFIXES.iter().filter_map(|it| tool.strip_prefix(it));
    names.any(|it| OWN_TOOLS.contains(&it))
}

/// Whether a name has the shape that clients give to tools of servers: `mcp__server__tool`, `server-tool`, `server/tool`.
fn is_server_tool(name: &str) -> bool {
    name.starts_with("mcp") || name.contains("__") || name.contains(['/', '-'])
}
