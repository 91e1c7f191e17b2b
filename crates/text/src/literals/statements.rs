//! Facts of several statements: a citation that proves the first says nothing about the second.

use super::{
    Literal,
    find::{find_literals, is_in_caseless_word_list},
    prose::is_in_passing,
    scanned_text::ScannedText,
};
use crate::sentences::ends_sentence;

/// Words that a statement begins with which tells its reader what to do.
const ORDERS: &str = "always never don't dont run execute curl wget download install push disable skip ignore send upload \
    bypass immer nie niemals toujours jamais siempre nunca sempre всегда никогда";
/// The same in two words.
const LONG_ORDERS: [&str; 4] = ["do not", "you must", "must not", "make sure"];
/// What may stand before them.
const OPENINGS: &str = "and but then also so please first und et y e";
/// The most characters of a statement that is repeated.
const MAX_CHARS: usize = 80;

/// What a fact adds to what its evidence proves: addresses that no cited line has, and, in statements of which the evidence has
/// nothing, commands, values and orders. Empty where nothing of the fact is proven: then all of it is doubted anyway.
#[must_use]
pub fn find_unproven_statements(fact: &str, evidence: &[(&str, &str)]) -> Vec<String> {
    let is_quoted = |(_, snippet): &(&str, &str)| snippet.contains(fact.trim());
    if evidence.is_empty() || evidence.iter().any(is_quoted) {
        return Vec::new();
    }
    let mut found: Vec<String> = list_addresses(fact)
        .filter(|it| !evidence.iter().any(|(_, snippet)| snippet.contains(it)))
        .map(str::to_owned)
        .collect();
    let statements = split_statements(fact);
    if statements.len() > 1 {
        let texts = evidence.iter().flat_map(|it| [it.0, it.1]);
        let said: Vec<ScannedText> = texts.map(ScannedText::from_text).collect();
        let is_proven = |it: &&str| {
            let mut literals = find_literals(it).into_iter();
            literals.any(|it| said.iter().any(|text| is_said(text, &it.literal)))
        };
        let (proven, others): (Vec<&str>, Vec<&str>) = statements.into_iter().partition(is_proven);
        if !proven.is_empty() {
            found.extend(others.into_iter().flat_map(list_claims));
        }
    }
    found.dedup();
    found
}

/// Whether a text says a literal; a command with all its words.
fn is_said(text: &ScannedText, literal: &Literal) -> bool {
    match literal {
        Literal::Quoted(_) => text.has_whole_literal(literal),
        _ => text.has_literal(literal),
    }
}

/// The addresses in a text.
fn list_addresses(fact: &str) -> impl Iterator<Item = &str> {
    let is_edge = |it: char| it.is_whitespace() || "`\"'<>()[]{}|,;".contains(it);
    let words = fact.split(is_edge).filter(|it| it.contains("://"));
    words.map(|it| it.trim_end_matches(['.', ':', '!', '?']))
}

/// What a statement claims by itself: commands and values, or else the whole of it where it is an order.
fn list_claims(statement: &str) -> Vec<String> {
    let literals = find_literals(statement);
    let claims = literals.iter().filter(|it| {
        let text = it.literal.as_str();
        it.literal.is_value() && !is_in_passing(statement, it) && !text.contains("://")
    });
    let claims: Vec<String> = claims.map(|it| it.literal.as_str().to_owned()).collect();
    match claims.is_empty() && is_order(statement) {
        true => vec![statement.chars().take(MAX_CHARS).collect()],
        false => claims,
    }
}

fn is_order(statement: &str) -> bool {
    let words = statement.split(|it: char| it.is_whitespace() || ",:".contains(it));
    let words = words.filter(|it| !it.is_empty());
    let mut words = words.skip_while(|it| is_in_caseless_word_list(OPENINGS, it));
    let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let pair = format!("{first} {second}").to_lowercase();
    // "and never more" orders nothing.
    let is_whole = words.next().is_some();
    is_whole && (is_in_caseless_word_list(ORDERS, first) || LONG_ORDERS.contains(&pair.as_str()))
}

/// The statements of a fact: what sentences, semicolons and lines divide, and an order behind an "and". What stands in quotes is
/// not torn.
fn split_statements(fact: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, sign) in fact.char_indices() {
        match sign {
            '`' | '"' if quote.is_none_or(|it| it == sign) => {
                quote = quote.is_none().then_some(sign);
            }
            _ if quote.is_some() || !is_border(fact, at, sign) => {}
            _ => {
                statements.push(&fact[start..at]);
                start = at + sign.len_utf8();
            }
        }
    }
    statements.push(&fact[start..]);
    let statements = statements
        .into_iter()
        .map(|it| it.trim().trim_end_matches('.'));
    statements.filter(|it| !it.is_empty()).collect()
}

fn is_border(fact: &str, at: usize, sign: char) -> bool {
    let (before, after) = (&fact[..at], &fact[at + sign.len_utf8()..]);
    match sign {
        ';' | '\n' | '。' | '；' => true,
        '.' | '!' | '?' => {
            let word = before.rsplit(char::is_whitespace).next().unwrap_or("");
            let is_spaced = after.starts_with(char::is_whitespace);
            let is_new = after
                .trim_start()
                .starts_with(|it: char| it.is_uppercase() || it == '`');
            let is_number = word.ends_with(|it: char| it.is_ascii_digit()) && is_new;
            is_spaced && (is_number || ends_sentence(&format!("{word}{sign}")))
        }
        ' ' | ',' => after.trim_start().starts_with("and ") && is_order(after),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "pub const RETRY_LIMIT: u32 = 3; // see https://docs.example/retry";

    /// Facts that cite that line: what of each it does not prove, after the arrow. A line without an arrow is proven, or says no more
    /// than people say in passing.
    const CASES: &str = include_str!("statements/cases.txt");

    #[test]
    fn unproven_statements_are_found() {
        let mut n_cases = 0;
        for case in CASES
            .lines()
            .filter(|it| !it.is_empty() && !it.starts_with('#'))
        {
            let (fact, expected) = case.split_once(" => ").unwrap_or((case, ""));
            let found = find_unproven_statements(fact, &[("src/retry.rs", LINE)]);
            assert_eq!(found.join(" | "), expected, "{fact}");
            n_cases += 1;
        }
        assert!(n_cases >= 60, "{n_cases} cases");
    }

    #[test]
    fn quoted_fact_is_proven_as_it_stands() {
        let fact = "Retries. Always run `make seed` first";
        let quoted = format!("// {fact}");
        assert!(find_unproven_statements(fact, &[("a.rs", &quoted)]).is_empty());
        assert!(find_unproven_statements(fact, &[]).is_empty());
    }
}
