//! What a fact speaks of: parameters, what is returned, members. These are lists and types that can be compared as such.
//!
//! Wording tells it ("takes 2 parameters"), and so does the code: a fact that names every parameter of a function, and
//! nothing else, speaks of its signature however it is put. Where only the code tells, a list that differs is a reason to
//! check and no contradiction.

use apostille_text::{
    literals::{Literal, match_whole_literals},
    word_lists::WordList,
};

use super::Standing;
use crate::{outline::ItemParts, tokens::split_text_tokens};

/// How a fact is worded, as far as it tells what it speaks of. Every recall asks for it, so it is cheap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wording {
    /// It counts parameters, or says which there are.
    parameters: bool,
    /// It counts members, or says which there are.
    members: bool,
    /// It says what comes back.
    returned: bool,
    /// It says how to call something.
    called: bool,
    /// It lists names, or says that there are no others.
    listed: bool,
}

/// What a fact speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Topic {
    wording: Wording,
    /// Every identifier that stands in it.
    names: Vec<String>,
    /// Those that are written as code: in backticks, in quotes, in brackets.
    coded: Vec<String>,
    /// It states a value.
    valued: bool,
}

static PARAMETERS: WordList =
    WordList::new("parameter parameters argument arguments params args arg param");
static MEMBERS: WordList = WordList::new(
    "member members field fields variant variants case cases option options value values key keys \
    entry entries method methods kind kinds item items constant constants state states",
);
static COUNTS: WordList = WordList::new(
    "no one two three four five six seven eight nine ten eleven twelve exactly only both",
);
static CALLS: WordList = WordList::new(
    "pass passes wants needs takes accepts order signature called expects receives requires call calls",
);
static RETURNS: WordList =
    WordList::new("returns return returned gives yields result back get gets produces evaluates");
static CLOSED: WordList = WordList::new("either possible only nothing others exactly all");

impl Wording {
    pub(super) fn from_fact(fact: &str) -> Self {
        let words = list_prose_words(fact);
        let has = |list: &WordList| words.iter().any(|it| list.contains(it));
        let counts = |list: &WordList| {
            words.iter().enumerate().any(|(at, word)| {
                let before = &words[at.saturating_sub(2)..at];
                list.contains(word) && before.iter().any(|it| is_count(it))
            })
        };
        // "The parameters of `f` are …", "members are".
        let lists = |list: &WordList| {
            words.windows(3).any(|it| {
                list.contains(&it[0])
                    && it[0].ends_with('s')
                    && (it[1] == "are" || it[1] == "of" && it[2] == "are")
            })
        };
        Self {
            parameters: counts(&PARAMETERS) || lists(&PARAMETERS),
            members: counts(&MEMBERS) || lists(&MEMBERS),
            returned: has(&RETURNS) || fact.contains("->") || fact.contains('→'),
            called: has(&CALLS) || has(&PARAMETERS) || fact.contains('('),
            listed: has(&CLOSED) || fact.contains("can be") || count_listed_names(fact) >= 2,
        }
    }

    /// Whether the fact may claim that a list is whole, so that its lines alone do not tell.
    pub(super) fn is_closed(self) -> bool {
        self.parameters || self.members || self.listed
    }
}

impl Topic {
    /// The topic of a fact with these literals.
    pub(super) fn from_fact(fact: &str, literals: &[Literal]) -> Self {
        Self {
            wording: Wording::from_fact(fact),
            names: split_identifiers(fact),
            coded: list_coded_names(fact),
            valued: literals.iter().any(is_value_text),
        }
    }

    /// Whether the fact may claim that a list is whole.
    pub(super) fn is_closed(&self) -> bool {
        self.wording.is_closed()
    }

    /// Whether it lists names, or says that there are no others.
    pub(super) fn is_list(&self) -> bool {
        self.wording.listed
    }

    /// How the fact stands by the parts that it speaks of; `None` where it speaks of none that can be compared.
    pub(super) fn judge_parts(
        &self,
        said: &[Literal],
        old: &ItemParts,
        new: &ItemParts,
    ) -> Option<Standing> {
        let parts = [
            self.judge_parameters(old, new),
            self.judge_returned(said, old, new),
            self.judge_members(said, old, new),
        ];
        parts.into_iter().flatten().max()
    }

    fn judge_parameters(&self, old: &ItemParts, new: &ItemParts) -> Option<Standing> {
        let (was, now) = (old.list_parameter_names()?, new.list_parameter_names()?);
        let is_implied =
            !was.is_empty() && was.iter().all(|it| self.coded.contains(it)) && !self.valued;
        if !self.wording.parameters && !is_implied {
            return None;
        }
        if was == now {
            return Some(Standing::Stands);
        }
        let mut mentioned = was.iter().filter(|it| self.names.contains(it));
        let is_same_count = was.len() == now.len() && mentioned.all(|it| now.contains(it));
        Some(match is_same_count {
            true => Standing::Stands,
            false if self.wording.parameters || self.wording.called => Standing::Contradicted,
            false => Standing::Check,
        })
    }

