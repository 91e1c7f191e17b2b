//! A statement as a declarative sentence: facts, not instructions, in the person's own words as far as they go.

use super::lexicon::has_listed_word;
use super::pattern::{Pattern, join_alternatives, pattern};

use StatementPhrase::{Clause, Contrast, Quoted, Unwanted, Wanted};

/// What was stated, and how it was put.
#[derive(Debug, PartialEq)]
pub(super) enum StatementPhrase {
    /// A sentence that stands by itself.
    Clause(String),
    /// Something to do.
    Wanted(String),
    /// Something not to do.
    Unwanted(String),
    /// One thing, not the other.
    Contrast(String, String),
    /// The person's own words, which have no other form.
    Quoted(String),
}

/// Verbs that an order begins with.
const ORDERS: &str = "use run commit push pull write ask check format prefer keep include put name explain answer reply respond sign squash rebase deploy merge \
    create test add edit touch delete remove change modify install open close tag release bump update review document start stop mock \
    import export amend skip disable ignore suppress leave assume wait confirm verify show list mention link follow stick read work \
    branch fix build lint bypass generate store place define declare split group order sort prefix pin upgrade reset apply make do \
    give tell call treat avoid ensure try stay return log set get look send report mark limit choose pick";

pattern!(
    ORDER,
    r"^(?:please )?(?:also |first |just )?(?:always |never ever |never )?",
    join_alternatives(ORDERS),
    r"\b"
);
pattern!(NOT_ORDER, r"^(?:please )?(?:don't|do not) (?:ever )?");
pattern!(YOU_MUST, r"^you (?:should|must|need to|have to) ");
pattern!(
    YOU_MUST_NOT,
    r"^you (?:(?:should|must|may|can) not|shouldn't|mustn't|can't) (?:ever )?"
);
// What is to be done in place of what is not.
pattern!(
    INSTEAD,
    r", (?:but |instead |rather |please |just )*(?P<order>use|run|put|write|keep|ask|report|fix|prefer|return|open|call|make|mark) "
);
pattern!(
    WHEN_ORDER,
    r"^(?:when|whenever|if|before|after|every time|each time|any time) [^,]+, "
);
pattern!(
    CLAUSE,
    r"^(?:we|our|the|this|all|every|each|in|for|new|no|only|both|any|there|[a-z0-9/_.-]+s?) .*"
);
pattern!(
    VERB,
    r"\b(?:is|are|was|has|have|had|uses?|runs?|goes|go|lives?|listens?|needs?|forbids?|enforces?|must|should|can|cannot|can't|don't|doesn't|do|does|gets?|requires?|deploys?|starts?|belongs?|wants?|owns?|approves?|strips?|support|supports|expects?|never|always|only|works?|means?|keeps?|takes?|comes?|stores?|signs?|generate|generates|squash|follow|follows|target|targets|ship|ships|release|host|hosts|review|reviews|test|tests|write|merge|tag|format|build|builds|log|logs|track|tracks|publish|publishes|push|commit|put|rejects?|resets?|sits?|contains?|returns?|fails?|breaks?|expires?|costs?|closes?|opens?|ends?)\b"
);
pattern!(
    PERSONAL,
    r"(?:^| )(?:i|i'm|i've|i'd|i'll|myself)(?: |$|,)|\b(?:you|your|yours|yourself)\b"
);

/// How a verb of the first person reads in the third.
const THIRD: &[(&str, &str)] = &[
    ("prefer", "prefers"),
    ("hate", "hates"),
    ("dislike", "dislikes"),
    ("want", "wants"),
    ("like", "likes"),
    ("use", "uses"),
    ("work", "works"),
    ("need", "needs"),
    ("can't stand", "can't stand"),
    ("don't", "does not"),
    ("do not", "does not"),
    ("am", "is"),
    ("have", "has"),
];

/// Words that may stand between "I" and its verb.
const BETWEEN: &str = "always never usually generally strongly really much definitely personally";

