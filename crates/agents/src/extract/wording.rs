//! How a sentence is worded, as features that a linear model weighs: function words and the order they stand in, the shape of the
//! other words, and what the agent said before and after.
//!
//! No feature names a thing. What a project is about differs from one to the next; how people say that something holds does not.

use std::{
    collections::{BTreeSet, HashSet},
    sync::LazyLock,
};

use super::{
    english::read_sentence_body, non_statements, own_sentences::Sentence,
    sentence_context::SentenceContext,
};

/// The words that stand for themselves; every other word is told by its shape.
const FUNCTION_WORDS: &str = "a an the this that these those my your our his her its their it's that's there there's here we i you he she they it us me him them \
    i'm we're you're they're he's she's i've we've i'd i'll we'll you'll who what which when where why how whoever whatever \
    is are was were be been being am isn't aren't wasn't weren't has have had hasn't haven't do does did don't doesn't didn't done \
    can could can't cannot couldn't will won't would wouldn't shall should shouldn't must mustn't may might gotta need needs needed \
    not no never always only also just even still yet already again ever anymore nothing none nobody everything everyone anything anyone something someone everywhere anywhere \
    all any every each both some most many few several other another same own one two first second last next \
    and or but so because since as if unless until while whenever before after once then than though although however otherwise instead rather \
    in on at to of for from with without by via through into onto out off over under behind between across throughout per against within inside about around during up down back \
    yes yeah no nope ok okay sure right wrong good great fine nice perfect thanks thank thx ty please pls cool hmm hm ah oh wait sorry lol haha btw fyi \
    now today tomorrow yesterday tonight currently temporarily later soon week month year monday friday morning sprint \
    make makes made use uses used using run runs running get gets got getting go goes went going come comes came keep keeps kept put puts take takes took give gives given \
    want wants wanted like likes prefer prefers hate hates love know knows think thinks thought believe guess say says said tell tells told ask asks asked mean means call called calls \
    live lives sit sits belong belongs own owns handle handles stay stays start starts end ends follow follows read reads write writes written read-only \
    work works working look looks looking see show shows find check try add fix change remove delete update create rename move merge push commit deploy test tests build \
    let let's stop leave skip drop avoid remember note allowed forbidden required mandatory supposed policy rule rules convention standard legal compliance contract contractually \
    fail fails failed failing broken slow fast error errors bug problem issue crash crashes missing weird \
    maybe perhaps probably apparently actually basically literally obviously usually normally sometimes often mostly generally really very too much more less least enough \
    team company customer customers client clients users people folks legacy old new prod production staging \
    exists exist ships ship expects expect requires require breaks break rejects reject accepts accept lands land carries carry sends send depends";
static FUNCTIONS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| FUNCTION_WORDS.split_whitespace().collect());

/// Marks that end a clause.
const MARKS: [char; 9] = ['.', ',', ';', ':', '!', '?', '…', ')', '"'];
/// Signs of a path, a flag, an address, an expression.
const SIGNS: &str = "_/@#<>=~*&$|\\[]{}+";
/// How much of what an agent said is compared, in bytes.
const AGENT_BYTES: usize = 2_000;
/// How much of a word is compared: enough to take "renamed" and "renaming" as one.
const STEM_CHARS: usize = 5;

/// The features of the sentence at `at` of a prompt.
pub(super) fn list_wording_features(
    sentences: &[Sentence],
    at: usize,
    setting: &SentenceContext,
) -> BTreeSet<String> {
    let mut features = FeatureSet(BTreeSet::new());
    let Some(sentence) = sentences.get(at) else {
        return features.0;
    };
    let words = classify_words(sentence);
    features.add_order(&words);
    features.add_counts(&words);
    features.add_place(sentences, at, setting);
    features.add_dialogue(sentence, setting);
    features.add_doubts(sentence, setting);
    features.0
}

/// The features that were found, by name.
struct FeatureSet(BTreeSet<String>);

impl FeatureSet {
    fn add(&mut self, feature: impl Into<String>) {
        self.0.insert(feature.into());
    }

