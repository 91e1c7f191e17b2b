//! What became of each file, for people and for programs.

use std::collections::BTreeMap;

use apostille_import::file::FileImportReport;

use crate::json::ImportReply;
use apostille_terminal::args::ImportArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{
    BOLD, DIM, GREEN, YELLOW, format_count, make_terminal_safe, style_text,
};
use apostille_workspace::error;

/// How many lines of each sort are printed beside the sum; `--json` has all.
const TOLD: usize = 20;
/// How many places are named for one reason.
const PLACES: usize = 8;

/// The answer: a sum, a line for each file of a folder, and what was altered, refused and left out beside it.
pub(super) fn build_import_output(
    shell: &CommandContext,
    args: &ImportArgs,
    files: &[FileImportReport],
    passed_over: Option<usize>,
) -> CommandOutput {
    let json = ImportReply::new(files, args.dry_run, passed_over);
    let code = if json.ok { error::OK } else { error::REFUSED };
    let answer = shell.render_output(code, &json, |_| match (passed_over, files) {
        (None, [file]) => format_single_import(args, file),
        _ => format_folder_import(args, &json, files),
    });
    CommandOutput {
        err: format_import_remarks(shell, files, passed_over.is_some()),
        ..answer
    }
}

fn format_import_verb(args: &ImportArgs) -> String {
    style_text(
        GREEN,
        if args.dry_run {
            "would import"
        } else {
            "imported"
        },
    )
}

/// One file on one line.
fn format_single_import(args: &ImportArgs, it: &FileImportReport) -> String {
    let is_foreign = it.format.is_foreign();
    let format = if is_foreign {
        format!(" ({})", it.format)
    } else {
        String::new()
    };
    let is_told = it.known > 0 || it.waiting + it.let_in == 0;
    let known = if is_told {
        format!(", {} known already", it.known)
    } else {
        String::new()
    };
    let more = [
        (it.changed.len(), "changed"),
        (it.left_out.len(), "left out"),
    ];
    format!(
        "{} {}{format}{}{known}{}{}\n",
        format_import_verb(args),
        it.kept,
        format_let_in_count(it.let_in),
        format_waiting_count(args, it.waiting, it.kept),
        format_nonzero_counts(&more)
    )
}

fn format_let_in_count(n: u64) -> String {
    if n == 0 {
        String::new()
    } else {
        format!(", {n} let in that waited")
    }
}

fn format_waiting_count(args: &ImportArgs, n: u64, kept: u64) -> String {
    let way = if args.dry_run {
        "would wait"
    } else {
        "wait: apostille review"
    };
    match n {
        0 => String::new(),
        n if n == kept => format!(", all of them {way}"),
        n => format!(", {n} of them {way}"),
    }
}

/// What there is of each, where there is some.
fn format_nonzero_counts(of: &[(usize, &str)]) -> String {
    of.iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!(", {n} {word}"))
        .collect()
}

fn format_folder_import(
    args: &ImportArgs,
    sum: &ImportReply,
    files: &[FileImportReport],
) -> String {
    let n_files = format_count(files.len() as u64, "file", "files");
    let head = format!(
        "{} {} from {n_files}{}, {} known already{}\n",
        format_import_verb(args),
        sum.kept,
        format_let_in_count(sum.let_in),
        sum.known,
        format_waiting_count(args, sum.waiting, sum.kept)
    );
    let line = |it: &FileImportReport| {
        let counts = [
            (
                usize::try_from(it.known).unwrap_or(usize::MAX),
                "known already",
            ),
            (it.changed.len(), "changed"),
            (it.refused.len(), "refused"),
            (it.left_out.len(), "left out"),
        ];
        let format = style_text(DIM, format!("({})", it.format));
        let let_in = format_let_in_count(it.let_in);
        format!(
            "  {} {format} {}{let_in}{}\n",
            style_text(BOLD, make_terminal_safe(&it.name)),
            it.kept,
            format_nonzero_counts(&counts)
        )
    };
    let passed_over = sum.passed_over.filter(|it| *it > 0).map(|n| {
        style_text(
            DIM,
            format!(
                "  {} of another kind passed over",
                format_count(n as u64, "file", "files")
            ),
        ) + "\n"
    });
    head + &files.iter().map(line).collect::<String>() + &passed_over.unwrap_or_default()
}

/// What was altered, refused and left out, with the place.
fn format_import_remarks(
    shell: &CommandContext,
    files: &[FileImportReport],
    is_folder: bool,
) -> String {
    let mut out = String::new();
    for it in files {
        let file = if is_folder {
            format!("{}: ", make_terminal_safe(&it.name))
        } else {
            String::new()
        };
        let refused = it
            .refused
            .iter()
            .map(|(at, it)| format!("{at}: {}", make_terminal_safe(&it.to_string())));
        let refused: Vec<String> = refused.collect();
        out += &format_remark_lines("refused:", &file, &refused, usize::MAX);
        if !shell.flags.json {
            let left_out = it
                .left_out
                .iter()
                .map(|it| (it.why.as_str(), it.at.as_str()));
            let changed = it
                .changed
                .iter()
                .map(|(at, what)| (what.as_str(), at.as_str()));
            out += &format_remark_lines("changed:", &file, &group_places_by_reason(changed), TOLD);
            out +=
                &format_remark_lines("left out:", &file, &group_places_by_reason(left_out), TOLD);
        }
    }
    out
}

fn format_remark_lines(title: &str, file: &str, of: &[String], limit: usize) -> String {
    let line = |it: &String| format!("{} {file}{it}\n", style_text(YELLOW.bold(), title));
    let more = of.len().saturating_sub(limit);
    let rest = if more > 0 {
        format!("{title} {file}and {more} more; --json has all\n")
    } else {
        String::new()
    };
    of.iter().take(limit).map(line).collect::<String>() + &rest
}

/// Reasons with the places they hold for, in the order in which they first came up.
fn group_places_by_reason<'a>(of: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let (mut order, mut places) = (Vec::new(), BTreeMap::<&str, Vec<&str>>::new());
    for (why, at) in of {
        let list = places.entry(why).or_default();
        if list.is_empty() {
            order.push(why);
        }
        list.push(at);
    }
    let told = |why: &&str| {
        let list = &places[*why];
        let named = list
            .iter()
            .take(PLACES)
            .copied()
            .collect::<Vec<_>>()
            .join(", ");
        let more = list.len().saturating_sub(PLACES);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{named}{more}: {why}")
    };
    order.iter().map(told).collect()
}
