//! The local store follows the set of lines: what is missing is kept, what changed is changed, what was forgotten is erased.

use std::collections::{BTreeMap, HashMap};

use apostille_text::digest::Digest;

use super::{
    ReplicaState,
    collect::{collect_local_changes, digest_event, has_news},
    line::ReplicaLine,
    log::ReplicaLog,
    view::{SharedView, derive_views, hold_arrived},
};
use crate::{
    Context, CoreError,
    event::{Batch, Erasure, Event, EventBody, Precondition},
    evidence::{Evidence, EvidenceKind},
    foreign::{admit_foreign_event, distrust_memory},
    memory::{Channel, MAX_NUMBER, Memory, MemoryId, Stage, Status},
    store::{MemoryFilter, StoreError},
};

/// Who changes what no line says, because rules for several memories do.
const ACTOR: &str = "apostille sync";
/// How many events are written at once.
const LOT: usize = 1_000;
/// How often it is decided anew when another process writes meanwhile.
const TRIES: usize = 6;
/// How far behind the last number a memory may be that arrives: nobody's numbers are used up by a line that names a huge one.
const NUMBER_GAP: u64 = 100_000;

/// What following the set came to, or would come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplicaChanges {
    /// How many memories arrived.
    pub arrived: usize,
    /// How many of them wait for a person.
    pub held: usize,
    /// How many changed.
    pub changed: usize,
    /// Those that were forgotten elsewhere.
    pub erased: Vec<MemoryId>,
    /// How many were in use and are not any more, those that were forgotten left out.
    pub taken_out: usize,
    /// How many wait because the memory that they replace was replaced twice.
    pub contested: usize,
    /// How many are left out here, because a memory that stays at home says the same.
    pub left_out: usize,
    /// Whether it was stopped before its end.
    pub is_interrupted: bool,
}

/// What one memory needs.
#[derive(Debug, Clone)]
enum ReplicaStep {
    Erase(Box<(Memory, ReplicaLine)>),
    Insert(Box<Memory>, Option<String>),
    Change(Box<Memory>, Vec<Event>),
}

/// What is to be done.
#[derive(Debug, Default)]
struct ReplicaPlan {
    steps: Vec<ReplicaStep>,
    found: ReplicaChanges,
    /// The highest number that a memory of the space has.
    last_number: u64,
}

/// How a run goes on: what is kept before something is written, and whether it goes on at all.
pub trait ReplicaRun {
    /// Keeps the state of the replica, so that what is written next is known to be no news.
    fn save_state(&mut self, state: &ReplicaState) -> Result<(), StoreError>;

    /// Told how many steps of how many are done; whether to go on.
    fn goes_on(&mut self, done: usize, all: usize) -> bool;
}

/// What following the set would come to.
pub fn survey_replica_log(
    cx: &Context,
    log: &ReplicaLog,
    state: &ReplicaState,
) -> Result<ReplicaChanges, CoreError> {
    Ok(plan_changes(cx, log, state)?.found)
}

/// Has the store follow the set. What others do to the store meanwhile is added to the set first: it would be undone else.
pub fn apply_replica_log(
    cx: &Context,
    log: &mut ReplicaLog,
    state: &mut ReplicaState,
    run: &mut dyn ReplicaRun,
) -> Result<ReplicaChanges, CoreError> {
    let mut erased = Vec::new();
    for attempt in 1.. {
        let plan = plan_changes(cx, log, state)?;
        // The memories were read by now, so whatever is behind the place that was looked at last is in them.
        if has_news(cx, log, state)? && attempt < TRIES {
            collect_local_changes(cx, log, state)?;
            continue;
        }
        let mut found = plan.found.clone();
        state.note_number(plan.last_number);
        match write_plan(cx, plan, state, run, &mut erased) {
            Ok(is_whole) => {
                found.is_interrupted = !is_whole;
                found.erased = erased;
                return Ok(found);
            }
            Err(StoreError::Conflict { .. }) if attempt < TRIES => {}
            Err(error) => return Err(error),
        }
    }
    unreachable!("the last attempt returns")
}

/// Memories that were forgotten here before anybody told of them are forgotten everywhere; how many there were.
pub fn bury_forgotten(cx: &Context, log: &mut ReplicaLog, state: &ReplicaState) -> usize {
    let ids = log.histories().map(|(id, _)| id);
    let forgotten: Vec<MemoryId> = ids.filter(|it| state.is_forgotten(*it)).collect();
    let now = cx.now_to_millisecond();
    let buried = forgotten.into_iter().filter(|it| log.bury_memory(*it, now));
    buried.count()
}

