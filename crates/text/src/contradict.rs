//! Whether two facts of one subject contradict each other, and whether that is beyond doubt.
//!
//! What two texts have in common says what they are about; what they differ in is where they may disagree. They do when
//! each names a value that the other does not – a number, a name, something in quotes – or when one of them negates what
//! the other says, and nothing else tells them apart. Meaning is not understood here: where both may be true it is
//! *doubtful*, and somebody is asked.

mod fingerprint;
mod parsed_fact;

pub use fingerprint::{FactFingerprint, FactRelation, FactTies};
use parsed_fact::ParsedFact;

/// How two facts of one subject stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactCompatibility {
    /// Both can be true.
    Compatible,
    /// They name different values for what may be the same thing.
    Doubtful,
    /// Only one of them can be true.
    Opposed,
}

/// How a newer fact stands to an older one of the same subject.
pub fn compare_facts(new: &str, old: &str) -> FactCompatibility {
    compare_parsed_facts(&ParsedFact::parse_fact(new), &ParsedFact::parse_fact(old))
}

fn compare_parsed_facts(new: &ParsedFact, old: &ParsedFact) -> FactCompatibility {
    let has_new_words = !new.words.is_subset(&old.words);
    let has_old_words = !old.words.is_subset(&new.words);
    if has_new_words && has_old_words {
        // They speak of different things, whatever values they name.
        return FactCompatibility::Compatible;
    }
    let is_same = !has_new_words && !has_old_words;
    let (ours, theirs) = (new.values_missing_in(old), old.values_missing_in(new));
    let is_negated = new.is_negated != old.is_negated;
    let has_rivals = || {
        ours.iter()
            .any(|a| theirs.iter().any(|b| a.rivals_value(b)))
    };
    match (&*ours, &*theirs) {
        // It says itself that the old value is so no longer.
        ([_, ..], []) if new.denies_value_of(old) && !has_old_words => FactCompatibility::Opposed,
        ([], []) if is_negated && is_same => FactCompatibility::Opposed,
        ([ours], [theirs])
            if is_same && !is_negated && (new.is_change || ours.excludes_value(theirs)) =>
        {
            FactCompatibility::Opposed
        }
        ([_, ..], [_, ..]) if has_rivals() => FactCompatibility::Doubtful,
        ([_, ..], [_, ..]) => FactCompatibility::Compatible,
        _ if is_negated => FactCompatibility::Doubtful,
        _ => FactCompatibility::Compatible,
    }
}

/// From how many words on two facts with one quantity each speak of the same thing.
const TELLING_WORDS: usize = 2;

/// Whether two facts that nothing ties but their words say the same of one thing, with another value: one that takes the
/// place of the other by its sort. A name is none: "`f` is deprecated" and "`g` is deprecated" are of two functions.
fn is_same_sentence_with_other_value(new: &ParsedFact, old: &ParsedFact) -> bool {
    let (ours, theirs) = (new.values_missing_in(old), old.values_missing_in(new));
    let is_negated = new.is_negated != old.is_negated;
    if new.words != old.words {
        return false;
    }
    match (&*ours, &*theirs) {
        ([], []) => is_negated && new.count_parts().min(old.count_parts()) >= TELLING_WORDS,
        ([ours], [theirs]) => {
            let is_told = new.words.len() >= TELLING_WORDS || ours.excludes_value(theirs);
            !is_negated && is_told && ours.replaces_value(theirs)
        }
        _ => false,
    }
}

