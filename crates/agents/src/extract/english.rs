//! Which sentences state something: the rules, by what a sentence begins with.

use super::convention::CODE_TALK;
use super::lexicon::{CHOICES, DOINGS, IN_HAND, THINGS, TOOLS, WAYS, has_listed_word};
use super::opening::{SentenceOpening, parse_opening};
use super::own_sentences::Sentence;
use super::pattern::{join_alternatives, pattern};
use super::phrase::{self, StatementPhrase};
use super::sentence_context::SentenceContext;
use super::{Sort, convention, habit, non_statements};

pattern!(
    ONE_OF,
    r"\b(?:prefer|want|hate|dislike) (?:option |variant |number )?(?:[a-z0-9](?: |,|$)|(?:the|an?) (?:first|second|third|last|latter|former|other)\b|to (?:bother|say|be))"
);
pattern!(
    MEASURED,
    r"\b(?:uses|needs|has|takes|requires) (?:too|so|a lot|more|less|much|many|some|very)\b|\bis (?:a (?:mess|pain|nightmare|joke|bit)|very|so|really|quite|pretty|small|big|large|huge|old|new|hard|easy|great|good|bad|nice|slow|fast)\b|\bare (?:very|so|really|quite|pretty|small|big|large|huge|old|hard|great|good|bad|piling)\b|\b(?:is|are) (?:not )?to be\b"
);
pattern!(
    CONTRAST,
    r"^(?:use |it's |that's |take |with )?(?P<x>[a-z0-9@./+-]+(?: [a-z0-9@./+-]+)?),? (?:and )?(?P<how>not|instead of|rather than) (?:with |use |using )?(?P<y>[a-z0-9@./+-]+(?: [a-z0-9@./+-]+)?)$"
);
pattern!(
    SWITCHED,
    r"^we(?: have|'ve)? (?:switched|moved|migrated)\b[^,:;]{0,40}[,:;] *"
);
pattern!(
    PREFERS,
    r"^i (?:(?:always|usually|generally|strongly|really|much|definitely|personally) )*(?:prefer|hate|dislike|can't stand|cannot stand)\b|^i (?:always|never) want\b|^i (?:don't|do not|never) want .*\bever$|^i (?:don't|do not) ever want\b|^i'd like you to (?:always|never)\b|^my preferred \w+(?: \w+)? is\b"
);
pattern!(
    ALWAYS,
    r"^(?:you (?:should|must|need to|have to) )?(?:always|never ever|never|don't ever|do not ever) ",
    join_alternatives(WAYS),
    r"\b",
    r"|^(?:don't|do not) ",
    join_alternatives(WAYS),
    r"\b.*,? ever$"
);
pattern!(
    WHENEVER,
    r"^(?:whenever|every time|each time|any time) (?:you|we|i) [^,]+, (?:please )?(?:also |always |never |first )?(?:don't |do not )?",
    join_alternatives(WAYS),
    r"\b|^(?:when|if|before|after) you [^,]+, (?:please )?(?:always|never|don't ever) ",
    join_alternatives(WAYS),
    r"\b"
);
pattern!(
    STOP,
    r"^(?:please )?(?:stop|quit) (?:adding|using|putting|writing|creating|committing|pushing|asking|apologi[sz]ing|summari[sz]ing|explaining|generating|importing|including|suggesting|editing|touching|reformatting|formatting|leaving|mocking|inventing|hardcoding|installing|deleting|removing|renaming|wrapping|disabling|skipping|ignoring|opening|amending|force-pushing|rebasing|bumping|guessing|assuming|over-?engineering)\b"
);
pattern!(
    STOP_FOR_NOW,
    r"\b(?:and (?:just|instead|do|fix|start|continue|go|get|move|write|look|add|use|run|make|try)|of the|first|it|that|this|them|now|when|until|twice|for a (?:moment|minute|while|bit))\b|, (?:do|fix|just|start|i|we|you)\b"
);
pattern!(
    NOT_TO,
    r"^(?:you )?(?:not to|never to|don't|do not|never|to never) "
);
pattern!(OF_THE_TASK, r"^to \w+ (?:the|an?|my|both)\b");
pattern!(TO_USE, r"^to (?:always )?(?:use|ask|keep|prefer) ");
pattern!(
    IN_THIS,
    r"^(?:in|for|across|within) (?:this|our|the whole) (?:repo|repository|project|codebase|monorepo|team|company|org|workspace)\b[ ,:]*"
);
pattern!(
    THIS_PROJECT,
    r"^(?:this|our|the) (?:repo|repository|project|codebase|monorepo|workspace)(?:'s)? (?:only |always |never )?(?:uses|is (?:an? (?:monorepo|library|workspace|fork|rust|python|typescript|go|java|kotlin|ruby|node|react|next|django|rails|pnpm|yarn|npm|cargo|bazel|nx)|built|written|formatted|deployed|hosted|published|licensed|tested|on)|requires|targets|supports|runs|builds|deploys|lives|must|has to|does not use|doesn't use)\b"
);
pattern!(
    WE_ALWAYS,
    r"^we (?:always|never|only|all) ",
    join_alternatives(DOINGS),
    r"\b|^we (?:don't|do not) (?:use|commit|push|merge|deploy|release|mock|vendor|bump|squash|rebase|edit|touch|allow|support|accept)\b"
);
pattern!(WE_DO, r"^we ", join_alternatives(DOINGS), r" ");
pattern!(
    FIRMLY,
    r"\b(?:for \w+|in this (?:repo|project|codebase)|here\b|everywhere|throughout|as our|only|before|on every|every|each|without|by default|through|via)\b|, not |\binstead of\b|\brather than\b"
);
pattern!(
    BARE_OBJECT,
    r"^we (?:don't |do not |always |never |only )?\w+ (?:the|a|an|this|that|these|those|same|it|to|both|two)\b"
);
pattern!(
    OUR,
    r"^our ((?:[a-z0-9/_-]+ ){1,5})(?:only |always |never )?(?:is|are|runs?|lives?|uses?|needs?|requires?|goes|go|listens?|deploys?|expects?|forbids?|rejects?|enforces?|must|should (?:always|never)|has to|have to|sits?|stays?)\b"
);
pattern!(
    PROCESS,
    r"^(?:all |every |each |any )?(?:new |public |feature |release |hotfix |production |prod )*(?:commits?|commit messages?|prs?|pull requests?|pr (?:descriptions?|titles?)|branch(?:es)?|branch names?|releases?|deploys?|deployments?|migrations?|hotfixes|secrets|changelog entries|tags|merges|schema changes|reviews?|(?:unit|integration|e2e|end-to-end|smoke) tests|dependencies) (?:must|always|never|should (?:always|never|only)|has to|have to|needs? to|needs? |go(?:es)? through|go out|are (?:always |never |only )?(?:cut|written|tagged|made|signed|released|deployed|generated|merged|squashed|reviewed|kept|stored|run|done|named|published|built|created|frozen)|is (?:always |never |only )?(?:cut|tagged|deployed|signed|reviewed)|lives? in|run (?:on|with|in)|starts? with|targets?)\b"
);
pattern!(MODAL, r"\b(?:must|should|always|never)\b");
pattern!(
    KEPT_SO,
    r"\b(?:lives?|runs?|goes|go|are (?:written|named|kept|generated|stored|run)) "
);
pattern!(
    PASS,
    r"\b(?:pass|compile|work|fail|finish|succeed|break|complete|hang|time out|me|my|first|now|be (?:installed|fixed|done|added|updated|green|rewritten|deleted|cleaned|moved|renamed|split))\b"
);
pattern!(
    PLACED,
    r"^(?:the |our |all |every )?((?:[a-z0-9/_-]+ ){1,5})(?:is|are|runs?|lives?|listens?|goes?|belongs?|comes?|sits?|needs?|requires?|uses?) "
);
pattern!(
    VALUE,
    r"[0-9]|`|/|\.[a-z]{2,4}\b|\b(?:owned by|called|named)\b"
);

