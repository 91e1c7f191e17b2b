//! Corrections and wishes in the ways people put them, and prompts that look like them. Every other line of
//! `families.txt` was held out while the rules were made.

use apostille_agents::client::Client;

use super::{JudgedStatements, Session, gleaned, judge, sessions};

const FAMILIES: &str = include_str!("families.txt");

/// A line as a session: what the agent did, what the person said to it, what is to be found.
fn session(line: &str) -> Session {
    let (did, rest) = line.split_once(" | ").expect(line);
    let (said, labels) = rest.rsplit_once(" => ").expect(line);
    let said = said.replace("\\n", "\n  ");
    let labels: String = labels
        .split(" + ")
        .filter(|it| *it != "nothing")
        .fold(String::new(), |all, it| format!("{all}=> {it}\n"));
    let text = format!(
        "---\n# codex: {line}\nperson: start\nagent: {did}\ncall: edit src/lib.rs\nperson: {said}\n{labels}agent: OK.\n"
    );
    sessions(&text).remove(0)
}

/// The lines of a half: the tuned one has the first line, the one held out the second.
fn half(is_held_out: bool) -> Vec<Session> {
    let (_, body) = FAMILIES
        .split_once("---\n")
        .expect("a preamble ends with ---");
    body.lines()
        .skip(usize::from(is_held_out))
        .step_by(2)
        .map(session)
        .collect()
}

fn measure(name: &str, is_held_out: bool) -> JudgedStatements {
    let mut all = JudgedStatements::default();
    for session in half(is_held_out) {
        all.add(judge(&session, Client::Codex));
    }
    println!("families, {name}: {all}");
    all.faults
        .iter()
        .filter(|_| !is_held_out)
        .for_each(|it| println!("  {it}"));
    all
}

#[test]
fn corrections_and_wishes_are_gleaned() {
    let (tuned, held_out) = (measure("tuned", false), measure("held out", true));
    let mut all = tuned;
    all.add(held_out.clone());
    println!("families: {all}");
    assert!(
        all.precision() >= 93 && held_out.precision() >= 90,
        "{all}, held out {held_out}"
    );
    // Measured: 94 % of all, 92 % of those held out are right; 94 and 88 % are found.
    assert!(
        all.recall() >= 85 && held_out.recall() >= 75,
        "{all}, held out {held_out}"
    );
}

#[test]
fn little_comes_of_what_only_looks_like_them() {
    let mut junk = Vec::new();
    let sessions = [half(false), half(true)].concat();
    for session in sessions.iter().filter(|it| it.labels.is_empty()) {
        junk.extend(gleaned(session, Client::Codex).1);
    }
    // Measured: 5 of 106.
    assert!(junk.len() <= 5, "{junk:?}");
}

#[test]
fn both_halves_have_statements_and_near_misses() {
    for is_held_out in [false, true] {
        let (silent, stated): (Vec<_>, Vec<_>) = half(is_held_out)
            .into_iter()
            .partition(|it| it.labels.is_empty());
        assert!(
            silent.len() >= 30 && stated.len() >= 30,
            "{} and {}",
            silent.len(),
            stated.len()
        );
    }
}
