//! What is gleaned from sessions, against labels: each session is written down in every client's own format, read back,
//! and gleaned. The labels in `tuned.txt` were in view when the rules were made, those in `held_out.txt` were not.

mod episodes;
mod families;
mod parsers;
mod render;
mod unseen;

use apostille_agents::{
    client::Client,
    clients::find_client_profile,
    extract::{
        ExtractedStatement, StatementSort, extract_statements,
        labelled::{
            JudgedStatements, LabelledSession as Session, StatementLabel as Label,
            parse_labelled_sessions,
        },
    },
    transcript::TranscriptTurn,
};

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

fn sessions(text: &str) -> Vec<Session> {
    parse_labelled_sessions(text).unwrap()
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

/// The figures of one session by one client.
fn judge(session: &Session, client: Client) -> JudgedStatements {
    let (turns, found) = gleaned(session, client);
    session.judge_statements(&turns, &found)
}

/// The figures of a file: each session by the client it is labelled with.
fn measure(name: &str, text: &str, shows_faults: bool) -> JudgedStatements {
    let mut all = JudgedStatements::default();
    let sessions = sessions(text);
    for session in &sessions {
        all.add(judge(session, session.client));
    }
    let silent = sessions.iter().filter(|it| it.labels.is_empty()).count();
    println!(
        "{name}: {} sessions, {silent} with nothing in them: {all}",
        sessions.len()
    );
    for fault in all.faults.iter().filter(|_| shows_faults) {
        println!("  {fault}");
    }
    all
}

#[test]
fn what_is_gleaned_is_right() {
    let tuned = measure("tuned", TUNED, true);
    let held_out = measure("held out", HELD_OUT, false);
    let mut all = tuned;
    all.add(held_out.clone());
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

/// Each right after an agent has run something, where a correction would be looked for. All were written to look like statements.
#[test]
fn a_near_miss_gives_next_to_nothing() {
    let mut junk = Vec::new();
    for line in NEAR_MISSES.lines() {
        junk.extend(
            prompted(line)
                .into_iter()
                .map(|it| format!("{line} => {} ({})", it.fact, it.sort)),
        );
    }
    // Measured: 24 of 814; none while hand-written patterns alone decided, which found little of what new people state.
    assert!(junk.len() <= 24, "{}", junk.join("\n"));
}

/// `prompt => sort: fact`, one per line.
#[test]
fn a_statement_becomes_this_fact() {
    let mut wrong = Vec::new();
    for line in STATED.lines() {
        let (prompt, expected) = line.split_once(" => ").expect(line);
        let found = prompted(prompt)
            .into_iter()
            .map(|it| format!("{}: {}", it.sort, it.fact))
            .collect::<Vec<_>>()
            .join("; ");
        if found != expected {
            wrong.push(format!("{line}\n    but {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is gleaned from a prompt that follows a command of the agent's.
fn prompted(prompt: &str) -> Vec<ExtractedStatement> {
    let text = format!(
        "---\n# codex: x\nperson: start\nagent: Done.\ncall: shell npm test\nperson: {prompt}\nagent: OK.\n"
    );
    gleaned(&sessions(&text)[0], Client::Codex).1
}
