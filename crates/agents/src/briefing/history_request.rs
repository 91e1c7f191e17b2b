//! Whether a question is about what was done before.

use super::phrase::{PhrasePattern, has_any_phrase};

/// Words that ask for history. `we` and `you` are the people at work; a date or a season alone is not enough.
const PHRASES: &[PhrasePattern] = &[
    (&["did "], r"\b(how|why|when|where|what) did (we|you|i)\b"),
    (
        &["have ", "had ", "did "],
        r"\b(have|had|did) (we|you|i) (already|ever|previously|last|before|try|tried|fix|fixed|do|done)\b",
    ),
    (
        &["last ", "previous ", "earlier ", "past "],
        r"\b(last|previous|earlier|past) (time|session|week|month|task|attempt|sprint|conversation)s?\b",
    ),
    (
        &["previously", "back then", "other day", "yesterday"],
        r"\b(previously|back then|the other day|yesterday)\b",
    ),
    (
        &["what was ", "what were "],
        r"\bwhat (was|were) (done|decided|changed|tried|the outcome)\b",
    ),
    (
        &["before", "already", "earlier", " ago"],
        r"\b(we|you) (fixed|solved|decided|tried|agreed|built|changed|discussed) (this|that|it|on|the)\b[^\n]*\b(before|already|earlier|ago)\b",
    ),
    (
        &["history of", "summary of"],
        r"\b(history|summary) of (the|this|our|what)\b",
    ),
    (
        &["pick up where", "left off", "continue "],
        r"\bpick up where\b|\bwhere (we|you|i) left off\b|\bcontinue (from|where) (last|yesterday|before)\b",
    ),
    (
        &["wie haben", "letzte"],
        r"\bwie haben wir\b|\bletzte (woche|sitzung)\b|\bletztes mal\b",
    ),
    (
        &["cómo ", "última", "pasada"],
        r"\bcómo (arreglamos|resolvimos)\b|\bla última vez\b|\bla semana pasada\b",
    ),
    (
        &["comment ", "dernière"],
        r"\bcomment (avons-nous|a-t-on)\b|\bla dernière fois\b|\bla semaine dernière\b",
    ),
    (
        &["上次", "之前", "前回", "以前"],
        r"上次|之前(我们|是怎么)|前回|以前どう",
    ),
];

/// What has its own record of the past: "the commits of last week" are asked of git.
const KEPT_BY_GIT: &[PhrasePattern] = &[(
    &["git", "commit", "branch", "files changed", "changelog"],
    r"\b(git|commits?|branch(es)?|files changed|changelog)\b",
)];

/// Whether a question asks what happened before, so that past tasks answer it too.
pub fn asks_for_history(text: &str) -> bool {
    has_any_phrase(text, PHRASES) && !has_any_phrase(text, KEPT_BY_GIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_asked_for_in_many_words() {
        super::super::phrase::tests::assert_phrases_compile(PHRASES);
        super::super::phrase::tests::assert_phrases_compile(KEPT_BY_GIT);
        let check =
            |text: &str, expected: bool| assert_eq!(asks_for_history(text), expected, "{text:?}");
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
        check("list the files changed since yesterday", false);
        check("short summary of the commits since 2.3.0", false);
    }
}
