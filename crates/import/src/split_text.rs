//! A long text in parts that each fit into a memory: at paragraphs, else at lines, else at sentences.

/// The parts of a text, in order; for a sentence that does not fit by itself, its length.
pub(super) fn split_to_fit(text: &str, room: usize) -> Vec<Result<String, usize>> {
    let mut out: Vec<Result<String, usize>> = Vec::new();
    for (glue, unit) in split_into_units(text, room) {
        let n = unit.chars().count();
        match out.last_mut() {
            _ if n > room => out.push(Err(n)),
            Some(Ok(last)) if last.chars().count() + glue.len() + n <= room => {
                last.push_str(glue);
                last.push_str(unit);
            }
            _ => out.push(Ok(unit.to_owned())),
        }
    }
    out
}

/// The largest pieces that fit, each with what joins it to the one before.
fn split_into_units(text: &str, room: usize) -> Vec<(&'static str, &str)> {
    let fits = |it: &str| it.chars().count() <= room;
    let mut found = Vec::new();
    for paragraph in text.split("\n\n") {
        if fits(paragraph) {
            found.push(("\n\n", paragraph));
            continue;
        }
        for line in paragraph.lines() {
            match fits(line) {
                true => found.push(("\n", line)),
                false => found.extend(split_at_sentence_ends(line).into_iter().map(|it| (" ", it))),
            }
        }
    }
    let trimmed = found.into_iter().map(|(glue, it)| (glue, it.trim_end()));
    trimmed.filter(|(_, it)| !it.trim().is_empty()).collect()
}

fn split_at_sentence_ends(line: &str) -> Vec<&str> {
    let (mut found, mut start) = (Vec::new(), 0);
    let mut chars = line.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let is_spaced = chars.peek().is_none_or(|(_, it)| it.is_whitespace());
        let is_end =
            matches!(c, '。' | '！' | '？') || (matches!(c, '.' | '!' | '?' | ';') && is_spaced);
        if is_end {
            let end = i + c.len_utf8();
            found.push(line[start..end].trim());
            start = end;
        }
    }
    found.push(line[start..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_where_they_pause() {
        let check = |text: &str, room: usize, expected: &[&str]| {
            let told = |it: Result<String, usize>| it.unwrap_or_else(|n| format!("<{n}>"));
            let parts: Vec<String> = split_to_fit(text, room).into_iter().map(told).collect();
            assert_eq!(parts, expected, "{text:?}");
        };
        check("one two", 20, &["one two"]);
        check("one.\n\ntwo.", 6, &["one.", "two."]);
        check("a b.\n\nc d.\n\ne f.", 10, &["a b.\n\nc d.", "e f."]);
        check("line one\nline two", 10, &["line one", "line two"]);
        check(
            "One is. Two is. Three is.",
            16,
            &["One is. Two is.", "Three is."],
        );
        check("Short. averyveryverylongword", 10, &["Short.", "<21>"]);
        check("一二三。四五六。", 4, &["一二三。", "四五六。"]);
        check("v1.2 is. It is.", 8, &["v1.2 is.", "It is."]);
    }
}
