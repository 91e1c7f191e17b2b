//! How a person wants things done every time, without the words "from now on": the object is a class of things.

use super::generality::{
    has_work_class, is_about_class, is_about_class_in_project, is_narrow_scope, strip_project_scope,
};
use super::{
    SortedPhrase, StatementSort,
    lexicon::{CODE_HABITS, HABITS, WAYS},
    non_statements,
    opening::SentenceOpening,
    pattern::{join_alternatives, pattern},
    phrase::{StatementPhrase, phrase_ban},
    sentence_context::{SentenceBody, is_standing_order},
};

// "don't use sleeps in tests", "avoid abbreviations".
pattern!(
    NOT_DONE,
    r"^(?:please )?(?:(?:don't|do not|you (?:must|should|may) not|you (?:mustn't|shouldn't)) (?:ever |just |simply )?",
    join_alternatives(WAYS),
    r"|(?:don't|do not|you (?:must|should|may) not) (?:ever |just |simply )?",
    join_alternatives(HABITS),
    r"|avoid|never (?:",
    join_alternatives(WAYS),
    "|",
    join_alternatives(HABITS),
    r"))\b"
);
pattern!(
    NEVER_EVER,
    r"^(?:please )?(?:don't|do not|you (?:must|should|may|can) not|you (?:mustn't|shouldn't|can't)|never) (?:log|hardcode|expose|leak|",
    join_alternatives(WAYS),
    "|",
    join_alternatives(HABITS),
    r")\b .*,? ever$"
);
pattern!(
    NOT_DONE_HERE,
    r"^(?:please )?(?:don't|do not|never) ",
    join_alternatives(CODE_HABITS),
    r"\b"
);
// One name, and the project as its place.
pattern!(
    NOT_USED,
    r"^(?:please )?(?:don't|do not|never|avoid) (?:use|using|add|write|import) [^ ]+ (?:in|anywhere in) (?:this|our) (?:codebase|repo|repository|project)(?:, (?:but )?use [^ ]+)?$"
);
pattern!(NONE_OF, r"^no (?:more )?(?:[a-z-]+ ){0,3}[a-z-]+s\b");
pattern!(
    STATES,
    r"^no .*\b(?:is|are|was|were|has|have|can|will|do|does|must|should|need|found|left)\b"
);
// What is done to commits, reviews and answers is done every time, whatever the verb.
pattern!(
    AT_A_TIME,
    r"^(?:please )?(?:ask|answer|reply|commit|explain) [^,]*\b(?:at a time|at most)\b[^,]*$"
);
// Wishes of the person.
pattern!(
    PREFER_SMALL,
    r"^i(?:'d| would) (?:much |really |strongly )?prefer (?:really )?(?:[a-z-]+ )[a-z-]+s$"
);
pattern!(
    RATHER,
    r"^i(?:'d| would) (?:much |really |strongly )?(?:rather|prefer|like)(?: it)?(?: if| that)? you "
);
pattern!(
    EVERY_TIME,
    r"\b(?:never|always|every time|each time)\b|\bask(?:ed)?(?: me)? (?:than|instead of|rather than) (?:to )?(?:guess|assum)|\b(?:before|without|when|whenever|instead of) (?:you )?[a-z-]+ (?:an?|any|new|large|big|other) (?:new )?(?:dependenc|librar|package|crate|file|commit|branch|pr\b|migration|refactor|abstraction)|\b(?:before|without) (?:asking|committing|pushing|deleting|merging|deploying|refactoring)\b|\b(?:before|without) (?:large|big|new) [a-z]+s\b"
);
pattern!(
    NOT,
    r"\b(?:didn't|don't|did not|do not|not|avoided|stopped)\b"
);
pattern!(
    SMALL,
    r"\b(?:small|smaller|short|shorter|separate|atomic|explicit|descriptive) (?:commits|prs|functions|names|messages|answers|diffs|files|modules)\b"
);
pattern!(
    WANT_EVERY,
    r"^i (?:want|need|expect) (?:all|every|each|one|new) .*\b(?:to (?:be (?:in|written|named|signed|reviewed|documented)|have|follow|start|use|come)|per|without)\b"
);
pattern!(ALWAYS_WANT, r"^i (?:always|never) want (?:you )?(?:to )?");
pattern!(
    OF_THE_APP,
    r"\bthe (?:app|page|screen|server|game|program|ui|cursor)\b"
);
pattern!(
    OF_OUR_WORK,
    r"\b(?:you|tests?|plan|diff|commits?|docs|documentation|linter|formatter|command|reasons?|changelog|branch|review)\b"
);
pattern!(
    ON_THE_PAGE,
    r"^i (?:always|never) want (?:the|this|that|it)\b"
);
pattern!(
    LIKE_WHEN,
    r"^i (?:don't like|do not like|hate|dislike|like|love)(?: it)? when(?:ever)? you "
);
pattern!(
    ONE_DOES,
    r"\bwhen(?:ever)? you (?:click|hover|see|press|scroll|type|drag|tap|select|visit|land|enter|swipe|open|get|hit|load|have|log)\b"
);
pattern!(
    LIKE,
    r"^i (?:(?:really|do|much|don't|do not) )*(?:like|love|hate) "
);
pattern!(
    LIKED_ONE,
    r"^i (?:(?:really|do|much|don't|do not) )*(?:like|love|hate) (?:the|how|that|this|your|my|it|to|what)\b|\byou (?:chose|wrote|made|picked|used|added|did)\b"
);
// "stop adding comments that repeat the code" is about comments, not about "that".
pattern!(
    STOP,
    r"^(?:please )?(?:stop|quit) (?:telling|saying|claiming|apologi[sz]ing|repeating|guessing|assuming|inventing|rewriting|reformatting|adding|using|putting|writing|creating|committing|explaining|generating|importing|including|suggesting|editing|leaving|mocking|hardcoding|installing|deleting|removing|renaming|wrapping|disabling|skipping|ignoring|opening|abbreviating|commenting|refactoring)\b"
);
pattern!(
    MANNERED,
    r"^(?:please )?(?:stop|quit) (?:telling|saying|claiming|apologi[sz]ing|repeating|guessing|inventing|rewriting|reformatting|abbreviating|wrapping everything|refactoring (?:code|files|things))\b"
);
pattern!(
    STOP_ONCE,
    r"\b(?:and (?:just|instead|do|fix|start|write)|first|now|yet|when|until|while)\b|, (?:do|fix|just|start|i|we)\b"
);
pattern!(
    RELATIVE,
    r"s (?:that|which) (?:just |only |merely |simply |don't |do not )*(?:[a-z]+)"
);
pattern!(
    PRONOUN,
    r"\b(?:it|its|them|this|that|these|those|there|one of|ones)\b"
);
// Pronouns that point at nothing outside of the sentence.
pattern!(
    OWN_PRONOUN,
    r"\b(?:like|hate|love|prefer) it (?:when|if)|\b(?:that|it's|it is) (?:done|finished|ready|fixed)|, (?:please |just |rather )*(?:ask|report|look|tell|mark|leave|keep|move|fix|name|list) them\b|\bto (?:make|get|keep) them\b|\btell(?:ing)? me (?:that|it's|it is)\b"
);

