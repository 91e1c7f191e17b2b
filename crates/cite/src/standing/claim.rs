//! The claim: the smallest parts of the code that say what a fact says, and whether they still stand.

use std::ops::Range;

use apostille_text::literals::{Literal, match_whole_literals};

use super::{CitedSides, FactJudge, Judgement, Standing, Subject, topic::blank_quotes};
use crate::{outline::ItemParts, tokens::split_text_tokens, verdict::Verdict};

/// How far apart the literals of a claim may come to stand before they are no claim any more, in lines: at least this, or
/// this many more than they stood apart.
const MIN_WINDOW: usize = 4;
const MORE_WINDOW: usize = 3;
/// A line that is looked for in the whole file has at least so many letters.
const MIN_TELLING: usize = 12;

/// A part of the code that says what the fact says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ClaimPart {
    /// The value behind an `=`, as tokens.
    Value(Vec<String>),
    /// An element of a list in brackets, as tokens.
    Element(Vec<String>),
    /// A line without its spaces.
    Line(String),
}

/// The claim of a fact in one item.
pub(super) struct ClaimParts {
    parts: Vec<ClaimPart>,
    /// The literals that stood together there.
    literals: Vec<Literal>,
    /// How many lines they stood apart.
    window: usize,
    is_pinned: bool,
    is_list: bool,
}

impl ClaimParts {
    pub(super) fn new(judge: &FactJudge, subject: &Subject, old: &ItemParts) -> Self {
        let said = judge.list_said_beside(subject);
        let is_list = judge.topic.is_list();
        let lines = list_cited_lines(subject);
        let claims = find_claim_lines(&said, &lines);
        let literals = claims
            .first()
            .map_or(Vec::new(), |line| keep_said(&said, line));
        let window = find_window(&lines, &literals).unwrap_or(1);
        let is_pinned = is_pinned(judge.fact, &literals, subject.is_named);
        let parts = match find_value_part(old, &said) {
            Some(value) => vec![value],
            None => claims
                .iter()
                .map(|line| find_smallest_part(old, &said, line))
                .collect(),
        };
        Self {
            parts,
            literals,
            window,
            is_pinned,
            is_list,
        }
    }

    /// How the fact stands in the item as it is now.
    pub(super) fn judge_in(&self, new: &ItemParts) -> Standing {
        let text = String::from_utf8_lossy(new.slice(&(0..usize::MAX))).into_owned();
        let is_intact =
            !self.parts.is_empty() && self.parts.iter().all(|it| it.stands_in(new, &text));
        if is_intact {
            let is_plain = self.is_pinned && !self.is_list;
            return if is_plain {
                Standing::Stands
            } else {
                Standing::Check
            };
        }
        if self.has_lost_number(&text) {
            return Standing::Contradicted;
        }
        if !self.is_pinned {
            return Standing::Check;
        }
        if self
            .parts
            .iter()
            .any(|it| it.has_other_value(&self.literals, new))
        {
            return Standing::Contradicted;
        }
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let most = MIN_WINDOW.max(self.window + MORE_WINDOW);
        // Names come and go while a sentence about them stays true; a value that left is another value.
        if !self.literals.iter().any(Literal::is_value) {
            return Standing::Check;
        }
        match find_window(&lines, &self.literals) {
            Some(window) if window <= most => Standing::Check,
            _ => Standing::Contradicted,
        }
    }

    /// Whether a number of the claim is nowhere in the item any more. A word in quotes may be put otherwise; a number that
    /// left is another number, however long the sentence around it is.
    fn has_lost_number(&self, text: &str) -> bool {
        let numbers = self
            .literals
            .iter()
            .filter(|it| matches!(it, Literal::Number(_)));
        let numbers: Vec<Literal> = numbers.cloned().collect();
        match_whole_literals(&numbers, text).contains(&false)
    }
}

impl ClaimPart {
    fn stands_in(&self, new: &ItemParts, text: &str) -> bool {
        match self {
            Self::Value(tokens) => new
                .find_value()
                .is_some_and(|it| tokens_of(new, &it) == *tokens),
            Self::Element(tokens) => {
                let spans = new.list_elements();
                spans
                    .iter()
                    .any(|it| is_same_element(tokens, &tokens_of(new, it)))
            }
            Self::Line(line) => text.lines().any(|it| normalise_line(it) == *line),
        }
    }