/// What a fact's rivals would name instead: `npm`, `yarn` and `bun` for "use pnpm".
pub fn list_rival_values(fact: &str) -> Vec<&'static str> {
    let told = ParsedFact::parse_fact(fact);
    let rivals = told.value_texts().flat_map(parsed_fact::list_value_rivals);
    rivals.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: FactCompatibility) {
        assert_eq!(compare_facts(new, old), expected, "{old:?}, then {new:?}");
    }

    #[test]
    fn only_one_can_be_true() {
        let check = |old: &str, new: &str| check(old, new, FactCompatibility::Opposed);
        check("the team uses Jest", "the team migrated to Vitest");
        check(
            "The team uses Jest",
            "The team migrated from Jest to Vitest",
        );
        check(
            "The team uses Jest",
            "The team switched from Jest to Vitest because it is faster",
        );
        check("Tests run with Jest", "Tests run with Vitest");
        check("Use npm", "Use pnpm");
        check("Use npm", "Use pnpm, not npm");
        check("We use npm", "We use pnpm instead of npm");
        check("The package manager is npm", "The package manager is pnpm");
        check(
            "The test command is `npm test`",
            "The test command is `pnpm test`",
        );
        check(
            "Run the tests with `npm test`",
            "Run the tests with `pnpm test` now",
        );
        check(
            "The default branch is `main`",
            "The default branch is `develop`",
        );
        check(
            "Uploads are limited to 10 MB",
            "Uploads are limited to 25 MB",
        );
        check(
            "The client gives up after 3 attempts",
            "The client gives up after 5 attempts",
        );
        check("MAX_RETRIES is 3", "MAX_RETRIES is 5");
        check("The timeout is 30s", "The timeout is 60s");
        check("A timeout of 30 seconds", "A timeout of 60 seconds");
        check(
            "The job runs every 5 minutes",
            "The job runs every 10 minutes",
        );
        check("At most 10 workers run", "At most 20 workers run");
        check("The runtime is Node 18", "The runtime is Node 20");
        check("Tabs are allowed", "Tabs are not allowed");
        check("The API supports XML", "The API does not support XML");
        check("Always squash commits", "Never squash commits");
        check("Force pushes are forbidden", "Force pushes are allowed");
        check("The cache is enabled", "The cache is disabled");
        check("Indent with tabs", "Indent with spaces");
        check("Responses are JSON", "Responses are XML");
        check(
            "Sessions are kept in Redis",
            "Sessions are now kept in PostgreSQL",
        );
        check(
            "The queue uses `BullMQ`",
            "The queue no longer uses `BullMQ`",
        );
        check("Don't mock the database", "Mock the database");
    }

    #[test]
    fn it_may_be_so_and_somebody_is_asked() {
        let check = |old: &str, new: &str| check(old, new, FactCompatibility::Doubtful);
        check("CI runs on Node 18", "CI runs on Node 20");
        check(
            "The server listens on port 8080",
            "The server listens on port 9090",
        );
        check("We lint with `eslint`", "We lint with `oxlint`");
        check(
            "Migration 12 must run before a deploy",
            "Migration 13 must run before a deploy",
        );
        check(
            "npm is our package manager",
            "npm is our package manager, not for the docs",
        );
        check(
            "The limit is 10 for guests and 20 for members",
            "The limit is 20 for guests and 40 for members",
        );
        check("`parse_v1` is deprecated", "`parse_v2` is deprecated");
        check("The timeout is 30s", "The timeout of uploads is 60s");
        check("Tabs are allowed", "Tabs are not allowed in Markdown");
        check("Requests go to `gateway`", "Requests go to `proxy`");
    }

    #[test]
    fn both_can_be_true() {
        let check = |old: &str, new: &str| check(old, new, FactCompatibility::Compatible);
        check("The upload timeout is 30s", "The download timeout is 60s");
        check("`GET /users` lists users", "`GET /orders` lists orders");
        check("The build is slow", "The build is reproducible");
        check("The minimum is 3", "The maximum is 10");
        check(
            "Tokens expire after 3600 seconds",
            "Tokens are kept in `localStorage`",
        );
        check("The team uses Jest", "The team uses Jest for unit tests");
        check("The team uses Jest", "The team uses Jest and Playwright");
        check(
            "Migrations run before the deploy",
            "Migrations run after the deploy",
        );
        check("The API caches tokens", "The CLI caches tokens");
        check("The parser must not allocate", "The lexer may allocate");
        check("Use pnpm", "Use pnpm, not npm");
        check("`a` calls `b`", "`b` calls `a`");
        check(
            "The release needs two approvals",
            "The release needs a changelog",
        );
        check("Errors carry a code", "Errors carry a hint and a code");
        check("日本語のテスト", "日本語の設計");
        check("", "The port is 80");
        // Of several that a thing does at once, each is true.
        check(
            "`f` reports the error \"no such file\"",
            "`f` reports the error \"not a directory\"",
        );
        check("`f` reports the error \"A\"", "`f` reports the error \"B\"");
        check("`f` raises `ValueError`", "`f` raises `TypeError`");
        check("The API supports XML", "The API supports JSON");
    }
}
