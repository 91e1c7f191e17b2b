//! How a sentence begins: fillers, and the words that say what sort of statement follows.

use std::ops::Range;

use super::pattern::pattern;

/// What the beginning, or the end, of a sentence says about the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
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
pattern!(ACTUALLY, r"^(?:actually|in fact)\b[ ,:]*");
pattern!(
    TOLD,
    r"^(?:like |as )?i(?:'ve| have)? (?:already |just )?(?:told you|said|mentioned)(?: (?:this|that|it|so)(?: already| before| twice| earlier)+:| already| before| twice| earlier)*[ ,:]*(?:that )?|^i keep (?:telling you|saying|repeating)[ ,:]*(?:that )?|^(?:once )?(?:again|more)[,:] *|^for the (?:second|third|fourth|fifth|last|nth|hundredth|umpteenth) time[,:] *|^how (?:many times|often) (?:do|must|should) i (?:have to |need to )?(?:say|tell|repeat|explain)[^:,]{0,24}[:,] *"
);

pattern!(
    REMEMBER_END,
    r",? +(?:please )?(?:remember|note|memori[sz]e) (?:that|this|it)(?: please)?$"
);

/// The lead of a lower-case sentence, and where in it the rest is.
pub(super) fn lead(lower: &str) -> (Lead, Range<usize>) {
    announced(lower).unwrap_or_else(|| lead_in(lower))
}

/// How far into a sentence an announcement may reach: "before we go on: remember that …".
const ANNOUNCEMENT: usize = 40;

pattern!(
    ANNOUNCES,
    r"^(?:before|one|two|another|last|quick|small|also|ok|okay|btw|by the way|ps|fyi|important|note|oh|and|reminder|heads up|for next time)\b"
);

fn announced(lower: &str) -> Option<(Lead, Range<usize>)> {
    let at = lower
        .find(": ")
        .filter(|it| *it < ANNOUNCEMENT && ANNOUNCES.is_in(lower))?
        + ": ".len();
    let (lead, range) = lead_in(&lower[at..]);
    matches!(lead, Lead::Remember | Lead::Standing)
        .then(|| (lead, at + range.start..at + range.end))
}

fn lead_in(lower: &str) -> (Lead, Range<usize>) {
    let end = lower.trim_end().len();
    let start = end - FILLER.after(&lower[..end]).unwrap_or(&lower[..end]).len();
    let rest = &lower[start..end];
    let behind = |pattern: &super::pattern::Pattern| {
        pattern
            .after(rest)
            .filter(|it| !it.is_empty())
            .map(|it| without_filler(it, end))
    };
    if let Some(at) = behind(&REMEMBER) {
        return (Lead::Remember, at..end);
    }
    if BARE_REMEMBER.is_in(rest) {
        return (Lead::Remember, start + "remember ".len()..end);
    }
    let leads = [
        (&*NOTE, Lead::Note),
        (&STANDING, Lead::Standing),
        (&NO, Lead::No),
        (&ACTUALLY, Lead::Actually),
        (&TOLD, Lead::Told),
    ];
    for (pattern, lead) in leads {
        if let Some(at) = behind(pattern) {
            return (lead, at..end);
        }
    }
    if let Some(stop) = REMEMBER_END
        .captures(rest)
        .and_then(|it| Some(start + it.get(0)?.start()))
    {
        return (Lead::Remember, start..stop);
    }
    match STANDING_END
        .captures(rest)
        .and_then(|it| Some(start + it.get(0)?.start()))
    {
        // "dates must not be in the future" is no rule for the future.
        Some(stop) if !lower[..stop].ends_with(" be") => (Lead::Standing, start..stop),
        _ => (Lead::None, start..end),
    }
}

/// Where a rest that reaches to `end` begins, once its fillers are gone.
fn without_filler(rest: &str, end: usize) -> usize {
    end - FILLER
        .after(rest)
        .filter(|it| !it.is_empty())
        .unwrap_or(rest)
        .len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_told_apart() {
        let check = |text: &str, expected: (Lead, &str)| {
            let (lead, rest) = lead(text);
            assert_eq!((lead, &text[rest]), expected, "{text:?}");
        };
        check(
            "ok, please remember that we use uv",
            (Lead::Remember, "we use uv"),
        );
        check(
            "remember: tests need docker",
            (Lead::Remember, "tests need docker"),
        );
        check("remember our port", (Lead::Remember, "our port"));
        check("remember to run it", (Lead::None, "remember to run it"));
        check("from now on, please use tabs", (Lead::Standing, "use tabs"));
        check("use tabs from now on", (Lead::Standing, "use tabs"));
        check("no, use pnpm", (Lead::No, "use pnpm"));
        check("no need to do it", (Lead::None, "no need to do it"));
        check("that's wrong: the port is 1", (Lead::No, "the port is 1"));
        check(
            "i already told you that we use tabs",
            (Lead::Told, "we use tabs"),
        );
        check("good work", (Lead::None, "work"));
        check(
            "before we go on: remember that we use uv",
            (Lead::Remember, "we use uv"),
        );
        check("we use uv, remember that", (Lead::Remember, "we use uv"));
    }
}
