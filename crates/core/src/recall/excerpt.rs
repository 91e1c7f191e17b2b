//! What a long memory shows of itself: the passage around the question's words.

use std::borrow::Cow;
use std::{collections::BTreeSet, ops::Range};

use super::{hit::VerifiedHit, overlap};
use apostille_text::terms;

/// A fact of up to so many characters is shown whole; of a longer one, a passage of at most so many.
pub const WHOLE_CHARS: usize = 500;

/// The characters that a passage has for text: what is left of the whole by a mark and a space on either side.
const ROOM_CHARS: usize = WHOLE_CHARS - 4;
/// The longest piece that is not cut, in characters: what is longer is no word, or is of a script without spaces.
const PIECE_CHARS: usize = 40;

/// What is shown of a memory: its fact, or of a long one the passage that answers best.
pub fn excerpt_hit(it: &VerifiedHit) -> Cow<'_, str> {
    let terms = it.hit.why.terms.iter().map(|it| it.term.clone());
    excerpt_text(&it.hit.memory.fact, &terms.collect::<Vec<_>>())
}

/// The passage of a text around these terms, cut between words; the text itself when it is short.
pub fn excerpt_text<'a>(text: &'a str, terms: &[String]) -> Cow<'a, str> {
    if text.chars().nth(WHOLE_CHARS).is_none() {
        return Cow::Borrowed(text);
    }
    let pieces = split_excerpt_pieces(text, terms);
    if pieces.is_empty() {
        return Cow::Borrowed("");
    }
    let core = find_densest_stretch(&pieces);
    let (first, last) = grow_stretch(&pieces, core);
    let inner = &text[pieces[first].at.start..pieces[last].at.end];
    let before = if first == 0 { "" } else { "… " };
    let after = if last + 1 == pieces.len() { "" } else { " …" };
    Cow::Owned(format!("{before}{inner}{after}"))
}

/// A word of the text, or a part of one that is too long.
struct ExcerptPiece {
    at: Range<usize>,
    /// Its characters.
    len: usize,
    /// The same, with the space before it.
    chars: usize,
    /// Which of the terms it has.
    hits: Vec<usize>,
}

fn split_excerpt_pieces(text: &str, asked: &[String]) -> Vec<ExcerptPiece> {
    let mut pieces = Vec::new();
    let mut end = 0;
    for at in find_piece_ranges(text) {
        let word = &text[at.clone()];
        let chars = text[end..at.end].chars().count();
        end = at.end;
        pieces.push(ExcerptPiece {
            hits: match_terms_in_word(word, asked),
            len: word.chars().count(),
            at,
            chars,
        });
    }
    pieces
}

/// Which of the terms a word has, by either way of finding terms.
fn match_terms_in_word(word: &str, asked: &[String]) -> Vec<usize> {
    if asked.is_empty() {
        return Vec::new();
    }
    let mut own = overlap::split_overlap_words(word);
    own.extend(terms::extract_terms(word).into_iter().map(|it| it.0));
    (0..asked.len())
        .filter(|it| own.contains(&asked[*it]))
        .collect()
}

/// Where the pieces of a text stand.
fn find_piece_ranges(text: &str) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    let (mut start, mut chars) = (None, 0);
    for (at, c) in text.char_indices() {
        let is_over = c.is_whitespace() || chars == PIECE_CHARS;
        if is_over && let Some(start) = start.take() {
            cuts.push(start..at);
            chars = 0;
        }
        if !c.is_whitespace() {
            start.get_or_insert(at);
            chars += 1;
        }
    }
    cuts.extend(start.map(|it| it..text.len()));
    cuts
}

