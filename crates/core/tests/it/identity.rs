//! The identity layer as one text: what saving it changes, and what stops it.

use apostille_core::{
    identity::{IdentitySaveOutcome, read_identity_text, save_identity_text},
    memory::{Draft, Layer},
};

use crate::world::{World, a_person, a_speaker, preference, user};

fn read(world: &World) -> String {
    world
        .with(|cx| read_identity_text(cx, &user()))
        .unwrap()
        .text
}

fn version(world: &World) -> String {
    world
        .with(|cx| read_identity_text(cx, &user()))
        .unwrap()
        .version()
}

fn save_from(world: &World, text: &str, base: Option<&str>) -> IdentitySaveOutcome {
    world.advance(1);
    world
        .with(|cx| save_identity_text(cx, (a_speaker(), a_person()), &user(), text, base))
        .unwrap()
}

/// What saving a text did: added, changed, removed; or the line and why it was refused.
fn save(world: &World, text: &str) -> String {
    match save_from(world, text, None) {
        IdentitySaveOutcome::Saved {
            added,
            changed,
            removed,
        } => format!("+{added} ~{changed} -{removed}"),
        IdentitySaveOutcome::Refused { line, refusal } => {
            format!("{line:?} {}: {refusal}", refusal.class())
        }
    }
}

const TEXT: &str = "\
- Ana, backend, Berlin

## Preferences
- answers in French
- prefers small commits

## Constraints
- never pushes to main
";

#[test]
fn identity_text_is_kept_entry_by_entry() {
    let world = World::verified();
    assert_eq!(save(&world, TEXT), "+4 ~0 -0");
    assert_eq!(read(&world), TEXT);
    assert_eq!(save(&world, TEXT), "+0 ~0 -0");
    let memory = world.look("u-2");
    assert_eq!(
        (
            memory.layer,
            memory.subject.as_deref(),
            memory.fact.as_str()
        ),
        (Layer::Identity, Some("Preferences"), "answers in French")
    );
}

#[test]
fn saving_changes_what_is_said_otherwise_and_no_more() {
    let world = World::verified();
    save(&world, TEXT);
    let edited = TEXT
        .replace("answers in French", "answers in English")
        .replace("- never pushes to main\n", "- asks before a release\n");
    assert_eq!(save(&world, &edited), "+1 ~1 -1");
    // The entry that was reworded keeps its place.
    assert_eq!(read(&world), edited);
    let changed = world.look("u-5");
    assert_eq!(changed.fact, "answers in English");
    assert_eq!(changed.supersedes, Some(world.look("u-2").id));
    // An entry that goes to another section is replaced there; one that is left out is forgotten.
    let moved = edited
        .replace("- prefers small commits\n", "")
        .replace("- asks", "- prefers small commits\n- asks");
    assert_eq!(save(&world, &moved), "+0 ~1 -0");
    assert_eq!(save(&world, ""), "+0 ~0 -4");
    assert_eq!(read(&world), "");
}

#[test]
fn identity_text_is_read_as_people_write_it() {
    let world = World::verified();
    let typed =
        "# About me\nAna, backend\n  from Berlin\n<!-- a note\nto myself -->\n\n* likes tea\n";
    assert_eq!(save(&world, typed), "+2 ~0 -0");
    assert_eq!(
        read(&world),
        "## About me\n- Ana, backend from Berlin\n- likes tea\n"
    );
}

#[test]
fn what_was_kept_before_is_part_of_the_text() {
    let world = World::verified();
    world.kept(Draft {
        layer: Some(Layer::Identity),
        ..preference("Ana, backend, Berlin")
    });
    assert_eq!(read(&world), "- Ana, backend, Berlin\n");
    assert_eq!(
        save(&world, "- Ana, backend, Berlin\n- likes tea\n"),
        "+1 ~0 -0"
    );
}

#[test]
fn text_that_is_too_long_is_refused_with_its_length() {
    let world = World::verified();
    save(&world, TEXT);
    let long: String = (0..60)
        .map(|n| format!("- wish number {n} of many\n"))
        .collect();
    assert_eq!(
        save(&world, &long),
        "None identity_full: the identity has 1310 characters, and 1000 are the most; leave out or shorten some of its entries"
    );
    assert_eq!(read(&world), TEXT);
}

#[test]
fn secret_in_one_line_changes_nothing() {
    let world = World::verified();
    save(&world, TEXT);
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let typed = format!("- likes tea\n- the token is {secret}\n");
    let told = save(&world, &typed);
    assert!(told.starts_with("Some(2) secret: "), "{told}");
    assert_eq!(read(&world), TEXT);
    assert!(!world.log_text().contains(&secret));
}

#[test]
fn text_that_was_changed_meanwhile_is_not_overwritten() {
    let world = World::verified();
    save(&world, TEXT);
    let base = version(&world);
    save(&world, &format!("{TEXT}- likes tea\n"));
    let outcome = save_from(&world, "- somebody else\n", Some(&base));
    let IdentitySaveOutcome::Refused { refusal, .. } = outcome else {
        panic!("it was saved")
    };
    assert_eq!(refusal.class(), "identity_changed");
    assert!(read(&world).contains("likes tea"));
    let base = version(&world);
    assert_eq!(
        save_from(&world, TEXT, Some(&base)),
        IdentitySaveOutcome::Saved {
            added: 0,
            changed: 0,
            removed: 1
        }
    );
}

#[test]
fn full_layer_can_be_rearranged() {
    let world = World::verified();
    let long = |letter: char| format!("- {letter} {}\n", "word ".repeat(95).trim());
    let (a, b) = (long('a'), long('b'));
    assert_eq!(save(&world, &format!("{a}{b}")), "+2 ~0 -0");
    let a_longer = a.replacen("word word", "word and word", 1);
    let b_shorter = b.replacen("word word word word", "word", 1);
    let told = save(&world, &format!("{a_longer}{b_shorter}"));
    assert_eq!(told, "+0 ~2 -0");
}
