//! Health, as a person reads it.

use apostille_agents::session::{AgentSession, Moment};
use apostille_core::{breaker, policy::BreakerPolicy, remember, verify};

use super::{
    beside::{Kept, moment},
    *,
};

/// Everything that a plot is about happened, over three days.
fn lived() -> World {
    let world = full();
    world.advance(86_400);
    world
        .with(|cx| {
            verify::verify(
                cx,
                vec![world.look("m-1")],
                verify::VerifyOptions::default(),
                |_| {},
            )
        })
        .unwrap();
    world.remember(note("the key is AKIAIOSFODNN7EXAMPLE"));
    world.advance(86_400);
    world.ask("which API version?");
    world
}

fn waited(world: &World) -> Kept {
    let entries = (0..20)
        .map(|_| moment(world, "s-1", Moment::Prompt))
        .collect();
    Kept {
        sessions: vec![AgentSession { entries }],
        ..Kept::default()
    }
}

/// The parts of the page: before the plots, the plots, and behind them.
fn parts(page: &str) -> (&str, &str, &str) {
    let (before, rest) = page.split_once("\nDay by day\n").unwrap();
    let (plots, behind) = rest.split_once("\nWhat needs attention\n").unwrap();
    (before, plots, behind)
}

#[test]
fn health_tells_figures_findings_and_what_is_kept() {
    let world = lived();
    let page = Person::of(&world).reads("/vitals");
    let (before, _, behind) = parts(&page);
    insta::assert_snapshot!(format!("{before}\n…\n{behind}"), @r#"
    Health
    Breakers
    in order No breaker is open: what agents write is let in as usual.
    6 in use
    1 wait for a person
    0 times of use
    1 turned away
    Identity of users/ana 20 of 1000 characters, 2 %
    Does it help? Sessions with memory against those that went without.
    …
    note missing-field 2 – a memory lacks a field that tells what it is about, why, or what proves it
    no reason
    m-2 stands The docs say that the version is v3
    The way out: apostille supersede m-2 "FACT" --reason "…"
    no subject
    m-3 stated Handlers return an error and never panic
    The way out: apostille supersede m-3 "FACT" --subject "…"
    What is kept
    Space pending active superseded invalid retired soft limit
    myorg/myapp 1 4 0 0 0 1000
    users/ana 0 2 0 0 0 1000
    apostille doctor looks the store itself over.
    "#);
}

#[test]
fn plots_tell_in_words_and_figures_what_they_show() {
    let world = lived();
    let kept = waited(&world);
    let page = Person::of(&world).beside(&kept).reads("/vitals?days=7");
    // The days before anything happened, and the words of the picture itself, are left out.
    let is_told = |it: &&str| {
        !it.contains("Feb 22") && !it.starts_with("2026-02-22") && !it.starts_with("2026-02-23")
    };
    let plots: Vec<&str> = parts(&page).1.lines().filter(is_told).collect();
    insta::assert_snapshot!(plots.join("\n"), @r"
    7 days
    30 days
    90 days
    Memories by status
    6 in use today, 0 at the beginning.
    active
    pending
    Figures: Memories by status
    Day active pending
    2026-02-28 6 1
    2026-02-27 6 1
    2026-02-26 6 1
    2026-02-25 0 0
    2026-02-24 0 0
    Verification
    3 of 3 looks at the cited code found it to hold.
    Figures: Verification
    Day found to hold
    2026-02-28 100 %
    2026-02-27 100 %
    2026-02-26 –
    2026-02-25 –
    2026-02-24 –
    Applied of shown
    0 of 2 showings were of use.
    Figures: Applied of shown
    Day applied
    2026-02-28 0 %
    2026-02-27 –
    2026-02-26 –
    2026-02-25 –
    2026-02-24 –
    Refusals by class
    1 draft turned away, most of them for: needs_citation.
    Figures: Refusals by class
    Day needs_citation
    2026-02-28 0
    2026-02-27 1
    2026-02-26 0
    2026-02-25 0
    2026-02-24 0
    Hook latency
    20 hooks timed: how long agents waited for them.
    half within
    95 % within
    Figures: Hook latency
    Day half within 95 % within
    2026-02-28 2.5 ms 2.5 ms
    2026-02-27 – –
    2026-02-26 – –
    2026-02-25 – –
    2026-02-24 – –
    ");
}

#[test]
fn every_plot_has_a_title_a_sentence_and_its_figures() {
    let world = lived();
    let kept = waited(&world);
    for person in [Person::of(&world).beside(&kept), Person::of(&world)] {
        for days in ["7", "30", "90"] {
            let page = person.sees(&format!("/vitals?days={days}"));
            for id in ["stages", "verified", "applied", "refused", "latency"] {
                let plot = page
                    .split(&format!("<figure class=\"plot card\" id=\"{id}\">"))
                    .nth(1)
                    .unwrap();
                let plot = plot.split("</figure>").next().unwrap();
                let labelled = format!("role=\"img\" aria-labelledby=\"{id}-title {id}-desc\"");
                assert!(plot.contains(&labelled), "{plot}");
                assert!(
                    plot.contains(&format!("<title id=\"{id}-title\">")),
                    "{plot}"
                );
                assert!(plot.contains(&format!("<desc id=\"{id}-desc\">")), "{plot}");
                assert_eq!(
                    plot.matches("<th scope=\"row\">").count().to_string(),
                    days,
                    "{id}"
                );
                assert!(!plot.contains("NaN"), "{plot}");
            }
        }
    }
}

/// A world in which somebody writes as nobody does.
fn stormy() -> World {
    let mut world = World::verified();
    world.policy.breakers = BreakerPolicy {
        burst: 3,
        ..BreakerPolicy::OFF
    };
    for n in 0..5 {
        let fact = format!("Rule {n} of the house has the number {n}");
        let draft = Draft {
            kind: Some(Kind::Feedback),
            voice: agent(),
            ..note(&fact)
        };
        world.with(|cx| remember::remember(cx, draft)).unwrap();
    }
    world
}

#[test]
fn an_open_breaker_is_closed_on_a_persons_word() {
    let world = stormy();
    let page = Person::of(&world).reads("/vitals");
    assert!(
        page.starts_with("Health\nBreakers\nbreaker open burst"),
        "{page}"
    );
    assert!(page.contains("Pending memories stay in Review"), "{page}");
    assert!(
        !Person::with(&world, Access::Write)
            .sees("/vitals")
            .contains("/vitals/close")
    );
    let page = text(&Person::of(&world).does(
        "/vitals/close",
        &[("space", "myorg/myapp"), ("actor", "unnamed")],
    ));
    assert!(
        page.contains("Closed: writes are accepted again."),
        "{page}"
    );
    assert!(page.contains("No breaker is open"), "{page}");
    assert_eq!(
        world
            .with(|cx| breaker::list_open_breakers(cx, &repo()))
            .unwrap(),
        []
    );
}

#[test]
fn a_breaker_of_a_space_out_of_reach_stays_open() {
    let world = stormy();
    let narrow = Person {
        spaces: Some(vec![user()]),
        ..Person::of(&world)
    };
    narrow.sends("/vitals/close", &[("space", "myorg/myapp")]);
    Person::of(&world).sends("/vitals/close", &[("space", "nobody/nothing")]);
    Person::of(&world).sends(
        "/vitals/close",
        &[("space", "myorg/myapp"), ("actor", "somebody else")],
    );
    assert_eq!(
        world
            .with(|cx| breaker::list_open_breakers(cx, &repo()))
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_large_store_is_looked_over_when_somebody_asks() {
    let mut world = World::verified();
    world.policy.breakers = BreakerPolicy::OFF;
    for n in 0..320 {
        let fact = format!("Rule {n} of the house has the number {n}");
        world.kept(Draft {
            kind: Some(Kind::Feedback),
            voice: Voice::from_origin(Origin::User),
            on_duplicate: create(),
            ..note(&fact)
        });
    }
    let page = Person::of(&world).reads("/vitals");
    assert!(
        page.contains("There are 320 memories; looking all of them over takes a while."),
        "{page}"
    );
    assert!(!page.contains("missing-field"));
    assert!(
        Person::of(&world)
            .reads("/vitals?audit=yes")
            .contains("missing-field")
    );
}

fn create() -> apostille_core::memory::DuplicateChoice {
    apostille_core::memory::DuplicateChoice::Create("one of many".into())
}

#[test]
fn what_a_finding_does_not_vouch_for_is_only_named() {
    let world = full();
    world.shelf.write("src/api.rs", "gone\n");
    let page = Person::of(&world).reads("/vitals");
    assert!(page.contains("stale"), "{page}");
    // Looking changes nothing, the log included.
    let before = world.log_text();
    Person::of(&world).reads("/vitals?audit=yes");
    assert_eq!(world.log_text(), before);
}
