//! `verify --markdown`: the comment for a pull request. What the change makes stale, and what to say instead.
//!
//! The facts and paths are other people's words, and a comment is shown to everybody who reads the pull request. They stand in
//! code spans, where nothing is a link, a mention, an image or the end of the table.

use apostille_cite::standing::{Showing, Standing};
use apostille_core::{
    Context,
    memory::MemoryId,
    standing_text::StandingView,
    verify::{VerifiedMemory, follow_memory_citations},
};
use apostille_terminal::{
    command_context::{CommandContext, CommandResult},
    paint::flatten_to_line,
};
use apostille_text::shorten::shorten_text;
use apostille_workspace::workspace::Workspace;

use super::{fix::VerifyFix, page};

/// By this a program finds the comment that it made before.
const MARKER: &str = "<!-- apostille verify -->";
/// How many memories are told in one table.
const MAX_ROWS: usize = 25;
/// How much of a fact is told, in characters.
const MAX_FACT: usize = 200;
/// The longest command that is told; what is longer is gone through at a terminal.
const MAX_COMMAND: usize = 600;

/// The memories that stood at the base and do not stand here, or no longer for certain.
pub struct VerifyComment<'a> {
    contradicted: Vec<&'a VerifyFix<'a>>,
    to_check: Vec<&'a VerifyFix<'a>>,
    /// How many did not stand at the base either.
    n_before: usize,
    /// How many were looked up.
    n_looked_up: usize,
    unknown: Vec<String>,
}

impl<'a> VerifyComment<'a> {
    /// What is to be said about these fixes, which were made for these memories.
    pub fn new(
        ctx: &CommandContext,
        workspace: &Workspace,
        base: Option<&str>,
        verified: &[VerifiedMemory],
        fixes: &'a [VerifyFix<'a>],
    ) -> CommandResult<Self> {
        let before = look_up_base(ctx, workspace, base, fixes)?;
        let is_new = |it: &&VerifyFix| {
            let id = it.verified().memory.id;
            let was = before.iter().find(|it| it.0 == id).map(|it| it.1);
            was.is_none_or(|was| rank_showing(it.verified().standing()) > rank_showing(was))
        };
        let (mut new, old): (Vec<&VerifyFix>, Vec<&VerifyFix>) = fixes.iter().partition(is_new);
        new.sort_by_key(|it| {
            (
                it.verified().memory.space.clone(),
                it.verified().memory.number,
            )
        });
        let (to_check, contradicted) = new
            .into_iter()
            .partition(|it| it.verified().standing() == Standing::Check);
        let is_cited = |it: &&VerifiedMemory| !it.verdicts.is_empty();
        Ok(Self {
            contradicted,
            to_check,
            n_before: old.len(),
            n_looked_up: verified.iter().filter(is_cited).count(),
            unknown: page::list_unknown_reasons(verified),
        })
    }

    /// The comment.
    pub fn to_markdown(&self) -> String {
        let mut parts = vec![self.format_title()];
        parts.push(format_table(
            "No longer true with this change",
            &self.contradicted,
        ));
        parts.push(format_table(
            "To check: the code was edited, and it does not tell whether these are still true",
            &self.to_check,
        ));
        let unknown = self
            .unknown
            .iter()
            .map(|it| format!("- {}\n", quote_code(it)));
        parts.push(unknown.take(MAX_ROWS).collect());
        if self.n_before > 0 {
            parts.push(format!(
                "{} did not stand before this change either; `apostille verify --fix` goes through them.\n",
                count_memories(self.n_before)
            ));
        }
        parts.retain(|it| !it.is_empty());
        format!("{MARKER}\n{}", parts.join("\n"))
    }

    fn format_title(&self) -> String {
        let n_looked_up = count_memories(self.n_looked_up);
        match self.contradicted.len() + self.to_check.len() {
            0 => format!("**This change makes no memory stale.** {n_looked_up} looked up.\n"),
            n => format!(
                "**This change makes {} stale.** {n_looked_up} looked up.\n",
                count_memories(n)
            ),
        }
    }
}

