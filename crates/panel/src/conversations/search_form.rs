//! What is asked of the conversations, and the form that asks it.

use apostille_api::{
    request_scope::{RequestInput, RequestScope},
    wire::RecallFilterInput,
};
use apostille_core::archive::ArchiveFilter;
use maud::{Markup, html};

use crate::components::{render_labeled_field, render_repo_field, render_text_input};

/// The fields below the question, with their labels and hints.
const FIELDS: [(&str, &str, &str); 5] = [
    ("since", "Said since", "7d, 2w or a date"),
    ("until", "Said before", ""),
    ("path", "Changed file or folder", "such as src/api.rs"),
    ("task", "Task", ""),
    ("branch", "Branch", ""),
];

/// A question with its filters, as they were sent.
pub(super) struct SaidSearch<'a> {
    asked: &'a RequestInput,
}

impl<'a> SaidSearch<'a> {
    pub(super) fn new(asked: &'a RequestInput) -> Self {
        Self { asked }
    }

    pub(super) fn question(&self) -> &str {
        self.field("q")
    }

    fn field(&self, name: &str) -> &str {
        self.asked.query_value(name).unwrap_or_default().trim()
    }

    fn has_filter(&self) -> bool {
        FIELDS.iter().any(|it| !self.field(it.0).is_empty())
    }

    /// Which conversations may answer; else what is wrong with the filters.
    pub(super) fn resolve_filter(&self, scope: &RequestScope) -> Result<ArchiveFilter, String> {
        let input = RecallFilterInput::from_texts(|name| match name {
            "since" | "until" => self.field(name),
            "citing" => self.field("path"),
            _ => "",
        });
        let found = input.and_then(|it| it.resolve(scope.cx.now, scope.reachable_spaces()));
        let (filter, _) = found.map_err(|error| error.to_string())?;
        let name = |field: &str| Some(self.field(field).to_owned()).filter(|it| !it.is_empty());
        Ok(ArchiveFilter {
            since: filter.since,
            until: filter.until,
            path: filter.citing,
            task: name("task"),
            branch: name("branch"),
        })
    }

    pub(super) fn render_form(&self, scope: &RequestScope) -> Markup {
        let control = html! {
            input type="search" id="q" name="q" value=(self.question()) maxlength="4000" autocomplete="off" aria-describedby="q-hint";
        };
        let hint = "Your own words are shown that decide; a later conversation about the same thing comes first.";
        html! {
            form.finder method="get" action="/conversations" {
                (render_repo_field(scope))
                (render_labeled_field("q", "What did you say about it?", hint, &control))
                details.filters open[self.has_filter()] {
                    summary { "Filters" }
                    div.grid { @for (id, label, hint) in FIELDS { (render_text_input(id, label, self.field(id), hint)) } }
                }
                button type="submit" { "Search" }
            }
        }
    }
}
