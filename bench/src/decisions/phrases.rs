//! Words of a chat in a text that was shown, which may be cut, wrapped, quoted, and mixed with words of others.

use std::collections::{BTreeSet, HashSet};

use apostille_text::terms::extract_term_sequence;

/// So many words in a row are taken from a turn, and do not stand in another text by chance.
pub(super) const RUN: usize = 8;
/// So many words in a row, when it is known already that the turn is shown: it may be cut in the middle.
const SHORT_RUN: usize = 4;
/// A turn of fewer words, such as "Down.", may stand anywhere.
pub(super) const FEWEST: usize = 3;
/// Words that are written in capitals to be heard, and say nothing by themselves.
const EMPHASIS: &str =
    " only except kept not always never exactly and in up one before after original inside also ";

/// The words of a text in lower case. Numbers stand apart from letters: `30s` and `30 seconds` both have a 30.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in text.chars().filter(|it| !matches!(it, '\'' | '’')) {
        let is_word = c.is_alphanumeric() || c == '_';
        let is_new =
            !(before.is_alphanumeric() || before == '_') || before.is_numeric() != c.is_numeric();
        if is_word && is_new {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| is_word) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

/// The first place in a text at which words of a turn stand: [`RUN`] in a row that no other chat has, or the whole turn when it is
/// shorter.
pub(super) fn find_turn(
    shown: &[String],
    turn: &[String],
    shared: &HashSet<Vec<String>>,
) -> Option<usize> {
    let len = turn.len().min(RUN);
    if len < FEWEST {
        return None;
    }
    let runs: HashSet<&[String]> = turn
        .windows(len)
        .filter(|it| !shared.contains(*it))
        .collect();
    shown.windows(len).position(|it| runs.contains(it))
}

/// The words of a turn that stand in a text, each with its place in the turn: where the turn is shown, those in a row of
/// [`SHORT_RUN`].
pub(super) fn cover_turn(
    shown: &[String],
    turn: &[String],
    shared: &HashSet<Vec<String>>,
) -> Vec<bool> {
    let mut covered = vec![false; turn.len()];
    if find_turn(shown, turn, shared).is_none() {
        return covered;
    }
    let len = turn.len().min(SHORT_RUN);
    let runs: HashSet<&[String]> = shown.windows(len).collect();
    for (at, run) in turn.windows(len).enumerate() {
        if runs.contains(run) {
            covered[at..at + len].fill(true);
        }
    }
    covered
}

/// Whether words stand in a row in a turn.
pub(super) fn has_phrase(turn: &[String], phrase: &[String]) -> bool {
    turn.windows(phrase.len()).any(|it| it == phrase)
}

/// The same where all of them are shown.
pub(super) fn has_covered_phrase(turn: &[String], covered: &[bool], phrase: &[String]) -> bool {
    let mut runs = turn
        .windows(phrase.len())
        .zip(covered.windows(phrase.len()));
    runs.any(|(run, shown)| run == phrase && !shown.contains(&false))
}

/// The rows of words that more than one chat has: they say nothing about which is shown.
pub(super) fn find_shared_runs<'c>(
    chats: impl Iterator<Item = Vec<&'c str>>,
) -> HashSet<Vec<String>> {
    let mut seen = HashSet::new();
    let mut shared = HashSet::new();
    for chat in chats {
        let turns: Vec<Vec<String>> = chat.into_iter().map(split_words).collect();
        let runs: HashSet<&[String]> = turns.iter().flat_map(|it| it.windows(RUN)).collect();
        for run in runs {
            if !seen.insert(run.to_vec()) {
                shared.insert(run.to_vec());
            }
        }
    }
    shared
}

/// What a policy says to the letter, each as words in a row: numbers, what is quoted, the members of a set, names in capitals
/// and with underscores.
pub(super) fn find_literals(policy: &str) -> BTreeSet<Vec<String>> {
    let mut literals = find_enclosed(policy);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for name in policy.split(|c| !is_name(c)) {
        let is_capital = name.chars().any(char::is_uppercase)
            && !name.chars().any(char::is_lowercase)
            && name.chars().filter(|it| it.is_alphabetic()).count() > 1;
        if is_capital || name.trim_matches('_').contains('_') {
            literals.insert(split_words(name));
        }
    }
    let is_number = |c: char| c.is_ascii_digit() || c == ',' || c == '.';
    literals.extend(policy.split(|c| !is_number(c)).map(split_words));
    let is_emphasis = |it: &[String]| EMPHASIS.contains(&format!(" {} ", it.join(" ")));
    literals.retain(|it| !it.is_empty());
    literals.retain(|it| !is_emphasis(it));
    literals
}

