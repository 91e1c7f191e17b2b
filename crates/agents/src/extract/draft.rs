//! A statement on its way to the store: whose it is, what sort, and what it rests on.

use std::fmt::Display;

use super::{ExtractedStatement, StatementSort, command_lessons::CommandLesson, generality};
use crate::client::Client;
use apostille_core::{
    evidence::{Evidence, SaidQuote},
    memory::{Channel, Draft, DuplicateChoice, Kind, Layer, Origin, Voice},
    space::Space,
};

/// How much of a session's id is named.
const ID_CHARS: usize = 8;

/// The draft of what was gleaned. What the system finds by itself always waits for a person (see `guard`), so it needs no
/// citation yet. `repo` is the repository that the session worked in, `user` the person in it,
/// and `author` the client or program that heard it.
///
/// How a person works goes with them into every repository; what is so in a project, and what the agent was corrected
/// about, belongs to the repository.
pub fn draft_extracted_statement(
    gleaned: &ExtractedStatement,
    repo: &Space,
    user: &Space,
    session: &str,
    author: impl Display,
) -> Draft {
    let (space, kind) = place_statement(gleaned, repo, user);
    let (id, voice) = (name_session(session), gleaned_voice(session, author));
    Draft {
        layer: Some(Layer::Knowledge),
        kind: Some(kind),
        reason: Some(format!("stated in session {id}, turn {}", gleaned.turn)),
        tags: vec!["gleaned".into(), gleaned.sort.to_string()],
        on_duplicate: DuplicateChoice::Skip,
        ..Draft::new(space.clone(), gleaned.fact.clone(), voice)
    }
}

/// The draft of what a person stated in the description of a task, with their words as evidence; it waits for a person, too.
pub fn draft_task_statement(
    stated: &ExtractedStatement,
    repo: &Space,
    user: &Space,
    task: &str,
    said: SaidQuote,
) -> Draft {
    let (space, kind) = place_statement(stated, repo, user);
    let voice = Voice::from_origin(Origin::System).with_channel(Channel::Record);
    Draft {
        layer: Some(Layer::Knowledge),
        kind: Some(kind),
        reason: Some(format!("stated in the description of task {task}")),
        found: Some(Evidence::Said(said)),
        tags: vec!["gleaned".into(), stated.sort.to_string()],
        on_duplicate: DuplicateChoice::Skip,
        ..Draft::new(space.clone(), stated.fact.clone(), voice)
    }
}

/// Whose a statement is, and of what kind.
fn place_statement<'s>(
    gleaned: &ExtractedStatement,
    repo: &'s Space,
    user: &'s Space,
) -> (&'s Space, Kind) {
    let fact = gleaned.fact.as_str();
    // "Always use snake_case in this repo" is how the person wants it, but only there.
    let is_local = generality::has_project_scope(&fact.to_ascii_lowercase());
    // "For all my repositories": theirs, whatever it is about.
    let is_everywhere = generality::has_every_project(&fact.to_ascii_lowercase());
    // "We only support Node 20" is a rule of the project, however it was put.
    let is_rule = ["We ", "Our ", "All ", "Every ", "In this "]
        .iter()
        .any(|it| fact.starts_with(it));
    match gleaned.sort {
        _ if is_everywhere => (user, Kind::User),
        StatementSort::Preference if !is_local && !is_rule => (user, Kind::User),
        StatementSort::Fact if !is_about_person(fact) => (repo, Kind::Project),
        StatementSort::Fact if !is_local => (user, Kind::User),
        _ => (repo, Kind::Feedback),
    }
}

/// The draft of what a session showed about commands; it waits for a person like all that the system finds by itself.
pub fn draft_command_lesson(
    lesson: &CommandLesson,
    repo: &Space,
    session: &str,
    client: Client,
) -> Draft {
    Draft {
        layer: Some(Layer::Knowledge),
        kind: Some(Kind::Reference),
        reason: Some(format!("seen in session {}", name_session(session))),
        tags: vec!["gleaned".into(), "command".into()],
        ran: Some(lesson.command.clone()),
        on_duplicate: DuplicateChoice::Skip,
        ..Draft::new(
            repo.clone(),
            lesson.fact.clone(),
            gleaned_voice(session, client),
        )
    }
}

/// A session by a part of its id.
fn name_session(session: &str) -> String {
    let id = session
        .chars()
        .filter(|it| it.is_ascii_alphanumeric() || *it == '-');
    id.take(ID_CHARS).collect()
}

fn gleaned_voice(session: &str, author: impl Display) -> Voice {
    Voice {
        session: Some(session.into()),
        author: Some(author.to_string()),
        ..Voice::from_origin(Origin::System).with_channel(Channel::Record)
    }
}

/// "The user works in Berlin time" is nothing about the repository.
fn is_about_person(fact: &str) -> bool {
    match fact.strip_prefix("The user said: ") {
        Some(said) => said.starts_with("\"I ") || said.starts_with("\"My "),
        None => fact.starts_with("The user ") || fact.starts_with("The user's "),
    }
}