/// From the first to the last hit of the stretch that has the most of the terms; the earliest of equals.
fn find_densest_stretch(pieces: &[ExcerptPiece]) -> (usize, usize) {
    let mut best = ((0, 0), (0, 0));
    for first in (0..pieces.len()).filter(|it| !pieces[*it].hits.is_empty()) {
        let (mut terms, mut n_hits, mut last, mut chars) = (BTreeSet::<usize>::new(), 0, first, 0);
        for (at, piece) in pieces.iter().enumerate().skip(first) {
            chars += if at == first { piece.len } else { piece.chars };
            if chars > ROOM_CHARS {
                break;
            }
            if !piece.hits.is_empty() {
                terms.extend(piece.hits.iter().copied());
                n_hits += piece.hits.len();
                last = at;
            }
        }
        if (terms.len(), n_hits) > best.0 {
            best = ((terms.len(), n_hits), (first, last));
        }
    }
    best.1
}

/// The stretch with as much around it as there is room for, the same on both sides where there is that much.
fn grow_stretch(pieces: &[ExcerptPiece], (mut first, mut last): (usize, usize)) -> (usize, usize) {
    let inner: usize = pieces[first + 1..=last].iter().map(|it| it.chars).sum();
    let mut left = ROOM_CHARS.saturating_sub(pieces[first].len + inner);
    loop {
        // A piece before brings the space that follows it, which was not counted yet.
        let cost = |it: usize| pieces[it].len + pieces[first].chars - pieces[first].len;
        let before = first.checked_sub(1).filter(|it| cost(*it) <= left);
        if let Some(at) = before {
            left -= cost(at);
            first = at;
        }
        let after = Some(last + 1).filter(|it| pieces.get(*it).is_some_and(|it| it.chars <= left));
        if let Some(at) = after {
            left -= pieces[at].chars;
            last = at;
        }
        if before.is_none() && after.is_none() {
            return (first, last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str, terms: &[&str]) -> String {
        let terms: Vec<String> = terms.iter().map(|it| (*it).to_owned()).collect();
        excerpt_text(text, &terms).into_owned()
    }

    fn filler(n: usize) -> String {
        (0..n)
            .map(|it| format!("w{it}"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn a_short_text_is_shown_as_it_is() {
        let check = |text: &str| assert_eq!(of(text, &["port"]), text);
        check("");
        check("The port is 5432.\n  And more.\n");
        check(&"é".repeat(WHOLE_CHARS));
    }

    #[test]
    fn a_long_text_is_shown_around_the_words_of_the_question() {
        let text = format!(
            "{}\nThe database port is 5432.\n{}",
            filler(300),
            filler(300)
        );
        let shown = of(&text, &["port", "databas"]);
        assert!(shown.contains("The database port is 5432."), "{shown}");
        assert!(shown.starts_with("… w") && shown.ends_with(" …"), "{shown}");
        assert!(
            (450..=WHOLE_CHARS).contains(&shown.chars().count()),
            "{}",
            shown.chars().count()
        );
    }

    #[test]
    fn the_place_with_the_most_of_the_terms_wins() {
        let text = format!(
            "port {} port and database {} database",
            filler(200),
            filler(200)
        );
        let shown = of(&text, &["port", "databas"]);
        assert!(shown.contains("port and database"), "{shown}");
    }

    #[test]
    fn without_a_hit_it_is_the_beginning() {
        let shown = of(&filler(300), &[]);
        assert!(
            shown.starts_with("w0 w1 ") && shown.ends_with(" …"),
            "{shown}"
        );
        assert_eq!(of(&filler(300), &["zebra"]), shown);
    }

    #[test]
    fn a_hit_at_the_end_leaves_no_mark_behind_it() {
        let shown = of(&format!("{} zebra", filler(300)), &["zebra"]);
        assert!(
            shown.starts_with("… ") && shown.ends_with(" zebra"),
            "{shown}"
        );
    }

    proptest! {
        #[test]
        fn a_passage_is_bounded_and_of_the_text(text in "(\\PC{0,60}[ \n]{0,3}){0,60}", term in "[a-z]{1,3}") {
            let shown = of(&text, &[&term]);
            prop_assert!(shown.chars().count() <= WHOLE_CHARS);
            let inner = shown.trim_start_matches("… ").trim_end_matches(" …");
            prop_assert!(text.contains(inner));
            prop_assert_eq!(of(&text, &[&term]), shown);
        }
    }
}
