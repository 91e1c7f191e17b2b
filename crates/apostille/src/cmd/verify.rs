//! `verify`: do the citations still hold?

pub(super) mod ci;
mod citations;
mod finding;
mod fix;
mod page;
mod progress;
pub(super) mod sarif;
mod settled;

use std::fs;

use apostille_core::memory::{Memory, Stage};
use apostille_core::refusal::Refusal;
use apostille_core::store::{Filter, Order};
use apostille_core::verify::{self, Orders, Report, Verified};
use apostille_core::{Context, list};
use serde::Serialize;

use crate::args::Verify;
use crate::json::VerifyReply;
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use finding::Rule;
use fix::{Fix, FixView};
use page::Page;
use progress::Progress;

/// The answer with what to say instead, with `--fix`.
#[derive(Serialize)]
struct Fixed {
    #[serde(flatten)]
    found: VerifyReply,
    drafts: Vec<FixView>,
}

/// Looks up citations, and lets those that moved follow the code where that is safe.
pub fn run(shell: &Shell, args: &Verify) -> Result<Answer, Fault> {
    if let Some(file) = &args.machine.citations {
        return citations::run(shell, args, file);
    }
    let desk = match args.github {
        true => shell.desk_on_github(args.at.as_deref())?,
        false => shell.desk_at(args.at.as_deref())?,
    };
    let memories = match chosen(&desk, args)? {
        Ok(memories) => memories,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    if args.change.invalidate && !settled::is_settled(&desk) {
        return Ok(shell.refused(&Refusal::NotSettled {
            why: settled::why_not(&desk, args),
        }));
    }
    let report = looked_up(shell, &desk, args, memories)?;
    if args.fix {
        return fixed(shell, &desk, args, &report);
    }
    let unsettled = (!report.is_settled && !args.is_idle()).then(|| settled::why_not(&desk, args));
    answer(shell, args, &report, unsettled.as_deref())
}

fn chosen(desk: &Desk, args: &Verify) -> Result<Result<Vec<Memory>, Refusal>, Fault> {
    if !args.names.is_empty() {
        return desk.named(&args.names);
    }
    let filter = Filter {
        spaces: desk.spaces().to_vec(),
        stages: vec![Stage::Active],
        path: args
            .path
            .as_deref()
            .map(|it| desk.place.path(it).map_err(Fault::usage))
            .transpose()?,
        order: Order::Oldest,
        limit: usize::MAX,
        ..Filter::default()
    };
    Ok(Ok(list::list(&desk.cx(), &filter)?))
}

/// Verifies, and shows how far it is: whether there is time left is asked before each step.
fn looked_up(
    shell: &Shell,
    desk: &Desk,
    args: &Verify,
    memories: Vec<Memory>,
) -> Result<Report, Fault> {
    let progress = Progress::new(shell, memories.iter().map(|it| it.citations.len()).sum());
    let late = || {
        progress.step();
        false
    };
    let cx = Context {
        late: &late,
        ..desk.cx()
    };
    if args.is_idle() || is_told(shell, args) {
        let memories = verify::look(&cx, memories);
        return Ok(Report {
            memories,
            is_settled: settled::is_settled(desk),
        });
    }
    let orders = Orders {
        heal: true,
        invalidate: args.change.invalidate,
    };
    Ok(verify::verify(&cx, memories, orders, |_| ())?)
}

fn answer(
    shell: &Shell,
    args: &Verify,
    report: &Report,
    unsettled: Option<&str>,
) -> Result<Answer, Fault> {
    let verified = &report.memories;
    let is_invalid = verified.iter().any(Verified::is_invalid);
    let page = Page {
        memories: verified,
        is_verbose: args.verbose,
        unsettled,
    };
    if args.machine.ci || args.machine.sarif.is_some() {
        return checked(shell, args, report, &page);
    }
    let code = if is_invalid || verified.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let page = |paint: &_| {
        if verified.is_empty() {
            String::new()
        } else {
            page.text(paint)
        }
    };
    let answer = shell.answer(code, &VerifyReply::from(report), page);
    let err = if verified.is_empty() {
        "there is nothing to verify here\n".into()
    } else {
        String::new()
    };
    Ok(Answer { err, ..answer })
}

/// Whether proposals are only told to a program.
fn is_told(shell: &Shell, args: &Verify) -> bool {
    args.fix && shell.flags.json
}

/// What to say instead of what does not hold: a person is asked, everybody else is told.
fn fixed(shell: &Shell, desk: &Desk, args: &Verify, report: &Report) -> Result<Answer, Fault> {
    let fixes = fix::fixes(shell, &report.memories);
    let code = if report.memories.iter().any(Verified::is_invalid) {
        error::NOTHING
    } else {
        error::OK
    };
    let terminal = shell.world.terminal;
    let is_asked = terminal.stdin && terminal.stdout && !shell.flags.json && !args.change.dry_run;
    if is_asked && !fixes.is_empty() {
        fix::ask(shell, desk, &fixes)?;
        return Ok(Answer {
            code: error::OK,
            ..Answer::default()
        });
    }
    let json = Fixed {
        found: VerifyReply::from(report),
        drafts: fixes.iter().map(Fix::view).collect(),
    };
    Ok(shell.answer(code, &json, |paint| match fixes.is_empty() {
        true => "there is nothing to fix\n".into(),
        false => fixes
            .iter()
            .map(|it| it.text(paint))
            .collect::<Vec<_>>()
            .join("\n"),
    }))
}

/// The answer for a program that checks the code: annotations, a file for the code host, or both.
fn checked(
    shell: &Shell,
    args: &Verify,
    report: &Report,
    page: &Page<'_>,
) -> Result<Answer, Fault> {
    let verified = &report.memories;
    let findings = finding::findings(verified);
    let is_invalid = findings.iter().any(|it| it.rule != Rule::Moved);
    let code = if is_invalid {
        error::NOTHING
    } else {
        error::OK
    };
    let unknown = page::unknown_by_reason(verified);
    let log = args
        .machine
        .sarif
        .as_ref()
        .map(|file| (file, sarif::log(&findings, &unknown)));
    let told = |paint: &_| match args.machine.ci {
        true => ci::commands(&findings) + &lines(&unknown) + &page.counts(),
        false => page.text(paint),
    };
    match log {
        Some((file, log)) if file.as_os_str() == "-" => {
            let answer = shell.answer(code, &log, |_| format!("{log:#}\n"));
            let err = if args.machine.ci {
                told(&shell.paint)
            } else {
                String::new()
            };
            Ok(Answer { err, ..answer })
        }
        Some((file, log)) => {
            fs::write(shell.world.cwd.join(file), format!("{log:#}\n")).map_err(|error| {
                Fault::usage(format!("cannot write '{}': {error}", file.display()))
            })?;
            Ok(shell.answer(code, &VerifyReply::from(report), told))
        }
        None => Ok(shell.answer(code, &VerifyReply::from(report), told)),
    }
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|it| format!("{it}\n")).collect()
}
