//! Decisions about what waits. Copies share the fate of the one that leads them.

use apostille_audit::review as queue;
use apostille_core::memory::{Draft, Memory, MemoryId, MemoryName};
use apostille_core::revise::{self, ReviseOutcome};
use apostille_core::speaker::Person;
use apostille_core::{Context, list, rollback};
use maud::html;

use super::{FailedDecision, MOST, render_review_queue};
use crate::components::{NoticeTone, render_notice};
use crate::memory::handlers::{ActionOutcome, SubmittedForm, render_failed_action};
use crate::undo;
use crate::undo::CompletedAction;
use apostille_api::CallFault;
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope};

/// Where a decision was made, and about what.
struct ReviewCase<'a> {
    visit: &'a RequestScope<'a>,
    by: &'a Person,
    cx: Context<'a>,
    memory: Memory,
    copies: Vec<Memory>,
    tried: SubmittedForm,
}

/// Decides, and goes back to where the next one stands now.
fn run_review_decision(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
    verb: &'static str,
    decide: impl FnOnce(&ReviewCase<'_>) -> Result<ActionOutcome, CallFault>,
) -> Result<HttpReply, CallFault> {
    let tried = SubmittedForm::new(verb, asked);
    let number = |name: &str| {
        tried
            .field(name)
            .and_then(|it| it.parse::<usize>().ok())
            .unwrap_or(0)
    };
    let (from, at) = (number("from"), number("at"));
    let Some(memory) = find_memories_by_names(visit, asked.path_part("name"))?.pop() else {
        let told = render_notice(
            NoticeTone::Bad,
            &html! { p { "It no longer waits: somebody decided, or it was forgotten." } },
        );
        return render_review_queue(visit, from, 404, &told, None);
    };
    let copies = find_memories_by_names(visit, tried.field("copies").unwrap_or_default())?;
    let cx = visit.here.context_for_space(visit.cx, &memory.space);
    let after = rollback::find_last_event_place(&cx, &memory.space)?;
    let case = ReviewCase {
        visit,
        by: visit.deciding_person()?,
        cx,
        memory,
        copies,
        tried,
    };
    match decide(&case)? {
        ActionOutcome::Done(word, now, mut touched) => {
            touched.extend([case.memory.id, now.id]);
            touched.extend(case.memory.supersedes);
            touched.extend(case.copies.iter().map(|it| it.id));
            let deed = CompletedAction {
                word,
                space: &case.memory.space,
                after,
                touched,
            };
            redirect_to_queue(visit, from, at, &deed)
        }
        other => {
            let name = case.memory.handle().to_string();
            let told = render_failed_action(visit, other)?;
            let failed = FailedDecision {
                name,
                tried: &case.tried,
                told: told.clone(),
            };
            render_review_queue(visit, from, 422, &told, Some(&failed))
        }
    }
}

/// The page of the queue, at the one that took the place.
fn redirect_to_queue(
    visit: &RequestScope<'_>,
    from: usize,
    at: usize,
    deed: &CompletedAction<'_>,
) -> Result<HttpReply, CallFault> {
    Ok(undo::redirect_to_card(
        undo::redirect_with_undo(visit, "/review", deed)?,
        from,
        at,
    ))
}

/// The memories with these names, separated by commas.
fn find_memories_by_names(visit: &RequestScope<'_>, names: &str) -> Result<Vec<Memory>, CallFault> {
    let mut found = Vec::new();
    for name in names
        .split(',')
        .filter_map(|it| it.parse::<MemoryName>().ok())
    {
        found.extend(list::find_named_memory(
            visit.cx,
            &visit.reachable_spaces(),
            name,
        )?);
    }
    Ok(found)
}

impl ReviewCase<'_> {
    fn name(&self) -> MemoryName {
        MemoryName::Id(self.memory.id)
    }

    /// What is now in use takes in the copies.
    fn absorb_case_copies(&self, came: ActionOutcome) -> Result<ActionOutcome, CallFault> {
        if let ActionOutcome::Done(_, kept, _) = &came {
            for copy in self
                .copies
                .iter()
                .filter(|it| it.space == kept.space && it.id != kept.id)
            {
                revise::merge_pending_memory(
                    &self.cx,
                    &self.visit.reachable_spaces(),
                    MemoryName::Id(copy.id),
                    MemoryName::Id(kept.id),
                )?;
            }
        }
        Ok(came)
    }
}

