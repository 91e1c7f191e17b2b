//! What pages are made of. A colour never says anything alone: a badge has a word and a shape.

mod code;
pub mod form;

use apostille_core::{
    format::format_timestamp,
    memory::{Handle, Memory},
    space::Space,
};
use apostille_text::moderate;
use jiff::Timestamp;
use maud::{Markup, html};

use apostille_api::{access_token::Access, request_scope::RequestScope};

pub use code::{render_code_lines, render_diff};
pub use form::{
    render_checkbox, render_labeled_field, render_post_form, render_repo_field,
    render_required_input, render_select, render_text_input, render_textarea, render_word_select,
};

/// A tick, as the shape of a badge.
pub const TICK: &str = "M3 8.5l3.2 3.2L13 4.8";
/// A ring.
pub const RING: &str = "M8 3a5 5 0 1 0 0 10A5 5 0 1 0 8 3z";
/// A line.
pub const DASH: &str = "M3 8h10";

/// Whether the visitor may decide about memories, as a person does.
pub fn can_review(scope: &RequestScope) -> bool {
    scope.token.allows_access(Access::Review)
}

/// The way to a page of the panel, in the space that is looked at.
pub fn link_to_page(scope: &RequestScope, path: &str) -> String {
    link_with_query(scope, path, &[])
}

/// The same with more to say.
pub fn link_with_query(scope: &RequestScope, path: &str, said: &[(&str, &str)]) -> String {
    build_page_url(
        path,
        &[said, &[("repo", name_repository(scope.caller.repo))]].concat(),
    )
}

/// How an address names a space. A token may reach nothing but a person's own, which is no repository and needs no name.
pub fn name_repository(space: &Space) -> &str {
    if space.is_user() { "" } else { space.as_str() }
}

/// The way to the page of a session or a task, by its name.
pub fn link_to_named_page(scope: &RequestScope, folder: &str, name: &str) -> String {
    link_to_page(scope, &format!("{folder}/{}", encode_path_segment(name)))
}

