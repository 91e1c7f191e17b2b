//! What is stated for good in passing, without the words that announce it: by the weight of what speaks for it.
//!
//! One sign says little: "our server" is also what is down, and a port is also what is taken. A statement has a subject that
//! outlives the work in hand, a verb in the present, and a sign that it holds beyond it.

use super::convention::CODE_TALK;
use super::{
    SortedPhrase, StatementSort,
    generality::strip_project_scope,
    lexicon::{THINGS, TOOLS, has_listed_word},
    non_statements,
    opening::SentenceOpening,
    pattern::{Pattern, join_alternatives, pattern},
    phrase::{StatementPhrase, parse_statement_phrase},
    sentence_context::{SentenceBody, measure_outcry},
    shape,
};

/// Things of a project besides those that corrections name.
const MORE_THINGS: &str = "target targets deploy deployment runners instance instances auth payments billing search warehouse healthcheck probe \
    ingress firewall certificate certificates module modules library monitoring metrics tracing reporting \
    money timezone locale language encoding format minimum maximum retention window freeze indentation wiki tracker board \
    suite seed seeds system registry shop upstream fork origin main trunk master vendor proto protos schemas mobile desktop web ios android infra infrastructure";

/// What a statement must weigh to be put before a person, and to be put before one in a prompt that also orders some work.
const CLEAR: i32 = 5;
pub(super) const CLEAR_BESIDE_TASK: i32 = 8;
/// How much more it takes where nobody was put right, and the subject is not "we" or "our".
const UNASKED: i32 = 1;
/// The longest statement that is made in passing, in bytes.
const LONGEST: usize = 160;