    /// Whether what had the value has another one now: the value does not say the literals any more, or the only element
    /// with the same name does not.
    fn has_other_value(&self, literals: &[Literal], new: &ItemParts) -> bool {
        let values: Vec<Literal> = literals
            .iter()
            .filter(|it| it.is_value())
            .cloned()
            .collect();
        let says_none = |span: &Range<usize>| {
            let text = String::from_utf8_lossy(new.slice(span));
            match_whole_literals(&values, &text).contains(&false)
        };
        let spans = match self {
            Self::Value(_) => new.find_value().into_iter().collect(),
            Self::Element(tokens) => {
                let Some(slot) = find_slot(tokens) else {
                    return false;
                };
                let is_it = |it: &Range<usize>| find_slot(&tokens_of(new, it)) == Some(slot);
                new.list_elements().into_iter().filter(is_it).collect()
            }
            Self::Line(_) => Vec::new(),
        };
        !values.is_empty() && !spans.is_empty() && spans.iter().all(says_none)
    }
}

/// Whether two elements say the same: the same text, or the same value for the same name, whatever its type is.
fn is_same_element(was: &[String], now: &[String]) -> bool {
    let value = |tokens: &[String]| {
        let at = tokens.iter().position(|it| it == "=")?;
        Some(tokens[at + 1..].to_vec())
    };
    was == now
        || value(was).is_some() && value(was) == value(now) && find_slot(was) == find_slot(now)
}

/// The words before the first `=` or `:` of an element: what has the value.
fn find_slot(tokens: &[String]) -> Option<&[String]> {
    let end = tokens.iter().position(|it| it == "=" || it == ":")?;
    (end > 0).then(|| &tokens[..end])
}

fn tokens_of(item: &ItemParts, span: &Range<usize>) -> Vec<String> {
    let mut tokens = split_text_tokens(&String::from_utf8_lossy(item.slice(span)));
    while tokens.last().is_some_and(|it| it == "," || it == ";") {
        tokens.pop();
    }
    tokens
}

/// The cited lines that belong to the item of a fact.
fn list_cited_lines(subject: &Subject) -> Vec<String> {
    let rows = subject.side.was_rows.clone();
    let inside = rows.filter(|row| subject.item.rows.contains(row));
    inside
        .map(|row| subject.side.was.text(&(row..row + 1)))
        .collect()
}

/// The lines that say most of these literals.
fn find_claim_lines(said: &[Literal], lines: &[String]) -> Vec<String> {
    let count = |line: &String| {
        match_whole_literals(said, line)
            .iter()
            .filter(|it| **it)
            .count()
    };
    let scores: Vec<usize> = lines.iter().map(count).collect();
    let most = scores.iter().max().copied().unwrap_or(0);
    let claims = lines
        .iter()
        .zip(scores)
        .filter(|it| most > 0 && it.1 == most);
    claims.map(|it| it.0.clone()).collect()
}

fn keep_said(said: &[Literal], text: &str) -> Vec<Literal> {
    let hits = match_whole_literals(said, text);
    said.iter()
        .zip(hits)
        .filter(|it| it.1)
        .map(|it| it.0.clone())
        .collect()
}

/// How many words of prose a literal may pin down. A long sentence with one quoted word says more than that word.
const WORDS_PER_LITERAL: usize = 10;

/// Whether a claim line says so much that it can be told from others, and most of what the fact says: two literals, or a
/// number, a value or a text, in a fact that is not much longer.
fn is_pinned(fact: &str, literals: &[Literal], is_named: bool) -> bool {
    let is_flag =
        |it: &Literal| matches!(it, Literal::Name(name) if fact.contains(&format!("--{name}")));
    let n_literals = literals.len() + usize::from(is_named);
    let n_words = blank_quotes(fact).split_whitespace().count();
    (literals.iter().any(|it| it.is_value() || is_flag(it)) || literals.len() >= 2)
        && n_words <= WORDS_PER_LITERAL * n_literals
}

fn find_value_part(old: &ItemParts, said: &[Literal]) -> Option<ClaimPart> {
    let span = old.find_value()?;
    let text = String::from_utf8_lossy(old.slice(&span)).into_owned();
    let is_it = !said.is_empty() && match_whole_literals(said, &text).iter().all(|it| *it);
    is_it.then(|| ClaimPart::Value(tokens_of(old, &span)))
}

/// The smallest element that says all that a line says; the line itself where no element does, or where it says too little
/// to be told from others.
fn find_smallest_part(old: &ItemParts, said: &[Literal], line: &str) -> ClaimPart {
    let here = keep_said(said, line);
    let is_text = |it: &Literal| matches!(it, Literal::Quoted(text) if text.len() >= MIN_TELLING);
    let is_telling = here.len() >= 2 || here.iter().any(is_text);
    let line_part = ClaimPart::Line(normalise_line(line));
    if !is_telling {
        return line_part;
    }
    let says_all = |span: &Range<usize>| {
        let text = String::from_utf8_lossy(old.slice(span));
        match_whole_literals(&here, &text).iter().all(|it| *it)
    };
    let smallest = old
        .list_elements()
        .into_iter()
        .filter(says_all)
        .min_by_key(Range::len);
    match smallest {
        Some(span) if span.len() < line.len() + 40 => ClaimPart::Element(tokens_of(old, &span)),
        _ => line_part,
    }
}

