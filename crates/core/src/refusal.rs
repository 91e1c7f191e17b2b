//! Why a draft was turned away: a value that says what was wrong and the way out, never the text itself.

use crate::{memory::Handle, speaker::Question};
use apostille_cite::standing::Standing;
use apostille_text::{moderate::MAX_BYTES, secrets, words::words};

words! {
    /// What is better read elsewhere than remembered.
    Exclusion as "exclusion" {
        /// It can be read from the code at any time.
        CodeState = "derivable code state",
        /// Git knows it.
        GitHistory = "git history",
        /// It will be stale tomorrow.
        TaskState = "ephemeral task state",
        /// It says nothing.
        Trifle = "a word or two, not a fact",
    }
}

impl Exclusion {
    /// Whether it is said elsewhere, so that a reason why it matters makes it worth keeping.
    pub fn is_derivable(self) -> bool {
        matches!(self, Self::CodeState | Self::GitHistory)
    }
}

/// Refuses a text that holds a secret, or that is too long to be looked through.
pub fn check_text(field: &'static str, text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_BYTES {
        return Err(Refusal::TooLong {
            field,
            chars: text.chars().count(),
            limit: MAX_BYTES,
        });
    }
    match secrets::find_secret(text) {
        Some(rule) => Err(Refusal::Secret { field, rule }),
        None => Ok(()),
    }
}

/// Refuses a text of more characters than this.
pub(crate) fn check_length(field: &'static str, text: &str, limit: usize) -> Result<(), Refusal> {
    let chars = text.chars().count();
    if chars > limit {
        return Err(Refusal::TooLong {
            field,
            chars,
            limit,
        });
    }
    Ok(())
}

