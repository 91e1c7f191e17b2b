//! Which memory is seen under which path.

use apostille_api::Caller;
use apostille_core::memory::{Draft, Layer};
use apostille_tools::Profile;
use serde_json::{Value, json};

use super::{content, create, rename, replace, run_file_command, view};
use crate::world::{World, cited, note, preference, repo, user};

#[test]
fn what_another_face_remembered_is_a_file() {
    let (world, repo, user) = (World::verified(), repo(), user());
    let caller = Caller {
        user: Some(&user),
        session: Some("s-1"),
        speaker: world.caller_speaker(),
        ..Caller::in_repo(&repo)
    };
    let store = |arguments: Value| {
        world
            .with(|cx| Profile::Simple.call_tool(cx, &caller, "memory_store", arguments.clone()))
            .unwrap()
    };
    store(json!({"text": "Prefers tea", "scope": "user", "tags": ["drink"]}));
    store(json!({"text": "On hold", "scope": "session"}));
    world.kept(Draft {
        subject: Some("API version".into()),
        ..cited("API_VERSION is v3.", &["src/api.rs:3"])
    });
    world.kept(Draft {
        layer: Some(Layer::Episode),
        ..note("A note of no task")
    });
    let listing = run_file_command(&world, view("/memories"));
    for path in [
        "/memories/u-1.md",
        "/memories/session/m-1.md",
        "/memories/repo/API version",
        "/memories/tasks/m-3.md",
    ] {
        assert!(listing.contains(&format!("\t{path}")), "{path}\n{listing}");
    }
    run_file_command(&world, replace("/memories/u-1.md", "tea", "coffee"));
    run_file_command(&world, replace("/memories/tasks/m-3.md", "no task", "none"));
    assert_eq!(
        content(&run_file_command(&world, view("/memories/u-1.md"))),
        "Prefers coffee"
    );
    assert_eq!(
        content(&run_file_command(&world, view("/memories/tasks/m-3.md"))),
        "A note of none"
    );
    let edited = world.look("u-2");
    assert_eq!(
        (edited.subject.as_deref(), edited.tags.as_slice()),
        (Some("u-1.md"), &["drink".to_owned()][..])
    );
}

#[test]
fn subjects_that_are_no_fit_names_are_seen_under_their_handles() {
    let check = |subject: &str, expected: &str| {
        let world = World::verified();
        world.kept(Draft {
            subject: Some(subject.into()),
            ..preference("likes tea")
        });
        let listing = run_file_command(&world, view("/memories"));
        assert!(
            listing.contains(&format!("\t/memories/{expected}")),
            "{subject}\n{listing}"
        );
    };
    check("tea", "tea");
    check("drinks/tea.md", "drinks/tea.md");
    check("../tea", "u-1.md");
    check("/tea", "u-1.md");
    check("tea/", "u-1.md");
    check(".tea", "u-1.md");
    check("session", "u-1.md");
    check("repo/tea.md", "u-1.md");
    check("a/b/c/d/e/f/g", "u-1.md");
    check("tea\\pot", "u-1.md");
}

#[test]
fn of_two_that_want_one_name_the_older_file_has_it_however_often_it_is_edited() {
    let world = World::verified();
    for fact in ["likes tea", "likes coffee", "likes milk"] {
        world.kept(Draft {
            subject: Some("drink".into()),
            ..preference(fact)
        });
    }
    let read = |path: &str| content(&run_file_command(&world, view(path)));
    assert_eq!(
        [read("/memories/drink"), read("/memories/u-2.md")],
        ["likes tea", "likes coffee"]
    );
    run_file_command(&world, replace("/memories/drink", "tea", "green tea"));
    run_file_command(&world, replace("/memories/drink", "green", "black"));
    assert_eq!(
        [read("/memories/drink"), read("/memories/u-2.md")],
        ["likes black tea", "likes coffee"]
    );
    run_file_command(&world, replace("/memories/u-2.md", "coffee", "cocoa"));
    assert_eq!(
        [read("/memories/u-2.md"), read("/memories/u-3.md")],
        ["likes cocoa", "likes milk"]
    );
    run_file_command(
        &world,
        create("/memories/u-9.md", "a name that looks like a handle"),
    );
    let tenth = world.kept(preference("has no name"));
    assert_eq!(tenth.handle().to_string(), "u-8");
    let ninth = world.kept(preference("has none either"));
    assert_eq!(
        (ninth.handle().to_string(), read("/memories/u-9-2.md")),
        ("u-9".into(), "has none either".into())
    );
}

#[test]
fn a_file_and_a_directory_do_not_share_a_path() {
    let world = World::verified();
    for (subject, fact) in [
        ("drinks/hot", "likes tea"),
        ("drinks", "likes milk"),
        ("drinks/hot/now", "likes soup"),
    ] {
        world.kept(Draft {
            subject: Some(subject.into()),
            ..preference(fact)
        });
    }
    let read = |path: &str| content(&run_file_command(&world, view(path)));
    assert_eq!(read("/memories/drinks/hot"), "likes tea");
    assert_eq!(
        [read("/memories/u-2.md"), read("/memories/u-3.md")],
        ["likes milk", "likes soup"]
    );
}

#[test]
fn a_rename_keeps_everything_but_the_name() {
    let world = World::verified();
    let kept = Draft {
        layer: Some(Layer::Episode),
        task: Some("fix-login".into()),
        tags: vec!["api".into()],
        reason: Some("it broke".into()),
        subject: Some("log.md".into()),
        ..cited("API_VERSION is v3.", &["src/api.rs:3"])
    };
    let old = world.kept(kept);
    run_file_command(
        &world,
        rename(
            "/memories/tasks/fix-login/log.md",
            "/memories/tasks/fix-login/notes/log.md",
        ),
    );
    let new = world.look("m-2");
    assert_eq!(new.subject.as_deref(), Some("notes/log.md"));
    assert_eq!(
        (&new.citations, &new.tags, &new.reason),
        (&old.citations, &old.tags, &old.reason)
    );
    assert_eq!(
        (new.layer, new.kind, &new.task, &new.fact),
        (old.layer, old.kind, &old.task, &old.fact)
    );
    assert_eq!(
        (world.look("m-1").status.stage().as_str(), new.supersedes),
        ("superseded", Some(old.id))
    );
}
