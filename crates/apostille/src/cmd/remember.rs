//! `remember`: a fact is kept, or it is said why not.

use apostille_core::memory::{Draft, DuplicateChoice, Layer, Memory, MemoryName, Status, Voice};
use apostille_core::refusal::Refusal;
use apostille_core::remember::{self, DraftRelation, NearMemory, RememberOutcome, quarantine};
use apostille_core::space::Space;

use crate::json::{RememberReply, WhenSimilar};
use apostille_terminal::args::{DuplicateChoiceArgs, FactArgs, RememberArgs};
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::paste::quote_pasted_word;
use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, YELLOW, flatten_to_line, style_text,
};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

/// Keeps a fact with the code that proves it.
pub fn run(shell: &CommandContext, args: &RememberArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_guarded_workspace()?;
    let fact = read_fact_argument(shell, &args.fact)?;
    let is_users = args.user || args.telling.layer == Some(Layer::Identity);
    let [repo, user] = desk.spaces();
    let space = if is_users { user } else { repo };
    let draft = build_cli_draft(shell, &desk, space, &fact, &args.telling)?;
    let draft = Draft {
        twin: convert_duplicate_args(&args.twin),
        ..draft
    };
    let outcome = remember::remember(&desk.context_for(&draft.space), draft)?;
    let instead = args.twin.merge;
    Ok(build_remember_output(
        shell,
        &RememberIntent {
            is_skipped: args.twin.skip,
            fact: &fact,
            instead,
            word: REMEMBERED,
        },
        outcome,
    ))
}

/// The fact as an argument, or from the standard input.
pub(super) fn read_fact_argument(
    shell: &CommandContext,
    fact: &str,
) -> Result<String, CommandError> {
    if fact == "-" {
        Ok(shell.world.read_stdin()?.trim().to_owned())
    } else {
        Ok(fact.to_owned())
    }
}

/// A draft with everything that was said about the fact.
pub(super) fn build_cli_draft(
    shell: &CommandContext,
    desk: &Workspace,
    space: Space,
    fact: &str,
    telling: &FactArgs,
) -> Result<Draft, CommandError> {
    let voice = build_cli_voice(shell, telling)?;
    let cites = telling
        .cites
        .iter()
        .map(|it| desk.place.resolve_location(it).map_err(CommandError::usage));
    Ok(Draft {
        layer: telling.layer,
        kind: telling.kind,
        subject: telling.subject.clone(),
        reason: telling.reason.clone(),
        citations: cites.collect::<Result<_, _>>()?,
        tags: telling.tags.iter().map(|it| it.trim().to_owned()).collect(),
        task: telling.task.clone(),
        ..Draft::new(space, fact, voice)
    }
    .with_vouching(telling.force, shell.world.speaker().person()))
}

/// Who speaks. A flag can lower what the program knows of it, and raise it for a person alone.
fn build_cli_voice(shell: &CommandContext, telling: &FactArgs) -> Result<Voice, CommandError> {
    let speaker = shell.world.speaker();
    let usual = speaker.voice().clone();
    let origin = telling.origin.unwrap_or(usual.origin);
    if origin < usual.origin && speaker.person().is_none() {
        return Err(CommandError::usage(format!(
            "--origin {origin} is for a person, and none is at the terminal"
        ))
        .with_hint(
            "leave it out; a script of yours says who you are with APOSTILLE_PERSON=your-name",
        ));
    }
    // What the client says of its session goes before what the caller says: breakers count by it.
    let session = shell.world.env.session_id().map(Into::into);
    let voice = Voice {
        origin,
        tainted: telling.tainted,
        author: telling.author.clone().or(usual.author.clone()),
        session: session.or_else(|| telling.session.clone()),
        ..usual
    };
    Ok(telling
        .from
        .map_or(voice.clone(), |it| voice.with_channel(it)))
}

fn convert_duplicate_args(args: &DuplicateChoiceArgs) -> DuplicateChoice {
    match args {
        DuplicateChoiceArgs { skip: true, .. } => DuplicateChoice::Skip,
        DuplicateChoiceArgs {
            merge: Some(name), ..
        } => DuplicateChoice::Merge(*name),
        DuplicateChoiceArgs {
            create: Some(why), ..
        } => DuplicateChoice::Create(why.clone()),
        _ => DuplicateChoice::Ask,
    }
}