// Who or what it is about.
pattern!(
    WE_FIRMLY,
    r"^we (?:all |still )?(?:never|always|only|don't|do not|avoid) (?:ever )?[a-z-]+"
);
pattern!(
    WE_KEEP,
    r"^we (?:still |all |mostly )?(?:use|keep|indent|write|run|support|deploy|host|release|name|store|target|pin|prefer|follow|review|squash|track|publish|require|sync|sign|ship|test|version|log|tag|develop|translate|format|build|generate|manage|branch) (?:[a-z0-9`\x01'-]{4,}|one |two |\d+ |[a-z0-9]+ (?:with|in|on|as|by|through|via|under|for|from|not)\b|on |with |through |via |under |from |at )"
);
pattern!(
    WE_ARE,
    r"^(?:we're|we are) (?:an? |on |all on |using |still on )(?:[a-z0-9.-]+ ){0,3}[a-z0-9.-]+"
);
pattern!(
    OUR_THING,
    r"^(?:all )?our (?:[a-z0-9/_'-]+ ){1,4}?(?:(?:always|never|only|still|all) )?(?:is|are|lives?|runs?|uses?|goes|go|listens?|needs?|sits?|must|has to|have to|should|comes?|starts?|ends?|points?|supports?|follows?|speaks?|expects?|works?|requires?|depends?|ships?|targets?)\b"
);
// All of them, or a class without an article.
pattern!(
    CLASS_OF,
    r"^(?:(?:all|every|each|any|no|only) (?:the )?(?:[a-z0-9_/.-]+ ){1,4}|(?:[a-z0-9_-]+ ){0,3}[a-z0-9_-]{3,}s |everything (?:in|under|below|about|else) (?:[a-z0-9/_.-]+ )?|[a-z0-9]+-[a-z0-9-]+ )(?:(?:always|never|only|also) )?(?:is|are|must|has|have|uses?|needs?|goes|go|gets?|lives?|runs?|comes?|starts?|ends?|follows?|belongs?|branch|stays?|carry|carries)\b"
);
pattern!(
    YOU_CANNOT,
    r"^you (?:can't|cannot|can not|can only|mustn't|must not|must|should|shouldn't|have to|need to) [a-z]+"
);
pattern!(
    WORK_THINGS,
    r"^(?:all |every |each |new |any |public |internal |shared |generated )*(?:[a-z0-9-]+ ){0,2}(?:prs?|pull requests?|commits?|commit messages?|branch(?:es|names?)?|branch names|releases?|tags|deploys?|deployments?|hotfix(?:es)?|migrations?|(?:source|new|config|component|test|script|header|generated|proto|schema|env|fixture|template|style) files?|scripts?|new (?:code|endpoints?|modules?|services?|components?|features?|packages?)|(?:feature )?flags|secrets|credentials|dependencies|tests|fixtures|snapshots|docs|docstrings|dashboards|packages|translations|configs?|runners|builds|questions about [a-z0-9 -]+|everything (?:in|under|below|about) [a-z0-9/_.-]+) (?:(?:always|never|only) )?(?:is|are|needs?|must|has|have|go(?:es)?|lives?|uses?|runs?|gets?|return|returns|should|belongs?|starts?|ends?|follows?|come|comes|may|can only|cannot)\b"
);
// Things of the code, of which a person also says what the work in hand needs.
pattern!(
    CODE_THINGS,
    r"^(?:all |every |each |new |any |public |internal )*(?:[a-z0-9-]+ ){0,2}(?:handlers|endpoints|events|logs|metrics|images|components|icons?|buttons?|timestamps|dates|times|amounts|prices|money|ids|queries|errors|jobs|comments|controllers|models|migrations|services|modules|functions|types|enums|constants|columns|tables|keys|urls|routes|responses|payloads|fields|names|messages|text|strings|ui strings) (?:(?:always|never|only) )?[a-z]+"
);
pattern!(
    PATH_SUBJECT,
    r"^(?:the |everything (?:in|under|below) |files in )?[a-z0-9_.-]*/[a-z0-9_./-]* (?:is|are|belongs?|comes?|gets?|must|has to|goes)\b"
);
pattern!(
    SCOPE,
    r"^(?:in|for|across|within|throughout|on) (?:this |our |all (?:of )?(?:my |our |the )?|every |any |each |my )(?:repos?|repositor(?:y|ies)|projects?|codebases?|monorepo|teams?|company|org|workspaces?|packages?|services?|machines?)\b[ ,:]*"
);
pattern!(
    PLACE,
    r"^(?:the |our |my |in )?((?:[a-z0-9_./-]+ ){0,4}[a-z0-9_./-]+) (?:(?:always|never|only) )?(?:is|are|lives?|runs?|sits?|listens?|goes|go|points?|uses?|use|needs?|need|must|has to|have to|should|belongs?|comes?|takes?|expects?|works?|supports?|requires?|speaks?|accepts?|stays?) "
);
pattern!(
    IN_HAND_SUBJECT,
    r"^(?:the|this|that|your|my|these|those) (?:[a-z-]+ ){0,2}(?:file|files|variable|function|method|class|test|button|header|footer|column|columns|row|rows|field|list|page|error|bug|issue|problem|fix|change|changes|diff|code|line|lines|argument|parameter|parser|helper|component|endpoint|answer|total|result|results|output|value|name|string|loop|query|request|response|user|users|customer|app|screen|modal|title|label|text|branch|commit|message|idea|plan|reason|cause|import|type|table|script)\b|^our (?:goal|aim|plan|task|job|problem|question|issue|next step)\b"
);
pattern!(
    POINTER,
    r"^(?:we (?:just|should|can|could|need|want|have|(?:don't|do not) (?:need|want|have|care|know|see|even|get|actually))|let's|do|don't|stop|quit|no|never|always|please|it|its|it's|they|they're|this|that|that's|these|those|he|she|there|here|you|i|i'm|what|which|so|then|same)\b"
);

// What is said of it.
pattern!(
    PLACED,
    r"\b(?:lives?|runs?|sits?|belongs?|listens?|points?|goes|go|comes?|starts?|branch|stays?) (?:in|on|at|to|under|through|via|into|behind|from|with|off)\b|\b(?:is|are) (?:always |never |only )?(?:on|at|in|under|behind|called|named|hosted|shared|owned|stored|served|synced|managed|handled|applied|generated|signed|kept|written|deployed|released|reviewed|squashed|frozen|published|versioned|deprecated|read|run|built|formatted|required|mandatory|forbidden|off[- ]limits)\b|\b(?:has |have )?moved (?:in)?to\b|\b(?:is|are) now (?:in|at|on|called|under|named)\b"
);
pattern!(
    OBLIGED,
    r"\b(?:must|has to|have to|needs? to|shall|never|always|only|mandatory|required|forbidden|not allowed|off[- ]limits)\b|\bneeds? (?:our|two|three|four|\d+|at least|approval|sign-?off)\b"
);
pattern!(
    IS_SO,
    r"\b(?:is|are|'re|have|has|needs?|uses?|return|returns|supports?|starts?|ends?|works?|follows?|carry|carries|speaks?|expects?|can't|cannot|can only|should|call) "
);
pattern!(
    WORK_VERB,
    r"^we (?:all |still )?(?:(?:never|always|only|don't|do not) )?(?:ever )?(?:mock|merge|release|deploy|ship|commit|push to|force-push|squash|rebase|review|vendor|hardcode|publish|cherry-pick|tag|pin|support|use|sign (?:commits|tags|releases|off|every)|name|document|touch|edit|indent|rotate|test|do|call|allow)\b"
);

