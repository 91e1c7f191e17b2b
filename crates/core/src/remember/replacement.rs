//! The memory that a draft takes the place of.

use super::EarlyEnd;
use crate::memory::{Memory, MemoryName, Status, Voice};
use crate::refusal::Refusal;
use crate::space::Space;
use crate::{Context, list};

/// The active memory that a draft takes the place of. A person may also say instead what waits.
pub(super) fn find_replaceable_memory(
    cx: &Context<'_>,
    space: &Space,
    name: MemoryName,
    voice: &Voice,
) -> Result<Memory, EarlyEnd> {
    let old = list::find_named_memory(cx, std::slice::from_ref(space), name)?
        .filter(|it| it.space == *space);
    let old = old.ok_or_else(|| Refusal::NoSuchMemory {
        name: name.to_string(),
    })?;
    match old.status {
        Status::Active => Ok(old),
        Status::Pending { .. } if voice.is_person() => Ok(old),
        _ => Err(Refusal::NotActive {
            handle: old.handle(),
            stage: old.status.stage(),
            verb: "replaced",
        }
        .into()),
    }
}
