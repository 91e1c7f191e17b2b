//! What a sentence says by its shape: a subject that outlives the work in hand, and a verb in the present.

use super::lexicon::{IN_HAND, WAYS, WORK, has_listed_word};

/// Verbs of how things are, not of what has just happened or is to be done.
const STATE_VERBS: &str = "is are has have needs need must can't cannot can mustn't lives live sits sit runs run goes go gets get comes come uses use hits \
    owns own belongs belong stays stay works work keeps keep takes take wants want expects expect requires require allows allow \
    depends depend means mean holds hold follows follow starts start ends end points point serves serve reads read writes write \
    handles handle counts count only never always doesn't don't won't isn't aren't speaks speak ships ship pays pay knows know \
    signs sign approves approve reviews review blocks block accepts accept supports support loads load consumes consume deploy deploys build builds release releases sell sells host hosts cost costs fill fills maintain maintains manage manages \
    share shares ban bans forbid forbids care cares develop develops treat treats prefer prefers send sends test tests call print track tracks \
    bills bill belongs closes close opens open happens happen applies apply syncs sync matters matter decides decide";

/// With these as subject, a sentence is about what stood before it, or about somebody's doing.
const POINTERS: &str = "it it's its this that that's these those they they're he she there there's here i i'm i've i'd i'll you you're your what which who how";
/// With these in front, it is a question, a supposition, an answer to one, or an order.
const OPENERS: &str = "when where why if unless because let's let then so please and or but does did do was were same both another my looks \
    someone somebody nothing something done thanks yes yeah not still maybe as to a an can could would should will \
    new quick fix fine good great sure perfect cool nice agreed ok okay";
/// Verbs that a piece of work is ordered with, besides the ways of working.
const ORDERS: &str = "implement make fix refactor convert move draft set show find look investigate design port replace extract render parse improve debug finish continue \
    handle give list summarize create raise allow extend correct split get try stop see drop switch wire bind put call throw tell let take turn help print return limit keep wait \
    hide increase reduce retry log simplify restart rerun deploy revert undo inline pull send expose cover reword copy sort";

/// What is told of the work in hand: what broke, what is being changed, what is to be.
const WORK_TALK: &str = "error errors fails failed fail failing crash crashes crashed crashing broken wrong bug missing lost warning exceeded aborted hangs hanging \
    flickers drops forever deprecated should current typo i'd i'll";
/// Words that make a plain statement reach beyond the work in hand.
const SIGNS: &str = "own ever anything policy compliance legal dedicated separate read-only shared team different unless";

/// How many signs there are that it holds beyond the work in hand.
pub(super) fn count_signs(lower: &str) -> i32 {
    let words: Vec<&str> = lower.split_whitespace().map(strip_marks).collect();
    let is_sign =
        |(at, it): &(usize, &&str)| has_listed_word(SIGNS, it) || **it == "only" && *at > 3;
    let signs = words.iter().enumerate().filter(is_sign).count();
    let is_done_by = words.windows(3).any(|it| {
        has_listed_word("is are gets get", it[0]) && it[1].ends_with("ed") && it[2] == "by"
    });
    i32::try_from(signs.min(2)).unwrap_or(0) + i32::from(is_done_by)
}

/// What the agent is told of its manner: "never touch more than a few lines w/o telling me", "give me the answer first".
const MANNER_OPENERS: &str = "never always don't only no please give ask tell show keep stop";
const CONDITIONS: &str =
    "unless first before without w/o ever until only instead always never every if";
/// The person in it.
const PERSON: &str = "me i i'm myself asking telling";

pub(super) fn is_manner_order(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().map(strip_marks).collect();
    let has = |list: &str| words.iter().skip(1).any(|it| has_listed_word(list, it));
    let is_firm = words
        .first()
        .is_some_and(|it| has_listed_word("never always don't", it));
    let is_asked = || {
        let conditions = words.iter().filter(|it| has_listed_word(CONDITIONS, it));
        words.get(1) == Some(&"me") && conditions.count() > 1
    };
    words
        .first()
        .is_some_and(|it| has_listed_word(MANNER_OPENERS, it))
        && has(PERSON)
        && (is_firm && has("unless without w/o before ever until") || is_asked())
        && !has("this that these those there now today")
}

