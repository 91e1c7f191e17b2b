//! Which sentences state something: the rules, by what a sentence begins with.

use super::convention::CODE_TALK;
use super::{
    SortedPhrase, StatementSort, habit,
    lexicon::{CHOICES, DOINGS, IN_HAND, THINGS, TOOLS, WAYS, has_listed_word},
    non_statements,
    opening::{SentenceOpening, parse_opening},
    own_sentences::Sentence,
    pattern::{join_alternatives, pattern},
    phrase::{StatementPhrase, parse_statement_phrase},
    sentence_context::{SentenceBody, SentenceContext},
};

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

pattern!(
    RULED,
    r"^(?:we|our|all|every|each|new|public|private|i)\b|\b(?:must|should|always|never|only|gets?)\b"
);
pattern!(
    ONCE,
    r"^(?:fix|implement|refactor|find|look|finish|continue|investigate|debug|focus|let's)\b|, then |\bso (?:that )?we (?:can|could)\b|\bin case\b"
);
pattern!(
    WANTING,
    r"\bneeds? (?:an?|to|better|some|new|more|help|work|ci|tests|docs)\b"
);

/// What a sentence states by the rules for English.
pub(super) fn extract_english(
    sentence: &Sentence,
    setting: &SentenceContext,
) -> Option<SortedPhrase> {
    let body = read_sentence_body(sentence, setting)?;
    body.extract_by_opening()
        .or_else(|| body.extract_habit())
        .or_else(|| body.extract_convention())
}

/// What a sentence states by its form without the words that announce it, and what the form weighs.
pub(super) fn extract_passing_english(
    sentence: &Sentence,
    setting: &SentenceContext,
) -> Option<(i32, SortedPhrase)> {
    read_sentence_body(sentence, setting)?.extract_passing_statement()
}

/// What is left of a sentence behind its opening; `None` for a question and for a judgement ("is very slow").
pub(super) fn read_sentence_body<'a>(
    sentence: &'a Sentence,
    setting: &'a SentenceContext<'a>,
) -> Option<SentenceBody<'a>> {
    let (mut lead, range) = parse_opening(&sentence.lower);
    if sentence.is_listed && lead == SentenceOpening::None {
        lead = SentenceOpening::Remember;
    }
    let lower = sentence.lower.get(range.clone())?;
    let body = SentenceBody {
        text: sentence.text.get(range)?,
        lower,
        lead,
        setting,
    };
    let is_short = lower.split_whitespace().count() < 2 && lower.is_ascii();
    let is_none =
        is_short || non_statements::is_question_after_opening(lower) || MEASURED.is_in(lower);
    (!is_none).then_some(body)
}

