//! Code as it stands in a file, and what changed in it.

use apostille_text::moderate;
use maud::{Markup, html};

/// The longest line that is shown whole.
const WIDEST: usize = 1_000;

/// Lines of a file with their numbers, from this one on; those within `lit` stand out.
pub fn render_code_lines(
    label: &str,
    from: u32,
    text: &str,
    lit: std::ops::RangeInclusive<u32>,
) -> Markup {
    let text = moderate::clean_code_unless_secret(text);
    html! {
        pre.code tabindex="0" role="group" aria-label=(label) {
            @for (n, it) in (from..).zip(text.lines()) { (render_code_row(&n.to_string(), "", it, lit.contains(&n))) }
        }
    }
}

fn render_code_row(number: &str, sign: &str, text: &str, is_lit: bool) -> Markup {
    let class = match sign {
        "+" => "new",
        "−" => "old",
        "…" => "gap",
        _ => "same",
    };
    let text = super::truncate_shown_text(text, WIDEST);
    html! {
        span.row.lit[is_lit].(class) {
            span.n { (number) } span.sign { (sign) }
            // Marked text is read as such; an empty line keeps its height.
            @if is_lit { mark { (text) } } @else { span { (text) } }
            "\n"
        }
    }
}

/// A unified diff without its header: signs, not only colours.
pub fn render_diff(label: &str, unified: &str) -> Markup {
    let text = moderate::clean_code_unless_secret(unified);
    html! {
        pre.code.diff tabindex="0" role="group" aria-label=(label) {
            // The first hunk needs no sign that something stands before it.
            @for (n, it) in text.lines().filter(|it| !it.starts_with('\\')).enumerate() {
                @let rest = it.get(1..).unwrap_or_default();
                @match it.chars().next() {
                    Some('+') => (render_code_row("", "+", rest, false)),
                    Some('-') => (render_code_row("", "−", rest, false)),
                    Some('@') => @if n > 0 { (render_code_row("", "…", "", false)) },
                    _ => (render_code_row("", "", rest, false)),
                }
            }
        }
    }
}
