//! What tells that a sentence is about more than the lines it was written at: words of habit, of the whole project, of a written
//! convention, of norm; and what tells that it is not: "here", "this function", a question, a doubt, a story.
//!
//! Each is a shape of language, with a weight. None of them decides alone whether a sentence is a rule; the sum does, and a sentence
//! that is not understood is none. They were weighed on review comments of public repositories, see docs/reviews.md.

/// A shape of language that is looked for, whatever the case.
pub(super) struct Cue {
    /// What it is called in tests.
    pub(super) name: &'static str,
    /// How much it says for a rule, or against one.
    pub(super) weight: i32,
    /// The pattern.
    pub(super) pattern: &'static str,
}

const fn cue(name: &'static str, weight: i32, pattern: &'static str) -> Cue {
    Cue {
        name,
        weight,
        pattern,
    }
}

/// What speaks for a rule.
pub(super) const FOR: [Cue; 27] = [
    // What "we" usually do.
    cue(
        "habit",
        3,
        r"\bwe (?:usually|generally|always|never|typically|normally|commonly|require|encourage|discourage|try (?:hard )?(?:not )?to|tend (?:not )?to|are trying to)\b",
    ),
    // What "we" like, or do not do.
    cue(
        "habit1",
        3,
        r"(?:^|[;:,(] ?|\b(?:and|but|as|since|because|generally|general|usually|convention|which|why) )we (?:prefer|avoid|like to|aim to|(?:do not|don't) (?:use|like|allow|accept|add|commit|merge|put|link|include|support|store|log|write|mix|hard-?code|mock|catch|throw|import|want (?:to (?:add|use|have|depend|rely|introduce|mix|expose)|any)))\b",
    ),
    // "In general", "usually", at the beginning or the end.
    cue(
        "habit2",
        3,
        r"(?:^|[(,;:] ?|\band |\bbut )(?:usually|generally|typically|normally|in general|as a (?:general )?rule|by convention|traditionally|as a matter of)\b|\bin general(?:[,.;]|$)",
    ),
    // What "we" have a pattern for, or do throughout.
    cue(
        "habit3",
        3,
        r"\b(?:something|which|that|as) we (?:generally|usually|normally|always|try|require|do (?:everywhere|elsewhere))\b|\bwe (?:\w+ )?(?:use|have|follow|keep|stick to|do) .{1,60}\b(?:throughout|everywhere|across|convention|pattern)\b|\bwe have an? (?:[\w`]+ ){0,2}(?:convention|pattern|rule|policy|standard|style|tag|utilit)",
    ),
    // "Our" convention.
    cue(
        "our",
        3,
        r"\bour (?:\w+ ){0,2}(?:pattern|convention|style|policy|practice|guideline|rule|standard|preference|guide)s?\b",
    ),
    // A written rule, or a tool that enforces one.
    cue(
        "guide",
        3,
        r"\b(?:style[ -]?guide(?:line)?s?|(?:coding|code|naming|project|existing|commit message) (?:style|conventions?|standards?|guidelines?|policy|policies)|developer notes|contributing(?:\.md| guide\w*)|guide-link|pep ?-?8|best practices?|conventions? (?:is|are) to|(?:the|our|a|by|per|this) (?:usual |general |naming )?conventions?|per (?:the |our )?(?:guidelines?|style)|(?:standard )?linter|clang-format|rustfmt|gofmt|go imports|goimports|prettier|supposed to)\b",
    ),
    // The whole project.
    cue(
        "every",
        3,
        r"\b(?:throughout|across|all over|everywhere in|in most of|in (?:the )?rest of|the rest of) (?:the |our |this )?(?:\w+ ){0,2}(?:code ?-?base|repo|repository|project|monorepo|library)\b|\beverywhere(?: else)?\b|\b(?:as|like) (?:in |with )?(?:every|all|any)(?: the)? other\b|\bin all other\b|\bevery other \w+",
    ),
    // The project, weakly: it may only be where something stands.
    cue(
        "proj",
        2,
        r"\b(?:in|of|with|within) (?:the |our |this )?(?:\w+ ){0,2}(?:code ?-?base|repo|repository|project|monorepo|library)\b",
    ),
    // "Never", "always", "only" with a modal, or as an order.
    cue(
        "norm",
        3,
        r"\b(?:should|must|shall|needs? to|ha(?:s|ve) to|ought to) (?:never|always|only|\w+ only)\b|^(?:please,? )?(?:always|never) [a-z]+|\b(?:should|must|can) (?:not ever|never)\b|\bnot .{1,60} in any\b|\bn't .{1,60} in any\b",
    ),
    // A subject that is no particular thing, with a modal.
    cue(
        "generic",
        2,
        r"^(?:all|every|each|any|no|new) (?:[\w`.-]+ ){1,5}(?:should|must|needs?|has to|have to|shall|are|is)\b|^(?:an?) (?:[\w`.-]+ ){1,4}(?:\([^)]*\) )?(?:should|must|shall)\b|^[a-z-]+(?: [a-z-]+)?s (?:should|must|shall|need to|have to|are meant)\b",
    ),
    // One thing instead of another.
    cue(
        "contrast",
        2,
        r"\b(?:use|prefer|using|say|write|refer to|call it) .{1,60}(?: instead of | rather than | over |, not | in favou?r of )",
    ),
    // The same the other way round.
    cue(
        "ratherthan",
        2,
        r"^(?:rather than|instead of) [^,]{3,60}, (?:please )?(?:use|prefer|call|write|we|let's use)\b",
    ),
    // A preference, or what is discouraged.
    cue(
        "prefer",
        2,
        r"^(?:please )?(?:prefer|avoid)\b|\b(?:is|are) (?:strongly |generally )?(?:preferred|preferable|discouraged|forbidden|required)\b|\bi(?:'d| would) (?:also |rather |really )?(?:prefer|like) (?:to avoid|not to)\b|\bi(?:'d| would) avoid\b",
    ),
    // What is on its way out.
    cue(
        "dep",
        3,
        r"\b(?:is|are|being|been|should be|now|was) (?:\w+ )?deprecated\b|\bdeprecated(?: in favou?r|[,;] (?:please )?use)|\bmov(?:e|ed|ing) away from\b|\bphas(?:e|ing) (?:\w+ ){0,2}out\b",
    ),
    // A case that comes again.
    cue(
        "cond",
        2,
        r"\b(?:whenever|every time|each time|when(?:ever)? (?:adding|writing|using|creating|logging|introducing|changing|you (?:add|write|use|create|log|change|have|introduce))|if you (?:have (?:more|an?|any)|add|want to (?:add|fix|change)|introduce|change|write)|for (?:new|all|any|every) \w+|in (?:new|any|every|all) (?:code|\w+s)|in things that)\b",
    ),
    // Code that is still to be written.
    cue(
        "newcode",
        2,
        r"\b(?:in|for|to) new (?:code|files|tests|functions|modules|features)\b|\bgoing forward\b|\bfrom now on\b|\bnext time\b|\bin (?:the )?future (?:prs?|changes|code)\b",
    ),
    // "It is better to".
    cue(
        "better",
        2,
        r"\b(?:it'?s|it is) (?:generally |usually |always |much |a )?(?:better|best|good|preferable|bad)(?: practice| idea| style)? (?:not )?to\b",
    ),
    // A reason that is true of the project.
    cue(
        "reason",
        2,
        r"\b(?:as|since|because) we (?:support|have|use|require|don't|do not|still support|need to support)\b",
    ),
    // A modal, or "please".
    cue(
        "must",
        1,
        r"\b(?:must|should|please|need to|has to|have to|shouldn't|required?|meant)\b",
    ),
    // An order about several of a kind.
    cue(
        "mention",
        2,
        r"^(?:please )?(?:don't|do not) (?:\w+ ){1,3}[\w@`-]+s\b",
    ),
    // What style guides are about.
    cue(
        "lex",
        2,
        r"\b(?:alphabetical(?:ly)?|ascii-?betical(?:ly)?|imports? (?:should|must|are)|lower-?case|upper-?case|capitali[sz]e|camel ?case|snake ?case|trailing (?:white ?space|commas?|spaces?)|blank lines?|copyright header|license header|commit messages?|pr (?:descriptions?|titles?))\b",
    ),
    // A comparison with the rest of the code.
    cue(
        "elsewhere",
        1,
        r"\b(?:elsewhere|consisten(?:t|cy|tly)|other \w+(?:\(\))?`? (?:calls|files|tests|methods|places|functions))\b",
    ),
    // What is common practice anywhere.
    cue(
        "standard",
        3,
        r"\b(?:good|bad|best|common|standard|general) practi[cs]es?\b|\brule of thumb\b|\banti-?patterns?\b|\bcode smells?\b",
    ),
    // What "we" changed over to.
    cue(
        "moving",
        3,
        r"\bwe(?:'re| are) (?:trying|moving|migrating|aiming|standardi[sz]ing|switching|phasing)\b|\bwe(?:'ve| have) (?:moved|switched|stopped|agreed|standardi[sz]ed|decided) (?:to|on|away|from|using|not)\b",
    ),
    // What is not allowed.
    cue(
        "banned",
        2,
        r"\b(?:is|are) (?:not allowed|banned|disallowed|prohibited|mandatory|not permitted)\b",
    ),
    // Every thing of a kind.
    cue(
        "each",
        2,
        r"\b(?:should|must|needs?|please|ha(?:s|ve) to) .{0,60}\b(?:every|each|all|any) (?:new |public |other )?(?:prs?|pull requests?|commits?|commit messages?|changes?|functions?|methods?|class(?:es)?|files?|tests?|modules?|endpoints?|migrations?|variables?|constants?|names?|imports?|comments?|types?|fields?|packages?|headers?|scripts?|strings?|errors?|logs?|messages?)\b|\b(?:every|each|all|any) (?:new |public |other )?(?:prs?|pull requests?|commits?|commit messages?|changes?|functions?|methods?|class(?:es)?|files?|tests?|modules?|endpoints?|migrations?|variables?|constants?|names?|imports?|comments?|types?|fields?|packages?|headers?|scripts?|strings?|errors?|logs?|messages?) (?:\w+ ){0,3}(?:should|must|needs?|ha(?:s|ve) to)\b",
    ),
    // Things of a kind, and not this one.
    cue(
        "plural",
        1,
        r"^(?:please )?(?:avoid|prefer|never|always) (?:\w+ing|[\w`-]+ [\w-]+s|[a-z-]+s)\b",
    ),
];