pattern!(
    FAILS,
    r"\b(?:green|red|pass|passing|work|compile|fixed|renamed|removed|deleted)\b"
);

impl SentenceBody<'_> {
    /// What is wanted every time, by its form.
    pub(super) fn extract_habit(&self) -> Option<SortedPhrase> {
        let (lower, setting) = (self.lower, self.setting);
        let is_led = !matches!(
            self.lead,
            SentenceOpening::Remember | SentenceOpening::Note | SentenceOpening::Standing
        );
        if !is_led || !setting.is_answer || setting.has_task || has_outside_reference(lower) {
            return None;
        }
        let is_wish = lower.starts_with("i ")
            || lower.starts_with("i'")
            || !self.is(&STOP) && !self.is_blunt_order();
        let sort = if self.lead == SentenceOpening::None && is_wish {
            StatementSort::Preference
        } else {
            StatementSort::Correction
        };
        let is_habit = is_habit_wish(lower) || is_habit_order(lower) || is_stop_order(lower);
        let phrase = if is_habit {
            self.phrase_if(true)
        } else {
            self.extract_ban()
        };
        Some((sort, phrase?))
    }

    /// "Don't silence errors" puts the agent right; "please don't" and "ever" state how it is to be.
    fn is_blunt_order(&self) -> bool {
        let lower = self.text.to_ascii_lowercase();
        (lower.starts_with("don't ") || lower.starts_with("do not "))
            && !lower.ends_with("ever")
            && !self.setting.is_polite
    }

    /// "no singletons, ever", "no TODO comments without a ticket number".
    pub(super) fn extract_ban(&self) -> Option<StatementPhrase> {
        let lower = self.lower;
        let is_firm =
            lower.ends_with(" ever") || lower.contains(" without ") || is_about_class(lower);
        let is_none = is_firm
            && !lower.contains(", only ")
            && !lower.contains(", just ")
            && self.is(&NONE_OF)
            && !self.is(&STATES)
            && !is_narrow_scope(lower);
        is_none.then(|| phrase_ban(self.text, lower))
    }
}