// What makes it hold beyond the work in hand.
pattern!(
    EVERYWHERE,
    r"\b(?:everywhere|throughout|by design|in general|for a reason|on purpose|house style|style guide|all of (?:them|us)|every (?:single )?time|off[- ]limits|without exception|no exceptions|by convention|by policy|always (?:has|have)(?: been)?$|across (?:the|all|our)|(?:in|for) all (?:my|our|the) (?:repos|projects|repositories|services|packages)|in every (?:repo|project|service|package)|in new code|new code|new (?:files|endpoints|modules|services|components)|(?:in|for) (?:this|our) (?:repo|repository|project|codebase|monorepo|team|company|org)|(?:legal|compliance|security|product|the auditors?|finance) (?:is|are|wants?|requires?|insists?|settled|decided|says)|house rule|team (?:rule|agreement)|agreed (?:on|that)|since (?:the (?:20\d\d )?(?:split|migration|move|switch|rewrite|merge|incident|outage|upgrade)|last (?:month|year|quarter|summer|spring|winter)|january|february|march|april|may|june|july|august|september|october|november|december|20\d\d))\b"
);
pattern!(
    PER_ONE,
    r"\b(?:one|a single|at most|exactly|\d+) (?:[a-z]+ ){1,3}per [a-z]+\b|\bat least (?:one|two|three|\d+) (?:approvals?|reviewers?|reviews?)\b"
);
pattern!(
    ONLY_SO,
    r"\bonly (?:works?|runs?|supports?|accepts?|for|in|on|by|with|against|through|via|allowed)\b|\bthe only\b|\b(?:nobody|no one) else\b|\b[a-z ]+ only$"
);
pattern!(
    GONE_ONE,
    r", (?:the )?[a-z0-9_./ -]+ (?:is|are|was|were) (?:gone|dead|deprecated|frozen|retired|shut down|replaced|removed|legacy|read-only|history|only for [a-z]+|an? [a-z]+ ?export|exports)\b|\bthe old (?:one|ones) (?:is|are|was|were)\b"
);
pattern!(
    CALLED,
    r"\b(?:is|are) (?:called|named|pronounced|spelled|spelt) (?:\x01|[a-z0-9_-]+(?:$|[,.;]))"
);
pattern!(
    HERE,
    r"\bhere(?: in [a-z]+)?(?:[,.;:]|$| (?:and|so|because|since))"
);
pattern!(
    NOT_THAT,
    r", (?:and )?(?:not|never|no) |\b(?:instead of|rather than|as opposed to)\b|\bnot [a-z0-9_./-]+$| (?:and|but) not "
);
pattern!(
    REASON,
    r"\b(?:because|otherwise|or else|so (?:it|they|you|we) (?:must|may|can|should) (?:never|not|only)|so no |, (?:it|they|she|he) (?:runs? on|owns?|wipes?|breaks?|does that|gets? overwritten)|, [a-z-]+ does (?:that|it)|since (?:we|the|they|it)|that's (?:why|the law|our|a)|(?:they're|they are|it's|it is|is|are) (?:auto-?|all )?(?:generated|synced|overwritten|vendored|managed)|gets? overwritten|checks? (?:it|that|this|for)|so never|so don't ever|won't come up|breaks? the)\b"
);
// A place in the work in hand: "in this file", "at the end of the list".
pattern!(
    NEAR_PLACE,
    r"\b(?:in|for|of|on|to|from|at|into|with|inside) (?:(?:this|that|these|those|my|your) |the (?:[a-z]+ )?(?:file|function|method|class|list|loop|page|header|footer|body|app|ui|test|response|request|row|table|column|section|form|dialog|modal|top|bottom|dashboard|readme|ticket|pricing|url|component|line|code|diff|api response|output|error|screen|same|first|second|last|other|whole|old|new|pr|branch|release|frontend|server|user|users)\b)|\bfor [a-z]+_[a-z]+\b|\w\("
);
pattern!(
    BESIDE,
    r"\b(?:by the way|btw|fyi|just so you know|for your information)\b"
);
pattern!(
    DAYS,
    r"\b(?:mondays|tuesdays|wednesdays|thursdays|fridays|weekends|weekdays|every (?:night|day|week|sprint|quarter|monday|tuesday|wednesday|thursday|friday)|between \d+ ?(?:am|pm|:)?.* and \d+|nightly|once a (?:day|week|month|quarter))\b"
);
// A value that somebody chose: a path, a host, a port, a flag, a name with a sign in it, so many of a unit.
pattern!(
    CHOSEN_VALUE,
    r"`|\x01|[a-z0-9_-]/[a-z0-9_-]|\b[a-z0-9-]+\.[a-z0-9-]+\.[a-z]{2,}\b|[a-z0-9]_[a-z0-9]|(?:^| )--?[a-z][a-z-]*\b|\b\d{3,5}\b|\b\d+ ?(?:mb|gb|kb|tb|ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?|percent|%|spaces|characters|chars|lines|approvals?|reviewers?|replicas|cents)\b|\b[a-z0-9]+-[a-z0-9]+-[a-z0-9]+\b|\bv?\d+\.\d+|\b[a-z]+\d+\b|\b[a-z]+case\b|\b(?:utc|cents|tabs|spaces|integers|english|british|iso)\b|<[_a-z]|/[a-z]|\b(?:from|to|into|off|on|against) (?:main|master|develop|dev|trunk|upstream)\b"
);

