//! `remember` and `supersede`: a fact is kept, or takes the place of another, or it is said why not.

use std::fmt::Display;

use super::format_outcome;
use apostille_cite::citation_request::CitationRequest;
use apostille_core::{
    memory::{Draft, DuplicateChoice, Handle, Memory, MemoryName, ReplacementKind, Status, Voice},
    project::ProjectName,
    refusal::Refusal,
    remember::{self, DraftRelation, NearMemory, RememberOutcome, classify, quarantine},
    revise,
    space::Space,
    speaker::{PersonVerb, Speaker},
    standing_text::describe_kept_beside,
};
use apostille_terminal::{
    args::{DuplicateChoiceArgs, FactArgs, RememberArgs, SupersedeArgs},
    command_context::{CommandContext, CommandOutput, CommandResult, format_hint},
    paint::{
        BOLD, CYAN, DIM, GREEN, Paint, YELLOW, flatten_to_line, format_after, format_if,
        format_percent_bar, join_texts, memory::format_place, paste::quote_pasted_word, style_text,
    },
};

use crate::json::{RememberReply, WhenSimilar};
use apostille_text::secrets::{SecretPlace, find_secret_places};
use apostille_workspace::{error, error::CommandError, workspace::Workspace};

/// How many secrets of a fact are told.
const SECRETS_SHOWN: usize = 5;

/// Keeps a fact with the code that proves it.
pub fn run(ctx: &CommandContext, args: &RememberArgs) -> CommandResult {
    let workspace = ctx.open_guarded_workspace()?;
    let fact = read_fact_argument(ctx, &args.fact)?;
    let [repo, user] = workspace.spaces();
    let FactArgs { layer, kind, .. } = args.telling;
    let is_cited = !args.telling.cites.is_empty();
    let is_users = args.user || classify::belongs_to_user(layer, kind, &fact, is_cited);
    let space = if is_users { user } else { repo };
    if let Some(merged) = args.on_duplicate.merge {
        confirm_replacement(ctx, &workspace, merged)?;
    }
    let draft = Draft {
        on_duplicate: convert_duplicate_args(&args.on_duplicate),
        ..build_cli_draft(ctx, &workspace, space, &fact, &args.telling)?
    };
    let outcome = remember::remember(&workspace.context_for(&draft.space), draft)?;
    let asked = RememberIntent {
        is_skipped: args.on_duplicate.skip,
        instead: args.on_duplicate.merge,
        ..RememberIntent::new(&fact)
    };
    Ok(build_remember_output(ctx, &asked, outcome))
}

/// Asks a person to confirm that their words replace what a person said. An agent's replacement waits anyway.
fn confirm_replacement(
    ctx: &CommandContext,
    workspace: &Workspace,
    name: MemoryName,
) -> CommandResult<()> {
    let replaced = workspace.find_named(&[name])?;
    let speaker = ctx.speaker_for(PersonVerb::Invalidate, &replaced)?;
    let is_mine = |it: &Memory| speaker.can_decide(PersonVerb::Invalidate, it);
    if speaker.voice().is_person() && !replaced.iter().all(is_mine) {
        let verb = "replace what a person said";
        return Err(Refusal::PersonDecides { verb }.into());
    }
    Ok(())
}

/// Replaces a memory; the new one travels the whole write path.
pub fn run_supersede(ctx: &CommandContext, args: &SupersedeArgs) -> CommandResult {
    let workspace = ctx.open_guarded_workspace()?;
    let fact = read_fact_argument(ctx, &args.fact)?;
    let replaced = workspace.find_named(&[args.name])?;
    let space = replaced[0].space.clone();
    let cx = workspace.context_for(&space);
    let draft = build_cli_draft(ctx, &workspace, space.clone(), &fact, &args.telling)?;
    let how = if args.correct {
        ReplacementKind::Correction
    } else {
        ReplacementKind::Better
    };
    let speaker = ctx.speaker_for(PersonVerb::Invalidate, &replaced)?;
    let outcome =
        revise::supersede_memory(&cx, &speaker, &workspace.spaces(), args.name, draft, how)?;
    let asked = RememberIntent {
        instead: Some(args.name),
        ..RememberIntent::new(&fact)
    };
    Ok(build_remember_output(ctx, &asked, outcome))
}

/// The fact as an argument, or from the standard input.
pub(super) fn read_fact_argument(ctx: &CommandContext, fact: &str) -> CommandResult<String> {
    Ok(match fact {
        "-" => ctx.system.read_stdin()?.trim().to_owned(),
        _ => fact.to_owned(),
    })
}

