//! Stage two: layer and kind; what is better read elsewhere is turned away with the reason.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::moderate::Moderated;
use crate::{
    memory::{Draft, Kind, Layer, ModerationMark, Origin, Vouching},
    refusal::{Exclusion, Refusal},
};

/// A draft that knows what it is.
#[derive(Debug, Clone)]
pub struct Classified {
    pub(super) draft: Draft,
    pub(super) marks: Vec<ModerationMark>,
    pub(super) layer: Layer,
    pub(super) kind: Kind,
    pub(super) forced: bool,
}

/// Finds layer and kind, or turns the draft away.
pub fn classify_draft(Moderated { draft, marks }: Moderated) -> Result<Classified, Refusal> {
    let layer = draft.layer.unwrap_or(Layer::Knowledge);
    let kind = draft.kind.unwrap_or_else(|| guess_draft_kind(&draft));
    if draft.vouching != Vouching::Unasked
        && !(draft.vouching.is_given() && draft.voice.is_person())
    {
        return Err(Refusal::NotAPerson);
    }
    let claimed = Some(&draft.fact).filter(|_| layer == Layer::Knowledge);
    let excluded = claimed.and_then(|it| find_exclusion(it));
    match excluded {
        Some((what, why)) if !draft.vouching.is_given() => Err(Refusal::Excluded { what, why }),
        _ => Ok(Classified {
            forced: excluded.is_some(),
            layer,
            kind,
            draft,
            marks,
        }),
    }
}

/// The kind of a draft that does not say it: what proves itself by code is of the project, what a person corrects is
/// feedback, what belongs to a user is a preference.
fn guess_draft_kind(draft: &Draft) -> Kind {
    if matches!(draft.voice.origin, Origin::UserCorrection | Origin::Review) {
        Kind::Feedback
    } else if draft.space.is_user() {
        Kind::User
    } else if draft.citations.is_empty() && looks_like_command(&draft.fact) {
        Kind::Reference
    } else {
        Kind::Project
    }
}

fn looks_like_command(fact: &str) -> bool {
    let fact = fact.to_ascii_lowercase();
    [
        "run `",
        "command is",
        "run the tests with",
        "build with",
        "install with",
    ]
    .iter()
    .any(|it| fact.contains(it))
}

/// What a fact is better read from than remembered, if it is such a thing.
pub fn find_exclusion(fact: &str) -> Option<(Exclusion, &'static str)> {
    // Looking for a few words is cheap; a pattern is compiled and tried only where one of its words stands.
    let lower = fact.to_ascii_lowercase();
    let hit = ROWS.iter().zip(&PATTERNS).find(|(row, pattern)| {
        let is_worth = row.words.iter().any(|word| lower.contains(word));
        is_worth
            && pattern
                .get_or_init(|| compile_exclusion_pattern(row))
                .is_match(lower.as_bytes())
    });
    hit.map(|(row, _)| (row.what, advise_on_exclusion(row.what)))
}

/// What is turned away.
struct ExclusionRule {
    what: Exclusion,
    /// Lower-case words of which one must stand in the text.
    words: &'static [&'static str],
    pattern: &'static str,
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
    }
}

