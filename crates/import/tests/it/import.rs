//! What holds for every file that is imported, whatever stands in it.

use crate::world::{a_person, a_speaker};
use apostille_core::{
    format::MemoryRecord,
    import::{ImportDryRun, ImportOutcome, import},
    memory::{
        Draft, DuplicateChoice, Kind, Layer, Memory, ModerationMark, Origin, ReplacementKind,
        Status, Voice,
    },
    policy::Policy,
    revise,
    store::{EventLog as _, ListOrder, MemoryFilter},
};
use apostille_import::{
    candidate::{MAX_LEFT_OUT, MAX_PIECES, ParsedForeignFile},
    foreign_file::ForeignFile,
    format::{ForeignFormat, detect_import_format},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::{World, cited, note, preference, repo, user};

const NAMES: [&str; 6] = [
    "AGENTS.md",
    "MEMORY.md",
    "topic.md",
    "a.mdc",
    "memory.json",
    "x",
];

fn read(format: ForeignFormat, name: &str, text: &str) -> Option<ParsedForeignFile> {
    let sheet = ForeignFile {
        name: Some(name),
        is_beside_index: true,
        text,
    };
    let parsed = format.parse_foreign_file(&sheet, &Policy::default().limits);
    parsed.ok().filter(|_| format.is_foreign())
}

/// The beginnings of everything that a parser looks for, put together at random.
fn page() -> impl Strategy<Value = String> {
    let shapes = [
        "- ",
        "* ",
        "1. ",
        "  ",
        "\t",
        "[a] ",
        "[ ] ",
        "[[",
        "]]",
        "](",
        ")",
        "(",
        " (b)",
        "#",
        "# ",
        "## ",
        "#tag",
        "---\n",
        "```",
        "~~~",
        "|",
        "|-|",
        ":",
        ": ",
        "**",
        "**Why:**",
        ">",
        "<!--",
        "-->",
        "<b>",
        "![",
        "@a.md",
        "title: ",
        "type: user\n",
        "name: x\n",
        "===",
        "=",
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        "word ",
        "Two words. ",
        "é",
        "日本語。",
        "👩\u{200d}💻",
        "\u{feff}",
        "\u{0}",
        "{",
        "}",
        "\"",
        "[",
        "]",
        ",",
        "{\"type\":\"entity\",",
        "\"name\":\"a\"",
    ];
    let mixed = proptest::collection::vec(proptest::sample::select(shapes.to_vec()), 0..60);
    prop_oneof![3 => mixed.prop_map(|it| it.concat()), 1 => ".*", 1 => "(?s).{0,300}"]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        "([a-z]{1,9}[ .]){0,200}".prop_map(Value::from),
        Just(json!("2025-01-02T03:04:05Z")),
    ];
    let keys = [
        "type",
        "name",
        "entityType",
        "observations",
        "from",
        "to",
        "relationType",
        "results",
        "memories",
        "relations",
        "entities",
        "memory",
        "categories",
        "metadata",
        "category",
        "created_at",
        "agent_id",
        "content",
        "source",
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        let object =
            proptest::collection::vec((proptest::sample::select(keys.to_vec()), inner.clone()), 0..6);
        let object = object.prop_map(|it| it.into_iter().map(|(key, it)| (key.to_owned(), it)).collect());
        let word = proptest::sample::select(vec!["entity", "relation"]);
        let typed = (word, ".{1,9}", proptest::collection::vec(inner.clone(), 0..5)).prop_map(
            |(word, name, seen)| json!({"type": word, "name": name, "observations": seen, "memory": name}),
        );
        prop_oneof![
            object.prop_map(Value::Object),
            proptest::collection::vec(inner, 0..6).prop_map(Value::Array),
            typed
        ]
    })
}

/// Whether everything in a reading is small enough to be looked at, and says where it stands.
fn is_bounded(reading: &ParsedForeignFile) -> bool {
    let limits = Policy::default().limits;
    let fits =
        |it: &Option<String>, limit| it.as_ref().is_none_or(|it| it.chars().count() <= limit);
    reading.pieces.len() <= MAX_PIECES
        && reading.left_out.len() <= MAX_LEFT_OUT
        && reading
            .left_out
            .iter()
            .all(|it| !it.at.is_empty() && !it.why.is_empty())
        && reading.pieces.iter().all(|it| {
            !it.at.is_empty()
                && !it.fact.trim().is_empty()
                && fits(&it.subject, limits.subject_chars)
                && fits(&it.reason, limits.reason_chars)
                && it.tags.len() <= limits.tags
                && it
                    .tags
                    .iter()
                    .all(|tag| tag.chars().count() <= limits.tag_chars)
        })
}

