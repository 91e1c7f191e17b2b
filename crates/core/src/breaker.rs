//! Breakers: when somebody who is no person suddenly writes as nobody honest does, what they write from then on waits.
//! Reading goes on, and so does what was kept before. A person closes a breaker, or it closes by itself once its actor was
//! quiet for long enough. What a person says is never held up, and never counted.
//!
//! The threat is an agent that was talked into something: by a poisoned page, by an issue's text, by another agent. Single
//! writes look harmless then, so no rule about one text catches them. What gives them away is the change of behaviour: many
//! writes in a few minutes, the same sentence in many dresses, everything suddenly about one new subject, or an actor whose
//! writes were fine until yesterday and are nearly all in doubt today.
//!
//! So a breaker compares an actor with itself. A space without a past trips nothing but the plain limit on bursts: a first
//! session in a new repository is always sudden. Memories that their author replaced do not count, because an agent that
//! corrects itself five times wrote one thing. And the counting goes by what cannot be chosen freely: the client that is
//! connected or the token, then the session; a name that somebody gives himself counts for nothing.
//!
//! A tripped breaker holds back and loses nothing: the writes go to the queue with the reason, in the same batch as the
//! event that says that the breaker opened. If it were an event of its own, a crash between the two would leave either a
//! hold without a reason or a reason without a hold.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::event::{Batch, Breaker, EventBody};
use crate::memory::{Channel, Layer, Memory, Stage, Voice};
use crate::policy::BreakerPolicy;
use crate::refusal::Refusal;
use crate::space::Space;
use crate::speaker::Person;
use crate::store::breaker_state::OpenBreaker;
use crate::store::{EventPage, ListOrder, MemoryFilter, StoreError};
use crate::{Context, CoreError};
use apostille_text::overlap::{collect_distinct_words, measure_jaccard_overlap, normalise_fact};

/// How far back near-copies, drift and invalidations are looked for, in minutes.
const SPAN: u32 = 60;
/// How many of the newest memories of a space are looked at.
const LOOKED_AT: usize = 300;
/// How many events are read at once, and how many times, to find out what happened lately.
const PAGE: usize = 500;
const PAGES: usize = 10;
/// The least that an actor did before for a change to be one, and the shares of it, in percent, that are in doubt before
/// and after.
const FORMER: usize = 10;
const BEFORE: usize = 20;
const AFTER: usize = 80;
/// The longest name of an actor, in characters.
const NAME_CHARS: usize = 80;

/// Whom writes are counted for: the client that is connected, or the token that came through a socket; else the session,
/// else nobody in particular. A name that
/// somebody gives himself names nobody. What comes from outside waits anyway, and is not counted with what does not.
pub fn name_write_actor(voice: &Voice) -> String {
    let client = voice
        .author
        .as_deref()
        .filter(|_| matches!(voice.channel, Channel::Mcp | Channel::Http));
    let nobody = if voice.tainted {
        "unnamed, from outside"
    } else {
        "unnamed"
    };
    let name = client.or(voice.session.as_deref()).unwrap_or(nobody);
    name.chars().take(NAME_CHARS).collect()
}

/// What an actor did in a space, as far as it matters here.
#[derive(Debug, Clone, Default)]
pub struct ActorWrites<'a> {
    /// What the actor wrote in the last hour and stands.
    pub recent: Vec<&'a Memory>,
    /// What the actor wrote before.
    pub former: Vec<&'a Memory>,
    /// What anybody wrote before.
    pub before: Vec<&'a Memory>,
}

impl<'a> ActorWrites<'a> {
    /// What this actor did, out of the newest memories of a space; nothing counts up to `closed`.
    fn from_newest(
        newest: &'a [Memory],
        actor: &str,
        now: Timestamp,
        closed: Option<Timestamp>,
    ) -> Self {
        let since = subtract_minutes(now, SPAN);
        let (recent, before): (Vec<&Memory>, Vec<&Memory>) =
            newest.iter().partition(|it| it.recorded_at >= since);
        let own =
            |it: &&&Memory| is_counted_write(it) && self::name_write_actor(&it.voice) == actor;
        let is_later = |it: &&&Memory| closed.is_none_or(|closed| it.recorded_at > closed);
        Self {
            recent: recent
                .iter()
                .filter(own)
                .filter(is_later)
                .copied()
                .collect(),
            former: before.iter().filter(own).copied().collect(),
            before,
        }
    }
}