/// A draft with everything that was said about the fact.
fn build_cli_draft(
    ctx: &CommandContext,
    workspace: &Workspace,
    space: Space,
    fact: &str,
    telling: &FactArgs,
) -> CommandResult<Draft> {
    let speaker = if telling.force || telling.not_a_secret {
        ctx.deciding_speaker()?
    } else {
        ctx.system.speaker(&workspace.settings)
    };
    let tags = telling.tags.iter().map(|it| it.trim().to_owned());
    let project = telling.project.as_ref().map(ProjectName::to_tag);
    Ok(Draft {
        layer: telling.layer,
        kind: telling.kind,
        subject: telling.subject.clone(),
        reason: telling.reason.clone(),
        citations: resolve_citations(workspace, &telling.cites)?,
        said: telling.said.clone(),
        ran: telling.ran.clone(),
        tags: tags.chain(project).collect(),
        task: telling.task.clone(),
        ..Draft::new(space, fact, build_cli_voice(ctx, &speaker, telling)?)
    }
    .with_vouching(telling.force, speaker.person())
    .with_secrets_cleared(telling.not_a_secret, speaker.person()))
}

/// The citations that were typed.
pub(super) fn resolve_citations(
    workspace: &Workspace,
    typed: &[String],
) -> CommandResult<Vec<CitationRequest>> {
    typed
        .iter()
        .map(|it| Ok(workspace.place.resolve_citation(it)?))
        .collect()
}

/// Who speaks. A flag can lower what the program knows of it, and raise it for a person alone.
fn build_cli_voice(
    ctx: &CommandContext,
    speaker: &Speaker,
    telling: &FactArgs,
) -> CommandResult<Voice> {
    let usual = speaker.voice().clone();
    let origin = telling.origin.unwrap_or(usual.origin);
    if origin < usual.origin && !usual.is_person() {
        return Err(CommandError::usage(format!(
            "--origin {origin} is for a person, and none is at the terminal"
        ))
        .with_hint(
            "leave it out; a script of yours says who you are with APOSTILLE_PERSON=your-name",
        ));
    }
    // What the client says of its session goes before what the caller says: breakers count by it. What either has read
    // counts, for the words may come from there.
    let session = ctx.system.env.session_id().map(Into::into);
    let named = telling.session.as_deref();
    let is_exposed = named.is_some_and(|it| ctx.system.is_session_exposed(it));
    let voice = Voice {
        origin,
        tainted: telling.tainted,
        exposed: usual.exposed || is_exposed,
        author: telling.author.clone().or_else(|| usual.author.clone()),
        session: session.or_else(|| telling.session.clone()),
        ..usual
    };
    Ok(match telling.from {
        Some(channel) => voice.with_channel(channel),
        None => voice,
    })
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

impl<'a> RememberIntent<'a> {
    /// A fact to be kept.
    pub(super) fn new(fact: &'a str) -> Self {
        Self {
            is_skipped: false,
            fact,
            instead: None,
            word: "remembered",
        }
    }

    /// Whether a person can insist: what is promoted was kept before, and its words are moderated anew.
    fn can_force(&self) -> bool {
        self.word != "promoted"
    }
}

/// What became of the draft.
pub(super) fn build_remember_output(
    ctx: &CommandContext,
    asked: &RememberIntent,
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
            beside,
        } => ctx.render_output(&json, |paint| {
            // What nobody asked to replace is shown, so that it can be seen to be right.
            let contradicted = |it: NearMemory| {
                let (handle, fact) = (it.handle, flatten_to_line(&it.fact));
                let text = format!("{handle} said: {fact}; it contradicts this, and is older");
                style_text(YELLOW, paint.wrap_text(&text, 2))
            };
            let bar = |it: u8| format!("  identity {} {it}%\n", format_percent_bar(it));
            let instead = superseded.as_ref().map(|it| it.handle).or(beside);
            let instead = asked.instead.or(instead.map(MemoryName::Handle));
            let place = match beside {
                Some(_) => "beside",
                None if memory.is_active() => "in place of",
                None => "to take the place of",
            };
            let instead = instead.map(|it| format!(" {place} {it}"));
            let kept_beside =
                |old: Handle| style_text(YELLOW, paint.wrap_text(&describe_kept_beside(old), 2));
            format_kept_memory(paint, asked.word, &memory, &instead.unwrap_or_default())
                + &format_if(memory.is_cleared_of_secrets(), || {
                    format_secret_places(asked.fact)
                })
                + &beside.map(kept_beside).unwrap_or_default()
                + &superseded.map(contradicted).unwrap_or_default()
                + &format_pending_note(ctx, asked, &memory)
                + &identity_percent.map(bar).unwrap_or_default()
                + &format_if(retired > 0, || {
                    format!("{YELLOW}  {retired} of the oldest retired to make room\n{YELLOW:#}")
                })
        }),
        RememberOutcome::Refreshed { memory } => ctx.render_output(&json, |paint| {
            format_kept_memory(paint, "known already; refreshed", &memory, "")
                + &format_pending_note(ctx, asked, &memory)
        }),
        RememberOutcome::Similar { near } if asked.is_skipped => ctx.render_output(&json, |_| {
            let known = join_texts(near.first().map(|it| it.handle), "");
            format!("{GREEN}skipped{GREEN:#}; {BOLD}{known}{BOLD:#} says it\n")
        }),
        RememberOutcome::Similar { near } => ctx
            .render_output(&json, |_| String::new())
            .with_code(error::REFUSED)
            .with_err(format_duplicate_choices(ctx, asked.fact, &near)),
        RememberOutcome::Refused(refusal) => {
            let answer = ctx.render_refusal(&refusal);
            // What is better read elsewhere, or split, can be kept all the same, by a person and where the verb has a flag for it.
            let is_forceable = asked.can_force()
                && matches!(
                    refusal,
                    Refusal::Excluded { .. } | Refusal::SeveralFacts { .. }
                );
            let hint = format_if(is_forceable, || {
                format_hint("a person can keep it with --force")
            });
            let is_secret = matches!(refusal, Refusal::Secret { .. });
            let seen = format_if(is_secret, || describe_secrets(ctx, asked));
            CommandOutput {
                err: answer.err + &hint + &seen,
                ..answer
            }
        }
    }
}

