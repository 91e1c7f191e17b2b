//! The memory that a draft takes the place of.

use super::EarlyEnd;
use crate::{
    Context, list,
    memory::{DuplicateChoice, Memory, Status, Voice},
    refusal::Refusal,
    space::Space,
};

/// The active memory that a draft is to take the place of, if it is to. A person may also say instead what waits.
pub(super) fn find_replaced_memory(
    cx: &Context,
    on_duplicate: &DuplicateChoice,
    space: &Space,
    voice: &Voice,
) -> Result<Option<Memory>, EarlyEnd> {
    let Some(name) = on_duplicate.replaced_name() else {
        return Ok(None);
    };
    let old = list::find_named_or_refuse(cx, std::slice::from_ref(space), name)??;
    match old.status {
        Status::Active => Ok(Some(old)),
        Status::Pending { .. } if voice.is_person() => Ok(Some(old)),
        _ => Err(Refusal::NotActive {
            handle: old.handle(),
            stage: old.status.stage(),
            verb: "replaced",
        }
        .into()),
    }
}
