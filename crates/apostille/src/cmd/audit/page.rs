//! The audit as people read it: counts first, then class by class what is the matter and what to type.

use anstyle::Style;
use apostille_core::audit::{Audit, Class, Finding, Named, Severity};

use crate::paint::{BOLD, CYAN, DIM, GREEN, Paint, RED, Table, YELLOW, ink, one_line, standing};

/// How many memories of one finding are shown.
const MEMBERS: usize = 8;

/// The page.
pub fn text(paint: &Paint, found: &Audit) -> String {
    let head = paint.wrapped(&found.summary(), 0);
    if found.counts.is_empty() {
        return head + &ink(GREEN, "Nothing needs attention.\n") + &unknown(found);
    }
    let sections = Class::ALL.iter().map(|it| section(paint, found, *it));
    let more = found.counts.keys().any(|it| found.left_off(*it) > 0);
    let hint = if more { ink(DIM, "\n--verbose shows all; --only CLASS one class\n") } else { String::new() };
    head + &unknown(found) + "\n" + &counts(paint, found) + &sections.collect::<String>() + &hint
}

fn unknown(found: &Audit) -> String {
    match found.n_unknown {
        0 => String::new(),
        n => ink(DIM, format!("{n} could not be looked up, which is no evidence against them\n")),
    }
}

/// How many findings there are of each class, with what the class means.
fn counts(paint: &Paint, found: &Audit) -> String {
    let mut table = Table::default();
    for (class, n) in &found.counts {
        let style = colour(worst(found, *class));
        table.row([ink(style, format!("{n:>4}")), ink(BOLD, class), class.told().into()]);
    }
    table.text(paint, 0)
}

fn worst(found: &Audit, class: Class) -> Severity {
    let of_class = found.findings.iter().filter(|it| it.class == class);
    of_class.map(|it| it.severity).min().unwrap_or(Severity::Note)
}

fn colour(severity: Severity) -> Style {
    match severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Note => DIM,
    }
}

fn section(paint: &Paint, found: &Audit, class: Class) -> String {
    let Some(n) = found.counts.get(&class) else { return String::new() };
    let title = ink(colour(worst(found, class)).bold(), class);
    let of_class = found.findings.iter().filter(|it| it.class == class);
    let mut out = format!("\n{title} {}\n", ink(DIM, format!("({n})")));
    out.extend(of_class.map(|it| entry(paint, it)));
    match found.left_off(class) {
        0 => out,
        more => out + &ink(DIM, format!("  … and {more} more\n")),
    }
}

/// What is the matter, the memories below it, and what to type.
fn entry(paint: &Paint, it: &Finding) -> String {
    let what = paint.wrapped(&one_line(&it.what), 2);
    let mut table = Table::default();
    for (n, member) in it.memories.iter().take(MEMBERS).enumerate() {
        table.row(row(it.class, n, member));
    }
    let more = it.memories.len().saturating_sub(MEMBERS) + it.n_more;
    let more = if more > 0 { ink(DIM, format!("    … and {more} more\n")) } else { String::new() };
    format!("{what}{}{more}    {}\n", table.text(paint, 4), ink(CYAN, format!("$ {}", it.way_out)))
}

fn row(class: Class, n: usize, it: &Named) -> Vec<String> {
    let mark = match (class, n) {
        (Class::Duplicate, 0) => Some(ink(GREEN, "keep")),
        (Class::Duplicate, _) => Some(String::new()),
        (Class::Contradiction, 0) => Some(ink(DIM, "newer")),
        (Class::Contradiction, _) => Some(ink(DIM, "older")),
        _ => None,
    };
    let word = it.standing.map(|it| ink(standing(it), it)).unwrap_or_default();
    let fact = it.fact.as_deref().map_or_else(|| "(its text is not shown here)".into(), one_line);
    [Some(ink(BOLD, it.handle)), mark, Some(word), Some(fact)].into_iter().flatten().collect()
}
