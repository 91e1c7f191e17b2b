//! A fact as it is compared: what it is about, the values that it names, and whether it denies something.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use crate::{
    overlap::normalise_fact,
    word_lists::{WordSet, collect_words, index_words},
};

/// Words that say nothing of what a fact is about.
static FILLERS: WordSet = WordSet::new(|| {
    collect_words(
        "a an the this that these those it its our we is are be been was were has have do does did will shall \
    should must can may to of in on at for with by from and or as so than then use used using always now \
    currently already instead rather longer anymore any more still just only set default equal there all up \
    but",
    )
});
/// Words that say that something was otherwise before.
static CHANGES: WordSet = WordSet::new(|| {
    collect_words(
        "migrated migrate moved switched switch changed replaced replace upgraded bumped renamed adopted",
    )
});
/// Words that negate.
const NEGATIONS: &[&str] = &["not", "never", "no", "cannot", "without", "neither", "nor"];
/// What stands before the one value that something has.
const SOLE: &[&str] = &[
    "is", "are", "be", "equal", "=", "every", "most", "least", "than", "within",
];
/// The same, of a number.
const SOLE_NUMBER: &[&str] = &["of", "after"];
/// What makes a "to" or an "at" stand before the one value that something has.
const BINDING: &[&str] = &[
    "limited",
    "set",
    "default",
    "pinned",
    "capped",
    "up",
    "equal",
    "restricted",
    "fixed",
    "locked",
];
/// What may stand between such a word and the value.
const BETWEEN: &[&str] = &[
    "a",
    "an",
    "the",
    "exactly",
    "about",
    "now",
    "currently",
    "version",
];
/// Families of which a project has one: naming another one is naming another value.
const RIVALS: &[&str] = &[
    "npm pnpm yarn bun",
    "jest vitest mocha jasmine ava",
    "pytest unittest nose",
    "webpack vite rollup parcel esbuild turbopack",
    "pip poetry uv pipenv conda",
    "maven gradle bazel",
    "postgresql postgres mysql mariadb sqlite mongodb",
    "redux zustand mobx",
    "express fastify koa",
    "flask django fastapi",
    "tabs spaces",
    "json xml yaml toml",
];
/// Families of states, of which a thing is in one. To deny one is to deny the whole.
const STATES: &[&str] = &[
    "allowed forbidden prohibited",
    "required optional",
    "enabled disabled",
    "true false",
];

/// Verbs of which a thing does many at once: of two errors that a function reports both are true.
static SEVERAL: WordSet = WordSet::new(|| {
    collect_words(
        "report raise throw emit log accept support include contain handle call import expose warn",
    )
});
/// From how many words on something in quotes is a text, and not a value.
const TEXT_WORDS: usize = 3;

/// A fact as it is compared.
pub(super) struct ParsedFact {
    /// What it is about: its words without fillers, negations and values, in one form each.
    pub words: BTreeSet<String>,
    /// Whether it negates what it says.
    pub is_negated: bool,
    /// Whether it says that something was otherwise before.
    pub is_change: bool,
    values: Vec<FactValue>,
    /// The text in lower case with a space around each word, to look values up in.
    flat: String,
}

/// A value that a fact names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FactValue {
    text: String,
    /// Whether it stands where there can be but one, as after "is" or "limited to".
    is_sole: bool,
    /// Whether the fact says that it is not so, as after "instead of".
    is_denied: bool,
    /// Whether it is a quantity or a version, and not the name of something, as in "Migration 12 …".
    is_quantity: bool,
    /// Whether another one may be true beside it: a text in quotes, or one of several.
    is_one_of_many: bool,
}

impl FactValue {
    /// Whether the two cannot both be true of one thing.
    pub(super) fn excludes_value(&self, other: &Self) -> bool {
        (self.is_sole && other.is_sole)
            || (self.is_of_family_of(other) && !self.is_one_of_many && !other.is_one_of_many)
    }

    /// Whether the two may not both be true of one thing.
    pub(super) fn rivals_value(&self, other: &Self) -> bool {
        self.excludes_value(other) || !(self.is_one_of_many || other.is_one_of_many)
    }

    /// Whether the two are values of one sort, whatever they are said of.
    pub(super) fn replaces_value(&self, other: &Self) -> bool {
        self.excludes_value(other) || (self.is_quantity && other.is_quantity)
    }

    fn is_of_family_of(&self, other: &Self) -> bool {
        let family = find_value_family(&self.text);
        family.is_some() && family == find_value_family(&other.text)
    }
}

/// The other values of a value's family: `npm` for `pnpm`.
pub(super) fn list_value_rivals(word: &str) -> impl Iterator<Item = &'static str> {
    let family = RIVALS.iter().find(|it| it.split(' ').any(|it| it == word));
    let rivals = family.into_iter().flat_map(|it| it.split(' '));
    rivals.filter(move |it| *it != word)
}

