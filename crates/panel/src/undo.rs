//! What was done, told on the next page, with the way to take it back.
//!
//! The address of a page says what was done by a word of `DONE`, and where the log stood before and after it. So
//! nothing is kept between two requests, and an address that somebody else made can only tell what is in the table.

use apostille_core::list;
use apostille_core::{
    Context,
    memory::{Memory, MemoryId, MemoryName, Stage},
    rollback,
    space::Space,
    store::EventPage,
};
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{can_review, link_with_query, render_notice, render_post_form},
    submitted_form::SubmittedForm,
};
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
    (
        "beside",
        "Kept beside the one before, which stays in use until the default branch has the code that this one cites. A reader is shown the one that is true in their tree.",
    ),
    (
        "confirmed",
        "Confirmed: it cites the lines as they are now.",
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
    (
        "forgotten-said",
        "Forgotten: no byte of these words is left, nor of the episode that quoted them. That cannot be undone.",
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

/// Where the log of a space stood before something was done there.
pub struct LogPlace {
    space: Space,
    after: u64,
}

impl LogPlace {
    /// Where it stands now.
    pub fn find(cx: &Context, space: &Space) -> PanelResult<Self> {
        let after = rollback::find_last_event_place(cx, space)?;
        let space = space.clone();
        Ok(Self { space, after })
    }

    /// Goes to a page that tells by a word of the table what was done to these memories, and takes it back.
    pub fn redirect_with_undo(
        &self,
        scope: &RequestScope,
        path: &str,
        word: &'static str,
        mut touched: Vec<MemoryId>,
    ) -> PanelResult {
        let until = rollback::find_last_event_place(scope.cx, &self.space)?;
        touched.sort();
        touched.dedup();
        let memories = scope.cx.store.get_by_ids(&touched)?;
        let can_undo = (1..=MOST).contains(&memories.len())
            && memories.iter().all(|it| it.space == self.space);
        let names: Vec<String> = memories.iter().map(|it| it.handle().to_string()).collect();
        let undo = format!("{}.{until}.{}", self.after, names.join(","));
        let said = [("did", word), ("undo", if can_undo { &undo } else { "" })];
        Ok(HttpReply::see_other(link_with_query(scope, path, &said)).mark_changed())
    }
}

/// Goes to a page that tells this, which cannot be taken back.
pub fn redirect_with_message(scope: &RequestScope, path: &str, word: &'static str) -> HttpReply {
    HttpReply::see_other(link_with_query(scope, path, &[("did", word)]))
}

/// What was done, on the page that follows; nothing where nothing was. `back` is where undoing leads to.
pub fn render_done_notice(scope: &RequestScope, asked: &RequestInput, back: &str) -> Markup {
    let word = asked.query_value("did").unwrap_or_default();
    let Some((word, told)) = DONE.iter().find(|it| it.0 == word) else {
        return html! {};
    };
    let tone = if *word == "moved-on" { "bad" } else { "good" };
    let undo = asked
        .query_value("undo")
        .and_then(|it| Some((it, UndoRange::from_text(it)?)));
    // An address that is opened again later tells old news.
    if undo
        .as_ref()
        .is_some_and(|it| is_stale_undo(scope, &it.1).unwrap_or(true))
    {
        return html! {};
    }
    let undo = undo.filter(|(_, it)| it.after < it.until && can_review(scope));
    let body = html! {
        p { (told) }
        @if let Some((undo, _)) = undo {
            (render_post_form(scope, "/undo", &html! {
                input type="hidden" name="undo" value=(undo);
                input type="hidden" name="back" value=(back);
                button.quiet type="submit" data-key="u" { "Undo" }
            }))
        }
    };
    render_notice(tone, &body)
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
        let names = parts.next()?.split(',').take(MOST).map(str::parse);
        Some(Self {
            after,
            until,
            names: names.collect::<Result<_, _>>().ok()?,
        })
    }
}

/// Takes back what was done.
pub fn handle_undo_form(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let form = SubmittedForm::new("undo", asked);
    let field = |name: &str| form.field(name).unwrap_or_default();
    let range = UndoRange::from_text(field("undo"));
    let memories = match &range {
        Some(range) => find_memories_to_undo(scope, range)?,
        None => Vec::new(),
    };
    let ids: Vec<MemoryId> = memories.iter().map(|it| it.id).collect();
    let word = match (&range, memories.first()) {
        (Some(range), Some(first)) if !has_later_changes(scope, &memories, range.until)? => {
            take_back_memories(scope, &first.space, range.after, &ids)?
        }
        (Some(_), Some(_)) => "moved-on",
        _ => "nothing",
    };
    let card = parse_card_position(field("back"));
    let path = match card {
        Some(_) => "/review".into(),
        None => find_page_after_undo(scope, field("back"), &ids)?,
    };
    let reply = match memories.first() {
        // Nothing stands between the two places, so this is told and cannot be taken back in turn.
        Some(first) if matches!(word, "undone" | "retired") => {
            LogPlace::find(scope.cx, &first.space)?.redirect_with_undo(scope, &path, word, ids)?
        }
        _ => redirect_with_message(scope, &path, word),
    };
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
pub fn redirect_to_card(mut reply: HttpReply, from: usize, at: usize) -> HttpReply {
    for (_, value) in reply.headers.iter_mut().filter(|it| it.0 == "location") {
        *value += &format!("&from={from}&at={at}#w-{}", at + 1);
    }
    reply
}

/// What came of taking it back, as a word of the table.
fn take_back_memories(
    scope: &RequestScope<'_>,
    space: &Space,
    after: u64,
    ids: &[MemoryId],
) -> PanelResult<&'static str> {
    if rollback::take_back_changes(scope.cx, space, after, ids, REASON)?.is_empty() {
        return Ok("nothing");
    }
    let now = scope.cx.store.get_by_ids(ids)?;
    Ok(if now.iter().all(is_set_aside) {
        "retired"
    } else {
        "undone"
    })
}

fn is_set_aside(memory: &Memory) -> bool {
    memory.status.stage() == Stage::Retired
}

/// The memory to go to: one that stands again, where the one that was looked at is set aside.
fn find_page_after_undo(scope: &RequestScope, back: &str, ids: &[MemoryId]) -> PanelResult<String> {
    let now = scope.cx.store.get_by_ids(ids)?;
    let mut standing: Vec<&Memory> = now.iter().filter(|it| !is_set_aside(it)).collect();
    standing.sort_by_key(|it| it.handle().to_string() != back);
    let to = standing.first().copied().or(now.first());
    Ok(to.map_or("/".into(), |it| format!("/memories/{}", it.handle())))
}

/// The memories with these names that the visitor reaches.
pub fn find_named_memories(
    scope: &RequestScope,
    names: impl IntoIterator<Item = MemoryName>,
) -> PanelResult<Vec<Memory>> {
    let spaces = scope.reachable_spaces();
    let mut found = Vec::new();
    for name in names {
        found.extend(list::find_named_memory(scope.cx, &spaces, name)?);
    }
    Ok(found)
}

/// The memories of this range; all of one space, as a deed is.
fn find_memories_to_undo(scope: &RequestScope, range: &UndoRange) -> PanelResult<Vec<Memory>> {
    let mut memories = find_named_memories(scope, range.names.iter().copied())?;
    let space = memories.first().map(|it| it.space.clone());
    memories.retain(|it| Some(&it.space) == space.as_ref());
    Ok(memories)
}

/// Whether what was done is no longer how it stands: somebody changed one of them since, or forgot it.
fn is_stale_undo(scope: &RequestScope, range: &UndoRange) -> PanelResult<bool> {
    let memories = find_memories_to_undo(scope, range)?;
    Ok(memories.len() < range.names.len() || has_later_changes(scope, &memories, range.until)?)
}

/// Whether somebody changed one of them since: taking back would lose that, too.
fn has_later_changes(scope: &RequestScope, memories: &[Memory], until: u64) -> PanelResult<bool> {
    for it in memories {
        let page = EventPage {
            memory: Some(it.id),
            changes_only: true,
            after: until,
            limit: 1,
            ..EventPage::default()
        };
        if !scope.cx.store.read_events(&it.space, &page)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