    /// Which words, where the first ones stand, and which function words follow each other.
    fn add_order(&mut self, words: &[&str]) {
        for word in words {
            self.add(format!("word {word}"));
        }
        for (place, word) in words.iter().take(4).enumerate() {
            self.add(format!("at{place} {word}"));
        }
        let is_function = |it: &&&str| !it.starts_with('<');
        let function: Vec<&str> = words.iter().filter(is_function).copied().collect();
        for pair in function.windows(2) {
            self.add(format!("pair {}", pair.join(" ")));
        }
    }

    /// How long it is, and how many names, numbers and identifiers are in it.
    fn add_counts(&mut self, words: &[&str]) {
        let long = words.iter().filter(|it| !is_mark(it)).count();
        self.add(format!("length {}", (long / 3).min(8)));
        if long < 4 {
            self.add("short");
        }
        for class in ["<id>", "<num>", "<name>", "<acr>", "<q>", "<s>", "<w>", ","] {
            match words.iter().filter(|it| **it == class).count() {
                0 => {}
                n => self.add(format!("count {class} {}", n.min(3))),
            }
        }
    }

    /// Where in the prompt it stands, and what stands around it.
    fn add_place(&mut self, sentences: &[Sentence], at: usize, setting: &SentenceContext) {
        self.add(if at == 0 { "first" } else { "later" });
        self.add(if setting.is_answer {
            "answer"
        } else {
            "opening"
        });
        if sentences.len() > 1 {
            self.add("several");
        }
        if sentences.len() > 3 {
            self.add("many");
        }
        let bytes: usize = sentences.iter().map(|it| it.text.len()).sum();
        self.add(format!("prompt {}", (bytes / 80).min(4)));
        for (other, sentence) in sentences.iter().enumerate().filter(|(it, _)| *it != at) {
            let side = if other < at { "before" } else { "behind" };
            if let Some(word) = classify_words(sentence).first() {
                self.add(format!("{side} {word}"));
            }
            if sentence.is_question {
                self.add("question beside");
            }
        }
    }

    /// What of it the agent spoke of before, and took up after.
    fn add_dialogue(&mut self, sentence: &Sentence, setting: &SentenceContext) {
        let stems = list_stems(&sentence.lower);
        let before = setting.agent_before.map(list_stems).unwrap_or_default();
        if let Some(said) = setting.agent_before {
            let shared = stems.intersection(&before).count();
            let fresh = stems.len() - shared;
            self.add(format!("shared {}", shared.min(3)));
            self.add(format!("fresh {}", (fresh / 2).min(4)));
            if shared > 0 && fresh > 1 {
                self.add("shared and fresh");
            }
            if said.trim_end().ends_with('?') {
                self.add("agent asked");
            }
            let lower = format!(" {}", said.to_lowercase());
            let plans = [
                " i'll",
                " i'd",
                " i can",
                " shall i",
                " should i",
                " i assume",
                " i could",
            ];
            if plans.iter().any(|it| lower.contains(it)) {
                self.add("agent plans");
            }
        }
        if let Some(reply) = setting.agent_after {
            let lower = reply.to_ascii_lowercase();
            let words = classify_text(&lower, reply);
            self.add(format!("reply {}", words.first().unwrap_or(&"$")));
            self.add(format!("reply {}", words[..words.len().min(2)].join(" ")));
            let taken = list_stems(reply);
            let taken = taken
                .intersection(&stems)
                .filter(|it| !before.contains(*it));
            self.add(format!("taken up {}", taken.count().min(2)));
            if reply.trim_end().ends_with('?') {
                self.add("reply asks");
            }
        }
    }

    /// What speaks against it, by the patterns for what is no statement.
    fn add_doubts(&mut self, sentence: &Sentence, setting: &SentenceContext) {
        for doubt in non_statements::list_doubts(sentence) {
            self.add(format!("doubt {doubt}"));
        }
        if setting.has_task {
            self.add("task");
        }
        match read_sentence_body(sentence, setting) {
            None => self.add("no body"),
            Some(body) => {
                self.add(format!("lead {:?}", body.lead));
                if non_statements::is_context_dependent(body.lower) {
                    self.add("points");
                }
                if non_statements::has_task_tail(body.lower) {
                    self.add("tail");
                }
            }
        }
    }
}

