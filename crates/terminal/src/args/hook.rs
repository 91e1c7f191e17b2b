//! `hook` and `why` as they are typed.

use clap::Args;

/// `hook`.
#[derive(Debug, Clone, Args)]
pub struct HookArgs {
    /// The event, by the client's own name, such as UserPromptSubmit
    #[arg(required_unless_present = "after")]
    pub event: Option<String>,
    /// Whose settings the command stands in: claude-code, codex, copilot, gemini, cursor or vscode
    #[arg(
        long,
        value_name = "CLIENT",
        default_value = "claude-code",
        hide_default_value = true
    )]
    pub client: String,
    /// Go through what a session left behind, or every session that is over
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "", hide = true)]
    pub after: Option<String>,
}

/// `why`.
#[derive(Debug, Clone, Args)]
pub struct WhyArgs {
    /// Which session, by its id or the beginning of it; the latest here unless said
    #[arg(long, value_name = "SESSION")]
    pub session: Option<String>,
    /// Every turn of it, not only the last
    #[arg(long, short)]
    pub all: bool,
    /// List the sessions there are
    #[arg(long, conflicts_with_all = ["session", "all"])]
    pub list: bool,
}