/// What a text says, where it is one sentence with a verb. `lower` is the text in lower case, quotations blotted out.
pub(super) fn parse_statement_phrase(text: &str, lower: &str) -> Option<StatementPhrase> {
    let behind = |pattern: &Pattern| text.get(pattern.find(lower)?.end..);
    if lower.starts_with("i ") || lower.starts_with("i'") || lower.starts_with("my ") {
        return Some(phrase_in_third_person(text, lower));
    }
    if let Some(rest) = behind(&YOU_MUST_NOT) {
        return Some(phrase_order(text, rest, Unwanted));
    }
    if let Some(rest) = behind(&YOU_MUST) {
        return Some(phrase_order(text, rest, Wanted));
    }
    if let Some(rest) = behind(&NOT_ORDER) {
        return Some(phrase_order(text, strip_last_word(rest, "ever"), Unwanted));
    }
    // "tests need …", "commits are …": a noun that looks like an order.
    let second = lower.split_whitespace().nth(1).unwrap_or("");
    if ORDER.is_in(lower) && !has_listed_word(BEHIND_NOUN, second) {
        let order = text.strip_prefix("please ").unwrap_or(text);
        return Some(phrase_order(order, order, Wanted));
    }
    // What the agent may do is no fact.
    if lower.starts_with("you ") {
        return None;
    }
    if WHEN_ORDER.is_in(lower) {
        return Some(Quoted(text.into()));
    }
    (CLAUSE.is_in(lower) && VERB.is_in(lower)).then(|| phrase_clause(text, lower))
}

/// Words behind a noun.
const BEHIND_NOUN: &str =
    "is are must needs need should goes has have runs names messages descriptions";

/// The text without its last word, where it is this one, and without the comma before it.
fn strip_last_word<'t>(text: &'t str, word: &str) -> &'t str {
    text.strip_suffix(word)
        .map_or(text, |it| it.trim_end_matches([',', ' ']))
}

/// An order with "I" or "you" in it cannot be turned without touching its verbs: it is quoted as a whole.
fn phrase_order(
    text: &str,
    order: &str,
    form: impl Fn(String) -> StatementPhrase,
) -> StatementPhrase {
    let lower = order.to_ascii_lowercase();
    match PERSONAL.is_in(&lower) {
        true => Quoted(text.into()),
        false => form(replace_here_with_project(order, &lower)),
    }
}

/// "We use podman here" reads the same tomorrow, but for its "here".
pub(super) fn phrase_clause(text: &str, lower: &str) -> StatementPhrase {
    match PERSONAL.is_in(lower) {
        true => Quoted(text.into()),
        false => Clause(replace_here_with_project(text, lower)),
    }
}

fn replace_here_with_project(text: &str, lower: &str) -> String {
    match lower.split_once(" here") {
        Some((before, rest)) if rest.is_empty() || rest.starts_with([',', ' ', ';']) => {
            let behind = &text[text.len() - rest.len()..];
            format!("{} in this project{behind}", &text[..before.len()])
        }
        _ => text.to_owned(),
    }
}

/// "no singletons, ever": what is not wanted at all.
pub(super) fn phrase_ban(text: &str, lower: &str) -> StatementPhrase {
    let lower = strip_last_word(lower, "please");
    match phrase_clause(&text[..lower.len()], lower) {
        Clause(it) => Clause(format!("The user wants {}", lowercase_first_letter(&it))),
        other => other,
    }
}

fn phrase_in_third_person(text: &str, lower: &str) -> StatementPhrase {
    let quoted = || Quoted(text.into());
    if let Some(rest) = lower.strip_prefix("my ") {
        return match PERSONAL.is_in(rest) {
            true => quoted(),
            false => Clause(format!("The user's {}", &text["my ".len()..])),
        };
    }
    let Some(mut rest) = lower.strip_prefix("i ") else {
        return quoted();
    };
    let mut verb = String::new();
    while let Some((word, tail)) = rest.split_once(' ')
        && has_listed_word(BETWEEN, word)
    {
        verb += &format!("{word} ");
        rest = tail;
    }
    let known = THIRD.iter().find(|(first, _)| {
        rest.strip_prefix(first)
            .is_some_and(|it| it.starts_with(' '))
    });
    let Some((first, third)) = known else {
        return quoted();
    };
    let object = &text[text.len() - rest.len() + first.len()..];
    let folded = object.to_ascii_lowercase();
    let is_wish = !matches!(*first, "use" | "work" | "need" | "am" | "have");
    if PERSONAL.is_in(&folded) || !is_wish && folded.contains(" and ") {
        quoted()
    } else {
        Clause(format!("The user {verb}{third}{object}"))
    }
}