pattern!(
    WITH_TOOL,
    r"\b(?:with|by|through|via|using|on|to) (?:the )?",
    join_alternatives(TOOLS),
    r"\b"
);
pattern!(
    OBLIGED_FIRMLY,
    r"\b(?:must|has to|have to|needs? (?:our|two|three|four|\d+|at least|approval|sign-?off))\b"
);
pattern!(
    OTHERS_SAY,
    r"\b(?:says|said|thinks|told me|claims|according to)\b"
);
pattern!(WANTS, r"\b(?:i want|i need|i'd like|we need to|we want)\b");
pattern!(ADDED, r", |; | because | so | - | – ");
pattern!(
    LIVES,
    r"\b(?:lives?|belongs?|goes|go|stays?) (?:in|on|at|to|under|into)\b|\bmust stay\b|\boff[- ]limits\b"
);
pattern!(POINTS_BACK, r"\b(?:it|them|that|there)$");
// What is broken is mended.
pattern!(
    BROKEN,
    r"\b(?:fails?|green|red|broken|inconsistent|outdated|missing|in parallel|twice|badly|poorly|at line|be (?:installed|fixed|done|added|updated|rewritten|deleted|cleaned|moved|renamed|split|restarted|loaded|shown))\b|[a-z]\.[a-z]{1,4}:\d|^only \d|^-|^both\b"
);
pattern!(
    OWN_TOOL,
    r"(?:^(?:we're|we are) (?:[a-z]+ )*|\buses? )",
    join_alternatives(TOOLS),
    r"\b"
);
// Few words before what is stated.
pattern!(
    HEAD,
    r"^[^ ,:;.]+(?: [^ ,:;.]+){0,3}(?:, | - |: | – |; )(?:and |but |so )?|^[^,:;]{3,80}(?:: |; | - | – )(?:and |but |so )?"
);
// What somebody else says, or is to be written.
pattern!(
    SAYS,
    r"\b(?:says?|said|thinks?|told|claims?|according to|write|put|add|line|text|reads?|like|that)\b"
);
pattern!(
    WRONG_HEAD,
    r"^(?:wrong|not that|nope|no|that's not|it's not|it is not|close)\b"
);

// What holds only now, or is the work itself.
pattern!(
    PASSES,
    r"\b(?:on|by|until|before|since|after) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\bneeds? an? (?:restart|rewrite|rebase|fix|update|cleanup|bump|refactor|review|upgrade|better|new)\b|\b(?:used to|was|were|had|anymore|any more|the (?:bug|problem|issue|cause|reason)|i want|i need|i'd like|we need|we want|for you|to me|unclear|wrong|as well|(?:is|are|lives?) in (?:this|our) (?:repo|repository|project|codebase)$|when the [a-z]+ |empty case|million|thousand|minutes?,|already|last (?:ten|few|time|night|week)|the other|too)\b|\bit now\b|\bjust (?:use|do|take|leave)\b"
);
pattern!(
    ORDER_TAIL,
    r"(?:, (?:so |and |then |please |now |just |but )*|\bso (?:please |just )?)(?:ssh|log in|look|check|go|see|try|run|use|test|prep|prepare|write|add|change|fix|move|put|make|give|show|create|update|remove|rename|adapt|adjust|switch|set|start|read|restart|inline|drop|redirect|avoid|only touch|explain|hurry|debounce|i'll|i will|let's|can you)\b.*$"
);
// Signs that a statement is more than the reason for the order behind it.
pattern!(
    HOLDS_ALONE,
    r"^we (?:all |still )?(?:never|always|only|don't|do not) |\b(?:everywhere|throughout|by design|house style)\b|, not |\b(?:is|are) called "
);

