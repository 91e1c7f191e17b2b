//! What is typed, parsed: a text that begins with a dash is told from a flag.

use std::ffi::OsString;

use clap::{Args as _, Command, CommandFactory as _, FromArgMatches as _};

use super::{Cli, GlobalArgs, HookArgs, OfferArgs, RecallArgs, RememberArgs, help};

/// The options whose value is a text in somebody's own words.
const TEXT_OPTIONS: [(&str, &str); 4] = [
    ("--subject", "--subject"),
    ("-s", "--subject"),
    ("--reason", "--reason"),
    ("--create", "--create"),
];

/// Parses a command line.
///
/// `apostille remember "--locked is needed in CI" --subject --locked` is what people type about flags, and clap takes both
/// for flags. So what cannot be parsed is tried once more with such texts spelt out. What can be parsed means what it
/// says: a flag of ours is never taken for a text.
pub fn parse_command_line(argv: &[OsString]) -> Result<Cli, clap::Error> {
    if let Some(cli) = parse_frequent(argv) {
        return Ok(cli);
    }
    try_parse(argv).or_else(|error| {
        let spelt_out = spell_out_texts(argv).filter(|it| it != argv);
        let parsed = spelt_out.and_then(|it| try_parse(&it).ok());
        parsed.ok_or(error)
    })
}

/// Parses what agents run all the time without describing the other forty commands first: that took half of the
/// instructions of a recall in a small store. What does not parse is left to the whole parser, which has the messages.
fn parse_frequent(argv: &[OsString]) -> Option<Cli> {
    let verb = match argv.get(1)?.to_str()? {
        "hook" => HookArgs::augment_args(Command::new("hook")),
        "recall" => RecallArgs::augment_args(Command::new("recall")),
        "remember" => RememberArgs::augment_args(Command::new("remember")),
        "mcp" => OfferArgs::augment_args(Command::new("mcp")),
        _ => return None,
    };
    let command = GlobalArgs::augment_args(Command::new("apostille")).subcommand(verb);
    let matches = command.try_get_matches_from(argv).ok()?;
    Cli::from_arg_matches(&matches).ok()
}

fn try_parse(argv: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = help::build_cli_command().try_get_matches_from(argv)?;
    Cli::from_arg_matches(&matches)
}

/// The same command line with `--subject=--flag` for `--subject --flag`, and with texts that begin with dashes after `--`.
/// `None` where it is not text that can be spelt out.
fn spell_out_texts(argv: &[OsString]) -> Option<Vec<OsString>> {
    let typed: Vec<&str> = argv.iter().map(|it| it.to_str()).collect::<Option<_>>()?;
    let flags = list_flags_of(&typed);
    let is_text = |it: &str| it.starts_with('-') && it != "-" && !is_flag(it, &flags);
    let end = typed.iter().position(|it| *it == "--");
    let (typed, tail) = typed.split_at(end.unwrap_or(typed.len()));
    let (mut words, mut texts) = (Vec::<OsString>::new(), Vec::<OsString>::new());
    let mut rest = typed.iter().copied();
    while let Some(word) = rest.next() {
        let option = TEXT_OPTIONS.iter().find(|it| it.0 == word);
        let next = rest.clone().next().filter(|it| is_text(it));
        if let Some((_, long)) = option
            && let Some(text) = next
        {
            words.push(format!("{long}={text}").into());
            rest.next();
        } else if is_text(word) && word.contains(char::is_whitespace) {
            texts.push(word.into());
        } else {
            words.push(word.into());
        }
    }
    let has_texts = !texts.is_empty() || !tail.is_empty();
    words.extend(has_texts.then(|| "--".into()));
    words.extend(texts);
    words.extend(tail.iter().skip(1).map(OsString::from));
    Some(words)
}

/// Whether a word is one of these flags, alone or with its value: `--reason`, `--reason=why`, `-n5`.
fn is_flag(word: &str, flags: &[String]) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let is_short = |it: &str| it.len() == 2 && !word.starts_with("--") && word.starts_with(it);
    flags.iter().any(|it| it == name || is_short(it))
}

