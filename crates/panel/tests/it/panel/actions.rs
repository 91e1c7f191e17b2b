//! What the forms of a memory's page do: done, refused, and taken back.

use apostille_core::{
    event::EventBody,
    memory::{Channel, Kind, Memory, MemoryId, Stage, Status},
    unchecked,
};

use super::*;

fn stage(world: &World, name: &str) -> Stage {
    world.look(name).status.stage()
}

/// What a form would send that was not touched, with one field typed anew.
fn edited<'a>(fields: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let usual = [
        ("subject", "API version"),
        ("reason", ""),
        ("tags", ""),
        ("citations", ""),
        ("how", ""),
    ];
    let rest = usual
        .into_iter()
        .filter(|it| fields.iter().all(|has| has.0 != it.0));
    fields.iter().copied().chain(rest).collect()
}

#[test]
fn an_edit_of_the_tags_alone_is_kept() {
    let world = full();
    let ana = Person::of(&world);
    let fact = world.look("m-1").fact;
    let tag = |name: &str, tags: &str| {
        let fields = edited(&[("fact", fact.as_str()), ("tags", tags)]);
        ana.does(&format!("/memories/{name}/edit"), &fields);
    };
    tag("m-1", "api, version");
    assert_eq!(world.look("m-6").tags, ["api", "version"]);
    tag("m-6", "");
    assert!(world.look("m-7").tags.is_empty());
}

#[test]
fn an_edit_puts_a_persons_words_in_its_place_and_can_be_taken_back() {
    let world = full();
    let ana = Person::of(&world);
    let page = ana.does(
        "/memories/m-1/edit",
        &edited(&[
            ("fact", "The API version is v3 everywhere"),
            ("tags", "api, #version"),
            ("citations", "src/api.rs:3\r\n"),
        ]),
    );
    let new = world.look("m-6");
    assert_eq!(
        (new.fact.as_str(), new.tags.join(" ")),
        ("The API version is v3 everywhere", "api version".into())
    );
    assert_eq!(
        (new.voice.origin, new.voice.channel),
        (Origin::User, Channel::Panel)
    );
    assert_eq!(stage(&world, "m-1"), Stage::Superseded);
    assert!(
        text(main(&page))
            .starts_with("m-6 API version\nKept. It takes the place of the one before"),
        "{}",
        text(main(&page))
    );
    let page = ana.undoes(&page);
    assert!(
        text(main(&page)).starts_with("m-1 API version\nTaken back: it stands as it stood before."),
        "{}",
        text(main(&page))
    );
    assert_eq!(
        (stage(&world, "m-1"), stage(&world, "m-6")),
        (Stage::Active, Stage::Retired)
    );
}

#[test]
fn a_correction_says_that_the_one_before_was_wrong() {
    let world = full();
    Person::of(&world).does(
        "/memories/m-1/edit",
        &edited(&[
            ("fact", "API_VERSION is v3"),
            ("citations", "src/api.rs:3"),
            ("how", "correction"),
        ]),
    );
    assert!(world.words().contains(&"corrected"), "{:?}", world.words());
}