const ROWS: &[ExclusionRule] = &[
    ExclusionRule {
        what: Exclusion::CodeState,
        words: &["defined", "declared", "implemented", "located"],
        pattern: r"\b(function|method|class|struct|enum|type|constant|variable|fn|def)\b.{0,60}\b(is )?(defined|declared|implemented|located)\b (in|at|on)\b.{0,80}(\bline\b|:\d+|\.\w{1,5}\b)",
    },
    ExclusionRule {
        what: Exclusion::CodeState,
        words: &[
            " lines",
            " files",
            " functions",
            " methods",
            " tests",
            " classes",
            " modules",
            " commits",
        ],
        pattern: r"\b(file|module|repo|repository|project|directory|folder|class|package|crate)\b.{0,60}\b(has|contains|consists of|holds)\b (about |around |over )?\d[\d,]* (lines|files|functions|methods|tests|classes|modules|commits)\b",
    },
    ExclusionRule {
        what: Exclusion::CodeState,
        words: &["imports", "includes", "requires"],
        pattern: r"^\s*`?[\w./-]+\.\w{1,5}`? (imports|includes|requires) `?[\w./:@-]+`?\.?\s*$",
    },
    ExclusionRule {
        what: Exclusion::GitHistory,
        words: &["commit", "merge", "rebase", "revert", "cherry"],
        pattern: r"\b(commit|merged?|rebased?|reverted|cherry-?picked)\b.{0,40}\b[0-9a-f]{7,40}\b",
    },
    ExclusionRule {
        what: Exclusion::GitHistory,
        words: &["branch", "pr ", "request"],
        pattern: r"\b(pr|pull request|merge request|branch)\b.{0,60}\b(was|were|got|has been|is now|is)? ?(merged|rebased|deleted|force-pushed|closed|opened|created) (into|onto|by|on|from|yesterday|today)\b",
    },
    ExclusionRule {
        what: Exclusion::GitHistory,
        words: &["commit"],
        pattern: r"\b(last|latest|previous|recent) commit\b.{0,20}\b(was|is|changed|added|fixed|by)\b",
    },
    ExclusionRule {
        what: Exclusion::TaskState,
        words: &["iteration", "attempt", "run", "step", "phase", "build"],
        pattern: r"\b(iteration|attempt|run|step|phase|build|test run) #?\d+ (has |have |just )?(passed|failed|succeeded|completed|finished|done|is done)\b",
    },
    ExclusionRule {
        what: Exclusion::TaskState,
        words: &[
            "currently",
            "right now",
            "at the moment",
            "i am",
            "i'm",
            "we are",
            "we're",
        ],
        pattern: r"\b(currently|right now|at the moment)\b.{0,20}\b(working on|debugging|fixing|implementing|investigating|refactoring|blocked|waiting)\b|\b(i am|i'm|we are|we're) (currently |now )?(working on|debugging|fixing|implementing|refactoring)\b",
    },
    ExclusionRule {
        what: Exclusion::TaskState,
        words: &["todo", "fixme", "wip", "next step", "in progress"],
        pattern: r"^\s*(todo|fixme|wip|next steps?|in progress)\b\s*[:\-]|\b(todo|next step)s?: ",
    },
    ExclusionRule {
        what: Exclusion::TaskState,
        words: &["just"],
        pattern: r"\b(i|we|the agent) (just |have just |'ve just )(fixed|added|ran|changed|updated|implemented|finished|pushed|committed)\b",
    },
    ExclusionRule {
        what: Exclusion::TaskState,
        words: &["test", "build", "ci", "pipeline"],
        pattern: r"\b(all |the )?(tests?|build|ci|pipeline)\b (is|are|was|were)? ?(now |currently )?(passing|failing|green|red|broken|passed|failed)\b.{0,30}\b(at \d{1,2}:\d{2}|now|today|currently|this (morning|afternoon|session))\b",
    },
];

static PATTERNS: [OnceLock<Regex>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];

#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, and a test compiles them all"
)]
fn compile_exclusion_pattern(row: &ExclusionRule) -> Regex {
    RegexBuilder::new(row.pattern)
        .unicode(false)
        .build()
        .expect("every row's pattern is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each row, a text that it turns away and a like one that it lets pass.
    const SAMPLES: [(&str, &str); ROWS.len()] = [
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
    ];

    /// Derivable code state, git history and ephemeral task state are never written.
    #[test]
    fn exclusions_match_their_own_samples() {
        for (row, (turned_away, let_pass)) in ROWS.iter().zip(SAMPLES) {
            assert_eq!(
                find_exclusion(turned_away).map(|it| it.0),
                Some(row.what),
                "{turned_away}"
            );
            let pattern = compile_exclusion_pattern(row);
            let lower = turned_away.to_ascii_lowercase();
            assert!(pattern.is_match(lower.as_bytes()), "{turned_away}");
            assert_eq!(find_exclusion(let_pass), None, "{let_pass}");
        }
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
