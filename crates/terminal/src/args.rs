//! The command line as it is typed. What is meant by it is worked out elsewhere.

mod agents;
mod command_line;
mod examples;
pub mod help;
mod reviews;
mod sharing;
mod store;
mod task;
mod upkeep;

use std::{path::PathBuf, str::FromStr};

use crate::paint::paste::quote_pasted_word;
use apostille_core::{
    address::MemoryAddress,
    archive::{ArchiveHandle, BadArchiveHandle},
    memory::{BadHandle, Channel, Kind, Layer, MemoryName, Origin, Stage},
    policy::InjectMode,
    project::ProjectName,
};
use apostille_import::{export::ExportFormat, format::ForeignFormat};
use apostille_text::words::UnknownWord;
use apostille_workspace::config::SettingFlags;
use clap::{
    Args, ColorChoice, Parser, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};

pub use agents::{
    HookArgs, InitArgs, LogLevelArg, ModelArgs, ModelName, ModelSubcommand, OfferArgs, PinArgs,
    PinSubcommand, ProxyHeaderArg, ServeArgs, SpacesArgs, SpacesLinkArgs, SpacesSubcommand,
    TokenArgs, TokenCreateArgs, TokenSubcommand, TrustArgs, WhyArgs,
};
pub use command_line::parse_command_line;
pub use reviews::{ReviewsArgs, ReviewsSubcommand};
pub use sharing::{SyncArgs, SyncSetupArgs, SyncSubcommand};
pub use store::{
    StoreAddressArgs, StoreArgs, StoreCopyArgs, StoreGrantAccess, StoreGrantArgs, StoreRevokeArgs,
    StoreSubcommand,
};
pub use task::{
    PhaseReportArgs, TaskArgs, TaskDoneArgs, TaskFileArgs, TaskForgetArgs, TaskHooksArgs,
    TaskListArgs, TaskNoteArgs, TaskPhaseArgs, TaskShowArgs, TaskStartArgs, TaskSubcommand,
    TaskTrailersArgs,
};
pub use upkeep::{
    AuditArgs, BreakerArgs, BreakerSubcommand, PromoteArgs, ReviewArgs, RollbackArgs, SecretsArgs,
    SecretsCheckArgs, SecretsSubcommand, VerifyArgs, VerifyName,
};

/// Verified, shared memory for coding agents.
#[derive(Debug, Parser)]
#[command(name = "apostille", version, styles = help::STYLES, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: CliCommand,
    /// The flags that every command takes.
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

/// The flags that every command takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct GlobalArgs {
    /// Answer with one JSON object
    #[arg(long, global = true)]
    pub json: bool,
    /// Where memories are kept: sqlite:PATH or jsonl:PATH
    #[arg(long, global = true, value_name = "URL")]
    pub store: Option<String>,
    /// Whose memory: owner/name or host/owner/name instead of this checkout's
    #[arg(long, global = true, value_name = "OWNER/NAME")]
    pub repo: Option<String>,
    /// Who you are, instead of your login name
    #[arg(long = "as", global = true, value_name = "USER")]
    pub as_user: Option<String>,
    /// When to use colours: auto, always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub color: ColorChoice,
    /// Act as if started in this folder
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

impl GlobalArgs {
    /// The flags that say which memory is meant.
    pub fn settings(&self) -> SettingFlags {
        SettingFlags {
            store: self.store.clone(),
            repo: self.repo.clone(),
            as_user: self.as_user.clone(),
        }
    }

    /// The program's name, with the flags that say which store and whose memory is meant, to be pasted.
    pub fn pasted_program(&self) -> String {
        let dir = self.dir.as_ref().map(|it| it.to_string_lossy());
        let memory = self
            .memory_flags()
            .map(|(flag, value)| (flag, value.as_deref()));
        let said = std::iter::once(("-C", dir.as_deref())).chain(memory);
        let said =
            said.filter_map(|(flag, value)| Some(format!(" {flag} {}", quote_pasted_word(value?))));
        format!("apostille{}", said.collect::<String>())
    }