/// What a word is filed under: the members of a family of rivals under one name.
pub(super) fn find_rival_key(word: &str) -> Option<&'static str> {
    let family = RIVALS.iter().find(|it| it.split(' ').any(|it| it == word));
    family.and_then(|it| it.split(' ').next())
}

/// The number of the family that a word belongs to; those of states come last.
fn find_value_family(word: &str) -> Option<usize> {
    static FAMILIES: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
        let families = RIVALS.iter().chain(STATES).copied().zip(0..);
        index_words(&families.collect::<Vec<_>>())
    });
    FAMILIES.get(word).copied()
}

impl ParsedFact {
    pub(super) fn parse_fact(fact: &str) -> Self {
        let tokens = tokenize_fact(fact);
        let folded: Vec<&str> = tokens.iter().map(|it| it.folded.as_str()).collect();
        let is_change = folded
            .iter()
            .any(|it| CHANGES.contains(*it) || matches!(*it, "now" | "longer"));
        let mut told = Self {
            words: BTreeSet::new(),
            is_negated: false,
            is_change,
            values: Vec::new(),
            flat: format!(" {} ", normalise_fact(None, fact)),
        };
        let mut n_negations = 0;
        for (at, token) in tokens.iter().enumerate() {
            let before = &folded[..at];
            let word = token.folded.as_str();
            if token.is_value {
                told.values.push(parse_fact_value(token, before));
            } else if NEGATIONS.contains(&word) {
                n_negations += 1;
            } else if !FILLERS.contains(word) && !CHANGES.contains(word) {
                told.words.insert(word.to_owned());
            }
        }
        let does_several = told.words.iter().any(|it| SEVERAL.contains(it.as_str()));
        for it in &mut told.values {
            let is_list_item = does_several && !it.is_quantity;
            it.is_one_of_many = !it.is_sole && (it.is_one_of_many || is_list_item);
        }
        // "Use a, not b" denies b and no more; "do not use b" denies what it says.
        let n_denied = told.values.iter().filter(|it| it.is_denied).count();
        let names_another = n_denied > 0 && n_denied < told.values.len();
        told.is_negated = n_negations % 2 == 1 && !names_another;
        told
    }

    /// The values that it states and the other does not name at all.
    pub(super) fn values_missing_in(&self, other: &Self) -> Vec<&FactValue> {
        let mut lacking: Vec<&FactValue> = Vec::new();
        for it in self.values.iter().filter(|it| !it.is_denied) {
            let is_seen = lacking.iter().any(|seen| seen.text == it.text);
            if !is_seen && !other.has_words(&it.text) {
                lacking.push(it);
            }
        }
        lacking
    }

    /// The quantities that it states and the other does not name at all.
    pub(super) fn has_quantity_missing_in(&self, other: &Self) -> bool {
        let mut lacking = self.values_missing_in(other).into_iter();
        lacking.any(|it| it.is_quantity)
    }

    /// Whether both name one quantity.
    pub(super) fn shares_quantity_with(&self, other: &Self) -> bool {
        let mut quantities = self.values.iter().filter(|it| it.is_quantity);
        quantities.any(|it| other.values.iter().any(|other| other.text == it.text))
    }

    /// Whether both have the same words in the same order.
    pub(super) fn is_same_text(&self, other: &Self) -> bool {
        self.flat == other.flat
    }

    /// How many words and values it has.
    pub(super) fn count_parts(&self) -> usize {
        self.words.len() + self.values.len()
    }

    /// The texts of its values.
    pub(super) fn value_texts(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|it| it.text.as_str())
    }

    /// Whether these words stand in it, one after the other.
    pub(super) fn has_words(&self, normalised: &str) -> bool {
        self.flat.contains(&format!(" {normalised} "))
    }

    /// Whether it denies the one value that the other states.
    pub(super) fn denies_value_of(&self, other: &Self) -> bool {
        let stated: Vec<&FactValue> = other.values.iter().filter(|it| !it.is_denied).collect();
        let is_denied = |text: &str| self.values.iter().any(|it| it.is_denied && it.text == text);
        matches!(&*stated, [one] if is_denied(&one.text))
    }
}

fn parse_fact_value(token: &FactToken, before: &[&str]) -> FactValue {
    let is_state = find_value_family(&token.folded).is_some_and(|it| it >= RIVALS.len());
    let is_denied = !is_state && is_value_denied(before);
    FactValue {
        text: token.folded.clone(),
        is_sole: is_sole_value(token, before),
        is_denied,
        is_quantity: token.is_number && is_quantity_place(before),
        is_one_of_many: token.is_quoted && token.folded.split(' ').count() >= TEXT_WORDS,
    }
}

