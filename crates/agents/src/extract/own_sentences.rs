//! The sentences that a person wrote themself: without code, quotations, logs and what was pasted.

use super::pattern::pattern;

/// A sentence of the person's own.
pub(super) struct Sentence {
    /// As it was written, without the mark at its end.
    pub(super) text: String,
    /// In lower case, with what stands in quotes blotted out; as long as the text, so that places are the same in both.
    pub(super) lower: String,
    /// Whether it is a question.
    pub(super) is_question: bool,
    /// Whether it stands in a list that is to be remembered.
    pub(super) is_listed: bool,
}

/// Lines of a prompt that are looked at; people do not write more of their own in one go.
const MOST_LINES: usize = 30;
/// A longer prompt is a document, whoever wrote it.
const MOST_CHARS: usize = 4_000;

pattern!(
    HEADER,
    r"^(#{1,6} |={3,}|-{3,}|\*{3}|(from|to|subject|date|cc|sent|title|summary|description|environment|steps to reproduce|expected|actual|acceptance criteria)\b[^.!?]{0,20}:)"
);
pattern!(
    LOG,
    r"^\[?\d{4}-\d\d-\d\d[ t]|^\[?\d\d:\d\d(:\d\d)?\b|^(at |\[?(error|warn|warning|info|debug|trace|fatal)\b[\]:]|traceback|diff --git|@@ |\+\+\+ |\$ |//|/\*|caused by:)|[{};]$|=> ?\{|^\s*[|+]"
);
pattern!(
    PASTED,
    r"\b(this|these|the following|following|below|attached|pasted) (ticket|issue|spec|specs|errors?|logs?|story|e?mail|messages?|text|docs?|document|bug report|report|review|comments?|feedback|requirements?|diff|output|trace|stack ?trace|thread|conversation|notes|readme|article|description)\b"
);
pattern!(
    KEEP_LIST,
    r"^(please |also |and |ok,? |so )*(remember|keep in mind|note|for future reference|from now on|going forward|memori[sz]e|save)\b[^:.]{0,60}:$"
);

/// The sentences of a prompt that are the person's own.
pub(super) fn split_own_sentences(prompt: &str) -> Vec<Sentence> {
    if prompt.chars().count() > MOST_CHARS {
        return Vec::new();
    }
    let prompt = prompt.replace('’', "'");
    let mut sentences = Vec::new();
    for (line, is_listed) in collect_own_lines(&prompt) {
        split_line_sentences(line, is_listed, &mut sentences);
    }
    join_split_statements(sentences)
}

/// What a person wrote in a prompt, and what they pasted into it: code, quotations, logs, and what stands below such a thing.
pub(crate) fn split_pasted_text(prompt: &str) -> (String, String) {
    let own: Vec<&str> = collect_own_lines(prompt).iter().map(|it| it.0).collect();
    let is_own = |it: &&str| {
        own.contains(&strip_list_marker(it)) || KEEP_LIST.is_in(&it.to_ascii_lowercase())
    };
    let is_fence = |it: &str| it.starts_with("```") || it.starts_with("~~~");
    let lines = prompt.lines().map(str::trim);
    let lines = lines.filter(|it| !it.is_empty() && !is_fence(it));
    let (own, pasted): (Vec<&str>, Vec<&str>) = lines.partition(is_own);
    (own.join(" "), pasted.join(" "))
}

pattern!(
    ROLE,
    r"^(?:\*\*)?(user|human|assistant|agent|system|ai|model|developer|claude|chatgpt|copilot|gemini|codex)(?:\*\*)?\s*:"
);

pattern!(
    REPORTED,
    r"\b(says?|said|reads?|states?|writes?|wrote|recommends?|suggests?|tells? (us|me|you)|claims?|answered|replied|posted)\b[^.!?]{0,30}:$"
);
pattern!(OWN_REPORT, r"\b(i|we) (say|said|wrote|recommend|suggest)\b");

