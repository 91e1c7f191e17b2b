//! What helps with a task when it begins: knowledge about it, what happened in similar tasks, and the notes that people wrote.
//!
//! Nothing of it is needed to begin. What fails or is late is told in a line, and the task begins all the same.

use std::{
    thread,
    time::{Duration, Instant},
};

use apostille_core::{
    Context, CoreError,
    memory::Layer,
    recall::{
        self, RecallOutcome, RecallQuery, RecallRequest, RelevanceBar, VerifiedHit,
        render::{CLOSE, OPEN, Style, render_memory_line, sanitize_line},
    },
    review_remarks::find_task_rules,
    space::Space,
    verify::{self, VerifiedMemory},
};
use apostille_text::{secrets::mask_secrets, shorten::shorten_text, tokens::estimate_tokens};

/// How many tokens it takes at most.
pub const OPENING_TOKENS: usize = 2_000;
/// How long everything may take together.
pub const OPENING_TIME: Duration = Duration::from_secs(5);
/// How many of the tokens past tasks get at least, if they have as much to say.
const EPISODE_TOKENS: usize = 700;
/// How many of the tokens the notes of people get at most.
const NOTES_TOKENS: usize = 300;
/// How many memories each half has at most.
const MAX_HITS: usize = 12;
/// The longest line of notes, in characters.
const LINE_CHARS: usize = 200;

const KNOWN: &str = "[Known about this task]";
const PAST: &str = "[What happened in similar tasks]";
const NOTES: &str = "[NOTES.md]";

/// What is to be begun.
#[derive(Debug, Clone, Copy)]
pub struct OpeningRequest<'a> {
    /// The task in words.
    pub title: &'a str,
    /// Its name, where it has one: its own notes are not told as if they were another task's.
    pub task: Option<&'a str>,
    /// The spaces in play.
    pub spaces: &'a [Space],
    /// What people wrote into `NOTES.md`.
    pub notes: Option<&'a str>,
    /// How many tokens at most.
    pub tokens: usize,
    /// How long it may take.
    pub time: Duration,
}

/// What helps with a task.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskOpening {
    /// The text to put before a model; empty when there is nothing to tell.
    pub block: String,
    /// What is known about the task.
    pub knowledge: Vec<VerifiedHit>,
    /// What happened in similar tasks.
    pub episodes: Vec<VerifiedHit>,
    /// What would have been told, but does not hold here.
    pub withheld: Vec<VerifiedHit>,
    /// What people wrote, as far as there is room.
    pub notes: String,
    /// How many helpful ones had no room.
    pub n_unfit: usize,
    /// What failed or was late, a line each.
    pub problems: Vec<String>,
}

/// One half of what is asked.
type RecalledHalf = Result<(RecallQuery, RecallOutcome), CoreError>;

/// Fetches what helps with a task. Knowledge and episodes are recalled side by side.
pub fn open_task(cx: &Context, ask: &OpeningRequest) -> TaskOpening {
    let started = Instant::now();
    let mut opening = TaskOpening::default();
    if ask.tokens == 0 {
        return opening;
    }
    let (knowledge, episodes) = recall_halves(cx, ask, started);
    let mut queries = Vec::new();
    for (half, what) in [(knowledge, "what is known"), (episodes, "past tasks")] {
        match half {
            Ok((query, found)) => {
                opening.add_hits(&query, found, ask.task);
                queries.push(query);
            }
            Err(error) => opening.problems.push(format!(
                "{what} could not be looked up for this task: {error}"
            )),
        }
    }
    if let Err(error) = opening.add_review_rules(cx, ask.spaces) {
        let told = format!("what reviewers ask for could not be looked up: {error}");
        opening.problems.push(told);
    }
    if started.elapsed() >= ask.time {
        opening.problems.push(format!(
            "looking up what helps with this task took more than {} s; the rest is left out",
            ask.time.as_secs()
        ));
    }
    opening.fit_tokens(ask);
    opening.log(cx, &queries);
    opening
}

/// Both recalls, each in a thread of its own.
fn recall_halves(
    cx: &Context,
    ask: &OpeningRequest,
    started: Instant,
) -> (RecalledHalf, RecalledHalf) {
    let (store, source, policy, now) = (cx.store, cx.source, cx.policy, cx.now);
    let recall_half = |layer| {
        let cx = Context {
            store,
            source,
            policy,
            now,
            // A recall that is not logged makes no ids.
            random: &|| 0,
            late: &|| started.elapsed() >= ask.time,
            actor: None,
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: None,
            archive: None,
            commit_reasons: None,
        };
        recall::recall_without_log(&cx, &build_request(ask, layer))
    };
    thread::scope(|scope| {
        let episodes = scope.spawn(|| recall_half(Layer::Episode));
        let knowledge = recall_half(Layer::Knowledge);
        let broken = |_| {
            Err(CoreError::Unavailable {
                what: "the search ended early".into(),
                source: "a thread stopped".into(),
            })
        };
        (knowledge, episodes.join().unwrap_or_else(broken))
    })
}

