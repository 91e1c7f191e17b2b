//! Recall narrowed by what memories are: the filter decides what may answer, and finds it however far down it ranks.

use apostille_core::{
    address::MemoryAddress,
    memory::{Draft, DuplicateChoice, Kind, Layer, Memory, Origin, Voice},
    recall::{RecallFilter, RecallRequest, VerifiedHit},
    store::MemoryFilter,
};

use crate::world::{World, cited, note, preference, repo, user};

/// Kept although much the same is known.
fn beside(draft: Draft) -> Draft {
    Draft {
        on_duplicate: DuplicateChoice::Create("they are told apart".into()),
        ..draft
    }
}

fn tagged(draft: Draft, tags: &[&str]) -> Draft {
    Draft {
        tags: tags.iter().map(ToString::to_string).collect(),
        ..draft
    }
}

fn address(text: &str) -> Option<MemoryAddress> {
    Some(text.parse().unwrap())
}

/// The handles that answer, sorted: the order is not the matter here.
fn answers(world: &World, text: &str, filter: RecallFilter) -> String {
    let recalled = world.recall(&RecallRequest {
        text: text.into(),
        spaces: vec![repo(), user()],
        filter,
        ..RecallRequest::default()
    });
    let handle = |it: &VerifiedHit| it.hit.memory.handle().to_string();
    let mut shown: Vec<String> = recalled.shown.iter().map(handle).collect();
    shown.sort();
    shown.join(" ")
}

/// Memories of every sort about the same word.
fn mixed() -> World {
    let world = World::verified();
    let upload = |fact: &str| beside(cited(fact, &["src/api.rs:3"]));
    world.kept(tagged(
        upload("The upload version is v3."),
        &["release", "project:billing"],
    ));
    world.kept(tagged(
        Draft {
            kind: Some(Kind::Reference),
            citations: vec!["docs/api.md:3".parse().unwrap()],
            ..upload("The upload docs say that the version is v3.")
        },
        &["release"],
    ));
    world.advance(10 * 86_400);
    world.kept(beside(preference("Wants upload versions in answers.")));
    let rule = Draft::new(
        repo(),
        "An upload names its version.",
        Voice::from_origin(Origin::Review),
    );
    world.kept(beside(rule));
    for task in ["fix-upload", "other-task"] {
        world.kept(beside(Draft {
            layer: Some(Layer::Episode),
            task: Some(task.into()),
            ..note(&format!("The upload of {task} hid the version."))
        }));
    }
    world
}

#[test]
fn recall_filters_by_tag_kind_path_and_time() {
    let world = mixed();
    let check = |filter: RecallFilter, expected: &str| {
        assert_eq!(
            answers(&world, "upload version", filter.clone()),
            expected,
            "{filter:?}"
        );
    };
    let tags = |tags: &[&str]| RecallFilter {
        tags: tags.iter().map(ToString::to_string).collect(),
        ..RecallFilter::default()
    };
    check(tags(&["release"]), "m-1 m-2");
    check(tags(&["release", "project:billing"]), "m-1");
    check(tags(&["nothing"]), "");
    let kinds = vec![Kind::User, Kind::Reference];
    check(
        RecallFilter {
            kinds,
            ..RecallFilter::default()
        },
        "m-2 u-1",
    );
    check(
        RecallFilter {
            citing: Some("docs".parse().unwrap()),
            ..RecallFilter::default()
        },
        "m-2",
    );
    let a_week_ago = world.now() - jiff::SignedDuration::from_hours(7 * 24);
    check(
        RecallFilter {
            since: Some(a_week_ago),
            ..RecallFilter::default()
        },
        "m-3 u-1",
    );
    check(
        RecallFilter {
            until: Some(a_week_ago),
            ..RecallFilter::default()
        },
        "m-1 m-2",
    );
}

#[test]
fn recall_and_list_take_an_address() {
    let world = mixed();
    let check = |text: &str, recalled: &str, listed: &str| {
        let filter = RecallFilter {
            address: address(text),
            ..RecallFilter::default()
        };
        assert_eq!(
            answers(&world, "upload version", filter),
            recalled,
            "{text}"
        );
        let filter = MemoryFilter::active_in([repo(), user()], 50).at_address(address(text));
        let found = world
            .with(|cx| apostille_core::list::list_memories(cx, &filter))
            .unwrap();
        let handles: Vec<String> = found.iter().map(|it| it.handle().to_string()).collect();
        assert_eq!(handles.join(" "), listed, "{text}");
    };
    check("/myorg/myapp/knowledge/", "m-1 m-2 m-3", "m-3 m-2 m-1");
    check("/myorg/myapp/review-rules/", "m-3", "m-3");
    check("/myorg/myapp/episodes/", "m-4 m-5", "m-5 m-4");
    check("/myorg/myapp/episodes/fix-upload/", "m-4", "m-4");
    check("/myorg/myapp/episodes/unknown/", "", "");
    check("users/ana/", "u-1", "u-1");
    check("users/ana/identity/", "", "");
    check("/other/app/knowledge/", "", "");
    check("users/bob/", "", "");
}

#[test]
fn address_reaches_no_space_that_is_not_in_play() {
    let spaces = [repo(), user()];
    let narrowed = |text: &str| address(text).unwrap().narrow_spaces(&spaces);
    assert_eq!(narrowed("/myorg/myapp/"), Ok(vec![repo()]));
    assert_eq!(narrowed("users/ana/identity/"), Ok(vec![user()]));
    let told = narrowed("users/bob/").unwrap_err().to_string();
    assert_eq!(
        told,
        "users/bob/ is not in a space that is asked here (myorg/myapp, users/ana); behind the space stands one of: \
         identity, knowledge, episodes, review-rules, sessions"
    );
    assert!(narrowed("/myorg/myapp/knowlege/").is_err());
}

#[test]
fn filter_finds_what_has_a_new_file_name() {
    let world = World::verified();
    let code = "fn delay(attempt: u32) -> u32 {\n    let base = 250;\n    base * attempt\n}\n";
    world.shelf.write("src/retry.rs", code);
    world.kept(cited("delay begins with 250", &["src/retry.rs:1-4"]));
    world.shelf.rename("src/retry.rs", "lib/backoff.rs");
    let citing = |path: &str| RecallFilter {
        citing: Some(path.parse().unwrap()),
        ..RecallFilter::default()
    };
    assert_eq!(answers(&world, "delay", citing("lib/backoff.rs")), "m-1");
    assert_eq!(answers(&world, "delay", citing("docs")), "");
}

#[test]
fn narrow_filter_finds_the_one_of_many() {
    let world = World::verified();
    let mut needle: Option<Memory> = None;
    for n in 0..500 {
        let fact = match n {
            // The longest of all, so that it ranks behind the others.
            250 => format!(
                "Timeout {n} is short, {}.",
                "and that is all there is to say "
            ),
            _ => format!("Timeout {n} timeout."),
        };
        let tags: &[&str] = if n == 250 { &["needle"] } else { &["hay"] };
        let kept = world.kept(beside(tagged(preference(&fact), tags)));
        needle = needle.or((n == 250).then_some(kept));
    }
    let filter = RecallFilter {
        tags: vec!["needle".into()],
        ..RecallFilter::default()
    };
    let handle = needle.unwrap().handle().to_string();
    assert_eq!(answers(&world, "timeout", filter), handle);
}
