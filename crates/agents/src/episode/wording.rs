//! Words on their way into an episode.

use apostille_text::{
    moderate::{has_confusable_word, is_instruction, sanitise_text},
    secrets,
    sentences::split_at_marks,
};

/// A sentence of fewer words says nothing ("Looking.").
const FEWEST_WORDS: usize = 5;

/// A text on one line, shortened, without the sentences that hold a secret, read like an order to a model, or have letters
/// that pass for others: with one of them the whole record would wait for a person. `None` when nothing is left.
pub(super) fn clean_episode_text(text: &str, chars: usize) -> Option<String> {
    let line = sanitise_text(text);
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept = if is_plain(&line) {
        line
    } else {
        let sentences = split_at_marks(&line, &['.', '!', '?', ';']).into_iter();
        sentences.filter(|it| is_plain(it)).collect()
    };
    // What a cut breaks into two may hide from each look; the whole is looked at once more.
    Some(shorten_at_word(kept.trim(), chars)).filter(|it| !it.is_empty() && is_plain(&kept))
}

fn is_plain(text: &str) -> bool {
    secrets::find_secret(text).is_none() && !is_instruction(text) && !has_confusable_word(text)
}

/// The first sentence of prose that says something.
pub(super) fn find_plain_sentence(text: &str, chars: usize) -> Option<String> {
    let prose = text.split("```").next().unwrap_or_default();
    let lines = prose.lines().map(str::trim);
    let mut lines = lines.filter(|it| !it.starts_with(['|', '#', '>']));
    let is_whole = |it: &str| it.split_whitespace().count() >= FEWEST_WORDS;
    lines.find_map(|line| {
        // A colon parts a password from its name, so the line is cleaned first.
        let line = clean_episode_text(line, usize::MAX)?;
        let sentences = split_at_marks(&line, &['.', '!', '?', ':']).into_iter();
        let mut sentences = sentences.filter_map(|it| clean_episode_text(it, chars));
        sentences.find(|it| is_whole(it))
    })
}

fn shorten_at_word(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let head: String = text.chars().take(chars - 1).collect();
    let space = head.rfind(' ').filter(|it| *it > chars / 2);
    let head = &head[..space.unwrap_or(head.len())];
    format!("{}…", head.trim_end_matches([',', ';', ':', ' ']))
}

/// The first items, and how many more there are; `None` for none.
pub(super) fn join_items(items: &[String], most: usize, between: &str) -> Option<String> {
    join_described(items, most, between, |it| Some(it.clone()))
}

/// The first items that have something to say, and how many more there are: a long session has thousands, and cleaning costs.
pub(super) fn join_described<T>(
    items: impl IntoIterator<Item = T>,
    most: usize,
    between: &str,
    describe: impl Fn(T) -> Option<String>,
) -> Option<String> {
    let mut items = items.into_iter();
    let mut shown = Vec::new();
    while shown.len() < most
        && let Some(item) = items.next()
    {
        shown.extend(describe(item));
    }
    let rest = match items.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("{}{rest}", shown.join(between)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_with_marks_in_it_leaves_no_part_in_an_episode() {
        let password = ["Tr0ub4dor", "Kx9.Zq7wLpv"].join("!");
        let text = format!("My password is {password} for the upload box. Keep the limit at 10.");
        let kept = clean_episode_text(&text, 200);
        assert_eq!(kept.as_deref(), Some("Keep the limit at 10."));
        let text = format!("The password: {password} opens the upload box here");
        assert_eq!(find_plain_sentence(&text, 200), None);
    }
}
