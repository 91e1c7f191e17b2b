//! Whether an answer shows what was decided.

use std::collections::HashSet;

use super::{
    data_set::SpokenChat,
    host_repository::CommittedDecision,
    phrases::{
        FEWEST, RUN, count_policy_words, cover_turn, find_literals, find_turn, has_covered_phrase,
        has_phrase, split_words,
    },
};

/// So many characters of a commit's hash are enough.
const SHORT_HASH: usize = 7;
/// So many content words of a policy without literals are enough.
const POLICY_WORDS: usize = 2;
/// So many of a chat's last turns are enough, where the decision has no literals.
const LAST_TURNS: usize = 2;

/// What an answer shows of a decision.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct AnswerScore {
    /// A turn of the user's in the deciding chat, and nothing that it amended before it; or the deciding commit.
    pub(super) is_found: bool,
    /// Words that carry the decision.
    pub(super) has_words: bool,
    /// All of them.
    pub(super) has_all_words: bool,
    /// The deciding commit, by the code that is about to be edited alone.
    pub(super) by_code: bool,
    /// Nothing, by that code.
    pub(super) is_silent: bool,
}

/// A chat that a question is about, with the words that the answer may have of it.
pub(super) struct DecidingChat<'a> {
    /// The chat with the decision that holds.
    pub(super) deciding: &'a SpokenChat,
    /// The one that it amends.
    pub(super) amended: Option<&'a SpokenChat>,
    /// The decision in the words of the data set's makers.
    pub(super) policy: &'a str,
    /// What the user asks: words that stand in it carry no decision.
    pub(super) bug_report: &'a str,
    /// Words that other chats have, too.
    pub(super) shared: &'a HashSet<Vec<String>>,
}

impl DecidingChat<'_> {
    /// What a text shows of it.
    pub(super) fn score_text(&self, text: &str) -> AnswerScore {
        let shown = split_words(text);
        let Some(first) = self.find_chat(&shown, self.deciding) else {
            return AnswerScore::default();
        };
        let older = self.amended.and_then(|it| self.find_chat(&shown, it));
        let turns = self.cover_turns(text, &shown);
        let (n_shown, n_literals) = self.count_literals(&turns);
        let has_words = match n_literals {
            0 => self.has_policy_words(&turns),
            _ => n_shown > 0,
        };
        AnswerScore {
            is_found: older.is_none_or(|it| first < it),
            has_words,
            has_all_words: has_words && n_shown == n_literals,
            ..AnswerScore::default()
        }
    }

    /// The first place at which the user's words of a chat stand.
    fn find_chat(&self, shown: &[String], chat: &SpokenChat) -> Option<usize> {
        let turns = chat.user_turns();
        turns
            .filter_map(|it| find_turn(shown, &split_words(it), self.shared))
            .min()
    }

    /// The user's turns, and what is shown of each.
    fn cover_turns(&self, text: &str, shown: &[String]) -> Vec<CoveredTurn> {
        let cover = |turn: &str| {
            let words = split_words(turn);
            let covered = match words.len() < FEWEST {
                // "Down." says it all, and stands there as it was typed or not at all.
                true => vec![text.contains(turn.trim()); words.len()],
                false => cover_turn(shown, &words, self.shared),
            };
            CoveredTurn { words, covered }
        };
        self.deciding.user_turns().map(cover).collect()
    }

    /// How many of the policy's literals that the user said are shown where the user said them, and how many there are.
    fn count_literals(&self, turns: &[CoveredTurn]) -> (usize, usize) {
        let asked = split_words(self.bug_report);
        let mut literals = find_literals(self.policy);
        literals.retain(|it| {
            let is_said = turns.iter().any(|turn| has_phrase(&turn.words, it));
            is_said && !has_phrase(&asked, it)
        });
        let is_shown = |it: &&Vec<String>| {
            let mut turns = turns.iter();
            turns.any(|turn| has_covered_phrase(&turn.words, &turn.covered, it))
        };
        (literals.iter().filter(is_shown).count(), literals.len())
    }

    fn has_policy_words(&self, turns: &[CoveredTurn]) -> bool {
        let says_policy = |it: &CoveredTurn| {
            count_policy_words(self.policy, self.bug_report, &it.words, &it.covered) >= POLICY_WORDS
        };
        let mut last = turns.iter().rev().take(LAST_TURNS);
        turns.iter().any(says_policy) || last.all(|it| it.covered.contains(&true))
    }
}

/// A turn of the user's, and which of its words are shown.
struct CoveredTurn {
    words: Vec<String>,
    covered: Vec<bool>,
}

/// What the answers at the prompt and before the edit show of a commit: its hash, or a part of its reason.
pub(super) fn score_commit(texts: &[&str], decision: &CommittedDecision) -> AnswerScore {
    let reason = split_words(&decision.reason);
    let is_shown = |text: &&str| {
        list_hashes(text).any(|it| decision.hash.starts_with(it))
            || find_turn(&split_words(text), &reason, &HashSet::new()).is_some()
    };
    AnswerScore {
        is_found: texts.iter().any(is_shown),
        ..AnswerScore::default()
    }
}

/// Words of a text that look like a commit's hash.
fn list_hashes(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_hash = |it: &&str| {
        it.len() >= SHORT_HASH && it.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
    };
    words.filter(is_hash)
}

/// Everything that was said or committed, to see whether an answer has anything of it.
#[derive(Default)]
pub(super) struct PastWords {
    runs: HashSet<Vec<String>>,
    hashes: HashSet<String>,
}