/// What a sentence states by the rules for English.
pub(super) fn extract_english(
    sentence: &Sentence,
    setting: &SentenceContext<'_>,
) -> Option<(Sort, StatementPhrase)> {
    let (lead, range) = parse_opening(&sentence.lower);
    let lead = if sentence.is_listed && lead == SentenceOpening::None {
        SentenceOpening::Remember
    } else {
        lead
    };
    let (lower, text) = (
        sentence.lower.get(range.clone())?,
        sentence.text.get(range)?,
    );
    let is_short = lower.split_whitespace().count() < 2 && lower.is_ascii();
    if is_short || non_statements::is_question_after_opening(lower) || MEASURED.is_in(lower) {
        return None;
    }
    extract_by_opening(text, lower, lead, setting)
        .or_else(|| habit::extract_habit(text, lower, lead, setting))
        .or_else(|| convention::extract_convention(text, lower, lead, setting))
}

/// What it states by the words it begins with.
fn extract_by_opening(
    text: &str,
    lower: &str,
    lead: SentenceOpening,
    setting: &SentenceContext<'_>,
) -> Option<(Sort, StatementPhrase)> {
    if non_statements::has_task_tail(lower) || non_statements::is_context_dependent(lower) {
        return None;
    }
    Some(match lead {
        SentenceOpening::Remember => extract_remember_request(text, lower)?,
        SentenceOpening::Note => extract_note(text, lower)?,
        SentenceOpening::Standing => (Sort::Preference, extract_standing_order(text, lower)?),
        SentenceOpening::No => (Sort::Correction, extract_correction(text, lower, setting)?),
        SentenceOpening::Actually => (
            Sort::Correction,
            extract_correction(text, lower, setting)
                .or_else(|| extract_project_fact(text, lower))?,
        ),
        SentenceOpening::Told => (
            Sort::Correction,
            extract_repeated_order(text, lower, setting)?,
        ),
        SentenceOpening::None => extract_without_opening(text, lower, setting)?,
    })
}

