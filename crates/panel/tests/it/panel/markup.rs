//! What is true of the HTML of every page.

use std::collections::BTreeMap;

use apostille_api::request_scope::Route;

use super::*;

/// Every page, in a world with something of everything.
const PAGES: &[&str] = &[
    "/",
    "/?q=api+version",
    "/?layer=knowledge&verdict=stands",
    "/?status=any",
    "/?q=nothing+like+this+anywhere",
    "/memories/m-1",
    "/memories/m-4",
    "/memories/m-5",
    "/memories/u-2",
    "/memories/m-1?did=refreshed&undo=1.2.m-1",
    "/review",
    "/review?did=rejected&undo=1.2.m-1",
    "/ask",
    "/ask?prompt=what+is+the+api+version",
    "/sessions",
    "/conversations",
    "/conversations?q=limit&since=x",
    "/tasks",
    "/tasks?since=2026-01-01",
    "/vitals",
    "/vitals?days=90&audit=yes",
];

/// What ends a session: the door takes it, and no page.
const CLOSE: &str = "/close";

/// The opening tags of a page, each with its attributes.
fn tags(html: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut found = Vec::new();
    for piece in html
        .split('<')
        .skip(1)
        .filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
    {
        let inside = piece.split('>').next().unwrap();
        let (name, mut rest) = inside.split_once(' ').unwrap_or((inside, ""));
        let mut attributes = BTreeMap::new();
        while let Some((key, behind)) = rest
            .trim_start()
            .split_once('=')
            .filter(|it| it.1.starts_with('"'))
        {
            let (value, after) = behind[1..].split_once('"').unwrap();
            let mut keys = key.split_whitespace().collect::<Vec<_>>();
            let key = keys.pop().unwrap();
            keys.iter()
                .for_each(|it| drop(attributes.insert((*it).to_owned(), String::new())));
            attributes.insert(key.to_owned(), value.to_owned());
            rest = after;
        }
        rest.split_whitespace()
            .for_each(|it| drop(attributes.insert(it.to_owned(), String::new())));
        found.push((name.to_owned(), attributes));
    }
    found
}

fn every_page(check: impl Fn(&str, &str)) {
    let world = full();
    check(
        "/remember",
        &Person::of(&world).sees("/remember?layer=identity"),
    );
    let refused = Person::of(&world).sends("/remember", &[("fact", ""), ("citations", "x")]);
    check("/remember refused", &refused.body);
    let archive = super::conversations::archive();
    let talker = Person::of(&world).archived(&archive);
    for page in super::conversations::PAGES {
        check(page, &talker.sees(page));
    }
    let refused = talker.sends("/conversations/c-1.1/forget", &[]);
    check("/conversations/c-1.1 refused", &refused.body);
    for access in [Access::Read, Access::Write, Access::Review] {
        for page in PAGES {
            check(
                &format!("{page} for {access}"),
                &Person::with(&world, access).sees(page),
            );
        }
    }
    let empty = World::verified();
    PAGES
        .iter()
        .filter(|it| !it.starts_with("/memories"))
        .for_each(|it| check(it, &Person::of(&empty).sees(it)));
}

#[test]
fn every_control_has_a_label_and_every_label_a_control() {
    every_page(|page, html| {
        let tags = tags(html);
        let ids: Vec<&String> = tags.iter().filter_map(|it| it.1.get("id")).collect();
        let fors: Vec<&String> = tags.iter().filter_map(|it| it.1.get("for")).collect();
        for (at, id) in ids.iter().enumerate() {
            assert!(!ids[..at].contains(id), "{page}: two are called {id}");
        }
        for it in &fors {
            assert!(
                ids.contains(it),
                "{page}: a label is for {it}, which is not there"
            );
        }
        for (name, it) in &tags {
            let is_control = ["input", "select", "textarea"].contains(&name.as_str())
                && it.get("type").is_none_or(|it| it != "hidden");
            let has_name =
                it.contains_key("aria-label") || it.get("id").is_some_and(|it| fors.contains(&it));
            assert!(
                !is_control || has_name,
                "{page}: {name} {it:?} has no label"
            );
        }
        for key in ["aria-describedby", "aria-labelledby"] {
            for it in tags
                .iter()
                .filter_map(|it| it.1.get(key))
                .flat_map(|it| it.split_whitespace())
            {
                assert!(
                    ids.iter().any(|id| *id == it),
                    "{page}: {key} names {it}, which is not there"
                );
            }
        }
    });
}

#[test]
fn nothing_is_inline_and_nothing_is_fetched_from_elsewhere() {
    every_page(|page, html| {
        for (name, attributes) in tags(html) {
            for (key, value) in &attributes {
                assert!(
                    key != "style" && !key.starts_with("on"),
                    "{page}: {name} has {key}"
                );
                let is_address = ["href", "src", "action"].contains(&key.as_str());
                let is_ours = value.starts_with('/') || value.starts_with('#') || value == "data:,";
                assert!(!is_address || is_ours, "{page}: {name} leads to {value}");
            }
            assert!(name != "style", "{page}: styles inside");
            assert!(
                name != "script" || attributes.contains_key("src"),
                "{page}: a script inside"
            );
        }
    });
}