    /// The flags that say which memory is meant, as they are typed.
    pub fn memory_flags(&self) -> [(&'static str, &Option<String>); 3] {
        [
            ("--store", &self.store),
            ("--repo", &self.repo),
            ("--as", &self.as_user),
        ]
    }
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Keep a fact, with the code that proves it
    Remember(RememberArgs),
    /// Ask what is known, checked against your code
    Recall(RecallArgs),
    /// List memories
    List(ListArgs),
    /// Show everything about one memory
    Show(ShowArgs),
    /// List memories, those refreshed last first
    Recent(RecentArgs),
    /// Look up the citations: does it still hold?
    Verify(VerifyArgs),
    /// Look everything over: what needs attention, and the way out
    Audit(AuditArgs),
    /// Propose what many tasks have in common: patterns, for you to decide about
    Reflect,
    /// Propose which memories go up in others, and name those whose code keeps changing
    Consolidate,
    /// Make a note into an episode, or into knowledge
    Promote(PromoteArgs),
    /// Say that memories still hold; they rank as fresh again
    Refresh(SeveralMemoriesArgs),
    /// Say that a memory is still true in edited code; it cites the lines as they are now
    Confirm(ConfirmArgs),
    /// Replace a memory by a better one
    Supersede(SupersedeArgs),
    /// Mark memories as wrong
    Invalidate(InvalidateArgs),
    /// Remove memories for good, text and all
    Forget(ForgetArgs),
    /// Note that memories were of use in a task
    Apply(SeveralMemoriesArgs),
    /// Go through what waits: accept, edit, merge or reject
    Review(ReviewArgs),
    /// Whose writes are held up, and why; close it
    Breaker(BreakerArgs),
    /// Look through files for secrets, in scripts and in CI
    Secrets(SecretsArgs),
    /// Let pending memories out of quarantine
    Approve(SeveralMemoriesArgs),
    /// Who you are, as one text: show it, or edit it
    Identity(IdentityArgs),
    /// What is kept, in numbers
    Stats(SpaceArgs),
    /// Does memory help? Sessions with it against those that went without
    Impact,
    /// What happened, the latest first
    Log(LogArgs),
    /// Whose memories are kept, and which clones they belong to
    Spaces(SpacesArgs),
    /// Take a space back to how it stood at a time or an event
    Rollback(RollbackArgs),
    /// Write everything out, as JSON, JSON lines or Markdown
    Export(ExportArgs),
    /// Read an export, or the memory and rule files of other tools
    Import(ImportArgs),
    /// Exchange memories with your team or your other machines
    Sync(SyncArgs),
    /// Learn from the sessions that agents had before, by their transcripts on this machine
    Learn(LearnArgs),
    /// Read what reviewers write on pull requests, and what became of it
    Reviews(ReviewsArgs),
    /// What is being done: start it, note what matters, end it
    Task(TaskArgs),
    /// What was done, by day
    Report(ReportArgs),
    /// Serve memory to an agent over MCP, on stdin and stdout
    Mcp(OfferArgs),
    /// Serve memory over HTTP, on this machine only
    Serve(ServeArgs),
    /// Who may come through the socket of `serve`
    Token(TokenArgs),
    /// Move everything from one store into another; say who may use a team's database
    Store(StoreArgs),
    /// The PIN that your decisions at a terminal take
    Pin(PinArgs),
    /// The embedding model on this machine, which finds memories by what they mean
    Model(ModelArgs),
    /// Answer a hook of an agent's client, in its own JSON
    Hook(HookArgs),
    /// Which memories an agent was shown, or what led to a line or a commit
    Why(WhyArgs),
    /// Set up the agents in use: server, hooks and rules
    Init(InitArgs),
    /// Let this repository's own settings and memories be read
    Trust(TrustArgs),
    /// Every setting, and where it came from
    Config(ConfigArgs),
    /// Look the installation over
    Doctor,
    /// See it all happen in a throwaway repository
    Tour,
    /// Completions for your shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// The manual page
    Man {
        /// Write the pages of all commands into this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// A parser for one of an idea's words, which `--help` and completions list.
fn build_word_parser<T>(
    all: &'static [T],
    as_str: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + FromStr<Err = UnknownWord> + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().map(|it| as_str(*it))).try_map(|text| text.parse::<T>())
}

/// What can be said about a fact.
#[derive(Debug, Clone, Args)]
pub struct FactArgs {
    /// A brief topic
    #[arg(long, short)]
    pub subject: Option<String>,
    /// Why it matters
    #[arg(long)]
    pub reason: Option<String>,
    /// The code that proves it, as src/api.rs:12-18 or src/http.rs::Server::bind (repeatable)
    #[arg(long = "cite", short, value_name = "PATH:LINES")]
    pub cites: Vec<String>,
    /// For agents: the user's own words that say it, as they stand in the user's message; or where they were said, as c-5.3
    #[arg(long, value_name = "WORDS", help_heading = "Provenance")]
    pub said: Option<String>,
    /// For agents: a command that shows it, as it was run in this session
    #[arg(long, value_name = "COMMAND", help_heading = "Provenance")]
    pub ran: Option<String>,
    /// A word to find it by (repeatable, or with commas)
    #[arg(long = "tag", short, value_name = "TAG", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// The project it belongs to, kept as the tag project:NAME
    #[arg(long, value_name = "NAME")]
    pub project: Option<ProjectName>,
    /// What sort of thing it is; found out unless said
    #[arg(long, value_parser = build_word_parser(Kind::ALL, Kind::as_str))]
    pub kind: Option<Kind>,
    /// When to show it
    #[arg(long, value_parser = build_word_parser(Layer::ALL, Layer::as_str))]
    pub layer: Option<Layer>,
    /// Who says it: user at a terminal, else agent
    #[arg(long, value_parser = build_word_parser(Origin::ALL, Origin::as_str), help_heading = "Provenance")]
    pub origin: Option<Origin>,
    /// The words come from outside; it waits for approval
    #[arg(long, help_heading = "Provenance")]
    pub tainted: bool,
    /// From where outside they come; it waits for approval
    #[arg(long, value_parser = build_word_parser(Channel::OUTSIDE, Channel::as_str), help_heading = "Provenance")]
    pub from: Option<Channel>,
    /// The agent's or person's name
    #[arg(long, help_heading = "Provenance")]
    pub author: Option<String>,
    /// The session it was said in
    #[arg(long, help_heading = "Provenance")]
    pub session: Option<String>,
    /// The task it belongs to
    #[arg(long, help_heading = "Provenance")]
    pub task: Option<String>,
    /// Vouch for it against a check, as a person; who said so is recorded
    #[arg(long)]
    pub force: bool,
    /// Keep it although it looks as if it held a secret, as a person; who said so is recorded
    #[arg(long)]
    pub not_a_secret: bool,
}

/// `remember`.
#[derive(Debug, Args)]
pub struct RememberArgs {
    /// What was learned, in a sentence; - reads it from the standard input
    pub fact: String,
    /// What is said about it.
    #[command(flatten)]
    pub telling: FactArgs,
    /// Keep it for yourself, in every repository
    #[arg(long)]
    pub user: bool,
    /// What to do about a near-duplicate.
    #[command(flatten)]
    pub on_duplicate: DuplicateChoiceArgs,
}

/// What to do about a near-duplicate.
#[derive(Debug, Args)]
#[group(multiple = false)]
#[command(next_help_heading = "When much the same is known")]
pub struct DuplicateChoiceArgs {
    /// Keep nothing and be content
    #[arg(long)]
    pub skip: bool,
    /// Replace that memory, keeping the citations and tags of both
    #[arg(long, value_name = "HANDLE")]
    pub merge: Option<MemoryName>,
    /// Keep both, and say why
    #[arg(long, value_name = "RATIONALE")]
    pub create: Option<String>,
}

/// `recall`.
#[derive(Debug, Args)]
pub struct RecallArgs {
    /// The question, in your own words
    #[arg(required_unless_present_any = ["recent", "said"])]
    pub question: Vec<String>,
    /// A file in play: memories that cite it come first (repeatable); with --said, only what was said while it was changed
    #[arg(long = "path", short, value_name = "FILE")]
    pub paths: Vec<String>,
    /// Look in this layer instead of knowledge (repeatable)
    #[arg(long = "layer", value_name = "LAYER", value_parser = build_word_parser(Layer::ALL, Layer::as_str))]
    pub layers: Vec<Layer>,
    /// Look also into what happened in past tasks
    #[arg(long)]
    pub episodes: bool,
    /// What you said in past conversations, in your own words, instead of what is remembered
    #[arg(long, conflicts_with_all = [
        "layers", "episodes", "block", "recent", "mode", "at", "why", "chars", "tokens", "tags", "project", "kinds", "address",
    ])]
    pub said: bool,
    /// At most so many memories
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// At most so many characters
    #[arg(long, value_name = "N")]
    pub chars: Option<usize>,
    /// At most so many tokens of a model's context, estimated
    #[arg(long, value_name = "N")]
    pub tokens: Option<usize>,
    /// Which memories
    #[arg(long, value_parser = build_word_parser(InjectMode::ALL, InjectMode::as_str))]
    pub mode: Option<InjectMode>,
    /// Check against a commit, branch or tag instead of your files
    #[arg(long, value_name = "REF")]
    pub at: Option<String>,
    /// Print exactly the block that a model is given
    #[arg(long)]
    pub block: bool,
    /// Explain every score
    #[arg(long)]
    pub why: bool,
    /// The most recent memories, whatever the question
    #[arg(long, conflicts_with = "mode")]
    pub recent: bool,
    /// By words only, also where an embedding model is installed
    #[arg(long)]
    pub no_meaning: bool,
    /// Which memories may answer.
    #[command(flatten)]
    pub only: RecallFilterArgs,
}

