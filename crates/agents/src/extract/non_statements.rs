//! What is no statement for good, however it begins: questions, hypotheses, moods of the day, other people's rules.

use super::lexicon::has_listed_word;
use super::{own_sentences::Sentence, pattern::pattern};
use apostille_core::remember::classify;
use apostille_text::{moderate, secrets};

/// The longest sentence that is taken for a statement, in characters.
const LONGEST: usize = 300;
/// The fewest words that state something, in scripts that set words apart.
const FEWEST_WORDS: usize = 3;

pattern!(
    QUESTION,
    r"^(?:(?:and|but|so|ok|okay|or|hey|please),? )*(?:what|why|how|where|who|which|when did|when do|when will|should|shall|can|could|would|will|do|does|did|is|are|am|was|were|has|have|isn't|aren't|don't we|don't you|doesn't|didn't|do you|any idea)\b"
);
pattern!(
    HYPOTHESIS,
    r"\b(?:maybe|perhaps|probably|possibly|would|could|might|may|suppose|imagine|let's say|what if|i guess|i think|i assume|i believe|i wonder|not sure|i'm unsure|if we (?:used|had|were)|were to|thinking (?:of|about)|considering|wish|hope|hopefully|supposedly|apparently|seems?|in theory|theoretically|ideally|no idea|tbd|undecided)\b|^(?:if|unless|assuming|in case) "
);
// Orders and reproaches that begin as questions do.
pattern!(
    NOT_DONE,
    r"^(?:(?:and|but|so|ok|okay|hey|please),? )*do not \w+"
);
pattern!(
    REPROACH,
    r"^how (?:many times|often) (?:do|must|should) i (?:have to |need to )?(?:say|tell|repeat|explain)[^:,]{0,24}[:,] "
);
pattern!(
    WISH,
    r"^i would (?:much |really |strongly )?(?:rather|prefer|like)\b"
);
// "before you say you are done" tells when, not how things are.
pattern!(
    ONCE_DONE,
    r"\b(?:before|until|when|once|after|that|unless) (?:you(?: say| think| tell me| claim)?(?: that)? ?)?(?:you are|you're|it is|it's|everything is)? ?(?:done|finished|ready)\b|\b(?:is|are) (?:always |only )?done (?:by|with|in|through|via|using)\b"
);
pattern!(
    PASSING,
    r"\b(?:for now|right now|today|tonight|tomorrow|yesterday|this (?:time|once|week|month|sprint|morning|afternoon|evening|task|change|one|case|pr|commit|branch|ticket|release)|just (?:this )?once|temporarily|for the moment|at the moment|currently|until (?:tomorrow|monday|further notice|then|i|we|the)|for the time being|meanwhile|again today|so far|still|yet)\b"
);
pattern!(
    STATE,
    r"\b(?:is|are|was|were|got|keeps?|went)(?: \w+){0,2} (?:down|broken|failing|red|green|stuck|slow|slower|full|unreachable|offline|missing|empty|crashing|flaky|hanging|gone|wrong|failed|passing|fine|ok|okay|ready|done|finished|up again|back|unavailable|outdated|too \w+)\b|\b(?:is|are|was|were) (?:always |never |now |not )?(?:getting|being|returning|throwing|giving|showing|taking|working|going to|doing|trying|looking|complaining|blocking|hanging|waiting|refusing)\b|\bdoes(?:n't| not) (?:work|compile|build|start|load|open|pass)\b|\bstopped working\b"
);
pattern!(
    OTHERS,
    r"^(?:they|their|he|she|his|her)\b|\b(?:they|he|she) (?:use|uses|always|never|prefer|prefers|want|wants|do|does|don't|doesn't|have|has|said|told)\b|\btheir (?:team|project|repo|api|company|code|docs|staging|server|service|product)\b|\b(?:upstream's|someone|somebody|everyone else|other (?:people|teams?|projects?|repos?)|my (?:old|previous|last|former) (?:job|company|team|project|employer)|at (?:google|facebook|meta|amazon|microsoft|apple|netflix)|the (?:other|old|legacy|upstream) (?:repo|project|team|service|codebase)|according to|(?:docs?|readme|guide|article|blog|spec|issue|ticket|comment|reviewer|linter|error|message|documentation|manual|book) (?:says?|said|states?|claims?|wrote|mentions?|reads?|suggests?))\b|^(?:google|facebook|meta|amazon|microsoft|apple|netflix|linux|linus|rust|python|java|go|node|react|git|github|most people|people|users?|customers?|clients?)\b (?:always|never|only)"
);
pattern!(
    MOOD,
    r"(?: /s$)|^(?:oh great|oh wow|wow|yeah right|yeah sure|sure,|of course,|obviously|brilliant|lovely|fantastic|wonderful|great job|nice job|well done|thanks for|lol|haha|ha,|congrat|bravo|because that)|\b(?:lol|haha|rofl|what could go wrong|so well)\b"
);
// What is still supported stays so; what is still broken does not.
pattern!(
    STILL_SO,
    r"\bstill (?:supports?|uses?|ships? to|targets?|depends? on|on (?:[a-z]+ )?\d)\b"
);
// "The warehouse is down between 2 and 3 am": so every day.
pattern!(
    RECURRING,
    r"\b(?:between \d+\S* ?(?:am|pm)?.* and \d+|every (?:night|day|week|month|sunday|monday|friday)|each (?:night|day|week|month)|(?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekends|nightly)\b"
);
pattern!(
    NOT_MEANT,
    r"\b(?:never ?mind|i(?:'m| am) not saying|i (?:don't|do not|didn't|did not) (?:mean|say|think)|not that|no need|you (?:don't|do not) (?:have|need) to|it doesn't matter|doesn't matter|whatever|forget (?:it|about)|(?:don't|do not|no need to) (?:remember|store|save|memori[sz]e|keep))\b"
);
pattern!(
    CODE,
    r"[{}]|;$|=>|==|!=|&&|\|\||\breturn \w+;|^//|^\w+\(|</"
);
pattern!(
    CREDENTIAL,
    r"\b(?:passwords?|passwd|passphrase|passcode|api[ -]?keys?|secret keys?|access keys?|private keys?|pins?|tokens?|credentials?|login)\b[^,.]{0,40}(?: is | are |[:=])"
);
pattern!(
    QUESTION_TAIL,
    r", (?:why|right|or|no|correct|huh|or not|isn't it|don't we)$"
);
pattern!(
    TASK_TAIL,
    r", so (?:please )?(?:run|use) the\b|[,;:] (?:so |then |and |please |now |just )*(?:update|change|fix|add|make|remove|drop|adjust|refactor|rewrite|move|rename|debounce|delete|create|write|replace|implement|find|look|check|explain|help|give|show|tell|start|hurry|inline|stop|can you|could you)\b|[,;] (?:so |then |and |please |now |just )*\w+ (?:it|them|this|that|those|these)\b"
);
pattern!(
    TAKEN_BACK,
    r"^(?:(?:wait|oh|hm+|no|ah|sorry|ok|okay|actually),? ?)*(?:scra(?:tch|p) (?:that|this|it|what i (?:said|wrote))|never ?mind|forget (?:that|it|what i (?:said|wrote))|ignore (?:that|my last|what i (?:said|wrote))|disregard (?:that|my last|what i)|i take (?:that|it) back|on second thoughts?|strike that|cancel that|undo that|i was (?:wrong|mistaken)|i misspoke|i misremembered|i (?:confused|mixed)\b|my (?:mistake|bad)|sorry,? (?:my|i |you're right|you are right)|you(?:'re| are) right,? (?:i|my|sorry)|i changed my mind|actually,? no\b)"
);
pattern!(
    THAT,
    r"^(?:that|this|these|those|it|its|it's|they|them|there|he|she)\b|\b(?:like|of|with|for|to|at|about|not|than|do|does|use|used|using|fix|change|and|after|before|from|by|in|on|keep|remove|run|call|is|was|see|per|as) (?:this|that|these|those)\b(?: (?:way|one|thing|part|bit|file|function|class|method|module|test|stub|case|line|loop|code|variable|block|page|component|script|folder|endpoint|approach|option|style))?(?:[ ,;:]|$)|\bthat$|\bthis$|\b(?:above|below|the (?:first|second|third|last|latter|former|other|previous|next|same) (?:one|option|approach|way|version)|option [a-d0-9]|the (?:first|second|latter|former)$)\b|\bthe (?:rest|latter|former)\b"
);
pattern!(THIS_THING, r"\bthis (\w+)");
pattern!(HERE, r"\b(?:here|there)\b");
pattern!(OUR_HERE, r"\b(?:we|our)\b");
pattern!(IT, r"^(?:\S+ ){0,3}(?:it|its|them|one|ones|him|her)\b");

