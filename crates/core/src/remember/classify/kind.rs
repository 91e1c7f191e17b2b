//! What sort of memory a fact is that does not say it, and whose.

use super::pattern_table::LazyPattern;
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

/// The kind that the words of a fact suggest. The most telling come first: a correction that speaks of the user is a
/// correction.
pub fn guess_fact_kind(fact: &str) -> Kind {
    let lower = fact.trim().to_lowercase();
    let is_told = |rows: &[LazyPattern]| rows.iter().any(|row| row.matches_text(&lower));
    if is_told(&FEEDBACK) {
        Kind::Feedback
    } else if is_told(&USER) {
        Kind::User
    } else if is_told(&REFERENCE) {
        Kind::Reference
    } else {
        Kind::Project
    }
}

/// What was done wrong, and what is not to be done again.
static FEEDBACK: [LazyPattern; 3] = [
    LazyPattern::new(
        &["stop ", "don't", "don’t", "do not", "avoid", "no more"],
        r"^(please )?(stop \w+ing|don('|\xe2\x80\x99)t (add|use|mock|touch|put|run|edit|change|commit|remove|rewrite|introduce|import)|do not|avoid|no more)\b",
    ),
    LazyPattern::new(
        &["correct", "mistake", "lesson", "wrong", "feedback"],
        r"\buser corrected\b|^(a )?correction\b|\bmistakes?\b.{0,20}:|^lessons?\b.{0,20}:|^(no, |that was |that is |that's )?wrong\b|\breview feedback\b",
    ),
    LazyPattern::new(
        &["you "],
        r"\byou (keep|kept|forgot|forget|should have|always forget)\b|\btold you\b",
    ),
];

/// What a person is, likes and is used to, in their own words or in an agent's.
static USER: [LazyPattern; 5] = [
    LazyPattern::new(
        &["user", "prefers", "likes"],
        r"\b(the |this |our )?user (strongly |really |usually |always |never |generally )*(prefers?|wants|likes|dislikes|hates|loves|works|uses|runs|speaks|expects|reviews|reads|types|lives|would (rather|like|prefer)|is (new to|an? |based|from|familiar|fluent|not (familiar|used)|used to)|has asked|asked (that|for|to be))|^(the )?user('|\xe2\x80\x99)s (name|editor|shell|time ?zone|language|preferred|primary|favou?rite|role|os|machine|terminal)\b|\(the user\)|^(prefers|likes|dislikes) |\buser preference|\bpreference \(user\)",
    ),
    LazyPattern::new(
        &["i ", "i'", "i’", "my ", "mine"],
        r"^(and |also |please |when |as |for me,? )?(i|i('|\xe2\x80\x99)(m|d|ve|ll)) (\w+ ){0,2}?(prefer|want|like|dislike|hate|love|use|work|am|have used|have been|need|speak|live|don('|\xe2\x80\x99)t|do not|would|never|always|say|mean|read|write|type)\b|^i('|\xe2\x80\x99)m |^my (name|pronouns|editor|shell|time ?zone|favou?rite|preferred|machine|setup|keyboard|role|team|os|laptop|first language)\b|\bof mine\b",
    ),
    LazyPattern::new(
        &[" me", "myself"],
        r"^(please |always |never |don('|\xe2\x80\x99)t |do not )*(call|answer|tell|show|ask|give|remind|talk to|speak to|reply to|explain|send|warn|help)\b.{0,40}\bme\b|\bfor me,|\b(to|with) me\b",
    ),
    LazyPattern::new(
        &["answer", "repl", "response", "explanation", "explain"],
        r"^(please |pls |always )?(keep|make|write|give) (your |the |all )?(answers?|repl(y|ies)|responses?|explanations?)\b|^(reply|answer|respond) (always )?(in|with|briefly|concisely|tersely)\b",
    ),
    LazyPattern::new(
        &[
            "ich ", "mir ", "mich", "je ", "moi", "prefier", "me gusta", "quiero", "mi ",
        ],
        r"^ich (mag|bevorzuge|m..?chte|will|arbeite|nutze|benutze|hei..?e|bin|hasse|verwende)\b|^(bitte )?\w+e (mir|mich)\b|^je (pr..?f..?re|veux|suis|travaille|utilise|d..?teste|m'appelle)|^prefiero\b|^me gusta|^quiero que|^mi (nombre|editor)\b",
    ),
];

/// Commands and addresses.
static REFERENCE: [LazyPattern; 3] = [
    LazyPattern::new(
        &[
            "run ",
            "command",
            "build with",
            "install with",
            "run the tests with",
        ],
        r"\brun [`/.]|\brun [a-z_]+=\S|\brun \S+/|\bcommand is\b|\brun the tests with\b|\bbuild with\b|\binstall with\b|\bto \w+ .{0,40}\brun\b|^run (make|npm|pnpm|yarn|cargo|just|docker|pytest)\b",
    ),
    LazyPattern::new(&["://"], r"\bhttps?://\S"),
    LazyPattern::new(
        &[
            "npm",
            "yarn",
            "bun ",
            "cargo",
            "make ",
            "docker",
            "kubectl",
            "pytest",
            "bazel",
            "just ",
            "pip ",
            "uv ",
            "poetry",
            "go ",
            "gradle",
            "mvn",
            "terraform",
        ],
        r"(^|`|\bwith |\bvia |\buse |: )(p?npm|yarn|bun|cargo|docker( compose)?|kubectl|bazel|just|pip3?|uv|poetry|go|gradlew?|mvn|terraform) (-\S+ )*(run|test|install|build|up|exec|nextest|check|logs|apply|start|add|sync|compose|--?\w)",
    ),
];

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
