//! `audit`: what needs attention, and the way out. Nothing is changed.

mod page;
mod told;

use std::collections::BTreeMap;
use std::fs;

use apostille_core::audit::{self, Class, Finding, Named, Options};
use apostille_core::format;
use serde::Serialize;

use crate::args::Audit;
use crate::error::{self, Fault};
use crate::paint::safe;
use crate::shell::{Answer, Shell};
use crate::world::desk::Desk;
use crate::world::task::Tasks;

/// How many findings of a class are shown to a person who did not ask for all.
const FEW: usize = 5;

#[derive(Serialize)]
struct Reply<'a> {
    ok: bool,
    at: String,
    spaces: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    /// How many memories there are, by status.
    memories: BTreeMap<&'static str, usize>,
    unknown: usize,
    /// How many findings there are, by class, those left off included.
    counts: BTreeMap<&'static str, usize>,
    /// How many memories these are about.
    affected: BTreeMap<&'static str, usize>,
    findings: Vec<FindingView<'a>>,
}

#[derive(Serialize)]
struct FindingView<'a> {
    class: &'static str,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<String>,
    what: &'a str,
    memories: Vec<NamedView<'a>>,
    #[serde(skip_serializing_if = "is_none")]
    more: usize,
    /// Of near-duplicates, the one to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<String>,
    command: &'a str,
}

#[derive(Serialize)]
struct NamedView<'a> {
    id: String,
    handle: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_none(n: &usize) -> bool {
    *n == 0
}

impl<'a> From<&'a Named> for NamedView<'a> {
    fn from(it: &'a Named) -> Self {
        let place = it.place.as_ref().map(ToString::to_string);
        let (id, handle) = (it.id.to_string(), it.handle.to_string());
        Self { id, handle, fact: it.fact.as_deref(), standing: it.standing, place }
    }
}

impl<'a> From<&'a Finding> for FindingView<'a> {
    fn from(it: &'a Finding) -> Self {
        let keep = it.memories.first().filter(|_| it.class == Class::Duplicate);
        Self {
            class: it.class.as_str(),
            severity: it.severity.as_str(),
            space: it.space.as_ref().map(ToString::to_string),
            what: &it.what,
            memories: it.memories.iter().map(NamedView::from).collect(),
            more: it.n_more,
            keep: keep.map(|it| it.handle.to_string()),
            command: &it.way_out,
        }
    }
}

fn reply(it: &audit::Audit) -> Reply<'_> {
    Reply {
        ok: !it.is_bad(),
        at: format::timestamp(it.at),
        spaces: it.spaces.iter().map(ToString::to_string).collect(),
        commit: it.commit.as_deref(),
        memories: it.stages.iter().map(|(stage, n)| (stage.as_str(), *n)).collect(),
        unknown: it.n_unknown,
        counts: it.counts.iter().map(|(class, n)| (class.as_str(), *n)).collect(),
        affected: it.affected.iter().map(|(class, n)| (class.as_str(), *n)).collect(),
        findings: it.findings.iter().map(FindingView::from).collect(),
    }
}

/// Looks everything over.
pub fn run(shell: &Shell, args: &Audit) -> Result<Answer, Fault> {
    let desk = shell.desk_at(args.at.as_deref())?;
    let found = looked_over(shell, &desk, args)?;
    let code = if found.is_bad() { error::NOTHING } else { error::OK };
    let is_told = args.machine.ci;
    let text = |paint: &_| match () {
        () if is_told => told::commands(&found),
        () if args.markdown => found.markdown(),
        () => page::text(paint, &found, args.verbose),
    };
    match args.machine.sarif.as_ref().map(|file| (file, told::sarif(&found))) {
        None => Ok(shell.answer(code, &reply(&found), text)),
        Some((file, log)) if file.as_os_str() == "-" => {
            let answer = shell.answer(code, &log, |_| format!("{log:#}\n"));
            let err = if is_told { told::commands(&found) } else { String::new() };
            Ok(Answer { err, ..answer })
        }
        Some((file, log)) => {
            fs::write(shell.world.cwd.join(file), format!("{log:#}\n"))
                .map_err(|error| Fault::usage(format!("cannot write '{}': {error}", file.display())))?;
            let answer = shell.answer(code, &reply(&found), text);
            Ok(Answer { err: format!("wrote {}\n", safe(&file.display().to_string())), ..answer })
        }
    }
}

fn looked_over(shell: &Shell, desk: &Desk, args: &Audit) -> Result<audit::Audit, Fault> {
    let tasks = Tasks::at(&shell.world, &desk.place, &desk.settings)?;
    let notes = tasks.notes();
    let machine = args.machine.ci || args.machine.sarif.is_some() || shell.flags.json;
    let options = Options {
        only: args.only.clone(),
        limit: if args.verbose || machine { usize::MAX } else { FEW },
        is_whole: args.verbose || machine,
        is_thorough: true,
        own: Some(desk.user_policy()),
        notes: notes.as_deref(),
        tasks: &tasks.all()?,
    };
    Ok(audit::audit(&desk.cx(), &desk.spaces(), &options)?)
}