/// Whether a memory counts: what a person said, read in from a file or scribbled for the session does not, nor what its
/// author has replaced meanwhile.
fn is_counted_write(memory: &Memory) -> bool {
    !memory.voice.is_person()
        && memory.voice.channel != Channel::Import
        && memory.layer != Layer::Session
        && memory.status.stage() != Stage::Superseded
}

fn subtract_minutes(now: Timestamp, minutes: u32) -> Timestamp {
    now.checked_sub(SignedDuration::from_mins(i64::from(minutes)))
        .unwrap_or(Timestamp::MIN)
}

/// Which breaker a memory would trip, and what was seen. Pure: the same doings give the same answer.
pub fn find_tripped_breaker(
    limits: &BreakerPolicy,
    alike: f32,
    memory: &Memory,
    doings: &ActorWrites<'_>,
) -> Option<(Breaker, String)> {
    let burst = || detect_write_burst(limits, memory, doings).map(|why| (Breaker::Burst, why));
    let copies =
        || detect_near_copies(limits, alike, memory, doings).map(|why| (Breaker::Copies, why));
    let drift = || detect_write_drift(limits, memory, doings).map(|why| (Breaker::Drift, why));
    burst().or_else(copies).or_else(drift)
}

fn detect_write_burst(
    limits: &BreakerPolicy,
    memory: &Memory,
    doings: &ActorWrites<'_>,
) -> Option<String> {
    let since = subtract_minutes(memory.recorded_at, limits.window_minutes);
    let n = 1 + doings
        .recent
        .iter()
        .filter(|it| it.recorded_at >= since)
        .count();
    let is_over = limits.burst > 0 && n > limits.burst;
    is_over.then(|| format!("{n} new memories in {} minutes", limits.window_minutes))
}

fn detect_near_copies(
    limits: &BreakerPolicy,
    alike: f32,
    memory: &Memory,
    doings: &ActorWrites<'_>,
) -> Option<String> {
    if limits.copies == 0 || doings.recent.len() < limits.copies {
        return None;
    }
    let ours = normalise_fact(memory.subject.as_deref(), &memory.fact);
    let ours = collect_distinct_words(&ours);
    let is_alike = |it: &&&Memory| {
        let theirs = normalise_fact(it.subject.as_deref(), &it.fact);
        measure_jaccard_overlap(&ours, &collect_distinct_words(&theirs)) >= alike
    };
    let n = 1 + doings.recent.iter().filter(is_alike).count();
    (n > limits.copies).then(|| format!("{n} new memories in an hour that say nearly the same"))
}

/// Everything is suddenly about one new subject, or suddenly in doubt. Where nothing was before, nothing is sudden.
fn detect_write_drift(
    limits: &BreakerPolicy,
    memory: &Memory,
    doings: &ActorWrites<'_>,
) -> Option<String> {
    let n = 1 + doings.recent.len();
    if limits.drift == 0 || n < limits.drift || doings.before.is_empty() {
        return None;
    }
    let subject = |it: &Memory| normalise_fact(None, it.subject.as_deref().unwrap_or(""));
    let ours = subject(memory);
    let is_one = !ours.is_empty() && doings.recent.iter().all(|it| subject(it) == ours);
    if is_one && doings.before.iter().all(|it| subject(it) != ours) {
        return Some(format!(
            "all {n} new memories of the last hour are about one new subject"
        ));
    }
    let n_doubted = count_doubted_writes(&doings.recent) + usize::from(is_doubted_write(memory));
    let was_trusted = count_doubted_writes(&doings.former) * 100 <= doings.former.len() * BEFORE;
    let is_sudden = doings.former.len() >= FORMER && was_trusted && n_doubted * 100 >= n * AFTER;
    is_sudden.then(|| {
        format!("{n_doubted} of the last {n} new memories are in doubt, and few were before")
    })
}

fn count_doubted_writes(memories: &[&Memory]) -> usize {
    memories.iter().filter(|it| is_doubted_write(it)).count()
}

fn is_doubted_write(memory: &Memory) -> bool {
    memory.status.stage() == Stage::Pending || memory.voice.tainted || !memory.marks.is_empty()
}

/// What the breakers say to a write: what is to be written down with it, and why it waits, where it does.
#[derive(Debug, Clone, Default)]
pub(crate) struct BreakerRuling {
    pub(crate) signals: Vec<EventBody>,
    pub(crate) held: Option<String>,
}