/// What stands between single quotes, and the members of what stands between braces.
fn find_enclosed(policy: &str) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for part in policy.split('{').skip(1) {
        let members = part.split_once('}').map_or("", |it| it.0);
        found.extend(members.split(',').map(split_words));
    }
    let mut rest = policy;
    while let Some(at) = rest.find('\'') {
        // Between letters it is an apostrophe.
        let is_open = !rest[..at].ends_with(char::is_alphanumeric);
        rest = &rest[at + 1..];
        if let Some((quoted, behind)) = rest.split_once('\'').filter(|_| is_open) {
            found.insert(split_words(quoted));
            rest = behind;
        }
    }
    found
}

/// How many different content words of the policy that the bug report has not are among the words of a turn that are shown.
pub(super) fn count_policy_words(
    policy: &str,
    bug_report: &str,
    turn: &[String],
    covered: &[bool],
) -> usize {
    let list_terms =
        |text: &str| -> HashSet<String> { extract_term_sequence(text).into_iter().collect() };
    let asked = list_terms(bug_report);
    let shown = turn.iter().zip(covered).filter(|(_, it)| **it);
    let shown: Vec<&str> = shown.map(|(word, _)| word.as_str()).collect();
    let found = list_terms(&shown.join(" "));
    let wanted = list_terms(policy);
    let carrying = wanted
        .intersection(&found)
        .filter(|it| !asked.contains(*it));
    carrying.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_numbers_and_signs() {
        let check = |text: &str, expected: &str| assert_eq!(split_words(text).join(" "), expected);
        check("Cap it at 30s – don’t wait.", "cap it at 30 s dont wait");
        check("{pending, on_hold} 5xx", "pending on_hold 5 xx");
        check("“…”", "");
    }

    #[test]
    fn turn_is_found_where_it_is_cut_or_wrapped() {
        let turn = "Networking swapped the gateway LB and it kills idle connections at 32 seconds.";
        let check = |shown: &str, expected: Option<usize>| {
            let found = find_turn(&split_words(shown), &split_words(turn), &HashSet::new());
            assert_eq!(found, expected, "{shown}");
        };
        check(
            "You, 12 Sep: “… the gateway LB and\n  it kills idle connections at …”",
            Some(3),
        );
        check("the gateway LB kills idle connections at 32 seconds", None);
        check("", None);
    }

    #[test]
    fn short_turn_must_stand_whole() {
        let check = |turn: &str, shown: &str, expected| {
            let found = find_turn(&split_words(shown), &split_words(turn), &HashSet::new());
            assert_eq!(found.is_some(), expected, "{turn} in {shown}");
        };
        check(
            "Seven. Eight trips it.",
            "You: “Seven. Eight trips it.”",
            true,
        );
        check("Seven. Eight trips it.", "Seven. Nine trips it.", false);
        check("Down.", "round it down", false);
    }

    #[test]
    fn words_that_two_chats_share_show_neither() {
        let flaky = "CI has been flaky all week, infra says timeouts, not code.";
        let chats = [vec![flaky, "No wildcard covers two labels."], vec![flaky]];
        let shared = find_shared_runs(chats.into_iter());
        let words = split_words(flaky);
        assert_eq!(find_turn(&words, &words, &shared), None);
        assert_eq!(find_turn(&words, &words, &HashSet::new()), Some(0));
    }

    #[test]
    fn literals_of_a_policy_are_found() {
        let check = |policy: &str, expected: &[&str]| {
            let found: Vec<String> = find_literals(policy)
                .iter()
                .map(|it| it.join(" "))
                .collect();
            assert_eq!(found, expected, "{policy}");
        };
        check("exactly 7 (measured to the rate-limit window)", &["7"]);
        check("truthy set is exactly {'true','on'}", &["on", "true"]);
        check(
            "cancelled ONLY from {pending,on_hold}; backoff cap 30s; round DOWN",
            &["30", "down", "on_hold", "pending"],
        );
        check("percent discounts apply before fixed-amount", &[]);
        check(
            "'-name' tombstones don't leave, 10,000 per user",
            &["10 000", "name"],
        );
    }

    #[test]
    fn only_what_is_shown_of_a_turn_counts() {
        let turn =
            split_words("First the percent, always. Cap the whole backoff at 30 seconds, please.");
        let cover = |shown: &str| cover_turn(&split_words(shown), &turn, &HashSet::new());
        let covered = cover("“First the percent, always. Cap the whole backoff at …”");
        let thirty = [String::from("30")];
        assert!(has_phrase(&turn, &thirty));
        assert!(!has_covered_phrase(&turn, &covered, &thirty));
        let policy = "percent discounts first; backoff capped";
        let count = |report: &str| count_policy_words(policy, report, &turn, &covered);
        assert_eq!((count("It fails."), count("The backoff fails.")), (4, 3));
        // Words that an agent might have repeated.
        assert!(!cover("cap the whole backoff").contains(&true));
    }
}
