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

use crate::{
    Context, CoreError,
    event::{Breaker, EventBody},
    memory::{Channel, Layer, Memory, Stage, Voice},
    person_word::REFUSED_TO_AGENT,
    policy::BreakerPolicy,
    refusal::Refusal,
    space::Space,
    speaker::{Person, Speaker},
    store::{EventPage, MemoryFilter, StoreError, breaker_state::OpenBreaker},
};
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
    let is_client = matches!(voice.channel, Channel::Mcp | Channel::Http);
    let client = voice.author.as_deref().filter(|_| is_client);
    let name = match client.or(voice.session.as_deref()) {
        Some(name) => name,
        None if voice.tainted => "unnamed, from outside",
        None => "unnamed",
    };
    name.chars().take(NAME_CHARS).collect()
}

/// Whom the log names for what a speaker does: a person as the context has them, anybody else as breakers count them.
pub(crate) fn name_removal_actor(by: &Speaker) -> Option<String> {
    (!by.speaks_as_person()).then(|| name_write_actor(by.voice()))
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
        let is_own = |it: &&Memory| is_counted_write(it) && name_write_actor(&it.voice) == actor;
        let is_later = |it: &&Memory| closed.is_none_or(|closed| it.recorded_at > closed);
        let recent = recent.into_iter().filter(is_own).filter(is_later);
        Self {
            recent: recent.collect(),
            former: before.iter().copied().filter(is_own).collect(),
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
    doings: &ActorWrites,
) -> Option<(Breaker, String)> {
    let since = subtract_minutes(memory.recorded_at, limits.window_minutes);
    let lately = doings.recent.iter().filter(|it| it.recorded_at >= since);
    let n = 1 + lately.count();
    if limits.burst > 0 && n > limits.burst {
        let why = format!("{n} new memories in {} minutes", limits.window_minutes);
        return Some((Breaker::Burst, why));
    }
    if limits.copies > 0 && doings.recent.len() >= limits.copies {
        let n = 1 + count_near_copies(alike, memory, &doings.recent);
        if n > limits.copies {
            let why = format!("{n} new memories in an hour that say nearly the same");
            return Some((Breaker::Copies, why));
        }
    }
    detect_write_drift(limits, memory, doings).map(|why| (Breaker::Drift, why))
}

fn count_near_copies(alike: f32, memory: &Memory, others: &[&Memory]) -> usize {
    let ours = normalise_fact(memory.subject.as_deref(), &memory.fact);
    let ours = collect_distinct_words(&ours);
    let is_alike = |it: &&&Memory| {
        let theirs = normalise_fact(it.subject.as_deref(), &it.fact);
        measure_jaccard_overlap(&ours, &collect_distinct_words(&theirs)) >= alike
    };
    others.iter().filter(is_alike).count()
}

/// Everything is suddenly about one new subject, or suddenly in doubt. Where nothing was before, nothing is sudden.
fn detect_write_drift(
    limits: &BreakerPolicy,
    memory: &Memory,
    doings: &ActorWrites,
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
    let count_doubted = |of: &[&Memory]| of.iter().filter(|it| is_doubted_write(it)).count();
    let n_doubted = count_doubted(&doings.recent) + usize::from(is_doubted_write(memory));
    let was_trusted = count_doubted(&doings.former) * 100 <= doings.former.len() * BEFORE;
    let is_sudden = doings.former.len() >= FORMER && was_trusted && n_doubted * 100 >= n * AFTER;
    is_sudden.then(|| {
        format!("{n_doubted} of the last {n} new memories are in doubt, and few were before")
    })
}

fn is_doubted_write(memory: &Memory) -> bool {
    memory.status.stage() == Stage::Pending || memory.voice.tainted || !memory.marks.is_empty()
}

/// Asks the breakers about a memory that is to be kept: what is to be written down with it, and why it waits, where it does.
/// Mostly that is one quick look; more is read only where there is much, or where a breaker is open.
pub(crate) fn consult_breakers(
    cx: &Context,
    memory: &Memory,
) -> Result<(Option<EventBody>, Option<String>), StoreError> {
    let limits = &cx.policy.breakers;
    let is_free = memory.voice.is_person() || memory.layer == Layer::Session;
    let Some(fewest) = limits.fewest_writes().filter(|_| !is_free) else {
        return Ok((None, None));
    };
    let since = subtract_minutes(cx.now, SPAN);
    let watch = cx.store.read_breaker_state(&memory.space, since)?;
    if watch.open.is_empty() && watch.recent + 1 < fewest as u64 {
        return Ok((None, None));
    }
    let actor = name_write_actor(&memory.voice);
    let newest = list_newest_memories(cx, &memory.space)?;
    if let Some(trip) = watch.open.iter().rfind(|it| is_about_actor(it, &actor)) {
        if is_breaker_quiet(cx, trip, &newest) {
            let actor = trip.actor.clone();
            return Ok((Some(EventBody::Closed { actor }), None));
        }
        return Ok((None, Some(format_breaker_hold(&trip.why))));
    }
    let find_tripped = |closed| {
        let doings = ActorWrites::from_newest(&newest, &actor, cx.now, closed);
        find_tripped_breaker(limits, cx.policy.near_duplicate, memory, &doings)
    };
    if find_tripped(None).is_none() {
        return Ok((None, None));
    }
    // A person may have closed it just now: what was before that is forgiven.
    let (closed, _) = read_recent_actions(cx, &memory.space, &actor)?;
    let Some((breaker, why)) = find_tripped(closed) else {
        return Ok((None, None));
    };
    let held = format_breaker_hold(&why);
    let tripped = EventBody::Tripped {
        breaker,
        actor: Some(actor),
        why,
    };
    Ok((Some(tripped), Some(held)))
}

/// Asks the breakers whether somebody may find a memory wrong or erase it. What that trips one is not done.
pub(crate) fn consult_invalidation(
    cx: &Context,
    memory: &Memory,
    by: &Speaker,
) -> Result<Option<Refusal>, StoreError> {
    let limits = &cx.policy.breakers;
    if by.speaks_as_person() || limits.fewest_writes().is_none() {
        return Ok(None);
    }
    let (actor, space) = (name_write_actor(by.voice()), &memory.space);
    let watch = cx.store.read_breaker_state(space, cx.now)?;
    let refusal = |why: String| Some(Refusal::BreakerOpen { why });
    if let Some(trip) = watch.open.iter().rfind(|it| is_about_actor(it, &actor))
        && !is_breaker_quiet(cx, trip, &list_newest_memories(cx, space)?)
    {
        return Ok(refusal(trip.why.clone()));
    }
    let n = 1 + read_recent_actions(cx, space, &actor)?.1;
    let summary = cx.store.summarize_space(space)?;
    let is_few = 10 * (n as u64) < summary.count_in_stage(Stage::Active);
    if limits.invalidations == 0 || n <= limits.invalidations || is_few {
        return Ok(None);
    }
    let why = format!("{n} memories found wrong in an hour");
    let what = EventBody::Tripped {
        breaker: Breaker::Invalidations,
        actor: Some(actor),
        why: why.clone(),
    };
    cx.append_durable(vec![cx.new_event(space, None, what)], Vec::new())?;
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
fn is_breaker_quiet(cx: &Context, trip: &OpenBreaker, newest: &[Memory]) -> bool {
    let quiet = cx.policy.breakers.quiet_minutes;
    let since = subtract_minutes(cx.now, quiet);
    let is_late = |it: &Memory| {
        it.recorded_at > since
            && is_counted_write(it)
            && is_about_actor(trip, &name_write_actor(&it.voice))
    };
    quiet > 0 && trip.at <= since && !newest.iter().any(is_late)
}

fn list_newest_memories(cx: &Context, space: &Space) -> Result<Vec<Memory>, StoreError> {
    cx.store.list_memories(&MemoryFilter {
        spaces: vec![space.clone()],
        limit: LOOKED_AT,
        ..MemoryFilter::default()
    })
}

/// What the log says of an actor in the last hour: when breakers were closed for them, and how many memories they found wrong
/// since.
fn read_recent_actions(
    cx: &Context,
    space: &Space,
    actor: &str,
) -> Result<(Option<Timestamp>, usize), StoreError> {
    let (since, mut n_invalidated) = (subtract_minutes(cx.now, SPAN), 0);
    let mut page = EventPage::newest(PAGE);
    for _ in 0..PAGES {
        let events = cx.store.read_events(space, &page)?;
        for it in &events {
            let is_actor = |name: &Option<String>| name.as_deref() == Some(actor);
            match &it.event.what {
                _ if it.event.at < since => return Ok((None, n_invalidated)),
                EventBody::Closed { actor: whose } if whose.is_none() || is_actor(whose) => {
                    return Ok((Some(it.event.at), n_invalidated));
                }
                what if is_removal(what) && is_actor(&it.event.actor) => n_invalidated += 1,
                _ => {}
            }
        }
        let Some(last) = events.last() else { break };
        page.after = last.seq;
    }
    Ok((None, n_invalidated))
}

/// Whether a memory was called wrong or erased, or somebody tried who is no person.
fn is_removal(what: &EventBody) -> bool {
    match what {
        EventBody::Invalidated { .. } | EventBody::Forgotten { .. } => true,
        EventBody::Refused { class } => class == REFUSED_TO_AGENT,
        _ => false,
    }
}

/// The breakers that are open in a space at this moment.
pub fn list_open_breakers(cx: &Context, space: &Space) -> Result<Vec<OpenBreaker>, CoreError> {
    let mut open = cx.store.read_breaker_state(space, cx.now)?.open;
    if open.is_empty() || cx.policy.breakers.fewest_writes().is_none() {
        return Ok(Vec::new());
    }
    let newest = list_newest_memories(cx, space)?;
    open.retain(|it| !is_breaker_quiet(cx, it, &newest));
    Ok(open)
}

/// Whether a breaker holds up what this memory's author says.
pub fn is_held_by_breaker(open: &[OpenBreaker], memory: &Memory) -> bool {
    let actor = name_write_actor(&memory.voice);
    !memory.voice.is_person() && open.iter().any(|it| is_about_actor(it, &actor))
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
    cx: &Context,
    by: &Person,
    space: &Space,
    actor: Option<&str>,
) -> Result<Vec<OpenBreaker>, CoreError> {
    if !by.can_reach(space) {
        return Ok(Vec::new());
    }
    let mut closed = cx.store.read_breaker_state(space, cx.now)?.open;
    closed.retain(|it| actor.is_none() || it.actor.as_deref() == actor);
    let actors: BTreeSet<_> = closed.iter().map(|it| it.actor.clone()).collect();
    let event = |actor| cx.new_event(space, None, EventBody::Closed { actor });
    let events: Vec<_> = actors.into_iter().map(event).collect();
    if !events.is_empty() {
        cx.append_durable(events, Vec::new())?;
    }
    Ok(closed)
}