/// Asks the breakers about a memory that is to be kept. Mostly that is one quick look; more is read only where there is
/// much, or where a breaker is open.
pub(crate) fn consult_breakers(
    cx: &Context<'_>,
    memory: &Memory,
) -> Result<BreakerRuling, StoreError> {
    let limits = &cx.policy.breakers;
    let is_free = memory.voice.is_person() || memory.layer == Layer::Session;
    let Some(fewest) = limits.fewest_writes().filter(|_| !is_free) else {
        return Ok(BreakerRuling::default());
    };
    let watch = cx
        .store
        .read_breaker_state(&memory.space, subtract_minutes(cx.now, SPAN))?;
    if watch.open.is_empty() && watch.recent + 1 < fewest as u64 {
        return Ok(BreakerRuling::default());
    }
    let (actor, newest) = (
        name_write_actor(&memory.voice),
        list_newest_memories(cx, &memory.space)?,
    );
    if let Some(trip) = watch.open.iter().rfind(|it| is_about_actor(it, &actor)) {
        return Ok(match is_breaker_quiet(cx, trip, &newest) {
            true => BreakerRuling {
                signals: vec![EventBody::Closed {
                    actor: trip.actor.clone(),
                }],
                held: None,
            },
            false => BreakerRuling {
                signals: Vec::new(),
                held: Some(format_breaker_hold(&trip.why)),
            },
        });
    }
    let seen = |closed| {
        find_tripped_breaker(
            limits,
            cx.policy.near_duplicate,
            memory,
            &ActorWrites::from_newest(&newest, &actor, cx.now, closed),
        )
    };
    if seen(None).is_none() {
        return Ok(BreakerRuling::default());
    }
    // A person may have closed it just now: what was before that is forgiven.
    let closed = read_recent_actions(cx, &memory.space, &actor)?.closed;
    Ok(
        seen(closed).map_or_else(BreakerRuling::default, |(breaker, why)| {
            let held = Some(format_breaker_hold(&why));
            BreakerRuling {
                signals: vec![EventBody::Tripped {
                    breaker,
                    actor: Some(actor.clone()),
                    why,
                }],
                held,
            }
        }),
    )
}

/// Asks the breakers whether somebody may find a memory wrong. An invalidation that trips one is not done.
pub(crate) fn consult_invalidation(
    cx: &Context<'_>,
    memory: &Memory,
    by: &Voice,
) -> Result<Option<Refusal>, StoreError> {
    let limits = &cx.policy.breakers;
    if by.is_person() || limits.fewest_writes().is_none() {
        return Ok(None);
    }
    let (actor, space) = (name_write_actor(by), &memory.space);
    let watch = cx.store.read_breaker_state(space, cx.now)?;
    let refusal = |why: String| Some(Refusal::BreakerOpen { why });
    if let Some(trip) = watch.open.iter().rfind(|it| is_about_actor(it, &actor))
        && !is_breaker_quiet(cx, trip, &list_newest_memories(cx, space)?)
    {
        return Ok(refusal(trip.why.clone()));
    }
    let n = 1 + read_recent_actions(cx, space, &actor)?.invalidated;
    let n_active = usize::try_from(
        cx.store
            .summarize_space(space)?
            .count_in_stage(Stage::Active),
    )
    .unwrap_or(usize::MAX);
    if limits.invalidations == 0 || n <= limits.invalidations || n * 10 < n_active {
        return Ok(None);
    }
    let why = format!("{n} memories found wrong in an hour");
    let what = EventBody::Tripped {
        breaker: Breaker::Invalidations,
        actor: Some(actor),
        why: why.clone(),
    };
    cx.store.append_batch(&Batch::new_durable(
        vec![cx.new_event(space, None, what)],
        Vec::new(),
    ))?;
    Ok(refusal(why))
}

/// Why something waits, as it stays true once the breaker is closed.
fn format_breaker_hold(why: &str) -> String {
    format!("it was written while a breaker was open: {why}")
}

fn is_about_actor(trip: &OpenBreaker, actor: &str) -> bool {
    trip.actor.as_deref().is_none_or(|it| it == actor)
}

