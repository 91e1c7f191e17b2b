//! How a sentence begins: fillers, and the words that say what sort of statement follows.

use std::ops::Range;

use super::pattern::{Pattern, pattern};

/// What the beginning, or the end, of a sentence says about the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentenceOpening {
    /// "remember that …": it is to be kept.
    Remember,
    /// "note that …": it is to be kept when it is about us.
    Note,
    /// "from now on …": it is to be done every time.
    Standing,
    /// "no, …": the agent was wrong.
    No,
    /// "actually, …": the agent may have been wrong.
    Actually,
    /// "I told you …": the agent was told before.
    Told,
    /// Nothing.
    None,
}

pattern!(
    FILLER,
    r"^(?:(?:ok|okay|hey|hi|btw|by the way|also|and|but|so|oh|well|hmm|alright|right|great|good|nice|thanks|thank you|sorry|ah|yes|yep|yeah|fyi|ps|p\.s|one more thing|another thing|one thing|last thing|quick note|side note|important|please|pls)\b(?:[ ,:;!.-]|–|—)*)+"
);
pattern!(
    REMEMBER,
    r"^(?:always )?(?:remember|memori[sz]e|don't forget|do not forget|make a note)(?: that\b|[,:]| this:)[ ,:]*|^for (?:future reference|the record|the future|next time)\b[ ,:]*(?:that )?"
);
pattern!(
    BARE_REMEMBER,
    r"^remember (?:we|our|i|i'm|my|the|all|every|this (?:repo|project))\b"
);
pattern!(
    NOTE,
    r"^(?:please )?(?:note|keep in mind|bear in mind)(?: that\b|[,:])?[ ,:]*"
);
pattern!(
    STANDING,
    r"^(?:from (?:now|here|today) on(?:wards?)?|going forward|in (?:the )?future|for all future \w+|as a (?:general )?rule(?: of thumb)?|next time|every time|starting now|henceforth)\b[ ,:]*"
);
pattern!(
    STANDING_END,
    r"[ ,]+(?:from (?:now|here|today) on(?:wards?)?|going forward|in (?:the )?future|every time|next time|at all times)$|, (?:always|every single time|each time)$"
);
pattern!(
    NO,
    r"^(?:no|nope|nah|wrong|incorrect|not (?:quite|right|correct)|that's (?:wrong|incorrect|not (?:right|correct|true))|that is (?:wrong|incorrect|not (?:right|correct|true)))\b *(?:[,:;.!]|–|—| -|$) *(?:actually[, ]*)?(?:please )?"
);
// Without a comma, as it is typed in haste.
pattern!(
    BARE_NO,
    r"^(?:no|nope|nah) (?:we|our|it's|i|you|this|these|don't|never|always) "
);
pattern!(ACTUALLY, r"^(?:actually|in fact)\b[ ,:]*");
pattern!(
    TOLD,
    r"^(?:like |as )?i(?:'ve| have)? (?:already |just )?(?:told you|said|mentioned)(?: (?:this|that|it|so)(?: already| before| twice| earlier)+:| already| before| twice| earlier)*[ ,:]*(?:that )?|^i keep (?:telling you|saying|repeating)[ ,:]*(?:that )?|^(?:once )?(?:again|more)[,:] *|^for the (?:second|third|fourth|fifth|last|nth|hundredth|umpteenth) time[,:] *|^how (?:many times|often) (?:do|must|should) i (?:have to |need to )?(?:say|tell|repeat|explain)[^:,]{0,24}[:,] *"
);

pattern!(
    REMEMBER_END,
    r",? +(?:please )?(?:(?:remember|note|memori[sz]e) (?:that|this|it)|(?:keep|bear) (?:that|this|it) in mind|don't forget (?:that|this|it)|make a note(?: of (?:that|this|it))?)(?: please)?$|, (?:please )?remember$"
);

/// The lead of a lower-case sentence, and where in it the rest is.
pub(super) fn parse_opening(lower: &str) -> (SentenceOpening, Range<usize>) {
    parse_announced_opening(lower).unwrap_or_else(|| parse_plain_opening(lower))
}

/// How far into a sentence an announcement may reach: "before we go on: remember that …".
const ANNOUNCEMENT: usize = 40;