/// Which memories may answer a recall.
#[derive(Debug, Args)]
#[command(next_help_heading = "Only memories")]
pub struct RecallFilterArgs {
    /// With this tag (repeatable: all of them)
    #[arg(long = "tag", short, value_name = "TAG")]
    pub tags: Vec<String>,
    /// Of this project
    #[arg(long, value_name = "NAME")]
    pub project: Option<ProjectName>,
    /// Of this kind (repeatable)
    #[arg(long = "kind", value_name = "KIND", value_parser = build_word_parser(Kind::ALL, Kind::as_str))]
    pub kinds: Vec<Kind>,
    /// Citing this file, or a file below this folder
    #[arg(long, value_name = "PATH")]
    pub citing: Option<String>,
    /// Recorded since then: 7d, 24h, 2w, or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Recorded before then
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// About this task; with --said
    #[arg(long, value_name = "TASK", requires = "said")]
    pub task: Option<String>,
    /// On this branch; with --said
    #[arg(long, value_name = "BRANCH", requires = "said")]
    pub branch: Option<String>,
    /// At this address, or below it: /OWNER/NAME/knowledge/, /OWNER/NAME/episodes/TASK/, /OWNER/NAME/review-rules/, users/NAME/
    #[arg(long, value_name = "ADDRESS")]
    pub address: Option<MemoryAddress>,
}

