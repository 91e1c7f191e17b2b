//! What became of each file, for people and for programs.

use apostille_import::file::FileImportReport;

use crate::json::ImportReply;
use apostille_terminal::{
    args::ImportArgs,
    command_context::{CommandContext, CommandOutput},
    paint::{
        BOLD, DIM, GREEN, YELLOW, format_count, format_if, join_texts, make_terminal_safe,
        style_text,
    },
};
use apostille_workspace::error;

/// How many lines of each sort are printed beside the sum; `--json` has all.
const TOLD: usize = 20;
/// How many places are named for one reason.
const PLACES: usize = 8;

/// The answer: a sum, a line for each file of a folder, and what was altered, refused and left out beside it.
pub(super) fn build_import_output(
    ctx: &CommandContext,
    args: &ImportArgs,
    files: &[FileImportReport],
    passed_over: Option<usize>,
) -> CommandOutput {
    let json = ImportReply::new(files, args.dry_run, passed_over);
    let code = if json.ok { error::OK } else { error::REFUSED };
    ctx.render_output(&json, |_| match (passed_over, files) {
        (None, [file]) => format_single_import(args, file),
        _ => format_folder_import(args, &json, files),
    })
    .with_code(code)
    .with_err(format_import_remarks(ctx, files, passed_over.is_some()))
}

fn format_import_verb(args: &ImportArgs) -> String {
    let verb = if args.dry_run {
        "would import"
    } else {
        "imported"
    };
    style_text(GREEN, verb)
}

/// One file on one line.
fn format_single_import(args: &ImportArgs, it: &FileImportReport) -> String {
    let is_foreign = it.format.is_foreign();
    let is_told = it.known > 0 || it.waiting + it.let_in == 0;
    format!(
        "{} {}{}{}{}{}{}\n",
        format_import_verb(args),
        it.kept,
        format_if(is_foreign, || format!(" ({})", it.format)),
        format_let_in_count(it.let_in),
        format_if(is_told, || format!(", {} known already", it.known)),
        format_waiting_count(args, it.waiting, it.kept),
        format_nonzero_counts(&[
            (it.changed.len(), "changed"),
            (it.left_out.len(), "left out"),
        ])
    )
}

fn format_let_in_count(n: u64) -> String {
    format_if(n > 0, || format!(", {n} let in that waited"))
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
    let head = format!(
        "{} {} from {}{}, {} known already{}\n",
        format_import_verb(args),
        sum.kept,
        format_count(files.len() as u64, "file", "files"),
        format_let_in_count(sum.let_in),
        sum.known,
        format_waiting_count(args, sum.waiting, sum.kept)
    );
    let line = |it: &FileImportReport| {
        let known = usize::try_from(it.known).unwrap_or(usize::MAX);
        let counts = [
            (known, "known already"),
            (it.changed.len(), "changed"),
            (it.refused.len(), "refused"),
            (it.left_out.len(), "left out"),
        ];
        format!(
            "  {BOLD}{}{BOLD:#} {DIM}({}){DIM:#} {}{}{}\n",
            make_terminal_safe(&it.name),
            it.format,
            it.kept,
            format_let_in_count(it.let_in),
            format_nonzero_counts(&counts)
        )
    };
    let passed_over = sum.passed_over.filter(|it| *it > 0).map(|n| {
        let n = format_count(n as u64, "file", "files");
        format!("{DIM}  {n} of another kind passed over{DIM:#}") + "\n"
    });
    head + &files.iter().map(line).collect::<String>() + &passed_over.unwrap_or_default()
}

/// What was altered, refused and left out, with the place.
fn format_import_remarks(
    ctx: &CommandContext,
    files: &[FileImportReport],
    is_folder: bool,
) -> String {
    let mut out = String::new();
    for it in files {
        let file = format_if(is_folder, || format!("{}: ", make_terminal_safe(&it.name)));
        let refused: Vec<String> = it
            .refused
            .iter()
            .map(|(at, it)| format!("{at}: {}", make_terminal_safe(&it.to_string())))
            .collect();
        out += &format_remark_lines("refused:", &file, &refused, usize::MAX);
        if !ctx.flags.json {
            let changed = it.changed.iter().map(|(at, what)| (what, at));
            let left_out = it.left_out.iter().map(|it| (&it.why, &it.at));
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
    let rest = format_if(more > 0, || {
        format!("{title} {file}and {more} more; --json has all\n")
    });
    of.iter().take(limit).map(line).collect::<String>() + &rest
}

/// Reasons with the places they hold for, in the order in which they first came up.
fn group_places_by_reason<'a>(of: impl Iterator<Item = (&'a String, &'a String)>) -> Vec<String> {
    let mut reasons: Vec<(&String, Vec<&String>)> = Vec::new();
    for (why, at) in of {
        match reasons.iter_mut().find(|it| it.0 == why) {
            Some((_, places)) => places.push(at),
            None => reasons.push((why, vec![at])),
        }
    }
    let told = |(why, places): &(&String, Vec<&String>)| {
        let named = join_texts(places.iter().take(PLACES), ", ");
        let more = places.len().saturating_sub(PLACES);
        let more = format_if(more > 0, || format!(" and {more} more"));
        format!("{named}{more}: {why}")
    };
    reasons.iter().map(told).collect()
}
