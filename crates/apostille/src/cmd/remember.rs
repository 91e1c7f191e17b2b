//! `remember`: a fact is kept, or it is said why not.

use apostille_core::memory::{Draft, Layer, Memory, Name, Status, Twin, Voice};
use apostille_core::refusal::Refusal;
use apostille_core::remember::{self, Near, Outcome, Relation, trusted};
use apostille_core::space::Space;

use crate::args::{Remember, Telling, TwinArgs};
use crate::json::{RememberReply, WhenSimilar};
use crate::paint::paste::quoted;
use crate::paint::{BOLD, CYAN, DIM, GREEN, Paint, YELLOW, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// Keeps a fact with the code that proves it.
pub fn run(shell: &Shell, args: &Remember) -> Result<Answer, Fault> {
    let desk = shell.guarded_desk()?;
    let fact = told(shell, &args.fact)?;
    let is_users = args.user || args.telling.layer == Some(Layer::Identity);
    let [repo, user] = desk.spaces();
    let space = if is_users { user } else { repo };
    let draft = draft(shell, &desk, space, &fact, &args.telling)?;
    let draft = Draft {
        twin: twin(&args.twin),
        ..draft
    };
    let outcome = remember::remember(&desk.cx_for(&draft.space), draft)?;
    let instead = args.twin.merge;
    Ok(answer(
        shell,
        &Asked {
            is_skipped: args.twin.skip,
            fact: &fact,
            instead,
            word: REMEMBERED,
        },
        outcome,
    ))
}

/// The fact as an argument, or from the standard input.
pub(super) fn told(shell: &Shell, fact: &str) -> Result<String, Fault> {
    if fact == "-" {
        Ok(shell.world.read_stdin()?.trim().to_owned())
    } else {
        Ok(fact.to_owned())
    }
}

/// A draft with everything that was said about the fact.
pub(super) fn draft(
    shell: &Shell,
    desk: &Desk,
    space: Space,
    fact: &str,
    telling: &Telling,
) -> Result<Draft, Fault> {
    let voice = voice(shell, telling)?;
    let cites = telling
        .cites
        .iter()
        .map(|it| desk.place.cite(it).map_err(Fault::usage));
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
    .vouched_if(telling.force, shell.world.speaker().person()))
}

/// Who speaks. A flag can lower what the program knows of it, and raise it for a person alone.
fn voice(shell: &Shell, telling: &Telling) -> Result<Voice, Fault> {
    let speaker = shell.world.speaker();
    let usual = speaker.voice().clone();
    let origin = telling.origin.unwrap_or(usual.origin);
    if origin < usual.origin && speaker.person().is_none() {
        return Err(Fault::usage(format!(
            "--origin {origin} is for a person, and none is at the terminal"
        ))
        .hint("leave it out; a script of yours says who you are with APOSTILLE_PERSON=your-name"));
    }
    // What the client says of its session goes before what the caller says: breakers count by it.
    let session = shell.world.env.session().map(Into::into);
    let voice = Voice {
        origin,
        tainted: telling.tainted,
        author: telling.author.clone().or(usual.author.clone()),
        session: session.or_else(|| telling.session.clone()),
        ..usual
    };
    Ok(telling.from.map_or(voice.clone(), |it| voice.via(it)))
}

fn twin(args: &TwinArgs) -> Twin {
    match args {
        TwinArgs { skip: true, .. } => Twin::Skip,
        TwinArgs {
            merge: Some(name), ..
        } => Twin::Merge(*name),
        TwinArgs {
            create: Some(why), ..
        } => Twin::Create(why.clone()),
        _ => Twin::Ask,
    }
}

/// Why a memory waits, where it does.
fn pending(memory: &Memory) -> Option<&str> {
    match &memory.status {
        Status::Pending { why } => Some(why),
        _ => None,
    }
}

/// The word for what is done when something is kept.
pub(super) const REMEMBERED: &str = "remembered";

/// What was asked for, as far as the answer repeats it.
pub(super) struct Asked<'a> {
    /// Whether a near-duplicate is no matter.
    pub(super) is_skipped: bool,
    /// The fact.
    pub(super) fact: &'a str,
    /// The memory whose place it was to take.
    pub(super) instead: Option<Name>,
    /// The word for what is done when it is kept.
    pub(super) word: &'static str,
}