/// The fewest lines in a row that say all of these; `None` where there are none.
fn find_window(lines: &[String], literals: &[Literal]) -> Option<usize> {
    let hits: Vec<Vec<bool>> = lines
        .iter()
        .map(|it| match_whole_literals(literals, it))
        .collect();
    let rows_of = |which: usize| {
        (0..lines.len())
            .filter(|row| hits[*row][which])
            .collect::<Vec<_>>()
    };
    let places: Vec<Vec<usize>> = (0..literals.len()).map(rows_of).collect();
    if places.is_empty() || places.iter().any(Vec::is_empty) {
        return None;
    }
    let around = |row: &usize| {
        let nearest = places
            .iter()
            .filter_map(|it| it.iter().min_by_key(|at| at.abs_diff(*row)));
        let rows: Vec<usize> = nearest.copied().collect();
        let (low, high) = (rows.iter().min()?, rows.iter().max()?);
        Some(high - low + 1)
    };
    places[0].iter().filter_map(around).min()
}

fn normalise_line(line: &str) -> String {
    let bare: String = line.chars().filter(|it| !it.is_whitespace()).collect();
    bare.trim_end_matches([',', ';']).to_owned()
}

/// Judges by what the cited lines became, where no item is known.
pub(super) fn judge_claim_lines(judge: &FactJudge) -> Judgement {
    let was: Vec<String> = judge
        .sides
        .iter()
        .flat_map(|it| it.citation.snippet.lines().map(str::to_owned))
        .collect();
    let now: Vec<String> = judge.sides.iter().flat_map(list_lines_now).collect();
    let claims = find_claim_lines(&judge.said, &was);
    let best = claims
        .first()
        .map_or(Vec::new(), |line| keep_said(&judge.said, line));
    let is_gone = judge
        .sides
        .iter()
        .any(|it| matches!(it.verdict, Verdict::Gone { .. }));
    let all_now = now.join("\n");
    let is_lost = match_whole_literals(&judge.said, &all_now).contains(&false);
    let most = MIN_WINDOW.max(find_window(&was, &best).unwrap_or(1) + MORE_WINDOW);
    let is_apart = !best.is_empty() && find_window(&now, &best).is_none_or(|it| it > most);
    let judged = |standing: Standing| Judgement {
        at: find_place(judge),
        now: Some(all_now.clone()).filter(|it| !it.is_empty()),
        ..standing.into()
    };
    if is_gone || is_lost || is_apart {
        return judged(if stands_elsewhere(judge, &claims) {
            Standing::Check
        } else if is_gone {
            Standing::Gone
        } else {
            Standing::Contradicted
        });
    }
    let stand: Vec<String> = now.iter().map(|it| normalise_line(it)).collect();
    let is_intact = claims.iter().all(|it| stand.contains(&normalise_line(it)));
    let is_plain = is_intact && is_pinned(judge.fact, &best, false) && !judge.topic.is_closed();
    judged(if is_plain {
        Standing::Stands
    } else {
        Standing::Check
    })
}

fn list_lines_now(side: &CitedSides) -> Vec<String> {
    let text = match side.verdict {
        Verdict::Holds | Verdict::Moved { .. } => &side.citation.snippet,
        Verdict::Changed(found) => &found.now,
        Verdict::Gone { .. } | Verdict::Unknown { .. } => return Vec::new(),
    };
    text.lines().map(str::to_owned).collect()
}

fn find_place(judge: &FactJudge) -> Option<crate::citation::CodeLocation> {
    judge.sides.iter().find_map(|it| match it.verdict {
        Verdict::Changed(found) => Some(found.at.clone()),
        _ => None,
    })
}

/// Whether all claim lines stand once each elsewhere in a file that was looked at: the lines were followed to a wrong place.
fn stands_elsewhere(judge: &FactJudge, claims: &[String]) -> bool {
    let files = || judge.sides.iter().flat_map(|it| &it.now);
    let stands_once = |claim: &String| {
        let claim = normalise_line(claim);
        let lines = files().flat_map(|it| it.lines.lines().iter());
        let same = lines.filter(|it| normalise_line(&String::from_utf8_lossy(it)) == claim);
        claim.len() >= MIN_TELLING && same.take(2).count() == 1
    };
    !claims.is_empty() && claims.iter().all(stands_once)
}
