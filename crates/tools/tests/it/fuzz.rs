//! Calls that nobody would make on purpose: every tool of every set, and whatever an agent may send it. Nothing panics,
//! what is malformed changes nothing, and every answer is bounded.

use apostille_api::{CallFault, Caller};
use apostille_core::{
    format::MemoryRecord,
    store::{EventLog as _, MemoryFilter},
};
use apostille_tools::{Profile, Tool, ToolAnswer};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::world::{World, cited, preference, repo, user};

/// Far more than any answer to a small store needs.
const MAX_ANSWER: usize = 200_000;

/// Any JSON, not too deep, with words in it that mean something here.
fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "\\PC{0,40}",
        "(m|u)-[0-9]{1,22}",
        "[a-z./]{1,20}:[0-9]{1,12}(-[0-9]{1,12})?",
        "/memories(/[a-z.%\\\\]{0,8}){0,8}",
        Just("\0".to_owned()),
        Just("x".repeat(70_000)),
        Just("acme/app".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let object = prop::collection::vec(
            ("(path|line_start|line_end|text|[a-z_]{1,8})", inner.clone()),
            0..5,
        );
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            object.prop_map(|it| Value::Object(it.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A tool of some set.
fn any_tool() -> impl Strategy<Value = (Profile, &'static Tool)> {
    let all: Vec<_> = Profile::ALL
        .iter()
        .copied()
        .flat_map(|set| set.tools().iter().map(move |it| (set, it)))
        .collect();
    prop::sample::select(all)
}

/// The tool's own example with a few of its fields put wrong, or taken out.
fn spoilt(tool: &Tool, spoils: Vec<(prop::sample::Index, Option<Value>)>) -> Value {
    let mut arguments = tool.input["examples"][0].clone();
    let names: Vec<String> = tool.input["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .chain(["tainted".to_owned()])
        .collect();
    for (at, value) in spoils {
        let name = &names[at.index(names.len())];
        match value {
            Some(value) => arguments[name] = value,
            None => drop(arguments.as_object_mut().unwrap().remove(name)),
        }
    }
    arguments
}

fn stocked() -> World {
    let world = World::verified();
    world.kept(cited("API_VERSION is v3", &["src/api.rs:3"]));
    world.kept(preference("prefers tabs over spaces"));
    world
}

/// Everything that is kept, to compare.
fn kept(world: &World) -> Vec<String> {
    let memories = world
        .store
        .list_memories(&MemoryFilter {
            limit: usize::MAX,
            ..MemoryFilter::default()
        })
        .unwrap();
    memories
        .iter()
        .map(|it| serde_json::to_string(&MemoryRecord::from(it)).unwrap())
        .collect()
}

/// Calls, and holds the answer to what every answer must be.
fn checked(world: &World, set: Profile, tool: &str, arguments: Value) -> Result<(), TestCaseError> {
    let (before, logged) = (kept(world), world.log().len());
    let (repo, user) = (repo(), user());
    let caller = Caller {
        user: Some(&user),
        session: Some("s-1"),
        ..Caller::in_repo(&repo)
    };
    match world.with(|cx| set.call_tool(cx, &caller, tool, arguments.clone())) {
        Ok(ToolAnswer {
            text,
            is_json,
            note,
            ..
        }) => {
            prop_assert!(
                text.len() + note.map_or(0, |it| it.len()) <= MAX_ANSWER,
                "{} bytes",
                text.len()
            );
            prop_assert!(
                !is_json || serde_json::from_str::<Value>(&text).is_ok(),
                "{}",
                text
            );
        }
        Err(CallFault::Broken(error)) => prop_assert!(false, "broken by {arguments}: {error}"),
        Err(fault) => {
            prop_assert!(fault.to_string().len() <= MAX_ANSWER);
            prop_assert_eq!(
                (kept(world), world.log().len()),
                (before, logged),
                "{}",
                fault
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_json_is_answered((set, tool) in any_tool(), arguments in any_json()) {
        checked(&stocked(), set, tool.name, arguments)?;
    }

    #[test]
    fn spoilt_calls_are_answered(
        (set, tool) in any_tool(),
        spoils in prop::collection::vec((any::<prop::sample::Index>(), prop::option::weighted(0.8, any_json())), 1..4),
    ) {
        checked(&stocked(), set, tool.name, spoilt(tool, spoils))?;
    }

    #[test]
    fn any_name_of_a_tool_is_answered(name in "\\PC{0,80}", set in prop::sample::select(Profile::ALL.to_vec())) {
        checked(&stocked(), set, &name, json!({}))?;
    }

    #[test]
    fn files_take_any_commands(
        calls in prop::collection::vec(
            (
                prop::sample::select(vec!["view", "create", "str_replace", "insert", "delete", "rename", "nonsense"]),
                prop::sample::select(vec!["/memories", "/memories/a.md", "/memories/repo/a.md", "/memories/session/b.md",
                    "/memories/tasks/a-task/c.md", "/memories/../etc/passwd", "/memories/%2e%2e/x", "/etc/passwd", ""]),
                "\\PC{0,30}|(../){1,4}[a-z]{1,5}",
                -3_i64..9,
            ),
            1..8,
        ),
    ) {
        let world = stocked();
        for (command, path, text, line) in calls {
            let arguments = json!({
                "command": command, "path": path, "file_text": text, "old_str": text, "new_str": path,
                "insert_line": line, "insert_text": text, "old_path": path, "new_path": format!("/memories/{text}"),
                "view_range": [line, -1],
            });
            checked(&world, Profile::Files, "memory", arguments)?;
        }
        let (repo, user) = (repo(), user());
        let caller = Caller { user: Some(&user), session: Some("s-1"), ..Caller::in_repo(&repo) };
        let view = world.with(|cx| Profile::Files.call_tool(cx, &caller, "memory", json!({"command": "view", "path": "/memories"})));
        let listed = view.unwrap().text;
        prop_assert!(listed.lines().skip(1).all(|it| it.contains("\t/memories") && !it.contains("/..")), "{listed}");
    }
}
