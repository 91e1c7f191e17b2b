//! Decisions about what waits. Copies share the fate of the one that leads them.

use apostille_core::memory::{Draft, Memory, MemoryId, Name};
use apostille_core::revise::{self, Revised};
use apostille_core::speaker::Person;
use apostille_core::{Context, list, review as queue, rollback};
use maud::html;

use super::{Failed, MOST, show};
use crate::memory::deeds::{Came, Tried, not_done};
use crate::parts::{Tone, notice};
use crate::undo;
use crate::undo::Deed;
use apostille_api::Fault;
use apostille_api::visit::{Asked, Reply, Visit};

/// Where a decision was made, and about what.
struct Case<'a> {
    visit: &'a Visit<'a>,
    by: &'a Person,
    cx: Context<'a>,
    memory: Memory,
    copies: Vec<Memory>,
    tried: Tried,
}

/// Decides, and goes back to where the next one stands now.
fn decided(
    visit: &Visit<'_>,
    asked: &Asked,
    verb: &'static str,
    decide: impl FnOnce(&Case<'_>) -> Result<Came, Fault>,
) -> Result<Reply, Fault> {
    let tried = Tried::new(verb, asked);
    let number = |name: &str| {
        tried
            .field(name)
            .and_then(|it| it.parse::<usize>().ok())
            .unwrap_or(0)
    };
    let (from, at) = (number("from"), number("at"));
    let Some(memory) = named(visit, asked.part("name"))?.pop() else {
        let told = notice(
            Tone::Bad,
            &html! { p { "It no longer waits: somebody decided, or it was forgotten." } },
        );
        return show(visit, from, 404, &told, None);
    };
    let copies = named(visit, tried.field("copies").unwrap_or_default())?;
    let cx = visit.here.ruled(visit.cx, &memory.space);
    let after = rollback::place(&cx, &memory.space)?;
    let case = Case {
        visit,
        by: visit.deciding_person()?,
        cx,
        memory,
        copies,
        tried,
    };
    match decide(&case)? {
        Came::Done(word, now, mut touched) => {
            touched.extend([case.memory.id, now.id]);
            touched.extend(case.memory.supersedes);
            touched.extend(case.copies.iter().map(|it| it.id));
            let deed = Deed {
                word,
                space: &case.memory.space,
                after,
                touched,
            };
            back(visit, from, at, &deed)
        }
        other => {
            let name = case.memory.handle().to_string();
            let told = not_done(visit, other)?;
            let failed = Failed {
                name,
                tried: &case.tried,
                told: told.clone(),
            };
            show(visit, from, 422, &told, Some(&failed))
        }
    }
}

/// The page of the queue, at the one that took the place.
fn back(visit: &Visit<'_>, from: usize, at: usize, deed: &Deed<'_>) -> Result<Reply, Fault> {
    Ok(undo::at_card(undo::go(visit, "/review", deed)?, from, at))
}

/// The memories with these names, separated by commas.
fn named(visit: &Visit<'_>, names: &str) -> Result<Vec<Memory>, Fault> {
    let mut found = Vec::new();
    for name in names.split(',').filter_map(|it| it.parse::<Name>().ok()) {
        found.extend(list::named(visit.cx, &visit.spaces(), name)?);
    }
    Ok(found)
}

impl Case<'_> {
    fn name(&self) -> Name {
        Name::Id(self.memory.id)
    }

    /// What is now in use takes in the copies.
    fn with_copies(&self, came: Came) -> Result<Came, Fault> {
        if let Came::Done(_, kept, _) = &came {
            for copy in self
                .copies
                .iter()
                .filter(|it| it.space == kept.space && it.id != kept.id)
            {
                revise::absorb(
                    &self.cx,
                    &self.visit.spaces(),
                    Name::Id(copy.id),
                    Name::Id(kept.id),
                )?;
            }
        }
        Ok(came)
    }
}

/// Lets it be used; its copies go up in it.
pub fn accept(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    decided(visit, asked, "accept", |case| {
        let revised = revise::approve(&case.cx, case.by, &visit.spaces(), case.name())?;
        case.with_copies(Came::revised("approved", revised))
    })
}

/// Turns it away, its copies too.
pub fn reject(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    decided(visit, asked, "reject", |case| {
        let reason = case.tried.text("reason").unwrap_or_default();
        let came = Came::revised(
            "rejected",
            revise::reject(&case.cx, case.by, &visit.spaces(), case.name(), &reason)?,
        );
        if let Came::Done(..) = &came {
            for copy in &case.copies {
                revise::reject(
                    &case.cx,
                    case.by,
                    &visit.spaces(),
                    Name::Id(copy.id),
                    &reason,
                )?;
            }
        }
        Ok(came)
    })
}

/// Lets it go up in one that is known, its copies too.
pub fn merge(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    decided(visit, asked, "merge", |case| {
        let Some(into) = case.tried.field("into").and_then(|it| it.parse().ok()) else {
            return Ok(Came::Unread(
                "say into which memory it is to be merged".into(),
            ));
        };
        let revised = revise::absorb(&case.cx, &visit.spaces(), case.name(), into)?;
        case.with_copies(Came::revised("merged", revised))
    })
}

/// Keeps what a person says instead.
pub fn edit(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    decided(visit, asked, "edit", |case| {
        let citations = match case.tried.places() {
            Ok(places) => places,
            Err(why) => return Ok(Came::Unread(why)),
        };
        let draft = Draft {
            citations,
            subject: case.tried.text("subject"),
            reason: case.tried.text("reason"),
            tags: case.memory.tags.clone(),
            ..Draft::new(
                case.memory.space.clone(),
                case.tried.text("fact").unwrap_or_default(),
                visit.voice(),
            )
        };
        // Whoever edits has seen what the lines do not say, and decides.
        let draft = draft.vouched_if(true, Some(case.by));
        let outcome = revise::reword(&case.cx, &visit.spaces(), case.name(), draft)?;
        case.with_copies(Came::kept("superseded", outcome, case.memory.id))
    })
}

/// Accepts everything that was shown as safe and still is.
pub fn safe(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let tried = Tried::new("safe", asked);
    let meant: Vec<&str> = tried
        .field("names")
        .unwrap_or_default()
        .split(',')
        .collect();
    let queue = queue::sorted(visit.cx, &visit.spaces(), MOST)?;
    let is_meant = |it: &&queue::Waiting| {
        it.is_safe() && meant.contains(&it.memory().handle().to_string().as_str())
    };
    let mut waiting = queue.iter().filter(is_meant).peekable();
    let Some(first) = waiting.peek().map(|it| it.memory().space.clone()) else {
        return Ok(undo::tell(visit, "/review", "none-safe"));
    };
    let by = visit.deciding_person()?;
    let after = rollback::place(visit.cx, &first)?;
    let mut touched: Vec<MemoryId> = Vec::new();
    for it in waiting {
        let cx = visit.here.ruled(visit.cx, &it.memory().space);
        let id = it.memory().id;
        if let Revised::Done(memory) = revise::approve(&cx, by, &visit.spaces(), Name::Id(id))? {
            for copy in &it.copies {
                revise::absorb(&cx, &visit.spaces(), Name::Id(copy.id), Name::Id(memory.id))?;
                touched.push(copy.id);
            }
            touched.extend([memory.id].into_iter().chain(memory.supersedes));
        }
    }
    undo::go(
        visit,
        "/review",
        &Deed {
            word: "accepted-safe",
            space: &first,
            after,
            touched,
        },
    )
}