/// Lets it be used; its copies go up in it.
pub fn handle_review_accept_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_review_decision(visit, asked, "accept", |case| {
        let revised =
            revise::approve_memory(&case.cx, case.by, &visit.reachable_spaces(), case.name())?;
        case.absorb_case_copies(ActionOutcome::from_revised("approved", revised))
    })
}

/// Turns it away, its copies too.
pub fn handle_review_reject_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_review_decision(visit, asked, "reject", |case| {
        let reason = case.tried.filled_text("reason").unwrap_or_default();
        let came = ActionOutcome::from_revised(
            "rejected",
            revise::reject_memory(
                &case.cx,
                case.by,
                &visit.reachable_spaces(),
                case.name(),
                &reason,
            )?,
        );
        if let ActionOutcome::Done(..) = &came {
            for copy in &case.copies {
                revise::reject_memory(
                    &case.cx,
                    case.by,
                    &visit.reachable_spaces(),
                    MemoryName::Id(copy.id),
                    &reason,
                )?;
            }
        }
        Ok(came)
    })
}

/// Lets it go up in one that is known, its copies too.
pub fn handle_review_merge_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_review_decision(visit, asked, "merge", |case| {
        let Some(into) = case.tried.field("into").and_then(|it| it.parse().ok()) else {
            return Ok(ActionOutcome::Unread(
                "say into which memory it is to be merged".into(),
            ));
        };
        let revised =
            revise::merge_pending_memory(&case.cx, &visit.reachable_spaces(), case.name(), into)?;
        case.absorb_case_copies(ActionOutcome::from_revised("merged", revised))
    })
}

/// Keeps what a person says instead.
pub fn handle_review_edit_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    run_review_decision(visit, asked, "edit", |case| {
        let citations = match case.tried.parse_places() {
            Ok(places) => places,
            Err(why) => return Ok(ActionOutcome::Unread(why)),
        };
        let draft = Draft {
            citations,
            subject: case.tried.filled_text("subject"),
            reason: case.tried.filled_text("reason"),
            tags: case.memory.tags.clone(),
            ..Draft::new(
                case.memory.space.clone(),
                case.tried.filled_text("fact").unwrap_or_default(),
                visit.voice(),
            )
        };
        // Whoever edits has seen what the lines do not say, and decides.
        let draft = draft.with_vouching(true, Some(case.by));
        let outcome =
            revise::reword_memory(&case.cx, &visit.reachable_spaces(), case.name(), draft)?;
        case.absorb_case_copies(ActionOutcome::from_outcome(
            "superseded",
            outcome,
            case.memory.id,
        ))
    })
}

/// Accepts everything that was shown as safe and still is.
pub fn handle_accept_safe_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let tried = SubmittedForm::new("safe", asked);
    let meant: Vec<&str> = tried
        .field("names")
        .unwrap_or_default()
        .split(',')
        .collect();
    let queue = queue::list_sorted_pending(visit.cx, &visit.reachable_spaces(), MOST)?;
    let is_meant = |it: &&queue::ReviewItem| {
        it.is_safe() && meant.contains(&it.memory().handle().to_string().as_str())
    };
    let mut waiting = queue.iter().filter(is_meant).peekable();
    let Some(first) = waiting.peek().map(|it| it.memory().space.clone()) else {
        return Ok(undo::redirect_with_message(visit, "/review", "none-safe"));
    };
    let by = visit.deciding_person()?;
    let after = rollback::find_last_event_place(visit.cx, &first)?;
    let mut touched: Vec<MemoryId> = Vec::new();
    for it in waiting {
        let cx = visit.here.context_for_space(visit.cx, &it.memory().space);
        let id = it.memory().id;
        if let ReviseOutcome::Done(memory) =
            revise::approve_memory(&cx, by, &visit.reachable_spaces(), MemoryName::Id(id))?
        {
            for copy in &it.copies {
                revise::merge_pending_memory(
                    &cx,
                    &visit.reachable_spaces(),
                    MemoryName::Id(copy.id),
                    MemoryName::Id(memory.id),
                )?;
                touched.push(copy.id);
            }
            touched.extend([memory.id].into_iter().chain(memory.supersedes));
        }
    }
    undo::redirect_with_undo(
        visit,
        "/review",
        &CompletedAction {
            word: "accepted-safe",
            space: &first,
            after,
            touched,
        },
    )
}
