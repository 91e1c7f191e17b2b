//! Decisions about what waits. Copies share the fate of the one that leads them.

use apostille_audit::review as queue;
use apostille_core::{
    memory::{Memory, MemoryName},
    revise,
};

use super::{MOST, render_review_queue};
use crate::{
    PanelResult,
    components::render_problem,
    memory::handlers::{ActionCase, ActionOutcome, RunAction, render_failed_action},
    submitted_form::SubmittedForm,
    undo::{self, LogPlace},
};
use apostille_api::request_scope::{RequestInput, RequestScope};

/// Decides, and goes back to where the next one stands now.
pub fn run_review_decision(
    scope: &RequestScope,
    asked: &RequestInput,
    verb: &'static str,
    decide: RunAction,
) -> PanelResult {
    let tried = SubmittedForm::new(verb, asked);
    let number = |name: &str| {
        tried
            .field(name)
            .and_then(|it| it.parse().ok())
            .unwrap_or(0)
    };
    let (from, at): (usize, usize) = (number("from"), number("at"));
    let Some(memory) = find_listed_memories(scope, asked.path_part("name"))?.pop() else {
        let told =
            render_problem("It is no longer pending: it was decided or forgotten meanwhile.");
        return render_review_queue(scope, (from, false), 404, &told, None);
    };
    let copies = find_listed_memories(scope, tried.field("copies").unwrap_or_default())?;
    let case = ActionCase {
        copies,
        ..ActionCase::new(scope, memory, tried)
    };
    let before = LogPlace::find(&case.cx, &case.memory.space)?;
    // Not every verb of a decision takes a person, and every decision does.
    scope.deciding_person()?;
    match decide(&case)? {
        ActionOutcome::Done(word, now, mut touched) => {
            touched.extend([case.memory.id, now.id]);
            touched.extend(case.memory.supersedes);
            touched.extend(case.copies.iter().map(|it| it.id));
            let reply = before.redirect_with_undo(scope, "/review", word, touched)?;
            Ok(undo::redirect_to_card(reply, from, at))
        }
        other => {
            let told = render_failed_action(scope, other)?;
            render_review_queue(scope, (from, false), 422, &told, Some(&case))
        }
    }
}

/// The memories with these names, separated by commas.
fn find_listed_memories(scope: &RequestScope, names: &str) -> PanelResult<Vec<Memory>> {
    undo::find_named_memories(scope, names.split(',').filter_map(|it| it.parse().ok()))
}

/// What is now in use takes in the copies.
fn absorb_case_copies(case: &ActionCase, came: ActionOutcome) -> PanelResult<ActionOutcome> {
    if let ActionOutcome::Done(_, kept, _) = &came {
        let is_beside = |it: &&Memory| it.space == kept.space && it.id != kept.id;
        for copy in case.copies.iter().filter(is_beside) {
            let (copy, kept) = (MemoryName::Id(copy.id), MemoryName::Id(kept.id));
            let by = case.scope.deciding_person()?;
            revise::merge_pending_memory(&case.cx, by, &case.spaces, copy, kept)?;
        }
    }
    Ok(came)
}

/// Lets it be used; its copies go up in it.
pub fn decide_accept(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let by = case.scope.deciding_person()?;
    let revised = revise::approve_memory(&case.cx, by, &case.spaces, case.name());
    absorb_case_copies(case, ActionOutcome::from_revised("approved", revised)?)
}

/// Lets it go up in one that is known, its copies too.
pub fn decide_merge(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let Some(into) = case.tried.field("into").and_then(|it| it.parse().ok()) else {
        return Ok(ActionOutcome::Unread(
            "say into which memory it is to be merged".into(),
        ));
    };
    let by = case.scope.deciding_person()?;
    let revised = revise::merge_pending_memory(&case.cx, by, &case.spaces, case.name(), into);
    absorb_case_copies(case, ActionOutcome::from_revised("merged", revised)?)
}

/// Keeps what a person says instead.
pub fn decide_edit(case: &ActionCase) -> PanelResult<ActionOutcome> {
    let mut draft = match case.tried.parse_draft(case.scope, &case.memory.space) {
        Ok(draft) => draft,
        Err(why) => return Ok(ActionOutcome::Unread(why)),
    };
    draft.tags.clone_from(&case.memory.tags);
    // Whoever edits has seen what the lines do not say, and decides.
    let draft = draft.with_vouching(true, case.scope.person());
    let outcome = revise::reword_memory(&case.cx, &case.spaces, case.name(), draft)?;
    let came = ActionOutcome::from_outcome("superseded", outcome, Some(case.memory.id));
    absorb_case_copies(case, came)
}

/// Accepts everything that was shown as safe and still is.
pub fn handle_accept_safe_form(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let tried = SubmittedForm::new("safe", asked);
    let meant: Vec<&str> = tried
        .field("names")
        .unwrap_or_default()
        .split(',')
        .collect();
    let mut queue = queue::list_sorted_pending(scope.cx, &scope.reachable_spaces(), MOST)?;
    queue.retain(|it| it.is_safe() && meant.contains(&it.memory().handle().to_string().as_str()));
    let Some(first) = queue.first() else {
        return Ok(undo::redirect_with_message(scope, "/review", "none-safe"));
    };
    let before = LogPlace::find(scope.cx, &first.memory().space)?;
    let mut touched = Vec::new();
    for it in queue {
        let case = ActionCase {
            copies: it.copies,
            ..ActionCase::new(scope, it.verified.memory, SubmittedForm::default())
        };
        if let ActionOutcome::Done(_, memory, _) = decide_accept(&case)? {
            touched.extend(case.copies.iter().map(|it| it.id));
            touched.push(memory.id);
            touched.extend(memory.supersedes);
        }
    }
    before.redirect_with_undo(scope, "/review", "accepted-safe", touched)
}