/// What a person wrote in a prompt, line by line, and what is another's: code, quotations, logs, what is announced as pasted,
/// and the record of a conversation. Unlike what statements are read from, an own list and a long prompt are own words.
pub(crate) fn split_foreign_text(prompt: &str) -> (String, String) {
    let (mut own, mut foreign) = (Vec::new(), Vec::new());
    let (mut is_fenced, mut is_announced) = (false, false);
    for line in prompt.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let lower = line.to_ascii_lowercase();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        is_announced |= ROLE.is_in(&lower);
        match is_fenced || is_announced || line.starts_with('>') || LOG.is_in(&lower) {
            true => foreign.push(line),
            false => own.push(line),
        }
        let is_reported = REPORTED.is_in(&lower) && !OWN_REPORT.is_in(&lower);
        is_announced |= is_reported || PASTED.is_in(&lower) && line.ends_with(':');
    }
    (own.join("\n"), foreign.join("\n"))
}

/// The lines before anything that looks pasted, and whether each is one of a list to be remembered.
fn collect_own_lines(prompt: &str) -> Vec<(&str, bool)> {
    let mut lines = Vec::new();
    let (mut is_fenced, mut is_listed) = (false, false);
    let all = prompt.lines().map(str::trim).filter(|it| !it.is_empty());
    let mut all = all.take(MOST_LINES).peekable();
    while let Some(line) = all.next() {
        let lower = line.to_ascii_lowercase();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        if is_fenced || line.starts_with('>') || LOG.is_in(&lower) {
            continue;
        }
        if HEADER.is_in(&lower) {
            break;
        }
        if KEEP_LIST.is_in(&lower) {
            is_listed = true;
            continue;
        }
        lines.push((strip_list_marker(line), is_listed));
        // What a colon or "this issue" announces is somebody else's.
        if all.peek().is_some() && !is_listed && (lower.ends_with(':') || PASTED.is_in(&lower)) {
            break;
        }
    }
    lines
}

/// A line without the mark that makes it an item of a list.
fn strip_list_marker(line: &str) -> &str {
    let bulleted = line
        .strip_prefix(['-', '*', '•'])
        .filter(|it| it.starts_with(' '));
    let digits = line.trim_start_matches(|it: char| it.is_ascii_digit());
    let numbered = digits
        .strip_prefix([')', '.'])
        .filter(|it| digits.len() < line.len() && it.starts_with(' '));
    bulleted.or(numbered).unwrap_or(line).trim()
}

/// The quotes in which marks end no sentence, and words are not the person's.
const QUOTES: &[(char, char)] = &[
    ('`', '`'),
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
];

fn split_line_sentences(line: &str, is_listed: bool, into: &mut Vec<Sentence>) {
    let mut start = 0;
    let mut rest = line.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if let Some(end) = find_quotation_end(line, at, c) {
            while rest.next_if(|(it, _)| *it < end).is_some() {}
            continue;
        }
        let is_wide = matches!(c, '。' | '！' | '？');
        let ends = rest.peek().is_none_or(|(_, next)| next.is_whitespace());
        if is_wide || (matches!(c, '.' | '!' | '?') && ends && !is_abbreviation(&line[..at])) {
            let end = at + c.len_utf8();
            push_sentence(&line[start..end], is_listed, into);
            start = end;
        }
    }
    push_sentence(&line[start..], is_listed, into);
}

/// Where a quotation ends that begins here.
fn find_quotation_end(line: &str, at: usize, open: char) -> Option<usize> {
    let (_, close) = QUOTES.iter().find(|it| it.0 == open)?;
    let start = at + open.len_utf8();
    line[start..]
        .find(*close)
        .map(|len| start + len + close.len_utf8())
}

fn is_abbreviation(before: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    ["e.g", "i.e", "etc", " vs", "resp", " cf", "approx"]
        .iter()
        .any(|it| lower.ends_with(it))
}

fn push_sentence(piece: &str, is_listed: bool, into: &mut Vec<Sentence>) {
    let whole = piece.trim();
    let text = whole.trim_end_matches(['.', '!', '?', '。', '！', '？', ' ']);
    if !text.is_empty() {
        let is_question = whole[text.len()..].contains(['?', '？']);
        let text = write_apostrophes(text);
        into.push(Sentence {
            lower: mask_quotations(&text),
            text,
            is_question,
            is_listed,
        });
    }
}

