//! What was done, told on the next page, with the way to take it back.
//!
//! The address of a page says what was done by a word of `DONE`, and where the log stood before and after it. So
//! nothing is kept between two requests, and an address that somebody else made can only tell what is in the table.

use apostille_core::list;
use apostille_core::memory::{Memory, MemoryId, MemoryName, Stage};
use apostille_core::rollback;
use apostille_core::space::Space;
use apostille_core::store::EventPage;
use maud::{Markup, html};

use super::components::{self, NoticeTone, link_with_query, render_notice};
use apostille_api::CallFault;
use apostille_api::access_token::Access;
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope};

/// What can have been done, and how it is told.
const DONE: &[(&str, &str)] = &[
    ("remembered", "Remembered: agents are shown it from now on."),
    (
        "superseded",
        "Kept. It takes the place of the one before, which stays in the history.",
    ),
    (
        "corrected",
        "Kept as a correction. The one before is marked as wrong and stays in the history.",
    ),
    (
        "pending",
        "Kept, but agents are not shown it yet: it waits, and why is said below. Approve it to put it to use, or edit it.",
    ),
    ("known", "That is known already; it was refreshed."),
    ("refreshed", "Refreshed: it ranks as fresh again."),
    (
        "invalidated",
        "Marked as wrong: agents are no longer shown it.",
    ),
    (
        "forgotten",
        "Forgotten: its text is gone everywhere, the log included. That cannot be undone.",
    ),
    ("approved", "Accepted: agents are shown it from now on."),
    ("rejected", "Rejected: it stays in the history as wrong."),
    (
        "restored",
        "Restored: it stands as it stood before it was set aside.",
    ),
    (
        "merged",
        "Merged: this one gained what still holds of the other's evidence.",
    ),
    ("promoted", "Promoted: it is kept for longer now."),
    ("accepted-safe", "Accepted all that was safe."),
    ("none-safe", "Nothing that is safe waits any more."),
    ("undone", "Taken back: it stands as it stood before."),
    (
        "retired",
        "Taken back: it is retired, so agents are no longer shown it. Its text stays in the history until you forget it.",
    ),
    ("nothing", "There was nothing left to take back."),
    (
        "moved-on",
        "Not taken back: it was changed again since, and that would be lost. See its history.",
    ),
];

/// Why something that was taken back no longer stands, for whoever reads the history.
const REASON: &str = "taken back in the panel";
/// How many memories can be taken back at once: what can only be taken back in part is not offered at all.
const MOST: usize = 500;

/// What was done, and to which memories of which space.
pub struct CompletedAction<'a> {
    /// A word of the table.
    pub word: &'static str,
    /// The space.
    pub space: &'a Space,
    /// Where its log stood before.
    pub after: u64,
    /// The memories that were changed.
    pub touched: Vec<MemoryId>,
}

/// Goes to a page that tells what was done.
pub fn redirect_with_undo(
    visit: &RequestScope<'_>,
    path: &str,
    deed: &CompletedAction<'_>,
) -> Result<HttpReply, CallFault> {
    let until = rollback::find_last_event_place(visit.cx, deed.space)?;
    let mut touched = deed.touched.clone();
    touched.sort();
    touched.dedup();
    let memories = visit.cx.store.get_by_ids(&touched)?;
    let can_undo = memories.len() <= MOST && memories.iter().all(|it| it.space == *deed.space);
    let names: Vec<String> = memories
        .iter()
        .filter(|_| can_undo)
        .map(|it| it.handle().to_string())
        .collect();
    let undo = if names.is_empty() {
        String::new()
    } else {
        format!("{}.{until}.{}", deed.after, names.join(","))
    };
    Ok(HttpReply::see_other(link_with_query(
        visit,
        path,
        &[("did", deed.word), ("undo", &undo)],
    ))
    .mark_changed())
}

/// Goes to a page that tells this, which cannot be taken back.
#[must_use]
pub fn redirect_with_message(
    visit: &RequestScope<'_>,
    path: &str,
    word: &'static str,
) -> HttpReply {
    HttpReply::see_other(link_with_query(visit, path, &[("did", word)]))
}

/// What was done, on the page that follows; nothing where nothing was. `back` is where undoing leads to.
#[must_use]
pub fn render_done_notice(visit: &RequestScope<'_>, asked: &RequestInput, back: &str) -> Markup {
    let word = asked.query_value("did").unwrap_or_default();
    let Some((word, told)) = DONE.iter().find(|it| it.0 == word) else {
        return html! {};
    };
    let tone = if *word == "moved-on" {
        NoticeTone::Bad
    } else {
        NoticeTone::Good
    };
    let undo = asked
        .query_value("undo")
        .and_then(|it| Some((it, UndoRange::from_text(it)?)));
    // An address that is opened again later tells old news.
    if undo
        .as_ref()
        .is_some_and(|it| is_stale_undo(visit, &it.1).unwrap_or(true))
    {
        return html! {};
    }
    let can_undo = |it: &UndoRange| it.after < it.until && visit.pass.allows_access(Access::Review);
    render_notice(
        tone,
        &html! {
            p { (told) }
            @if let Some((undo, _)) = undo.filter(|it| can_undo(&it.1)) {
                form method="post" action=(components::link_to_page(visit, "/undo")) {
                    (crate::components::form::seal(visit))
                    input type="hidden" name="undo" value=(undo);
                    input type="hidden" name="back" value=(back);
                    button.quiet type="submit" data-key="u" { "Undo" }
                }
            }
        },
    )
}

/// What is to be taken back: everything done to these memories between two places of the log.
struct UndoRange {
    after: u64,
    until: u64,
    names: Vec<MemoryName>,
}