impl Asked<'_> {
    /// Whether a person can insist: what is promoted was kept before, and its words are moderated anew.
    fn can_force(&self) -> bool {
        self.word != "promoted"
    }
}

/// What became of the draft.
pub(super) fn answer(shell: &Shell, asked: &Asked<'_>, outcome: Outcome) -> Answer {
    let when = if asked.is_skipped {
        WhenSimilar::Skip
    } else {
        WhenSimilar::Choose
    };
    let json = RememberReply::new(asked.word, &outcome, when, |it| it.into());
    match outcome {
        Outcome::Remembered {
            memory,
            identity_percent,
            retired,
            superseded,
        } => {
            let instead = asked
                .instead
                .or(superseded.as_ref().map(|it| Name::Handle(it.handle)));
            shell.answer(error::OK, &json, |paint| {
                kept(paint, asked.word, &memory, instead)
                    + &superseded
                        .as_ref()
                        .map(|it| outdated(paint, it))
                        .unwrap_or_default()
                    + &waits(shell, asked, &memory)
                    + &room(identity_percent, retired)
            })
        }
        Outcome::Refreshed { memory } => shell.answer(error::OK, &json, |paint| {
            kept(paint, "known already; refreshed", &memory, None) + &waits(shell, asked, &memory)
        }),
        Outcome::Similar { near } if asked.is_skipped => {
            shell.answer(error::OK, &json, |_| skipped(&near))
        }
        Outcome::Similar { near } => Answer {
            err: choice(shell, asked.fact, &near),
            ..shell.answer(error::REFUSED, &json, |_| String::new())
        },
        Outcome::Refused(refusal) => refused(shell, asked, &refusal),
    }
}

/// What is better read elsewhere can be kept all the same, by a person and where the verb has a flag for it.
fn refused(shell: &Shell, asked: &Asked<'_>, refusal: &Refusal) -> Answer {
    let answer = shell.refused(refusal);
    match refusal {
        Refusal::Excluded { .. } if asked.can_force() => Answer {
            err: answer.err + &crate::shell::hint("a person can keep it with --force"),
            ..answer
        },
        _ => answer,
    }
}

/// What nobody asked to replace is shown, so that it can be seen to be right.
fn outdated(paint: &Paint, it: &Near) -> String {
    let text = format!(
        "{} said: {}; it contradicts this, and is older",
        it.handle,
        one_line(&it.fact)
    );
    ink(YELLOW, paint.wrapped(&text, 2))
}

fn kept(paint: &Paint, outcome: &str, memory: &Memory, instead: Option<Name>) -> String {
    let places: Vec<String> = memory
        .citations
        .iter()
        .map(|it| one_line(&it.place().to_string()))
        .collect();
    let subject = memory
        .subject
        .as_deref()
        .map(|it| format!("  {}", one_line(it)))
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
        ink(GREEN, outcome),
        ink(BOLD, memory.handle())
    );
    let fact = paint.wrapped(&memory.fact, 2);
    let space = ink(
        DIM,
        format!("{} · {} · {}", memory.space, memory.layer, memory.kind),
    );
    let proof = if places.is_empty() {
        String::new()
    } else {
        ink(DIM, format!(" · {}", places.join(", ")))
    };
    let marks: String = memory
        .marks
        .iter()
        .map(|it| ink(YELLOW, format!(" · {it}")))
        .collect();
    format!("{head}{fact}  {space}{proof}{marks}\n")
}

/// What a memory waits for, and the ways out.
fn waits(shell: &Shell, asked: &Asked<'_>, memory: &Memory) -> String {
    let Some(why) = pending(memory) else {
        return String::new();
    };
    let why = shell.paint.wrapped(
        &format!(
            "{}; it is kept, and not shown until it is approved",
            one_line(why)
        ),
        2,
    );
    let mut out = format!("  {} {}", ink(YELLOW, "pending:"), why.trim_start());
    let way =
        |what: &str, command: &str| format!("    {} {}\n", ink(DIM, what), ink(CYAN, command));
    if trusted::awaits_proof(memory) {
        let again = Retyped {
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
            out += &way("or vouch for it, as a person:", &again.with("--force"));
        }
    }
    let what = if trusted::awaits_proof(memory) {
        "or let a person approve it:"
    } else {
        "a person may approve it:"
    };
    out + &way(what, &format!("apostille approve {}", memory.handle()))
}