impl PastWords {
    /// Adds what was said, or the message of a commit.
    pub(super) fn add_text(&mut self, text: &str) {
        let words = split_words(text);
        self.runs.extend(words.windows(RUN).map(<[String]>::to_vec));
    }

    /// Adds the name of a commit.
    pub(super) fn add_hash(&mut self, hash: &str) {
        self.hashes
            .extend(hash.get(..SHORT_HASH).map(str::to_owned));
    }

    /// Whether a text has words of it, or names a commit.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let has_hash = list_hashes(text).any(|it| self.hashes.contains(&it[..SHORT_HASH]));
        has_hash
            || split_words(text)
                .windows(RUN)
                .any(|it| self.runs.contains(it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAP: &str =
        "Networking swapped the gateway and it kills idle connections at 32 seconds. Cap it at 30.";
    const LIST: &str =
        "First: the upstream's edge times out slow requests, so we see 408s that we fail fast.";
    const OLDER: &str =
        "Four attempts in total, and cap the exponential backoff at 60 seconds please.";

    fn chat(turns: &[(&str, &str)]) -> SpokenChat {
        SpokenChat::about_nothing("a", turns)
    }

    fn score(policy: &str, text: &str) -> AnswerScore {
        let deciding = chat(&[
            ("user", LIST),
            (
                "assistant",
                "So 408 joins the retryable set: any 5xx, plus exactly 429 and 408.",
            ),
            ("user", CAP),
        ]);
        let amended = chat(&[("user", OLDER)]);
        let asked = DecidingChat {
            deciding: &deciding,
            amended: Some(&amended),
            policy,
            bug_report: "The client retries what was refused 429 times. Fix the connections.",
            shared: &HashSet::new(),
        };
        asked.score_text(text)
    }

    #[test]
    fn later_chat_must_not_come_after_the_older() {
        let found = |text: String| score("cap 30s; {429,408}", &text).is_found;
        assert!(found(format!("You, 12 Sep: “{CAP}”")));
        assert!(found(format!("You: “{CAP}”\nbefore: “{OLDER}”")));
        assert!(!found(format!("You: “{OLDER}”\nlater: “{CAP}”")));
        assert!(!found(format!("You: “{OLDER}”")));
        assert!(!found(String::new()));
    }

    #[test]
    fn agent_turn_is_not_the_users_word() {
        let text = "So 408 joins the retryable set: any 5xx, plus exactly 429 and 408.";
        assert_eq!(score("{429,408}", text), AnswerScore::default());
    }

    #[test]
    fn deciding_words_are_literals_that_the_user_said() {
        let policy = "retry {429,408}; backoff cap 30s";
        let check = |text: &str, words, all| {
            let found = score(policy, text);
            assert!(found.is_found, "{text}");
            assert_eq!(
                (found.has_words, found.has_all_words),
                (words, all),
                "{text}"
            );
        };
        check(&format!("{LIST} … {CAP}"), true, true);
        check(CAP, true, false);
        // The bug report has the 429, too.
        check(&format!("{LIST} … Cap it at …"), true, false);
        // The turn is cut before its decision, and the 30 stands elsewhere.
        check(
            "30 passages: “Networking swapped the gateway and it kills idle …”",
            false,
            false,
        );
    }

    #[test]
    fn policy_without_literals_is_known_by_its_words() {
        let check = |policy: &str, text: &str, expected| {
            assert_eq!(score(policy, text).has_words, expected, "{policy}: {text}");
        };
        check("idle connections are killed", CAP, true);
        check("limited connections are killed", CAP, false);
        check("percent before amount", LIST, false);
        check("percent before amount", &format!("{LIST}\n{CAP}"), true);
    }

    #[test]
    fn turn_of_one_word_counts_as_it_was_typed() {
        let chat = chat(&[
            (
                "user",
                "The ledger is a cent off on every half-cent charge we make.",
            ),
            ("user", "Down."),
        ]);
        let asked = DecidingChat {
            deciding: &chat,
            amended: None,
            policy: "round half-cents DOWN",
            bug_report: "Totals are off.",
            shared: &HashSet::new(),
        };
        let opening = "“The ledger is a cent off on every half-cent charge we make.”";
        assert!(
            !asked
                .score_text(&format!("{opening} The server was down"))
                .has_words
        );
        assert!(
            asked
                .score_text(&format!("{opening} … “Down.”"))
                .has_all_words
        );
    }

    #[test]
    fn commit_is_shown_by_hash_or_reason() {
        let decision = CommittedDecision {
            hash: "7c556c3fae11".into(),
            reason: "Vendor semantics: a bare memory number means MiB, a bare disk number GB."
                .into(),
            broken: String::new(),
        };
        let check = |texts: &[&str], expected| {
            assert_eq!(
                score_commit(texts, &decision).is_found,
                expected,
                "{texts:?}"
            );
        };
        check(&["", "7c556c3 (12 Sep): fix: units"], true);
        check(&["“… a bare memory number means MiB, a bare disk …”"], true);
        check(&["7c556c4 fix: units", "memory number"], false);
    }

    #[test]
    fn words_of_the_past_are_known() {
        let mut past = PastWords::default();
        past.add_text(CAP);
        past.add_hash("7c556c3fae11");
        assert!(past.is_in("“the gateway and it kills idle connections at …”"));
        assert!(past.is_in("see 7c556c3f"));
        assert!(!past.is_in("Keep what the user corrects with memory_remember."));
    }
}