/// What a person says of themself begins so, unless it is bound to the work in hand.
const TRAITS: [&str; 13] = [
    "i do the ",
    "i live in ",
    "i come from ",
    "i usually ",
    "i mostly ",
    "i only ever ",
    "i hate being ",
    "i hate having ",
    "i can't read ",
    "i don't speak ",
    "i'm more of ",
    "not a fan of ",
    "big fan of ",
];
const BOUND: [&str; 7] = [
    " this", " that", " it", " now", " branch", " the ", "coffee",
];

/// How the person is or works, in the first person: "I like my diffs small", "I do the iOS side", "not a fan of …".
pub(super) fn is_trait(lower: &str) -> bool {
    let main = lower.split([',', ';']).next().unwrap_or(lower);
    let main = main.trim_start_matches("i do the");
    let words = || lower.split_whitespace();
    let is_comparison = lower.contains(" > ")
        && words().count() < 9
        && !lower.contains(|it: char| it.is_ascii_digit() || matches!(it, '(' | '_' | '/' | '='));
    let is_introduction = words().next() == Some("i'm")
        && words().nth(1).is_some_and(|it| it.ends_with(','))
        && words().nth(2) == Some("i");
    let is_experience = lower.contains(" yrs of ") || lower.contains(" years of ");
    let is_like = |it: &str| it.starts_with("i like my ") || it.starts_with("i prefer my ");
    let is_own_work = is_like(lower) && words().nth(3).is_some_and(|it| has_listed_word(WORK, it));
    if is_own_work || is_comparison || is_introduction || is_experience {
        return true;
    }
    TRAITS.iter().any(|it| lower.starts_with(it)) && !BOUND.iter().any(|it| main.contains(it))
}

/// What makes a subject all of a kind.
const QUANTIFIERS: &str =
    "all any anything every everything everyone each nobody no-one none no only whatever whoever";
/// How far the subject of a sentence reaches beyond the work in hand; `None` for what is no plain statement.
pub(super) fn weigh_plain_statement(lower: &str) -> Option<i32> {
    let words: Vec<&str> = lower.split_whitespace().map(strip_marks).collect();
    let first = words.first()?;
    let is_order = [WAYS, ORDERS]
        .iter()
        .any(|list| has_listed_word(list, first));
    let verb = (1..words.len().min(10)).find(|at| has_listed_word(STATE_VERBS, words[*at]))?;
    let subject = &words[..verb];
    let is_noun = has_listed_word("is are has must needs have gets", words[verb]) && verb == 1;
    let is_general = has_listed_word(QUANTIFIERS, first);
    let is_code = |it: &&str| {
        it.contains(['/', '_', '`', '\u{1}', '@', '(', '[', '"', '#', '=']) || it.contains("::")
    };
    if is_order && !is_noun
        || has_listed_word(OPENERS, first)
        || subject.iter().any(|it| has_listed_word(POINTERS, it))
        || words.iter().any(|it| has_listed_word(WORK_TALK, it))
        || !is_general && subject.iter().any(is_code)
    {
        return None;
    }
    let head = subject.iter().rev().find(|it| !it.is_empty())?;
    // What a program is to check reads like a rule: "names must not contain spaces".
    let is_checked = has_listed_word(
        "must mustn't can can't cannot only never always",
        words[verb],
    ) && count_signs(lower) == 0;
    let is_own = has_listed_word("we we're our", first);
    let is_definite = *first == "the";
    Some(match () {
        () if *first == "everything" && verb == 1 => 0,
        () if has_listed_word(IN_HAND, head)
            || has_listed_word("user users customer customers", head) =>
        {
            0
        }
        // One bare word: "disk is …", "prod is …" tell a state as often.
        () if is_checked || verb == 1 && !is_own && has_listed_word("is are", words[verb]) => 1,
        // "We have three crates": the code tells that.
        () if is_own => 2 - i32::from(words[verb] == "have"),
        () if is_general => 2,
        () if is_definite => 1,
        () => 2,
    })
}

fn strip_marks(word: &str) -> &str {
    word.trim_matches(|it: char| matches!(it, ',' | ';' | ':' | '.' | '!' | '(' | ')' | '*'))
}