/// Why a memory waits, where it does.
fn find_pending_reason(memory: &Memory) -> Option<&str> {
    match &memory.status {
        Status::Pending { why } => Some(why),
        _ => None,
    }
}

/// The word for what is done when something is kept.
pub(super) const REMEMBERED: &str = "remembered";

/// What was asked for, as far as the answer repeats it.
pub(super) struct RememberIntent<'a> {
    /// Whether a near-duplicate is no matter.
    pub(super) is_skipped: bool,
    /// The fact.
    pub(super) fact: &'a str,
    /// The memory whose place it was to take.
    pub(super) instead: Option<MemoryName>,
    /// The word for what is done when it is kept.
    pub(super) word: &'static str,
}

impl RememberIntent<'_> {
    /// Whether a person can insist: what is promoted was kept before, and its words are moderated anew.
    fn can_force(&self) -> bool {
        self.word != "promoted"
    }
}

/// What became of the draft.
pub(super) fn build_remember_output(
    shell: &CommandContext,
    asked: &RememberIntent<'_>,
    outcome: RememberOutcome,
) -> CommandOutput {
    let when = if asked.is_skipped {
        WhenSimilar::Skip
    } else {
        WhenSimilar::Choose
    };
    let json = RememberReply::new(asked.word, &outcome, when, |it| it.into());
    match outcome {
        RememberOutcome::Remembered {
            memory,
            identity_percent,
            retired,
            superseded,
        } => {
            let instead = asked
                .instead
                .or(superseded.as_ref().map(|it| MemoryName::Handle(it.handle)));
            shell.render_output(error::OK, &json, |paint| {
                format_kept_memory(paint, asked.word, &memory, instead)
                    + &superseded
                        .as_ref()
                        .map(|it| format_superseded_note(paint, it))
                        .unwrap_or_default()
                    + &format_pending_note(shell, asked, &memory)
                    + &format_capacity_note(identity_percent, retired)
            })
        }
        RememberOutcome::Refreshed { memory } => shell.render_output(error::OK, &json, |paint| {
            format_kept_memory(paint, "known already; refreshed", &memory, None)
                + &format_pending_note(shell, asked, &memory)
        }),
        RememberOutcome::Similar { near } if asked.is_skipped => {
            shell.render_output(error::OK, &json, |_| format_skipped_note(&near))
        }
        RememberOutcome::Similar { near } => CommandOutput {
            err: format_duplicate_choices(shell, asked.fact, &near),
            ..shell.render_output(error::REFUSED, &json, |_| String::new())
        },
        RememberOutcome::Refused(refusal) => build_remember_refusal(shell, asked, &refusal),
    }
}

/// What is better read elsewhere can be kept all the same, by a person and where the verb has a flag for it.
fn build_remember_refusal(
    shell: &CommandContext,
    asked: &RememberIntent<'_>,
    refusal: &Refusal,
) -> CommandOutput {
    let answer = shell.render_refusal(refusal);
    match refusal {
        Refusal::Excluded { .. } if asked.can_force() => CommandOutput {
            err: answer.err
                + &apostille_terminal::command_context::format_hint(
                    "a person can keep it with --force",
                ),
            ..answer
        },
        _ => answer,
    }
}

/// What nobody asked to replace is shown, so that it can be seen to be right.
fn format_superseded_note(paint: &Paint, it: &NearMemory) -> String {
    let text = format!(
        "{} said: {}; it contradicts this, and is older",
        it.handle,
        flatten_to_line(&it.fact)
    );
    style_text(YELLOW, paint.wrap_text(&text, 2))
}

