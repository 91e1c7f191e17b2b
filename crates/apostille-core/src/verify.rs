//! Verify: look up the citations of memories, and write down what was found.

use crate::event::{Batch, Event, What};
use crate::look::{FAR, Reader};
use crate::memory::Memory;
use crate::verdict::{Verdict, standing};
use crate::{Context, Error};

/// A memory with what was found at its citations.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// The memory.
    pub memory: Memory,
    /// One verdict for each citation, in order.
    pub verdicts: Vec<Verdict>,
}

impl Verified {
    /// The word for how it stands.
    #[must_use]
    pub fn standing(&self) -> &'static str {
        standing(&self.verdicts)
    }

    /// Whether its citations hold.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.verdicts.iter().all(Verdict::is_good)
    }

    /// Whether there is evidence against it. What could not be looked up is no evidence.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        self.verdicts.iter().any(Verdict::is_bad)
    }
}

/// Looks up the citations of these memories. `seen` is told of each one as it is done, for progress.
pub fn verify(
    cx: &Context<'_>,
    memories: Vec<Memory>,
    mut seen: impl FnMut(&Verified),
) -> Result<Vec<Verified>, Error> {
    let mut reader = Reader::new(cx, FAR);
    let verdicts = reader.verdicts(&memories.iter().collect::<Vec<_>>());
    let mut verified = Vec::with_capacity(memories.len());
    for (memory, verdicts) in memories.into_iter().zip(verdicts) {
        let it = Verified { memory, verdicts };
        seen(&it);
        verified.push(it);
    }
    let known = verified.iter().filter(|it| !it.verdicts.is_empty() && (it.is_good() || it.is_bad()));
    let events: Vec<Event> = known.map(|it| event(cx, &it.memory, &it.verdicts)).collect();
    if !events.is_empty() {
        cx.store.append(&Batch::telemetry(events))?;
    }
    Ok(verified)
}

/// What was found, as an event.
pub(crate) fn event(cx: &Context<'_>, memory: &Memory, verdicts: &[Verdict]) -> Event {
    let places = memory.citations.iter().zip(verdicts);
    let found =
        places.map(|(citation, verdict)| format!("{} {}", verdict.as_str(), citation.place())).collect();
    let valid = verdicts.iter().all(Verdict::is_good);
    let commit = cx.source.tree().ok().and_then(|tree| tree.commit);
    cx.event(&memory.space, Some(memory.id), What::Verified { valid, found, commit })
}
