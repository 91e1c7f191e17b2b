//! The task tracker: what is being done, in which phase, and how it ended.
//!
//! ```
//! use apostille_tasks::task::gate::GateStart;
//! use apostille_tasks::task::{GateAction, GateEvent, Task, TaskSlug};
//! use jiff::Timestamp;
//!
//! let slug = TaskSlug::from_title("Fix the login race");
//! assert_eq!(slug.as_str(), "fix-the-login-race");
//! let gate = |what| GateEvent { at: Timestamp::UNIX_EPOCH, task: slug.clone(), session: None, what };
//!
//! let begun = GateStart { title: "Fix the login race".into(), ..GateStart::default() };
//! let task = Task::from_events(&[gate(GateAction::Started(begun)), gate(GateAction::Phase("test".into()))]).unwrap();
//! assert!(task.is_open());
//! assert_eq!(task.phase.as_deref(), Some("test"));
//! ```
//!
//! How the pieces fit: a [`task`] is folded from the gates it passed, one JSON line each in the checkout. The words of notes and
//! decisions are `episode` memories, so that secrets are refused and forgetting works; a gate has only the id. [`report`]
//! tells what was done, day by day, and [`notes_audit`] reads `NOTES.md` for what does not belong there.

pub mod notes_audit;
pub mod report;
pub mod task;
