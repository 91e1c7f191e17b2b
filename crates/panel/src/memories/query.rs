//! What somebody looks for: the query of the page, parsed once.

use std::str::FromStr;

use apostille_core::{
    memory::{Kind, Layer, Origin, Stage},
    project::ProjectName,
    store::{ListCursor, MemoryFilter},
};
use jiff::{Span, Timestamp, civil::Date, tz::TimeZone};
use maud::{Markup, html};

use crate::{
    components,
    components::{render_labeled_field, render_text_input, render_word_select},
};
use apostille_api::request_scope::{RequestInput, RequestScope};

/// What is listed unless said otherwise.
pub(super) const IN_PLAY: &[Stage] = &[Stage::Active, Stage::Pending];
/// The words that a memory's citations can stand by.
pub(super) const VERDICTS: &[&str] = &[
    "stands",
    "check",
    "contradicted",
    "gone",
    "unknown",
    "stated",
];
/// The fields of the form, in its order; the first is the box above it.
const FIELDS: &[&str] = &[
    "q", "layer", "kind", "status", "origin", "verdict", "tag", "project", "path", "address",
    "since", "until", "after",
];
/// The word for every status.
const ANY: &str = "any";

/// What is looked for. What was asked for wrongly is told, and not looked for.
#[derive(Debug, Default)]
pub(super) struct MemorySearch {
    /// What was said; nothing where everything is to be shown.
    pub(super) raw: Vec<(&'static str, String)>,
    /// Words to rank by.
    pub(super) text: Option<String>,
    /// What a store can tell.
    pub(super) filter: MemoryFilter,
    /// How citations stand.
    pub(super) verdict: Option<String>,
    /// From where a listing goes on.
    pub(super) after: Option<ListCursor>,
    /// What was asked for wrongly.
    pub(super) problems: Vec<String>,
}

impl MemorySearch {
    pub(super) fn from_query(scope: &RequestScope, asked: &RequestInput) -> Self {
        let raw = FIELDS
            .iter()
            .filter_map(|it| Some((*it, asked.query_value(it)?.trim().to_owned())));
        let raw = raw.filter(|it| !it.1.is_empty()).collect();
        let mut sought = Self {
            raw,
            ..Self::default()
        };
        sought.filter = MemoryFilter {
            spaces: scope.reachable_spaces(),
            layers: sought.parse_field("layer").into_iter().collect(),
            kinds: sought.parse_field("kind").into_iter().collect(),
            origins: sought.parse_field("origin").into_iter().collect(),
            stages: sought.parse_stages(),
            tags: sought.parse_tags(),
            path: sought.parse_field("path"),
            since: sought.parse_day("since", 0),
            until: sought.parse_day("until", 1),
            ..MemoryFilter::default()
        }
        .at_address(sought.parse_field("address"));
        sought.narrow_to_address();
        sought.after = sought.raw_value("after").and_then(parse_list_cursor);
        sought.text = sought.raw_value("q").map(Into::into);
        let verdict = sought.raw_value("verdict");
        sought.verdict = verdict.filter(|it| VERDICTS.contains(it)).map(Into::into);
        sought
    }

    /// Whether words are to be ranked: only what is in use can be.
    pub(super) fn is_ranked(&self) -> bool {
        self.text.is_some() && matches!(self.raw_value("status"), None | Some("active"))
    }

    pub(super) fn raw_value(&self, name: &str) -> Option<&str> {
        self.raw
            .iter()
            .find(|it| it.0 == name)
            .map(|it| it.1.as_str())
    }

    /// The way to the same with one thing said otherwise.
    pub(super) fn link_with(
        &self,
        scope: &RequestScope,
        name: &'static str,
        value: &str,
    ) -> String {
        let others = self.raw.iter().filter(|it| it.0 != name && it.0 != "after");
        let said: Vec<_> = others
            .map(|it| (it.0, it.1.as_str()))
            .chain([(name, value)])
            .collect();
        components::link_with_query(scope, "/", &said)
    }

    fn parse_field<T: FromStr<Err: ToString>>(&mut self, name: &'static str) -> Option<T> {
        let read = self.raw_value(name)?.parse::<T>();
        read.map_err(|error| self.problems.push(error.to_string()))
            .ok()
    }

    fn parse_tags(&mut self) -> Vec<String> {
        let tag = self.raw_value("tag");
        let tag = tag.map(|it| it.trim_start_matches('#').to_owned());
        let project: Option<ProjectName> = self.parse_field("project");
        tag.into_iter()
            .chain(project.map(|it| it.to_tag()))
            .collect()
    }

