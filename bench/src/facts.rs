//! The memories and questions of the benchmark: the same text for the same index, on every machine.
//!
//! Each space has words of its own (identifiers made of its trade) beside those that all developers use, and both are
//! drawn with Zipf's law: a few words stand in every tenth memory, most in one or two.

/// What a memory of the benchmark says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The topic.
    pub(crate) subject: String,
    /// The text, 100 to 260 characters.
    pub(crate) text: String,
    /// Two or three words.
    pub(crate) tags: Vec<String>,
    /// Which place of the checkout proves it; to be taken modulo the number of places.
    pub(crate) place: usize,
}

/// The shortest and the longest text, in characters.
pub(crate) const LENGTHS: std::ops::RangeInclusive<usize> = 100..=260;

/// How many identifiers a space has of its own.
const OWN: usize = 600;

const NOUNS: &[&str] = &[
    "request",
    "cache",
    "config",
    "schema",
    "migration",
    "handler",
    "worker",
    "queue",
    "session",
    "client",
    "server",
    "parser",
    "index",
    "build",
    "release",
    "pipeline",
    "endpoint",
    "payload",
    "timeout",
    "retry",
    "transaction",
    "snapshot",
    "fixture",
    "lockfile",
    "workspace",
    "module",
    "adapter",
    "registry",
    "scheduler",
    "batch",
    "cursor",
    "stream",
    "buffer",
    "record",
    "ledger",
    "template",
    "locale",
    "middleware",
    "router",
    "validator",
    "serializer",
    "webhook",
    "manifest",
    "replica",
    "shard",
    "partition",
    "lease",
    "heartbeat",
    "backoff",
    "quota",
    "throttle",
    "tenant",
    "invoice",
    "receipt",
    "basket",
    "catalogue",
    "thumbnail",
    "asset",
    "bundle",
    "polyfill",
    "proxy",
    "gateway",
    "resolver",
    "fragment",
    "mutation",
    "reducer",
    "selector",
    "observer",
    "channel",
    "mailbox",
    "actor",
    "supervisor",
    "monitor",
    "probe",
    "metric",
    "histogram",
    "exporter",
    "collector",
    "sampler",
    "trace",
    "span",
    "annotation",
    "decorator",
    "factory",
    "builder",
    "visitor",
    "lexer",
    "grammar",
    "dialect",
    "planner",
    "optimiser",
    "compiler",
    "linker",
    "toolchain",
    "sandbox",
    "container",
    "volume",
    "mount",
    "checksum",
    "digest",
    "envelope",
    "certificate",
    "listener",
    "socket",
    "handshake",
    "codec",
    "frame",
    "packet",
    "checkpoint",
    "journal",
    "tombstone",
    "compaction",
    "segment",
    "bitmap",
    "bloom",
    "sketch",
    "estimate",
    "rollup",
    "window",
    "watermark",
    "offset",
];

const VERBS: &[&str] = &[
    "validated",
    "flushed",
    "rebuilt",
    "loaded",
    "merged",
    "encoded",
    "signed",
    "rotated",
    "mirrored",
    "replayed",
    "sorted",
    "compacted",
    "sampled",
    "published",
    "drained",
    "normalised",
    "pinned",
    "vendored",
    "truncated",
    "resolved",
    "hydrated",
    "rendered",
    "dispatched",
    "acknowledged",
    "escaped",
    "batched",
    "throttled",
    "traced",
    "migrated",
    "archived",
    "restored",
    "evicted",
    "prefetched",
    "deduplicated",
    "sealed",
    "mounted",
    "probed",
];

const TRADES: &[&str] = &[
    "cart", "tariff", "voyage", "clinic", "ticket", "payroll", "parcel", "meter", "sensor",
    "lesson", "recipe", "booking", "garage", "forest", "mosaic", "harbour", "studio", "ballot",
    "museum", "orchard", "turbine", "glacier", "violin", "pixel", "vector", "tensor", "kernel",
    "quorum", "beacon", "anchor", "canvas", "cobalt", "ember", "falcon", "garnet", "hazel",
    "indigo", "jasper", "karst", "lumen", "maple", "nectar", "onyx", "plume", "quartz", "raven",
    "saffron", "topaz", "umber", "velvet", "willow", "xenon", "yarrow", "zephyr", "basalt",
    "cedar", "delta", "elm",
];

const ROLES: &[&str] = &[
    "Totals", "Reader", "Writer", "Store", "Gate", "Planner", "Codec", "Router", "Guard", "Loader",
    "Mapper", "Policy", "Budget", "Ledger", "Probe", "Runner", "Bridge", "Cache", "Digest",
    "Engine", "Factory", "Hook", "Index", "Journal", "Limits", "Matcher", "Notifier", "Options",
    "Parser", "Queue", "Registry", "Sink", "Table", "Upload", "View", "Watch",
];