/// What was typed stays in the form, and the refusal is told as it is.
#[test]
fn what_is_refused_keeps_what_was_typed() {
    let world = full();
    let check = |access: Access, verb: &str, fields: &[(&str, &str)], expected: &[&str]| {
        let before = world.words().iter().filter(|it| **it != "refused").count();
        let reply = Person::with(&world, access).sends(&format!("/memories/m-1/{verb}"), fields);
        let page = main(&reply.body);
        assert_eq!(reply.status, 422, "{verb}");
        assert!(page.contains("role=\"alert\""), "{verb} is not read aloud");
        expected
            .iter()
            .for_each(|it| assert!(page.contains(it), "{verb}: no {it:?} in\n{page}"));
        assert_eq!(
            world.words().iter().filter(|it| **it != "refused").count(),
            before,
            "{verb} was done"
        );
    };
    let long = "x".repeat(600);
    let ana = Access::Review;
    check(ana, "edit", &edited(&[("fact", "")]), &["fact is empty"]);
    check(
        ana,
        "edit",
        &edited(&[("fact", &long)]),
        &["fact has 600 characters", &long],
    );
    check(
        ana,
        "edit",
        &edited(&[("fact", "typed <b>"), ("citations", "nowhere")]),
        &["cannot cite 'nowhere'", "typed &lt;b&gt;"],
    );
    check(
        ana,
        "edit",
        &edited(&[("fact", "typed"), ("citations", "src/none.rs:3")]),
        &["src/none.rs", ">\ntyped<"],
    );
    check(
        ana,
        "edit",
        &edited(&[(
            "fact",
            "the key is AKIAIOSFODNN7EXAMPLX and ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        )]),
        &["text appears to contain a secret"],
    );
    check(
        ana,
        "invalidate",
        &[("reason", " ")],
        &["say in a sentence why it is wrong"],
    );
    check(
        ana,
        "invalidate",
        &[("reason", &long)],
        &["reason has 600 characters", &long],
    );
    check(
        ana,
        "approve",
        &[],
        &["m-1 is active, only a pending memory can be approved"],
    );
    check(
        ana,
        "reject",
        &[("reason", "no")],
        &["m-1 is active, only a pending memory can be rejected"],
    );
    check(
        ana,
        "promote",
        &[],
        &["m-1 is in the knowledge layer and cannot be promoted"],
    );
    check(
        ana,
        "forget",
        &[("reason", "typed")],
        &["tick the box first", "value=\"typed\""],
    );
}

#[test]
fn each_verb_is_done_told_and_taken_back() {
    let check = |name: &str, verb: &str, fields: &[(&str, &str)], told: &str, after: Stage| {
        let world = full();
        let ana = Person::of(&world);
        let before = world.look(name);
        let page = ana.does(&format!("/memories/{name}/{verb}"), fields);
        assert!(text(main(&page)).contains(told), "{}", text(main(&page)));
        assert_eq!(stage(&world, name), after, "{verb}");
        ana.undoes(&page);
        let now = world.look(name);
        assert_eq!(
            (now.status, now.refreshed_at),
            (before.status, before.refreshed_at),
            "{verb}"
        );
    };
    check(
        "m-1",
        "refresh",
        &[],
        "it ranks as fresh again",
        Stage::Active,
    );
    check(
        "m-1",
        "invalidate",
        &[("reason", "it is v4")],
        "Marked as wrong",
        Stage::Invalid,
    );
    check(
        "u-1",
        "invalidate",
        &[("reason", "no longer")],
        "Marked as wrong",
        Stage::Invalid,
    );
    check(
        "m-5",
        "approve",
        &[],
        "Accepted: agents are shown it",
        Stage::Active,
    );
    check(
        "m-5",
        "reject",
        &[("reason", "")],
        "Rejected",
        Stage::Invalid,
    );
    check(
        "m-5",
        "edit",
        &[("fact", "Answers are cached for 10 minutes")],
        "Kept.",
        Stage::Superseded,
    );
    let promotion = [
        ("subject", "Bank"),
        ("reason", "it cost a day"),
        ("kind", "feedback"),
    ];
    check("m-4", "promote", &promotion, "Promoted", Stage::Active);
}

#[test]
fn what_was_set_aside_is_restored_and_that_is_taken_back() {
    let check = |name: &str, verb: &str, fields: &[(&str, &str)], aside: Stage| {
        let world = full();
        let ana = Person::of(&world);
        let before = world.look(name).status;
        let page = ana.does(&format!("/memories/{name}/{verb}"), fields);
        assert_eq!(stage(&world, name), aside);
        assert!(
            main(&page).contains("/restore"),
            "{name} after {verb} cannot be restored"
        );
        let page = ana.does(&format!("/memories/{name}/restore"), &[]);
        assert!(
            text(main(&page)).contains("Restored: it stands as it stood before"),
            "{page}"
        );
        assert_eq!(world.look(name).status, before, "{name}");
        assert!(
            !main(&page).contains("/restore"),
            "nothing is left to restore"
        );
        ana.undoes(&page);
        assert_eq!(stage(&world, name), aside);
    };
    check(
        "m-1",
        "invalidate",
        &[("reason", "it is v4")],
        Stage::Invalid,
    );
    check(
        "u-1",
        "invalidate",
        &[("reason", "no longer")],
        Stage::Invalid,
    );
    check("m-5", "reject", &[], Stage::Invalid);
}

#[test]
fn what_was_retired_is_restored_unless_another_says_the_same() {
    let world = full();
    let ana = Person::of(&world);
    let fields = [
        ("fact", "The program begins in fn main"),
        ("citations", "src/api.rs:5"),
    ];
    let page = ana.undoes(&ana.does("/remember", &fields));
    let told = text(main(&page));
    assert!(
        told.contains("Taken back: it is retired") && told.contains("until you forget it."),
        "{told}"
    );
    ana.does("/memories/m-6/restore", &[]);
    assert_eq!(stage(&world, "m-6"), Stage::Active);
    ana.does("/memories/m-6/invalidate", &[("reason", "typed wrongly")]);
    ana.does("/remember", &[&fields[..], &[("force", "yes")]].concat());
    let reply = ana.sends("/memories/m-6/restore", &[]);
    assert_eq!((reply.status, stage(&world, "m-6")), (422, Stage::Invalid));
    assert!(
        reply.body.contains("m-7 says the same since"),
        "{}",
        text(main(&reply.body))
    );
    assert_eq!(ana.sends("/memories/m-1/restore", &[]).status, 422);
}

/// The field has where the code stands now, so that what changed can be corrected in one step.
#[test]
fn what_changed_is_corrected_with_the_places_as_they_are() {
    let world = full();
    world.shelf.write(
        "src/api.rs",
        "use std;\n\n\npub const API_VERSION: &str = \"v4\";\n\nfn main() {}\n",
    );
    let ana = Person::of(&world);
    let page = ana.sees("/memories/m-1");
    let field = page
        .split("name=\"citations\"")
        .nth(1)
        .unwrap()
        .split("</textarea>")
        .next()
        .unwrap();
    let places = field.split_once(">\n").unwrap().1;
    assert_eq!(places, "src/api.rs:4");
    ana.does(
        "/memories/m-1/edit",
        &edited(&[("fact", "The API version is v4"), ("citations", places)]),
    );
    assert_eq!(
        (stage(&world, "m-1"), stage(&world, "m-6")),
        (Stage::Superseded, Stage::Active)
    );
}

#[test]
fn a_pass_without_review_is_promised_nothing() {
    let world = full();
    let program = Person::with(&world, Access::Write);
    let check = |path: &str, words: &[&str], expected: bool| {
        let page = program.reads(path);
        words
            .iter()
            .for_each(|it| assert_eq!(page.contains(it), expected, "{path} {it:?}: {page}"));
    };
    check("/memories/m-1", &["Invalidate", "Forget for good"], true);
    check("/memories/m-1", &["taken back", "Restore", "vouch"], false);
    check(
        "/memories/m-5",
        &["It waits for a person, and this token does not speak for one."],
        true,
    );
    check(
        "/memories/m-5",
        &["Forget", "taken back", "shown to agents"],
        false,
    );
    check("/memories/u-1", &["Only a person can forget it"], true);
    check("/remember", &["taken back"], false);
}

/// An address that is opened again tells nothing that is no longer so.
#[test]
fn old_news_is_not_told() {
    let world = full();
    let ana = Person::of(&world);
    let first = place(&ana.sends("/memories/m-1/refresh", &[]));
    assert!(ana.reads(&first).contains("Refreshed: it ranks"));
    world.advance(1);
    let second = place(&ana.sends("/memories/m-1/invalidate", &[("reason", "it is v4")]));
    assert!(
        !ana.reads(&first).contains("Refreshed: it ranks"),
        "{}",
        ana.reads(&first)
    );
    let undo = (
        "undo",
        second
            .split("undo=")
            .nth(1)
            .unwrap()
            .split('&')
            .next()
            .unwrap(),
    );
    let undone = place(&ana.sends("/undo", &[undo, ("back", "m-1")]));
    assert!(ana.reads(&undone).contains("Taken back"));
    assert!(
        !ana.reads(&second).contains("Marked as wrong"),
        "{}",
        ana.reads(&second)
    );
    ana.does("/memories/m-1/refresh", &[]);
    assert!(!ana.reads(&undone).contains("Taken back"));
}

#[test]
fn what_the_lines_do_not_say_waits_with_the_way_on() {
    let world = full();
    let ana = Person::of(&world);
    let fields = edited(&[
        ("fact", "The API version is `v9`"),
        ("citations", "src/api.rs:3"),
    ]);
    let page = ana.does("/memories/m-1/edit", &fields);
    assert!(
        text(main(&page)).contains("agents are not shown it yet"),
        "{}",
        text(main(&page))
    );
    assert!(
        main(&page).contains("<details class=\"act\" open><summary>Approve"),
        "{page}"
    );
    assert_eq!(
        (stage(&world, "m-1"), stage(&world, "m-6")),
        (Stage::Active, Stage::Pending)
    );
    ana.does(
        "/memories/m-1/edit",
        &[&fields[..], &[("force", "yes")]].concat(),
    );
}

#[test]
fn a_refusal_names_fields_and_no_flags() {
    let world = full();
    let reply = Person::of(&world).sends("/memories/m-4/promote", &[("kind", "project")]);
    let told = text(main(&reply.body));
    assert!(
        told.contains("fill in the subject") && !told.contains("--"),
        "{told}"
    );
}

#[test]
fn what_was_rejected_can_be_approved_after_all() {
    let world = full();
    let ana = Person::of(&world);
    ana.does("/memories/m-5/reject", &[("reason", "no")]);
    assert!(ana.reads("/memories/m-5").contains("Approve"));
    ana.does("/memories/m-5/approve", &[]);
    assert_eq!(stage(&world, "m-5"), Stage::Active);
}

#[test]
fn what_is_forgotten_is_gone_and_cannot_be_taken_back() {
    let world = full();
    let ana = Person::of(&world);
    assert!(
        ana.reads("/memories/m-1")
            .contains("This cannot be undone.")
    );
    let page = ana.does("/memories/m-1/forget", &[("sure", "yes"), ("reason", "")]);
    assert!(
        text(main(&page)).contains("That cannot be undone."),
        "{}",
        text(main(&page))
    );
    assert!(!page.contains("/undo?"));
    assert!(
        !world.log_text().contains("API version is v3\""),
        "{}",
        world.log_text()
    );
    assert_eq!(ana.asks(HttpMethod::Get, "/memories/m-1", "").status, 404);
}

/// A panel that no person opened speaks as a program does.
#[test]
fn without_a_person_words_are_a_programs() {
    let world = full();
    let program = Person::with(&world, Access::Write);
    program.does(
        "/memories/m-1/edit",
        &edited(&[("fact", "API_VERSION is v3"), ("citations", "src/api.rs:3")]),
    );
    let new = world.look("m-6");
    assert_eq!(
        (new.voice.origin, new.voice.channel),
        (Origin::Agent, Channel::Http)
    );
    let reply = program.sends("/memories/u-1/forget", &[("sure", "yes")]);
    assert_eq!(reply.status, 422);
    assert!(
        reply
            .body
            .contains("only a person can forget what a person said")
    );
    let reply = program.sends("/memories/m-5/edit", &[("fact", "Answers are cached")]);
    assert_eq!(reply.status, 422);
    assert!(
        reply.body.contains("only a person's word"),
        "{}",
        text(main(&reply.body))
    );
}

#[test]
fn what_moved_on_meanwhile_is_not_taken_back() {
    let world = full();
    let ana = Person::of(&world);
    let page = ana.does("/memories/m-1/refresh", &[]);
    world.advance(1);
    ana.does("/memories/m-1/invalidate", &[("reason", "it is v4")]);
    let told = text(main(&ana.undoes(&page)));
    assert!(
        told.contains("Not taken back: it was changed again since"),
        "{told}"
    );
    assert_eq!(stage(&world, "m-1"), Stage::Invalid);
}

#[test]
fn an_address_can_only_tell_what_was_done() {
    let world = full();
    let check = |query: &str, expected: bool| {
        let page = Person::of(&world).reads(&format!("/memories/m-1?{query}"));
        assert_eq!(page.contains("Undo"), expected, "{query}: {page}");
    };
    check("did=refreshed&undo=1.2.m-1", true);
    check("did=refreshed&undo=1.2.m-1,x", false);
    check("did=refreshed&undo=x", false);
    check("did=refreshed", false);
    check("did=you+won&undo=1.2.m-1", false);
}

/// A pass for one space cannot reach into another by naming what is there.
#[test]
fn a_pass_ends_where_its_spaces_end() {
    let world = full();
    let narrow = Person {
        spaces: Some(vec![repo()]),
        ..Person::of(&world)
    };
    assert_eq!(
        narrow.asks(HttpMethod::Get, "/memories/u-1", "").status,
        404
    );
    assert_eq!(narrow.sends("/memories/u-1/refresh", &[]).status, 404);
    let id = world.look("u-1").id.to_string();
    assert_eq!(
        narrow
            .sends(&format!("/memories/{id}/forget"), &[("sure", "yes")])
            .status,
        404
    );
    assert!(!narrow.reads("/").contains("Prefers short answers"));
    assert!(
        !narrow
            .sees("/export?format=json")
            .contains("Prefers short answers")
    );
    let page = narrow.does("/undo", &[("undo", "0.9.u-1")]);
    assert!(text(main(&page)).contains("nothing left to take back"));
    assert_eq!(stage(&world, "u-1"), Stage::Active);
}

#[test]
fn a_person_remembers_in_the_panel() {
    let world = full();
    let ana = Person::of(&world);
    let cites = ("citations", "src/api.rs:5");
    let page = ana.does(
        "/remember",
        &[
            ("fact", "The program begins in fn main"),
            ("tags", "entry"),
            cites,
        ],
    );
    assert!(text(main(&page)).contains("Remembered: agents are shown it from now on."));
    let new = world.look("m-6");
    assert_eq!(
        (new.voice.origin, new.voice.channel, new.voice.author),
        (Origin::User, Channel::Panel, None)
    );
    ana.undoes(&page);
    assert_eq!(stage(&world, "m-6"), Stage::Retired);
    ana.does(
        "/remember",
        &[
            ("fact", "Works at night"),
            ("whose", "user"),
            ("layer", "identity"),
        ],
    );
    assert_eq!(world.look("u-3").layer, Layer::Identity);
    ana.does("/remember", &[("fact", "I prefer tabs")]);
    assert_eq!(world.look("u-4").kind, Kind::User);
}

/// What is much like something known is not kept at once: the three choices are offered, and what was typed stays.
#[test]
fn what_is_nearly_known_is_shown_with_the_choices() {
    let world = full();
    let ana = Person::of(&world);
    let fields = [
        ("fact", "Handlers return an error and never ever panic"),
        ("kind", "feedback"),
    ];
    let reply = ana.sends("/remember", &fields);
    assert_eq!(reply.status, 422);
    let told = text(main(&reply.body));
    for part in [
        "Not kept yet. Much the same is known.",
        "m-3 (near-duplicate)",
        fields[0].1,
        "Merge into",
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    let page = ana.does(
        "/remember",
        &[&fields[..], &[("rationale", "one is about panics")]].concat(),
    );
    assert_eq!(
        (stage(&world, "m-3"), stage(&world, "m-6")),
        (Stage::Active, Stage::Active)
    );
    ana.undoes(&page);
    let page = ana.does("/remember", &[&fields[..], &[("merge", "m-3")]].concat());
    assert_eq!(stage(&world, "m-3"), Stage::Superseded);
    ana.undoes(&page);
    assert_eq!(stage(&world, "m-3"), Stage::Active);
}

/// The API has another version, and its file a line more.
fn with_new_version() -> World {
    let world = full();
    world.shelf.write(
        "src/api.rs",
        "use std;\nuse core;\n\npub const API_VERSION: &str = \"v4\";\n\nfn main() {}\n",
    );
    world
}

#[test]
fn what_was_edited_can_be_confirmed() {
    let world = with_new_version();
    let ana = Person::of(&world);
    let page = text(main(&ana.sees("/memories/m-1")));
    assert!(
        page.contains("Confirm\nYou looked, and it is still true"),
        "{page}"
    );
    assert!(page.contains("src/api.rs:4"), "{page}");
    assert!(!page.contains("Refresh\n"), "{page}");
    let page = ana.does("/memories/m-1/confirm", &[("citations", "src/api.rs:4")]);
    assert!(
        text(main(&page))
            .starts_with("m-1 API version\nConfirmed: it cites the lines as they are now."),
        "{}",
        text(main(&page))
    );
    let now = &world.look("m-1").citations[0];
    assert_eq!(
        (now.location().to_string().as_str(), now.snippet.as_str()),
        ("src/api.rs:4", "pub const API_VERSION: &str = \"v4\";")
    );
    ana.undoes(&page);
    let before = &world.look("m-1").citations[0];
    assert_eq!(before.location().to_string(), "src/api.rs:3");
    let page = text(main(&ana.sees("/memories/m-2")));
    assert!(
        !page.contains("Confirm\n"),
        "what stands needs no confirming: {page}"
    );
}

#[test]
fn a_program_confirms_what_the_lines_say() {
    let world = with_new_version();
    let program = Person::with(&world, Access::Write);
    let reply = program.sends("/memories/m-1/confirm", &[("citations", "src/api.rs:4")]);
    let page = text(main(&reply.body));
    assert_eq!(reply.status, 422);
    assert!(page.contains("it does not say `v3`"), "{page}");
    assert_eq!(
        world.look("m-1").citations[0].location().to_string(),
        "src/api.rs:3"
    );
    let reply = program.sends("/memories/m-1/confirm", &[("citations", "nowhere")]);
    assert_eq!(reply.status, 422);
    assert!(reply.body.contains("nowhere"), "what was typed is kept");
    program.does("/memories/m-1/confirm", &[("citations", "docs/api.md:3")]);
    assert_eq!(
        world.look("m-1").citations[0].location().to_string(),
        "docs/api.md:3"
    );
}

#[test]
fn a_correction_on_a_branch_is_told_on_both_pages() {
    let world = full();
    world.shelf.branch_off();
    world.shelf.write(
        "src/api.rs",
        "use std;\n\npub const API_VERSION: &str = \"v4\";\n\nfn main() {}\n",
    );
    let ana = Person::of(&world);
    let page = ana.does(
        "/memories/m-1/edit",
        &edited(&[
            ("fact", "The API version is v4"),
            ("citations", "src/api.rs:3"),
            ("how", "correction"),
        ]),
    );
    let page = text(main(&page));
    assert!(
        page.starts_with("m-6 API version\nKept beside the one before, which stays in use"),
        "{page}"
    );
    assert!(
        page.contains("on a branch: replaces m-1 once merged"),
        "{page}"
    );
    let old = ana.reads("/memories/m-1");
    assert!(
        old.contains("m-6 replaces it once its branch is merged"),
        "{old}"
    );
    assert!(!old.contains("Confirm\n"), "{old}");
    let list = ana.reads("/");
    assert!(
        list.contains("on a branch: replaces m-1 once merged"),
        "{list}"
    );
    assert_eq!(stage(&world, "m-1"), Stage::Active);
}

/// What a hidden field of a page holds.
fn hidden_base(page: &str) -> String {
    let rest = page.split("name=\"base\" value=\"").nth(1).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[test]
fn identity_is_edited_as_one_text() {
    let world = full();
    let ana = Person::of(&world);
    let page = ana.sees("/identity");
    assert!(page.contains("- Ana, backend, Berlin"), "{page}");
    assert!(page.contains("20 of 1000 characters, 2 %"), "{page}");
    let base = hidden_base(&page);
    let text = "- Ana, backend, Berlin\n\n## Preferences\n- answers in French\n";
    let saved = ana.sends("/identity", &[("text", text), ("base", &base)]);
    assert_eq!(saved.status, 303, "{}", saved.body);
    let page = ana.sees("/identity?done=saved");
    assert!(
        page.contains("## Preferences\n- answers in French"),
        "{page}"
    );
    // What was typed from an older text is refused, and stays in the form beside the text as it is now.
    let late = ana.sends("/identity", &[("text", "- Ana, frontend"), ("base", &base)]);
    assert_eq!(late.status, 422);
    assert!(
        late.body.contains("changed while you edited it"),
        "{}",
        late.body
    );
    assert!(late.body.contains("- Ana, frontend") && late.body.contains("answers in French"));
    let again = hidden_base(&late.body);
    let saved = ana.sends(
        "/identity",
        &[("text", "- Ana, frontend"), ("base", &again)],
    );
    assert_eq!(saved.status, 303);
}

#[test]
fn identity_that_is_too_long_stays_in_the_form() {
    let world = full();
    let ana = Person::of(&world);
    let base = hidden_base(&ana.sees("/identity"));
    let long = format!("- {}\n", "word ".repeat(300));
    let refused = ana.sends("/identity", &[("text", &long), ("base", &base)]);
    assert_eq!(refused.status, 422);
    assert!(
        refused
            .body
            .contains("has 1499 characters, and 1000 are the most"),
        "{}",
        refused.body
    );
    assert!(ana.sees("/identity").contains("- Ana, backend, Berlin"));
    let reader = Person::with(&world, Access::Read);
    assert!(!reader.sees("/identity").contains("<textarea"));
}

/// A secret that was kept before there was a rule for it: nothing of the memory is told beside another one.
#[test]
fn replaced_memory_with_a_secret_is_withheld() {
    let world = World::verified();
    let key = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    let new = world.kept(Draft {
        kind: Some(Kind::Feedback),
        ..note("Deploys use the key of the vault")
    });
    let old = Memory {
        id: MemoryId::from_text(new.recorded_at, "old"),
        number: 0,
        fact: "Deploys use the key that the tag has".into(),
        tags: vec![key],
        status: Status::Superseded { by: new.id },
        ..new.clone()
    };
    let newer = Memory {
        id: MemoryId::from_text(new.recorded_at, "newer"),
        number: 0,
        fact: "Deploys use no key".into(),
        supersedes: Some(old.id),
        ..new
    };
    world.with(|cx| {
        for memory in [old, newer] {
            let (space, id) = (memory.space.clone(), memory.id);
            let what = EventBody::Remembered {
                memory: Box::new(memory),
                forced: false,
                rationale: None,
            };
            let event = unchecked::new_event(cx, &space, Some(id), what);
            let batch = unchecked::durable_batch(vec![event], Vec::new());
            cx.store.append_batch(&batch).unwrap();
        }
    });
    let told = Person::of(&world).reads("/memories/m-3");
    assert!(
        told.contains("Replaces") && told.contains("withheld: m-2"),
        "{told}"
    );
    assert!(!told.contains("that the tag has"), "{told}");
}
