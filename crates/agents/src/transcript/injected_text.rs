//! What of a message a person said: clients and hooks put much beside it, and none of that is evidence.

/// Elements that programs put into a person's message, by their names. Every name with a dash or an underscore in it is
/// taken for one too: people do not type such elements, and what they paste is not what they say.
const ELEMENTS: &[&str] = &[
    "instructions",
    "attachments",
    "attachment",
    "context",
    "reminder",
    "skill",
    "editorcontext",
    "channel",
];

/// Elements that are dropped to the end of the message when they are never closed.
const OURS: &[&str] = &[
    "memory-context",
    "memory_context",
    "hook_context",
    "system-reminder",
    "system_reminder",
];

/// How messages begin that a client wrote in the person's name.
const NOT_SPOKEN: &[&str] = &[
    "[request interrupted",
    "caveat: the messages below were generated",
    "this session is being continued from a previous conversation",
    "another language model started to solve this problem",
    "# agents.md instructions",
    "# claude.md",
    "stop hook feedback:",
    "subagentstop hook feedback:",
    "!",
];

/// What a client puts between its marks where the person named a file.
const REFERENCED: (&str, &str) = (
    "--- Content from referenced files ---",
    "--- End of content ---",
);

/// A message without what programs put into it: injected memories, reminders, command echoes and their output,
/// interruptions, summaries of what went before. Empty when nothing is left.
pub fn strip_injected_text(message: &str) -> String {
    let text = message.replace("&lt;", "<").replace("&gt;", ">");
    let text = strip_referenced_files(&text);
    let text = cut_marked_parts(&text, '<', "\n", measure_injected_element);
    let text = cut_marked_parts(&text, '[', "", measure_paste_mark);
    let text = text.trim();
    if is_client_message(text) {
        String::new()
    } else {
        text.to_owned()
    }
}

fn is_client_message(text: &str) -> bool {
    let lower = text.chars().take(80).collect::<String>().to_lowercase();
    NOT_SPOKEN.iter().any(|it| lower.starts_with(it)) || is_slash_command(text)
}

/// `/compact` or `/model opus`: a command to the client. A path has a second slash or a dot in it.
fn is_slash_command(text: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | ':');
    let rest = text.strip_prefix('/').unwrap_or_default();
    let name = rest.split_whitespace().next().unwrap_or("");
    !name.is_empty() && name.chars().all(is_plain)
}

fn strip_referenced_files(text: &str) -> String {
    let Some(start) = text.find(REFERENCED.0) else {
        return text.to_owned();
    };
    let rest = text[start..]
        .find(REFERENCED.1)
        .map_or("", |it| &text[start + it + REFERENCED.1.len()..]);
    format!("{}{}", &text[..start], strip_referenced_files(rest))
}

/// The text without its parts that begin with a character and are as long as `measure` says, with `gap` in their place.
fn cut_marked_parts(
    text: &str,
    open: char,
    gap: &str,
    measure: impl Fn(&str) -> Option<usize>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(open) {
        let (before, part) = rest.split_at(start);
        let len = measure(part);
        out += before;
        out += if len.is_some() { gap } else { &part[..1] };
        rest = &part[len.unwrap_or(1)..];
    }
    out + rest
}

/// How long `[Image #1]` or `[Pasted text #2 +30 lines]` is; of one that is never closed, only its bracket.
fn measure_paste_mark(text: &str) -> Option<usize> {
    let is_mark = text.starts_with("[Image #") || text.starts_with("[Pasted text #");
    is_mark.then(|| text.find(']').map_or(1, |it| it + 1))
}

/// How long the element is that a text begins with, if it is one that a program puts there.
fn measure_injected_element(text: &str) -> Option<usize> {
    let name: String = text[1..]
        .chars()
        .take_while(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_'))
        .collect();
    let folded = name.to_ascii_lowercase();
    let is_compound =
        folded.contains(['-', '_']) && folded.starts_with(|it: char| it.is_ascii_alphabetic());
    if !is_compound && !ELEMENTS.contains(&folded.as_str()) {
        return None;
    }
    let open = text.find('>')? + 1;
    let close = format!("</{name}>");
    match text[open..].find(&close) {
        Some(at) => Some(open + at + close.len()),
        None if OURS.contains(&folded.as_str()) => Some(text.len()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_person_said_is_left() {
        let check = |text: &str, expected: &str| {
            assert_eq!(strip_injected_text(text), expected, "{text:?}")
        };
        check("use pnpm", "use pnpm");
        check(
            "<memory-context>\nalways use npm\n</memory-context>\n\nuse pnpm",
            "use pnpm",
        );
        check(
            "hello&lt;memory-context&gt;x&lt;/memory-context&gt;",
            "hello",
        );
        check("hello <hook_context>never closed", "hello");
        check(
            "<system-reminder>a</system-reminder><system-reminder>b</system-reminder>c",
            "c",
        );
        check(
            "<command-name>/x</command-name>\n<command-args>always</command-args>",
            "",
        );
        check("<local-command-stdout>use npm</local-command-stdout>", "");
        check("Stop hook feedback:\n[lint]: always use npm", "");
        check(
            "<channel source=\"chat\" user=\"eve\">always use npm</channel>\nuse pnpm",
            "use pnpm",
        );
        check("[Request interrupted by user for tool use]", "");
        check(
            "This session is being continued from a previous conversation that ran out. Always x.",
            "",
        );
        check("/compact keep the rules", "");
        check("/etc/hosts is wrong", "/etc/hosts is wrong");
        check("! npm test", "");
        check("[Image #1] what is [this]?", "what is [this]?");
        check("a < b and b > c", "a < b and b > c");
        check("a <b> c", "a <b> c");
        check(
            "say --- Content from referenced files ---\nalways\n--- End of content ---",
            "say",
        );
        check(
            "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
            "",
        );
    }
}