/// Words that are typed without their apostrophe, before and behind it.
const CLIPPED: [(&str, &str); 10] = [
    ("don", "t"),
    ("can", "t"),
    ("won", "t"),
    ("doesn", "t"),
    ("isn", "t"),
    ("didn", "t"),
    ("shouldn", "t"),
    ("i", "m"),
    ("that", "s"),
    ("i", "ve"),
];

fn write_apostrophes(text: &str) -> String {
    let words = text.split(' ').map(|it| {
        let is_clipped = |(a, b): &&(&str, &str)| {
            it.len() == a.len() + b.len()
                && it.is_ascii()
                && it[..a.len()].eq_ignore_ascii_case(a)
                && it[a.len()..] == **b
        };
        match CLIPPED.iter().find(is_clipped) {
            Some((a, b)) => format!("{}'{b}", &it[..a.len()]),
            None => it.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Lower case, quotations blotted out, every byte where it was.
pub(super) fn mask_quotations(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = find_quotation_end(text, at, c).unwrap_or(at + c.len_utf8());
        if end > at + c.len_utf8() {
            out.push_str(&"\u{1}".repeat(end - at));
        } else {
            out.push(c.to_ascii_lowercase());
        }
        at = end;
    }
    out
}

pattern!(
    BARE_NO,
    r"^(no|nope|nah|wrong|incorrect|not (quite|right|correct)|that's (wrong|incorrect|not (right|correct|true)))$"
);

pattern!(EVER, r"^(?:ever|always|every time)$");

/// "No. Our default branch is develop" is one statement.
fn join_split_statements(sentences: Vec<Sentence>) -> Vec<Sentence> {
    let mut out: Vec<Sentence> = Vec::new();
    for sentence in sentences {
        match out.last_mut() {
            Some(last) if BARE_NO.is_in(&last.lower) && !last.is_question => {
                *last = Sentence {
                    text: format!("{}, {}", last.text, sentence.text),
                    lower: format!("{}, {}", last.lower, sentence.lower),
                    ..sentence
                };
            }
            // "Don't do it. Ever."
            Some(last)
                if EVER.is_in(&sentence.lower) && !last.is_question && !sentence.is_question =>
            {
                last.text = format!("{}, {}", last.text, sentence.lower);
                last.lower = format!("{}, {}", last.lower, sentence.lower);
            }
            _ => out.push(sentence),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_sentences_are_left() {
        let check = |prompt: &str, expected: &[&str]| {
            let texts: Vec<String> = split_own_sentences(prompt)
                .into_iter()
                .map(|it| it.text)
                .collect();
            assert_eq!(texts, expected, "{prompt:?}");
        };
        check("One. Two! Three?", &["One", "Two", "Three"]);
        check(
            "No. Use v1.2 of it, e.g. in CI.",
            &["No, Use v1.2 of it, e.g. in CI"],
        );
        check(
            "Don't push. Ever! Why? Always.",
            &["Don't push, ever", "Why", "Always"],
        );
        check("a\n```\nb\n```\nc", &["a", "c"]);
        check("a\n> b\nc", &["a", "c"]);
        check("Fix this issue\nUsers always wait.", &["Fix this issue"]);
        check("It says:\nalways", &["It says:"]);
        check("Title: x\nalways", &[]);
        check("- a\n2. b", &["a", "b"]);
        check(
            "He said \"Stop. Now.\" and left",
            &["He said \"Stop. Now.\" and left"],
        );
        check("记住。好", &["记住", "好"]);
    }

    #[test]
    fn blotting_moves_nothing() {
        let check = |text: &str| assert_eq!(mask_quotations(text).len(), text.len(), "{text:?}");
        check("Say “always” and `x`, then ÄÖ");
        assert_eq!(mask_quotations("A \"b\" c"), "a \u{1}\u{1}\u{1} c");
    }
}
