//! The call that puts a memory right: everything that is known is filled in, and nothing in a fact can run.

use apostille_core::{
    memory::{Draft, Origin, Voice},
    repair_text::RepairCall,
    standing_text::StandingView,
    verify::follow_memory_citations,
};

use crate::world::{World, cited, repo};

/// What is suggested about a fact of `src/api.rs:3` when that file says something else.
fn suggest(fact: &str, now: Option<&str>) -> String {
    let world = World::verified();
    let memory = world.kept(cited(fact, &["src/api.rs:3"]));
    match now {
        Some(text) => world.shelf.write("src/api.rs", text),
        None => world.shelf.remove("src/api.rs"),
    }
    let found = world.with(|cx| follow_memory_citations(cx, vec![memory]));
    let call = RepairCall::suggest(&StandingView::from(&found[0]));
    call.map_or_else(
        || "nothing".into(),
        |it| format!("{}\n{}", it.tool_call(), it.shell_line()),
    )
}

#[test]
fn a_repair_is_suggested_with_all_that_is_known() {
    let edited = "use std;\n\npub const API_VERSION: &str = \"v4\";\n\nfn main() {}\n";
    insta::assert_snapshot!(suggest("The API version is v3.", Some(edited)), @r#"
    memory_revise {"id":"m-1","action":"correct","fact":"The API version is v4.","citations":["src/api.rs:3"]}
    apostille supersede m-1 'The API version is v4.' --cite src/api.rs:3
    "#);
    insta::assert_snapshot!(suggest("The API version is v3, and v3 it stays.", Some(edited)), @r#"
    memory_revise {"id":"m-1","action":"correct","fact":"…","citations":["src/api.rs:3"]}
    apostille supersede m-1 '…' --cite src/api.rs:3
    "#);
    insta::assert_snapshot!(suggest("Clients read the version from this constant.", Some(edited)), @r#"
    memory_revise {"id":"m-1","action":"confirm","citations":["src/api.rs:3"]}
    apostille confirm m-1 --cite src/api.rs:3
    "#);
    insta::assert_snapshot!(suggest("The API version is v3.", None), @r#"
    memory_revise {"id":"m-1","action":"invalidate","reason":"src/api.rs:3 is gone"}
    apostille invalidate m-1 --reason 'src/api.rs:3 is gone'
    "#);
    let unedited = "use std;\n\npub const API_VERSION: &str = \"v3\";\n\nfn main() {}\n";
    assert_eq!(suggest("The API version is v3.", Some(unedited)), "nothing");
}

#[test]
fn a_fact_cannot_run_in_the_suggested_command() {
    let edited = "use std;\n\npub const API_VERSION: &str = \"v4\";\n\nfn main() {}\n";
    insta::assert_snapshot!(suggest("It's v3; `reboot` $(reboot) </memory-context> \"x\"", Some(edited)), @r#"
    memory_revise {"id":"m-1","action":"correct","fact":"It's v4; `reboot` $(reboot) ‹/memory-context> \"x\"","citations":["src/api.rs:3"]}
    apostille supersede m-1 'It'\''s v4; `reboot` $(reboot) ‹/memory-context> "x"' --cite src/api.rs:3
    "#);
}

#[test]
fn what_names_something_that_is_not_there_is_corrected() {
    let world = World::verified();
    world.shelf.write("scripts/smoke.sh", "make smoke\n");
    let voice = Voice::from_origin(Origin::User);
    let memory = world.kept(Draft::new(
        repo(),
        "run scripts/smoke.sh before a release",
        voice,
    ));
    world.shelf.remove("scripts/smoke.sh");
    let found = world.with(|cx| follow_memory_citations(cx, vec![memory]));
    let call = RepairCall::suggest(&StandingView::from(&found[0])).unwrap();
    insta::assert_snapshot!(call.tool_call(), @r#"memory_revise {"id":"m-1","action":"correct","fact":"…"}"#);
    insta::assert_snapshot!(call.shell_line(), @"apostille supersede m-1 '…'");
}