fn room(identity_percent: Option<u8>, retired: usize) -> String {
    let bar = |it: u8| format!("  identity {} {it}%\n", crate::paint::bar(it));
    let retired = (retired > 0).then(|| {
        ink(
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

fn skipped(near: &[Near]) -> String {
    let known = near
        .first()
        .map(|it| it.handle.to_string())
        .unwrap_or_default();
    format!("{}; {} says it\n", ink(GREEN, "skipped"), ink(BOLD, known))
}

/// A note that says what is known already is not promoted.
pub(super) fn not_promoted(shell: &Shell, name: Name, near: &[Near]) -> Answer {
    let json = RememberReply::similar(near, WhenSimilar::Tell);
    let answer = shell.answer(error::REFUSED, &json, |_| String::new());
    let mut err = format!(
        "{} {name}: much the same is known:\n\n",
        ink(YELLOW.bold(), "not promoted")
    );
    err.extend(near.iter().map(|it| known(shell, it)));
    if let Some(first) = near.first() {
        let command = format!("apostille supersede {} 'FACT'", first.handle);
        err += &format!(
            "\n  {} {}\n",
            ink(DIM, "if it says it better:"),
            ink(CYAN, command)
        );
        err += &format!(
            "  {} {}\n",
            ink(DIM, "if it says something else:"),
            ink(CYAN, "--fact 'FACT'")
        );
    }
    Answer { err, ..answer }
}

fn known(shell: &Shell, it: &Near) -> String {
    let percent = (it.overlap * 100.0).round();
    let relation = ink(YELLOW, it.relation.as_str());
    let head = format!(
        "{}  {relation}, {percent}% of the words\n",
        ink(BOLD, it.handle)
    );
    head + &shell.paint.wrapped(&it.fact, 6)
}

/// What is known, and the ready-made commands for each choice.
fn choice(shell: &Shell, fact: &str, near: &[Near]) -> String {
    let mut out = format!(
        "{} much the same is known:\n\n",
        ink(YELLOW.bold(), "not kept:")
    );
    out.extend(near.iter().map(|it| known(shell, it)));
    let Some(first) = near.first() else {
        return out;
    };
    let again = Retyped {
        typed: &shell.world.typed,
        fact,
    };
    let option =
        |what: &str, command: String| format!("  {}\n    {}\n", ink(DIM, what), ink(CYAN, command));
    out += "\nchoose:\n";
    if first.relation == Relation::Contradiction {
        out += &option(
            "supersede: the old one is outdated",
            again.instead_of(&first.handle.to_string()),
        );
    }
    out += &option("skip it, and be content", again.with("--skip"));
    out += &option(
        "merge: replace it, keeping the citations and tags of both",
        again.with(&format!("--merge {}", first.handle)),
    );
    out += &option(
        "create: keep both, and say why",
        again.with("--create 'why both are needed'"),
    );
    out
}

/// The command as it was typed, to be typed again with something added.
struct Retyped<'a> {
    typed: &'a [String],
    fact: &'a str,
}

impl Retyped<'_> {
    fn with(&self, flag: &str) -> String {
        let (before, after) = self.quoted("remember");
        let after = if after.is_empty() {
            after
        } else {
            format!(" {after}")
        };
        format!("apostille {before} {flag}{after}")
    }

    fn instead_of(&self, handle: &str) -> String {
        let (before, after) = self.quoted(&format!("supersede {handle}"));
        format!("apostille {before} {after}").trim_end().to_owned()
    }

    /// The words up to `--`, and from there on. Where another verb is typed, `--user` is left out: it has its space.
    fn quoted(&self, verb: &str) -> (String, String) {
        let is_other = verb != "remember";
        let typed: Vec<&String> = self
            .typed
            .iter()
            .filter(|it| !(is_other && *it == "--user"))
            .collect();
        let at = typed.iter().position(|it| *it == "remember");
        let word = |(n, word): (usize, &&String)| match word.as_str() {
            _ if Some(n) == at => verb.to_owned(),
            "-" => quoted(self.fact),
            other => quoted(other),
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
                Retyped {
                    typed: &typed,
                    fact: "it's so"
                }
                .with("--skip"),
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
        let again = Retyped {
            typed: &typed,
            fact: "",
        };
        assert_eq!(
            again.instead_of("u-1"),
            "apostille supersede u-1 'remember this'"
        );
    }
}