    /// An address of another space than those in play is told, and finds nothing.
    fn narrow_to_address(&mut self) {
        let Some(address) = &self.filter.address else {
            return;
        };
        match address.narrow_spaces(&self.filter.spaces) {
            Ok(spaces) => self.filter.spaces = spaces,
            Err(error) => self.problems.push(error.to_string()),
        }
    }

    fn parse_stages(&mut self) -> Vec<Stage> {
        match self.raw_value("status") {
            None => IN_PLAY.to_vec(),
            Some(ANY) => Vec::new(),
            Some(_) => match self.parse_field("status") {
                Some(stage) => vec![stage],
                None => IN_PLAY.to_vec(),
            },
        }
    }

    /// The beginning of a day, or of the day so many days after it.
    fn parse_day(&mut self, name: &'static str, days: i64) -> Option<Timestamp> {
        let said = self.raw_value(name)?.to_owned();
        let begin = |day: Date| {
            day.checked_add(Span::new().days(days))?
                .to_zoned(TimeZone::UTC)
        };
        let at = said.parse().and_then(begin).map(|it| it.timestamp());
        if at.is_err() {
            let said = components::sanitize_shown_text(&said);
            self.problems
                .push(format!("{name} is '{said}', and no day such as 2026-02-26"));
        }
        at.ok()
    }
}

/// A place in a listing, as a link carries it.
pub(super) fn format_list_cursor(after: &ListCursor) -> String {
    format!(
        "{}.{}.{}",
        after.at.as_millisecond(),
        after.number,
        after.space
    )
}

fn parse_list_cursor(text: &str) -> Option<ListCursor> {
    let mut parts = text.splitn(3, '.');
    Some(ListCursor {
        at: Timestamp::from_millisecond(parts.next()?.parse().ok()?).ok()?,
        number: parts.next()?.parse().ok()?,
        space: parts.next()?.parse().ok()?,
    })
}

/// The box and the filters below it: a form that only looks.
pub(super) fn render_search_form(scope: &RequestScope, sought: &MemorySearch) -> Markup {
    let is_open = sought.raw.iter().any(|it| it.0 != "q" && it.0 != "after");
    let said = |name: &str| sought.raw_value(name).unwrap_or_default();
    let stages = Stage::ALL.iter().map(|it| it.as_str());
    let date = |id: &str, label: &str| {
        let control = html! { input type="date" id=(id) name=(id) value=(said(id)); };
        render_labeled_field(id, label, "", &control)
    };
    let search = html! {
        input type="search" id="q" name="q" value=(said("q")) placeholder="as an agent would ask" autocomplete="off";
    };
    html! {
        form.finder role="search" method="get" action="/" {
            (components::render_repo_field(scope))
            div.search { (render_labeled_field("q", "Search", "", &search)) button type="submit" { "Search" } }
            details.filters open[is_open] {
                summary { "Filters" }
                div.grid {
                    (render_word_select("layer", "Layer", "all", Layer::ALL, said("layer")))
                    (render_word_select("kind", "Kind", "all", Kind::ALL, said("kind")))
                    (render_word_select("status", "Status", "active and pending", [ANY].into_iter().chain(stages), said("status")))
                    (render_word_select("origin", "Said by", "anybody", Origin::ALL, said("origin")))
                    (render_word_select("verdict", "Verdict here", "any", VERDICTS, said("verdict")))
                    (render_text_input("tag", "Tag", said("tag"), ""))
                    (render_text_input("project", "Project", said("project"), ""))
                    (render_text_input("path", "Cites file or folder", said("path"), ""))
                    (render_text_input("address", "Address", said("address"), "such as /owner/name/episodes/"))
                    (date("since", "Recorded since"))
                    (date("until", "Recorded until"))
                }
                div.buttons {
                    button.quiet type="submit" { "Filter" }
                    @if is_open { a href=(components::link_to_page(scope, "/")) { "Clear" } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_listing_is_read_back() {
        let check = |text: &str, is_good: bool| {
            assert_eq!(
                parse_list_cursor(text).map(|it| format_list_cursor(&it)),
                is_good.then(|| text.to_owned()),
                "{text}"
            );
        };
        check("1772107200000.12.myorg/my.app", true);
        check("1772107200000.12.users/ana", true);
        check("", false);
        check("x.1.a/b", false);
        check("99999999999999999999.1.a/b", false);
        check("1.1.a/b c", false);
    }
}
