//! What is better read elsewhere than remembered: code that says it, git that knows it, a task that will be over.

use super::pattern_table::LazyPattern;
use crate::{
    memory::Voice,
    refusal::{Exclusion, Refusal},
};

/// What a statement is turned away as. What the code or git would say is kept from a person, and from anybody who says why
/// it matters; what will be stale tomorrow from nobody.
pub fn find_exclusion_of(
    voice: &Voice,
    reason: Option<&str>,
    fact: &str,
) -> Option<(Exclusion, &'static str)> {
    let is_excused = voice.is_person() || reason.is_some_and(|it| !it.is_empty());
    find_exclusion(fact).filter(|(what, _)| !(is_excused && what.is_derivable()))
}

/// What a fact is better read from than remembered, if it is such a thing.
pub fn find_exclusion(fact: &str) -> Option<(Exclusion, &'static str)> {
    let lower = fact.to_ascii_lowercase();
    let hit = RULES.iter().find(|it| it.excludes_text(&lower));
    hit.map(|it| (it.what, advise_on_exclusion(it.what)))
}

/// Words that fill a text and say nothing.
const FILLERS: &str = "a an and asdf bar baz bla blah check cool do does done fine foo great hello hey hi hm hmm huh i ipsum it just \
    lol lorem me memory memories na nice no nope note nothing nvm oh ok okay ping please qwerty really remember save something \
    store stuff sure test testing thank thanks that the thing this thx todo tests ty work works world wow yeah yep yes you";

/// The longest text that is looked at for whether it says anything, in bytes.
const TRIFLE_BYTES: usize = 40;

/// Refuses a text that is a word, or a few that say nothing. A word may be the value of what its subject names.
pub(in crate::remember) fn refuse_trifle(subject: Option<&str>, fact: &str) -> Option<Refusal> {
    let is_named = subject.is_some_and(|it| !it.is_empty());
    let is_filler = |it: &str| is_in_list(FILLERS, &it.to_ascii_lowercase());
    let words = fact.split(|it: char| !it.is_alphanumeric());
    let (mut n_words, mut is_said) = (0, false);
    for word in words.filter(|it| !it.is_empty()) {
        // A script without spaces has many words between two of them.
        n_words += word.chars().filter(|it| !it.is_ascii()).count() / 4 + 1;
        is_said |= !is_filler(word) && word.chars().nth(1).is_some();
    }
    let is_fact = (n_words > 1 && is_said) || (is_named && n_words > 0);
    (!is_fact && fact.len() <= TRIFLE_BYTES).then(|| {
        let what = Exclusion::Trifle;
        let why = advise_on_exclusion(what);
        Refusal::Excluded { what, why }
    })
}

fn is_in_list(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// What is turned away.
struct ExclusionRule {
    what: Exclusion,
    pattern: LazyPattern,
    /// Words that make it a fact all the same.
    unless: Exceptions,
}

impl ExclusionRule {
    fn excludes_text(&self, lower: &str) -> bool {
        let is_fact = || {
            self.unless
                .iter()
                .copied()
                .flatten()
                .any(|it| lower.contains(it))
        };
        self.pattern.matches_text(lower) && !is_fact()
    }
}

/// Words that make a fact of what a rule would turn away, in groups.
type Exceptions = &'static [&'static [&'static str]];

/// What says why it matters, or what follows from it.
const REASONS: &[&str] = &[
    "because",
    "so that",
    ", so ",
    "since ",
    "otherwise",
    " must",
    "never",
    "always",
    " only ",
    "don't",
    "do not",
    " why ",
    "therefore",
    "in step",
    "unless",
    "instead",
];
/// What makes a sentence of a participle: "deleted branches are kept".
const FINITE_VERBS: &[&str] = &[
    " is ", " are ", " need", " may ", " can ", " cannot ", " should ", " will ", " have ",
    " has ", " get ", " gets ", " go ", " goes ", " stay", " belong",
];
/// What was learned from it: "fixed by closing the cursor first".
const LESSONS: &[&str] = &[
    " by ",
    "every time",
    "without it",
    "have to",
    "has to",
    " need",
    "root cause",
    "turned out",
    "lesson",
];
/// What makes a sentence with a day in it true on other days, too.
const OTHER_DAYS: &[&str] = &[
    "does not",
    "isn't",
    "every",
    "mentioned",
    "decided",
    "corrected",
    "learned",
    "prefers",
    "wants",
    "that they ",
    " are ",
    "today is",
    "today's",
    "no longer",
    "from now",
    "as of today",
    "until today",
    "still",
];

const NOTHING: Exceptions = &[];
const REASONED: Exceptions = &[REASONS];
const FINITE: Exceptions = &[REASONS, FINITE_VERBS];
const LESSON: Exceptions = &[REASONS, LESSONS];
const TIMELESS: Exceptions = &[REASONS, LESSONS, OTHER_DAYS];

const fn exclude(
    what: Exclusion,
    words: &'static [&'static str],
    pattern: &'static str,
    unless: Exceptions,
) -> ExclusionRule {
    ExclusionRule {
        what,
        pattern: LazyPattern::new(words, pattern),
        unless,
    }
}

/// The way out.
fn advise_on_exclusion(what: Exclusion) -> &'static str {
    match what {
        Exclusion::CodeState => {
            "read it from the code when it is needed; keep why it is so, or what must stay in step"
        }
        Exclusion::GitHistory => "git log and git blame tell it; keep the lesson, not the record",
        Exclusion::TaskState => {
            "it will be stale tomorrow; put it into the task's notes, or keep the lesson"
        }
        Exclusion::Trifle => "say what was learned in a sentence",
    }
}

