//! Stage two: layer and kind; what is better read elsewhere is turned away with the reason.

mod exclusion;
mod kind;
mod kind_cues;
mod pattern_table;

pub(super) use exclusion::refuse_trifle;
pub use exclusion::{find_exclusion, find_exclusion_of};
pub use kind::{belongs_to_user, guess_fact_kind};

use super::moderate::Moderated;
use crate::{
    memory::{Draft, Kind, Layer, ModerationMark, Origin, Voice, Vouching},
    refusal::Refusal,
};

/// A draft that knows what it is.
#[derive(Debug, Clone)]
pub struct Classified {
    pub(super) draft: Draft,
    pub(super) marks: Vec<ModerationMark>,
    pub(super) layer: Layer,
    pub(super) kind: Kind,
    pub(super) forced: bool,
}

/// Finds layer and kind, or turns the draft away.
pub fn classify_draft(Moderated { draft, marks }: Moderated) -> Result<Classified, Refusal> {
    let layer = draft.layer.unwrap_or(Layer::Knowledge);
    let kind = draft.kind.unwrap_or_else(|| guess_draft_kind(&draft));
    if draft.vouching != Vouching::Unasked
        && !(draft.vouching.is_given() && draft.voice.is_person())
    {
        return Err(Refusal::NotAPerson);
    }
    let claimed = (layer == Layer::Knowledge).then_some(&draft);
    // A pattern over many tasks stands in no single commit, and is for a person to judge.
    let claimed = claimed.filter(|it| it.found.is_none() || !is_gleaned(&it.voice, layer));
    let excluded =
        claimed.and_then(|it| find_exclusion_of(&it.voice, it.reason.as_deref(), &it.fact));
    match excluded {
        Some((what, why)) if !draft.vouching.is_given() => Err(Refusal::Excluded { what, why }),
        _ => Ok(Classified {
            forced: excluded.is_some(),
            layer,
            kind,
            draft,
            marks,
        }),
    }
}

/// Whether the program found it by itself. What it writes down of a task or a session is a record, not a finding.
pub(super) fn is_gleaned(voice: &Voice, layer: Layer) -> bool {
    voice.origin == Origin::System && layer.is_lasting()
}

/// The kind of a draft that does not say it: what a person corrects is feedback, what belongs to a user is a preference,
/// and what proves itself by code is of the project. Only where nothing else tells, its words do.
fn guess_draft_kind(draft: &Draft) -> Kind {
    if matches!(draft.voice.origin, Origin::UserCorrection | Origin::Review) {
        Kind::Feedback
    } else if draft.space.is_user() {
        Kind::User
    } else if draft.citations.is_empty() {
        guess_fact_kind(&draft.fact)
    } else {
        Kind::Project
    }
}
