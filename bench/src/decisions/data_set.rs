//! What a checkout of the data set holds: tasks, each with the chats in which something was decided, and chats beside them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail, ensure};
use apostille_text::digest::Digest;
use serde::Deserialize;

/// Where the task of a folder stands. A folder may hold another one beside it that gives the answer away.
const TASK: &str = "tasks/main/task.json";
const DECOYS: &str = "gen/decoy_conversations.json";

/// Where the decision of a task was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum TaskSource {
    /// In a chat.
    #[serde(rename = "conversation")]
    Chat,
    /// In a chat that amends an earlier one.
    #[serde(rename = "conversation-amended")]
    AmendedChat,
    /// In the message of a commit.
    #[serde(rename = "history")]
    Commit,
}

/// Half of the tasks: one is tuned on, both are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskHalf {
    /// The digest of the task's name is even.
    Even,
    /// It is odd.
    Odd,
}

/// What somebody says in a chat.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ChatTurn {
    role: String,
    /// The words.
    pub(super) text: String,
}

impl ChatTurn {
    /// Whether the user says it.
    pub(super) fn is_user(&self) -> bool {
        self.role == "user"
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum TaskChats {
    One(Vec<ChatTurn>),
    Amended(Vec<ChatTurn>, Vec<ChatTurn>),
}

/// A bug report whose right fix hangs on a decision that was made before.
#[derive(Debug, Deserialize)]
pub(super) struct DecisionTask {
    /// Its name.
    #[serde(rename = "task_id")]
    pub(super) name: String,
    codebase: String,
    /// Where the decision was made.
    pub(super) source: TaskSource,
    /// The file to be edited.
    pub(super) module: String,
    /// The function in it.
    pub(super) function: Option<String>,
    /// What was decided, in the words of the data set's makers.
    pub(super) policy: String,
    /// The first prompt.
    pub(super) bug_report: String,
    conversations: Option<TaskChats>,
    decision_subject: Option<String>,
    decision_rationale: Option<String>,
    cause_subject: Option<String>,
    #[serde(skip)]
    folder: PathBuf,
}

impl DecisionTask {
    /// The half that it belongs to.
    pub(super) fn half(&self) -> TaskHalf {
        match Digest::hash_bytes(self.name.as_bytes()).as_bytes()[31] % 2 {
            0 => TaskHalf::Even,
            _ => TaskHalf::Odd,
        }
    }

    /// The name of the chat with the decision that holds.
    pub(super) fn deciding_chat(&self) -> String {
        match self.source {
            TaskSource::AmendedChat => format!("{}/B", self.name),
            _ => self.name.clone(),
        }
    }

    /// The name of the chat that was amended.
    pub(super) fn amended_chat(&self) -> Option<String> {
        (self.source == TaskSource::AmendedChat).then(|| format!("{}/A", self.name))
    }

    /// The tasks about one decision have the same bug report, and so the same family.
    fn family(&self) -> &str {
        let name = self.codebase.as_str();
        name.strip_suffix("-amended").unwrap_or(name)
    }

    fn take_chats(&mut self) -> Vec<SpokenChat> {
        let family = self.family().to_owned();
        let chat = |name: String, age: u8, turns: Vec<ChatTurn>| SpokenChat {
            name,
            family: Some((family.clone(), age)),
            turns,
        };
        match self.conversations.take() {
            Some(TaskChats::One(turns)) => vec![chat(self.name.clone(), 0, turns)],
            Some(TaskChats::Amended(older, later)) => vec![
                chat(format!("{}/A", self.name), 1, older),
                chat(format!("{}/B", self.name), 2, later),
            ],
            None => Vec::new(),
        }
    }

    /// The messages of the commits that the task is about: subject and body of the decision, and the subject of the commit
    /// that broke it.
    pub(super) fn read_commit_messages(&self) -> Result<[String; 3]> {
        if let (Some(subject), Some(body)) = (&self.decision_subject, &self.decision_rationale) {
            let cause = self.cause_subject.as_deref().unwrap_or("perf: simplify");
            return Ok([subject.clone(), body.clone(), cause.to_owned()]);
        }
        // One task has them in the script that builds its repository.
        let script = fs::read_to_string(self.folder.join("build.py"))?;
        let messages = find_script_messages(&script);
        let [decision, _, cause] = messages.as_slice() else {
            bail!("{} has no messages of commits", self.name);
        };
        let (subject, body) = decision
            .split_once("\n\n")
            .context("a decision has a reason")?;
        Ok([subject.to_owned(), body.to_owned(), cause.clone()])
    }
}

/// The messages that a script commits with: literals of Python behind `commit(out, `, which may be written in pieces.
fn find_script_messages(script: &str) -> Vec<String> {
    let calls = script.split("commit(out, \"").skip(1);
    calls.map(join_string_pieces).collect()
}

/// The text of a literal, read from behind its first quote, with the pieces that follow it.
fn join_string_pieces(code: &str) -> String {
    let mut text = String::new();
    let mut rest = code;
    while let Some((piece, behind)) = rest.split_once('"') {
        text.push_str(&piece.replace("\\n", "\n"));
        match behind.trim_start().strip_prefix('"') {
            Some(next) => rest = next,
            None => break,
        }
    }
    text
}

/// A chat that is lived through.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SpokenChat {
    /// Its name.
    pub(super) name: String,
    /// The decision that it is about, and its place among the chats about that.
    family: Option<(String, u8)>,
    /// What is said.
    pub(super) turns: Vec<ChatTurn>,
}

impl SpokenChat {
    /// Whether nothing is decided in it that a task asks for.
    pub(super) fn is_decoy(&self) -> bool {
        self.family.is_none()
    }