/// A path with what stands behind the question mark; what says nothing is left out.
pub fn build_page_url(path: &str, said: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(said.iter().filter(|it| !it.1.is_empty()));
    // A slash may stand in a query as it is, and is easier to read.
    let query = query.finish().replace("%2F", "/");
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

/// A text as a part of a path.
fn encode_path_segment(text: &str) -> String {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.' | b'~');
    let encoded = |it: u8| {
        if is_plain(it) {
            char::from(it).to_string()
        } else {
            format!("%{it:02X}")
        }
    };
    text.bytes().map(encoded).collect()
}

/// A text that somebody wrote, as it may be shown: nothing hidden in it, and no secret.
pub fn sanitize_shown_text(text: &str) -> String {
    moderate::clean_code_unless_secret(text)
}

/// The beginning of such a text.
pub fn shorten_shown_text(text: &str, most: usize) -> String {
    truncate_shown_text(&sanitize_shown_text(text), most)
}

/// What a memory says, or that it is withheld because a secret is in it; the beginning of it.
pub fn format_shown_fact(memory: &Memory, most: usize) -> String {
    let mut memory = memory.clone();
    memory.withhold_secret();
    shorten_shown_text(&memory.fact, most)
}

/// The beginning of a text.
pub fn truncate_shown_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// So many of something.
pub fn pluralize_count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A time, as long ago as it is.
pub fn render_relative_time(scope: &RequestScope, at: Timestamp) -> Markup {
    let whole = format_timestamp(at);
    html! { time datetime=(whole) title=(whole) { (format_time_ago(scope.cx.now, at)) } }
}

fn format_time_ago(now: Timestamp, at: Timestamp) -> String {
    const STEPS: [(i64, i64, &str); 6] = [
        (60, 1, "second"),
        (3_600, 60, "minute"),
        (86_400, 3_600, "hour"),
        (30 * 86_400, 86_400, "day"),
        (365 * 86_400, 30 * 86_400, "month"),
        (i64::MAX, 365 * 86_400, "year"),
    ];
    let seconds = now.duration_since(at).as_secs();
    if seconds < 1 {
        return "just now".into();
    }
    let (_, unit, word) = STEPS
        .into_iter()
        .find(|it| seconds < it.0)
        .unwrap_or(STEPS[5]);
    let n = seconds / unit;
    format!("{n} {word}{} ago", if n == 1 { "" } else { "s" })
}

/// The way to a memory, by its handle.
pub fn render_handle_link(scope: &RequestScope, handle: Handle) -> Markup {
    html! { a.handle href=(link_to_page(scope, &format!("/memories/{handle}"))) { (handle) } }
}

/// What a badge looks like: its tone, and its shape in a box of sixteen.
const BADGES: &[(&str, &str, &str)] = &[
    ("stands", "good", "M3 8.5l3.2 3.2L13 4.8"),
    ("stated", "info", "M3 3.5h10v7H7.5L4.5 13v-2.5H3z"),
    ("check", "warn", "M8 2.5L14 13H2z"),
    ("contradicted", "bad", "M2.5 8h11M8 2.5v11"),
    ("holds", "good", "M3 8.5l3.2 3.2L13 4.8"),
    ("moved", "info", "M2.5 8h10M9 4.2L12.8 8 9 11.8"),
    ("changed", "warn", "M8 2.5L14 13H2z"),
    ("gone", "bad", "M3.5 3.5l9 9M12.5 3.5l-9 9"),
    (
        "unknown",
        "plain",
        "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.6 8 9 8 9.8M8 12.4v.2",
    ),
    ("unverified", "plain", "M3 8h10"),
    ("active", "good", "M8 3a5 5 0 1 0 0 10A5 5 0 1 0 8 3z"),
    (
        "pending",
        "warn",
        "M4 2.5h8M4 13.5h8M4.5 2.5c0 4 7 7 7 11M11.5 2.5c0 4-7 7-7 11",
    ),
    ("superseded", "plain", "M3 4l4 4-4 4M8.5 4l4 4-4 4"),
    (
        "invalid",
        "bad",
        "M2.8 2.8h10.4v10.4H2.8zM5.5 5.5l5 5M10.5 5.5l-5 5",
    ),
    ("retired", "plain", "M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.8h3"),
    ("safe", "good", "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z"),
    ("unproven", "info", "M8 3a5 5 0 1 0 0 10A5 5 0 1 0 8 3z"),
    (
        "doubtful",
        "warn",
        "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.6 8 9 8 9.8M8 12.4v.2",
    ),
    ("outside", "warn", "M9 3h4v4M13 3L7 9M7 4H3v9h9V9"),
    ("suspicious", "bad", "M8 2.5L14 13H2zM8 6.5v3M8 11.2v.1"),
];

/// A verdict, a status or a care as a badge. A word that nobody knows is a plain one.
pub fn render_badge(word: &str) -> Markup {
    let known = BADGES.iter().find(|it| it.0 == word);
    let (_, tone, shape) = known.copied().unwrap_or((word, "plain", "M3 8h10"));
    render_toned_badge(tone, shape, word)
}

/// A badge with words of its own: `tone` is good, info, warn, bad or plain.
pub fn render_toned_badge(tone: &str, shape: &str, word: &str) -> Markup {
    html! {
        span.badge.(tone) {
            svg viewBox="0 0 16 16" width="11" height="11" aria-hidden="true" { path d=(shape) {} }
            (word)
        }
    }
}

/// A line that stands out. It is read aloud when it appears. `tone` is good where something was done, bad where it was
/// not, else plain.
pub fn render_notice(tone: &str, body: &Markup) -> Markup {
    let role = if tone == "bad" { "alert" } else { "status" };
    html! { div.notice.(tone) role=(role) { (body) } }
}

/// Why something could not be read or done.
pub fn render_problem(why: &str) -> Markup {
    render_notice("bad", &html! { p { (why) } })
}

/// Names and what stands under them; what is empty is left out.
pub fn render_field_list(rows: &[(&str, Markup)]) -> Markup {
    html! {
        dl.fields {
            @for (name, value) in rows.iter().filter(|it| !it.1.0.is_empty()) {
                div { dt { (name) } dd { (value) } }
            }
        }
    }
}

/// How much of something is in use, in percent.
pub fn render_usage_meter(label: &str, used: usize, limit: usize) -> Markup {
    let percent = (used * 100).div_ceil(limit.max(1));
    let tone = if percent >= 90 { "warn" } else { "good" };
    let told = format!("{used} of {limit} characters, {percent} %");
    html! {
        div.meter {
            span.name { (label) }
            svg.(tone) viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label=(format!("{label}: {told}")) {
                rect.track width="100" height="4" {}
                rect.part width=(percent.min(100)) height="4" {}
            }
            span.told { (told) }
        }
    }
}

/// A page with nothing on it: what would be here, and how it gets here.
pub fn render_empty_state(title: &str, body: &Markup) -> Markup {
    html! { div.empty { h2 { (title) } (body) } }
}

/// The way on, and back to the beginning; nothing where all of it is on one page.
pub fn render_page_navigation(first: Option<String>, next: Option<String>, told: &str) -> Markup {
    html! {
        @if first.is_some() || next.is_some() {
            nav.pages aria-label="Pages" {
                @if let Some(it) = first { a.button.quiet href=(it) rel="first" { "← Beginning" } }
                span.hint { (told) }
                @if let Some(it) = next { a.button.quiet href=(it) rel="next" { "Next →" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_say_only_what_is_said() {
        let check =
            |said: &[(&str, &str)], expected: &str| assert_eq!(build_page_url("/", said), expected);
        check(&[], "/");
        check(&[("q", ""), ("repo", "a/b")], "/?repo=a/b");
        check(&[("q", "a&b=\"c\" <d>")], "/?q=a%26b%3D%22c%22+%3Cd%3E");
    }

    #[test]
    fn times_are_told_by_the_largest_unit() {
        let now: Timestamp = "2026-02-26T12:00:00Z".parse().unwrap();
        let check = |at: &str, expected: &str| {
            assert_eq!(format_time_ago(now, at.parse().unwrap()), expected, "{at}")
        };
        check("2026-02-26T12:00:00Z", "just now");
        check("2026-02-26T12:00:09Z", "just now");
        check("2026-02-26T11:59:59Z", "1 second ago");
        check("2026-02-26T11:58:00Z", "2 minutes ago");
        check("2026-02-25T12:00:00Z", "1 day ago");
        check("2026-01-01T12:00:00Z", "1 month ago");
        check("2020-01-01T12:00:00Z", "6 years ago");
    }
}
