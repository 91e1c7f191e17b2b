//! What sort of memory a fact is that does not say it, and whose.

use super::kind_cues::KIND_CUES;
use crate::memory::{Kind, Layer};

/// Whether a fact goes with its user into every repository, and not with the repository it was said in: identity, and
/// preferences, named as such or read from the words. What cites code is about that code.
///
/// Every face asks this when the caller names no space, so that "I prefer tabs" lands in one place.
pub fn belongs_to_user(
    layer: Option<Layer>,
    kind: Option<Kind>,
    fact: &str,
    is_cited: bool,
) -> bool {
    match (layer, kind) {
        (Some(Layer::Identity), _) => true,
        (Some(Layer::Episode | Layer::Session), _) => false,
        (_, Some(kind)) => kind == Kind::User,
        (_, None) => !is_cited && guess_fact_kind(fact) == Kind::User,
    }
}

/// What every fact is unless its words tell otherwise.
const PROJECT_WEIGHT: f32 = 1.0;

/// The kind that the words of a fact suggest: each cue that they have speaks for a kind, and the strongest sum wins.
///
/// No single word tells: "I reject everything without a test" is feedback, "I reject mail before nine" is a habit. Weights are
/// round, and chosen on texts that the rates in `tests/it/sorting.rs` are not measured on.
pub fn guess_fact_kind(fact: &str) -> Kind {
    let lower = fact.trim().to_lowercase().replace('’', "'");
    let weigh = |kind: Kind| {
        let cues = KIND_CUES.iter().filter(|it| it.kind == kind);
        cues.filter(|it| it.pattern.matches_text(&lower))
            .map(|it| it.weight)
            .sum::<f32>()
    };
    let mut best = (Kind::Project, PROJECT_WEIGHT + weigh(Kind::Project));
    for kind in [Kind::Reference, Kind::User, Kind::Feedback] {
        let weight = weigh(kind);
        if weight > best.1 {
            best = (kind, weight);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_words() {
        let check =
            |fact: &str, expected: Kind| assert_eq!(guess_fact_kind(fact), expected, "{fact}");
        check("I prefer tabs", Kind::User);
        check("the user prefers concise replies", Kind::User);
        check("prefers small commits", Kind::User);
        check("The user's shell is fish", Kind::User);
        check("I/O errors are retried", Kind::Project);
        check("User rows are soft-deleted", Kind::Project);
        check("The user service owns e-mail addresses", Kind::Project);
        check("The user is logged out after 30 minutes", Kind::Project);
        check(
            "my-service and our-service share one database",
            Kind::Project,
        );
        check("stop adding comments that repeat the code", Kind::Feedback);
        check(
            "The user corrected me: use the logger, never print",
            Kind::Feedback,
        );
        check("Run `make proto` after editing proto/", Kind::Reference);
        check("staging is at https://staging.example.com", Kind::Reference);
        check(
            "API_VERSION must match between client and server",
            Kind::Project,
        );
    }

    #[test]
    fn preferences_go_with_the_user() {
        let check = |layer, kind, fact, is_cited, expected| {
            assert_eq!(
                belongs_to_user(layer, kind, fact, is_cited),
                expected,
                "{fact}"
            );
        };
        let (tabs, limit) = ("I prefer tabs", "the limit is 10 MB");
        check(None, None, tabs, false, true);
        check(Some(Layer::Knowledge), None, tabs, false, true);
        check(None, Some(Kind::User), limit, false, true);
        check(Some(Layer::Identity), None, limit, false, true);
        check(None, None, limit, false, false);
        // What is said of it goes before what its words suggest.
        check(None, Some(Kind::Project), tabs, false, false);
        check(None, None, tabs, true, false);
        check(Some(Layer::Session), None, tabs, false, false);
    }
}
