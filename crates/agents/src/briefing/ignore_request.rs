//! Whether a person asks to leave memory out of a turn.

use super::phrase::{PhrasePattern, has_any_phrase};

/// What is ignored when somebody says "ignore memory": ours, and not the machine's.
const PHRASES: &[PhrasePattern] = &[
    (
        &["memor"],
        r"\b(ignore|disregard|skip|forget about|bypass)\s+(all\s+|any\s+|the\s+|your\s+|my\s+|our\s+|saved\s+|stored\s+|previous\s+|project\s+|repo\s+|past\s+)*memor(y|ies)(\s+context)?\s*($|[.,;:!?)\n]|and\b|for\b|this\b|here\b|now\b|in this\b|on this\b|when\b|please\b|but\b|just\b)",
    ),
    (
        &["memor"],
        r"\b(do not|don'?t|dont|never mind|without)\s+(use|using|consult|consulting|check|checking|read|reading|rely on|relying on|look at|touch|apply)\s+(any\s+|the\s+|your\s+|my\s+|our\s+|saved\s+|stored\s+|project\s+)*memor(y|ies)\s*($|[.,;:!?)\n]|and\b|for\b|this\b|here\b|now\b|in this\b|on this\b|when\b|please\b|but\b|just\b)",
    ),
    (
        &["memor"],
        r"(^|[.,;:!?(\n]\s*)(please\s+)?(answer\s+|work\s+|do (this|it)\s+)?(without (any |your )?memor(y|ies)|no memor(y|ies))\s*($|[.,;:!?)\n]|for this\b|this time\b|please\b)",
    ),
    (
        &["context", "slate", "memory"],
        r"\b(with|use|start|from|in) (a )?(fresh|clean|blank) (context|slate|memory)\b|^fresh context\b",
    ),
    (
        &["memory"],
        r"\bmemory\s*[:=]\s*(off|none)\b|(^|[.,;:!?(\[]\s*)memory off\b|\[(no|ignore) memory\]",
    ),
    (
        &["memor"],
        r"\bleave (the |your )?memor(y|ies) (out|aside)\b|\b(turn|switch) off (the |your )?memory\b",
    ),
    (
        &[
            "you know",
            "you've",
            "you remember",
            "you learned",
            "you recall",
        ],
        r"\b(ignore|forget|disregard) (everything |all |anything )?(what )?you('ve)? (know|remember|learned|recall)\b",
    ),
    (
        &["recall", "remember", "no memor"],
        r"\b(don'?t|do not) (recall|remember) anything\b|\bpretend (that )?you (have|had) no memor(y|ies)\b",
    ),
    (
        &["notes"],
        r"\b(don'?t|do not) (use|consult|look at|read|check) (the |your |any )?(saved |stored |own )?notes\b",
    ),
    (
        &["notes"],
        r"\b(ignore|disregard|skip|forget about|bypass)\s+(all\s+(of\s+)?)?(your|the saved|the stored|saved|stored)\s+(own\s+|saved\s+|stored\s+|earlier\s+|previous\s+|past\s+)*notes\s*($|[.,;:!?)\n]|and\b|for\b|this\b|here\b|now\b|in this\b|on this\b|when\b|please\b|but\b|just\b)",
    ),
    (
        &["gedächtnis", "erinnerung", "memory"],
        r"\b(ignoriere|vergiss) (das |dein |deine |die )?(gedächtnis|erinnerungen|memory)\b|\bohne (gedächtnis|erinnerungen)\b",
    ),
    (
        &["memoria", "mémoire"],
        r"\bignora (la |tu |tus )?memorias?\b|\bignore (la |ta |tes )?mémoires?\b|\bsans (utiliser )?(la |ta )?mémoire\b",
    ),
    (
        &["记忆", "メモリ"],
        r"(忽略|不要(使用|用)|别用)(你的)?记忆|メモリ(を|は)(無視|使わ)",
    ),
];

/// Whether a person asks to leave memory out of this turn.
pub fn asks_to_ignore_memory(text: &str) -> bool {
    has_any_phrase(text, PHRASES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_ignored_when_somebody_says_so_and_only_then() {
        super::super::phrase::tests::assert_phrases_compile(PHRASES);
        let check = |text: &str, expected: bool| {
            assert_eq!(asks_to_ignore_memory(text), expected, "{text:?}")
        };
        check("ignore memory", true);
        check("Ignore memory and answer from the code alone", true);
        check("Please ignore your memories for this one.", true);
        check("fix the bug, but don't use memory", true);
        check("Don’t consult your memories here", true);
        check("fresh context: what does main do?", true);
        check("start with a clean slate", true);
        check("Without memory, please: what is the port?", true);
        check("disregard all stored memories", true);
        check("ignoriere die Erinnerungen", true);
        check("忽略记忆", true);
        check("leave memory out of it.", true);
        check("don't look at your notes.", true);
        check("ignore your notes for this", true);
        check("Ignore your saved notes and read the code", true);
        check("disregard all of your notes, please", true);
        check("forget what you know about this.", true);
        check("pretend you have no memory.", true);
        check("memory off. what is the port?", true);
        check("[no memory] what is the port?", true);
        check("this time, ignore what you remember.", true);
        check("don't recall anything.", true);
        check("turn the memory off in the emulator", false);
        check("don't read the release notes", false);
        check("ignore the release notes", false);
        check("ignore notes in the changelog", false);
        check("ignore your notes parser and use mine", false);
        check("ignore memory leaks in the tests", false);
        check("ignore memory warnings from valgrind", false);
        check("don't use memory mapping here", false);
        check("don't use memory_store for this", false);
        check("why does this run without memory limits?", false);
        check("use less memory", false);
        check("the cache must not ignore memory pressure", false);
        check("remember that we ignore vendor files", false);
    }
}
