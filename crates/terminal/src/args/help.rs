//! What `--help` teaches: the verbs by what people want, and an example for each.

use clap::builder::styling::{AnsiColor, Style, Styles};
use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::{Cli, examples::EXAMPLES};
use crate::paint::{self, style_text};

/// The colours of help.
pub const STYLES: Styles = Styles::styled()
    .header(Style::new().bold())
    .usage(Style::new().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(Style::new().dimmed());

/// The verbs by what people want.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Remember and recall",
        &["remember", "recall", "promote", "identity"],
    ),
    (
        "Look around",
        &[
            "list", "show", "recent", "why", "stats", "impact", "log", "spaces",
        ],
    ),
    (
        "Keep it true",
        &[
            "verify",
            "audit",
            "consolidate",
            "reflect",
            "refresh",
            "confirm",
            "supersede",
            "invalidate",
            "review",
            "approve",
            "breaker",
            "secrets",
            "apply",
            "forget",
            "rollback",
        ],
    ),
    ("Work on something", &["task", "report"]),
    (
        "Move it",
        &["export", "import", "sync", "store", "learn", "reviews"],
    ),
    ("Serve agents", &["mcp", "serve", "token", "hook"]),
    (
        "Set up",
        &[
            "tour",
            "init",
            "trust",
            "config",
            "pin",
            "model",
            "doctor",
            "completions",
            "man",
        ],
    ),
];

const CODES: &str =
    "  0 done   1 nothing found, or it does not hold   2 wrong usage or configuration
  3 refused, or much the same is known   4 the store is broken   5 a mistake of ours";

const START: &str = "  $ apostille tour
  $ apostille remember --cite src/api.rs:12-18 \"API_VERSION must equal the client's\"
  $ apostille recall \"which API version?\"";

/// The whole command line.
pub fn build_cli_command() -> Command {
    let command = Cli::command()
        .mut_subcommands(|it| add_examples(it, ""))
        .disable_version_flag(true)
        .arg(build_version_flag());
    let template = build_help_template(&command);
    command.help_template(template)
}

/// The flag of the version, with a help that says what `--json` adds.
fn build_version_flag() -> Arg {
    Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version)
        .display_order(1000)
        .help("Print version; with --json also commit, features, profile and target")
}

/// Gives a command its examples, and those below it theirs.
fn add_examples(command: Command, above: &str) -> Command {
    let path = format!("{above}{}", command.get_name());
    let command = match EXAMPLES.iter().find(|it| it.0 == path) {
        Some((_, text)) => command.after_help(*text),
        None => command,
    };
    command.mut_subcommands(|it| add_examples(it, &format!("{path} ")))
}

fn build_help_template(command: &Command) -> String {
    let head = |text: &str| style_text(paint::BOLD, text);
    let mut out = format!(
        "{{about}}.\nWhat is remembered is kept with the lines of code that prove it, and looked up before it is shown.\n\n\
         {} apostille <COMMAND>\n\n{}\n{START}\n",
        head("Usage:"),
        head("Begin with:")
    );
    for (title, verbs) in GROUPS {
        out += &format!("\n{}\n", head(&format!("{title}:")));
        out.extend(verbs.iter().map(|verb| format_help_row(command, verb)));
    }
    out + &format!(
        "\n{}\n{{options}}\n\n{}\n{CODES}\n\n`apostille <COMMAND> --help` has examples.\n",
        head("Everywhere:"),
        head("Exit codes:")
    )
}

fn format_help_row(command: &Command, verb: &str) -> String {
    let about = command
        .find_subcommand(verb)
        .and_then(Command::get_about)
        .map(ToString::to_string)
        .unwrap_or_default();
    format!(
        "  {}{:pad$}{about}\n",
        style_text(AnsiColor::Cyan.on_default(), verb),
        "",
        pad = 14 - verb.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_in_a_group_and_has_an_example() {
        let command = build_cli_command();
        command.clone().debug_assert();
        for verb in command.get_subcommands() {
            let name = verb.get_name();
            assert!(
                GROUPS.iter().any(|(_, verbs)| verbs.contains(&name)),
                "{name} is in no group"
            );
            let help = verb
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                help.contains(&format!("apostille {name}")),
                "{name} has no example"
            );
        }
    }
}