#[test]
fn every_form_that_does_something_has_the_seal_and_a_route() {
    every_page(|page, html| {
        for form in html.split("<form").skip(1) {
            let (open, body) = form.split_once('>').unwrap();
            if !open.contains("method=\"post\"") {
                continue;
            }
            assert!(
                body.starts_with(&format!(
                    "<input type=\"hidden\" name=\"seal\" value=\"{SEAL}\">"
                )),
                "{page}: {form}"
            );
            let action = open
                .split("action=\"")
                .nth(1)
                .unwrap()
                .split(['"', '?'])
                .next()
                .unwrap();
            // Whoever has the panel open can close it, wherever they look.
            if action == CLOSE {
                continue;
            }
            let is_there = ROUTES
                .iter()
                .any(|it| it.method == HttpMethod::Post && matched(it.path, action).is_some());
            assert!(is_there, "{page}: nothing takes {action}");
            assert!(
                open.contains("?repo=myorg/myapp"),
                "{page}: {action} leaves the space"
            );
        }
    });
}

#[test]
fn whoever_may_only_look_has_no_forms_and_is_told_why() {
    let world = full();
    let reader = Person::with(&world, Access::Read);
    for page in PAGES {
        let forms =
            reader
                .sees(page)
                .replacen(&format!("method=\"post\" action=\"{CLOSE}\""), "", 1);
        assert!(!forms.contains("method=\"post\""), "{page}");
    }
    assert!(
        reader
            .reads("/memories/m-1")
            .contains("this pass is for reading")
    );
    assert!(reader.reads("/review").contains("takes a pass for review"));
    let writer = Person::with(&world, Access::Write).reads("/memories/m-5");
    assert!(
        writer.contains("It waits for a person, and this token does not speak for one."),
        "{writer}"
    );
}

#[test]
fn what_does_something_takes_more_than_reading() {
    let is_loose = |it: &&Route| it.method != HttpMethod::Get && it.need == Access::Read;
    let loose: Vec<_> = ROUTES.iter().filter(is_loose).map(|it| it.path).collect();
    assert!(loose.is_empty(), "{loose:?}");
}

#[test]
fn every_page_is_within_its_landmarks() {
    every_page(|page, html| {
        for part in [
            "<html lang=\"en\">",
            "<header",
            "<nav",
            "<main id=\"main\"",
            "<footer",
            "href=\"#main\"",
            "<title>",
        ] {
            assert!(html.contains(part), "{page} lacks {part}");
        }
        assert_eq!(html.matches("<h1").count(), 1, "{page}");
        assert_eq!(html.matches("aria-current=\"page\"").count(), 1, "{page}");
    });
}

/// Texts that would act, if a page let them.
#[test]
fn what_somebody_wrote_does_nothing() {
    const HOSTILE: &str = "<script>alert(1)</script> \"><img src=x onerror=alert(2)> ' javascript:alert(3) \u{202e}evil\u{200b}";
    let world = full();
    let hostile = |kind| Draft {
        kind: Some(kind),
        subject: Some(format!("</textarea>{HOSTILE}")),
        reason: Some(HOSTILE.into()),
        tags: vec!["<b>\"'&".into(), "javascript:alert(4)".into()],
        voice: Voice {
            author: Some(HOSTILE.into()),
            session: Some("../<i>?#&".into()),
            ..agent()
        },
        ..note(HOSTILE)
    };
    let kept = world.kept(hostile(Kind::Feedback));
    let page = format!("/memories/{}", kept.handle());
    world.shelf.write(
        "src/x.rs",
        "let a = \"<script>alert(5)</script>\"; // </pre>\u{202e}\n",
    );
    world.kept(Draft {
        voice: agent(),
        ..cited("the line of x has an alert(5)", &["src/x.rs:1"])
    });
    let asked = format!(
        "/?q={0}&tag={0}&path={0}&since={0}&status={0}&after={0}&verdict={0}",
        encoded(HOSTILE)
    );
    let prompt = format!("/ask?prompt={}", encoded(&format!("</textarea>{HOSTILE}")));
    let told = format!("{page}?did={0}&undo={0}", encoded(HOSTILE));
    for page in [
        "/",
        "/?status=any",
        "/review",
        &page,
        "/memories/m-7",
        &asked,
        &prompt,
        &told,
    ] {
        let html = Person::of(&world).sees(page);
        for (name, attributes) in tags(&html) {
            let is_known = !["img", "i", "iframe", "object"].contains(&name.as_str());
            assert!(is_known, "{page}: {name} {attributes:?}");
            assert!(
                name != "script" || attributes.get("src").is_some_and(|it| it == "/panel.js"),
                "{page}"
            );
            assert!(
                !attributes.keys().any(|it| it.starts_with("on")),
                "{page}: {name} {attributes:?}"
            );
            let leads = attributes.get("href").or(attributes.get("action"));
            assert!(
                leads.is_none_or(|it| !it.starts_with("javascript")),
                "{page}: {leads:?}"
            );
        }
        assert!(
            !main(&html).contains(['\u{202e}', '\u{200b}']) || page == asked || page == prompt,
            "{page} is turned around"
        );
    }
    let gone = Person::of(&world).asks(
        HttpMethod::Get,
        &format!("/memories/{}", encoded(HOSTILE)),
        "",
    );
    assert_eq!(gone.status, 404);
    assert!(!gone.body.contains("<script>a"), "{}", gone.body);
}

#[test]
fn looking_writes_nothing() {
    let world = full();
    let before = world.words();
    for page in PAGES {
        Person::of(&world).sees(page);
    }
    Person::of(&world).sees("/export?format=markdown");
    assert_eq!(world.words(), before);
}
