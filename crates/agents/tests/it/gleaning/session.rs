//! The labelled sessions: their text form, read.

use apostille_agents::client::Client;
use apostille_agents::extract::StatementSort;

/// What should be found.
#[derive(Clone)]
pub(crate) struct Label {
    pub(crate) sort: StatementSort,
    pub(crate) words: Vec<String>,
    /// The turn in which it was said.
    pub(crate) said: String,
}

/// A line of a session: who, and what.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) who: String,
    pub(crate) text: String,
}

/// A session with its labels.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) name: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) labels: Vec<Label>,
    /// What may be found, or not.
    pub(crate) optional: Vec<Label>,
}

/// The sessions of a file.
pub(crate) fn sessions(text: &str) -> Vec<Session> {
    let (_, body) = text.split_once("---\n").expect("a preamble ends with ---");
    format!("\n{body}")
        .split("\n# ")
        .skip(1)
        .map(session)
        .collect()
}

fn session(block: &str) -> Session {
    let (head, body) = block.split_once('\n').expect("a session has lines");
    let (client, name) = head
        .split_once(": ")
        .expect("a session is `# client: name`");
    let mut session = Session {
        client: client.parse().expect(head),
        name: name.into(),
        lines: Vec::new(),
        labels: Vec::new(),
        optional: Vec::new(),
    };
    for line in body.lines().filter(|it| !it.trim().is_empty()) {
        if let Some(more) = line.strip_prefix("  ") {
            let last = session.lines.last_mut().expect("a line goes on");
            last.text = format!("{}\n{more}", last.text);
        } else if let Some(label) = line.strip_prefix("=> ") {
            session.labels.push(read_label(label, &session.lines));
        } else if let Some(label) = line.strip_prefix("=? ") {
            session.optional.push(read_label(label, &session.lines));
        } else {
            let (who, text) = line.split_once(": ").expect(line);
            session.lines.push(Line {
                who: who.into(),
                text: text.into(),
            });
        }
    }
    session
}

fn read_label(label: &str, lines: &[Line]) -> Label {
    let (sort, words) = label.split_once(": ").expect(label);
    let said = lines
        .iter()
        .rfind(|it| it.who == "person")
        .expect("a label follows a prompt")
        .text
        .clone();
    Label {
        sort: sort.parse().expect(label),
        words: words.split("; ").map(Into::into).collect(),
        said,
    }
}
