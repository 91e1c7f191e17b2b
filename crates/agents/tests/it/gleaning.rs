//! What is gleaned from sessions, against labels: each session is written down in every client's own format, read back,
//! and gleaned. The labels in `tuned.txt` were in view when the rules were made, those in `held_out.txt` were not.

mod episodes;
mod families;
mod parsers;
mod render;
mod session;
mod unseen;

use std::collections::BTreeMap;

use apostille_agents::{
    client::Client,
    clients::find_client_profile,
    extract::{ExtractedStatement, StatementSort, extract_statements},
    transcript::TranscriptTurn,
};

use session::{Label, Session, sessions};

const TUNED: &str = include_str!("gleaning/tuned.txt");
const HELD_OUT: &str = include_str!("gleaning/held_out.txt");
/// Prompts that state nothing for good, one per line.
const NEAR_MISSES: &str = include_str!("gleaning/near_misses.txt");
/// Prompts that state something, and what becomes of it.
const STATED: &str = include_str!("gleaning/stated.txt");
const CLIENTS: [Client; 4] = [
    Client::ClaudeCode,
    Client::Copilot,
    Client::Codex,
    Client::Gemini,
];

/// How many of the labelled statements were found, and how many of the found ones were labelled.
#[derive(Default, Clone, Copy)]
struct Figures {
    found: usize,
    right: usize,
    labelled: usize,
    sorted: usize,
}

impl Figures {
    fn precision(self) -> usize {
        (self.right * 100).checked_div(self.found).unwrap_or(100)
    }

    fn recall(self) -> usize {
        (self.right * 100).checked_div(self.labelled).unwrap_or(100)
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            found,
            right,
            labelled,
            sorted,
        } = self;
        let (precision, recall) = (self.precision(), self.recall());
        write!(
            f,
            "precision {precision} % ({right}/{found}), recall {recall} % ({right}/{labelled}), sort {sorted}/{right}"
        )
    }
}

/// The turns of a transcript with this text.
fn parse_transcript_text(client: Client, text: &str) -> Vec<TranscriptTurn> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    find_client_profile(client)
        .read_transcript_file(file.path(), u64::MAX)
        .unwrap()
}

fn gleaned(session: &Session, client: Client) -> (Vec<TranscriptTurn>, Vec<ExtractedStatement>) {
    let turns = parse_transcript_text(client, &render::render(session, client));
    let found = extract_statements(&turns);
    (turns, found)
}

/// Whether something found is what a label says, in the turn it says.
fn is_meant(label: &Label, it: &ExtractedStatement, turns: &[TranscriptTurn]) -> bool {
    let said = &turns[it.turn - 1].text;
    let fact = it.fact.to_lowercase();
    said.trim() == label.said.trim()
        && label
            .words
            .iter()
            .all(|word| fact.contains(&word.to_lowercase()))
}

/// The figures of one session by one client, by sort of label; what went wrong goes into `faults`.
fn judge(
    session: &Session,
    client: Client,
    faults: &mut Vec<String>,
) -> BTreeMap<&'static str, Figures> {
    let (turns, found) = gleaned(session, client);
    let mut by_sort: BTreeMap<&'static str, Figures> = BTreeMap::new();
    let mut open: Vec<&Label> = session.labels.iter().collect();
    let is_optional = |it: &&ExtractedStatement| {
        session
            .optional
            .iter()
            .any(|label| is_meant(label, it, &turns))
    };
    for it in found.iter().filter(|it| !is_optional(it)) {
        let meant = open
            .iter()
            .position(|label| is_meant(label, it, &turns))
            .map(|at| open.remove(at));
        let figures = by_sort
            .entry(meant.map_or(it.sort, |it| it.sort).as_str())
            .or_default();
        figures.found += 1;
        match meant {
            Some(label) => {
                figures.right += 1;
                figures.sorted += usize::from(label.sort == it.sort);
                if label.sort != it.sort {
                    faults.push(format!(
                        "sort  {}: {} is {}",
                        session.name, it.fact, it.sort
                    ));
                }
            }
            None => faults.push(format!("wrong {}: {} ({})", session.name, it.fact, it.sort)),
        }
    }
    faults.extend(
        open.iter()
            .map(|it| format!("miss  {}: {}", session.name, it.said)),
    );
    session
        .labels
        .iter()
        .for_each(|it| by_sort.entry(it.sort.as_str()).or_default().labelled += 1);
    by_sort
}

