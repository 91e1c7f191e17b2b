//! The audit as people read it: counts first, then class by class what is the matter and what to type.

use anstyle::Style;
use apostille_audit::{AffectedMemory, AuditFinding, AuditReport, Class, Severity};

use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, RED, TextTable, YELLOW, flatten_to_line, format_count,
    pick_standing_style, style_text,
};

/// How many memories of one finding are shown.
const MEMBERS: usize = 8;

/// The page.
pub fn format_audit_page(paint: &Paint, found: &AuditReport, is_whole: bool) -> String {
    let members = if is_whole { usize::MAX } else { MEMBERS };
    let head = paint.wrap_text(&found.summary(), 0);
    if found.counts.is_empty() {
        return head
            + &style_text(GREEN, "Nothing needs attention.\n")
            + &format_audit_unknown(found);
    }
    let sections = Class::ALL
        .iter()
        .map(|it| format_audit_section(paint, found, *it, members));
    let more = found.counts.keys().any(|it| found.count_left_off(*it) > 0);
    let hint = if more {
        style_text(DIM, "\n--verbose shows all; --only CLASS one class\n")
    } else {
        String::new()
    };
    head + &format_audit_unknown(found)
        + "\n"
        + &format_audit_counts(paint, found)
        + &sections.collect::<String>()
        + &hint
}

fn format_audit_unknown(found: &AuditReport) -> String {
    match found.n_unknown {
        0 => String::new(),
        n => style_text(
            DIM,
            format!("{n} could not be looked up, which is no evidence against them\n"),
        ),
    }
}

/// How many findings each class has, as the head counts them, and how many memories these are about.
fn format_audit_counts(paint: &Paint, found: &AuditReport) -> String {
    let mut table = TextTable::default();
    for (class, n) in &found.counts {
        let style = pick_severity_style(find_worst_severity(found, *class));
        let memories = found.affected.get(class).filter(|it| **it > 0);
        let memories = memories
            .map(|it| format_count(*it as u64, "memory", "memories"))
            .unwrap_or_default();
        table.add_row([
            style_text(style, format!("{n:>4}")),
            style_text(BOLD, class),
            style_text(DIM, memories),
            class.description().into(),
        ]);
    }
    table.to_text(paint, 0)
}

fn find_worst_severity(found: &AuditReport, class: Class) -> Severity {
    let of_class = found.findings.iter().filter(|it| it.class == class);
    of_class
        .map(|it| it.severity)
        .min()
        .unwrap_or(Severity::Note)
}

fn pick_severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Note => DIM,
    }
}

fn format_audit_section(paint: &Paint, found: &AuditReport, class: Class, most: usize) -> String {
    if !found.counts.contains_key(&class) {
        return String::new();
    }
    let title = style_text(
        pick_severity_style(find_worst_severity(found, class)).bold(),
        class,
    );
    let of_class: Vec<&AuditFinding> = found
        .findings
        .iter()
        .filter(|it| it.class == class)
        .collect();
    // Where each is about one memory, what to type is the same but for the handle.
    let is_alike = of_class.len() > 1 && of_class.iter().all(|it| it.memories.len() == 1);
    let mut out = format!("\n{title}\n");
    for lot in of_class.chunk_by(|a, b| a.what == b.what) {
        out += &format_audit_entry(paint, lot, most);
        out.extend(
            lot.iter()
                .filter(|_| !is_alike)
                .map(|it| format_audit_command(&it.way_out, "")),
        );
    }
    if let (true, Some(first)) = (is_alike, of_class.first()) {
        out += &format_audit_command(&first.way_out, "        # likewise the others");
    }
    match found.count_left_off(class) {
        0 => out,
        more => out + &style_text(DIM, format!("  … and {more} more\n")),
    }
}

fn format_audit_command(way_out: &str, remark: &str) -> String {
    format!(
        "    {}{}\n",
        style_text(CYAN, format!("$ {way_out}")),
        style_text(DIM, remark)
    )
}

/// What is the matter, and the memories below it.
fn format_audit_entry(paint: &Paint, lot: &[&AuditFinding], most: usize) -> String {
    let what = lot
        .first()
        .map(|it| paint.wrap_text(&flatten_to_line(&it.what), 2))
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
        style_text(DIM, format!("    … and {more} more\n"))
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
            paint.wrap_text(&handles.join(" "), 4)
        };
        return what + &handles + &more;
    }
    let mut table = TextTable::default();
    shown.for_each(|(class, n, member)| table.add_row(format_audit_row(class, n, member)));
    what + &table.to_text(paint, 4) + &more
}

fn format_audit_row(class: Class, n: usize, it: &AffectedMemory) -> Vec<String> {
    let mark = match (class, n) {
        (Class::Duplicate, 0) => Some(style_text(GREEN, "keep")),
        (Class::Duplicate, _) => Some(String::new()),
        (Class::Contradiction, 0) => Some(style_text(DIM, "newer")),
        (Class::Contradiction, _) => Some(style_text(DIM, "older")),
        _ => None,
    };
    let word = it
        .standing
        .map(|it| style_text(pick_standing_style(it), it))
        .unwrap_or_default();
    let fact = it.fact.as_deref().map(flatten_to_line).unwrap_or_default();
    [
        Some(style_text(BOLD, it.handle)),
        mark,
        Some(word),
        Some(fact),
    ]
    .into_iter()
    .flatten()
    .collect()
}
