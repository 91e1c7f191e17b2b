//! Words of every prompt to a coding agent, which tell nothing of what it is about: those of any order, numbers, days, and the
//! endings of source files.

use std::{collections::HashSet, sync::LazyLock};

/// The words, as terms, so without their endings.
const EVERYDAY: &str = "add also chang check code command continu creat delet do done edit ensur error explain fail file find first \
    fix follow function go good help implement improv instal issu keep know last let line list look make mean move \
    name need new next note now ok old open option plea problem project put read remov renam replac repo rewrit \
    right run see set show simpl start still stop sure tell test thank think time tri understand updat us \
    use user want way work write wrong yes all anyth everyth noth someth thing \
    one two three four five six seven eight nine ten second third half \
    today yesterday tomorrow day week month year hour minut morn \
    ts tsx js jsx py rb rs cpp hpp txt md yml";

/// Whether a term stands in any prompt. A single letter or digit does.
pub(crate) fn is_everyday_term(term: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| EVERYDAY.split(' ').collect());
    term.len() == 1 || WORDS.contains(term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_are_terms_as_the_analyser_makes_them() {
        let is_term = |word: &&str| {
            apostille_text::terms::extract_query_terms(word)
                .iter()
                .all(|it| !it.is_content() || it.term == **word)
        };
        let others: Vec<&str> = EVERYDAY.split(' ').filter(|it| !is_term(it)).collect();
        assert!(others.is_empty(), "{others:?}");
    }
}