/// The memories of the space, and which of them make a claim.
struct LocalMemories {
    by_id: HashMap<MemoryId, Memory>,
    claims: HashMap<Digest, MemoryId>,
}

impl LocalMemories {
    fn read(cx: &Context, log: &ReplicaLog) -> Result<Self, CoreError> {
        let all = cx.store.list_memories(&MemoryFilter {
            spaces: vec![log.space().clone()],
            limit: usize::MAX,
            ..MemoryFilter::default()
        })?;
        let live = all.iter().filter(|it| it.status.stage().is_live());
        let claims = live.map(|it| (it.claim_digest(), it.id)).collect();
        let by_id = all.into_iter().map(|it| (it.id, it)).collect();
        Ok(Self { by_id, claims })
    }

    /// The memory that makes this claim and that nobody else heard of.
    fn twin_at_home(
        &self,
        memory: &Memory,
        views: &BTreeMap<MemoryId, SharedView>,
    ) -> Option<&Memory> {
        let twin = self.claims.get(&memory.claim_digest())?;
        let is_home = *twin != memory.id && !views.contains_key(twin);
        self.by_id.get(twin).filter(|_| is_home)
    }
}

fn plan_changes(
    cx: &Context,
    log: &ReplicaLog,
    state: &ReplicaState,
) -> Result<ReplicaPlan, CoreError> {
    let local = LocalMemories::read(cx, log)?;
    let views = derive_views(log);
    let numbers = local.by_id.values().map(|it| it.number);
    let mut plan = ReplicaPlan {
        last_number: numbers.max().unwrap_or(0),
        ..ReplicaPlan::default()
    };
    for (id, history) in log.histories() {
        if let (Some(line), Some(memory)) = (history.tombstone(), local.by_id.get(&id)) {
            plan.found.erased.push(id);
            plan.steps
                .push(ReplicaStep::Erase(Box::new((memory.clone(), line.clone()))));
        }
    }
    for (id, view) in &views {
        let planner = StepPlanner {
            cx,
            log,
            views: &views,
            local: &local,
        };
        match local.by_id.get(id) {
            None if state.is_forgotten(*id) => {}
            None => planner.plan_arrival(view, &mut plan),
            Some(memory) => planner.plan_change(memory, view, &mut plan),
        }
    }
    plan.steps.sort_by_cached_key(order_step);
    Ok(plan)
}

/// What is forgotten goes first, then what leaves use, what arrives in the order of its numbers elsewhere, and last what
/// comes back into use: a claim is made once at a time.
fn order_step(step: &ReplicaStep) -> (u8, u64, MemoryId) {
    match step {
        ReplicaStep::Erase(it) => (0, it.0.number, it.0.id),
        ReplicaStep::Change(memory, events) => {
            let is_entering = events.iter().any(|it| enters_use(memory, it));
            (if is_entering { 3 } else { 1 }, memory.number, memory.id)
        }
        ReplicaStep::Insert(memory, _) => (2, memory.number, memory.id),
    }
}

fn enters_use(memory: &Memory, event: &Event) -> bool {
    let is_live = |it: &Status| it.stage().is_live();
    let to = match &event.what {
        EventBody::Approved => true,
        EventBody::Restored { status, .. } => is_live(status),
        _ => false,
    };
    to && !is_live(&memory.status)
}

struct StepPlanner<'a> {
    cx: &'a Context<'a>,
    log: &'a ReplicaLog,
    views: &'a BTreeMap<MemoryId, SharedView>,
    local: &'a LocalMemories,
}

