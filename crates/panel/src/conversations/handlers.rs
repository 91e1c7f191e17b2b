//! What is done about a conversation: a passage becomes a memory, or words are forgotten.

use apostille_api::{
    Caller, forget_with_cleanup,
    request_scope::{HttpReply, RequestInput, RequestScope},
    said::{forget_conversation, list_quoting_episodes},
};
use apostille_core::{
    memory::{Draft, MemoryName},
    refusal::Refusal,
    remember::{classify, remember},
    speaker::PersonVerb,
};
use maud::html;

use super::{NamedConversation, find_record_in_path, render_missing_conversation};
use crate::{
    PanelResult,
    memory::handlers::{ActionOutcome, render_failed_action},
    remember::choose_target_space,
    submitted_form::SubmittedForm,
    undo::{LogPlace, redirect_with_message},
};

/// What was sent could be read, and was not done.
const UNPROCESSABLE: u16 = 422;

/// Keeps what the person said as a memory, with their words as evidence.
pub fn handle_remember_form(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let Some(named) = find_record_in_path(scope, asked)? else {
        return render_missing_conversation(scope);
    };
    let tried = SubmittedForm::new("remember", asked);
    let draft = match draft_from_passage_form(scope, &named, &tried) {
        Ok(draft) => draft,
        Err(why) => return named.render_refused(scope, ActionOutcome::Unread(why), &tried),
    };
    let cx = scope.caller.context_for_space(scope.cx, &draft.space);
    let before = LogPlace::find(&cx, &draft.space)?;
    match ActionOutcome::from_outcome("remembered", remember(&cx, draft)?, None) {
        ActionOutcome::Done(word, memory, mut touched) => {
            touched.push(memory.id);
            touched.extend(memory.supersedes.filter(|_| word != "known"));
            let path = format!("/memories/{}", memory.handle());
            before.redirect_with_undo(scope, &path, word, touched)
        }
        other => named.render_refused(scope, other, &tried),
    }
}

fn draft_from_passage_form(
    scope: &RequestScope,
    named: &NamedConversation,
    tried: &SubmittedForm,
) -> Result<Draft, String> {
    let kind = tried.parse_filled("kind")?;
    let draft = tried.parse_draft(scope, scope.caller.repo)?;
    let is_users = classify::belongs_to_user(None, kind, &draft.fact, false);
    Ok(Draft {
        space: choose_target_space(scope, tried, is_users)?,
        kind,
        said: Some(named.handle.to_string()),
        ..draft
    })
}

/// Forgets a passage or a conversation, and the episodes that quote it.
pub fn handle_forget_form(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    scope.deciding_person()?;
    let Some(named) = find_record_in_path(scope, asked)? else {
        return render_missing_conversation(scope);
    };
    let tried = SubmittedForm::new("forget", asked);
    if tried.field("sure").is_none() {
        let why = "tick the box first: what is forgotten cannot be brought back";
        return named.render_refused(scope, ActionOutcome::Unread(why.into()), &tried);
    }
    match named.forget(scope)? {
        Some(came) => named.render_refused(scope, came, &tried),
        None => Ok(named.redirect_after_forgetting(scope).mark_changed()),
    }
}

impl NamedConversation<'_> {
    /// Forgets what is named, and the episodes first: they can be refused. `None` where it was done.
    fn forget(&self, scope: &RequestScope) -> PanelResult<Option<ActionOutcome>> {
        let own = std::slice::from_ref(&self.record);
        let episodes = list_quoting_episodes(scope.cx.store, scope.caller.repo, own)?;
        let verb = PersonVerb::Forget;
        if !episodes
            .iter()
            .all(|it| scope.speaker().can_decide(verb, it))
        {
            let verb = verb.describe();
            let refusal = Refusal::PersonDecides { verb };
            return Ok(Some(ActionOutcome::Refused(refusal)));
        }
        // Of a session that goes on, hooks may have kept the words as well.
        let prompts = scope.caller.activity;
        if let Some(Err(error)) = prompts.map(|it| it.forget_prompts(&self.record.name)) {
            return Ok(Some(ActionOutcome::Unread(error.to_string())));
        }
        let caller = Caller {
            speaker: scope.speaker(),
            ..*scope.caller
        };
        for it in &episodes {
            let name = MemoryName::Id(it.id);
            if let Err(refusal) = forget_with_cleanup(scope.cx, &caller, name, "")? {
                return Ok(Some(ActionOutcome::Refused(refusal)));
            }
        }
        let (store, archive) = (scope.cx.store, self.archive);
        forget_conversation(store, archive, &self.record, self.handle)?;
        Ok(None)
    }

    fn redirect_after_forgetting(&self, scope: &RequestScope) -> HttpReply {
        let is_last = self.record.passages.len() <= 1;
        match self.handle.passage {
            Some(_) if !is_last => {
                let path = format!("/conversations/c-{}", self.handle.record);
                redirect_with_message(scope, &path, "forgotten-said")
            }
            _ => redirect_with_message(scope, "/conversations", "forgotten-said"),
        }
    }

    fn render_refused(
        &self,
        scope: &RequestScope,
        came: ActionOutcome,
        tried: &SubmittedForm,
    ) -> PanelResult {
        let told = render_failed_action(scope, came)?;
        self.render_page(scope, UNPROCESSABLE, &html! { (told) }, tried)
    }
}
