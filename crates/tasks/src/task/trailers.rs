//! Trailers at the end of a commit message, where git looks for them: in the last paragraph, before the comments that an
//! editor shows and before what the scissors cut off.

/// What begins a comment unless the configuration says otherwise.
pub const HASH: &str = "#";
/// The rest of the line from which on nothing belongs to the message.
const SCISSORS: &str = " ------------------------ >8 ------------------------";
/// What git itself writes among trailers: a paragraph with one of these is of trailers, even with other lines in it.
const KNOWN: [&str; 2] = ["Signed-off-by: ", "(cherry picked from commit "];

/// The message with these trailers added, each unless one of its name is there already. `None`: there is nothing to add,
/// or nothing to add it to; an empty message stays empty, so that git gives the commit up.
pub fn add_trailers(message: &str, comment: &str, trailers: &[(&str, &str)]) -> Option<String> {
    let (said, rest) = split_message_body(message, comment);
    let body: Vec<&str> = said.lines().filter(|it| !it.starts_with(comment)).collect();
    if body.iter().all(|it| it.trim().is_empty()) {
        return None;
    }
    let block = find_trailer_block(&body);
    let names = || block.iter().flatten().filter_map(|it| it.split_once(':'));
    let is_there = |name: &str| names().any(|it| it.0.trim_end().eq_ignore_ascii_case(name));
    let missing: Vec<String> = trailers
        .iter()
        .filter(|(name, _)| !is_there(name))
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let end = if said.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if block.is_some() { "" } else { end };
    let (said, missing) = (said.trim_end(), missing.join(end));
    Some(format!("{said}{end}{gap}{missing}{end}{rest}"))
}

/// What a trailer of a message says, by its name.
pub fn read_trailer<'m>(message: &'m str, name: &str) -> Option<&'m str> {
    let body: Vec<&str> = message.lines().collect();
    let block = find_trailer_block(&body)?;
    let mut trailers = block.into_iter().filter_map(|it| it.split_once(':'));
    let found = trailers.find(|it| it.0.trim_end().eq_ignore_ascii_case(name))?;
    Some(found.1.trim()).filter(|it| !it.is_empty())
}

/// Whether a message says no more than a template does, comments left out: then git gives the commit up by itself.
pub fn is_untouched_template(message: &str, template: &str, comment: &str) -> bool {
    fn list_words<'t>(text: &'t str, comment: &str) -> Vec<&'t str> {
        let lines = split_message_body(text, comment).0.lines();
        lines
            .filter(|it| !it.starts_with(comment))
            .map(str::trim_end)
            .filter(|it| !it.is_empty())
            .collect()
    }
    list_words(message, comment) == list_words(template, comment)
}

/// What is said, and what follows it: blank lines and comments at the end, and everything behind the scissors.
fn split_message_body<'m>(message: &'m str, comment: &str) -> (&'m str, &'m str) {
    let (mut at, mut end) = (0, 0);
    for line in message.split_inclusive('\n') {
        let plain = line.trim_end_matches(['\n', '\r']);
        if plain.strip_prefix(comment).is_some_and(|it| it == SCISSORS) {
            break;
        }
        at += line.len();
        if !plain.trim().is_empty() && !plain.starts_with(comment) {
            end = at;
        }
    }
    message.split_at(end)
}

/// The last paragraph, if it is one of trailers. The first paragraph is the subject, whatever it looks like.
fn find_trailer_block<'m>(body: &[&'m str]) -> Option<Vec<&'m str>> {
    let end = body.iter().rposition(|it| !it.trim().is_empty())? + 1;
    let from = body[..end].iter().rposition(|it| it.trim().is_empty())? + 1;
    if body[..from].iter().all(|it| it.trim().is_empty()) {
        return None;
    }
    let block = body[from..end].to_vec();
    let first_lines = || block.iter().filter(|it| !it.starts_with([' ', '\t']));
    let yes = first_lines().filter(|it| is_trailer_line(it)).count();
    let no = first_lines().count() - yes;
    let has_known = block.iter().any(|it| is_known_trailer(it));
    (yes > 0 && (no == 0 || has_known && yes * 3 >= no)).then_some(block)
}

fn is_known_trailer(line: &str) -> bool {
    KNOWN.iter().any(|it| line.starts_with(it))
}

