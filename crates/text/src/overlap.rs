//! How much two texts say the same: normalised words, and the share they have in common.

/// The share of words that two sets have in common, each sorted.
#[expect(clippy::cast_precision_loss, reason = "a text has few words")]
pub fn measure_jaccard_overlap<W: Ord>(a: &[W], b: &[W]) -> f32 {
    let both = a.iter().filter(|it| b.binary_search(it).is_ok()).count();
    both as f32 / (a.len() + b.len() - both).max(1) as f32
}

/// Subject and fact in lower case, punctuation turned to spaces, runs of spaces to one.
pub fn normalise_fact(subject: Option<&str>, fact: &str) -> String {
    let mut out = String::with_capacity(fact.len() + subject.map_or(0, str::len) + 1);
    for text in [subject.unwrap_or(""), " ", fact] {
        if text.is_ascii() {
            // Most facts are, and this runs on every neighbour of every draft.
            let lower = text.bytes().map(|it| char::from(it.to_ascii_lowercase()));
            lower.for_each(|it| push_normalised_char(&mut out, it));
        } else {
            let lower = text.chars().flat_map(char::to_lowercase);
            lower.for_each(|it| push_normalised_char(&mut out, it));
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn push_normalised_char(out: &mut String, c: char) {
    if c.is_alphanumeric() {
        out.push(c);
    } else if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

/// The words of a normalised text, sorted, each once.
pub fn collect_distinct_words(normalised: &str) -> Vec<&str> {
    let mut words: Vec<&str> = normalised.split(' ').collect();
    words.sort_unstable();
    words.dedup();
    words
}