/// What speaks against one.
pub(super) const AGAINST: [Cue; 14] = [
    // Here.
    cue("here", -1, r"\bhere\b"),
    // This very thing.
    cue(
        "this",
        -2,
        r"\bthis (?:function|method|line|variable|test|pr|pull request|commit|change|class|block|check|loop|case|one|name|field|value|code|part|section|comment|is|was|would|should|could|seems|looks|patch|file|approach|issue|will|has|does|makes?|could|can|particular)\b|\bthe (?:above|below|following)\b",
    ),
    // A subject that stands in another sentence.
    cue(
        "anaphor",
        -2,
        r"^(?:and |but |so |also |then |because |since |as )?(?:this|that|it|these|those|they|he|she|there)\b",
    ),
    // A place.
    cue("line", -2, r"\bline \d+|\bL\d+\b|\d{2,}%"),
    // A question.
    cue("q", -2, r"\?$"),
    // A doubt.
    cue(
        "hedge",
        -1,
        r"\b(?:maybe|perhaps|i think|i guess|not sure|i wonder|seems?|might|probably|afaict|afaik|imo|imho|fwiw|i (?:don't )?(?:see|understand|know|believe|assume)|could be|would be nice)\b",
    ),
    // What somebody did, or an answer.
    cue(
        "narr",
        -3,
        r"\b(?:i|we) (?:did|was|were|had|saw|tested|verified|checked|ran|found|noticed|discussed|merged|looked)\b|\back\b|\blgtm\b|\bthanks?\b|\bclosing\b|\bi (?:have|'ve|agree)\b|\byou're welcome\b",
    ),
    // What is to be done, or only for now.
    cue(
        "fut",
        -1,
        r"\b(?:we'll|we will|we could|we would|would it|let's|i'll|i will|later|for now|currently|at the moment)\b",
    ),
    // "Is always": how it is, not how it should be.
    cue(
        "descr",
        -1,
        r"\b(?:is|are|was|were|will|does|would|gets?|'s) (?:always|never|only|already)\b",
    ),
    // What this author did.
    cue(
        "your",
        -1,
        r"\byour (?:change|patch|pr|code|test|approach|version|commit|branch|fix|implementation)\b",
    ),
    // A change by its number.
    cue("ref", -1, r"#\d{2,}|\b[0-9a-f]{9,40}\b|\b(?:commit|pr) \d+"),
    // How it was.
    cue(
        "state",
        -1,
        r"\b(?:it|this|that|which|he|she|they) (?:was|were|has been|had|is now)\b|\bany ?more\b",
    ),
    // What would follow.
    cue(
        "would",
        -1,
        r"\bwould (?:also |then |only )?(?:be|have|need|make|mean|break|allow|result|cause)\b",
    ),
    // "In general I like": an opinion.
    cue("aside", -2, r"\bin general,? (?:i|the|this|it)\b"),
];