fn is_trailer_line(line: &str) -> bool {
    let is_name =
        |it: &str| !it.is_empty() && it.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let name = line.split_once(':').map(|it| it.0);
    is_known_trailer(line) || name.is_some_and(|it| is_name(it.trim_end_matches([' ', '\t'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: [(&str, &str); 2] = [("Task-Id", "fix"), ("Prompt-Version", "0a")];
    const BOTH: &str = "Task-Id: fix\nPrompt-Version: 0a\n";

    fn check(message: &str, expected: &str) {
        let found = add_trailers(message, HASH, &OURS)
            .unwrap_or_else(|| panic!("nothing was added to {message:?}"));
        assert_eq!(found, expected.replace("{}", BOTH), "{message:?}");
        assert_eq!(
            add_trailers(&found, HASH, &OURS),
            None,
            "twice: {message:?}"
        );
    }

    #[test]
    fn trailers_stand_where_git_looks() {
        check("subject", "subject\n\n{}");
        check("subject\n", "subject\n\n{}");
        check("fix: subject\n", "fix: subject\n\n{}");
        check(
            "subject\n\nbody\nmore: or less\n",
            "subject\n\nbody\nmore: or less\n\n{}",
        );
        check(
            "subject\n\nSigned-off-by: Ana <a@b>\n",
            "subject\n\nSigned-off-by: Ana <a@b>\n{}",
        );
        check(
            "s\n\nReviewed-by: Bo\n and Cy\nX: y\n",
            "s\n\nReviewed-by: Bo\n and Cy\nX: y\n{}",
        );
        check(
            "s\n\nsome words\nSigned-off-by: Ana\n",
            "s\n\nsome words\nSigned-off-by: Ana\n{}",
        );
        check("s\n\n\n\n", "s\n\n{}\n\n\n");
        check(
            "Merge branch 'x'\n\n# Conflicts:\n#\ta.rs\n",
            "Merge branch 'x'\n\n{}\n# Conflicts:\n#\ta.rs\n",
        );
        check(
            "s\n\n# Please enter\n# it\n",
            "s\n\n{}\n# Please enter\n# it\n",
        );
        check(
            "s\r\n\r\nbody\r\n",
            "s\r\n\r\nbody\r\n\r\nTask-Id: fix\r\nPrompt-Version: 0a\r\n",
        );
        let cut = format!("#{SCISSORS}\n# Do not touch\ndiff --git a b\n+Task-Id: x\n");
        check(
            &format!("s\n\n# hint\n{cut}"),
            &format!("s\n\n{{}}\n# hint\n{cut}"),
        );
    }

    #[test]
    fn what_is_there_stays_as_it_is() {
        let check = |message: &str, expected: Option<&str>| {
            assert_eq!(
                add_trailers(message, HASH, &OURS).as_deref(),
                expected,
                "{message:?}"
            );
        };
        check(
            "s\n\ntask-id: other\n",
            Some("s\n\ntask-id: other\nPrompt-Version: 0a\n"),
        );
        check("s\n\nTask-Id: a\nPrompt-Version: b\n", None);
        check("", None);
        check("\n\n# Please enter the commit message\n", None);
        // What a squash quotes is no trailer of this commit.
        let quoted = "Squashed commit\n\ncommit 1\n\n    Task-Id: old\n";
        check(quoted, Some(&format!("{quoted}\n{BOTH}")));
    }

    #[test]
    fn trailer_is_read_from_the_last_paragraph_alone() {
        let check = |message: &str, expected: Option<&str>| {
            assert_eq!(read_trailer(message, "Task-Id"), expected, "{message:?}");
        };
        check(
            "s\n\nwhy\n\nTask-Id: fix\nPrompt-Version: 0a\n",
            Some("fix"),
        );
        check("s\n\ntask-id : fix", Some("fix"));
        check("s\n\nTask-Id: fix\n\nmore words", None);
        check("Task-Id: fix", None);
        check("s\n\nTask-Id:", None);
    }

    #[test]
    fn another_comment_character_is_respected() {
        let found = add_trailers("#12 is fixed\n\n; hint\n", ";", &OURS).unwrap();
        assert_eq!(found, format!("#12 is fixed\n\n{BOTH}\n; hint\n"));
    }

    #[test]
    fn a_template_that_nobody_touched_is_known() {
        assert!(is_untouched_template(
            "Why:\n\nWhat:\n\n# hint\n",
            "Why:\n\nWhat:\n",
            HASH
        ));
        assert!(!is_untouched_template(
            "Why: so\n\nWhat:\n",
            "Why:\n\nWhat:\n",
            HASH
        ));
    }
}