/// What was taken for a secret in the fact, and a person's way past it.
fn describe_secrets(ctx: &CommandContext, asked: &RememberIntent) -> String {
    let mut out = format_secret_places(asked.fact);
    if asked.can_force() && ctx.speaker().is_ok_and(|it| it.voice().is_person()) {
        out += &format_hint("if it is none, you can keep it with --not-a-secret");
    }
    out
}

/// What was taken for a secret in a fact: where, of which kind, and its first letters.
fn format_secret_places(fact: &str) -> String {
    let place = |it: &SecretPlace| {
        let (kind, masked) = (it.found.rule, it.found.mask_value());
        let masked = flatten_to_line(&masked);
        format!(
            "  {YELLOW}{kind}{YELLOW:#} at {}:{}: {masked}\n",
            it.line, it.column
        )
    };
    let places = find_secret_places(fact);
    places.iter().take(SECRETS_SHOWN).map(place).collect()
}

fn format_kept_memory(paint: &Paint, outcome: &str, memory: &Memory, instead: &str) -> String {
    let head = format!(
        "{}{instead}{}\n",
        format_outcome(outcome, memory.handle()),
        format_after("  ", memory.subject.as_deref())
    );
    let fact = paint.wrap_text(&memory.fact, 2);
    let space = format!("{} · {} · {}", memory.space, memory.layer, memory.kind);
    let places = memory
        .citations
        .iter()
        .map(|it| format_place(&it.location()));
    let proof = format_if(!memory.citations.is_empty(), || {
        format!("{DIM} · {}{DIM:#}", join_texts(places, ", "))
    });
    let marks: String = memory
        .current_marks()
        .map(|it| format!("{YELLOW} · {it}{YELLOW:#}"))
        .collect();
    format!("{head}{fact}  {DIM}{space}{DIM:#}{proof}{marks}\n")
}

/// What a memory waits for, and the ways out.
fn format_pending_note(ctx: &CommandContext, asked: &RememberIntent, memory: &Memory) -> String {
    let Status::Pending { why } = &memory.status else {
        return String::new();
    };
    let why = flatten_to_line(why) + "; it is kept, and not shown until it is approved";
    let why = ctx.paint.wrap_text(&why, 2);
    let mut out = format!("  {YELLOW}pending:{YELLOW:#} {}", why.trim_start());
    let mut add_way = |what: &str, command: &str| {
        let what = style_text(DIM, what);
        let command = style_text(CYAN, command);
        out += &format!("    {what} {command}\n");
    };
    let approve = format!("apostille approve {}", memory.handle());
    if !quarantine::is_awaiting_proof(memory) {
        add_way("a person may approve it:", &approve);
        return out;
    }
    let forget = format!("apostille forget {}", memory.handle());
    let again = RetypedCommand {
        typed: &ctx.system.typed,
        fact: asked.fact,
    };
    if memory.citations.is_empty() {
        add_way(
            "state it again with the user's own words:",
            "--said \"WORDS\"",
        );
    } else {
        add_way(
            "state it again with the lines that say it:",
            "--cite PATH:LINES",
        );
        add_way("or correct it: state what they say, and", &forget);
    }
    if asked.can_force() {
        add_way("or vouch for it, as a person:", &again.with_flag("--force"));
    }
    add_way("or let a person approve it:", &approve);
    out
}

