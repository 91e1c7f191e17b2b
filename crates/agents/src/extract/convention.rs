//! What is so in the project, said as a rule: "our convention is that …", "tests must not …", "in this repo we …".

use super::generality::{has_project_scope, is_narrow_scope, strip_project_scope};
use super::{
    SortedPhrase, StatementSort,
    lexicon::{CODE_HABITS, HABITS, SUBJECTS, WAYS},
    non_statements,
    opening::SentenceOpening,
    pattern::{join_alternatives, pattern},
    phrase::phrase_clause,
    sentence_context::SentenceBody,
};

// What code and pages do, which a person tells as rules too: "always show the banner".
pattern!(
    CODE_TALK,
    r"\b(?:null|nil|undefined|loops?|variable|constructor|super|transactions?|sockets?|arrays?|strings?|return value|cached?|banner|modal|button|popup|dropdown|tooltip|spinner|the (?:ui|user|users|value|page|request|response|token|cookie|session|header|footer|list|lists|query|index|body|error|errors|exception|row|rows|column|field|result|results|input|output|object|screen|dialog|callback|string)|(?:each|every) (?:request|row|item|element|call|click|iteration)|callbacks?|promises?|threads?|mutex|locks?|buffers?|pointers?|bytes?|pixels?|px|clicks?|localstorage)\b|\w\("
);
pattern!(
    CONVENTION,
    r"^(?:our (?:[a-z'-]+ )?|(?:the|a) (?:[a-z-]+ )?)(?:convention|rule|policy|standard|guideline|practice|agreement|principle)(?P<place>(?: here| of ours| in (?:this|our) [a-z]+| on (?:this|our) team)?)(?: is(?: that|:| to| not to| never| always| no| one| only| all| every| each)|:| says(?: that)?) +\S+ \S+"
);
pattern!(
    OUR_POLICY,
    r"^(?:it's|it is) our (?:convention|rule|policy|standard|practice|principle)(?: here| in (?:this|our) [a-z]+)? (?:to|not to|that) \S+ \S+"
);
pattern!(
    IN_THIS,
    r"^(?:in|for|across|within|throughout) (?:this|our) (?:repo|repository|project|codebase|monorepo|workspace|team|company)\b[ ,:]*"
);
pattern!(
    WE_DO,
    r"^we (?:(?:always|never|only|don't|do not|all) )?(?:do|",
    join_alternatives(WAYS),
    "|",
    join_alternatives(HABITS),
    r")\b"
);
pattern!(
    WE_CODE,
    r"^we (?:(?:always|never|only|don't|do not|all) )?",
    join_alternatives(CODE_HABITS),
    r"\b.*\b(?:explicitly|with|instead of|rather than|by hand|as|via|through)\b"
);
pattern!(TO_BE, r"\b(?:is|:) (?:not )?to be\b");
pattern!(WE_DONT, r"^we (?:don't|do not|never|avoid|always|only) ?");
pattern!(
    BARE_OBJECT,
    r"^we (?:(?:always|never|only|don't|do not|all) )?[a-z-]+ (?:the|an?|this|that|these|those|it|them|to|both)\b"
);
// A class of things of the work, without an article: "tests must not", "database columns are always".
pattern!(
    OF_WORK,
    r"^(?:all |every |each |new |any )?(?:(?:[a-z0-9_-]+ ){0,2})",
    join_alternatives(SUBJECTS),
    r"(?: in (?:tests|scripts|commits|prs|the api|the ui))? (?P<verb>[a-z']+(?: (?:not|never|always|only))?)"
);
pattern!(
    PROCESS,
    r"^(?:all |every |each |new |any |the )?(?:[a-z0-9_-]+ ){0,2}(?:tests|commits|commit (?:messages|subjects|titles)|prs|pull requests|pr (?:descriptions|titles)|branches|(?:branch|test|function|variable|class|method|module|type|constant) names|(?:generated|lock|vendored|source|test|binary|migration) files|(?:code|todo) comments|scripts|docs|docstrings|documentation|migrations|dependencies|mocks|fixtures|snapshots|releases|code reviews|merges|hotfixes|logging|linting|formatting|testing|versioning|(?:api|schema|config|breaking) changes|(?:error|log) messages|feature flags|database (?:columns|tables)|deploys|deployments|frontend|backend)\b"
);
pattern!(
    FIRM,
    r"^(?:must|mustn't|shall|cannot|never|always|only|needs?|requires?|should (?:not|never|always|only)|may (?:not|never|only)|(?:is|are|have|has) (?:always|never|only))\b"
);
pattern!(
    NEVER,
    r"^(?:(?:must|should|may) (?:never|always|only)|must not|mustn't|may not)\b"
);
pattern!(
    KEPT,
    r"\b(?:go(?:es)?|lives?|belongs?|starts? with|ends? with|stays?|runs? (?:with|on|in|through)|uses?|follows?|carry|carries|(?:is|are) (?:always |never |only )?(?:written|named|formatted|signed|squashed|reviewed|documented|prefixed|tagged|cut|kept|generated|committed|merged|released|published|deployed|pinned|versioned|translated|tested|mocked|linted|read|set|put|done|run|made|stored|handled|wrapped|functions|snake_case|kebab-case|camelcase|pascalcase|iso)|(?:is|are) (?:always|never|only))\b"
);
pattern!(HELD, r"\b(?:needs?|have|has|must|should) ");
pattern!(
    ARTICLE,
    r"^(?:the|a|an|my|your|its|his|their|this|that|these|those|there|here|it|i|you|they)\b"
);
pattern!(
    ONLY,
    r"^only (?:the |our )?(?:[a-z-]+ )?(?:bot|ci|pipeline|maintainers?|lead|ops|team|hook|release job|release script) (?:may |can |must )?[a-z]+s? [a-z-]+s\b"
);
pattern!(
    SUBJECT,
    r"^(?:the |our |all )?(?:[a-z0-9_-]+ ){0,2}",
    join_alternatives(SUBJECTS),
    r" "
);
// Things of a product too, unless it is said in which form they are kept.
pattern!(
    FORMED,
    r"^(?:all |every )?(?:[a-z]+ )?(?:dates|times|timestamps|money|prices|amounts|names|ids|columns|tables|strings|constants|translations|components|titles|messages|files)(?: in (?:the )?[a-z]+)? (?:is|are) (?:always |never |only )?(?:stored (?:in|as)|written|formatted|named|snake_case|camelcase|kebab-case|pascalcase|iso|utc|lower-?case|upper-?case|singular|plural|functions|in (?:utc|english|cents))\b"
);
pattern!(
    LOCATED,
    r"\b(?:is|are|was|were|exists?|has|have) (?:\w+ )?(?:in (?:this|our)|here)\b|^there\b"
);
pattern!(
    FAILS,
    r"\b(?:pass|compile|fails?|work|works|finish|green|red|broken|inconsistent|outdated|wrong|missing|parallel|too (?:much|many|often)|twice|badly|poorly|others|at line|before the (?:release|demo|merge)|be (?:installed|fixed|done|added|updated|rewritten|deleted|cleaned|moved|renamed|split|restarted|loaded|shown))\b|, so |(?:^|[ :])(?:see|read) \S+\.md"
);