fn has_outside_reference(lower: &str) -> bool {
    let mut text = strip_project_scope(lower);
    OWN_PRONOUN.strip_from(&mut text);
    RELATIVE.strip_from(&mut text);
    PRONOUN.is_in(&text) || non_statements::has_task_tail(&text)
}

fn is_habit_order(lower: &str) -> bool {
    // "tests without assertions", "dependencies without asking": a condition that makes a rule.
    let is_without_rule = || lower.contains(" without ") && has_work_class(lower);
    let is_class =
        || is_about_class(lower) || is_about_class_in_project(lower) || is_without_rule();
    NEVER_EVER.is_in(lower) && !is_narrow_scope(lower)
        || NOT_DONE.is_in(lower) && is_class()
        || NOT_DONE_HERE.is_in(lower) && is_about_class_in_project(lower)
        || NOT_USED.is_in(lower)
        || is_standing_order(lower)
        || AT_A_TIME.is_in(lower) && !is_narrow_scope(lower) && !lower.contains(" the ")
}

fn is_habit_wish(lower: &str) -> bool {
    is_rather_wish(lower) || is_like_wish(lower) || is_want_wish(lower)
}

/// "I'd rather you ask before adding a dependency", "I would prefer small PRs".
fn is_rather_wish(lower: &str) -> bool {
    let is_every_time = || EVERY_TIME.is_in(lower) && !lower.contains(" the ");
    let is_small = SMALL.is_in(lower);
    let is_way = || is_every_time() || is_small || NOT.is_in(lower) && is_about_class(lower);
    let is_rather = RATHER.is_in(lower) && is_way();
    (is_rather || is_small && PREFER_SMALL.is_in(lower)) && !is_narrow_scope(lower)
}

/// "I always want a test", "I want all documentation to be in English".
fn is_want_wish(lower: &str) -> bool {
    // "All tests", "one commit": a class too.
    let is_class = || {
        has_work_class(
            &lower
                .replace(" commit ", " commits ")
                .replace(" pr ", " prs ")
                .replace(" test ", " tests "),
        )
    };
    WANT_EVERY.is_in(lower) && is_class() && !FAILS.is_in(lower)
        || ALWAYS_WANT.is_in(lower) && !is_about_program_behaviour(lower)
}

/// "I like short answers", "I hate it when you apologise".
fn is_like_wish(lower: &str) -> bool {
    let is_class = || is_about_class(lower) || RELATIVE.is_in(lower) && has_work_class(lower);
    let is_thing =
        LIKE.is_in(lower) && !LIKED_ONE.is_in(lower) && !lower.contains(" you ") && is_class();
    is_thing || LIKE_WHEN.is_in(lower) && !ONE_DOES.is_in(lower) && !is_narrow_scope(lower)
}

/// "I always want the cursor at the end of the line": what a program is to do.
pub(super) fn is_about_program_behaviour(lower: &str) -> bool {
    ON_THE_PAGE.is_in(lower) && !OF_OUR_WORK.is_in(lower)
        || OF_THE_APP.is_in(lower)
        || ONE_DOES.is_in(lower)
}

fn is_stop_order(lower: &str) -> bool {
    let is_told = RELATIVE.is_in(lower) || is_about_class(lower);
    let is_manner = MANNERED.is_in(lower) && !lower.contains(" the ");
    STOP.is_in(lower) && !STOP_ONCE.is_in(lower) && (is_told || is_manner)
}