pattern!(
    ANNOUNCES,
    r"^(?:before|one|two|another|last|quick|small|also|ok|okay|btw|by the way|ps|fyi|important|note|oh|and|reminder|heads up|for next time)\b"
);

fn parse_announced_opening(lower: &str) -> Option<(SentenceOpening, Range<usize>)> {
    let at = lower
        .find(": ")
        .filter(|it| *it < ANNOUNCEMENT && ANNOUNCES.is_in(lower))?
        + ": ".len();
    let (lead, range) = parse_plain_opening(&lower[at..]);
    matches!(lead, SentenceOpening::Remember | SentenceOpening::Standing)
        .then(|| (lead, at + range.start..at + range.end))
}

fn parse_plain_opening(lower: &str) -> (SentenceOpening, Range<usize>) {
    let lower = lower.trim_end();
    let end = lower.len();
    let rest = FILLER.text_after_match(lower).unwrap_or(lower);
    let start = end - rest.len();
    let behind = |pattern: &Pattern| {
        let rest = pattern.text_after_match(rest).filter(|it| !it.is_empty())?;
        let told = FILLER.text_after_match(rest).filter(|it| !it.is_empty());
        Some(end - told.unwrap_or(rest).len())
    };
    if let Some(at) = behind(&REMEMBER) {
        return (SentenceOpening::Remember, at..end);
    }
    if BARE_REMEMBER.is_in(rest) {
        return (SentenceOpening::Remember, start + "remember ".len()..end);
    }
    let leads = [
        (&NOTE, SentenceOpening::Note),
        (&STANDING, SentenceOpening::Standing),
        (&NO, SentenceOpening::No),
        (&ACTUALLY, SentenceOpening::Actually),
        (&TOLD, SentenceOpening::Told),
    ];
    if BARE_NO.is_in(rest)
        && let Some((no, _)) = rest.split_once(' ')
    {
        return (SentenceOpening::No, start + no.len() + 1..end);
    }
    for (pattern, lead) in leads {
        if let Some(at) = behind(pattern) {
            // "no, the port is 1, keep that in mind"
            let told = REMEMBER_END.find(&lower[at..]).map(|it| at + it.start);
            return (lead, at..told.unwrap_or(end));
        }
    }
    let stop = |pattern: &Pattern| Some(start + pattern.find(rest)?.start);
    if let Some(stop) = stop(&REMEMBER_END) {
        return (SentenceOpening::Remember, start..stop);
    }
    match stop(&STANDING_END) {
        // "dates must not be in the future" is no rule for the future.
        Some(stop) if !lower[..stop].ends_with(" be") => (SentenceOpening::Standing, start..stop),
        _ => (SentenceOpening::None, start..end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_told_apart() {
        let check = |text: &str, expected: (SentenceOpening, &str)| {
            let (lead, rest) = parse_opening(text);
            assert_eq!((lead, &text[rest]), expected, "{text:?}");
        };
        check(
            "ok, please remember that we use uv",
            (SentenceOpening::Remember, "we use uv"),
        );
        check(
            "remember: tests need docker",
            (SentenceOpening::Remember, "tests need docker"),
        );
        check("remember our port", (SentenceOpening::Remember, "our port"));
        check(
            "remember to run it",
            (SentenceOpening::None, "remember to run it"),
        );
        check(
            "from now on, please use tabs",
            (SentenceOpening::Standing, "use tabs"),
        );
        check(
            "use tabs from now on",
            (SentenceOpening::Standing, "use tabs"),
        );
        check("no, use pnpm", (SentenceOpening::No, "use pnpm"));
        check(
            "no need to do it",
            (SentenceOpening::None, "no need to do it"),
        );
        check(
            "that's wrong: the port is 1",
            (SentenceOpening::No, "the port is 1"),
        );
        check(
            "i already told you that we use tabs",
            (SentenceOpening::Told, "we use tabs"),
        );
        check(
            "no, the port is 1, keep that in mind",
            (SentenceOpening::No, "the port is 1"),
        );
        check("good work", (SentenceOpening::None, "work"));
        check(
            "before we go on: remember that we use uv",
            (SentenceOpening::Remember, "we use uv"),
        );
        check(
            "we use uv, remember that",
            (SentenceOpening::Remember, "we use uv"),
        );
    }
}