static RULES: [ExclusionRule; 41] = [
    exclude(
        Exclusion::CodeState,
        &["defined", "declared", "implemented", "located"],
        r"\b(function|method|class|struct|enum|type|constant|variable|fn|def)\b.{0,60}\b(is )?(defined|declared|implemented|located)\b (in|at|on)\b.{0,80}(\bline\b|:\d+|\.\w{1,5}\b)",
        NOTHING,
    ),
    exclude(
        Exclusion::CodeState,
        &[
            " lines",
            " files",
            " functions",
            " methods",
            " tests",
            " classes",
            " modules",
            " commits",
        ],
        r"\b(file|module|repo|repository|project|directory|folder|class|package|crate)\b.{0,60}\b(has|contains|consists of|holds)\b (about |around |over )?\d[\d,]* (lines|files|functions|methods|tests|classes|modules|commits)\b",
        NOTHING,
    ),
    exclude(
        Exclusion::CodeState,
        &["imports", "includes", "requires"],
        r"^\s*`?[\w./-]+\.\w{1,5}`? (imports|includes|requires) `?[\w./:@-]+`?((, | and |, and )`?[\w./:@-]+`?)*\.?\s*$",
        NOTHING,
    ),
    exclude(
        Exclusion::GitHistory,
        &["commit", "merge", "rebase", "revert", "cherry"],
        r"\b(commit|merged?|rebased?|reverted|cherry-?picked)\b.{0,40}\b[0-9a-f]{7,40}\b",
        NOTHING,
    ),
    exclude(
        Exclusion::GitHistory,
        &["branch", "pr ", "request"],
        r"\b(pr|pull request|merge request|branch)\b.{0,60}\b(was|were|got|has been|is now|is)? ?(merged|rebased|deleted|force-pushed|closed|opened|created) (into|onto|by|on|from|yesterday|today)\b",
        NOTHING,
    ),
    exclude(
        Exclusion::GitHistory,
        &["commit"],
        r"\b(last|latest|previous|recent) commit\b.{0,20}\b(was|is|changed|added|fixed|by)\b",
        NOTHING,
    ),
    exclude(
        Exclusion::TaskState,
        &["iteration", "attempt", "run", "step", "phase", "build"],
        r"\b(iteration|attempt|run|step|phase|build|test run) #?\d+ (has |have |just )?(passed|failed|succeeded|completed|finished|done|is done)\b",
        NOTHING,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "currently",
            "right now",
            "at the moment",
            "i am",
            "i'm",
            "we are",
            "we're",
        ],
        r"\b(currently|right now|at the moment)\b.{0,20}\b(working on|debugging|fixing|implementing|investigating|refactoring|blocked|waiting)\b|\b(i am|i'm|we are|we're) (currently |now )?(working on|debugging|fixing|implementing|refactoring)\b",
        NOTHING,
    ),
    exclude(
        Exclusion::TaskState,
        &["todo", "fixme", "wip", "next step", "in progress"],
        r"^\s*(todo|fixme|wip|next steps?|in progress)\b\s*[:\-]|\b(todo|next step)s?: ",
        NOTHING,
    ),
    exclude(
        Exclusion::TaskState,
        &["just"],
        r"\b(i|we|the agent) (just |have just |'ve just )(fixed|added|ran|changed|updated|implemented|finished|pushed|committed)\b",
        NOTHING,
    ),
    exclude(
        Exclusion::TaskState,
        &["test", "build", "ci", "pipeline"],
        r"\b(all |the )?(tests?|build|ci|pipeline)\b (is|are|was|were)? ?(now |currently )?(passing|failing|green|red|broken|passed|failed)\b.{0,30}\b(at \d{1,2}:\d{2}|now|today|currently|this (morning|afternoon|session))\b",
        NOTHING,
    ),
    exclude(
        Exclusion::CodeState,
        &[
            "parameter",
            "argument",
            " arg",
            "field",
            "method",
            "variant",
            "member",
            "propert",
        ],
        r"^(the )?((async |static |private |public )?(function|method|class|struct|enum|type|interface|trait|module|constructor|fn|def) )?`?[\w.:#]+(\(\))?`? (has|have|takes|accepts|receives|expects) (no|only|exactly|the|an?|\d+|one|two|three|four|five|six|seven|eight|nine|ten|several)\b[ \w]*\b(parameters?|arguments?|args?|fields?|methods?|variants?|members?|propert(y|ies))\b[^.;]{0,120}\.?$",
        REASONED,
    ),
    exclude(
        Exclusion::CodeState,
        &["contains", "has ", "holds", "defines", "declares"],
        r"^(the )?(file |module |folder |directory )?`?[\w./-]+(\.\w{1,5}|/)`? (contains|has|holds|defines|declares) (the |an? |all |only )?(\w+ )?(functions?|class|classes|methods?|structs?|code|tests?|folders?|files?|logic|components?|definitions?|implementations?)\b[^.;]{0,60}\.?$",
        REASONED,
    ),
    exclude(
        Exclusion::CodeState,
        &["extends", "implements", "inherits", "derives", "subclass"],
        r"^(the )?(class|struct|interface|type|trait|component) `?\w+`? (extends|implements|inherits from|derives from|is a subclass of) `?[\w.:<>]+`?\.?$",
        REASONED,
    ),
    exclude(
        Exclusion::CodeState,
        &["there are", "there is"],
        r"^there (is|are) (only |exactly |about )?(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|many) (\w+ )?(files?|functions?|tests?|class|classes|modules?|components?|lines|folders?|directories|methods?) (in|under|inside)\b[^.;]{0,60}\.?$",
        REASONED,
    ),
    exclude(
        Exclusion::CodeState,
        &["returns", "calls", "yields"],
        r"^(the )?(function|method|fn|def) `?[\w.:]+(\(\))?`? (returns|calls|yields) [^.;]{1,40}\.?$|^`[\w.:]+(\(\))?` returns `[^`]+`\.?$",
        REASONED,
    ),
    exclude(
        Exclusion::CodeState,
        &["is a", "is the"],
        r"^(the )?`?[\w.:]+(\(\))?`? is (an?|the) (\w+ )?(constant|function|class|method|struct|enum|variable|macro|module|type|interface|trait|helper)\b[^.;]{0,20} (in|of|at|from) `?[\w./-]+`?\.?$",
        REASONED,
    ),
    exclude(
        Exclusion::CodeState,
        &[" lines"],
        r"^(the )?(file )?`?[\w./-]+`? (is|has) (about |over |only )?\d+ lines\b[^.;]{0,20}\.?$",
        REASONED,
    ),
    exclude(
        Exclusion::GitHistory,
        &[
            "merged", "opened", "closed", "created", "approved", "rebased", "pushed", "deleted",
            "reverted", "squashed", "tagged",
        ],
        r"^((i|we|the agent|\w+) )?((have|has|had|just|also) )*(merged|opened|closed|created|approved|rebased|pushed|deleted|reverted|squashed|tagged)\b[^.;]{0,50}\b(prs?|pull requests?|merge requests?|mr|branch|commits?|tag)\b[^.;]{0,60}\.?$",
        FINITE,
    ),
    exclude(
        Exclusion::GitHistory,
        &["pr ", "pr#", "request", "mr "],
        r"\b(pr|pull request|merge request|mr) ?[#!]?\d+\b[^.;]{0,30}\b(merged|closed|opened|approved|reviewed)\b",
        REASONED,
    ),
    exclude(
        Exclusion::GitHistory,
        &[
            "commits ahead",
            "commits behind",
            "commit ahead",
            "commit behind",
            "head is at",
            "rebased",
            "merged",
        ],
        r"\bcommits? (ahead|behind)\b|^head is at\b|^(rebased|merged|squashed) (onto|into|with|`?\S+`? into)\b",
        REASONED,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "fixed",
            "added",
            "implemented",
            "ran",
            "read",
            "checked",
            "pushed",
            "committed",
            "finished",
            "completed",
            "installed",
            "refactored",
            "updated",
            "debugged",
            "investigated",
            "looked",
            "tested",
            "wrote",
            "created",
            "removed",
            "deleted",
            "cleaned",
            "renamed",
            "reviewed",
            "verified",
            "resolved",
            "edited",
            "changed",
            "tried",
            "started",
            "solved",
        ],
        r"^((today|yesterday|now|finally|so),? )*(i|we|the agent)(('|\xe2\x80\x99)ve)?( have| has| had| just| now| also| finally| already| successfully)* (fixed|added|implemented|ran|read|checked|pushed|committed|finished|completed|installed|refactored|updated|debugged|investigated|looked (into|at)|tested|wrote|created|removed|deleted|cleaned|renamed|reviewed|verified|resolved|edited|changed|tried|started|solved)\b",
        LESSON,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "fixed",
            "added",
            "implemented",
            "ran ",
            "pushed",
            "committed",
            "finished",
            "completed",
            "installed",
            "refactored",
            "updated",
            "debugged",
            "investigated",
            "tested",
            "wrote",
            "created",
            "removed",
            "cleaned",
            "renamed",
            "verified",
            "resolved",
        ],
        r"^((just|successfully|now|also|finally) )*(fixed|added|implemented|ran|pushed|committed|finished|completed|installed|refactored|updated|debugged|investigated|tested|wrote|created|removed|cleaned|renamed|verified|resolved) ",
        FINITE,
    ),
    exclude(
        Exclusion::TaskState,
        &["test", "build", "ci ", "pipeline", "lint", "suite", "check"],
        r"^((all|the) )*(tests?|build|ci|pipeline|linter|suite|checks?)( (is|are|was|were|now|all|have|has|currently|still))* (pass(es|ed|ing)?|green|red|fail(s|ed|ing)?|broken|clean)( again| now| locally)*[^a-z]*$",
        NOTHING,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "waiting",
            "working",
            "looking",
            "investigating",
            "about to",
            "going to",
            "trying to",
            "i will",
            "i'll",
            "let me",
        ],
        r"^(still |currently )?(waiting (for|on)|working on|looking (at|into)|investigating|about to|going to|trying to)\b|^(i will|i'll|i am going to|i'm going to|let me|now i)\b",
        REASONED,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "today",
            "yesterday",
            "this morning",
            "this afternoon",
            "this evening",
            "just now",
        ],
        r"\b(fixed|repaired|solved|finished|added|implemented|completed|resolved|refactored)\b.{0,60}\b(today|yesterday|this (morning|afternoon|evening|session)|just now)\b",
        LESSON,
    ),
    exclude(
        Exclusion::TaskState,
        &["user asked", "user told", "user wants"],
        r"^(the )?user (asked|told|wants) (me|us) to (fix|look|add|implement|write|check|investigate|refactor|run|update|create|find|help)\b",
        REASONED,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "heute", "gerade", "gestern", "je viens", "j'ai", "acabo de", "he ",
        ],
        r"\b(heute|gerade|gestern)\b.{0,80}\b(repariert|behoben|gefixt|erledigt|hinzugef..?gt|ge..?ndert|umgebaut|gel..?st|korrigiert)\b|^(je viens de|j'ai (corrig|ajout|fini|termin|r..?par))|^(acabo de|he (arreglado|corregido|terminado|probado))\b",
        NOTHING,
    ),
    exclude(
        Exclusion::TaskState,
        &["will ", "gotta", "next ", "brb"],
        r"^(gotta go|brb\b|back later)|(^|\bi |\bwe |, |\bthen )(i'll|we'll|will|gonna) (continue|finish|pick (it|this) up|get back|resume|look (at|into) (it|this)|do (it|this|that)|try)\b|^next,? (i|we)('ll| will| am| are)?\b",
        REASONED,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "stuck",
            "awaiting",
            "waiting",
            "% done",
            "so far",
            "right now",
            "at the moment",
            "down since",
            "in progress",
            "halfway",
        ],
        r"\bawaiting (approval|review|feedback|merge|\w+'s)\b|\d+ ?% (done|complete|through)\b|\b(good|fine|ok|okay|well|result|results|luck|idea|nothing|progress)( \w+)? so far[.!]?$|\b(still|currently) (stuck|broken|debugging|failing|waiting|blocked|investigating|compiling)\b|^(still )?stuck (at|on|with|in)\b|\b(is|are|am|was|'s|'m) (down|red|broken|failing|stuck|blocked|offline|flaky)( again)?,? (since|right now|at the moment|for the last|today)\b|\b(in progress|halfway (through|done))[.!]?$|\bright now[,.!]",
        REASONED,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "done",
            "finished",
            "merged",
            "deployed",
            "shipped",
            "pushed",
            "released",
            "rebased",
            "reviewed",
            "submitted",
            "uploaded",
            "tagged",
        ],
        r"^(all )?(done|finished|merged|deployed|shipped|pushed|released|rebased|reviewed|submitted|uploaded|tagged)( (it|this|that|them|w/|with|everything|to (prod|production|staging|main|master|develop)|\d{1,2}:\d\d|v?\d+\.\d+)\b|[.!,:]|$)",
        FINITE,
    ),
    exclude(
        Exclusion::TaskState,
        &["test", "spec", "check", "green", "lint", "types"],
        r"\b\d+( of \d+)? (unit |integration )?(tests?|specs?|checks?)( are| all| now)* (pass(es|ed|ing)?|green|fail(s|ed|ing)?)\b|\b(tests?|build|ci|lint|types?) (is |are )?(now |all )?(green|pass|passes|passing)\b[^a-z]*(now|again|locally|after\b.{0,40})?[^a-z]*$",
        REASONED,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "today",
            "this morning",
            "this afternoon",
            "this evening",
            "yesterday",
            "last night",
            "just now",
            "an hour ago",
            "tonight",
        ],
        r"\b(was|were|went|got|been|did|[a-z]{2,}ed)\b.*\b(today|this (morning|afternoon|evening)|yesterday|last night|just now|an hour ago|tonight)\b|\b(today|this (morning|afternoon|evening)|yesterday|last night|just now|an hour ago|tonight)\b.*\b(was|were|went|got|been|did|[a-z]{2,}ed)\b",
        TIMELESS,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "uncommitted",
            "working tree",
            "stash",
            "checked out",
            "detached head",
        ],
        r"^(the |my )?(working (tree|copy|directory)|repo(sitory)?|branch|checkout|stash)\b.{0,30}\b(uncommitted|untracked|is (clean|dirty)|(has|have) (\d+|two|three|some|no) (uncommitted|staged|unstaged))|^there are (uncommitted|unstaged|staged)",
        REASONED,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "user said",
            "user asked how",
            "user thanked",
            "user confirmed",
            "user is",
            "user just",
            "user seems",
            "user greeted",
        ],
        r"^(the )?user (said (hello|hi|thanks|goodbye|bye|yes|no|ok|okay)|asked how|thanked|greeted|confirmed (it|this|that)|just (asked|said)|is (happy|waiting|satisfied|away|back|afk)|seems? (happy|satisfied|pleased))\b",
        REASONED,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "task",
            "step",
            "session",
            "iteration",
            "phase",
            "milestone",
            "summary",
            "ticket",
        ],
        r"^(the )?(task|step|session|iteration|phase|milestone|ticket|subtask|sprint)\b[^.]{0,24}\b(complete|completed|done|finished|summary|underway|started|closed|over)\b[^.]{0,30}(\.|:|$)",
        REASONED,
    ),
    exclude(
        Exclusion::TaskState,
        &[
            "got ",
            "working",
            "failed",
            "retry",
            "retrying",
            "succeeded",
            "crashed",
            "almost",
            "nearly",
        ],
        r"^(finally )?got .{0,50}\b(working|running|compiling|to (work|run|compile|build))( finally| now| again)?[.!]?$|^(the )?(command|script|job|call|request|install|attempt) (just )?(failed|succeeded|crashed|finished|timed out)\b[^.]{0,40}$|\bretrying[.!]?$|^(almost|nearly) (done|there|finished)\b",
        REASONED,
    ),
    exclude(
        Exclusion::CodeState,
        &[
            "lists",
            "includes",
            "imports",
            "exports",
            "depends on",
            "declares",
            "defines",
            "calls",
        ],
        r"^(the )?(file |module |header |line \d+ of )?`?[\w./-]+\.\w{1,5}`? (lists|includes|imports|exports|declares|defines|depends on|calls) `?[\w<>./:@-]+`?((, | and |, and )`?[\w<>./:@-]+`?)*( (as an?|among its|in its|in the) \w+)?\.?$|^line \d+ of\b[^;]{0,90}$",
        REASONED,
    ),
    exclude(
        Exclusion::CodeState,
        &["holds", "has ", "contains", "of type", "consists"],
        r"^(the )?(struct|class|enum|type|interface|table|column|record|trait|component|field|dataclass|model|schema|message) `?[\w.:]+`? ?(in (table |struct |class )?`?[\w.]+`? )?(holds|has|contains|consists of|is) (\d+|one|two|three|four|five|six|an?|the|of|type)\b[^.;]{0,70}\.?$",
        REASONED,
    ),
    exclude(
        Exclusion::CodeState,
        &["returns", "takes", "accepts"],
        r"^(the )?`?[\w.:]*(\w_\w+|\w\(\))`?(\(\))? ((returns|yields|throws) (an? )?`?[\w\[\]<>:.|?]+`?|(takes|accepts) (no|one|two|three|four|\d+) (parameters?|arguments?|args?))\.?$",
        REASONED,
    ),
    exclude(
        Exclusion::GitHistory,
        &[
            "tagged",
            "created",
            "renamed",
            "deleted",
            "git log",
            "git blame",
            "last person",
            "bumped",
            "authored",
        ],
        r"^(the )?(release|version|branch|tag|repo(sitory)?|commit|file) ?\S{0,60} (was|were|has been|got) (tagged|created|renamed|deleted|pushed|bumped|cut|authored|rebased|updated)\b[^;]{0,60}$|\baccording to git (log|blame|history)\b|\blast person to (edit|touch|change)\b|^(the )?version (was )?bumped\b|\bbumped (\w+ )?(from \S+ )?to v?\d",
        REASONED,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// For each row, a text that it turns away and a like one that it lets pass.
    const SAMPLES: [(&str, &str); RULES.len()] = [
        (
            "The function parse_args is defined in src/cli.rs at line 40",
            "The function parse_args must stay in step with the man page",
        ),
        (
            "The file src/main.rs has 412 lines",
            "The class of errors has three lines of defence",
        ),
        (
            "src/app.ts imports ./router",
            "src/app.ts imports must be sorted because the linter fails the build otherwise",
        ),
        (
            "Commit 3f2a9bc fixed the login race",
            "Commit messages follow Conventional Commits",
        ),
        (
            "Branch feature/login was merged into main",
            "A pull request needs two approvals before it can be merged",
        ),
        (
            "The last commit was by Ana",
            "Bisect from the last release commit when a benchmark regresses",
        ),
        (
            "iteration 3 passed at 14:32",
            "Step 3 of the release needs a maintainer's key card",
        ),
        (
            "Currently working on the parser refactor",
            "The scheduler is currently limited to four workers by licence",
        ),
        (
            "TODO: add tests for the importer",
            "The linter turns TODO comments without an owner into errors",
        ),
        (
            "I just fixed the flaky test",
            "Just targets are listed in the justfile, run `just test` before pushing",
        ),
        (
            "The tests are failing today",
            "The build is red when the schema and the client drift apart",
        ),
        (
            "function h has one parameter",
            "function h has one parameter because the callers pass it by position",
        ),
        (
            "The file src/main.rs contains the main function",
            "config.toml holds the limits of every customer",
        ),
        (
            "The class User extends BaseModel",
            "The class User must extend BaseModel",
        ),
        (
            "There are 14 files in src/components",
            "There are exactly 16 shards",
        ),
        (
            "The function parse_args returns a Namespace",
            "parse_args never returns when --help is given",
        ),
        (
            "`MAX_LEN` is a constant in limits.rs",
            "`MAX_LEN` is a limit of the protocol",
        ),
        (
            "server.js is 340 lines long",
            "A line is 100 characters long",
        ),
        (
            "we merged PR #12",
            "A merged branch is deleted after a release",
        ),
        (
            "PR 77 was approved and merged",
            "PRs are merged by squash only",
        ),
        (
            "main is 3 commits ahead of origin/main",
            "Commits are signed",
        ),
        ("I fixed the parser today", "We froze the v1 API in March"),
        (
            "Fixed 3 failing tests in test_auth.py",
            "Deleted branches are kept for 30 days",
        ),
        ("All tests pass now", "All tests must pass before a merge"),
        (
            "Waiting for the user to answer",
            "A waiting job holds no connection",
        ),
        (
            "the leak is fixed today",
            "Today is never read from the system clock",
        ),
        (
            "The user asked me to look into the login bug",
            "The user asked for small commits",
        ),
        (
            "heute habe ich den Parser repariert",
            "Der Parser liest heute noch Latin-1",
        ),
        (
            "Next I will write the unit tests for the scheduler.",
            "The next id is drawn by the server",
        ),
        (
            "build is running, 40% done",
            "The queue is drained at the end of each hour",
        ),
        (
            "deployed 14:20, looks good so far",
            "Merged branches are deleted by the bot",
        ),
        (
            "All 212 tests pass after the refactoring.",
            "212 tests are known to be slow",
        ),
        (
            "Rebase onto main went through without conflicts this afternoon.",
            "Sessions that began yesterday are closed at midnight",
        ),
        (
            "The working tree has uncommitted changes in two files.",
            "Release builds refuse a working tree with uncommitted changes",
        ),
        (
            "The user said hello and asked how I was doing.",
            "The user said: always squash before merging",
        ),
        (
            "Task complete. Ready for review.",
            "A task is done when its notes are written",
        ),
        (
            "got the login page working finally",
            "A job that failed twice is parked",
        ),
        (
            "package.json lists express as a dependency",
            "schema.sql lists tables in the order in which they must be created",
        ),
        (
            "struct AdcSample holds two fields, a u16 and a timestamp.",
            "The table jobs is a queue",
        ),
        (
            "get_user returns an Optional[User].",
            "get_user returns nothing for deleted rows, which callers take for success; check it",
        ),
        (
            "Branch feature/minimap was created off main.",
            "A release branch is made by the bot, never by hand",
        ),
    ];

    /// Derivable code state, git history and ephemeral task state are never written.
    #[test]
    fn exclusions_match_their_own_samples() {
        for (rule, (turned_away, let_pass)) in RULES.iter().zip(SAMPLES) {
            assert_eq!(
                find_exclusion(turned_away).map(|it| it.0),
                Some(rule.what),
                "{turned_away}"
            );
            assert!(
                rule.excludes_text(&turned_away.to_ascii_lowercase()),
                "{turned_away}"
            );
            assert_eq!(find_exclusion(let_pass), None, "{let_pass}");
        }
    }

    #[test]
    fn trifles_are_no_facts() {
        let check = |subject: Option<&str>, fact: &str, expected: bool| {
            assert_eq!(refuse_trifle(subject, fact).is_some(), expected, "{fact}");
        };
        check(None, "x", true);
        check(None, "test", true);
        check(None, "hello world", true);
        check(None, "???", true);
        check(Some("Package manager"), "?", true);
        check(Some("Package manager"), "pnpm", false);
        check(None, "Use pnpm", false);
        check(None, "日本語のテストは別に動かす", false);
    }

    #[test]
    fn ordinary_facts_pass() {
        let check = |fact: &str| assert_eq!(find_exclusion(fact), None, "{fact}");
        check("The test command is cd evals && npm test");
        check("PlanAuditor excludes the transient failure classification");
        check("All agent files follow P.A.R.T. section order");
        check("API version must match between client SDK, server routes, and documentation.");
        check("CI times out if >3 integration test files run in parallel");
        check("Project uses PostgreSQL 16 on port 5432");
        check("@alice always requests explicit TypeScript types, never any");
    }
}
