//! Whether the evidence has another value in the place of one that a fact states.

use super::Literal;
use super::{
    find::{FoundLiteral, is_in_caseless_word_list},
    number::LiteralNumber,
    scan::{LiteralToken, LiteralTokenKind, scan_literal_tokens},
    scanned_text::{ScannedText, normalise_identifier, parse_literal_number},
};

/// How far behind its name a value may stand, in bytes.
const MAX_GAP: usize = 60;
/// How many words before a value are read to see whether it is stated at all.
const CUE_WORDS: usize = 6;

/// Words after which a value is a bound, a past, a refusal or a supposition: the code may well say another.
const CUES: &str = "below under above over exceed exceeds exceeding than beyond within less more greater fewer not \
    never no without instead rather was were formerly previously if when unless would could until before avoid from \
    raise raising raised increase increasing lower lowering lowered bump bumping setting changing reach reaches \
    nicht kein keine wenn unter über kleiner größer war pas si sans était sin no menos más";
/// Words at which a new thought begins.
const BREAKS: &str =
    "because since otherwise while whereas although but weil denn aber porque parce mais pero and";

/// Words that make a value one of several cases; code says those as an expression.
const CONDITIONS: &str = "if when unless otherwise or wenn falls oder si ou sinon";
/// What a condition comes out as.
const TRUTH_VALUES: &str = "true false none null nil undefined";

fn is_truth_value(text: &str) -> bool {
    is_in_caseless_word_list(TRUTH_VALUES, text)
}

/// A fact beside its evidence, line by line.
pub(super) struct EvidenceComparison<'a> {
    fact: &'a str,
    found: &'a [FoundLiteral],
    /// What the fact says, and the numbers among it.
    said: ScannedText<'a>,
    stated: Vec<LiteralNumber>,
    clauses: Vec<usize>,
    lines: Vec<ScannedText<'a>>,
}

