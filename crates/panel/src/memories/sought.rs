//! What somebody looks for: the query of the page, parsed once.

use std::str::FromStr;

use apostille_cite::citation::RepoPath;
use apostille_core::memory::{Kind, Layer, Origin, Stage};
use apostille_core::store::{After, Filter};
use apostille_text::moderate;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use maud::{Markup, html};

use crate::parts;
use crate::parts::{Choice, choices, field, line};
use apostille_api::visit::{Asked, Visit};

/// What is listed unless said otherwise.
pub(super) const IN_PLAY: &[Stage] = &[Stage::Active, Stage::Pending];
/// The words that a memory's citations can stand by.
pub(super) const VERDICTS: &[&str] =
    &["holds", "moved", "changed", "gone", "unknown", "unverified"];
/// The fields of the form, in its order; the first is the box above it.
const FIELDS: &[&str] = &[
    "q", "layer", "kind", "status", "origin", "verdict", "tag", "path", "since", "until", "after",
];
/// The word for every status.
const ANY: &str = "any";

/// What is looked for. What was asked for wrongly is told, and not looked for.
#[derive(Debug, Default)]
pub(super) struct Sought {
    raw: Vec<(&'static str, String)>,
    /// Words to rank by.
    pub(super) text: Option<String>,
    /// What a store can tell.
    pub(super) filter: Filter,
    /// How citations stand.
    pub(super) verdict: Option<String>,
    /// From where a listing goes on.
    pub(super) after: Option<After>,
    /// What was asked for wrongly.
    pub(super) problems: Vec<String>,
}

impl Sought {
    pub(super) fn read(visit: &Visit<'_>, asked: &Asked) -> Self {
        let raw = FIELDS
            .iter()
            .filter_map(|it| Some((*it, asked.query(it)?.trim().to_owned())));
        let raw = raw.filter(|it| !it.1.is_empty()).collect();
        let mut sought = Self {
            raw,
            ..Self::default()
        };
        let filter = Filter {
            spaces: visit.spaces(),
            layers: sought.word::<Layer>("layer").into_iter().collect(),
            kinds: sought.word::<Kind>("kind").into_iter().collect(),
            origins: sought.word::<Origin>("origin").into_iter().collect(),
            stages: sought.stages(),
            tag: sought
                .said("tag")
                .map(|it| it.trim_start_matches('#').to_owned()),
            path: sought.word::<RepoPath>("path"),
            since: sought.day("since", 0),
            until: sought.day("until", 1),
            ..Filter::default()
        };
        let after = sought.said("after").and_then(cursor);
        Self {
            text: sought.said("q").map(Into::into),
            verdict: sought
                .said("verdict")
                .filter(|it| VERDICTS.contains(it))
                .map(Into::into),
            after,
            filter,
            ..sought
        }
    }

    /// Whether nothing is looked for, so that everything is shown.
    pub(super) fn is_nothing(&self) -> bool {
        self.raw.is_empty()
    }

    /// Whether words are to be ranked: only what is in use can be.
    pub(super) fn is_ranked(&self) -> bool {
        self.text.is_some() && matches!(self.said("status"), None | Some("active"))
    }

    pub(super) fn said(&self, name: &str) -> Option<&str> {
        self.raw
            .iter()
            .find(|it| it.0 == name)
            .map(|it| it.1.as_str())
    }

    /// The way to the same with one thing said otherwise.
    pub(super) fn with(&self, visit: &Visit<'_>, name: &'static str, value: &str) -> String {
        let others = self.raw.iter().filter(|it| it.0 != name && it.0 != "after");
        let said: Vec<_> = others
            .map(|it| (it.0, it.1.as_str()))
            .chain([(name, value)])
            .collect();
        parts::way(visit, "/", &said)
    }

    fn word<T: FromStr<Err: ToString>>(&mut self, name: &'static str) -> Option<T> {
        let read = self.said(name)?.parse::<T>();
        read.map_err(|error| self.problems.push(error.to_string()))
            .ok()
    }

