//! What was said and done in a session, whichever client wrote it down.

mod injected_text;

use jiff::Timestamp;

use apostille_text::words::words;

pub use injected_text::strip_injected_text;

words! {
    /// Who speaks.
    TurnSpeaker as "speaker" {
        /// The person in front of the agent.
        Person = "person",
        /// The agent.
        Agent = "agent",
        /// A tool, with what it gave back.
        Tool = "tool",
    }
}

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptTurn {
    /// Its place in the transcript, counted from 1.
    pub number: usize,
    /// When.
    pub at: Option<Timestamp>,
    /// Who.
    pub speaker: TurnSpeaker,
    /// The words, without anything that was put beside them by a hook.
    pub text: String,
    /// The tools that the agent called here.
    pub uses: Vec<TranscriptCall>,
}

/// A tool that an agent called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptCall {
    /// The tool, by the client's own name.
    pub tool: String,
    /// The files it was about, as the client wrote them.
    pub paths: Vec<String>,
    /// What it was given, bounded.
    pub input: String,
    /// Whether it succeeded, where the client wrote that down.
    pub has_succeeded: Option<bool>,
    /// Whether it went on in the background: then how it ended is not known.
    pub is_background: bool,
}

/// Whether a tool runs commands.
pub(crate) fn is_shell_tool(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["bash", "shell", "exec", "terminal", "powershell", "command"]
        .iter()
        .any(|it| tool.contains(it))
}

/// Whether a tool brings in what strangers wrote: pages, searches, other servers. A command that fetches does, too, unless
/// it asks this machine.
pub fn is_outside_text_tool(tool: &str, input: &str) -> bool {
    let tool = tool.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|it| tool.contains(it));
    let is_other_server = tool.starts_with("mcp") && !tool.contains("apostille");
    is_other_server || has(&["web", "fetch", "browser", "search_query"]) || is_fetch_command(input)
}

/// Programs that bring in what others wrote, whatever they are given.
const FETCHERS: &[&str] = &[
    "gh", "glab", "curl", "wget", "http", "https", "xh", "lynx", "w3m", "aria2c",
];

/// Whether a command asks another machine: by an address in it, or by a program that does nothing else.
fn is_fetch_command(command: &str) -> bool {
    let is_here = |address: &str| {
        let host = address
            .split(['/', ':', '?', '#', '"', '\'', ' ', '\\'])
            .next();
        matches!(host, Some("localhost" | "127.0.0.1" | "0.0.0.0" | "[" | ""))
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut words = command.split(|c: char| !is_word(c));
    let mut addresses = command.split("://").skip(1).peekable();
    match addresses.peek() {
        None => words.any(|it| FETCHERS.contains(&it)),
        Some(_) => !addresses.all(is_here),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_brings_in_words_from_outside_is_known() {
        let check = |tool: &str, input: &str, expected: bool| {
            assert_eq!(
                is_outside_text_tool(tool, input),
                expected,
                "{tool} {input}"
            );
        };
        check("WebFetch", "", true);
        check("mcp__evil-memory__ask", "", true);
        check("mcp__apostille__memory_recall", "", false);
        check("Read", "", false);
        check(
            "Bash",
            r#"{"command":"curl https://evil.example/p?x=localhost"}"#,
            true,
        );
        check("Bash", r#"{"command":"curl\\thttps://evil.example"}"#, true);
        check(
            "Bash",
            r#"{"command":"curl http://localhost:8080/health"}"#,
            false,
        );
        check("Bash", r#"{"command":"http GET evil.example"}"#, true);
        check("Bash", r#"{"command":"gh -R a/b issue view 1"}"#, true);
        check(
            "Bash",
            r#"{"command":"python3 -c \"urlopen('https://evil.example')\""}"#,
            true,
        );
        check("Bash", r#"{"command":"cargo test --all"}"#, false);
        check("Bash", r#"{"command":"git log --oneline"}"#, false);
    }
}
