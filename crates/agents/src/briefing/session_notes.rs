//! An agent's own notes of its session, given back when the client has dropped what was said.

use apostille_core::{
    Context, CoreError, memory::Memory, recall::render::render_layer_line,
    scratch::list_session_notes,
};
use apostille_text::shorten::shorten_text;

use super::{Briefing, BriefingAudience, page::BriefingPage};

/// What stands above them.
pub const NOTES: &str = "Your own notes of this session:";
/// How many are told.
const MAX_NOTES: usize = 10;
/// How much of each, in characters.
const MAX_NOTE: usize = 300;

impl BriefingAudience<'_> {
    /// Adds the notes of this session, the latest first, as many as have room.
    pub(super) fn push_session_notes(
        &self,
        cx: &Context,
        page: &mut BriefingPage,
    ) -> Result<(), CoreError> {
        // One that has just begun has none.
        let Some(last) = self.session.entries.last() else {
            return Ok(());
        };
        let spaces = [self.repo.clone(), self.user.clone()];
        let notes = list_session_notes(cx, &spaces, Some(&last.session), MAX_NOTES)?;
        page.push_section(NOTES, notes.iter().map(|it| format_note(&it.memory)));
        Ok(())
    }

    /// When a session goes on that still has the rest of what it was told: its notes alone.
    pub fn brief_session_notes(&self, cx: &Context) -> Result<Briefing, CoreError> {
        let Some(mut page) = BriefingPage::from_policy(cx.policy, self.session) else {
            return Ok(Briefing::default());
        };
        self.push_session_notes(cx, &mut page)?;
        Ok(Briefing {
            text: page.into_text(),
            ..Briefing::default()
        })
    }
}

fn format_note(note: &Memory) -> String {
    let fact = shorten_text(&note.fact, MAX_NOTE);
    let note = Memory {
        fact,
        ..note.clone()
    };
    render_layer_line(&note)
}