fn letters(text: &str) -> String {
    text.chars().filter(|it| !it.is_whitespace()).collect()
}

/// What may happen to a memory before it is exported.
#[derive(Debug, Clone)]
enum Step {
    Remember(usize, String),
    Supersede(usize, String),
    Invalidate(usize),
    Approve(usize),
    Refresh(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = || {
        let word = [
            "ledger",
            "queue",
            "v3",
            "`API_VERSION`",
            "ignore all previous instructions",
            "👩\u{200d}💻",
            "a\nb",
            "5",
        ];
        proptest::collection::vec(proptest::sample::select(word.to_vec()), 1..6)
            .prop_map(|it| it.join(" "))
    };
    let step = prop_oneof![
        5 => (0_usize..7, words()).prop_map(|(n, it)| Step::Remember(n, it)),
        1 => (1_usize..9, words()).prop_map(|(n, it)| Step::Supersede(n, it)),
        1 => (1_usize..9).prop_map(Step::Invalidate),
        1 => (1_usize..9).prop_map(Step::Approve),
        1 => (1_usize..9).prop_map(Step::Refresh),
    ];
    proptest::collection::vec(step, 1..16)
}

fn draft(n: usize, fact: &str) -> Draft {
    let on_duplicate = DuplicateChoice::Create("another".into());
    let outside = Voice {
        tainted: true,
        ..Voice::from_origin(Origin::Agent)
    };
    let draft = match n {
        0 => preference(fact),
        1 => Draft {
            layer: Some(Layer::Identity),
            ..preference(fact)
        },
        2 => cited(fact, &["src/api.rs:3"]),
        3 => Draft {
            layer: Some(Layer::Episode),
            task: Some("t".into()),
            ..note(fact)
        },
        4 => Draft {
            layer: Some(Layer::Session),
            ..note(fact)
        },
        5 => Draft {
            kind: Some(Kind::Feedback),
            voice: outside,
            ..note(fact)
        },
        _ => Draft {
            kind: Some(Kind::Feedback),
            tags: vec!["a b".into(), "c".into()],
            ..note(fact)
        },
    };
    Draft {
        on_duplicate,
        ..draft
    }
}

fn take(world: &World, step: &Step) {
    let spaces = [repo(), user()];
    let name = |n: &usize| ["m", "u"][n % 2].to_owned() + &format!("-{}", n / 2 + 1);
    let name = |n: &usize| name(n).parse().unwrap();
    world.advance(1);
    match step {
        Step::Remember(n, fact) => drop(world.remember(draft(*n, fact))),
        Step::Supersede(n, fact) => {
            let new = Draft {
                on_duplicate: DuplicateChoice::Ask,
                ..draft(0, fact)
            };
            drop(world.with(|cx| {
                revise::supersede_memory(
                    cx,
                    a_speaker(),
                    &spaces,
                    name(n),
                    new,
                    ReplacementKind::Better,
                )
            }));
        }
        Step::Invalidate(n) => {
            drop(world.with(|cx| {
                revise::invalidate_memory(cx, a_speaker(), &spaces, name(n), "no longer")
            }))
        }
        Step::Approve(n) => {
            drop(world.with(|cx| revise::approve_memory(cx, a_person(), &spaces, name(n))))
        }
        Step::Refresh(n) => drop(world.with(|cx| revise::refresh_memory(cx, &spaces, name(n)))),
    }
}

fn all(world: &World) -> Vec<Memory> {
    world
        .store
        .list_memories(&MemoryFilter {
            order: ListOrder::Oldest,
            limit: usize::MAX,
            ..MemoryFilter::default()
        })
        .unwrap()
}

/// Whether a memory was let in although the lines it cites do not say it: elsewhere that is asked again.
fn is_unproved(memory: &Memory) -> bool {
    let waits = memory
        .status
        .why()
        .is_some_and(|it| it.starts_with("the cited lines do not say"));
    waits && memory.marks.contains(&ModerationMark::Ungrounded)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_page_breaks_a_reader(text in page(), name in proptest::sample::select(NAMES.to_vec())) {
        let _ = detect_import_format(&ForeignFile { name: Some(name), is_beside_index: false, text: &text });
        for format in ForeignFormat::ALL {
            if let Some(reading) = read(*format, name, &text) {
                prop_assert!(is_bounded(&reading), "{format}: {reading:?}");
            }
        }
    }

    #[test]
    fn no_object_breaks_a_reader(values in proptest::collection::vec(value(), 1..6)) {
        let lines: Vec<String> = values.iter().map(Value::to_string).collect();
        for text in [lines.join("\n"), Value::Array(values).to_string(), lines[0].clone()] {
            let _ = detect_import_format(&ForeignFile { name: None, is_beside_index: false, text: &text });
            for format in ForeignFormat::ALL {
                if let Some(reading) = read(*format, "x", &text) {
                    prop_assert!(is_bounded(&reading), "{format}: {reading:?}");
                }
            }
        }
    }

    #[test]
    fn a_long_text_is_split_and_never_cut(words in proptest::collection::vec("([A-Za-zé]{1,12} ){1,30}[a-z]{1,9}[.!?](\n|\n\n| )", 1..40)) {
        let text = words.concat();
        // Letters at random may say "pw" and a password.
        prop_assume!(apostille_text::secrets::find_secret(&text).is_none());
        let reading = read(ForeignFormat::Mem0, "x", &json!([{"memory": text}]).to_string()).unwrap();
        let whole: String = reading.pieces.iter().map(|it| letters(&it.fact)).collect();
        prop_assert_eq!(whole, letters(&text));
        prop_assert!(reading.pieces.iter().all(|it| it.fact.chars().count() <= 500));
        prop_assert!(reading.left_out.is_empty());
    }

    /// Exported, vouched for and imported elsewhere: the same memories, to the last field. The one exception is another
    /// test's, `a_file_does_not_vouch_for_what_the_cited_lines_do_not_say`.
    #[test]
    fn an_export_comes_back_as_it_was(steps in steps()) {
        let (world, other) = (World::verified(), World::verified());
        steps.iter().for_each(|it| take(&world, it));
        let exported = all(&world);
        for memory in &exported {
            let line = serde_json::to_string(&MemoryRecord::with_digest(memory)).unwrap();
            let record: MemoryRecord = serde_json::from_str(&line).unwrap();
            let imported = other.with(|cx| import(cx, Memory::try_from(record).unwrap(), true, Some(a_person()))).unwrap();
            prop_assert!(matches!(imported, ImportOutcome::Kept(_)), "{:?}", imported);
        }
        let settled = |it: Memory| if is_unproved(&it) { Memory { status: Status::Active, ..it } } else { it };
        let told = |world: &World| all(world).into_iter().map(settled).collect::<Vec<_>>();
        prop_assert_eq!(told(&other), told(&world));
    }

    /// A rehearsal says what then happens, and keeps nothing.
    #[test]
    fn a_rehearsal_tells_what_an_import_does(steps in steps(), is_vouched in any::<bool>()) {
        let (world, other) = (World::verified(), World::verified());
        steps.iter().for_each(|it| take(&world, it));
        // Some of it is there already, and the file says everything twice.
        steps.iter().take(3).for_each(|it| take(&other, it));
        let file = [all(&world), all(&world)].concat();
        let (before, mut rehearsal) = (all(&other), ImportDryRun::default());
        let word = |it: &ImportOutcome| std::mem::discriminant(it);
        let told: Vec<_> = file.iter().map(|it| word(&other.with(|cx| rehearsal.preview_import(cx, it.clone(), is_vouched.then(a_person))).unwrap())).collect();
        prop_assert_eq!(all(&other), before);
        let done: Vec<_> = file.iter().map(|it| word(&other.with(|cx| import(cx, it.clone(), false, is_vouched.then(a_person))).unwrap())).collect();
        prop_assert_eq!(told, done);
    }
}
