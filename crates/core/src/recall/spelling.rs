//! Words of a question that nobody wrote: the nearest that somebody did, and compounds taken apart.

use std::collections::BTreeSet;

use super::query::RecallQuery;
use crate::{
    Context, CoreError,
    space::Space,
    store::{Posting, Postings},
};
use apostille_text::{
    terms,
    terms::{QueryTerm, TermRole},
    typo,
};

/// The shortest part of a compound, in letters.
const PART_LETTERS: usize = 3;
/// The longest compound that is taken apart, in letters.
const MAX_COMPOUND: usize = 24;

/// A term as it is looked up in one space.
#[derive(Debug, Clone)]
pub(super) struct SoughtTerm {
    /// The term.
    pub(super) asked: QueryTerm,
    /// Whether it is only a guess at what was meant: it finds, and tells nothing.
    pub(super) is_guess: bool,
    /// The memories that have it.
    pub(super) postings: Vec<Posting>,
}

/// The question's terms with the memories that have them; beside words that nobody wrote, the nearest that somebody did.
pub(super) fn seek_terms(
    cx: &Context,
    query: &RecallQuery,
    space: &Space,
    postings: &mut Postings,
    unknown: &BTreeSet<String>,
) -> Result<Vec<SoughtTerm>, CoreError> {
    let lists = std::mem::take(&mut postings.lists);
    let pairs = query.terms.iter().cloned().zip(lists);
    let mut sought: Vec<SoughtTerm> = pairs
        .map(|(asked, postings)| SoughtTerm {
            asked,
            is_guess: false,
            postings,
        })
        .collect();
    let mut words = terms::extract_misspellable_words(&query.text);
    words.retain(|(_, term)| unknown.contains(term));
    for (word, term) in words {
        let more = match find_compound(cx, space, &word, &term)? {
            Some(compound) => vec![compound],
            None => find_corrections(cx, space, &word)?,
        };
        for it in more {
            if !sought
                .iter()
                .any(|known| !known.postings.is_empty() && known.asked.term == it.asked.term)
            {
                sought.push(it);
            }
        }
    }
    Ok(sought)
}

/// The memories that have both parts of a compound: "roadtrips" asks for "road trip".
fn find_compound(
    cx: &Context,
    space: &Space,
    word: &str,
    term: &str,
) -> Result<Option<SoughtTerm>, CoreError> {
    let letters = word.len();
    if !word.is_ascii() || !(2 * PART_LETTERS..=MAX_COMPOUND).contains(&letters) {
        return Ok(None);
    }
    let cuts = PART_LETTERS..=letters - PART_LETTERS;
    let parts: Vec<String> = cuts
        .flat_map(|at| [&word[..at], &word[at..]])
        .map(terms::stem_word)
        .collect();
    let lists = cx.store.read_postings(space, &parts)?.lists;
    let both = lists
        .chunks_exact(2)
        .map(|it| intersect_postings(&it[0], &it[1]));
    // The rarest compound is the one that was meant.
    let found = both.filter(|it| !it.is_empty()).min_by_key(Vec::len);
    Ok(found.map(|postings| SoughtTerm {
        asked: QueryTerm {
            term: term.to_owned(),
            word: word.to_owned(),
            weight: 1.0,
            role: TermRole::Content,
        },
        is_guess: false,
        postings,
    }))
}

fn intersect_postings(first: &[Posting], second: &[Posting]) -> Vec<Posting> {
    let both = first.iter().filter_map(|it| {
        let at = second
            .binary_search_by_key(&it.number, |it| it.number)
            .ok()?;
        let count = it.count.min(second[at].count);
        Some(Posting { count, ..*it })
    });
    both.collect()
}

fn find_corrections(cx: &Context, space: &Space, word: &str) -> Result<Vec<SoughtTerm>, CoreError> {
    let mut vocabulary = Vec::new();
    for initial in typo::first_letters(word) {
        vocabulary.extend(cx.store.list_terms(space, initial)?);
    }
    let known = vocabulary.iter().map(String::as_str);
    let corrections = typo::find_spelling_corrections(word, known);
    if corrections.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<String> = corrections.iter().map(|it| it.0.to_owned()).collect();
    let lists = cx.store.read_postings(space, &names)?.lists;
    let guess = |((term, weight), postings): ((&str, f32), Vec<Posting>)| SoughtTerm {
        asked: QueryTerm {
            term: term.to_owned(),
            word: word.to_owned(),
            weight,
            role: TermRole::Content,
        },
        is_guess: true,
        postings,
    };
    Ok(corrections.into_iter().zip(lists).map(guess).collect())
}