impl SentenceBody<'_> {
    /// What it states by the words it begins with.
    fn extract_by_opening(&self) -> Option<SortedPhrase> {
        if non_statements::has_task_tail(self.lower)
            || non_statements::is_context_dependent(self.lower)
        {
            return None;
        }
        let put_right = |it| (StatementSort::Correction, it);
        match self.lead {
            SentenceOpening::Remember => self.extract_remember_request(),
            SentenceOpening::Note => Some((StatementSort::Fact, self.extract_note()?)),
            SentenceOpening::Standing => {
                Some((StatementSort::Preference, self.extract_standing_order()?))
            }
            SentenceOpening::No => self.extract_correction().map(put_right),
            SentenceOpening::Actually => self
                .extract_correction()
                .or_else(|| self.extract_project_fact())
                .map(put_right),
            SentenceOpening::Told => self.extract_repeated_order().map(put_right),
            SentenceOpening::None => self.extract_without_opening(),
        }
    }

    /// What the person asks to remember: nearly anything that is a sentence.
    fn extract_remember_request(&self) -> Option<SortedPhrase> {
        let phrase = self.phrase_if(!self.is_about_work_in_hand())?;
        let is_wish = self.is(&PREFERS) || phrase.is_wish();
        let sort = if is_wish {
            StatementSort::Preference
        } else {
            StatementSort::Fact
        };
        Some((sort, phrase))
    }

    /// What is to be done from now on: an order, or a rule; not what has changed in the code.
    fn extract_standing_order(&self) -> Option<StatementPhrase> {
        self.extract_ban().or_else(|| {
            let is_told = self.is(&RULED) && !self.is(&CODE_TALK);
            let is_rule = (is_told || self.is(&PROCESS)) && !self.is(&PASS);
            self.phrase_if(!self.is(&ONCE))
                .filter(|it| is_rule || !it.is_clause())
        })
    }

    /// "the list is sorted by date": about the work in hand, and stale with it.
    fn is_about_work_in_hand(&self) -> bool {
        let Some(rest) = self.lower.strip_prefix("the ") else {
            return false;
        };
        let subject = PLACED.group(self.lower, 1).unwrap_or(rest);
        let mut words = subject.split_whitespace().take(3);
        words.any(|it| has_listed_word(IN_HAND, it)) || self.is(&CODE_TALK)
    }

    /// "Note that" is said of many things; what is about us is for good.
    fn extract_note(&self) -> Option<StatementPhrase> {
        self.extract_team_practice()
            .or_else(|| self.phrase_if(self.is(&WE_DO) && self.has_value()))
            .or_else(|| self.extract_project_fact())
    }

    /// Whether it says where something is, or how much.
    fn has_value(&self) -> bool {
        VALUE.is_in(&self.text.to_ascii_lowercase())
    }

    /// What the agent was wrong about.
    fn extract_correction(&self) -> Option<StatementPhrase> {
        if !self.setting.is_answer {
            return None;
        }
        self.extract_tool_contrast()
            .or_else(|| self.extract_team_practice())
            .or_else(|| self.extract_project_value())
    }

    /// "use pnpm, not npm": a choice between programs, not between two ways to write a line.
    fn extract_tool_contrast(&self) -> Option<StatementPhrase> {
        let found = CONTRAST.captures(self.lower)?;
        let part = |name: &str| self.text.get(found.name(name)?.range());
        let (x, y) = (part("x")?, part("y")?);
        let is_tool = |it: &str| has_listed_word(TOOLS, &it.to_ascii_lowercase());
        let is_known = is_tool(x) || is_tool(y) || self.setting.has_run_command(y);
        is_known.then(|| StatementPhrase::Contrast(x.into(), y.into()))
    }

    /// "we use podman here": what is ours is for good, once it is said as a correction.
    fn extract_team_practice(&self) -> Option<StatementPhrase> {
        let is_done = || !self.is(&BARE_OBJECT) || self.text.contains('`');
        let is_ours = [&WE_ALWAYS, &OUR, &THIS_PROJECT];
        self.phrase_if(is_ours.iter().any(|it| self.is(it)) || self.is(&WE_DO) && is_done())
    }

    /// "the port is 5433": where a thing of the project is, or what it is.
    fn extract_project_value(&self) -> Option<StatementPhrase> {
        let subject = PLACED.group(self.lower, 1)?;
        let has = |list: &str| has_listed_word(list, subject);
        self.phrase_if(has(THINGS) && !has(IN_HAND) && self.has_value())
    }

    /// What the agent was told before: rules, and things not to do.
    fn extract_repeated_order(&self) -> Option<StatementPhrase> {
        if let Some(found) = NOT_TO.find(self.lower) {
            let order = self.text.get(found.end..)?;
            return Some(StatementPhrase::Unwanted(order.into()));
        }
        if self.is(&TO_USE) && !self.is(&OF_THE_TASK) {
            let order = self.text.get("to ".len()..)?;
            return Some(StatementPhrase::Wanted(order.into()));
        }
        self.extract_correction()
    }

    /// What stands by itself.
    fn extract_without_opening(&self) -> Option<SortedPhrase> {
        let (lower, setting) = (self.lower, self.setting);
        if self.is(&PREFERS) {
            let is_once = self.is(&ONE_OF)
                || lower.contains(" your ")
                || habit::is_about_program_behaviour(lower);
            return Some((StatementSort::Preference, self.phrase_if(!is_once)?));
        }
        if self.is(&STOP) && setting.is_answer && !self.is(&STOP_FOR_NOW) {
            return Some((StatementSort::Correction, self.phrase_if(true)?));
        }
        let is_rule = (self.is(&ALWAYS) || self.is(&WHENEVER)) && !self.is(&CODE_TALK);
        if is_rule && !setting.has_task {
            return Some((StatementSort::Preference, self.phrase_if(true)?));
        }
        if let Some(found) = SWITCHED.find(lower) {
            let rest = self.text.get(found.end..).filter(|it| it.len() > 8)?;
            let phrase = parse_statement_phrase(rest, &rest.to_ascii_lowercase())?;
            return Some((StatementSort::Correction, phrase));
        }
        // What a project uses is said before nearly every piece of work, and the code says it too.
        if setting.has_task && self.is(&THIS_PROJECT) {
            return None;
        }
        let contrasts = [", not ", ", use ", " instead of "];
        let is_contrast = contrasts.iter().any(|it| lower.contains(it));
        let sort = if is_contrast && setting.is_answer {
            StatementSort::Correction
        } else {
            StatementSort::Fact
        };
        Some((sort, self.extract_project_fact()?))
    }

    /// A fact about the project that needs no other lead.
    fn extract_project_fact(&self) -> Option<StatementPhrase> {
        let rest = IN_THIS.text_after_match(self.lower);
        let is_fact = match rest.filter(|it| it.split_whitespace().count() > 2) {
            Some(rest) => [&MODAL, &WE_ALWAYS, &WE_DO, &PROCESS, &KEPT_SO]
                .iter()
                .any(|it| it.is_in(rest)),
            None => {
                let is_firm = || self.is(&WE_ALWAYS) || self.is(&WE_DO) && self.is(&FIRMLY);
                let is_way = || is_firm() && !self.is(&BARE_OBJECT) && !self.is(&CODE_TALK);
                self.is(&PROCESS) && !self.is(&PASS)
                    || self.is(&THIS_PROJECT)
                    || is_way()
                    || self.is_project_thing()
            }
        };
        self.phrase_if(is_fact).filter(StatementPhrase::is_clause)
    }

    /// "Our production cluster is in eu-central-1"; not "our team is small".
    fn is_project_thing(&self) -> bool {
        let (Some(start), Some(subject)) = (OUR.group(self.lower, 0), OUR.group(self.lower, 1))
        else {
            return false;
        };
        let has = |list: &str| has_listed_word(list, subject);
        let is_bare = start.ends_with(" is") || start.ends_with(" are");
        let is_told = !is_bare && !self.is(&WANTING) || has(CHOICES) || self.has_value();
        has(THINGS) && is_told && !self.is(&CODE_TALK)
    }
}