fn add(to: &mut Figures, more: Figures) {
    to.found += more.found;
    to.right += more.right;
    to.labelled += more.labelled;
    to.sorted += more.sorted;
}

/// The figures of a file: each session by the client it is labelled with.
fn measure(name: &str, text: &str, shows_faults: bool) -> Figures {
    let (mut all, mut faults) = (Figures::default(), Vec::new());
    let mut parts: BTreeMap<String, Figures> = BTreeMap::new();
    let sessions = sessions(text);
    for session in &sessions {
        for (sort, figures) in judge(session, session.client, &mut faults) {
            add(&mut all, figures);
            add(parts.entry(sort.to_string()).or_default(), figures);
            add(
                parts.entry(session.client.to_string()).or_default(),
                figures,
            );
        }
    }
    let silent = sessions.iter().filter(|it| it.labels.is_empty()).count();
    println!(
        "{name}: {} sessions, {silent} with nothing in them: {all}",
        sessions.len()
    );
    parts
        .iter()
        .for_each(|(part, figures)| println!("  {part:<12} {figures}"));
    if shows_faults {
        faults.iter().for_each(|it| println!("  {it}"));
    }
    all
}

#[test]
fn what_is_gleaned_is_right() {
    let tuned = measure("tuned", TUNED, true);
    let held_out = measure("held out", HELD_OUT, false);
    let mut all = tuned;
    add(&mut all, held_out);
    println!("all: {all}");
    assert!(all.precision() >= 95, "{all}");
    // Measured: 97 % of all, 96 % of those held out.
    assert!(
        all.recall() >= 90 && held_out.recall() >= 90,
        "{all}, held out {held_out}"
    );
}

#[test]
fn nothing_comes_of_sessions_in_which_nothing_was_stated() {
    let sessions = [sessions(TUNED), sessions(HELD_OUT)].concat();
    let silent: Vec<&Session> = sessions.iter().filter(|it| it.labels.is_empty()).collect();
    assert!(
        sessions.len() >= 120 && silent.len() >= 50,
        "{} sessions, {} silent",
        sessions.len(),
        silent.len()
    );
    for session in silent {
        for client in CLIENTS {
            assert_eq!(
                gleaned(session, client).1,
                [],
                "{} by {client}",
                session.name
            );
        }
    }
}

#[test]
fn the_client_makes_no_difference() {
    for session in [sessions(TUNED), sessions(HELD_OUT)].concat() {
        let facts = |client| {
            gleaned(&session, client)
                .1
                .into_iter()
                .map(|it| it.fact)
                .collect::<Vec<_>>()
        };
        let first = facts(CLIENTS[0]);
        for client in [CLIENTS[1], CLIENTS[2], CLIENTS[3], Client::Vscode] {
            assert_eq!(facts(client), first, "{} by {client}", session.name);
        }
    }
}

#[test]
fn no_sort_is_without_labels() {
    let labels: Vec<Label> = sessions(TUNED)
        .into_iter()
        .flat_map(|it| it.labels)
        .collect();
    for sort in StatementSort::ALL {
        assert!(
            labels.iter().filter(|it| it.sort == *sort).count() > 10,
            "few labels for {sort}"
        );
    }
}

/// Each right after an agent has run something, where a correction would be looked for.
#[test]
fn a_near_miss_gives_nothing() {
    let mut junk = Vec::new();
    for line in NEAR_MISSES.lines() {
        junk.extend(
            prompted(line)
                .into_iter()
                .map(|it| format!("{line} => {} ({})", it.fact, it.sort)),
        );
    }
    assert!(junk.is_empty(), "{}", junk.join("\n"));
}

/// `prompt => sort: fact`, one per line.
#[test]
fn a_statement_becomes_this_fact() {
    for line in STATED.lines() {
        let (prompt, expected) = line.split_once(" => ").expect(line);
        let found = prompted(prompt)
            .into_iter()
            .map(|it| format!("{}: {}", it.sort, it.fact))
            .collect::<Vec<_>>();
        assert_eq!(found.join("; "), expected, "{prompt}");
    }
}

/// What is gleaned from a prompt that follows a command of the agent's.
fn prompted(prompt: &str) -> Vec<ExtractedStatement> {
    let text = format!(
        "---\n# codex: x\nperson: start\nagent: Done.\ncall: shell npm test\nperson: {prompt}\nagent: OK.\n"
    );
    gleaned(&sessions(&text)[0], Client::Codex).1
}
