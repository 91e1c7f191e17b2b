//! Text that we, or other hooks, have put beside a prompt: it is not what the person said, and nothing is searched with
//! it.

/// The tags of a block: each way in, and each way out.
pub(crate) struct BlockTags {
    pub(crate) open: &'static [&'static str],
    pub(crate) close: &'static [&'static str],
}

/// Our own block, and the same after a client has escaped it.
const OURS: BlockTags = BlockTags {
    open: &["<memory-context", "&lt;memory-context"],
    close: &["</memory-context>", "&lt;/memory-context&gt;"],
};

/// What the person said: the prompt without our own blocks, and without those in which a client echoes a hook.
pub(super) fn strip_hook_blocks(echo: Option<&BlockTags>, prompt: &str) -> String {
    let prompt = match echo {
        Some(tags) => cut_tagged_blocks(prompt, tags),
        None => prompt.to_owned(),
    };
    cut_tagged_blocks(&prompt, &OURS).trim().to_owned()
}

/// The text without these blocks. A block that is never closed goes on to the end.
fn cut_tagged_blocks(text: &str, tags: &BlockTags) -> String {
    let lower = text.to_ascii_lowercase();
    let (mut kept, mut at) = (String::new(), 0);
    while let Some((open, inside)) = find_opening_tag(&lower, at, tags.open) {
        kept.push_str(&text[at..open]);
        at = find_first_tag(&lower, inside, tags.close).map_or(text.len(), |(_, end)| end);
    }
    kept + &text[at..]
}

/// Where the next block opens: the tag's name must end there.
fn find_opening_tag(text: &str, from: usize, open: &[&str]) -> Option<(usize, usize)> {
    let mut from = from;
    loop {
        let (start, end) = find_first_tag(text, from, open)?;
        let is_whole = text[end..].starts_with(|c: char| c == '>' || c == '&' || c.is_whitespace());
        if is_whole {
            return Some((start, end));
        }
        from = end;
    }
}

/// The first of these texts after a place: where it starts, and where it ends.
fn find_first_tag(text: &str, from: usize, any: &[&str]) -> Option<(usize, usize)> {
    let found = any.iter().filter_map(|it| {
        text[from..]
            .find(it)
            .map(|at| (from + at, from + at + it.len()))
    });
    found.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ECHO: BlockTags = BlockTags {
        open: &["<hook_context"],
        close: &["</hook_context>"],
    };

    #[test]
    fn what_hooks_said_is_not_what_the_person_said() {
        let check = |prompt: &str, expected: &str| {
            assert_eq!(
                strip_hook_blocks(Some(&ECHO), prompt),
                expected,
                "{prompt:?}"
            );
        };
        check("plain", "plain");
        check("  plain\n", "plain");
        check(
            "<memory-context>\n[Memories]\n- x\n</memory-context>\n\nfix it",
            "fix it",
        );
        check(
            "before <memory-context>x</memory-context> after",
            "before  after",
        );
        check(
            "<MEMORY-CONTEXT>x</Memory-Context>a<memory-context>y</memory-context>b",
            "ab",
        );
        check(
            "<hook_context>&lt;memory-context&gt;x&lt;/memory-context&gt;</hook_context>\n\nfix it",
            "fix it",
        );
        check(
            "&lt;memory-context&gt;x&lt;/memory-context&gt; fix it",
            "fix it",
        );
        check("&lt;memory-context&gt;x</memory-context> fix it", "fix it");
        check("fix it <memory-context>never closed", "fix it");
        check("the <memory-contextual> tag", "the <memory-contextual> tag");
        check("ÄÖ <memory-context>é</memory-context> ß", "ÄÖ  ß");
        check("<memory-context>x</memory-context>", "");
    }

    #[test]
    fn another_client_has_no_such_wrapping() {
        let prompt = "what is <hook_context>?";
        assert_eq!(strip_hook_blocks(None, prompt), prompt);
    }
}