/// What the person asks to remember: nearly anything that is a sentence.
fn extract_remember_request(text: &str, lower: &str) -> Option<(Sort, StatementPhrase)> {
    let phrase =
        phrase::parse_statement_phrase(text, lower).filter(|_| !is_about_work_in_hand(lower))?;
    let is_wish = PREFERS.is_in(lower) || phrase.is_wish();
    Some((
        if is_wish {
            Sort::Preference
        } else {
            Sort::Fact
        },
        phrase,
    ))
}

pattern!(
    RULED,
    r"^(?:we|our|all|every|each|new|public|private|i)\b|\b(?:must|should|always|never|only|gets?)\b"
);

pattern!(
    ONCE,
    r"^(?:fix|implement|refactor|find|look|finish|continue|investigate|debug|focus|let's)\b|, then "
);

/// What is to be done from now on: an order, or a rule; not what has changed in the code.
fn extract_standing_order(text: &str, lower: &str) -> Option<StatementPhrase> {
    if let Some(none) = habit::extract_ban(text, lower) {
        return Some(none);
    }
    let phrase = phrase::parse_statement_phrase(text, lower).filter(|_| !ONCE.is_in(lower))?;
    let is_told = RULED.is_in(lower) && !CODE_TALK.is_in(lower);
    let is_rule = (is_told || PROCESS.is_in(lower)) && !PASS.is_in(lower);
    (!matches!(phrase, StatementPhrase::Clause(_)) || is_rule).then_some(phrase)
}