/// `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// In this layer (repeatable)
    #[arg(long = "layer", value_name = "LAYER", value_parser = build_word_parser(Layer::ALL, Layer::as_str))]
    pub layers: Vec<Layer>,
    /// Of this kind (repeatable)
    #[arg(long = "kind", value_name = "KIND", value_parser = build_word_parser(Kind::ALL, Kind::as_str))]
    pub kinds: Vec<Kind>,
    /// In this stage (repeatable); active and pending unless said
    #[arg(long = "status", value_name = "STATUS", value_parser = build_word_parser(Stage::ALL, Stage::as_str))]
    pub stages: Vec<Stage>,
    /// Said by this origin (repeatable)
    #[arg(long = "origin", value_name = "ORIGIN", value_parser = build_word_parser(Origin::ALL, Origin::as_str))]
    pub origins: Vec<Origin>,
    /// With this tag (repeatable: all of them)
    #[arg(long = "tag", short, value_name = "TAG")]
    pub tags: Vec<String>,
    /// Of this project
    #[arg(long, value_name = "NAME")]
    pub project: Option<ProjectName>,
    /// At this address, or below it: /OWNER/NAME/knowledge/, /OWNER/NAME/episodes/TASK/, /OWNER/NAME/review-rules/, users/NAME/
    #[arg(long, value_name = "ADDRESS")]
    pub address: Option<MemoryAddress>,
    /// Of this task
    #[arg(long, value_name = "SLUG")]
    pub task: Option<String>,
    /// Citing this file, or a file below this folder
    #[arg(long, short, value_name = "PATH")]
    pub path: Option<String>,
    /// With this text in subject or fact
    #[arg(long)]
    pub text: Option<String>,
    /// Recorded since then: 7d, 24h, 2w, or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Recorded before then
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    pub limit: usize,
    /// Whose.
    #[command(flatten)]
    pub spaces: SpaceArgs,
}

