//! The words that speak for a kind, and how strongly.

use super::pattern_table::LazyPattern;
use crate::memory::Kind;

/// A pattern over a text in lower case that speaks for a kind.
pub(super) struct KindCue {
    pub(super) kind: Kind,
    pub(super) weight: f32,
    pub(super) pattern: LazyPattern,
}

const fn cue(
    kind: Kind,
    weight: f32,
    words: &'static [&'static str],
    pattern: &'static str,
) -> KindCue {
    KindCue {
        kind,
        weight,
        pattern: LazyPattern::new(words, pattern),
    }
}

pub(super) static KIND_CUES: [KindCue; 40] = [
    // The first person as the subject of a clause.
    cue(
        Kind::User,
        1.6,
        &["i ", "i'", "im "],
        r"(^|[,.;:!] |\b(so|and|but|because|as|when|if|how|that|unless|what) )(i|i'(m|d|ve|ll)|im) [a-z]",
    ),
    cue(
        Kind::User,
        0.8,
        &["my ", "mine", " me", "myself"],
        r"(^|[^-_\w])(my|mine|me|myself)($|[^-_\w'])",
    ),
    // What an agent says about the person it works for.
    cue(
        Kind::User,
        2.0,
        &[
            "user",
            "developer",
            "owner",
            "author",
            "programmer",
            "maintainer",
        ],
        r"(^|[.;:] |\b(the|this|our|lead|repo) )(user|developer|owner|author|programmer|maintainer) (strongly |really |usually |always |never |generally |also )*(prefers?|wants|likes|dislikes|hates|loves|favou?rs|enjoys|works|uses|runs|speaks|expects|reviews|reads|writes|types|lives|thinks in|mentioned|would (rather|like|prefer)|is (new to|an? |the only|based|from|familiar|fluent|not (familiar|used|comfortable)|used to|on \w+ time|left-|right-|colou?r|dyslexic|deaf|blind)|has (\w+ )?(years|rsi|no experience|asked|adhd)|asked (that|for|to be)\b)",
    ),
    cue(
        Kind::User,
        2.0,
        &["user's", "(the user)", "preference"],
        r"^(the )?user's (name|editor|shell|time ?zone|language|preferred|primary|favou?rite|role|os|machine|terminal|keyboard|native)\b|\(the user\)|\buser preference|\bpreference \(user\)",
    ),
    cue(
        Kind::User,
        2.0,
        &["she ", "he "],
        r"^(she|he) (\w+s|asked|told|said|is|has|wants) ",
    ),
    // A preference without its subject.
    cue(
        Kind::User,
        2.0,
        &[
            "prefers ", "likes ", "favo", "hates ", "loves ", "enjoys ", "goes by", "works ",
            "speaks ", "lives ",
        ],
        r"^(prefers|likes|dislikes|favou?rs|hates|loves|enjoys|goes by|works (in|from|on|best)|speaks|lives in) ",
    ),
    cue(
        Kind::User,
        2.0,
        &[
            " fan of", "stand ", "my eyes", "rather ", "peeve", "allergic", "sick of",
        ],
        r"\b(big|huge|not an?) fan of\b|\b(can't|cannot|cant) stand\b|\bhurts? my eyes\b|\bi('d| would) rather\b|\bwould rather not\b|\bpet peeve\b|\b(allergic to|sick of)\b",
    ),
    cue(Kind::User, 0.8, &[" over "], r"^[\w-]+ over [\w-]+\b"),
    // What is to be done for the one who speaks.
    cue(
        Kind::User,
        2.0,
        &[" me"],
        r"^(please |always |never |don't |do not )*(call|answer|tell|show|ask|give|remind|talk to|speak to|reply to|explain|send|warn|help|ping)\b.{0,40}\bme\b|^for me\b",
    ),
    cue(
        Kind::User,
        2.0,
        &["answer", "repl", "respon", "explanation", "explain"],
        r"^(please |pls |always )?(keep|make|write|give) (your |the |all )?(answers?|repl(y|ies)|responses?|explanations?)\b|^(reply|answer|respond) (always )?(in|with|briefly|concisely|tersely)\b",
    ),
    // What people are, have and are used to.
    cue(
        Kind::User,
        1.2,
        &[
            "blind",
            "dyslexic",
            "handed",
            "pronouns",
            "time zone",
            "timezone",
            "native",
            "years of",
            "new to",
            "guy",
            "person",
            "my phone",
            "a phone",
            "admin rights",
            "holiday",
            "part-time",
            "nickname",
        ],
        r"\b(colou?r[- ]?blind|dyslexic|(left|right)-handed|pronouns|time ?zone|native (language|speaker)|years of|new to \w+|(vim|emacs|mac|windows|linux|code|backend|frontend) (guy|girl|person)|(my|a) phone|admin rights|on holiday|part-time)\b",
    ),
    cue(Kind::User, 1.5, &["the person"], r"^the person\b"),
    cue(
        Kind::User,
        1.6,
        &[
            "ich ", "mir ", "mich", "je ", "moi", "prefier", "me gusta", "quiero", "mi ",
        ],
        r"(^|[,.;] )ich \w|^(bitte )?\w+e (mir|mich)\b|^je (\w|')|^prefiero\b|^me gusta|^quiero que|^mi (nombre|editor)\b",
    ),
    // What is not to be done again.
    cue(
        Kind::Feedback,
        2.2,
        &["stop ", "don't", "dont ", "do not", "no more", "quit "],
        r"(^|[.;:!] |^yes,? |^no,? )(please |pls )?(stop \w+ing|don'?t \w+|do not \w+|no more|quit \w+ing)\b",
    ),
    cue(
        Kind::Feedback,
        1.2,
        &["never ", "avoid "],
        r"^(please |pls )?(never (ever )?\w+|avoid\b)",
    ),
    // The agent is spoken to.
    cue(
        Kind::Feedback,
        1.2,
        &["you"],
        r"\b(you|your|yours|yourself)\b",
    ),
    cue(
        Kind::Feedback,
        1.0,
        &[
            "when you",
            "before you",
            "after you",
            "if you",
            "whenever you",
            "you keep",
            "you kept",
            "you forg",
            "you should",
        ],
        r"^(when|before|after|if|whenever) you\b|\byou (keep|kept|forgot|forget|should have|always forget)\b",
    ),
    // Somebody corrected something.
    cue(
        Kind::Feedback,
        2.0,
        &[
            "correct",
            "told",
            "pointed out",
            "review",
            "asked",
            "mistake",
            "lesson",
            "wrong",
            "acceptable",
            "complain",
            "reject",
            "feedback",
        ],
        r"\b(user|reviewer|maintainer)s? (corrected|complained|rejected)\b|^(was )?corrected\b|^(a )?correction\b|\btold (off|you)\b|\bwas told\b|\bpointed out\b|\basked (me |us )?not to\b|\b(mistakes?|lessons?)\b.{0,20}:|^(no, |that was |that is |that's )?wrong\b|\b(isn't|is not|not) acceptable\b|\b(review )?feedback\b.{0,12}:|\breview:|\breviewers? (rejects?|wants?|asks?|insists?|called)\b|\bin (code )?review\b|\bi (reject|won't (review|merge|accept))\b",
    ),
    cue(
        Kind::Feedback,
        1.3,
        &["please", "pls", "would you", "could you", "can you"],
        r"^(please|pls|would you|could you|can you)\b",
    ),
    cue(
        Kind::Feedback,
        1.2,
        &[
            "from now on",
            "next time",
            "going forward",
            "like this",
            "that way",
            "too ",
            "!!",
        ],
        r"\b(from now on|next time|going forward|like this|way too|too (big|long|verbose|much|many))\b|\bthat way$|!!",
    ),
    cue(
        Kind::Feedback,
        0.8,
        &["yes", "no ", "no,", "nope", "exactly", "perfect"],
        r"^(yes|no|nope|exactly|perfect|good)[, ]",
    ),
    cue(
        Kind::Feedback,
        1.5,
        &["nicht ", "kein", "nie ", "bitte "],
        r"^(nicht|keine?n?|nie|bitte) ",
    ),
    cue(Kind::Reference, 2.0, &["://"], r"\bhttps?://\S"),
    // A host.
    cue(
        Kind::Reference,
        1.4,
        &["."],
        r"\b[a-z][\w-]*\.[a-z][\w-]*\.[a-z]{2,}\b|\blocalhost\b|\b[a-z][\w.-]*\.[a-z]{2,}:\d{2,5}\b",
    ),
    cue(
        Kind::Reference,
        1.6,
        &["run ", "command", " with ", " via "],
        r"\brun [`/.]|\brun [a-z_]+=\S|\brun \S+/|\bcommand is\b|\b(run|build|install|started|built|tested|rebuilt|invoked) (the tests |alone |it )?(with|via) [`/.a-z]|\bto \w+ .{0,40}\brun\b|^run (make|npm|pnpm|yarn|cargo|just|docker|pytest)\b",
    ),
    // A command, by the name of its program.
    cue(
        Kind::Reference,
        1.8,
        &[
            "npm",
            "npx",
            "yarn",
            "bun ",
            "cargo",
            "make ",
            "docker",
            "kubectl",
            "pytest",
            "bazel",
            "just ",
            "pip ",
            "uv ",
            "poetry",
            "go ",
            "gradle",
            "mvn",
            "terraform",
            "dbt ",
            "flutter",
            "dart ",
            "swift ",
            "dotnet",
            "xcodebuild",
            "helm ",
            "adb ",
            "conda ",
            "nix ",
            "brew ",
            "python",
            "node ",
            "cmake",
            "ninja",
            "git ",
            "aws ",
            "gcloud",
            "psql",
            "rake",
            "bundle ",
            "mix ",
            "tox ",
            "nox ",
            "snakemake",
            "nextflow",
            "candump",
        ],
        r"(^|`|\b(with|via|use|using|run) |: |= )(p?npm|npx|yarn|bun|cargo|docker( compose)?|docker-compose|kubectl|bazel|just|pip3?|uv|poetry|go|(\./)?gradlew?|mvn|terraform|dbt|flutter|dart|swift|dotnet|xcodebuild|helm|adb|conda|nix|brew|python3?|node|cmake|ninja|aws|gcloud|psql|rake|bundle|mix|tox|nox|snakemake|nextflow|candump|git|make) (-\S+ )*(run|test|install|build|up|exec|nextest|check|logs|apply|start|add|sync|compose|xtask|dev|deploy|flash|lint|dist|docs|fmt|clean|watch|seed|generate|migrate|pull|push|workspaces|--?\w|-c |-m |\w+[:=./_-]\w)",
    ),
    // A command in backticks.
    cue(
        Kind::Reference,
        1.4,
        &["`"],
        r"`[a-z][\w.-]*( [\w./:@=*,-]+)* --?[a-z0-9][^`]*`|`\./[^`]+`",
    ),
    cue(
        Kind::Reference,
        1.0,
        &[" -"],
        r"\s--?[a-z][\w-]+(\s|$|=|,|`)",
    ),
    // A variable that is set.
    cue(
        Kind::Reference,
        1.3,
        &["="],
        r"(^|[\s`])[a-z][a-z0-9]*(_[a-z0-9]+)*=[^=\s>]",
    ),
    cue(
        Kind::Reference,
        1.3,
        &["set ", "export ", "unset "],
        r"\b(set|export|unset|exporting|setting) \$?[a-z]+_[a-z_]+\b",
    ),
    // A version that is needed.
    cue(
        Kind::Reference,
        1.5,
        &[
            "python", "node", "ruby", "java", "jdk", "ndk", "rust", "php", "xcode", "gcc", "clang",
            "cuda", "postgres", "redis", "mysql", "ubuntu", "debian", "macos", "unity", "unreal",
            "kotlin", "bazel", "django", "rails", "numpy", "torch", "safari", "chrome", "firefox",
            "julia", "sdk",
        ],
        r"\b(python|node|ruby|java|jdk|ndk|rust|php|xcode|gcc|clang|cuda|postgres(ql)?|redis|mysql|ubuntu|debian|macos|unity|unreal|kotlin|bazel(isk)?|django|rails|numpy|(py)?torch|safari|chrome|firefox|julia|sdk)[ -](v|version )?[<>=~^]*\d",
    ),
    cue(
        Kind::Reference,
        1.5,
        &[
            "listen", "port", "lives", "hosted", "served", " at ", " on ",
        ],
        r"\b(is|are|lives?|listens?|runs?|hosted|served|reachable|exposed) (at|on|under) (port )?\S*\d{2,5}\b|\bport \d{2,5}\b",
    ),
    // Where something is found.
    cue(
        Kind::Reference,
        1.2,
        &[
            "runbook",
            "wiki",
            "confluence",
            "jira",
            "linear",
            "dashboard",
            "grafana",
            "rota",
            "console",
            "registry",
            "image",
            "dev box",
            "sentry",
            "datadog",
            "vpn",
            "slack",
        ],
        r"\b(runbooks?|wiki|confluence|jira|linear|dashboards?|grafana|rota|(serial|debug) console|(docker|container|package) registry|ci image|dev box|sentry|datadog|vpn|slack channel)\b",
    ),
    cue(
        Kind::Reference,
        1.3,
        &[
            "build", "test", "lint", "seed", "deploy", "format", "setup", "install", "rebuild",
            "vars",
        ],
        r"^(clean |full |unit |integration )?(build|tests?|lint|seed data|deploy|format|setup|install|rebuild|env vars)( command| of [\w ]+)?( is|:| =) ",
    ),
    cue(
        Kind::Reference,
        0.8,
        &["takes "],
        r"\btakes? (about |up to |around )?\d+ ?(min|minutes?|s|sec|seconds?|hours?|h)\b",
    ),
    cue(
        Kind::Reference,
        1.3,
        &["build", "test", "suite"],
        r"\b(build(ing|s)?|tests?|suite|binary|app|client)\b.{0,30} (requires?|needs?) [\w.-]+ ?v?\d",
    ),
    cue(
        Kind::Reference,
        0.8,
        &["→", "->"],
        r"(\xe2\x86\x92|->|=>) ?[\w./-]+/[\w.-]+",
    ),
    cue(Kind::Project, 0.5, &["we ", "our ", "we'"], r"\b(we|our)\b"),
    cue(
        Kind::Project,
        0.6,
        &[
            "because",
            "since",
            "so that",
            "purpose",
            "design",
            "decided",
            "decision",
            "convention",
            "invariant",
            "architecture",
        ],
        r"\b(because|so that|on purpose|by design|decided|decision|convention|invariant|architecture)\b|, since\b",
    ),
    cue(
        Kind::Project,
        0.3,
        &["must", "never", "always", "every", "cannot"],
        r"\b(must|never|always|every|cannot)\b",
    ),
];
