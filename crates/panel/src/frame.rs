//! What stands around every page: the head, the tabs, whose memory it is.

use apostille_core::memory::Stage;
use apostille_core::space::Space;
use maud::{DOCTYPE, Markup, html};

use super::{
    PanelResult,
    components::{build_page_url, form::render_seal, link_to_page, render_empty_state},
};
use apostille_api::request_scope::{HttpReply, RequestScope};

/// How many other spaces are offered.
const MAX_SPACES: usize = 200;

/// The tabs of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelTab {
    /// What is known.
    Memories,
    /// What waits for a person.
    Review,
    /// What agents were shown.
    Sessions,
    /// What was said.
    Conversations,
    /// What is and was worked on.
    Tasks,
    /// How well it all serves.
    Health,
    /// What a prompt would be given.
    Ask,
}

/// The tabs in their order, with where they lead to and their words.
const TABS: [(PanelTab, &str, &str); 7] = [
    (PanelTab::Memories, "/", "Memories"),
    (PanelTab::Review, "/review", "Review"),
    (PanelTab::Sessions, "/sessions", "Sessions"),
    (PanelTab::Conversations, "/conversations", "Conversations"),
    (PanelTab::Tasks, "/tasks", "Tasks"),
    (PanelTab::Health, "/vitals", "Health"),
    (PanelTab::Ask, "/ask", "Ask"),
];

/// A whole page.
pub fn render_panel_page(
    scope: &RequestScope,
    tab: PanelTab,
    title: &str,
    body: &Markup,
) -> PanelResult {
    render_page_with_status(200, scope, tab, title, body)
}

/// A page that tells that there is nothing under this name, and leads to what there is.
pub fn render_missing_page(
    scope: &RequestScope,
    tab: PanelTab,
    title: &str,
    why: &Markup,
    (path, told): (&str, &str),
) -> PanelResult {
    let all = html! { (why) p { a href=(link_to_page(scope, path)) { (told) } } };
    render_page_with_status(
        404,
        scope,
        tab,
        "Not found",
        &render_empty_state(title, &all),
    )
}

/// A whole page with another status: what was sent could not be done, or is not there.
pub fn render_page_with_status(
    status: u16,
    scope: &RequestScope,
    tab: PanelTab,
    title: &str,
    body: &Markup,
) -> PanelResult {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (render_html_head(title))
            body data-live=(link_to_page(scope, "/live")) {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    div.bar {
                        a.wordmark href=(link_to_page(scope, "/")) { (render_seal_icon()) "Apostille" }
                        (render_tab_bar(scope, tab))
                        (render_space_menu(scope))
                        button.theme.quiet type="button" hidden aria-label="Switch between light and dark" { (render_theme_icon()) }
                    }
                }
                main #main tabindex="-1" { h1 { (title) } (body) }
                footer.bottom {
                    p { "Made by this machine; nothing is fetched from anywhere else." span #has-keys hidden { " " kbd { "?" } " shows the keys." } }
                    form method="post" action="/close" { (render_seal(scope)) button.quiet type="submit" { "Sign out" } }
                }
                (render_key_help())
            }
        }
    };
    Ok(HttpReply::new_html(status, page.into_string()))
}

fn render_html_head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="same-origin";
            title { (title) " – Apostille" }
            link rel="icon" href="data:,";
            link rel="stylesheet" href="/panel.css";
            // Not deferred: the theme is chosen before anything is painted.
            script src="/panel.js" {}
        }
    }
}

fn render_tab_bar(scope: &RequestScope, tab: PanelTab) -> Markup {
    // How many memories wait for a person. A page does not fail for want of it.
    let tally = |space: &Space| {
        let summary = scope.cx.store.summarize_space(space);
        summary.map_or(0, |it| it.count_in_stage(Stage::Pending))
    };
    let waiting: u64 = scope.reachable_spaces().iter().map(tally).sum();
    html! {
        nav.tabs aria-label="Panel" {
            @for (it, path, label) in TABS {
                a href=(link_to_page(scope, path)) aria-current=[(it == tab).then_some("page")] {
                    (label)
                    @if it == PanelTab::Review && waiting > 0 {
                        " " span.count { (waiting) span.unseen { " waiting" } }
                    }
                }
            }
        }
    }
}

/// Whose memory this is, and the way to another one.
fn render_space_menu(scope: &RequestScope) -> Markup {
    let is_other =
        |it: &Space| !it.is_user() && it != scope.caller.repo && scope.token.reaches_space(it);
    let mut spaces = scope.cx.store.list_spaces().unwrap_or_default();
    spaces.retain(is_other);
    spaces.truncate(MAX_SPACES);
    html! {
        @if spaces.is_empty() {
            p.whose { span.unseen { "Memory of " } (scope.caller.repo) }
        } @else {
            details.whose {
                summary { span.unseen { "Memory of " } (scope.caller.repo) }
                div.menu {
                    p.hint { "Another repository of this store" }
                    ul { @for it in &spaces {
                        li { a href=(build_page_url("/", &[("repo", it.as_str())])) { (it) } }
                    } }
                }
            }
        }
    }
}

/// The keys that the script adds.
fn render_key_help() -> Markup {
    const KEYS: [(&str, &str); 8] = [
        ("/", "search"),
        ("j k", "the next or the one before, in Review"),
        ("a", "accept it"),
        ("e", "edit it"),
        ("m", "merge it into the nearest"),
        ("r", "reject it: say why, or nothing, then Enter"),
        ("u", "undo what was just done"),
        ("?", "this list"),
    ];
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            dl.fields { @for (key, told) in KEYS { div { dt { kbd { (key) } } dd { (told) } } } }
            form method="dialog" { button.quiet type="submit" { "Close" } }
        }
    }
}

/// The mark of the panel: a seal with a note in its margin.
fn render_seal_icon() -> Markup {
    html! {
        svg.seal viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" {
            circle.ring cx="12" cy="12" r="10" {}
            path.line d="M8 6.5v11" {}
            path.line d="M11.5 9h5M11.5 12h5M11.5 15h3" {}
        }
    }
}

fn render_theme_icon() -> Markup {
    html! {
        svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" {
            circle.ring cx="8" cy="8" r="6.25" {}
            path.full d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" {}
        }
    }
}