/// Why a draft was turned away.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It looks as if it held a secret.
    #[error("text appears to contain a secret — not stored")]
    Secret {
        /// In which field.
        field: &'static str,
        /// The rule that matched.
        rule: &'static str,
    },
    /// A field is empty.
    #[error("{field} is empty; {}", advise_on_empty_field(.field))]
    Empty {
        /// Which field.
        field: &'static str,
    },
    /// A field is too long.
    #[error(
        "{field} has {chars} characters, at most {limit} are kept; shorten it or split it into several memories"
    )]
    TooLong {
        /// Which field.
        field: &'static str,
        /// How long it is.
        chars: usize,
        /// How long it may be.
        limit: usize,
    },
    /// It says several things at once, of which one may cease to be so while the others stay.
    #[error(
        "the fact has {sentences} sentences, at most {limit} are kept in one memory; split it into several"
    )]
    SeveralFacts {
        /// How many sentences it has.
        sentences: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Too many of something.
    #[error("{n} {field}, at most {limit} are kept")]
    TooMany {
        /// Of what.
        field: &'static str,
        /// How many there are.
        n: usize,
        /// How many there may be.
        limit: usize,
    },
    /// It is better read elsewhere.
    #[error("this reads like {what} ({why})")]
    Excluded {
        /// What it is.
        what: Exclusion,
        /// The way out.
        why: &'static str,
    },
    /// A repository fact without proof.
    #[error(
        "a {kind} memory needs a citation of the code that proves it, as in src/api.rs:12-18, or words of the user or a run of \
         a command in this session that show it"
    )]
    NeedsCitation {
        /// The kind.
        kind: crate::memory::Kind,
    },
    /// Words are quoted that the user did not say.
    #[error(
        "the user did not say these words in this session; quote them as they stand in the user's message"
    )]
    NotSaid,
    /// A passage of a past conversation is named as proof that is none.
    #[error("{passage} does not prove it: {why}")]
    NoProofInPassage {
        /// Its name.
        passage: String,
        /// What is wrong with it, and the way out.
        why: &'static str,
    },
    /// A command is named as proof that was not seen to run.
    #[error(
        "no run of `{command}` is in the record of this session; a whole command in the foreground counts, not a part of a \
         pipe or a chain"
    )]
    NotRun {
        /// The command.
        command: String,
    },
    /// A citation that does not stand.
    #[error("cannot cite {place}: {why}")]
    BadCitation {
        /// What was cited.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// It does not stand in this checkout, so that nobody can call it fresh or of use here.
    #[error("{handle} {}", explain_standing(*.standing))]
    DoesNotStand {
        /// Which.
        handle: String,
        /// How it stands.
        standing: Standing,
    },
    /// Identity belongs to a person.
    #[error(
        "the identity layer belongs to a user, not to a repository; remember it for users/<name>"
    )]
    IdentityNeedsUser,
    /// The identity text is too long.
    #[error(
        "the identity has {chars} characters, and {limit} are the most; leave out or shorten some of its entries"
    )]
    IdentityTooLong {
        /// How long its entries are together.
        chars: usize,
        /// How long they may be.
        limit: usize,
    },
    /// The identity text that was edited is not the one that is kept by now.
    #[error(
        "the identity was changed while you edited it, and nothing was saved; read it again and make your change there"
    )]
    IdentityChanged,
    /// The identity layer is full.
    #[error(
        "the identity layer holds {used} of {limit} characters and this needs {wanted} more; \
         merge or forget some of: {}", .entries.join(", ")
    )]
    IdentityFull {
        /// Characters in use.
        used: usize,
        /// Characters there may be.
        limit: usize,
        /// Characters asked for.
        wanted: usize,
        /// What is there, handle and beginning.
        entries: Vec<String>,
    },
    /// The memory to act on is not there.
    #[error("there is no memory {name} here; `apostille list` shows the handles")]
    NoSuchMemory {
        /// As it was named.
        name: String,
    },
    /// The memory is not in a stage where this can be done.
    #[error("{handle} is {stage}, only an active memory can be {verb}")]
    NotActive {
        /// Which.
        handle: Handle,
        /// Where it stands.
        stage: crate::memory::Stage,
        /// What was to be done to it.
        verb: &'static str,
    },
    /// There is nothing to decide.
    #[error("{handle} is {stage}, only a pending memory can be {verb}")]
    NotPending {
        /// Which.
        handle: Handle,
        /// Where it stands.
        stage: crate::memory::Stage,
        /// What was to be done to it.
        verb: &'static str,
    },
    /// What is found here proves nothing for good.
    #[error(
        "memories are invalidated from the default branch with nothing half done in it, but {why}"
    )]
    NotSettled {
        /// What this is instead.
        why: String,
    },
    /// Another task is worked on here.
    #[error(
        "the task {slug} is open here; end it with `apostille task done`, or add --switch to leave it open"
    )]
    TaskOpen {
        /// Which.
        slug: String,
    },
    /// There is no such task.
    #[error("there is no task {slug} here; `apostille task list --all` shows them")]
    NoSuchTask {
        /// As it was named.
        slug: String,
    },
    /// No task is worked on.
    #[error("no task is active here; `apostille task start \"what is to be done\"` begins one")]
    NoTask,
    /// The task has ended.
    #[error("the task {slug} is {status} already; `apostille task start \"…\"` begins another")]
    TaskEnded {
        /// Which.
        slug: String,
        /// How it stands.
        status: crate::task_words::TaskStatus,
    },
    /// The task has no such phase.
    #[error(
        "{name} is none of the phases {}; {}--new adds it", .phases.join(", "),
        .near.as_ref().map(|it| format!("did you mean {it}? ")).unwrap_or_default()
    )]
    NoSuchPhase {
        /// As it was named.
        name: String,
        /// The phase that is spelt much like it.
        near: Option<String>,
        /// Those that were planned.
        phases: Vec<String>,
    },
    /// A note lacks what knowledge needs.
    #[error(
        "{handle} cannot become knowledge yet: it has no {}; add {}", .fields.join(", no "),
        .fields.iter().map(|it| flag_for_field(it)).collect::<Vec<_>>().join(" ")
    )]
    MissingFields {
        /// Which.
        handle: Handle,
        /// What it lacks.
        fields: Vec<&'static str>,
    },
    /// It cannot go up from where it is.
    #[error(
        "{handle} is in the {from} layer and cannot be promoted to {to}; scratch becomes an episode, and both become knowledge"
    )]
    NotPromotable {
        /// Which.
        handle: Handle,
        /// Where it is.
        from: crate::memory::Layer,
        /// Where it was to go.
        to: crate::memory::Layer,
    },
    /// It tells of something that did not work.
    #[error(
        "{handle} tells of something that failed or was given up, which is no rule; say with --fact what is to be known"
    )]
    FailedEpisode {
        /// Which.
        handle: Handle,
    },
    /// What was rejected is said by another meanwhile.
    #[error("{handle} was rejected, and {twin} says the same since: decide about {twin}")]
    SaidAgain {
        /// Which.
        handle: Handle,
        /// The other.
        twin: Handle,
    },
    /// Only a person may do this.
    #[error("only a person's word can override a check; an agent cites the code or lets it be")]
    NotAPerson,
    /// Too much was found wrong at once, or too much was written.
    #[error(
        "a breaker is open: {why}; nothing is marked as wrong until a person closes it with `apostille breaker close`"
    )]
    BreakerOpen {
        /// What was seen.
        why: String,
    },
    /// It would stand before every later session, and reads like an order.
    #[error("{field} reads like an instruction to a model; say in other words what is to be done")]
    Instruction {
        /// Which field.
        field: &'static str,
    },
    /// Only a person may decide this, who can be asked.
    #[error("only a person can {}; ask yours to do it at a terminal", .0.verb().describe())]
    AsksPerson(Box<Question>),
    /// Only a person may decide this.
    #[error("only a person can {verb}; ask yours to do it at a terminal")]
    PersonDecides {
        /// What was to be done.
        verb: &'static str,
    },
}

