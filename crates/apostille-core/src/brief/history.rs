//! Whether a question is about what was done before.

use std::sync::LazyLock;

use regex::RegexSet;

use super::phrases;

/// Words that ask for history. `we` and `you` are the people at work; a date or a season alone is not enough.
const PATTERNS: &[&str] = &[
    r"\b(how|why|when|where|what) did (we|you|i)\b",
    r"\b(have|had|did) (we|you|i) (already|ever|previously|last|before|try|tried|fix|fixed|do|done)\b",
    r"\b(last|previous|earlier|past) (time|session|week|month|task|attempt|sprint|conversation)s?\b",
    r"\b(previously|back then|the other day|yesterday)\b",
    r"\bwhat (was|were) (done|decided|changed|tried|the outcome)\b",
    r"\b(we|you) (fixed|solved|decided|tried|agreed|built|changed|discussed) (this|that|it|on|the)\b[^\n]*\b(before|already|earlier|ago)\b",
    r"\b(history|summary) of (the|this|our|what)\b",
    r"\bpick up where\b|\bwhere (we|you|i) left off\b|\bcontinue (from|where) (last|yesterday|before)\b",
    r"\bwie haben wir\b|\bletzte (woche|sitzung)\b|\bletztes mal\b",
    r"\bcómo (arreglamos|resolvimos)\b|\bla última vez\b|\bla semana pasada\b",
    r"\bcomment (avons-nous|a-t-on)\b|\bla dernière fois\b|\bla semaine dernière\b",
    r"上次|之前(我们|是怎么)|前回|以前どう",
];

/// One of these stands in whatever matches; without one, the patterns need not even be made.
const HINTS: &[&str] = &[
    " did ",
    "have ",
    "had ",
    "did ",
    "last ",
    "previous",
    "earlier",
    "past ",
    "back then",
    "other day",
    "yesterday",
    "what was",
    "what were",
    " before",
    "already",
    " ago",
    "history",
    "summary",
    "left off",
    "pick up",
    "wie haben",
    "letzte",
    "cómo",
    "última",
    "pasada",
    "comment ",
    "dernière",
    "上次",
    "之前",
    "前回",
    "以前",
];

static SET: LazyLock<Option<RegexSet>> = LazyLock::new(|| phrases(PATTERNS));

/// Whether a question asks what happened before, so that past tasks answer it too.
#[must_use]
pub fn asks_for_history(text: &str) -> bool {
    let text: String = text.chars().take(2_000).collect::<String>().to_lowercase();
    HINTS.iter().any(|it| text.contains(it)) && SET.as_ref().is_some_and(|it| it.is_match(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_asked_for_in_many_words() {
        assert!(SET.is_some(), "the patterns are valid");
        let check = |text: &str, expected: bool| assert_eq!(asks_for_history(text), expected, "{text:?}");
        check("How did we fix the login race last week?", true);
        check("have we already tried a mutex here?", true);
        check("What was decided about the cache?", true);
        check("let's continue where we left off", true);
        check("Wie haben wir das damals gelöst?", true);
        check("上次是怎么修的?", true);
        check("fix the login race", false);
        check("how do we deploy?", false);
        check("add a history view to the panel", false);
        check("why does this fail?", false);
    }
}