impl SentenceBody<'_> {
    /// What is so, by its form.
    pub(super) fn extract_convention(&self) -> Option<SortedPhrase> {
        let (lower, setting) = (self.lower, self.setting);
        let is_put_right = matches!(
            self.lead,
            SentenceOpening::No | SentenceOpening::Actually | SentenceOpening::Told
        ) && setting.is_answer;
        if !(is_put_right || self.lead == SentenceOpening::None)
            || setting.has_task
            || non_statements::has_task_tail(lower)
            || self.is(&FAILS)
        {
            return None;
        }
        let is_rule = is_stated_convention(lower)
            || !non_statements::is_context_dependent(&strip_project_scope(lower))
                && !is_narrow_clause(lower)
                && !self.is(&CODE_TALK)
                && (is_team_practice(lower, is_put_right)
                    || is_firm_work_rule(lower, self.lead)
                    || is_put_right && is_placed_convention(lower));
        let is_contrast = lower.starts_with("we ") && lower.contains(", ") && setting.is_answer;
        let sort = if is_put_right || is_contrast {
            StatementSort::Correction
        } else {
            StatementSort::Fact
        };
        is_rule.then(|| (sort, phrase_clause(self.text, lower)))
    }
}

/// "for this benchmark" is narrow; "in the imperative" says how.
fn is_narrow_clause(lower: &str) -> bool {
    let is_bound = ["for the ", "for this ", "yet", " now", " first", " again"];
    is_narrow_scope(lower) && is_bound.iter().any(|it| lower.contains(it))
}

fn is_stated_convention(lower: &str) -> bool {
    let Some(found) = CONVENTION.captures(lower) else {
        return OUR_POLICY.is_in(lower);
    };
    let is_placed = found.name("place").is_some_and(|it| !it.is_empty());
    (lower.starts_with("our ") || is_placed) && !TO_BE.is_in(lower)
}

/// "in this repo we avoid snapshot tests", "we don't do axios here".
fn is_team_practice(lower: &str, is_put_right: bool) -> bool {
    let is_we = |it: &str| WE_DO.is_in(it) && !BARE_OBJECT.is_in(it) || WE_CODE.is_in(it);
    match IN_THIS.text_after_match(lower) {
        Some(rest) => {
            let is_kept = || is_put_right || KEPT.is_in(rest) || HELD.is_in(rest);
            is_we(rest) || OF_WORK.is_in(rest) && !ARTICLE.is_in(rest) && is_kept()
        }
        None => has_project_scope(lower) && is_we(lower) && (is_put_right || WE_DONT.is_in(lower)),
    }
}

/// "tests must not hit the network": firm enough by itself, or as a correction.
fn is_firm_work_rule(lower: &str, lead: SentenceOpening) -> bool {
    let Some(found) = OF_WORK.captures(lower).filter(|_| !ARTICLE.is_in(lower)) else {
        return false;
    };
    let verb = found.name("verb").and_then(|it| lower.get(it.start()..));
    let verb = verb.unwrap_or("");
    // "Handlers must return a promise" may be about one page of code; "tests must not sleep" is not.
    let is_about_code = !PROCESS.is_in(lower);
    match lead {
        SentenceOpening::None => NEVER.is_in(verb) && !is_about_code,
        _ if is_about_code => FIRM.is_in(verb) && has_project_scope(lower),
        _ => FIRM.is_in(verb) || KEPT.find(verb).is_some_and(|it| it.start == 0),
    }
}

/// "logging goes through tracing in this project", "only the release bot bumps versions".
fn is_placed_convention(lower: &str) -> bool {
    let is_placed = has_project_scope(lower) && KEPT.is_in(lower) && !LOCATED.is_in(lower);
    is_placed && SUBJECT.is_in(lower) || ONLY.is_in(lower) || FORMED.is_in(lower)
}