/// The stems of the words that are no function words.
fn list_stems(text: &str) -> BTreeSet<String> {
    let mut end = text.len().min(AGENT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let lower = text[..end].to_lowercase();
    let words = lower.split(|it: char| !it.is_alphanumeric() && it != '_');
    let words = words.filter(|it| it.chars().count() > 2 && !FUNCTIONS.contains(it));
    words
        .map(|it| it.chars().take(STEM_CHARS).collect())
        .collect()
}

fn classify_words(sentence: &Sentence) -> Vec<&str> {
    classify_text(&sentence.lower, &sentence.text)
}

/// The words and marks of a text: function words as they are, of the others their shape. `lower` is as long as `text`.
fn classify_text<'a>(lower: &'a str, text: &str) -> Vec<&'a str> {
    let mut classes = Vec::new();
    for piece in lower.split_whitespace() {
        let at = piece.as_ptr().addr() - lower.as_ptr().addr();
        let word = piece.trim_start_matches(['(', '"', '*']);
        if piece.starts_with('(') {
            classes.push("(");
        }
        let core = word.trim_end_matches(MARKS);
        let start = at + piece.len() - word.len();
        if !core.is_empty() {
            let written = text.get(start..start + core.len()).unwrap_or(core);
            classes.push(classify_word(core, written, classes.is_empty()));
        }
        let mark = word[core.len()..].chars().next();
        if let Some(mark) = mark.filter(|it| *it != '"') {
            let from = core.len();
            classes.push(&word[from..from + mark.len_utf8()]);
        }
    }
    classes
}

fn is_mark(class: &str) -> bool {
    class.starts_with(MARKS) || matches!(class, "-" | "–" | "—")
}

/// A function word as it is, another by its shape. `written` is the word with its capitals.
fn classify_word<'a>(word: &'a str, written: &str, is_first: bool) -> &'a str {
    let has = |is: fn(char) -> bool| word.contains(is);
    let capitals = written.chars().filter(|it| it.is_uppercase()).count();
    let is_capital = written.starts_with(char::is_uppercase);
    match () {
        () if FUNCTIONS.contains(word) || matches!(word, "-" | "–" | "—") => word,
        () if word.contains('\u{1}') => "<q>",
        () if is_number(word) => "<num>",
        () if is_identifier(word)
            || capitals > usize::from(is_capital)
                && has(char::is_lowercase)
                && written.contains(char::is_lowercase) =>
        {
            "<id>"
        }
        () if capitals > 1 => "<acr>",
        () if is_capital && !is_first => "<name>",
        () if word.ends_with("n't") => "<not>",
        () if word.ends_with("'s") => "<'s>",
        () if word.ends_with("ing") && word.len() > 5 => "<ing>",
        () if word.ends_with("ed") && word.len() > 4 => "<ed>",
        () if word.ends_with("ly") && word.len() > 4 => "<ly>",
        () if word.contains('-') => "<w-w>",
        () if word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !word.ends_with("us") =>
        {
            "<s>"
        }
        () if !has(char::is_alphabetic) => "<sym>",
        () => "<w>",
    }
}

/// "80", "8.1", "4-4-5", "72h", "10mb".
fn is_number(word: &str) -> bool {
    let rest = word.trim_start_matches(|it: char| it.is_ascii_digit() || ".,:-".contains(it));
    word.starts_with(|it: char| it.is_ascii_digit()) && rest.len() < 4
}

fn is_identifier(word: &str) -> bool {
    let has_digit = word.contains(|it: char| it.is_ascii_digit());
    word.contains(|it: char| SIGNS.contains(it))
        || word.starts_with(['-', '.'])
        || word.contains(['.', ':', '('])
        || has_digit && word.contains(char::is_alphabetic)
}