fn build_request(ask: &OpeningRequest, layer: Layer) -> RecallRequest {
    RecallRequest {
        text: ask.title.into(),
        spaces: ask.spaces.to_vec(),
        layers: vec![layer],
        count: Some(MAX_HITS),
        tokens: Some(ask.tokens),
        bar: Some(RelevanceBar::Near),
        ..RecallRequest::default()
    }
}

impl TaskOpening {
    fn add_hits(&mut self, query: &RecallQuery, found: RecallOutcome, task: Option<&str>) {
        self.n_unfit += found.n_unfit;
        let is_own = |it: &VerifiedHit| task.is_some() && it.hit.memory.task.as_deref() == task;
        let is_relevant = |it: &VerifiedHit| it.hit.why.relevance > 0.0 && !is_own(it);
        let shown = found.shown.into_iter().filter(is_relevant);
        if query.layers == [Layer::Episode] {
            self.episodes.extend(shown);
        } else {
            self.knowledge.extend(shown);
        }
        self.withheld
            .extend(found.withheld.into_iter().filter(is_relevant));
    }

    /// Adds what reviewers ask for in general, behind what is about this very task.
    fn add_review_rules(&mut self, cx: &Context, spaces: &[Space]) -> Result<(), CoreError> {
        let mut rules = find_task_rules(cx, spaces)?;
        rules.retain(|it| {
            self.knowledge
                .iter()
                .all(|told| told.hit.memory.id != it.id)
        });
        let mut looked = verify::follow_memory_citations(cx, rules);
        looked.retain(VerifiedMemory::is_good);
        for it in looked {
            let mut hit = VerifiedHit::from_verified(it);
            hit.hit.memory.withhold_secret();
            self.knowledge.push(hit);
        }
        Ok(())
    }

    /// Leaves out what there are no tokens for: the least relevant of each half.
    fn fit_tokens(&mut self, ask: &OpeningRequest) {
        let notes = format_notes(ask.notes.unwrap_or_default(), ask.tokens);
        let frame = [OPEN, KNOWN, PAST, NOTES, CLOSE].join("\n") + "\n";
        let left = ask.tokens.saturating_sub(estimate_tokens(&frame));
        let left = left.saturating_sub(estimate_tokens(&notes));
        let past = self.episodes.iter().map(count_line_tokens).sum::<usize>();
        let reserved = past.min(EPISODE_TOKENS).min(left / 2);
        let n_found = self.knowledge.len() + self.episodes.len();
        let used = keep_within(&mut self.knowledge, left - reserved);
        keep_within(&mut self.episodes, left - used);
        self.n_unfit += n_found - self.knowledge.len() - self.episodes.len();
        self.notes = notes;
        self.block = self.render();
    }

    fn render(&self) -> String {
        let lines = |hits: &[VerifiedHit]| -> String { hits.iter().map(render_line).collect() };
        let parts = [
            (KNOWN, lines(&self.knowledge)),
            (PAST, lines(&self.episodes)),
            (NOTES, self.notes.clone()),
        ];
        let told = parts.into_iter().filter(|it| !it.1.is_empty());
        let body: String = told.map(|(head, text)| format!("{head}\n{text}")).collect();
        match body.is_empty() {
            true => body,
            false => format!("{OPEN}\n{body}{CLOSE}\n"),
        }
    }

    /// Writes down what is shown, as every recall does.
    fn log(&mut self, cx: &Context, queries: &[RecallQuery]) {
        for query in queries {
            let is_of = |it: &&VerifiedHit| query.layers.contains(&it.hit.memory.layer);
            let all = self.knowledge.iter().chain(&self.episodes);
            let shown: Vec<VerifiedHit> = all.filter(is_of).cloned().collect();
            let withheld: Vec<VerifiedHit> = self.withheld.iter().filter(is_of).cloned().collect();
            let problems = recall::log_recall_later(cx, query, &shown, &withheld);
            self.problems.extend(problems);
        }
    }
}

fn render_line(it: &VerifiedHit) -> String {
    render_memory_line(it, Style::Verified) + "\n"
}

fn count_line_tokens(it: &VerifiedHit) -> usize {
    estimate_tokens(&render_line(it))
}

/// Keeps the first of these that fit, and says how many tokens they take.
fn keep_within(hits: &mut Vec<VerifiedHit>, tokens: usize) -> usize {
    let mut used = 0;
    hits.retain(|it| {
        let more = count_line_tokens(it);
        let fits = used + more <= tokens;
        used += if fits { more } else { 0 };
        fits
    });
    used
}

/// What people wrote into `NOTES.md`, as far as there is room: lines that can neither end the
/// frame they stand in nor tell a secret.
fn format_notes(text: &str, tokens: usize) -> String {
    let mut left = NOTES_TOKENS.min(tokens / 4);
    let mut out = String::new();
    for line in text.lines() {
        let line = shorten_text(&sanitize_line(&mask_secrets(line)), LINE_CHARS) + "\n";
        let more = estimate_tokens(&line);
        if line.trim().is_empty() || more > left {
            continue;
        }
        left -= more;
        out += &line;
    }
    out
}