/// Things that "this" may point at and still be known tomorrow.
const KNOWN_HERE: &str =
    "repo repository project codebase monorepo workspace team company org product";

/// Whether a sentence takes back what was said before.
pub(super) fn is_retraction(sentence: &Sentence) -> bool {
    TAKEN_BACK.is_in(&sentence.lower) || sentence.lower.contains("scratch that")
}

/// Whether a sentence must not be taken for a statement, whatever it begins with.
pub(super) fn is_doubtful_sentence(sentence: &Sentence) -> bool {
    let lower = sentence.lower.as_str();
    let mut told = lower.to_owned();
    for pattern in [&ONCE_DONE, &STILL_SO] {
        if let Some(found) = pattern.find(&told) {
            told.replace_range(found, "");
        }
    }
    let is_short = lower.is_ascii() && lower.split_whitespace().count() < FEWEST_WORDS;
    let kinds = [&PASSING, &OTHERS, &MOOD, &NOT_MEANT, &CODE, &CREDENTIAL];
    sentence.is_question
        || is_short
        || sentence.text.chars().count() > LONGEST
        || sentence.text.contains('🙄')
        || (QUESTION.is_in(lower) && !REPROACH.is_in(lower) && !NOT_DONE.is_in(lower))
        || kinds.iter().any(|it| it.is_in(&told))
        || STATE.is_in(strip_old_one(&told)) && !RECURRING.is_in(&told)
        || is_hypothesis(lower)
        || moderate::is_instruction(&sentence.text)
        || secrets::find_secret(&sentence.text).is_some()
}