    fn stages(&mut self) -> Vec<Stage> {
        match self.said("status") {
            None => IN_PLAY.to_vec(),
            Some(ANY) => Vec::new(),
            Some(_) => self
                .word::<Stage>("status")
                .map_or_else(|| IN_PLAY.to_vec(), |it| vec![it]),
        }
    }

    /// The beginning of a day, or of the day so many days after it.
    fn day(&mut self, name: &'static str, days: i64) -> Option<Timestamp> {
        let said = self.said(name)?.to_owned();
        let day = said
            .parse::<Date>()
            .ok()
            .and_then(|it| it.checked_add(jiff::Span::new().days(days)).ok());
        let at = day
            .and_then(|it| it.to_zoned(TimeZone::UTC).ok())
            .map(|it| it.timestamp());
        if at.is_none() {
            let said = moderate::told(&said);
            self.problems
                .push(format!("{name} is '{said}', and no day such as 2026-02-26"));
        }
        at
    }
}

/// A place in a listing, as a link carries it.
pub(super) fn cursor_text(after: &After) -> String {
    format!(
        "{}.{}.{}",
        after.at.as_millisecond(),
        after.number,
        after.space
    )
}

fn cursor(text: &str) -> Option<After> {
    let mut parts = text.splitn(3, '.');
    let at = Timestamp::from_millisecond(parts.next()?.parse().ok()?).ok()?;
    Some(After {
        at,
        number: parts.next()?.parse().ok()?,
        space: parts.next()?.parse().ok()?,
    })
}

/// The box and the filters below it: a form that only looks.
pub(super) fn form(visit: &Visit<'_>, sought: &Sought) -> Markup {
    let is_open = sought.raw.iter().any(|it| it.0 != "q" && it.0 != "after");
    let said = |name: &str| sought.said(name).unwrap_or_default();
    let search = html! {
        input type="search" id="q" name="q" value=(said("q")) placeholder="as an agent would ask" autocomplete="off";
    };
    html! {
        form.finder role="search" method="get" action="/" {
            (parts::kept(visit))
            div.search { (field("q", "Search", "", &search)) button type="submit" { "Search" } }
            details.filters open[is_open] {
                summary { "Filters" }
                div.grid {
                    (words("layer", "Layer", "all", Layer::ALL.iter().map(|it| it.as_str()), said("layer")))
                    (words("kind", "Kind", "all", Kind::ALL.iter().map(|it| it.as_str()), said("kind")))
                    (words("status", "Status", "active and pending", statuses(), said("status")))
                    (words("origin", "Said by", "anybody", Origin::ALL.iter().map(|it| it.as_str()), said("origin")))
                    (words("verdict", "Verdict here", "any", VERDICTS.iter().copied(), said("verdict")))
                    (line("tag", "Tag", said("tag"), ""))
                    (line("path", "Cites file or folder", said("path"), ""))
                    (day("since", "Recorded since", said("since")))
                    (day("until", "Recorded until", said("until")))
                }
                div.buttons {
                    button.quiet type="submit" { "Filter" }
                    @if is_open { a href=(parts::link(visit, "/")) { "Clear" } }
                }
            }
        }
    }
}

fn statuses() -> impl Iterator<Item = &'static str> {
    [ANY]
        .into_iter()
        .chain(Stage::ALL.iter().map(|it| it.as_str()))
}

fn words(
    id: &str,
    label: &str,
    any: &str,
    all: impl Iterator<Item = &'static str>,
    chosen: &str,
) -> Markup {
    let all: Vec<Choice<'_>> = all
        .map(|it| Choice {
            value: it,
            told: it,
        })
        .collect();
    choices(id, label, any, &all, chosen)
}

fn day(id: &str, label: &str, value: &str) -> Markup {
    field(
        id,
        label,
        "",
        &html! { input type="date" id=(id) name=(id) value=(value); },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_listing_is_read_back() {
        let check = |text: &str, is_good: bool| {
            assert_eq!(
                cursor(text).map(|it| cursor_text(&it)),
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