// Orders that are no piece of work.
pattern!(
    MANNER,
    r"^(?:please )?(?:always |never )?(?:answer|reply|respond|write|talk|speak)(?: to)?(?: me)? (?:in (?:english|german|french|spanish|polish|portuguese|italian|dutch|japanese|chinese)|briefly|shortly|concisely|formally)\b|^(?:please )?(?:always )?(?:ask|check with|tell|warn|show) me (?:first |always )?before (?:you |doing |any |every )|^(?:please )?(?:always )?(?:ask|check with|warn) (?:me )?(?:first )?before (?:you )?[a-z]+(?:ing)? (?:anything|something|files|any|new)|^call me [a-z]+$"
);
pattern!(
    HANDS_OFF,
    r"^(?:please )?(?:don't|do not|never) (?:ever )?(?:touch|edit|change|modify|update|write to|commit|flush|delete|format|reformat)\b.*(?:\bgenerated\b|\bvendored\b|\bsynced\b|\boverwritten\b|\bmanaged by\b|\bowned by\b|\bshared with\b|\bread[- ]only mirror\b)"
);
pattern!(
    STOP_USING,
    r"^(?:please )?(?:stop|quit|no more) (?:using|adding|writing|putting|leaving|casting|mocking|hardcoding|committing|guessing|inventing) .*\b(?:we (?:have|use|don't|forbid|never|lint)|our|for a reason|forbids?|lint|policy|rule)\b"
);
pattern!(
    NONE_IN_NEW,
    r"^no (?:more )?[a-z0-9 @./-]+ (?:in|for|with) (?:new (?:code|files|modules|components|services|tests)|production code|library code|request paths|user-facing [a-z]+|public apis?)\b"
);
pattern!(
    WRITTEN_IN,
    r"^(?:please )?(?:always )?(?:write|keep) (?:all |every |your |the )?(?:[a-z]+ ){0,2}(?:messages?|descriptions?|titles?|docs?|comments?|answers?|changelog|summar(?:y|ies)|names?|headings?|text) (?:in (?:english|german|french|spanish|the [a-z]+ (?:mood|tense|case)|lower|sentence|title|kebab|snake)|under \d|below \d|short)"
);
pattern!(
    NOT_BY_HAND,
    r"^(?:please )?(?:don't|do not|never) [a-z]+ .*(?:\bby hand\b|\bmanually\b|\blocally\b|\bdirectly\b).*, |^(?:please )?(?:don't|do not|never) (?:run|execute|point|deploy|push|seed) .* (?:against|on|to) (?:staging|prod|production|main|master|live)\b"
);
pattern!(
    FOR_USE,
    r"^(?:for|in) [a-z0-9 /._-]{3,40}?,? (?:please |always )?use .*(?:, not |, never |instead of |rather than )|^(?:you should |please )?use .* (?:instead of|rather than) .*\b(?:here|always|everywhere|in (?:this|our|new) [a-z]+)$|^you should (?:always )?use .* (?:instead of|rather than|, not )"
);
pattern!(
    ON_CHANGE,
    r"^(?:when(?:ever)?|if|every time|each time|any time|once) (?:you|we|someone|anybody|somebody|the|an?) (?:add|change|touch|edit|bump|rename|remove|delete|create|update|introduce|[a-z]+ changes?)\b.*\b(?:also|has to|have to|must|always|never|needs? to)\b"
);
pattern!(
    IN_WHOSE_NAME,
    r"^(?:commit|sign|author|push) as [a-z ]+, not as\b"
);
pattern!(
    GO_TO,
    r"^(?:ask|ping|talk to|check with|request|assign|cc) (?:@[a-z0-9-]+|[a-z]+) (?:if|when|whenever|before|about|for) .*\b(?:owns?|knows?|maintains?|is responsible|has access|before)\b"
);
pattern!(
    HOUSE_STYLE,
    r"\b(?:that's|that is|it's|it is) (?:our|the|a) (?:[a-z-]+ )?(?:house style|house rule|convention|rule|policy|standard|style|agreement)(?: here| for us)?$"
);
pattern!(
    NEEDED_OR,
    r"\byou (?:need|have to|must|always need|always have to) .*(?: or |otherwise|or else).*\b(?:won't|can't|doesn't|don't|will not|cannot|fails?|breaks?)\b"
);
pattern!(
    RUN_BEFORE,
    r"^(?:you (?:have to|need to|must|should|always have to) |please |always )*(?:run|start|do|build|source|activate|login|log in)\b.* (?:before|first|after|prior to)\b.*(?:every time|each time|otherwise|or (?:else|it|they)|always|they can't|it can't|it won't|they won't|won't work|will fail|fails)\b"
);