/// Whose memories.
#[derive(Debug, Clone, Copy, Args)]
pub struct SpaceArgs {
    /// In every space of the store, not only this repository's and yours
    #[arg(long)]
    pub all_spaces: bool,
}

/// One memory.
#[derive(Debug, Args)]
pub struct SingleMemoryArgs {
    /// The memory, as m-12 or u-3
    #[arg(value_name = "HANDLE")]
    pub name: MemoryName,
}

/// Some memories.
#[derive(Debug, Args)]
pub struct SeveralMemoriesArgs {
    /// The memories, as m-12 or u-3
    #[arg(value_name = "HANDLE", required = true)]
    pub names: Vec<MemoryName>,
}

/// `recent`.
#[derive(Debug, Args)]
pub struct RecentArgs {
    /// Citing this file, or a file below this folder
    #[arg(long, short, value_name = "PATH")]
    pub path: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', value_name = "N", default_value_t = apostille_core::list::RECENT_LIMIT)]
    pub limit: usize,
}

/// `supersede`.
#[derive(Debug, Args)]
pub struct SupersedeArgs {
    /// The memory to replace
    #[arg(value_name = "HANDLE")]
    pub name: MemoryName,
    /// What is true instead; - reads it from the standard input
    pub fact: String,
    /// The old one was wrong, rather than outdated
    #[arg(long)]
    pub correct: bool,
    /// What is said about it.
    #[command(flatten)]
    pub telling: FactArgs,
}

/// `confirm`.
#[derive(Debug, Args)]
pub struct ConfirmArgs {
    /// Which.
    #[command(flatten)]
    pub which: SingleMemoryArgs,
    /// The code that proves it now, as src/api.rs:12-18 or src/http.rs::Server::bind (repeatable); those that its lines became, unless said
    #[arg(long = "cite", short, value_name = "PATH:LINES")]
    pub cites: Vec<String>,
}

/// `invalidate`.
#[derive(Debug, Args)]
pub struct InvalidateArgs {
    /// Which.
    #[command(flatten)]
    pub which: SeveralMemoriesArgs,
    /// What is wrong with it
    #[arg(long)]
    pub reason: String,
}

/// What is kept: a memory, or a conversation.
#[derive(Debug, Clone, Copy)]
pub enum KeptName {
    /// A memory.
    Memory(MemoryName),
    /// A conversation, or a passage of it.
    Archive(ArchiveHandle),
}