/// Whether a number that comes next says how much: at the beginning, or after a preposition or a verb. After another word it
/// names a thing: "migration 12", "item number 3".
fn is_quantity_place(before: &[&str]) -> bool {
    let is_measured = |it: &&str| {
        FILLERS.contains(*it)
            || SOLE.contains(it)
            || SOLE_NUMBER.contains(it)
            || BETWEEN.contains(it)
            || matches!(*it, "port" | "code" | "status")
    };
    before.last().is_none_or(is_measured)
}

/// Whether what comes next is said not to be so.
fn is_value_denied(before: &[&str]) -> bool {
    let mut before = before
        .iter()
        .rev()
        .filter(|it| !matches!(**it, "the" | "a" | "an" | "use" | "using"));
    match (before.next(), before.next()) {
        (Some(&"of"), Some(&"instead")) | (Some(&"than"), Some(&"rather")) => true,
        (Some(&"longer"), Some(&"no")) => true,
        (Some(&"from"), Some(word)) => CHANGES.contains(*word) || *word == "away",
        (Some(word), _) => matches!(*word, "not" | "never" | "replaced" | "replace" | "without"),
        (None, _) => false,
    }
}

/// Whether there can be but one of what comes next.
fn is_sole_value(token: &FactToken, before: &[&str]) -> bool {
    let mut before = before
        .iter()
        .rev()
        .filter(|it| !BETWEEN.contains(it))
        .peekable();
    // "is Node 18"
    if token.is_number
        && before
            .peek()
            .is_some_and(|it| matches!(**it, "node" | "python" | "java" | "rust" | "go"))
    {
        before.next();
    }
    match (before.next(), before.next()) {
        (Some(&("to" | "at")), Some(word)) => BINDING.contains(word),
        (Some(word), _) => SOLE.contains(word) || (token.is_number && SOLE_NUMBER.contains(word)),
        (None, _) => false,
    }
}

/// One word of a fact, or what stands in quotes.
struct FactToken {
    folded: String,
    is_value: bool,
    is_number: bool,
    is_quoted: bool,
}

/// The words of a fact; what stands in backticks or double quotes is one.
fn tokenize_fact(fact: &str) -> Vec<FactToken> {
    let mut tokens = Vec::new();
    for (n, part) in fact.split(['`', '"', '“', '”']).enumerate() {
        if n % 2 == 1 {
            let quoted = build_fact_token(normalise_fact(None, part), true);
            tokens.extend(quoted.map(|it| FactToken {
                is_quoted: true,
                ..it
            }));
            continue;
        }
        for word in part.split_whitespace() {
            let is_first = tokens.is_empty();
            tokens.extend(parse_plain_token(word, is_first));
        }
    }
    tokens
}

fn build_fact_token(folded: String, is_value: bool) -> Option<FactToken> {
    let version = folded.strip_prefix('v').unwrap_or(&folded);
    let is_number = version.starts_with(|c: char| c.is_ascii_digit());
    (!folded.is_empty()).then_some(FactToken {
        folded,
        is_value: is_value || is_number,
        is_number,
        is_quoted: false,
    })
}

fn parse_plain_token(word: &str, is_first: bool) -> Option<FactToken> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '=');
    let lower = word.to_lowercase();
    if lower.ends_with("n't") || lower.ends_with("n’t") {
        return build_fact_token("not".into(), false);
    }
    let folded = if word == "=" {
        "=".into()
    } else {
        normalise_fact(None, word)
    };
    let is_value = find_value_family(&folded).is_some() || is_proper_name(word, is_first);
    let token = build_fact_token(folded, is_value)?;
    let is_kept = token.is_value || FILLERS.contains(token.folded.as_str());
    let folded = if is_kept {
        token.folded
    } else {
        strip_plural(token.folded)
    };
    Some(FactToken { folded, ..token })
}

/// Whether a word is a name: one that is written as code is, or with a capital where no sentence begins.
fn is_proper_name(word: &str, is_first: bool) -> bool {
    let has_lower = word.chars().any(char::is_lowercase);
    let mut chars = word.chars();
    let is_capital = chars.next().is_some_and(char::is_uppercase);
    let has_hump = has_lower && chars.any(char::is_uppercase);
    let is_code = word.contains(['_', '/']) || word.contains("::");
    is_code || has_hump || (is_capital && has_lower && !is_first)
}

/// Whether a word says nothing of what a fact is about.
pub(super) fn is_filler_word(word: &str) -> bool {
    FILLERS.contains(word) || matches!(word, "uses" | "them")
}

/// A plain word in one form: "supports" and "support" are one.
pub(super) fn strip_plural(mut word: String) -> String {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
    word
}