// Who the person is.
pattern!(
    ABOUT_ME,
    r"^(?:hi|hello|hey)?,? ?(?:my name is [a-z'-]+|(?:i'm|i am) (?:(?:[a-z]+,? )?(?:from|with|on|in|leading) (?:the |our )?(?:[a-z]+ ){1,3}(?:team|squad|group)\b|new to|based in|in (?:[a-z]+),|from the|from|on the [a-z]+ team|on (?:a |an )?(?:mac|macos|windows|linux|ubuntu|arch|nixos|wsl|laptop|chromebook|[a-z]+ (?:mac|laptop|machine))\b|colou?r ?blind|dyslexic|a (?:[a-z]+ ){0,2}(?:developer|engineer|designer|student|scientist|manager|analyst|admin|sre|maintainer)|the (?:[a-z]+ ){0,2}(?:lead|maintainer|owner|manager|architect))\b|i (?:use|work (?:on|in|from|at|with)|own|maintain|am responsible for|speak|live in|review|read (?:everything|prs|diffs)|type) |i write [a-z]+ for a living|my (?:keyboard|shell|screen|timezone|time zone|editor|shell|os|operating system|github (?:handle|user|name)|handle|terminal|keyboard|keyboard layout|team|role|background|pronouns|first language|native language|colleagues call me)\b.* (?:is|are) )"
);
pattern!(
    ABOUT_WORK,
    r"\b(?:this|that|these|those|it|the (?:other|same|second|first|dark|new|old|wrong)|to (?:test|check|see|find|debug|get|do)|how|when i (?:click|open)|a (?:lot|bit|mess))\b|\bi (?:work|use|own)\b.*\b(?:branch|feature/)|, how\b"
);

/// A part of a sentence that may state something by itself.
#[derive(Clone, Copy)]
struct StatedClause<'a> {
    text: &'a str,
    lower: &'a str,
    /// Whether it puts the agent right.
    is_put_right: bool,
    /// Whether it answers the agent, in a prompt that orders no work.
    is_reply: bool,
}