/// Whether those whom a breaker is about have written nothing for long enough.
fn is_breaker_quiet(cx: &Context<'_>, trip: &OpenBreaker, newest: &[Memory]) -> bool {
    let quiet = cx.policy.breakers.quiet_minutes;
    let own =
        |it: &&Memory| is_counted_write(it) && is_about_actor(trip, &name_write_actor(&it.voice));
    let last = newest.iter().filter(own).map(|it| it.recorded_at).max();
    let last = last.map_or(trip.at, |it| it.max(trip.at));
    quiet > 0 && last <= subtract_minutes(cx.now, quiet)
}

fn list_newest_memories(cx: &Context<'_>, space: &Space) -> Result<Vec<Memory>, StoreError> {
    let spaces = vec![space.clone()];
    cx.store.list_memories(&MemoryFilter {
        spaces,
        order: ListOrder::Newest,
        limit: LOOKED_AT,
        ..MemoryFilter::default()
    })
}

/// What the log says of an actor in the last hour.
#[derive(Default)]
struct RecentActions {
    /// When breakers were closed for them.
    closed: Option<Timestamp>,
    /// How many memories they found wrong since.
    invalidated: usize,
}

fn read_recent_actions(
    cx: &Context<'_>,
    space: &Space,
    actor: &str,
) -> Result<RecentActions, StoreError> {
    let (since, mut lately, mut after) =
        (subtract_minutes(cx.now, SPAN), RecentActions::default(), 0);
    for _ in 0..PAGES {
        let page = EventPage {
            newest_first: true,
            after,
            limit: PAGE,
            ..EventPage::default()
        };
        let events = cx.store.read_events(space, &page)?;
        for it in &events {
            match &it.event.what {
                _ if it.event.at < since => return Ok(lately),
                EventBody::Closed { actor: whose }
                    if whose.as_deref().is_none_or(|it| it == actor) =>
                {
                    lately.closed = Some(it.event.at);
                    return Ok(lately);
                }
                EventBody::Invalidated { .. } if it.event.actor.as_deref() == Some(actor) => {
                    lately.invalidated += 1;
                }
                _ => {}
            }
        }
        let Some(last) = events.last() else { break };
        after = last.seq;
    }
    Ok(lately)
}

/// The breakers that are open in a space at this moment.
pub fn list_open_breakers(cx: &Context<'_>, space: &Space) -> Result<Vec<OpenBreaker>, CoreError> {
    let watch = cx.store.read_breaker_state(space, cx.now)?;
    if watch.open.is_empty() || cx.policy.breakers.fewest_writes().is_none() {
        return Ok(Vec::new());
    }
    let newest = list_newest_memories(cx, space)?;
    Ok(watch
        .open
        .into_iter()
        .filter(|it| !is_breaker_quiet(cx, it, &newest))
        .collect())
}

/// Whether a breaker holds up what this memory's author says.
pub fn is_held_by_breaker(open: &[OpenBreaker], memory: &Memory) -> bool {
    !memory.voice.is_person()
        && open
            .iter()
            .any(|it| is_about_actor(it, &name_write_actor(&memory.voice)))
}

/// Closes the breakers of a space on a person's word, those of one actor or all. Those that were closed.
///
/// ```compile_fail
/// # use apostille_core::{Context, breaker, space::Space};
/// fn close_unasked(cx: &Context<'_>, space: &Space) {
///     let _ = breaker::close_breakers(cx, space, None);
/// }
/// ```
pub fn close_breakers(
    cx: &Context<'_>,
    by: &Person,
    space: &Space,
    actor: Option<&str>,
) -> Result<Vec<OpenBreaker>, CoreError> {
    if !by.can_reach(space) {
        return Ok(Vec::new());
    }
    let is_meant = |it: &OpenBreaker| actor.is_none_or(|actor| it.actor.as_deref() == Some(actor));
    let mut closed = cx.store.read_breaker_state(space, cx.now)?.open;
    closed.retain(is_meant);
    let actors: BTreeSet<&Option<String>> = closed.iter().map(|it| &it.actor).collect();
    let event = |actor: &Option<String>| {
        cx.new_event(
            space,
            None,
            EventBody::Closed {
                actor: actor.clone(),
            },
        )
    };
    let events: Vec<_> = actors.into_iter().map(event).collect();
    if !events.is_empty() {
        cx.store
            .append_batch(&Batch::new_durable(events, Vec::new()))?;
    }
    Ok(closed)
}
