//! A hook's command line, read strictly: one program, `hook`, a client and an event, and nothing else. What merely
//! resembles one of ours is somebody else's, and a shell would run whatever else it says.

use crate::client::Client;

use super::program::{ANYWAY, HOOK, NAME, is_own_program};

/// A command line of ours, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookLine {
    /// The program, as the system is asked for it: without quotes.
    pub program: String,
    /// Whose file it is for.
    pub client: Client,
    /// The event.
    pub event: String,
}

impl HookLine {
    /// The line, if it is as a whole one that this program writes, or wrote: events come and go.
    pub fn parse(line: &str) -> Option<Self> {
        let (program, rest) = parse_first_word(line.strip_suffix(ANYWAY).unwrap_or(line))?;
        let (client, event) = rest.strip_prefix(HOOK)?.split_once(' ')?;
        let client = client.parse().ok()?;
        let is_event =
            (1..=40).contains(&event.len()) && event.chars().all(|c| c.is_ascii_alphanumeric());
        let is_line = is_event && is_own_program(&program);
        is_line.then(|| Self {
            program,
            client,
            event: event.to_owned(),
        })
    }
}

/// Whether a command line speaks of this program's hooks, whatever else it says.
pub fn resembles_hook_line(line: &str) -> bool {
    line.contains(NAME) && line.contains(HOOK)
}

/// The first word of a line as it is written by `Program`, without its quotes, and what follows it.
fn parse_first_word(line: &str) -> Option<(String, &str)> {
    let (word, rest) = match line {
        _ if line.starts_with("& '") => parse_single_quoted(&line[2..], "''")?,
        _ if line.starts_with('\'') => parse_single_quoted(line, r"'\''")?,
        _ if line.starts_with('"') => {
            let (inner, rest) = line[1..].split_once('"')?;
            (inner.to_owned(), rest)
        }
        _ => {
            let (plain, _) = line.split_once(' ')?;
            (
                super::program::is_plain_shell_word(plain).then(|| plain.to_owned())?,
                &line[plain.len()..],
            )
        }
    };
    let is_double = line.starts_with('"');
    // In double quotes a shell still looks for these.
    let is_odd = |c: char| c.is_control() || is_double && matches!(c, '$' | '`' | '\\' | '%' | '!');
    (!word.contains(is_odd)).then_some((word, rest))
}

/// A word in single quotes, in which a quote is written like this.
fn parse_single_quoted<'l>(line: &'l str, quote: &str) -> Option<(String, &'l str)> {
    let mut rest = line.strip_prefix('\'')?;
    let mut word = String::new();
    loop {
        let at = rest.find('\'')?;
        word.push_str(&rest[..at]);
        match rest[at..].strip_prefix(quote) {
            None => return Some((word, &rest[at + 1..])),
            Some(more) => {
                word.push('\'');
                rest = more;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_ours_is_ours_as_a_whole() {
        let check = |line: &str, expected: Option<&str>| {
            let found = HookLine::parse(line).map(|it| it.program);
            assert_eq!(found.as_deref(), expected, "{line}");
        };
        check("apostille hook --client codex Stop", Some("apostille"));
        check(
            "apostille hook --client codex Stop || exit 0",
            Some("apostille"),
        );
        let path = "/home/ana/.cargo/bin/apostille";
        check(&format!("{path} hook --client codex Stop"), Some(path));
        check(
            "'/home/ana b/apostille' hook --client codex Stop",
            Some("/home/ana b/apostille"),
        );
        check(
            r"'/it'\''s/apostille' hook --client codex Stop",
            Some("/it's/apostille"),
        );
        let windows = "C:/Program Files/apostille.exe";
        check(
            &format!("\"{windows}\" hook --client codex Stop"),
            Some(windows),
        );
        let windows = r"C:\Program Files\apostille.exe";
        check(
            &format!("& '{windows}' hook --client codex Stop"),
            Some(windows),
        );
        check(
            "& '/it''s/apostille' hook --client codex Stop",
            Some("/it's/apostille"),
        );
        for line in [
            "apostille verify",
            "not-apostille hook --client codex Stop",
            "echo apostille",
            "touch x; /apostille hook --client codex Stop",
            "touch x;/apostille hook --client codex Stop",
            "./apostille hook --client codex Stop",
            "bin/apostille hook --client codex Stop",
            "~/apostille hook --client codex Stop",
            "$HOME/apostille hook --client codex Stop",
            "\"/$(x)/apostille\" hook --client codex Stop",
            "'/a'$(x)'/apostille' hook --client codex Stop",
            "'/a\n/apostille' hook --client codex Stop",
            "apostille hook --client codex Stop; x",
            "apostille hook --client codex Stop || exit 0; x",
            "apostille hook --client codex Stop || x || exit 0",
            "apostille hook --client codex Stop x",
            "apostille hook --client codex Stop\nx",
            "apostille hook --client codex ",
            "apostille hook --client emacs Stop",
            " apostille hook --client codex Stop",
            "apostille  hook --client codex Stop",
            "X=1 apostille hook --client codex Stop",
            "'apostille hook --client codex Stop",
            "",
        ] {
            check(line, None);
        }
    }
}
