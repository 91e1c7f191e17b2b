//! What a prompt asks for, as far as its first words tell.

use apostille_text::word_lists::is_in_word_list;

/// Words that a prompt may begin with before it begins.
const LEADS: &str = "so and ok but hm hey please well now";
/// First words of prompts that want something explained, of chores, and of replies.
const ASIDES: &str = "explain summarize summarise difference show git undo revert stash thanks thx okay perfect great no nope abort \
    cancel continue rename";
/// First two words of questions about how the code works, which the code answers. "how large may uploads be" is none.
const OF_CODE: &[[&str; 2]] = &[
    ["what", "does"],
    ["how", "does"],
    ["is", "there"],
    ["who", "calls"],
];

/// Whether a prompt seldom needs a memory: it asks how the code works, is a chore of git, or a reply.
pub(super) fn seldom_needs_memory(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(80).collect();
    let start = start.to_lowercase();
    let words = start.split(|c: char| !c.is_alphanumeric());
    let mut words = words.filter(|it| !it.is_empty()).peekable();
    let lead = words.next_if(|it| is_in_word_list(LEADS, it));
    let (Some(first), second) = (words.next().or(lead), words.next()) else {
        return true;
    };
    let is_of_code = |it: &[&str; 2]| it[0] == first && Some(it[1]) == second;
    is_in_word_list(ASIDES, first) || OF_CODE.iter().any(is_of_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asides_are_told_by_their_first_words() {
        let check = |text: &str, expected: bool| {
            assert_eq!(seldom_needs_memory(text), expected, "{text:?}")
        };
        check("what does this function do?", true);
        check("Thanks, go on", true);
        check("ok, git stash my changes", true);
        check("is there a test for it?", true);
        check("", true);
        check("is the limit too low? raise it", false);
        check("add a flag for the upload limit", false);
        check("so raise the limit", false);
        check("how large may uploads be?", false);
    }
}