/// "the list is sorted by date": about the work in hand, and stale with it.
fn is_about_work_in_hand(lower: &str) -> bool {
    let Some(rest) = lower.strip_prefix("the ") else {
        return false;
    };
    let subject = PLACED
        .captures(lower)
        .and_then(|it| lower.get(it.get(1)?.range()));
    let mut words = subject.unwrap_or(rest).split_whitespace().take(3);
    words.any(|it| IN_HAND.split_whitespace().any(|word| word == it)) || CODE_TALK.is_in(lower)
}

/// "Note that" is said of many things; what is about us is for good.
fn extract_note(text: &str, lower: &str) -> Option<(Sort, StatementPhrase)> {
    let is_told = WE_DO.is_in(lower) && VALUE.is_in(&text.to_ascii_lowercase());
    let told = || {
        is_told
            .then(|| phrase::parse_statement_phrase(text, lower))
            .flatten()
    };
    extract_team_practice(text, lower)
        .or_else(told)
        .or_else(|| extract_project_fact(text, lower))
        .map(|it| (Sort::Fact, it))
}

/// What the agent was wrong about.
fn extract_correction(
    text: &str,
    lower: &str,
    setting: &SentenceContext<'_>,
) -> Option<StatementPhrase> {
    if !setting.is_answer {
        return None;
    }
    extract_tool_contrast(text, lower, setting)
        .or_else(|| extract_team_practice(text, lower))
        .or_else(|| extract_project_value(text, lower))
}

/// "use pnpm, not npm": a choice between programs, not between two ways to write a line.
fn extract_tool_contrast(
    text: &str,
    lower: &str,
    setting: &SentenceContext<'_>,
) -> Option<StatementPhrase> {
    let found = CONTRAST.captures(lower)?;
    let part = |name: &str| text.get(found.name(name)?.range());
    let (x, y) = (part("x")?, part("y")?);
    let is_tool = |it: &str| {
        TOOLS
            .split_whitespace()
            .any(|tool| it.split(' ').any(|word| word.eq_ignore_ascii_case(tool)))
    };
    let is_known = is_tool(x) || is_tool(y) || setting.has_run_command(y);
    is_known.then(|| StatementPhrase::Contrast(x.into(), y.into()))
}

/// "we use podman here": what is ours is for good, once it is said as a correction.
fn extract_team_practice(text: &str, lower: &str) -> Option<StatementPhrase> {
    let is_ours = WE_ALWAYS.is_in(lower)
        || OUR.is_in(lower)
        || THIS_PROJECT.is_in(lower)
        || (WE_DO.is_in(lower) && (!BARE_OBJECT.is_in(lower) || text.contains('`')));
    is_ours
        .then(|| phrase::parse_statement_phrase(text, lower))
        .flatten()
}

/// "the port is 5433": where a thing of the project is, or what it is.
fn extract_project_value(text: &str, lower: &str) -> Option<StatementPhrase> {
    let found = PLACED.captures(lower)?;
    let subject = lower.get(found.get(1)?.range())?;
    let has = |list: &str| has_listed_word(list, subject);
    (has(THINGS) && !has(IN_HAND) && VALUE.is_in(&text.to_ascii_lowercase()))
        .then(|| phrase::parse_statement_phrase(text, lower))
        .flatten()
}

/// What the agent was told before: rules, and things not to do.
fn extract_repeated_order(
    text: &str,
    lower: &str,
    setting: &SentenceContext<'_>,
) -> Option<StatementPhrase> {
    let behind = |pattern: &super::pattern::Pattern| {
        pattern
            .text_after_match(lower)
            .and_then(|it| text.get(lower.len() - it.len()..))
    };
    if let Some(rest) = behind(&NOT_TO) {
        return Some(StatementPhrase::Unwanted(rest.into()));
    }
    if TO_USE.is_in(lower) && !OF_THE_TASK.is_in(lower) {
        return Some(StatementPhrase::Wanted(text.get("to ".len()..)?.into()));
    }
    extract_correction(text, lower, setting)
}