impl FromStr for KeptName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("c-") {
            Some(_) => text
                .parse()
                .map(Self::Archive)
                .map_err(|it: BadArchiveHandle| it.to_string()),
            None => text
                .parse()
                .map(Self::Memory)
                .map_err(|it: BadHandle| it.to_string()),
        }
    }
}

/// `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The memory, as m-12 or u-3; or a conversation, as c-5
    #[arg(value_name = "HANDLE")]
    pub name: KeptName,
}

/// `forget`.
#[derive(Debug, Args)]
pub struct ForgetArgs {
    /// The memories, as m-12 or u-3; a conversation, as c-5, or what was said third in it, as c-5.3
    #[arg(value_name = "HANDLE", required = true)]
    pub names: Vec<KeptName>,
    /// Why; it outlives the memory, so do not repeat its text
    #[arg(long)]
    pub reason: Option<String>,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

/// `log`.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// At most so many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    pub limit: usize,
    /// Only about this memory
    #[arg(long, value_name = "HANDLE")]
    pub memory: Option<MemoryName>,
    /// Whose.
    #[command(flatten)]
    pub spaces: SpaceArgs,
}

/// `identity`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct IdentityArgs {
    /// What to do; it is shown unless said.
    #[command(subcommand)]
    pub what: Option<IdentitySubcommand>,
}

/// What to do with the identity text.
#[derive(Debug, Subcommand)]
pub enum IdentitySubcommand {
    /// Edit it in your editor, or take it from a file
    Edit(IdentityEditArgs),
}

/// `identity edit`.
#[derive(Debug, Args)]
pub struct IdentityEditArgs {
    /// Take the text from this file instead of an editor; - reads the standard input
    #[arg(long, short, value_name = "FILE")]
    pub file: Option<String>,
    /// Only if the text is still of this version, as `identity --json` says it
    #[arg(long, value_name = "VERSION")]
    pub base: Option<String>,
}

/// `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// json or jsonl (complete), notebook (plain lines: text, tags, time), all of which `import` reads; or markdown (for people)
    #[arg(long, short, default_value = "json", hide_possible_values = true, value_parser = build_word_parser(ExportFormat::ALL, ExportFormat::as_str))]
    pub format: ExportFormat,
    /// Into this file, which must not exist yet, instead of the output
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Whose.
    #[command(flatten)]
    pub spaces: SpaceArgs,
}

/// `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The file, or a folder of such files; - reads the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What it is; found out unless said
    #[arg(long, short, value_name = "NAME", value_parser = build_word_parser(ForeignFormat::ALL, ForeignFormat::as_str))]
    pub format: Option<ForeignFormat>,
    /// Keep everything as the file has it, on your word; without it, all of it waits for approval
    #[arg(long)]
    pub trust: bool,
    /// Keep it for yourself instead of this repository, where the file does not say whose it is
    #[arg(long)]
    pub user: bool,
    /// Say what would be kept, and keep nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
}

/// `learn`.
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// From the transcripts that agents left on this machine
    #[arg(long, required = true)]
    pub past: bool,
    /// Only from sessions that began since then: 90d, 24h, 2w, or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Say what would be read, and keep nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

/// `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// From when: 7d, 24h, 2w, or a date
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    pub since: String,
    /// Up to when, exclusive: a date, or as long ago; now unless said
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// As Markdown
    #[arg(long)]
    pub markdown: bool,
    /// In every space of the store, not only this repository's
    #[arg(long, visible_alias = "all-spaces")]
    pub all: bool,
}

/// `config`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct ConfigArgs {
    /// What to show.
    #[command(subcommand)]
    pub what: Option<ConfigSubcommand>,
}

/// What `config` shows.
#[derive(Debug, Subcommand)]
pub enum ConfigSubcommand {
    /// Where the files are
    Path,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_program_names_the_memory_that_is_meant() {
        let flags = GlobalArgs {
            repo: Some("a b/c".into()),
            ..GlobalArgs::default()
        };
        assert_eq!(flags.pasted_program(), "apostille --repo 'a b/c'");
    }
}