fn format_kept_memory(
    paint: &Paint,
    outcome: &str,
    memory: &Memory,
    instead: Option<MemoryName>,
) -> String {
    let places: Vec<String> = memory
        .citations
        .iter()
        .map(|it| flatten_to_line(&it.location().to_string()))
        .collect();
    let subject = memory
        .subject
        .as_deref()
        .map(|it| format!("  {}", flatten_to_line(it)))
        .unwrap_or_default();
    let place = if memory.is_active() {
        "in place of"
    } else {
        "to take the place of"
    };
    let instead = instead
        .map(|it| format!(" {place} {it}"))
        .unwrap_or_default();
    let head = format!(
        "{} {}{instead}{subject}\n",
        style_text(GREEN, outcome),
        style_text(BOLD, memory.handle())
    );
    let fact = paint.wrap_text(&memory.fact, 2);
    let space = style_text(
        DIM,
        format!("{} · {} · {}", memory.space, memory.layer, memory.kind),
    );
    let proof = if places.is_empty() {
        String::new()
    } else {
        style_text(DIM, format!(" · {}", places.join(", ")))
    };
    let marks: String = memory
        .marks
        .iter()
        .map(|it| style_text(YELLOW, format!(" · {it}")))
        .collect();
    format!("{head}{fact}  {space}{proof}{marks}\n")
}

/// What a memory waits for, and the ways out.
fn format_pending_note(
    shell: &CommandContext,
    asked: &RememberIntent<'_>,
    memory: &Memory,
) -> String {
    let Some(why) = find_pending_reason(memory) else {
        return String::new();
    };
    let why = shell.paint.wrap_text(
        &format!(
            "{}; it is kept, and not shown until it is approved",
            flatten_to_line(why)
        ),
        2,
    );
    let mut out = format!("  {} {}", style_text(YELLOW, "pending:"), why.trim_start());
    let way = |what: &str, command: &str| {
        format!(
            "    {} {}\n",
            style_text(DIM, what),
            style_text(CYAN, command)
        )
    };
    if quarantine::is_awaiting_proof(memory) {
        let again = RetypedCommand {
            typed: &shell.world.typed,
            fact: asked.fact,
        };
        out += &way(
            "state it again with the lines that say it:",
            "--cite PATH:LINES",
        );
        out += &way(
            "or correct it: state what they say, and",
            &format!("apostille forget {}", memory.handle()),
        );
        if asked.can_force() {
            out += &way("or vouch for it, as a person:", &again.with_flag("--force"));
        }
    }
    let what = if quarantine::is_awaiting_proof(memory) {
        "or let a person approve it:"
    } else {
        "a person may approve it:"
    };
    out + &way(what, &format!("apostille approve {}", memory.handle()))
}

fn format_capacity_note(identity_percent: Option<u8>, retired: usize) -> String {
    let bar = |it: u8| {
        format!(
            "  identity {} {it}%\n",
            apostille_terminal::paint::format_percent_bar(it)
        )
    };
    let retired = (retired > 0).then(|| {
        style_text(
            YELLOW,
            format!("  {retired} of the oldest retired to make room\n"),
        )
    });
    identity_percent
        .map(bar)
        .into_iter()
        .chain(retired)
        .collect()
}

fn format_skipped_note(near: &[NearMemory]) -> String {
    let known = near
        .first()
        .map(|it| it.handle.to_string())
        .unwrap_or_default();
    format!(
        "{}; {} says it\n",
        style_text(GREEN, "skipped"),
        style_text(BOLD, known)
    )
}

/// A note that says what is known already is not promoted.
pub(super) fn build_not_promoted_output(
    shell: &CommandContext,
    name: MemoryName,
    near: &[NearMemory],
) -> CommandOutput {
    let json = RememberReply::from_similar(near, WhenSimilar::Tell);
    let answer = shell.render_output(error::REFUSED, &json, |_| String::new());
    let mut err = format!(
        "{} {name}: much the same is known:\n\n",
        style_text(YELLOW.bold(), "not promoted")
    );
    err.extend(near.iter().map(|it| format_near_memory(shell, it)));
    if let Some(first) = near.first() {
        let command = format!("apostille supersede {} 'FACT'", first.handle);
        err += &format!(
            "\n  {} {}\n",
            style_text(DIM, "if it says it better:"),
            style_text(CYAN, command)
        );
        err += &format!(
            "  {} {}\n",
            style_text(DIM, "if it says something else:"),
            style_text(CYAN, "--fact 'FACT'")
        );
    }
    CommandOutput { err, ..answer }
}

