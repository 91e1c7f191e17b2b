//! Ask with filters: what a recall finds among memories of one sort.

use apostille_api::{
    request_scope::{RequestInput, RequestScope},
    wire::RecallFilterInput,
};
use apostille_core::{
    memory::Kind,
    recall::{self, RecallFilter, RecallRequest},
    space::Space,
};
use maud::{Markup, html};

use super::render_hit_group;
use crate::{
    PanelResult,
    components::{render_problem, render_text_input, render_word_select},
};

/// The fields below the prompt, with their labels and hints; the kind is chosen from a list.
const FIELDS: [(&str, &str, &str); 6] = [
    ("tag", "Tag", ""),
    ("project", "Project", ""),
    ("citing", "Cites file or folder", ""),
    ("since", "Recorded since", "7d, 2w or a date"),
    ("until", "Recorded before", ""),
    ("address", "Address", "such as /owner/name/episodes/"),
];

/// The filters as they were sent.
pub(super) struct AskFilter<'a> {
    asked: &'a RequestInput,
}

impl<'a> AskFilter<'a> {
    pub(super) fn new(asked: &'a RequestInput) -> Self {
        Self { asked }
    }

    /// Whether one was filled in.
    pub(super) fn is_said(&self) -> bool {
        let mut names = FIELDS.iter().map(|it| it.0).chain(["kind"]);
        names.any(|it| !self.said(it).is_empty())
    }

    fn said(&self, name: &str) -> &str {
        self.asked.query_value(name).unwrap_or_default().trim()
    }

    /// What is meant, and which spaces are asked; else what is wrong.
    fn resolve(&self, scope: &RequestScope) -> Result<(RecallFilter, Vec<Space>), String> {
        let input = RecallFilterInput::from_texts(|name| self.said(name));
        let found = input.and_then(|it| it.resolve(scope.cx.now, scope.reachable_spaces()));
        found.map_err(|error| error.to_string())
    }

    /// The fields of the form.
    pub(super) fn render_fields(&self) -> Markup {
        html! {
            details.filters open[self.is_said()] {
                summary { "Filters" }
                div.grid {
                    (render_word_select("kind", "Kind", "all", Kind::ALL, self.said("kind")))
                    @for (id, label, hint) in FIELDS { (render_text_input(id, label, self.said(id), hint)) }
                }
            }
        }
    }

    /// What a recall finds that the filters admit.
    pub(super) fn render_answer(&self, scope: &RequestScope, prompt: &str) -> PanelResult<Markup> {
        let (filter, spaces) = match self.resolve(scope) {
            Ok(found) => found,
            Err(why) => return Ok(render_problem(&why)),
        };
        let ask = RecallRequest {
            text: prompt.into(),
            spaces,
            filter,
            ..RecallRequest::default()
        };
        let found = recall::preview_recall(scope.cx, &ask)?;
        Ok(html! {
            h2 { "With these filters" }
            p.hint { "What a recall finds among the memories that pass. Hooks do not filter: without filters, this page shows what they give." }
            @if found.shown.is_empty() && found.withheld.is_empty() { p { "Nothing that passes answers this." } }
            (render_hit_group(scope, "Found", "each with its score, and what it is made of", &found.shown))
            (render_hit_group(scope, "Withheld", "to the point, but not found to hold in this checkout", &found.withheld))
        })
    }
}
