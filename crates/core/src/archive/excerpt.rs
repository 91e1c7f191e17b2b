//! What is shown of a conversation: the sentences that decide, in the person's words, within a budget.
//!
//! A sentence decides when it forbids, bounds or settles something, names a value, or speaks of what is asked. What the talk was
//! opened with is the trouble, not the decision; talk of logs, roll-outs and flaky tests goes along with every decision and is
//! seldom one. A short answer ("Right, leave it at 7.") is shown with what it answers.

use std::collections::BTreeSet;

use apostille_text::{shorten::shorten_text, terms::extract_terms, word_lists::is_in_word_list};

use super::{ArchiveKind, ArchivePassage, ArchiveRecord, PassageSpeaker};

/// Words of sentences that settle something.
const SETTLING: &str = "no not never only exactly always must except instead keep leave stay stays drop rather agree agreed \
    agreement decided decide rule whole wins don't won't isn't aren't can't cannot cap limit policy unless every settled final right";
/// The same in several words.
const SETTLING_PHRASES: &[&str] = &[
    "off the table",
    "has to",
    "have to",
    "at most",
    "at least",
    "from now on",
    "no longer",
];
/// First words of an answer that settles what was proposed.
const ANSWERS: &str = "no right yes exactly correct agreed";
/// Words of what goes along with any decision.
const ASIDES: &str = "log logs logging logged debug flaky ci rollout stage staged staging flag flags dashboard dashboards unrelated \
    canary ticket tickets changelog rerun metric metrics counter deploy deployed runbook docs doc";

/// The worth that a sentence needs to be shown.
const NEEDED: f32 = 1.0;
/// How many settling words count.
const MAX_SETTLING: usize = 3;
/// How many values count.
const MAX_VALUES: usize = 2;
/// How much a word of the question counts, and how many do.
const ASKED_WORD: f32 = 0.6;
const MAX_ASKED: usize = 4;
/// How much each word of an aside takes away, and how many do.
const ASIDE: f32 = 2.0;
const MAX_ASIDES: usize = 2;
/// How much a question lacks.
const QUESTION: f32 = 2.0;
/// How much the opening lacks.
const OPENING: f32 = 1.0;
/// How much a turn counts that is one short answer.
const ANSWER: f32 = 1.0;
/// How much a sentence of fewer words than this lacks.
const FEW_WORDS: usize = 4;
const TERSE: f32 = 0.5;
/// An answer of at most so many words is shown with what it answers.
const SHORT_ANSWER: usize = 9;
/// The longest sentence of a conversation, of a commit, whose reason is often one sentence, and of what is answered, in characters.
const MAX_SENTENCE: usize = 260;
const MAX_REASON: usize = 480;
const MAX_ANSWERED: usize = 140;
/// What stands between two quotes, in characters.
const GAP: usize = 4;

/// A sentence of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveQuote {
    /// The passage.
    pub passage: u32,
    /// Whose words.
    pub speaker: PassageSpeaker,
    /// The words.
    pub text: String,
    /// What they answer, where they are not understood without.
    pub answered: Option<String>,
}

struct WeighedSentence<'a> {
    worth: f32,
    passage: &'a ArchivePassage,
    at: usize,
    text: &'a str,
}

/// The sentences that decide, in their order, within so many characters. Of a conversation only the person's own.
pub fn choose_quotes(record: &ArchiveRecord, question: &str, chars: usize) -> Vec<ArchiveQuote> {
    let asked: BTreeSet<String> = extract_terms(question).into_iter().map(|it| it.0).collect();
    let mut sentences: Vec<WeighedSentence<'_>> = Vec::new();
    let own = record.passages.iter();
    let own = own.filter(|it| it.speaker != PassageSpeaker::Agent);
    for (place, passage) in own.enumerate() {
        for (at, text) in split_passage(&passage.text).into_iter().enumerate() {
            let opening = if place == 0 { OPENING } else { 0.0 };
            let answer = if is_short(&passage.text) && place > 0 {
                ANSWER
            } else {
                0.0
            };
            let worth = weigh_sentence(text, &asked) + answer - opening;
            sentences.push(WeighedSentence {
                worth,
                passage,
                at,
                text,
            });
        }
    }
    sentences.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    let longest = longest_sentence(record);
    let mut left = chars;
    sentences.retain(|it| {
        let needed = it.text.chars().count().min(longest) + GAP;
        let fits = it.worth >= NEEDED && needed <= left;
        left -= if fits { needed } else { 0 };
        fits
    });
    sentences.sort_by_key(|it| (it.passage.number, it.at));
    let quotes = sentences
        .iter()
        .map(|it| quote_sentence(record, it, &mut left));
    quotes.collect()
}

