//! Sessions as developers hold them, written down and labelled before anybody read the rules. Every other one, by a hash of its
//! name, was held out while the rules were widened for them.

use std::path::Path;

use apostille_agents::extract::find_lasting_sentences;
use serde_json::Value;

use super::{HELD_OUT as OLD_HELD_OUT, Label, Session, TUNED as OLD_TUNED, measure, sessions};

const TUNED: &str = include_str!("unseen_tuned.txt");
const HELD_OUT: &str = include_str!("unseen_held_out.txt");
/// Prompts of ordinary work.
const PROMPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/prompts");

#[test]
fn what_developers_state_in_passing_is_gleaned() {
    let tuned = measure("unseen, tuned", TUNED, true);
    let held_out = measure("unseen, held out", HELD_OUT, false);
    assert!(tuned.precision() >= 95 && held_out.precision() >= 95);
    // Measured: 95 % in view and 77 % held out; 29 and 18 % before there were rules for them.
    assert!(tuned.recall() >= 90 && held_out.recall() >= 75);
}

/// Another author's, who knew no rule: at first sight 15 % of the statements were found, none wrongly.
const INDEPENDENT_TUNED: &str = include_str!("independent_tuned.txt");
const INDEPENDENT_HELD_OUT: &str = include_str!("independent_held_out.txt");

#[test]
fn what_another_author_wrote_is_gleaned() {
    let tuned = measure("independent, tuned", INDEPENDENT_TUNED, true);
    let held_out = measure("independent, held out", INDEPENDENT_HELD_OUT, false);
    assert!(tuned.precision() >= 95 && held_out.precision() >= 90);
    // Measured: 84 % in view and 85 % held out. The weights were trained on both.
    assert!(tuned.recall() >= 80 && held_out.recall() >= 80);
}

/// Two authors' who knew no rule, on whose sessions the weights were trained, and a third one's, on whose they were not.
const BLIND: [&str; 2] = [include_str!("blind_1.txt"), include_str!("blind_2.txt")];
const BLIND_HELD_OUT: &str = include_str!("blind_3.txt");

#[test]
fn what_blind_authors_wrote_is_gleaned() {
    let mut trained = measure("blind, trained on", BLIND[0], true);
    trained.add(measure("blind, trained on", BLIND[1], true));
    let held_out = measure("blind, held out", BLIND_HELD_OUT, false);
    println!("trained on {trained}, held out {held_out}");
    assert!(trained.precision() >= 93 && held_out.precision() >= 85);
    // Measured: 63 % of those trained on, 53 % of those held out; 11 and 10 % before there was a model.
    assert!(trained.recall() >= 60 && held_out.recall() >= 50);
}

/// How many prompts there are, and for how many the agent is reminded to keep what was said.
#[derive(Default, Clone, Copy)]
struct Reminders {
    prompts: usize,
    reminded: usize,
}

impl Reminders {
    fn count(&mut self, is_reminded: bool) {
        self.prompts += 1;
        self.reminded += usize::from(is_reminded);
    }

    fn per_thousand(self) -> usize {
        (self.reminded * 1000)
            .checked_div(self.prompts)
            .unwrap_or(0)
    }
}

/// The prompts of these sessions that state something, and the others.
fn count_reminders(text: &str, stated: &mut Reminders, others: &mut Reminders) {
    for session in sessions(text) {
        for (at, prompt) in list_prompts(&session).enumerate() {
            let is_said = |it: &Label| it.said == prompt;
            if session.optional.iter().any(is_said) {
                continue;
            }
            let is_reminded = !find_lasting_sentences(prompt, at > 0).is_empty();
            match session.labels.iter().any(is_said) {
                true => stated.count(is_reminded),
                false => others.count(is_reminded),
            }
        }
    }
}

fn list_prompts(session: &Session) -> impl Iterator<Item = &str> {
    let prompts = session.lines.iter().filter(|it| it.who == "person");
    prompts.map(|it| it.text.as_str())
}

#[test]
fn agent_is_reminded_of_statements_and_of_little_else() {
    let (mut stated, mut others) = (Reminders::default(), Reminders::default());
    for text in [TUNED, HELD_OUT, OLD_TUNED, OLD_HELD_OUT] {
        count_reminders(text, &mut stated, &mut others);
    }
    let (mut their_stated, mut their_others) = (Reminders::default(), Reminders::default());
    for text in [INDEPENDENT_TUNED, INDEPENDENT_HELD_OUT] {
        count_reminders(text, &mut their_stated, &mut their_others);
    }
    println!(
        "another author: reminded of {}/{} statements, at {}/{} other prompts",
        their_stated.reminded, their_stated.prompts, their_others.reminded, their_others.prompts
    );
    println!(
        "reminded of {}/{} statements, at {}/{} other prompts",
        stated.reminded, stated.prompts, others.reminded, others.prompts
    );
    // Measured: 72 % of another author's statements, and one of their 186 other prompts.
    assert!(their_stated.per_thousand() >= 650 && their_others.per_thousand() <= 20);
    // Measured: 96 % of the statements, and 3 % of the other prompts. Of those, half were taken back later or remembered.
    assert!(stated.per_thousand() >= 900 && others.per_thousand() <= 50);
}

#[test]
fn ordinary_work_is_left_alone() {
    let mut work = Reminders::default();
    for file in std::fs::read_dir(Path::new(PROMPTS)).unwrap().flatten() {
        let text = std::fs::read_to_string(file.path()).unwrap();
        let is_set = file.path().extension().is_some_and(|it| it == "jsonl");
        for line in text.lines().filter(|_| is_set) {
            let repository: Value = serde_json::from_str(line).unwrap();
            for prompt in repository["prompts"].as_array().unwrap() {
                let text = prompt["text"].as_str().unwrap();
                work.count(!find_lasting_sentences(text, true).is_empty());
            }
        }
    }
    println!(
        "reminded at {}/{} prompts of work",
        work.reminded, work.prompts
    );
    // Measured: 14 of 1,264.
    assert!(work.prompts > 1000 && work.per_thousand() <= 20);
}
