//! What stands around every page: the head, the tabs, whose memory it is.

use maud::{DOCTYPE, Markup, html};

use crate::visit::{Reply, Visit};

/// The tabs of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    /// What is known.
    Memories,
    /// What waits for a person.
    Review,
    /// What agents were shown.
    Sessions,
    /// What is and was worked on.
    Tasks,
    /// How well it all serves.
    Health,
    /// What a prompt would be given.
    Ask,
}

impl Tab {
    const ALL: [Self; 6] =
        [Self::Memories, Self::Review, Self::Sessions, Self::Tasks, Self::Health, Self::Ask];

    fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::Memories => ("/", "Memories"),
            Self::Review => ("/review", "Review"),
            Self::Sessions => ("/sessions", "Sessions"),
            Self::Tasks => ("/tasks", "Tasks"),
            Self::Health => ("/vitals", "Health"),
            Self::Ask => ("/ask", "Ask"),
        }
    }
}

/// A whole page.
#[must_use]
pub fn framed(visit: &Visit<'_>, tab: Tab, title: &str, body: &Markup) -> Reply {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " – Apostille" }
                link rel="stylesheet" href="/panel.css";
                script src="/panel.js" defer {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    nav aria-label="Panel" {
                        @for it in Tab::ALL {
                            a href=(it.told().0) aria-current=[(it == tab).then_some("page")] { (it.told().1) }
                        }
                    }
                    span.space { (visit.here.repo) }
                }
                main #main { h1 { (title) } (body) }
            }
        }
    };
    Reply::html(200, page.into_string())
}

/// The hidden field that every form carries.
#[must_use]
pub fn seal(visit: &Visit<'_>) -> Markup {
    html! { input type="hidden" name="seal" value=(visit.seal); }
}