impl<'a> EvidenceComparison<'a> {
    pub(super) fn new(
        fact: &'a str,
        found: &'a [FoundLiteral],
        evidence: &[(&str, &'a str)],
    ) -> Self {
        let lines = evidence.iter().flat_map(|(_, snippet)| snippet.lines());
        let stated = found
            .iter()
            .filter_map(|it| parse_literal_number(it.literal.as_str()));
        Self {
            fact,
            found,
            said: ScannedText::from_text(fact),
            stated: stated.collect(),
            clauses: find_clause_starts(fact),
            lines: lines.map(ScannedText::from_text).collect(),
        }
    }

    /// Whether one of the names that the fact says this value of stands in the evidence with another value.
    pub(super) fn has_conflicting_value(&self, it: &FoundLiteral) -> bool {
        let before = &self.fact[..it.start];
        let start = self.clause_start(it.start);
        let is_value = match &it.literal {
            // Nought is more often a case than a value: "0 means no limit".
            Literal::Number(text) => {
                parse_literal_number(text).and_then(|it| it.value()) != Some(0.0)
            }
            Literal::Value(_) => true,
            Literal::Name(text) => is_assignment_phrase(before) && !text.contains(['_', ':', '.']),
            Literal::Path(_) | Literal::Quoted(_) => false,
        };
        let is_case = || is_truth_value(it.literal.as_str()) && self.has_condition(it.start);
        if !is_value || has_hedging_cue(&before[start..]) || is_case() {
            return false;
        }
        let is_name = |it: &&FoundLiteral| matches!(it.literal, Literal::Name(_));
        let of_it =
            |name: &&FoundLiteral| name.start != it.start && self.clause_start(name.start) == start;
        let mut names = self.found.iter().filter(is_name).filter(of_it);
        names.any(|name| {
            let name = name.literal.as_str();
            let last = normalise_identifier(name.rsplit(['.', ':', '>']).next().unwrap_or(name));
            self.lines
                .iter()
                .any(|line| self.has_other_value_on_line(line, &last, &it.literal))
        })
    }

    /// Whether the thought that a place in the fact belongs to goes on with a condition: "`True` if …".
    fn has_condition(&self, at: usize) -> bool {
        let n = self.clauses.partition_point(|it| *it <= at);
        let end = self.clauses.get(n).map_or(self.fact.len(), |it| *it);
        let words = self.fact[at..end.max(at)].split(|it: char| !it.is_alphabetic());
        let mut words = words.filter(|it| !it.is_empty());
        words.any(|it| is_in_caseless_word_list(CONDITIONS, it))
    }

    /// Where the thought begins that a place in the fact belongs to.
    fn clause_start(&self, at: usize) -> usize {
        let n = self.clauses.partition_point(|it| *it <= at);
        n.checked_sub(1).map_or(0, |it| self.clauses[it])
    }

    /// Whether a line says of a name something that the fact does not say.
    fn has_other_value_on_line(&self, line: &ScannedText, name: &str, value: &Literal) -> bool {
        if !matches!(value, Literal::Number(_)) {
            let is_other = |it: &str| !self.said.has_word(&normalise_identifier(it));
            return line
                .find_word_ends(name)
                .any(|end| find_string_after_name(line.text, end).is_some_and(is_other));
        }
        let is_stated = |it: &LiteralNumber| self.stated.iter().any(|mine| mine.agrees_with(it));
        line.find_word_ends(name).any(|end| {
            let places = line.numbers.iter().map(|it| it.0);
            let behind = places.filter(|at| *at >= end).min();
            behind.is_some_and(|at| {
                let mut numbers = line.numbers.iter().filter(|it| it.0 == at);
                is_assignment_gap(&line.text[end..at]) && !numbers.any(|it| is_stated(&it.1))
            })
        })
    }
}

/// Whether a word in backticks is what the name before it is said to be.
fn is_assignment_phrase(before: &str) -> bool {
    let before = before.trim_end_matches(['`', ' ']);
    let ends = [
        "defaults to",
        "default to",
        "set to",
        "equals",
        "=",
        " is",
        " be",
    ];
    ends.iter().any(|it| before.ends_with(it))
}

/// Where each thought of a fact begins, after the first.
fn find_clause_starts(fact: &str) -> Vec<usize> {
    let is_end = |it: &LiteralToken| match it.kind {
        LiteralTokenKind::ModerationMark('.' | ';' | '!' | '?') => {
            fact[it.end..].starts_with(char::is_whitespace)
        }
        LiteralTokenKind::ModerationMark(c) => matches!(c, '。' | '，' | '；'),
        _ => it.is_word() && is_in_caseless_word_list(BREAKS, it.slice_from(fact)),
    };
    let lines = fact.match_indices('\n').map(|it| it.0 + 1);
    let mut starts: Vec<usize> = scan_literal_tokens(fact)
        .iter()
        .filter(|it| is_end(it))
        .map(|it| it.end)
        .chain(lines)
        .collect();
    starts.sort_unstable();
    starts
}

fn has_hedging_cue(before: &str) -> bool {
    let has_cue = |word: &str| is_in_caseless_word_list(CUES, word) || word == "t";
    let tokens = scan_literal_tokens(before);
    let mut words = tokens
        .iter()
        .rev()
        .filter(|it| it.is_word())
        .take(CUE_WORDS);
    before.trim_end().ends_with(['<', '>', '≤', '≥', '≠'])
        || words.any(|it| has_cue(it.slice_from(before)))
}

/// The string that stands behind a name on its line; the name may itself be in quotes.
fn find_string_after_name(line: &str, end: usize) -> Option<&str> {
    let is_quote = |it: char| matches!(it, '"' | '\'' | '`');
    let from = end + usize::from(line[end..].starts_with(is_quote));
    let at = from + line[from..].find(is_quote)?;
    let (quote, text) = (line[at..].chars().next()?, &line[at + 1..]);
    let text = &text[..text.find(quote)?];
    (is_assignment_gap(&line[end..at]) && text.chars().any(char::is_alphanumeric)).then_some(text)
}

/// Whether what stands between a name and a value gives the one to the other: `: u32 = `, `(`, ` is `, `", `.
fn is_assignment_gap(gap: &str) -> bool {
    let is_default = matches!(gap.trim_end(), "\"," | "'," | "`,");
    let has_other = gap.contains([',', ';', '[', '+']) || gap.contains("==") || gap.contains("..");
    let is_blank = gap
        .chars()
        .all(|it| it.is_whitespace() || matches!(it, '"' | '\'' | '`'));
    let gives = gap.contains(['=', ':', '('])
        || [" is ", " are ", " to ", " of "]
            .iter()
            .any(|it| gap.contains(it));
    gap.len() <= MAX_GAP && (is_default || (!has_other && (is_blank || gives)))
}