impl UndoRange {
    fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '.');
        let (after, until) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let names = parts
            .next()?
            .split(',')
            .take(MOST)
            .map(str::parse)
            .collect::<Result<_, _>>()
            .ok()?;
        Some(Self {
            after,
            until,
            names,
        })
    }
}

/// Takes back what was done.
pub fn handle_undo_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let form = asked.form_fields();
    let field = |name: &str| {
        form.iter()
            .find(|it| it.0 == name)
            .map_or("", |it| it.1.as_str())
    };
    let way = UndoRange::from_text(field("undo"));
    let memories = way
        .as_ref()
        .map_or(Ok(Vec::new()), |it| find_memories_to_undo(visit, &it.names))?;
    let word = match way.filter(|_| !memories.is_empty()) {
        Some(way) => take_back_memories(visit, &memories, &way)?,
        None => "nothing",
    };
    let card = parse_card_position(field("back"));
    let path = card.map_or_else(
        || find_page_after_undo(visit, field("back"), &memories),
        |_| Ok("/review".into()),
    )?;
    let reply = reply_to_undo(visit, &path, word, &memories)?;
    Ok(match card {
        Some((from, at)) => redirect_to_card(reply, from, at),
        None => reply,
    })
}

/// The card of the queue that a page wants to be led back to: where its page begins, and its place there.
fn parse_card_position(back: &str) -> Option<(usize, usize)> {
    let (from, at) = back.strip_prefix("review.")?.split_once('.')?;
    Some((from.parse().ok()?, at.parse().ok()?))
}

/// The same, led to this card of the queue.
#[must_use]
pub fn redirect_to_card(mut reply: HttpReply, from: usize, at: usize) -> HttpReply {
    for (_, value) in reply.headers.iter_mut().filter(|it| it.0 == "location") {
        *value += &format!("&from={from}&at={at}#w-{}", at + 1);
    }
    reply
}

/// Tells what came of taking back.
fn reply_to_undo(
    visit: &RequestScope<'_>,
    path: &str,
    word: &'static str,
    memories: &[Memory],
) -> Result<HttpReply, CallFault> {
    if !matches!(word, "undone" | "retired") {
        return Ok(redirect_with_message(visit, path, word));
    }
    let Some(space) = memories.first().map(|it| it.space.clone()) else {
        return Ok(redirect_with_message(visit, path, word));
    };
    // Nothing stands between the two places, so this is told and cannot be taken back in turn.
    let after = rollback::find_last_event_place(visit.cx, &space)?;
    let touched = memories.iter().map(|it| it.id).collect();
    redirect_with_undo(
        visit,
        path,
        &CompletedAction {
            word,
            space: &space,
            after,
            touched,
        },
    )
}

/// What came of taking it back, as a word of the table.
fn take_back_memories(
    visit: &RequestScope<'_>,
    memories: &[Memory],
    way: &UndoRange,
) -> Result<&'static str, CallFault> {
    if has_later_changes(visit, memories, way.until)? {
        return Ok("moved-on");
    }
    let ids: Vec<MemoryId> = memories.iter().map(|it| it.id).collect();
    let Some(first) = memories.first() else {
        return Ok("nothing");
    };
    let taken = rollback::take_back_changes(visit.cx, &first.space, way.after, &ids, REASON)?;
    if taken.is_empty() {
        return Ok("nothing");
    }
    let is_aside = visit
        .cx
        .store
        .get_by_ids(&ids)?
        .iter()
        .all(|it| it.status.stage() == Stage::Retired);
    Ok(if is_aside { "retired" } else { "undone" })
}

/// The memory to go to: one that stands again, where the one that was looked at is set aside.
fn find_page_after_undo(
    visit: &RequestScope<'_>,
    back: &str,
    memories: &[Memory],
) -> Result<String, CallFault> {
    let ids: Vec<MemoryId> = memories.iter().map(|it| it.id).collect();
    let now = visit.cx.store.get_by_ids(&ids)?;
    let is_back = |it: &&Memory| it.handle().to_string() == back;
    let is_aside = |it: &&Memory| it.status.stage() == Stage::Retired;
    let standing = now.iter().find(|it| !is_aside(it));
    let to = now
        .iter()
        .find(is_back)
        .filter(|it| !is_aside(it))
        .or(standing);
    let to = to.or(now.first());
    Ok(to.map_or("/".into(), |it| format!("/memories/{}", it.handle())))
}

/// The memories with these names; all of one space, as a deed is.
fn find_memories_to_undo(
    visit: &RequestScope<'_>,
    names: &[MemoryName],
) -> Result<Vec<Memory>, CallFault> {
    let mut memories: Vec<Memory> = Vec::new();
    for name in names {
        memories.extend(list::find_named_memory(
            visit.cx,
            &visit.reachable_spaces(),
            *name,
        )?);
    }
    let space = memories.first().map(|it| it.space.clone());
    memories.retain(|it| Some(&it.space) == space.as_ref());
    Ok(memories)
}

/// Whether what was done is no longer how it stands: somebody changed one of them since, or forgot it.
fn is_stale_undo(visit: &RequestScope<'_>, way: &UndoRange) -> Result<bool, CallFault> {
    let memories = find_memories_to_undo(visit, &way.names)?;
    Ok(memories.len() < way.names.len() || has_later_changes(visit, &memories, way.until)?)
}

/// Whether somebody changed one of them since: taking back would lose that, too.
fn has_later_changes(
    visit: &RequestScope<'_>,
    memories: &[Memory],
    until: u64,
) -> Result<bool, CallFault> {
    for it in memories {
        let page = EventPage {
            memory: Some(it.id),
            changes_only: true,
            after: until,
            limit: 1,
            ..EventPage::default()
        };
        if !visit.cx.store.read_events(&it.space, &page)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
