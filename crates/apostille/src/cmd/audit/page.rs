//! The audit as people read it: counts first, then class by class what is the matter and what to type.

use anstyle::Style;
use apostille_audit::{Audit, Class, Finding, Named, Severity};

use crate::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, RED, Table, YELLOW, count, ink, one_line, standing,
};

/// How many memories of one finding are shown.
const MEMBERS: usize = 8;

/// The page.
pub fn text(paint: &Paint, found: &Audit, is_whole: bool) -> String {
    let members = if is_whole { usize::MAX } else { MEMBERS };
    let head = paint.wrapped(&found.summary(), 0);
    if found.counts.is_empty() {
        return head + &ink(GREEN, "Nothing needs attention.\n") + &unknown(found);
    }
    let sections = Class::ALL
        .iter()
        .map(|it| section(paint, found, *it, members));
    let more = found.counts.keys().any(|it| found.left_off(*it) > 0);
    let hint = if more {
        ink(DIM, "\n--verbose shows all; --only CLASS one class\n")
    } else {
        String::new()
    };
    head + &unknown(found) + "\n" + &counts(paint, found) + &sections.collect::<String>() + &hint
}

fn unknown(found: &Audit) -> String {
    match found.n_unknown {
        0 => String::new(),
        n => ink(
            DIM,
            format!("{n} could not be looked up, which is no evidence against them\n"),
        ),
    }
}

/// How many findings each class has, as the head counts them, and how many memories these are about.
fn counts(paint: &Paint, found: &Audit) -> String {
    let mut table = Table::default();
    for (class, n) in &found.counts {
        let style = colour(worst(found, *class));
        let memories = found.affected.get(class).filter(|it| **it > 0);
        let memories = memories
            .map(|it| count(*it as u64, "memory", "memories"))
            .unwrap_or_default();
        table.row([
            ink(style, format!("{n:>4}")),
            ink(BOLD, class),
            ink(DIM, memories),
            class.told().into(),
        ]);
    }
    table.text(paint, 0)
}

fn worst(found: &Audit, class: Class) -> Severity {
    let of_class = found.findings.iter().filter(|it| it.class == class);
    of_class
        .map(|it| it.severity)
        .min()
        .unwrap_or(Severity::Note)
}

fn colour(severity: Severity) -> Style {
    match severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Note => DIM,
    }
}

fn section(paint: &Paint, found: &Audit, class: Class, most: usize) -> String {
    if !found.counts.contains_key(&class) {
        return String::new();
    }
    let title = ink(colour(worst(found, class)).bold(), class);
    let of_class: Vec<&Finding> = found
        .findings
        .iter()
        .filter(|it| it.class == class)
        .collect();
    // Where each is about one memory, what to type is the same but for the handle.
    let is_alike = of_class.len() > 1 && of_class.iter().all(|it| it.memories.len() == 1);
    let mut out = format!("\n{title}\n");
    for lot in of_class.chunk_by(|a, b| a.what == b.what) {
        out += &entry(paint, lot, most);
        out.extend(
            lot.iter()
                .filter(|_| !is_alike)
                .map(|it| command(&it.way_out, "")),
        );
    }
    if let (true, Some(first)) = (is_alike, of_class.first()) {
        out += &command(&first.way_out, "        # likewise the others");
    }
    match found.left_off(class) {
        0 => out,
        more => out + &ink(DIM, format!("  … and {more} more\n")),
    }
}

fn command(way_out: &str, remark: &str) -> String {
    format!(
        "    {}{}\n",
        ink(CYAN, format!("$ {way_out}")),
        ink(DIM, remark)
    )
}

/// What is the matter, and the memories below it.
fn entry(paint: &Paint, lot: &[&Finding], most: usize) -> String {
    let what = lot
        .first()
        .map(|it| paint.wrapped(&one_line(&it.what), 2))
        .unwrap_or_default();
    let members = || {
        lot.iter().flat_map(|it| {
            it.memories
                .iter()
                .enumerate()
                .map(|(n, member)| (it.class, n, member))
        })
    };
    let n_more: usize = lot.iter().map(|it| it.n_more).sum();
    let more = members().count().saturating_sub(most) + n_more;
    let more = if more > 0 {
        ink(DIM, format!("    … and {more} more\n"))
    } else {
        String::new()
    };
    let shown = members().take(most);
    if members().all(|it| it.2.fact.is_none()) {
        // What they say is not read out.
        let handles: Vec<String> = shown.map(|it| it.2.handle.to_string()).collect();
        let handles = if handles.is_empty() {
            String::new()
        } else {
            paint.wrapped(&handles.join(" "), 4)
        };
        return what + &handles + &more;
    }
    let mut table = Table::default();
    shown.for_each(|(class, n, member)| table.row(row(class, n, member)));
    what + &table.text(paint, 4) + &more
}

fn row(class: Class, n: usize, it: &Named) -> Vec<String> {
    let mark = match (class, n) {
        (Class::Duplicate, 0) => Some(ink(GREEN, "keep")),
        (Class::Duplicate, _) => Some(String::new()),
        (Class::Contradiction, 0) => Some(ink(DIM, "newer")),
        (Class::Contradiction, _) => Some(ink(DIM, "older")),
        _ => None,
    };
    let word = it
        .standing
        .map(|it| ink(standing(it), it))
        .unwrap_or_default();
    let fact = it.fact.as_deref().map(one_line).unwrap_or_default();
    [Some(ink(BOLD, it.handle)), mark, Some(word), Some(fact)]
        .into_iter()
        .flatten()
        .collect()
}