impl SentenceBody<'_> {
    /// What is stated in passing by its form, and what the form weighs.
    pub(super) fn extract_passing_statement(&self) -> Option<(i32, SortedPhrase)> {
        let clauses = self.list_clauses().into_iter();
        let clear = clauses.filter(|it| self.weigh_clause(it) >= self.find_bar(it));
        // Of two that weigh the same, the first is the whole sentence.
        let clause = clear.rev().max_by_key(|it| self.weigh_clause(it))?;
        let sort = match clause {
            it if it.is_put_right => StatementSort::Correction,
            it if shape::is_manner_order(it.lower) || shape::is_trait(it.lower) => {
                StatementSort::Preference
            }
            it if MANNER.is_in(it.lower) || WRITTEN_IN.is_in(it.lower) => StatementSort::Preference,
            it if it.is_order_for_good() => StatementSort::Correction,
            _ => StatementSort::Fact,
        };
        Some((self.weigh_clause(&clause), (sort, clause.to_phrase())))
    }

    fn find_bar(&self, clause: &StatedClause) -> i32 {
        match self.setting.has_task {
            true => CLEAR_BESIDE_TASK,
            false if clause.is_put_right || clause.weigh_ours() > 1 => CLEAR,
            false if self.setting.is_answer && clause.weigh_shape() > 1 => CLEAR,
            false => CLEAR + UNASKED,
        }
    }

    /// The sentence, and what follows its first words: "wrong namespace, payments runs in …".
    fn list_clauses(&self) -> Vec<StatedClause<'_>> {
        let is_lead = matches!(
            self.lead,
            SentenceOpening::No | SentenceOpening::Actually | SentenceOpening::Told
        );
        let cry = measure_outcry(self.lower);
        let whole = StatedClause {
            text: &self.text[cry..],
            lower: &self.lower[cry..],
            is_reply: self.setting.is_answer && !self.setting.has_task,
            is_put_right: (is_lead || cry > 0 || self.setting.is_outcry) && self.setting.is_answer,
        };
        let head = HEAD
            .find(self.lower)
            .filter(|it| !SAYS.is_in(&self.lower[..it.end]));
        let behind = head.map(|head| StatedClause {
            text: &self.text[head.end..],
            lower: &self.lower[head.end..],
            is_reply: whole.is_reply,
            is_put_right: self.setting.is_answer
                && (is_lead || WRONG_HEAD.is_in(&self.lower[..head.end])),
        });
        [Some(whole), behind]
            .into_iter()
            .flatten()
            .map(StatedClause::without_order)
            .collect()
    }

    fn weigh_clause(&self, clause: &StatedClause) -> i32 {
        if clause.is_order_for_good()
            || ABOUT_ME.is_in(clause.lower) && !ABOUT_WORK.is_in(clause.lower)
            || self.setting.is_answer && shape::is_manner_order(clause.lower)
            || shape::is_trait(clause.lower)
        {
            return CLEAR_BESIDE_TASK;
        }
        if clause.is_passing() {
            return 0;
        }
        let (subject, put_right) = (clause.weigh_subject(), i32::from(clause.is_put_right) * 2);
        let reach = clause.weigh_reach();
        let is_unplaced = subject == 0 && (put_right == 0 || !PLACED.is_in(clause.lower));
        if is_unplaced || reach == 0 || clause.weigh_verb() == 0 {
            return 0;
        }
        let noted = i32::from(self.lead == SentenceOpening::Note);
        let asked = i32::from(!self.setting.is_answer);
        subject + put_right + clause.weigh_verb() + reach + noted - asked
    }
}

impl<'a> StatedClause<'a> {
    /// Without the order that follows from it: "…, so prep the tag".
    fn without_order(self) -> Self {
        match ORDER_TAIL.find(self.lower) {
            Some(tail)
                if self.holds_alone(&self.lower[..tail.start])
                    && !POINTS_BACK.is_in(self.lower) =>
            {
                Self {
                    text: &self.text[..tail.start],
                    lower: &self.lower[..tail.start],
                    ..self
                }
            }
            _ => self,
        }
    }

    fn holds_alone(&self, before: &str) -> bool {
        HOLDS_ALONE.is_in(before)
            || shape::is_trait(before)
            || self.is_put_right && CHOSEN_VALUE.is_in(before)
    }

    fn is_order_for_good(&self) -> bool {
        [
            &MANNER,
            &HANDS_OFF,
            &STOP_USING,
            &NONE_IN_NEW,
            &RUN_BEFORE,
            &HOUSE_STYLE,
            &WRITTEN_IN,
            &NOT_BY_HAND,
            &FOR_USE,
            &ON_CHANGE,
            &IN_WHOSE_NAME,
            &GO_TO,
            &NEEDED_OR,
        ]
        .iter()
        .any(|it| it.is_in(self.lower))
    }

    /// Whether it is about the work in hand, or cannot be understood tomorrow.
    fn is_passing(&self) -> bool {
        let scoped = SCOPE.text_after_match(self.lower).unwrap_or(self.lower);
        let placed = strip_project_scope(scoped);
        let gates = [&PASSES, &BROKEN, &OTHERS_SAY];
        let main = self.main_part();
        let is_in_hand = IN_HAND_SUBJECT.is_in(main) && !LIVES.is_in(main);
        gates.iter().any(|it| it.is_in(main))
            || is_in_hand
            || self.lower.len() > LONGEST
            || POINTER.is_in(main) && !YOU_CANNOT.is_in(main)
            || CODE_TALK.is_in(main) && !EVERYWHERE.is_in(self.lower)
            || ORDER_TAIL.is_in(self.lower)
            || WANTS.is_in(self.lower)
            || NEAR_PLACE.is_in(&placed)
            || self.points_outside(&placed)
            || non_statements::has_task_tail(self.lower)
    }

    /// Whether it points at what stood before. What is added to a plain statement may point at that.
    fn points_outside(&self, placed: &str) -> bool {
        if self.weigh_shape() == 0 {
            return non_statements::is_context_dependent(placed);
        }
        let end = ADDED.find(placed).map_or(placed.len(), |it| it.start);
        non_statements::is_context_dependent(&placed[..end].replace("its own ", "an own "))
    }