fn format_near_memory(shell: &CommandContext, it: &NearMemory) -> String {
    let percent = (it.overlap * 100.0).round();
    let relation = style_text(YELLOW, it.relation.as_str());
    let head = format!(
        "{}  {relation}, {percent}% of the words\n",
        style_text(BOLD, it.handle)
    );
    head + &shell.paint.wrap_text(&it.fact, 6)
}

/// What is known, and the ready-made commands for each choice.
fn format_duplicate_choices(shell: &CommandContext, fact: &str, near: &[NearMemory]) -> String {
    let mut out = format!(
        "{} much the same is known:\n\n",
        style_text(YELLOW.bold(), "not kept:")
    );
    out.extend(near.iter().map(|it| format_near_memory(shell, it)));
    let Some(first) = near.first() else {
        return out;
    };
    let again = RetypedCommand {
        typed: &shell.world.typed,
        fact,
    };
    let option = |what: &str, command: String| {
        format!(
            "  {}\n    {}\n",
            style_text(DIM, what),
            style_text(CYAN, command)
        )
    };
    out += "\nchoose:\n";
    if first.relation == DraftRelation::Contradiction {
        out += &option(
            "supersede: the old one is outdated",
            again.as_supersede(&first.handle.to_string()),
        );
    }
    out += &option("skip it, and be content", again.with_flag("--skip"));
    out += &option(
        "merge: replace it, keeping the citations and tags of both",
        again.with_flag(&format!("--merge {}", first.handle)),
    );
    out += &option(
        "create: keep both, and say why",
        again.with_flag("--create 'why both are needed'"),
    );
    out
}

/// The command as it was typed, to be typed again with something added.
struct RetypedCommand<'a> {
    typed: &'a [String],
    fact: &'a str,
}

impl RetypedCommand<'_> {
    fn with_flag(&self, flag: &str) -> String {
        let (before, after) = self.quote_words("remember");
        let after = if after.is_empty() {
            after
        } else {
            format!(" {after}")
        };
        format!("apostille {before} {flag}{after}")
    }

    fn as_supersede(&self, handle: &str) -> String {
        let (before, after) = self.quote_words(&format!("supersede {handle}"));
        format!("apostille {before} {after}").trim_end().to_owned()
    }

    /// The words up to `--`, and from there on. Where another verb is typed, `--user` is left out: it has its space.
    fn quote_words(&self, verb: &str) -> (String, String) {
        let is_other = verb != "remember";
        let typed: Vec<&String> = self
            .typed
            .iter()
            .filter(|it| !(is_other && *it == "--user"))
            .collect();
        let at = typed.iter().position(|it| *it == "remember");
        let word = |(n, word): (usize, &&String)| match word.as_str() {
            _ if Some(n) == at => verb.to_owned(),
            "-" => quote_pasted_word(self.fact),
            other => quote_pasted_word(other),
        };
        let words: Vec<String> = typed.iter().enumerate().map(word).collect();
        let end = typed
            .iter()
            .position(|it| *it == "--")
            .unwrap_or(words.len());
        (words[..end].join(" "), words[end..].join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_pasted() {
        let check = |typed: &[&str], expected: &str| {
            let typed: Vec<String> = typed.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(
                RetypedCommand {
                    typed: &typed,
                    fact: "it's so"
                }
                .with_flag("--skip"),
                expected
            );
        };
        check(
            &["remember", "a fact"],
            "apostille remember 'a fact' --skip",
        );
        check(
            &["remember", "-"],
            r"apostille remember 'it'\''s so' --skip",
        );
        check(
            &["--json", "remember", "--cite", "a.rs:1-2", "--", "-x"],
            "apostille --json remember --cite a.rs:1-2 --skip -- -x",
        );
    }

    #[test]
    fn a_contradiction_can_be_superseded_at_once() {
        let typed = ["remember", "--user", "remember this"].map(String::from);
        let again = RetypedCommand {
            typed: &typed,
            fact: "",
        };
        assert_eq!(
            again.as_supersede("u-1"),
            "apostille supersede u-1 'remember this'"
        );
    }
}