impl StepPlanner<'_> {
    fn plan_arrival(&self, view: &SharedView, plan: &mut ReplicaPlan) {
        // What is refused here was refused when its line was read, unless the rules are stricter since.
        let Ok(mut memory) = distrust_memory(view.memory.clone()) else {
            plan.found.left_out += 1;
            return;
        };
        if memory.is_active()
            && let Some(why) = hold_arrived(&memory)
        {
            memory.status = Status::Pending { why };
            plan.found.held += 1;
        }
        if memory.status.stage().is_live()
            && let Some(twin) = self.local.twin_at_home(&memory, self.views)
        {
            if twin.is_active() {
                memory.status = Status::Superseded { by: twin.id };
                plan.found.left_out += 1;
            } else {
                self.plan_making_room(twin, memory.id, plan);
            }
        }
        plan.found.contested += usize::from(is_contested(view));
        plan.found.arrived += 1;
        let author = self.log.history(memory.id).and_then(|it| it.author());
        let author = author.map(apostille_text::moderate::neutralise_text);
        plan.steps
            .push(ReplicaStep::Insert(Box::new(memory), author));
    }

    /// What waits at home makes room for what says the same and is in use elsewhere.
    fn plan_making_room(&self, twin: &Memory, by: MemoryId, plan: &mut ReplicaPlan) {
        let reason = Some("another replica has it".into());
        let event = self.new_event(twin, EventBody::Superseded { by, reason }, Some(ACTOR));
        let step = ReplicaStep::Change(Box::new(twin.clone()), vec![event]);
        plan.steps.push(step);
    }

    fn plan_change(&self, memory: &Memory, view: &SharedView, plan: &mut ReplicaPlan) {
        let status = self.wanted_status(memory, view);
        let mut now = memory.clone();
        let mut events = Vec::new();
        let mut push = |now: &mut Memory, event: Event| {
            now.apply_event(&event);
            events.push(event);
        };
        if !is_same_standing(&memory.status, &status) {
            let (what, actor) = self.deciding_event(memory, view, &status);
            push(&mut now, self.new_event(memory, what, actor.as_deref()));
        }
        let wanted = &view.memory;
        let is_moved = now.citations != wanted.citations;
        if !is_same_standing(&now.status, &status)
            || is_moved
            || now.refreshed_at != wanted.refreshed_at
        {
            let what = EventBody::Restored {
                status: if is_same_standing(&now.status, &status) {
                    now.status.clone()
                } else {
                    status
                },
                citations: is_moved.then(|| wanted.citations.clone()),
                refreshed_at: wanted.refreshed_at,
            };
            push(&mut now, self.new_event(memory, what, Some(ACTOR)));
        }
        let evidence = choose_evidence(memory, wanted);
        if (&now.evidence, &now.names) != (&evidence, &wanted.names) {
            let what = EventBody::Refreshed {
                citations: None,
                evidence: Some(evidence),
                names: Some(wanted.names.clone()),
                followed: vec![ACTOR.into()],
                voucher: None,
            };
            push(&mut now, self.new_event(memory, what, Some(ACTOR)));
        }
        if !events.is_empty() {
            plan.found.changed += 1;
            plan.found.taken_out += usize::from(memory.is_active() && !now.is_active());
            plan.found.contested += usize::from(is_contested(view));
            plan.steps
                .push(ReplicaStep::Change(Box::new(memory.clone()), events));
        }
    }

    /// Where a memory is to stand here: as the lines say, but what is held here stays held.
    fn wanted_status(&self, memory: &Memory, view: &SharedView) -> Status {
        let wanted = &view.memory;
        let twin = || self.local.twin_at_home(wanted, self.views);
        let is_leaving = memory.status.stage().is_live();
        if wanted.status.stage().is_live() && !is_leaving && twin().is_some() {
            return memory.status.clone();
        }
        let is_kept_back = has_arrived(memory) && wanted.is_active() && !memory.is_active();
        // Marks are those of this replica's own look: a line may leave them out.
        match hold_arrived(memory).filter(|_| is_kept_back) {
            // What nobody here decided about in time is not put before them again.
            Some(_) if matches!(memory.status.stage(), Stage::Pending | Stage::Retired) => {
                memory.status.clone()
            }
            Some(why) => Status::Pending { why },
            None => wanted.status.clone(),
        }
    }

    /// What happens to a memory so that it stands so: what was decided elsewhere, by whoever decided it.
    fn deciding_event(
        &self,
        memory: &Memory,
        view: &SharedView,
        status: &Status,
    ) -> (EventBody, Option<String>) {
        let told = self
            .log
            .history(memory.id)
            .and_then(|it| it.last_decision());
        let told = told.filter(|_| !view.is_derived && *status == view.memory.status);
        let admitted =
            told.and_then(|it| admit_foreign_event(it.event.clone(), self.log.space()).ok());
        let fits = |it: &Event| {
            let mut after = memory.clone();
            after.apply_event(it);
            is_same_standing(&after.status, status)
        };
        match admitted.filter(fits) {
            Some(event) => (event.what, event.actor),
            None => {
                let what = EventBody::Restored {
                    status: status.clone(),
                    citations: None,
                    refreshed_at: memory.refreshed_at,
                };
                (what, Some(ACTOR.into()))
            }
        }
    }

    /// An event of this store: it happens when it arrives.
    fn new_event(&self, memory: &Memory, what: EventBody, actor: Option<&str>) -> Event {
        Event {
            actor: actor.map(Into::into),
            ..self.cx.new_memory_event(memory, what)
        }
    }
}