const OPENINGS: &[&str] = &[
    "`{A}` must be {v} before `{B}` touches the {n}",
    "Every {n} that reaches `{A}` has to be {v} against the {m}",
    "The {n} behind {A} keeps at most {N} entries per {m}",
    "Integration tests for the {n} need `{A}` and a {v} {m}",
    "{A} retries a {n} {N} times and then parks it in the {m}",
    "Changes to the {n} of {A} must go together with {P}",
    "The {m} command has to run after {A}, never beside the {n}",
    "Never call {A} from a {n}: the {m} of {B} deadlocks",
    "{A} reads its {n} from {P}, not from the {m}",
    "Errors of {A} are returned as values; only the {n} may turn them into a {m}",
];

const REASONS: &[&str] = &[
    "because the {x} is {w} lazily and a stale {y} would win",
    "since {C} assumes that each {x} is {w} exactly once",
    "otherwise the {x} on staging answers with an empty {y}",
    "as the {y} limit of {N} would be hit while a {x} is {w}",
    "or the nightly {x} fails when {C} is {w} twice",
    "which keeps {P} in step with the {x} and its {y}",
    "so that a {x} can be {w} without taking the {y} down",
];

const TAILS: &[&str] = &[
    "Review asks for a note in {P}.",
    "The {z} team owns this.",
    "Windows needs a longer {z} here.",
    "See {D} for the {z} that depends on it.",
    "Raising it to {N} broke the {z} once.",
];

const QUESTIONS: &[&str] = &[
    "How is the {0} of {1} {2}?",
    "Why does {1} fail when the {0} is {2}?",
    "What must happen before {1} touches the {0} and the {3}?",
    "Where does {1} get its {0} from, and who owns the {3}?",
    "Add a {0} to {1} and keep the {3} {2}",
    "tests for {1} need which {0}?",
    "fix the {3} deadlock between {1} and the {0}",
];

/// A small generator of numbers, the same everywhere (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice for one thing of one space.
    pub(crate) fn new(space: usize, index: usize, what: u64) -> Self {
        let seed = (space as u64) << 32 ^ index as u64 ^ what << 56;
        // Mixed, because the dice of neighbours would else roll the same numbers, one roll later.
        Self(mixed(seed.wrapping_mul(0xd6e8_feb8_6659_fd93)))
    }

    /// The next number.
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number below `n`, all alike.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.roll() % n.max(1) as u64).unwrap_or(0)
    }

    /// A rank below `n`, the first ones far more often than the last: Zipf's law with exponent 1.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small"
    )]
    pub(crate) fn zipf(&mut self, n: usize) -> usize {
        let even = (self.roll() >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = ((n as f64 + 1.0).ln() * even).exp() - 1.0;
        (rank as usize).min(n - 1)
    }
}

fn mixed(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The fact with this index in this space.
pub(crate) fn fact(space: usize, index: usize) -> Fact {
    let mut dice = Dice::new(space, index, 1);
    let mut text = filled(pick(OPENINGS, &mut dice), space, &mut dice);
    text.push_str(", ");
    text.push_str(&filled(pick(REASONS, &mut dice), space, &mut dice));
    text.push('.');
    while text.chars().count() < *LENGTHS.start() || dice.below(3) == 0 {
        let tail = filled(pick(TAILS, &mut dice), space, &mut dice);
        if text.len() + tail.len() + 1 > *LENGTHS.end() {
            break;
        }
        // One memory is one or two sentences.
        text = format!("{}; {tail}", text.trim_end_matches('.'));
    }
    let [first, second] = [(); 2].map(|()| pick(NOUNS, &mut dice));
    let subject = format!("{} {first} {second}", identifier(space, dice.below(OWN)));
    let tags = (0..2 + dice.below(2))
        .map(|_| noun(space, &mut dice).to_owned())
        .collect();
    Fact {
        subject,
        text,
        tags,
        place: dice.below(usize::MAX),
    }
}

/// A question that somebody working in this space may ask.
pub(crate) fn question(space: usize, index: usize) -> String {
    let mut dice = Dice::new(space, index, 2);
    let mut text = pick(QUESTIONS, &mut dice).to_owned();
    let own = identifier(space, dice.zipf(OWN));
    let words = [
        noun(space, &mut dice),
        &own,
        pick(VERBS, &mut dice),
        noun(space, &mut dice),
    ];
    for (slot, word) in words.iter().enumerate() {
        text = text.replace(&format!("{{{slot}}}"), word);
    }
    text
}

/// The same without a letter in the middle of its longest plain word.
pub(crate) fn misspelt(question: &str) -> String {
    let is_plain = |it: &&str| it.len() > 4 && it.bytes().all(|byte| byte.is_ascii_lowercase());
    let Some(word) = question
        .split(' ')
        .filter(is_plain)
        .max_by_key(|it| it.len())
    else {
        return format!("{question} migraton");
    };
    let middle = word.len() / 2;
    question.replacen(
        word,
        &format!("{}{}", &word[..middle], &word[middle + 1..]),
        1,
    )
}

fn filled(pattern: &str, space: usize, dice: &mut Dice) -> String {
    let mut out = String::with_capacity(160);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let (slot, after) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(&slot_word(slot, space, dice));
        rest = after;
    }
    out.push_str(rest);
    out
}