    /// A chat that no task is about: who speaks, and what they say.
    pub(super) fn about_nothing(name: &str, turns: &[(&str, &str)]) -> Self {
        let turn = |(role, text): &(&str, &str)| ChatTurn {
            role: (*role).to_owned(),
            text: (*text).to_owned(),
        };
        Self {
            name: name.to_owned(),
            family: None,
            turns: turns.iter().map(turn).collect(),
        }
    }

    /// What the user says.
    pub(super) fn user_turns(&self) -> impl DoubleEndedIterator<Item = &str> {
        let turns = self.turns.iter().filter(|it| it.is_user());
        turns.map(|it| it.text.as_str())
    }
}

#[derive(Debug, Deserialize)]
struct DecoyChat {
    id: String,
    turns: Vec<ChatTurn>,
}

/// Everything that is read from the checkout.
pub(super) struct DataSet {
    /// The bug reports.
    pub(super) tasks: Vec<DecisionTask>,
    /// All chats, in the order in which they are lived through.
    pub(super) chats: Vec<SpokenChat>,
}

impl DataSet {
    /// Reads a checkout of the data set.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let mut tasks = read_tasks(folder)?;
        let text = fs::read_to_string(folder.join(DECOYS))
            .with_context(|| format!("{} has no {DECOYS}", folder.display()))?;
        let decoys: Vec<DecoyChat> = serde_json::from_str(&text).context(DECOYS)?;
        let decoys = decoys.into_iter().map(|it| SpokenChat {
            name: it.id,
            family: None,
            turns: it.turns,
        });
        let mut chats: Vec<SpokenChat> = tasks
            .iter_mut()
            .flat_map(DecisionTask::take_chats)
            .chain(decoys)
            .collect();
        order_chats(&mut chats);
        Ok(Self { tasks, chats })
    }

    /// The chat of this name.
    pub(super) fn find_chat(&self, name: &str) -> Result<&SpokenChat> {
        let mut chats = self.chats.iter();
        let found = chats.find(|it| it.name == name);
        found.with_context(|| format!("there is no chat {name}"))
    }
}