/// The flags of the command that is typed, and those of every command.
fn list_flags_of(typed: &[&str]) -> Vec<String> {
    let cli = Cli::command();
    let verb = typed.iter().skip(1).find_map(|it| cli.find_subcommand(it));
    let arguments = verb.iter().flat_map(|it| it.get_arguments());
    let arguments = arguments.chain(cli.get_arguments());
    let names = arguments.flat_map(|it| {
        let long = it.get_long().map(|it| format!("--{it}"));
        let short = it.get_short().map(|it| format!("-{it}"));
        long.into_iter().chain(short)
    });
    names.chain(["--help".into(), "-h".into()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::CliCommand;

    /// Subject and fact of what is typed after `apostille`, or the error's kind.
    fn parse(typed: &[&str]) -> String {
        let argv: Vec<OsString> = ["apostille"].iter().chain(typed).map(Into::into).collect();
        match parse_command_line(&argv).map(|it| it.command) {
            Ok(CliCommand::Remember(it)) => {
                let subject = it.telling.subject.unwrap_or_default();
                format!("{subject}|{}", it.fact)
            }
            Ok(CliCommand::Supersede(it)) => format!("{}|{}", it.name, it.fact),
            Ok(other) => format!("{other:?}"),
            Err(error) => error.kind().to_string(),
        }
    }

    #[test]
    fn frequent_commands_are_parsed_as_all_are() {
        let check = |typed: &[&str], is_frequent: bool| {
            let argv: Vec<OsString> = ["apostille"].iter().chain(typed).map(Into::into).collect();
            let frequent = parse_frequent(&argv).map(|it| format!("{it:?}"));
            let whole = try_parse(&argv).ok().map(|it| format!("{it:?}"));
            assert_eq!(frequent.is_some(), is_frequent, "{typed:?}");
            assert_eq!(frequent.or(whole.clone()), whole, "{typed:?}");
        };
        check(&["recall", "what?"], true);
        check(&["recall", "what?", "--json", "-C", "/tmp"], true);
        check(
            &["recall", "--store", "jsonl:x", "--color=never", "what?"],
            true,
        );
        check(
            &["remember", "a fact", "--cite", "a.rs:1", "--cite=b.rs:2-3"],
            true,
        );
        check(&["remember", "--user", "I like tabs", "--as", "ana"], true);
        check(&["hook", "UserPromptSubmit", "--client", "codex"], true);
        check(&["hook", "--after=s-1"], true);
        check(&["hook"], false);
        check(&["mcp", "--profile", "all", "--repo", "a/b"], true);
        check(&["recall", "--help"], false);
        check(&["recall", "what?", "--no-such-flag"], false);
        check(&["remember"], false);
        check(&["--json", "recall", "what?"], false);
        check(&["list"], false);
        check(&[], false);
    }

    #[test]
    fn a_text_may_begin_with_dashes() {
        let check =
            |typed: &[&str], expected: &str| assert_eq!(parse(typed), expected, "{typed:?}");
        check(&["remember", "--flag does y"], "|--flag does y");
        check(
            &["remember", "-v is loud", "-s", "flags"],
            "flags|-v is loud",
        );
        check(
            &["remember", "--subject", "--flag", "it does y"],
            "--flag|it does y",
        );
        check(
            &["remember", "--subject", "--flag", "--flag does y", "--json"],
            "--flag|--flag does y",
        );
        check(
            &["remember", "--subject=x", "--", "--flag does y"],
            "x|--flag does y",
        );
        check(
            &["remember", "--subject", "--flag", "--", "--flag"],
            "--flag|--flag",
        );
        check(&["supersede", "m-1", "--flag does z"], "m-1|--flag does z");
        check(&["remember", "--reason", "--a is b", "c is d"], "|c is d");
        // A flag that is misspelt, or lacks its value, is an error as ever.
        check(
            &["remember", "--rason", "why", "it is so"],
            "unexpected argument found",
        );
        check(
            &["remember", "it is so", "--subject", "--json"],
            "one of the values isn't valid for an argument",
        );
    }
}