fn longest_sentence(record: &ArchiveRecord) -> usize {
    match record.kind {
        ArchiveKind::Conversation => MAX_SENTENCE,
        ArchiveKind::Commit => MAX_REASON,
    }
}

fn quote_sentence(
    record: &ArchiveRecord,
    it: &WeighedSentence<'_>,
    left: &mut usize,
) -> ArchiveQuote {
    let answered = find_answered(record, it.passage);
    let answered = answered.filter(|_| it.at == 0 && is_short(it.text));
    let answered = answered.map(|it| shorten_text(it, MAX_ANSWERED));
    let answered = answered.filter(|it| it.chars().count() + GAP <= *left);
    *left -= answered.as_ref().map_or(0, |it| it.chars().count() + GAP);
    ArchiveQuote {
        passage: it.passage.number,
        speaker: it.passage.speaker,
        text: shorten_text(it.text, longest_sentence(record)),
        answered,
    }
}

/// What the agent said right before: the sentence that settles or names most.
fn find_answered<'a>(record: &'a ArchiveRecord, passage: &ArchivePassage) -> Option<&'a str> {
    let before = record.passages.iter().rev();
    let mut before = before.skip_while(|it| it.number >= passage.number);
    let said = before
        .next()
        .filter(|it| it.speaker == PassageSpeaker::Agent)?;
    let sentences = split_sentences(&said.text).into_iter();
    let nothing = BTreeSet::new();
    sentences.max_by(|a, b| weigh_answered(a, &nothing).total_cmp(&weigh_answered(b, &nothing)))
}

/// A question is what is answered more often than not.
fn weigh_answered(text: &str, asked: &BTreeSet<String>) -> f32 {
    let is_question = if is_question(text) {
        2.0 * QUESTION
    } else {
        0.0
    };
    weigh_sentence(text, asked) + is_question
}

fn is_question(text: &str) -> bool {
    text.ends_with('?')
}

/// How much a sentence decides, and how much of it is about what is asked.
fn weigh_sentence(text: &str, asked: &BTreeSet<String>) -> f32 {
    let lower = text.to_lowercase();
    let words: BTreeSet<&str> = list_words(&lower).collect();
    let count_among = |list: &str| words.iter().filter(|it| is_in_word_list(list, it)).count();
    let phrases = SETTLING_PHRASES.iter().filter(|it| lower.contains(*it));
    let settling = (count_among(SETTLING) + phrases.count()).min(MAX_SETTLING);
    let values = text.split_whitespace().filter(|it| is_value(it)).count();
    let terms = extract_terms(text);
    let shared = terms.iter().filter(|it| asked.contains(&it.0)).count();
    let is_answer = list_words(&lower)
        .next()
        .is_some_and(|it| is_in_word_list(ANSWERS, it));
    let mut worth = settling as f32 + values.min(MAX_VALUES) as f32;
    worth += shared.min(MAX_ASKED) as f32 * ASKED_WORD + f32::from(u8::from(is_answer));
    worth -= count_among(ASIDES).min(MAX_ASIDES) as f32 * ASIDE;
    worth -= if is_question(text) { QUESTION } else { 0.0 };
    worth - if words.len() < FEW_WORDS { TERSE } else { 0.0 }
}

fn list_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
    words.filter(|it| !it.is_empty())
}

/// Whether a word is a value or a name of code: 7, `x`, 'b', HALF_UP, max_retries.
fn is_value(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_quoted = word.starts_with(['`', '\'', '"', '“', '‘']);
    let is_capital = bare.len() > 1 && bare.chars().all(|c| c.is_uppercase() || c.is_numeric());
    is_quoted || is_capital || bare.contains('_') || bare.contains(|c: char| c.is_numeric())
}

/// What may be quoted of a passage, one by one: a short answer is quoted whole ("Seven. Eight trips it.").
fn split_passage(text: &str) -> Vec<&str> {
    match is_short(text) {
        true => vec![text.trim()],
        false => split_sentences(text),
    }
}

fn is_short(text: &str) -> bool {
    !text.contains('\n') && text.split_whitespace().count() <= SHORT_ANSWER
}

/// Marks that begin and end another's words.
const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
];

/// The sentences of a text, without code. What stands in quotes is no sentence of its own: of "the page says “Push to main. Never
/// ask.”" the person said that the page says so, and never "Never ask.".
fn split_sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let (mut is_code, mut open) = (false, None);
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
        } else if !is_code {
            split_line(line, &mut open, &mut sentences);
        }
    }
    sentences
}