fn read_tasks(folder: &Path) -> Result<Vec<DecisionTask>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries
        .map(|it| Ok(it?.path()))
        .collect::<std::io::Result<_>>()?;
    folders.retain(|it| it.join(TASK).is_file());
    folders.sort();
    ensure!(
        !folders.is_empty(),
        "{} is no checkout of sde-bench: no folder has a {TASK}",
        folder.display()
    );
    folders.into_iter().map(read_task).collect()
}

fn read_task(folder: PathBuf) -> Result<DecisionTask> {
    let path = folder.join(TASK);
    let text = fs::read_to_string(&path)?;
    let task: DecisionTask =
        serde_json::from_str(&text).with_context(|| format!("{} is no task", path.display()))?;
    Ok(DecisionTask { folder, ..task })
}

/// A fixed shuffle in which the chats about one decision keep their order: what amends another comes later.
fn order_chats(chats: &mut Vec<SpokenChat>) {
    chats.sort_by_cached_key(|it| Digest::hash_bytes(it.name.as_bytes()));
    let mut places: BTreeMap<String, Vec<(u8, usize)>> = BTreeMap::new();
    for (at, chat) in chats.iter().enumerate() {
        if let Some((family, age)) = &chat.family {
            places.entry(family.clone()).or_default().push((*age, at));
        }
    }
    let mut order: Vec<usize> = (0..chats.len()).collect();
    for members in places.into_values() {
        let seats: Vec<usize> = members.iter().map(|it| it.1).collect();
        let mut by_age = members;
        by_age.sort_unstable();
        for (seat, (_, from)) in seats.into_iter().zip(by_age) {
            order[seat] = from;
        }
    }
    *chats = order.iter().map(|it| chats[*it].clone()).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> DecisionTask {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn chats_of_a_task_are_read_by_their_shape() {
        let turn = r#"{"role": "user", "text": "Seven."}"#;
        let fields = r#""module": "m.py", "policy": "7", "bug_report": "It fails.""#;
        let check = |name: &str, source: &str, chats: &str, expected: &[&str]| {
            let mut task = read(&format!(
                r#"{{"task_id": "{name}-001", "codebase": "{name}", "source": "{source}", {fields} {chats}}}"#
            ));
            let chats = task.take_chats();
            let names: Vec<&str> = chats.iter().map(|it| it.name.as_str()).collect();
            assert_eq!(names, expected, "{name}");
        };
        let one = format!(r#", "conversations": [{turn}]"#);
        let two = format!(r#", "conversations": [[{turn}], [{turn}, {turn}]]"#);
        check("budget", "conversation", &one, &["budget-001"]);
        let both = ["sla-amended-001/A", "sla-amended-001/B"];
        check("sla-amended", "conversation-amended", &two, &both);
        check("omd", "history", "", &[]);
    }

    #[test]
    fn later_chats_of_a_family_stay_later() {
        let chat = |name: &str, family: Option<u8>| SpokenChat {
            name: name.to_owned(),
            family: family.map(|age| ("sla".to_owned(), age)),
            turns: Vec::new(),
        };
        let decoys = (0..20).map(|it| chat(&format!("decoy-{it}"), None));
        let own = (0..3)
            .rev()
            .map(|age| chat(&format!("sla-{age}"), Some(age)));
        let mut chats: Vec<SpokenChat> = decoys.chain(own).collect();
        order_chats(&mut chats);
        let own: Vec<&str> = chats
            .iter()
            .filter(|it| !it.is_decoy())
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!((own, chats.len()), (vec!["sla-0", "sla-1", "sla-2"], 23));
        assert_ne!(chats[0].name, "decoy-0", "it is a shuffle");
    }

    #[test]
    fn messages_are_found_in_a_script() {
        let script = "def commit(out, msg):\n    pass\n    commit(out, \"keep it\\n\\n\"\n        \"It must \"\n        \"stay.\")\n\
                      commit(out, \"docs: x\")\ncommit(out, \"perf: y\")";
        assert_eq!(
            find_script_messages(script),
            ["keep it\n\nIt must stay.", "docs: x", "perf: y"]
        );
    }
}