impl StatementPhrase {
    /// Whether it says what is to be done, and not what is so.
    pub(super) fn is_wish(&self) -> bool {
        matches!(self, Wanted(_) | Unwanted(_) | Contrast(..))
    }

    pub(super) fn is_clause(&self) -> bool {
        matches!(self, Clause(_))
    }

    /// Two wishes as one; `None` where the words of one cannot be turned.
    pub(super) fn merge_wish(self, other: Self) -> Option<Self> {
        let join =
            |a: String, how: &str, b: String| format!("{a}, {how} {}", lowercase_first_letter(&b));
        Some(match (self, other) {
            (Wanted(a), Wanted(b)) => Wanted(join(a, "and to", b)),
            (Wanted(a), Unwanted(b)) => Wanted(join(a, "and not to", b)),
            (Unwanted(a), Wanted(b)) => Unwanted(join(a, "but to", b)),
            (Unwanted(a), Unwanted(b)) => Unwanted(join(a, "nor to", b)),
            _ => return None,
        })
    }

    /// It as a sentence.
    pub(super) fn to_sentence(&self) -> String {
        let sentence = match self {
            Clause(it) => capitalise_first_letter(it),
            Wanted(it) => {
                let order = replace_me_with_user(&lowercase_first_letter(it));
                format!("The user wants the agent to {order}")
            }
            Unwanted(it) => {
                let order = replace_me_with_user(&mark_instead_order(&lowercase_first_letter(it)));
                format!("The user does not want the agent to {order}")
            }
            Contrast(x, y) => format!("The user wants {x}, not {y}"),
            // A quotation in the quotation gets the other marks.
            Quoted(it) => {
                let words = capitalise_first_letter(&it.replace('"', "'"));
                return format!("The user said: \"{words}.\"");
            }
        };
        sentence + "."
    }
}

/// "don't do this, do that": the second half is wanted again.
fn mark_instead_order(order: &str) -> String {
    let lower = order.to_ascii_lowercase();
    let found = INSTEAD
        .captures(&lower)
        .and_then(|it| Some((it.get(0)?.start(), it.name("order")?.start())));
    found.map_or_else(
        || order.to_owned(),
        |(comma, verb)| format!("{}, but to {}", &order[..comma], &order[verb..]),
    )
}

/// "without asking me" was said by the user.
fn replace_me_with_user(order: &str) -> String {
    let words = order.split(' ').map(|it| match it {
        "me" => "the user",
        "my" => "the user's",
        "me," => "the user,",
        other => other,
    });
    words.collect::<Vec<_>>().join(" ")
}

fn capitalise_first_letter(text: &str) -> String {
    let mut chars = text.chars();
    // A name such as `openapi.yaml` or npm_config stays as it is written.
    let is_name = text
        .split_whitespace()
        .next()
        .is_some_and(|it| it.contains(['.', '/', '_', '`']));
    match chars.next() {
        Some(first) if !is_name => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

fn lowercase_first_letter(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next();
    first
        .into_iter()
        .flat_map(char::to_lowercase)
        .chain(chars)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::own_sentences::mask_quotations;

    #[test]
    fn statements_become_facts() {
        let check = |text: &str, expected: &str| {
            let phrase =
                parse_statement_phrase(text, &mask_quotations(text)).map(|it| it.to_sentence());
            assert_eq!(phrase.as_deref(), Some(expected), "{text:?}");
        };
        check("I prefer tabs", "The user prefers tabs.");
        check("I always want a plan", "The user always wants a plan.");
        check(
            "I work in Berlin and review early",
            "The user said: \"I work in Berlin and review early.\"",
        );
        check(
            "never push to main",
            "The user wants the agent to never push to main.",
        );
        check(
            "don't ever use --no-verify",
            "The user does not want the agent to use --no-verify.",
        );
        check(
            "never deploy without asking me",
            "The user wants the agent to never deploy without asking the user.",
        );
        check("the build needs protoc 25", "The build needs protoc 25.");
        check("we use podman here", "We use podman in this project.");
        check("tests need Docker", "Tests need Docker.");
        check(
            "You must always run lint",
            "The user wants the agent to always run lint.",
        );
        check(
            "don't sign your name",
            "The user said: \"Don't sign your name.\"",
        );
        assert_eq!(parse_statement_phrase("that bug", "that bug"), None);
    }
}