    /// How much a plain statement weighs, where it answers the agent.
    fn weigh_shape(&self) -> i32 {
        let scoped = SCOPE.text_after_match(self.lower).unwrap_or(self.lower);
        let weight = shape::weigh_plain_statement(scoped).filter(|_| self.is_reply);
        weight.unwrap_or(0)
    }

    /// The sentence without what is added behind a comma.
    fn main_part(&self) -> &'a str {
        let end = ADDED.find(self.lower).map(|it| it.start);
        &self.lower[..end.unwrap_or(self.lower.len())]
    }

    fn weigh_subject(&self) -> i32 {
        let lower = SCOPE.text_after_match(self.lower).unwrap_or(self.lower);
        let is_thing = PLACE.group(lower, 1).is_some_and(|it| {
            [THINGS, MORE_THINGS, TOOLS]
                .iter()
                .any(|list| has_listed_word(list, it))
        });
        let is_general = || {
            [&EVERYWHERE, &HERE, &NOT_THAT]
                .iter()
                .any(|it| it.is_in(self.lower))
        };
        let is_class = WORK_THINGS.is_in(lower)
            || PATH_SUBJECT.is_in(lower)
            || CODE_THINGS.is_in(lower) && is_general();
        let other = match () {
            () if is_thing || is_class => 2,
            () if CLASS_OF.is_in(lower) || YOU_CANNOT.is_in(lower) || LIVES.is_in(lower) => 1,
            () => 0,
        };
        (self.weigh_ours() + other).max(self.weigh_shape())
    }

    /// Whether it is about us, and how firmly.
    fn weigh_ours(&self) -> i32 {
        let lower = SCOPE.text_after_match(self.lower).unwrap_or(self.lower);
        let we = match (
            WORK_VERB.is_in(lower),
            WE_KEEP.is_in(lower),
            WE_FIRMLY.is_in(lower),
        ) {
            (true, _, true) => 3,
            (true, ..) | (_, true, _) => 2,
            (_, _, true) => 1,
            _ => 0,
        };
        let is_ours = OUR_THING.is_in(lower) || WE_ARE.is_in(lower);
        we + 2 * i32::from(is_ours)
    }

    fn weigh_verb(&self) -> i32 {
        let is_firm = [&PLACED, &OBLIGED, &WE_KEEP, &WE_FIRMLY];
        i32::from(
            IS_SO.is_in(self.lower)
                || is_firm.iter().any(|it| it.is_in(self.lower))
                || self.weigh_shape() > 0,
        )
    }

    /// How far beyond the work in hand it reaches: nowhere without one of the strong signs.
    fn weigh_reach(&self) -> i32 {
        let strong = [
            &EVERYWHERE,
            &HERE,
            &NOT_THAT,
            &CHOSEN_VALUE,
            &WITH_TOOL,
            &DAYS,
            &BESIDE,
            &PER_ONE,
            &ONLY_SO,
            &GONE_ONE,
            &CALLED,
            &REASON,
            &OWN_TOOL,
        ];
        let weak = [&WORK_VERB, &OBLIGED_FIRMLY, &BESIDE];
        let count = |signs: &[&Pattern]| {
            let told = signs.iter().filter(|it| it.is_in(self.lower));
            i32::try_from(told.count()).unwrap_or(i32::MAX)
        };
        let is_we = WORK_VERB.is_in(self.lower) && WE_FIRMLY.is_in(self.lower);
        let signs = match self.weigh_shape() {
            0 => 0,
            _ => shape::count_signs(self.lower),
        };
        match count(&strong) {
            0 if !is_we && signs > 0 => signs + 1 + i32::from(has_name_inside(self.text)),
            0 if !is_we => 0,
            n => 2 * n + count(&weak) + i32::from(has_name_inside(self.text)),
        }
    }

    fn to_phrase(self) -> StatementPhrase {
        let text = self.text.trim_end_matches([',', ';', ' ']);
        let lower = &self.lower[..text.len()];
        parse_statement_phrase(text, lower).unwrap_or_else(|| StatementPhrase::Quoted(text.into()))
    }
}

/// Whether a name stands in it: a capital that begins no sentence.
fn has_name_inside(text: &str) -> bool {
    let mut words = text.split_whitespace().skip(1);
    words.any(|it| {
        let mut chars = it.chars();
        let is_capital = chars.next().is_some_and(char::is_uppercase);
        is_capital && chars.clone().count() > 1 && !it.starts_with("I'")
    })
}