/// What stands by itself.
fn extract_without_opening(
    text: &str,
    lower: &str,
    setting: &SentenceContext<'_>,
) -> Option<(Sort, StatementPhrase)> {
    if PREFERS.is_in(lower) {
        return phrase::parse_statement_phrase(text, lower)
            .filter(|_| {
                !ONE_OF.is_in(lower)
                    && !lower.contains(" your ")
                    && !habit::is_about_program_behaviour(lower)
            })
            .map(|it| (Sort::Preference, it));
    }
    if STOP.is_in(lower) && setting.is_answer && !STOP_FOR_NOW.is_in(lower) {
        return phrase::parse_statement_phrase(text, lower).map(|it| (Sort::Correction, it));
    }
    let is_rule = (ALWAYS.is_in(lower) || WHENEVER.is_in(lower)) && !CODE_TALK.is_in(lower);
    if is_rule && !setting.has_task {
        return phrase::parse_statement_phrase(text, lower).map(|it| (Sort::Preference, it));
    }
    if let Some(rest) = SWITCHED.text_after_match(lower) {
        let rest = text.get(lower.len() - rest.len()..)?;
        return phrase::parse_statement_phrase(rest, &rest.to_ascii_lowercase())
            .filter(|_| rest.len() > 8)
            .map(|it| (Sort::Correction, it));
    }
    // What a project uses is said before nearly every piece of work, and the code says it too.
    let phrase = extract_project_fact(text, lower)
        .filter(|_| !(setting.has_task && THIS_PROJECT.is_in(lower)))?;
    let is_contrast =
        lower.contains(", not ") || lower.contains(", use ") || lower.contains(" instead of ");
    let sort = if is_contrast && setting.is_answer {
        Sort::Correction
    } else {
        Sort::Fact
    };
    Some((sort, phrase))
}

/// A fact about the project that needs no other lead.
fn extract_project_fact(text: &str, lower: &str) -> Option<StatementPhrase> {
    if let Some(rest) = IN_THIS
        .text_after_match(lower)
        .filter(|it| it.split_whitespace().count() > 2)
    {
        let rules = [&*MODAL, &WE_ALWAYS, &WE_DO, &PROCESS, &KEPT_SO];
        let is_rule = rules.iter().any(|it| it.is_in(rest));
        return phrase::parse_statement_phrase(text, lower)
            .filter(|it| is_rule && matches!(it, StatementPhrase::Clause(_)));
    }
    let is_process = PROCESS.is_in(lower) && !PASS.is_in(lower);
    let is_firm = || WE_ALWAYS.is_in(lower) || (WE_DO.is_in(lower) && FIRMLY.is_in(lower));
    let is_way = || is_firm() && !BARE_OBJECT.is_in(lower) && !CODE_TALK.is_in(lower);
    let is_fact =
        is_process || THIS_PROJECT.is_in(lower) || is_way() || is_project_thing(text, lower);
    is_fact
        .then(|| phrase::parse_statement_phrase(text, lower))
        .flatten()
        .filter(|it| matches!(it, StatementPhrase::Clause(_)))
}

pattern!(
    WANTING,
    r"\bneeds? (?:an?|to|better|some|new|more|help|work|ci|tests|docs)\b"
);

/// "Our production cluster is in eu-central-1"; not "our team is small".
fn is_project_thing(text: &str, lower: &str) -> bool {
    let Some(found) = OUR.captures(lower) else {
        return false;
    };
    let subject = found
        .get(1)
        .and_then(|it| lower.get(it.range()))
        .unwrap_or("");
    let has = |list: &str| has_listed_word(list, subject);
    let is_bare = matches!(found.get(0).map(|it| it.as_bytes()), Some(it) if it.ends_with(b" is") || it.ends_with(b" are"));
    let is_told = (!is_bare && !WANTING.is_in(lower))
        || has(CHOICES)
        || VALUE.is_in(&text.to_ascii_lowercase());
    has(THINGS) && is_told && !CODE_TALK.is_in(lower)
}