/// What proves a memory by the lines. That its user said it is known from their own turns here, and believed of no line.
fn choose_evidence(memory: &Memory, wanted: &Memory) -> Vec<Evidence> {
    let is_said = |it: &&Evidence| it.kind() == EvidenceKind::Said;
    if has_arrived(memory) {
        return wanted.evidence.clone();
    }
    let own = memory.evidence.iter().filter(is_said);
    let told = wanted.evidence.iter().filter(|it| !is_said(it));
    own.chain(told).cloned().collect()
}

/// Whether it came from elsewhere.
fn has_arrived(memory: &Memory) -> bool {
    memory.voice.channel == Channel::Repository || memory.voice.channel.is_outside()
}

fn is_contested(view: &SharedView) -> bool {
    view.is_derived && view.memory.status.stage() == Stage::Pending
}

/// Whether two statuses are one to a reader: reasons are worded by each replica.
fn is_same_standing(a: &Status, b: &Status) -> bool {
    (a.stage(), a.superseded_by()) == (b.stage(), b.superseded_by())
}

/// Writes a plan; whether it came to its end.
fn write_plan(
    cx: &Context,
    plan: ReplicaPlan,
    state: &mut ReplicaState,
    run: &mut dyn ReplicaRun,
    erased: &mut Vec<MemoryId>,
) -> Result<bool, StoreError> {
    let n_all = plan.steps.len();
    let mut lot = StepLot::default();
    for (n_done, step) in plan.steps.into_iter().enumerate() {
        if lot.events.len() >= LOT {
            std::mem::take(&mut lot).write(cx, state, run)?;
            if !run.goes_on(n_done, n_all) {
                return Ok(false);
            }
        }
        match step {
            ReplicaStep::Erase(it) => {
                if erase_memory(cx, &it.0, &it.1)? {
                    erased.push(it.0.id);
                }
            }
            ReplicaStep::Insert(memory, author) => lot.insert_memory(cx, *memory, author, state),
            ReplicaStep::Change(memory, events) => {
                lot.expects.push(Precondition::unmoved(&memory));
                lot.events.extend(events);
            }
        }
    }
    lot.write(cx, state, run)?;
    run.goes_on(n_all, n_all);
    Ok(true)
}

fn erase_memory(cx: &Context, memory: &Memory, line: &ReplicaLine) -> Result<bool, StoreError> {
    let admitted = admit_foreign_event(line.event.clone(), &memory.space).ok();
    let (mut reason, actor) = match admitted {
        Some(Event {
            what: EventBody::Forgotten { reason, .. },
            actor,
            ..
        }) => (reason, actor),
        _ => (String::new(), None),
    };
    // The reason outlives the memory, so it must not carry the text away with it.
    if reason.contains(&memory.fact) {
        reason.clear();
    }
    let reason = reason.chars().take(cx.policy.limits.reason_chars).collect();
    let what = EventBody::Forgotten {
        number: memory.number,
        reason,
    };
    let tombstone = Event {
        actor,
        ..cx.new_memory_event(memory, what)
    };
    cx.store.erase_memory(&Erasure::new(memory.id, tombstone))
}

/// Events that are written together.
#[derive(Default)]
struct StepLot {
    events: Vec<Event>,
    expects: Vec<Precondition>,
}

impl StepLot {
    fn insert_memory(
        &mut self,
        cx: &Context,
        mut memory: Memory,
        author: Option<String>,
        state: &mut ReplicaState,
    ) {
        let is_near = memory.number <= state.last_number.saturating_add(NUMBER_GAP);
        let is_free = memory.number > state.last_number && is_near && memory.number <= MAX_NUMBER;
        if !is_free {
            memory.number = state.last_number + 1;
        }
        state.note_number(memory.number);
        if memory.status.stage().is_live() {
            self.expects.push(Precondition::no_twin(&memory));
        }
        let id = memory.id;
        let space = memory.space.clone();
        let what = EventBody::Remembered {
            memory: Box::new(memory),
            forced: false,
            rationale: Some("from another replica".into()),
        };
        self.events.push(Event {
            actor: author,
            ..cx.new_event(&space, Some(id), what)
        });
    }

    fn write(
        self,
        cx: &Context,
        state: &mut ReplicaState,
        run: &mut dyn ReplicaRun,
    ) -> Result<(), StoreError> {
        if self.events.is_empty() {
            return Ok(());
        }
        // That a memory was remembered is known by its id.
        let is_change = |it: &&Event| !matches!(it.what, EventBody::Remembered { .. });
        let changes = self.events.iter().filter(is_change);
        state.own_writes.extend(changes.map(digest_event));
        run.save_state(state)?;
        let batch = Batch::new_durable(self.events, self.expects);
        cx.store.append_batch(&batch)?;
        Ok(())
    }
}