fn slot_word(slot: &str, space: usize, dice: &mut Dice) -> String {
    match slot {
        "A" | "B" | "C" => identifier(space, dice.zipf(OWN)),
        "P" => path(dice.below(crate::checkout::FILES)),
        "D" => format!("docs/{}-{}.md", noun(space, dice), noun(space, dice)),
        "N" => (2 + dice.zipf(5_000)).to_string(),
        "v" | "w" => pick(VERBS, dice).to_owned(),
        _ => noun(space, dice).to_owned(),
    }
}

fn pick(list: &'static [&'static str], dice: &mut Dice) -> &'static str {
    list[dice.below(list.len())]
}

/// A word that all developers use; which ones are frequent differs between spaces.
fn noun(space: usize, dice: &mut Dice) -> &'static str {
    let rank = dice.zipf(NOUNS.len());
    NOUNS[(rank * 7 + space * 31) % NOUNS.len()]
}

/// An identifier of the space, by its rank.
fn identifier(space: usize, rank: usize) -> String {
    let mut dice = Dice::new(space, rank, 3);
    let trade = TRADES[(space * 5 + dice.below(24)) % TRADES.len()];
    let (other, role) = (pick(TRADES, &mut dice), pick(ROLES, &mut dice));
    match dice.below(4) {
        0 => format!("{trade}_{other}_{}", role.to_lowercase()),
        1 => format!("{trade}_{}", role.to_lowercase()),
        2 => format!("{trade}{role}"),
        _ => format!("{trade}{}{}{role}", other[..1].to_uppercase(), &other[1..]),
    }
}

/// The path of a file of the checkout.
pub(crate) fn path(file: usize) -> String {
    let mut dice = Dice::new(0, file, 4);
    let (folder, name) = (TRADES[file % 12], NOUNS[(file * 13) % NOUNS.len()]);
    let inner = if dice.below(2) == 0 {
        String::new()
    } else {
        format!("{}/", pick(NOUNS, &mut dice))
    };
    format!("src/{folder}/{inner}{name}_{file}.rs")
}

/// One line of a file of the checkout.
pub(crate) fn code(file: usize, line: usize) -> String {
    let mut dice = Dice::new(file, line, 5);
    let (a, b) = (identifier(0, dice.zipf(OWN)), identifier(0, dice.zipf(OWN)));
    match dice.below(6) {
        0 => format!("    let {} = {a}({b});", noun(0, &mut dice)),
        1 => format!(
            "    // The {} is {} here.",
            noun(0, &mut dice),
            pick(VERBS, &mut dice)
        ),
        2 => format!("    if {a}.len() > {} {{ return {b}; }}", dice.below(500)),
        3 => format!(
            "pub fn {}_{line}({}: u32) -> u32 {{",
            noun(0, &mut dice),
            noun(0, &mut dice)
        ),
        4 => format!("    {a}.{}({b}, {});", noun(0, &mut dice), dice.below(90)),
        _ => "}".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apostille_core::remember::classify;
    use apostille_text::secrets;

    #[test]
    fn facts_are_the_same_each_time_and_differ_from_each_other() {
        assert_eq!(fact(3, 7), fact(3, 7));
        assert_eq!(question(3, 7), question(3, 7));
        let texts: std::collections::BTreeSet<String> =
            (0..2_000).map(|it| fact(1, it).text).collect();
        assert_eq!(texts.len(), 2_000);
    }

    #[test]
    fn facts_have_the_promised_length_and_pass_the_checks() {
        for (space, index) in (0..20).flat_map(|space| (0..200).map(move |index| (space, index))) {
            let Fact {
                subject,
                text,
                tags,
                ..
            } = fact(space, index);
            assert!(LENGTHS.contains(&text.chars().count()), "{text}");
            assert!((2..=3).contains(&tags.len()));
            assert_eq!(classify::find_exclusion(&text), None, "{text}");
            for it in [&subject, &text].into_iter().chain(&tags) {
                assert_eq!(secrets::find_secret(it), None, "{it}");
                assert!(!it.contains(['{', '}']), "{it}");
            }
        }
    }

    #[test]
    fn words_follow_zipf() {
        let mut dice = Dice::new(0, 0, 9);
        let ranks: Vec<usize> = (0..10_000).map(|_| dice.zipf(OWN)).collect();
        let share = |below: usize| ranks.iter().filter(|it| **it < below).count();
        assert!((800..1_500).contains(&share(1)), "{}", share(1));
        assert!(share(10) > 3_000 && share(OWN) == 10_000);
    }

    #[test]
    fn a_misspelt_question_differs() {
        for index in 0..100 {
            let question = question(0, index);
            assert_ne!(misspelt(&question), question);
        }
    }
}
