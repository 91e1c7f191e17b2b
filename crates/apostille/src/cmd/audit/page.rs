//! The audit as people read it: counts first, then class by class what is the matter and what to type.

use anstyle::Style;
use apostille_audit::{AffectedMemory, AuditFinding, AuditReport, Class, Severity};
use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, RED, YELLOW, flatten_to_line, format_after, format_count,
    format_if, join_texts, memory::style_standing, style_text,
};

/// How many memories of one finding are shown.
const MEMBERS: usize = 8;

/// The page.
pub fn format_audit_page(paint: &Paint, found: &AuditReport, is_whole: bool) -> String {
    let members = if is_whole { usize::MAX } else { MEMBERS };
    let head = paint.wrap_text(&found.summary(), 0);
    let unknown = format_if(found.n_unknown > 0, || {
        let n = found.n_unknown;
        let told = format!("{n} could not be looked up, which does not count against them\n");
        style_text(DIM, told)
    });
    if found.counts.is_empty() {
        return head + &style_text(GREEN, "Nothing needs attention.\n") + &unknown;
    }
    let sections = Class::ALL
        .iter()
        .filter(|it| found.counts.contains_key(it))
        .map(|it| format_audit_section(paint, found, *it, members));
    let more = found.counts.keys().any(|it| found.count_left_off(*it) > 0);
    let hint = "\n--verbose shows all; --only CLASS one class\n";
    [
        head,
        unknown,
        "\n".into(),
        format_audit_counts(paint, found),
        sections.collect(),
        format_if(more, || style_text(DIM, hint)),
    ]
    .concat()
}

/// How many findings each class has, as the head counts them, and how many memories these are about.
fn format_audit_counts(paint: &Paint, found: &AuditReport) -> String {
    let row = |(class, n): (&Class, &usize)| {
        let memories = found.affected.get(class).filter(|it| **it > 0);
        let memories = memories.map(|it| format_count(*it as u64, "memory", "memories"));
        [
            style_text(pick_class_style(found, *class), format!("{n:>4}")),
            style_text(BOLD, class),
            style_text(DIM, memories.unwrap_or_default()),
            class.description().into(),
        ]
    };
    paint.format_table(0, found.counts.iter().map(row))
}

/// The colour of the worst that was found in a class.
fn pick_class_style(found: &AuditReport, class: Class) -> Style {
    let of_class = found.findings.iter().filter(|it| it.class == class);
    match of_class.map(|it| it.severity).min() {
        Some(Severity::Error) => RED,
        Some(Severity::Warning) => YELLOW,
        Some(Severity::Note) | None => DIM,
    }
}

fn format_audit_section(paint: &Paint, found: &AuditReport, class: Class, most: usize) -> String {
    let title = style_text(pick_class_style(found, class).bold(), class);
    let of_class: Vec<&AuditFinding> = found
        .findings
        .iter()
        .filter(|it| it.class == class)
        .collect();
    // Where each is about one memory, what to type is the same but for the handle.
    let is_alike = of_class.len() > 1 && of_class.iter().all(|it| it.memories.len() == 1);
    let command = |it: &AuditFinding, remark| {
        let way_out = format!("{CYAN}$ {}{CYAN:#}", it.way_out);
        format!("    {way_out}{DIM}{remark}{DIM:#}\n")
    };
    let mut out = format!("\n{title}\n");
    for lot in of_class.chunk_by(|a, b| a.what == b.what) {
        out += &format_audit_entry(paint, lot, most);
        let ways_out = lot.iter().filter(|_| !is_alike);
        out.extend(ways_out.map(|it| command(it, "")));
    }
    if is_alike {
        out += &command(of_class[0], "        # likewise the others");
    }
    match found.count_left_off(class) {
        0 => out,
        more => out + &format!("{DIM}  … and {more} more\n{DIM:#}"),
    }
}

/// What is the matter, and the memories below it.
fn format_audit_entry(paint: &Paint, lot: &[&AuditFinding], most: usize) -> String {
    let what = lot.first().map(|it| flatten_to_line(&it.what));
    let what = paint.wrap_text(&what.unwrap_or_default(), 2);
    let members: Vec<(Class, usize, &AffectedMemory)> = lot
        .iter()
        .flat_map(|it| {
            (0..)
                .zip(&it.memories)
                .map(|(n, member)| (it.class, n, member))
        })
        .collect();
    let n_more: usize = lot.iter().map(|it| it.n_more).sum();
    let more = members.len().saturating_sub(most) + n_more;
    let more = format_if(more > 0, || format!("{DIM}    … and {more} more\n{DIM:#}"));
    let shown = members.iter().take(most);
    let told = match members.iter().all(|it| it.2.fact.is_none()) {
        // What they say is not read out.
        true => {
            let handles = join_texts(shown.map(|it| it.2.handle), " ");
            format_if(!handles.is_empty(), || paint.wrap_text(&handles, 4))
        }
        false => paint.format_table(
            4,
            shown.map(|(class, n, member)| format_audit_row(*class, *n, member)),
        ),
    };
    what + &told + &more
}

fn format_audit_row(class: Class, n: usize, it: &AffectedMemory) -> Vec<String> {
    let mark = match (class, n) {
        (Class::Duplicate, 0) => Some(style_text(GREEN, "keep")),
        (Class::Duplicate, _) => Some(String::new()),
        (Class::Contradiction, 0) => Some(style_text(DIM, "newer")),
        (Class::Contradiction, _) => Some(style_text(DIM, "older")),
        _ => None,
    };
    let mut row = vec![style_text(BOLD, it.handle)];
    row.extend(mark);
    row.push(it.standing.map(style_standing).unwrap_or_default());
    row.push(format_after("", it.fact.as_deref()));
    row
}