fn explain_standing(standing: Standing) -> String {
    match standing {
        Standing::Unknown => {
            "cannot be looked up here; do it in a checkout of its repository".into()
        }
        other => format!("is {other} here; confirm it, correct it, or invalidate it"),
    }
}

impl Refusal {
    /// Nothing has this name.
    pub(crate) fn no_such_memory(name: impl ToString) -> Self {
        Self::NoSuchMemory {
            name: name.to_string(),
        }
    }

    /// The class of it, for logs and faces.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Secret { .. } => "secret",
            Self::Empty { .. } => "empty",
            Self::TooLong { .. } => "too_long",
            Self::SeveralFacts { .. } => "several_facts",
            Self::TooMany { .. } => "too_many",
            Self::Excluded { .. } => "excluded",
            Self::NeedsCitation { .. } => "needs_citation",
            Self::NotSaid | Self::NoProofInPassage { .. } => "not_said",
            Self::NotRun { .. } => "not_run",
            Self::BadCitation { .. } => "bad_citation",
            Self::DoesNotStand { .. } => "does_not_hold",
            Self::IdentityNeedsUser => "identity_needs_user",
            Self::IdentityFull { .. } | Self::IdentityTooLong { .. } => "identity_full",
            Self::IdentityChanged => "identity_changed",
            Self::NoSuchMemory { .. } => "no_such_memory",
            Self::NotActive { .. } => "not_active",
            Self::NotPending { .. } | Self::SaidAgain { .. } => "not_pending",
            Self::NotSettled { .. } => "not_settled",
            Self::TaskOpen { .. } => "task_open",
            Self::NoSuchTask { .. } => "no_such_task",
            Self::NoTask => "no_task",
            Self::TaskEnded { .. } => "task_ended",
            Self::NoSuchPhase { .. } => "no_such_phase",
            Self::MissingFields { .. } => "missing_fields",
            Self::NotPromotable { .. } => "not_promotable",
            Self::FailedEpisode { .. } => "failed_episode",
            Self::Instruction { .. } => "instruction",
            Self::BreakerOpen { .. } => "breaker_open",
            Self::NotAPerson | Self::PersonDecides { .. } | Self::AsksPerson(_) => "not_a_person",
        }
    }
}

/// What to say in a field that is empty.
fn advise_on_empty_field(field: &str) -> &'static str {
    match field {
        "fact" => "say what was learned in a sentence",
        "reason" => "say why, in a few words",
        "subject" => "name the topic in a few words",
        _ => "say it in a few words",
    }
}

/// The flag that gives a field.
pub fn flag_for_field(field: &str) -> &'static str {
    match field {
        "subject" => "--subject \"…\"",
        "reason" => "--reason \"…\"",
        "fact" => "--fact \"…\"",
        "kind" => "--kind KIND",
        _ => "--cite PATH:LINES",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_asked_for_by_field() {
        let check =
            |field, expected: &str| assert_eq!(Refusal::Empty { field }.to_string(), expected);
        check("fact", "fact is empty; say what was learned in a sentence");
        check("reason", "reason is empty; say why, in a few words");
        check("subject", "subject is empty; name the topic in a few words");
        check("title", "title is empty; say it in a few words");
    }
}