    fn judge_returned(
        &self,
        said: &[Literal],
        old: &ItemParts,
        new: &ItemParts,
    ) -> Option<Standing> {
        let text = |item: &ItemParts| {
            let span = item.find_return_type()?;
            Some(String::from_utf8_lossy(item.slice(&span)).into_owned())
        };
        let was = text(old)?;
        let is_whole = |it: &Literal| list_type_tokens(it.as_str()) == list_type_tokens(&was);
        let is_part = self.wording.returned && match_whole_literals(said, &was).contains(&true);
        if !is_part && !said.iter().any(is_whole) {
            return None;
        }
        let now = text(new).unwrap_or_default();
        Some(if list_type_tokens(&was) == list_type_tokens(&now) {
            Standing::Stands
        } else if self.wording.returned {
            Standing::Contradicted
        } else {
            Standing::Check
        })
    }

    fn judge_members(
        &self,
        said: &[Literal],
        old: &ItemParts,
        new: &ItemParts,
    ) -> Option<Standing> {
        let (was, now) = (old.list_members()?, new.list_members()?);
        let is_said = |name: &&String| said.iter().any(|it| it.as_str() == name.as_str());
        let mentioned: Vec<&String> = was.iter().filter(|it| self.names.contains(it)).collect();
        let n_said = was.iter().filter(is_said).count();
        let is_whole = mentioned.len() >= 2 && mentioned.len() == was.len();
        let is_only = n_said > 0 && n_said == said.len();
        if !self.wording.members && !is_whole && !is_only {
            return None;
        }
        if was == now {
            return Some(Standing::Stands);
        }
        if mentioned.iter().any(|it| !now.contains(it)) {
            return Some(Standing::Contradicted);
        }
        let is_grown = self.wording.members || is_whole;
        Some(match is_grown {
            true if self.wording.members && was.len() == now.len() => Standing::Stands,
            true if self.wording.members || self.wording.listed => Standing::Contradicted,
            true => Standing::Check,
            false => Standing::Stands,
        })
    }
}

/// Whether a literal is a value that a name may have; `f(a, b)` is none.
fn is_value_text(it: &Literal) -> bool {
    let text = it.as_str();
    let is_call = text.ends_with(')') && !text.contains('=') && !text.contains(") ");
    it.is_value() && !is_call
}

fn is_count(word: &str) -> bool {
    COUNTS.contains(word) || word.chars().all(|it| it.is_ascii_digit())
}

/// The words of a fact outside of backticks and quotes, in small letters.
fn list_prose_words(fact: &str) -> Vec<String> {
    blank_quotes(fact)
        .split(|it: char| !it.is_alphanumeric())
        .filter(|it| !it.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// The tokens of a type without its arrow or colon, and without the words that say who may use it.
fn list_type_tokens(text: &str) -> Vec<String> {
    static MODIFIERS: WordList = WordList::new(
        "static inline extern public private protected final async pub export abstract synchronized \
        default override",
    );
    let mut tokens = split_text_tokens(text);
    tokens.retain(|it| !MODIFIERS.contains(it));
    let n_arrow = match &tokens[..] {
        [a, b, ..] if a == "-" && b == ">" => 2,
        [a, ..] if a == ":" => 1,
        _ => 0,
    };
    tokens.split_off(n_arrow)
}

fn split_identifiers(text: &str) -> Vec<String> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
    let words = text.split(|it| !is_part(it)).filter(|it| !it.is_empty());
    words.map(str::to_owned).collect()
}

/// The identifiers in backticks, in quotes and in brackets.
fn list_coded_names(fact: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (open, close) in [('`', '`'), ('"', '"'), ('(', ')')] {
        let mut rest = fact;
        while let Some((_, behind)) = rest.split_once(open) {
            let Some((inside, after)) = behind.split_once(close) else {
                break;
            };
            names.extend(split_identifiers(inside));
            rest = after;
        }
    }
    names
}

/// How many names in backticks stand in a row, with commas, "and" or "or" between.
fn count_listed_names(fact: &str) -> usize {
    let mut most = 0;
    let mut n = 0;
    for part in fact.split('`').collect::<Vec<_>>().chunks(2) {
        let [between, _] = part else { break };
        let is_joint = matches!(
            between.trim(),
            "," | ", and" | "and" | "or" | ", or" | "/" | "|"
        );
        n = if is_joint { n + 1 } else { 1 };
        most = most.max(n);
    }
    most
}

/// The fact with what stands in backticks and quotes left out.
pub(super) fn blank_quotes(fact: &str) -> String {
    let mut open: Option<char> = None;
    let mut out = String::with_capacity(fact.len());
    for c in fact.chars() {
        match open {
            Some(quote) if quote == c => open = None,
            Some(_) => {}
            None if matches!(c, '`' | '"') => {
                open = Some(c);
                out.push(' ');
            }
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wording_tells_what_a_fact_speaks_of() {
        let check = |fact: &str, expected: &str| {
            let it = Wording::from_fact(fact);
            let told = [
                (it.parameters, "parameters"),
                (it.members, "members"),
                (it.returned, "returned"),
                (it.listed, "listed"),
            ];
            let told: Vec<&str> = told.iter().filter(|it| it.0).map(|it| it.1).collect();
            assert_eq!(told.join(" "), expected, "{fact}");
        };
        check("`f` takes 2 parameters (a, b)", "parameters");
        check("The parameters of `f` are `a`, `b`", "parameters listed");
        check("The parameter `a` of `f` defaults to 3", "");
        check("The members of `E` are `A`, `B`", "members listed");
        check("`E` has a member `A`", "");
        check("`f` returns `bool`", "returned");
        check("`E` can be `a`, `b` or `c`", "listed");
        check("`MAX` is 3", "");
    }
}