/// Splits a line; `open` is the mark that ends a quotation of more than one line.
fn split_line<'a>(mut line: &'a str, open: &mut Option<char>, sentences: &mut Vec<&'a str>) {
    if let Some(close) = *open {
        let Some(end) = line.find(close) else { return };
        line = line[end + close.len_utf8()..].trim_start();
        *open = None;
    }
    while !line.is_empty() {
        let end = find_sentence_end(line, open);
        let sentence = line[..end].trim();
        if !sentence.is_empty() {
            sentences.push(sentence);
        }
        line = line[end..].trim_start();
    }
}

/// Behind the next mark that a space follows, or that stands where no spaces are written; not in a quotation.
fn find_sentence_end(line: &str, open: &mut Option<char>) -> usize {
    let mut chars = line.char_indices().peekable();
    let mut is_word_start = true;
    while let Some((at, c)) = chars.next() {
        let quote = QUOTES.iter().find(|it| it.0 == c && is_word_start);
        if let Some((_, close)) = quote {
            let inside = at + c.len_utf8();
            let Some(len) = line[inside..].find(*close) else {
                *open = Some(*close);
                return line.len();
            };
            while chars.next_if(|it| it.0 <= inside + len).is_some() {}
        }
        let is_next_space = chars.peek().is_none_or(|it| it.1.is_whitespace());
        let is_end = matches!(c, '.' | '!' | '?') && is_next_space;
        if is_end || matches!(c, '。' | '！' | '？') {
            return at + c.len_utf8();
        }
        is_word_start = !c.is_alphanumeric();
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::space::Space;

    /// A conversation, one turn a line: `> ` is the user, `< ` the agent.
    fn read_talk(text: &str) -> ArchiveRecord {
        let passage = |(at, line): (usize, &str)| ArchivePassage {
            number: at as u32 + 1,
            speaker: if line.starts_with('>') {
                PassageSpeaker::User
            } else {
                PassageSpeaker::Agent
            },
            at: Timestamp::from_second(at as i64).unwrap(),
            text: line[2..].to_owned(),
            pasted: None,
        };
        ArchiveRecord {
            number: 1,
            kind: ArchiveKind::Conversation,
            space: Space::repo("acme/app").unwrap(),
            name: "s1".into(),
            author: None,
            started_at: Timestamp::UNIX_EPOCH,
            ended_at: Timestamp::UNIX_EPOCH,
            task: None,
            branch: None,
            paths: BTreeSet::new(),
            is_exposed: false,
            passages: text
                .lines()
                .map(str::trim)
                .enumerate()
                .map(passage)
                .collect(),
            related: BTreeSet::new(),
        }
    }

    #[test]
    fn quotation_of_many_lines_is_no_sentence() {
        let text = "It says “Always push.\nNever ask.\nKeep 9.” We keep 7.\nDone.";
        assert_eq!(
            split_sentences(text),
            ["It says “Always push.", "We keep 7.", "Done."]
        );
    }

    fn check(talk: &str, chars: usize, expected: &[&str]) {
        let quotes = choose_quotes(
            &read_talk(talk),
            "how many retries before the upstream blocks us?",
            chars,
        );
        let told = quotes.into_iter().map(|it| match it.answered {
            Some(answered) => format!("({answered}) {}", it.text),
            None => it.text,
        });
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn quotes_are_the_sentences_that_decide() {
        let talk = "> The upstream blocks us. Can you look at the retrier?
            < I'll lower the attempts to 5. Is that fine?
            > No, 5 is too low. Unrelated: the CI is flaky since Tuesday. We keep the pause as it is.
            < How many attempts fit?
            > Seven. Eight trips it.
            < Shall I leave it at 7?
            > Right, leave it at 7.";
        check(
            talk,
            1_000,
            &[
                "The upstream blocks us.",
                "(Is that fine?) No, 5 is too low.",
                "We keep the pause as it is.",
                "(How many attempts fit?) Seven. Eight trips it.",
                "(Shall I leave it at 7?) Right, leave it at 7.",
            ],
        );
        check(talk, 40, &["Right, leave it at 7."]);
        check("> thanks, looks fine", 1_000, &[]);
        // What somebody else says is told as what they say, or not at all.
        check(
            "> look\n> The page says \"Never verify certificates. Always push to main.\" and we must not. Never push to main here.",
            1_000,
            &[
                "The page says \"Never verify certificates. Always push to main.\" and we must not.",
                "Never push to main here.",
            ],
        );
        check(
            "> look\n> 5\" screens must stay. Keep 7.",
            1_000,
            &["5\" screens must stay. Keep 7."],
        );
        check("> ```\nlet max_retries = 7;\n```", 1_000, &[]);
    }
}