/// How the memories of these fixes stood where the change begins: at the base, else on the default branch. Nothing where
/// nobody knows that one; then everything counts as new.
fn look_up_base(
    ctx: &CommandContext,
    workspace: &Workspace,
    base: Option<&str>,
    fixes: &[VerifyFix],
) -> CommandResult<Vec<(MemoryId, Standing)>> {
    let memories = fixes.iter().map(|it| it.verified().memory.clone());
    let look = |cx: &Context| {
        let found = follow_memory_citations(cx, memories.collect());
        let standing = |it: VerifiedMemory| (it.memory.id, it.standing());
        found.into_iter().map(standing).collect()
    };
    if let Some(base) = base {
        let at_base = ctx.open_workspace_at(Some(base))?;
        return Ok(look(&at_base.context()));
    }
    let cx = workspace.context();
    match cx.source.open_default_branch() {
        Ok(Some(default)) => Ok(look(&Context {
            source: &*default.tree,
            ..cx
        })),
        _ => Ok(Vec::new()),
    }
}

/// How bad it is, the best first; what could not be looked up at the base is no excuse.
fn rank_showing(standing: Standing) -> u8 {
    match standing.showing() {
        Showing::Plain => 0,
        Showing::Marked => 1,
        Showing::Withheld if standing == Standing::Unknown => 0,
        Showing::Withheld => 2,
    }
}

fn count_memories(n: usize) -> String {
    match n {
        1 => "1 memory".into(),
        n => format!("{n} memories"),
    }
}

fn format_table(title: &str, fixes: &[&VerifyFix]) -> String {
    if fixes.is_empty() {
        return String::new();
    }
    let rows = fixes.iter().take(MAX_ROWS).map(|it| format_row(it));
    let n_more = fixes.len().saturating_sub(MAX_ROWS);
    let more = match n_more {
        0 => String::new(),
        n => format!(
            "\n… and {}; `apostille verify` lists them.\n",
            count_memories(n)
        ),
    };
    format!(
        "#### {title}\n\n| memory | place | was → is | suggested | command |\n|---|---|---|---|---|\n{}{more}",
        rows.collect::<String>()
    )
}

fn format_row(fix: &VerifyFix) -> String {
    let it = fix.verified();
    let view = StandingView::from(it);
    let handle = it.memory.handle();
    let fact = quote_code(&shorten_text(&flatten_to_line(&it.memory.fact), MAX_FACT));
    let place = view.place().map(|it| quote_code(&it.to_string()));
    let suggested = match fix.suggested_fact() {
        Some(fact) => quote_code(&shorten_text(&flatten_to_line(fact), MAX_FACT)),
        None if it.standing() == Standing::Check => "confirm it, or say what is true now".into(),
        None => "drop it, or say what is true now".into(),
    };
    format!(
        "| **{handle}** {fact} | {} | {} | {suggested} | {} |\n",
        place.unwrap_or_default(),
        format_change(it, view),
        quote_code(&choose_command(fix))
    )
}

/// What the code said and says: the words that were replaced, else how it stands.
fn format_change(it: &VerifiedMemory, view: StandingView) -> String {
    let pairs = view.list_replaced().into_iter();
    let pairs: Vec<String> = pairs
        .map(|(was, is)| format!("{} → {}", quote_code(&was), quote_code(&is)))
        .collect();
    match it.standing() {
        _ if !pairs.is_empty() => pairs.join(", "),
        Standing::Check => "edited".into(),
        standing => standing.to_string(),
    }
}

/// The command that fits best, where it fits into a line of a table.
fn choose_command(fix: &VerifyFix) -> String {
    let handle = fix.verified().memory.handle();
    let is_fit = |it: &&str| it.chars().count() <= MAX_COMMAND && !it.contains(char::is_control);
    let command = fix.first_command().filter(is_fit);
    command.map_or_else(|| format!("apostille verify {handle} --fix"), str::to_owned)
}

/// A text as code in a cell of a table: it is shown as it is, and cannot end the code, the cell or the line.
fn quote_code(text: &str) -> String {
    let text: String = flatten_to_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A space belongs to a fence that stands beside a backtick, and is not shown.
    let gap = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{gap}{}{gap}{fence}", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes_from_a_cell() {
        let check = |text: &str, expected: &str| assert_eq!(quote_code(text), expected, "{text}");
        check("plain", "`plain`");
        check("a | b", "`a \\| b`");
        check("@team <img src=x> [a](b)", "`@team <img src=x> [a](b)`");
        check("`x` is ``y``", "``` `x` is ``y`` ```");
        check("two\nlines", "`two lines`");
    }
}