/// A note that says what is known already is not promoted.
pub(super) fn build_not_promoted_output(
    ctx: &CommandContext,
    name: impl Display,
    near: &[NearMemory],
) -> CommandOutput {
    let json = RememberReply::from_similar(near, WhenSimilar::Tell);
    let mut err = format!(
        "{} {name}: much the same is known:\n\n",
        style_text(YELLOW.bold(), "not promoted")
    );
    err.extend(near.iter().map(|it| format_near_memory(ctx, it)));
    if let Some(first) = near.first() {
        err += &format!(
            "\n  {DIM}if it says it better:{DIM:#} {CYAN}apostille supersede {} 'FACT'{CYAN:#}\n  {DIM}if it says something else:{DIM:#} {CYAN}--fact 'FACT'{CYAN:#}\n",
            first.handle
        );
    }
    ctx.render_output(&json, |_| String::new())
        .with_code(error::REFUSED)
        .with_err(err)
}

fn format_near_memory(ctx: &CommandContext, it: &NearMemory) -> String {
    let percent = (it.overlap * 100.0).round();
    format!(
        "{BOLD}{}{BOLD:#}  {YELLOW}{}{YELLOW:#}, {percent}% of the words\n{}",
        it.handle,
        it.relation.as_str(),
        ctx.paint.wrap_text(&it.fact, 6)
    )
}

/// What is known, and the ready-made commands for each choice.
fn format_duplicate_choices(ctx: &CommandContext, fact: &str, near: &[NearMemory]) -> String {
    let mut out = format!(
        "{} much the same is known:\n\n",
        style_text(YELLOW.bold(), "not kept:")
    );
    out.extend(near.iter().map(|it| format_near_memory(ctx, it)));
    let Some(first) = near.first() else {
        return out;
    };
    let again = RetypedCommand {
        typed: &ctx.system.typed,
        fact,
    };
    out += "\nchoose:\n";
    let mut add_option = |what: &str, command: String| {
        let what = style_text(DIM, what);
        let command = style_text(CYAN, command);
        out += &format!("  {what}\n    {command}\n");
    };
    let handle = first.handle;
    if first.relation == DraftRelation::Contradiction {
        add_option(
            "supersede: the old one is outdated",
            again.as_supersede(&handle.to_string()),
        );
    }
    add_option(
        "keep the existing memory and do nothing",
        again.with_flag("--skip"),
    );
    add_option(
        "merge: replace it, keeping the citations and tags of both",
        again.with_flag(&format!("--merge {handle}")),
    );
    add_option(
        "create: keep both, and say why",
        again.with_flag("--create 'why both are needed'"),
    );
    out
}

/// The command as it was typed, to be typed again: as another verb, or with a flag before what stands behind `--`.
struct RetypedCommand<'a> {
    typed: &'a [String],
    fact: &'a str,
}

impl RetypedCommand<'_> {
    fn with_flag(&self, flag: &str) -> String {
        self.retype_as("remember", flag)
    }

    /// Where another verb is typed, `--user` is left out: it has its space.
    fn as_supersede(&self, handle: &str) -> String {
        self.retype_as(&format!("supersede {handle}"), "")
    }

    fn retype_as(&self, verb: &str, flag: &str) -> String {
        let mut typed: Vec<&str> = self.typed.iter().map(String::as_str).collect();
        typed.retain(|it| verb == "remember" || *it != "--user");
        let at = typed.iter().position(|it| *it == "remember");
        let end = typed.iter().position(|it| *it == "--");
        let mut words: Vec<String> = typed
            .into_iter()
            .map(|it| quote_pasted_word(if it == "-" { self.fact } else { it }))
            .collect();
        if let Some(at) = at {
            words[at] = verb.to_owned();
        }
        words.insert(end.unwrap_or(words.len()), flag.to_owned());
        words.retain(|it| !it.is_empty());
        format!("apostille {}", words.join(" "))
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