/// The kinds of doubt that a sentence raises, by name: each speaks against a statement, none alone decides.
pub(super) fn list_doubts(sentence: &Sentence) -> Vec<&'static str> {
    let lower = sentence.lower.as_str();
    let kinds = [
        ("others", &OTHERS),
        ("not meant", &NOT_MEANT),
        ("state", &STATE),
        ("hypothesis", &HYPOTHESIS),
    ];
    let raised = kinds.iter().filter(|(_, it)| it.is_in(lower));
    raised.map(|(name, _)| *name).collect()
}

/// Whether a sentence must not be repeated as a person's own, whatever it states: questions, moods of the day,
/// code, orders to a model, secrets.
pub(super) fn is_unquotable_sentence(sentence: &Sentence) -> bool {
    let lower = sentence.lower.as_str();
    sentence.is_question
        || sentence.text.contains('🙄')
        || [&CODE, &CREDENTIAL, &QUESTION, &MOOD, &PASSING]
            .iter()
            .any(|it| it.is_in(lower))
        || moderate::is_instruction(&sentence.text)
        || secrets::find_secret(&sentence.text).is_some()
}

/// "…, the old one was shut down": what is so is said before.
fn strip_old_one(lower: &str) -> &str {
    let end = lower.find(", the old ").unwrap_or(lower.len());
    &lower[..end]
}

/// "If you change the schema, always run the migrations" is a rule; other ifs are none.
fn is_hypothesis(lower: &str) -> bool {
    let is_rule =
        lower.starts_with("if you ") && (lower.contains(", always ") || lower.contains(", never "));
    let wished = WISH.text_after_match(lower).unwrap_or(lower);
    HYPOTHESIS.is_in(wished) && !is_rule
}

/// Whether what follows the lead is a question after all, whatever mark it ends with.
pub(super) fn is_question_after_opening(rest: &str) -> bool {
    (QUESTION.is_in(rest) && !NOT_DONE.is_in(rest)) || QUESTION_TAIL.is_in(rest)
}

/// Whether a statement is only the reason for some work: "our port is 80, change it".
pub(super) fn has_task_tail(rest: &str) -> bool {
    let is_rule = ["when", "if ", "every ", "each ", "before ", "after "]
        .iter()
        .any(|it| rest.starts_with(it));
    TASK_TAIL.is_in(rest) && !is_rule
}

/// Whether what follows the lead cannot be understood without what stood around it.
pub(super) fn is_context_dependent(rest: &str) -> bool {
    let pointed_at = THIS_THING.group(rest, 1);
    let points = pointed_at.is_some_and(|it| !has_listed_word(KNOWN_HERE, it));
    let known = KNOWN_HERE.split(' ').fold(rest.to_owned(), |text, it| {
        text.replace(&format!("this {it}"), it)
    });
    points || THAT.is_in(&known) || IT.is_in(rest) || (HERE.is_in(rest) && !OUR_HERE.is_in(rest))
}

/// Whether a fact may be kept: nothing that the code or git tells, no secret.
pub(super) fn is_keepable_statement(fact: &str) -> bool {
    classify::find_exclusion(fact).is_none()
        && secrets::find_secret(fact).is_none()
        && fact.chars().count() <= LONGEST + 40
}
