//! The suite `prompts`: what a hook shows for prompts of developers, as the first prompt of a session and as a later one.
//!
//! A line of a file is a repository: what is remembered of it, and prompts with the memories that matter to them, which may be
//! none. A rule is kept as a person's words; everything else is an agent's, and cites the place that it was found in. Every
//! prompt has a session of its own.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use apostille_agents::{
    briefing::BriefingAudience,
    client::Client,
    session::{AgentSession, Moment, SessionEntry},
};
use apostille_cite::{
    capture::capture_lines,
    citation::{Citation, CodeLocation},
};
use apostille_contract::MapSource;
use apostille_core::{
    embedding::Embedder,
    memory::{Kind, Memory, MemoryId, Origin, Voice},
    space::Space,
    store::ram::RamStore,
};
use jiff::Timestamp;
use serde::Deserialize;

use crate::{
    args::Args,
    model::BenchModel,
    table::Table,
    world::{World, build_fact},
};

/// When everything was recorded, and when it is asked for.
const RECORDED: i64 = 1_780_000_000;
const ASKED: i64 = 1_782_000_000;

#[derive(Debug, Deserialize)]
struct PromptSet {
    repo: String,
    memories: Vec<PromptMemory>,
    prompts: Vec<DeveloperPrompt>,
}

#[derive(Debug, Deserialize)]
struct PromptMemory {
    id: String,
    kind: String,
    subject: Option<String>,
    fact: String,
    path: String,
}

#[derive(Debug, Deserialize)]
struct DeveloperPrompt {
    id: String,
    text: String,
    gold: Vec<String>,
}

/// Runs the suite and prints what it found.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut rows = Vec::new();
    let mut lines = String::new();
    let mut totals = [PromptTally::default(), PromptTally::default()];
    let model = BenchModel::open(&args.model)?;
    let embedder = model.as_ref().map(|it| it as &dyn Embedder);
    for path in &args.prompts {
        for set in read_sets(path)? {
            for (is_later, total) in [false, true].into_iter().zip(&mut totals) {
                let tally = ask_set(&set, is_later, embedder, &mut lines)?;
                rows.push(tally.row(&set.repo, is_later));
                total.add(&tally);
            }
        }
    }
    for (is_later, total) in [false, true].into_iter().zip(&totals) {
        rows.push(total.row("all", is_later));
    }
    let head = vec![
        "repository",
        "prompt",
        "related",
        "found",
        "share",
        "by rules",
        "by facts",
        "shown",
        "precision",
        "unrelated",
        "answered",
        "chars",
    ];
    print!("{}", Table { head, rows }.text(args.markdown));
    if let Some(path) = &args.prompt_lines {
        crate::write(path, &lines)?;
    }
    model.map_or(Ok(()), |it| it.keep_vectors())
}

fn read_sets(path: &Path) -> Result<Vec<PromptSet>> {
    crate::lines::read(path, None, "repository")
}

/// The prompts of all sets in `bench/prompts` to which nothing matters that is remembered of their repository.
pub(crate) fn read_unrelated_prompts() -> Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts");
    let entries = fs::read_dir(&folder).with_context(|| format!("no {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|it| Ok(it?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.retain(|it| it.extension().is_some_and(|it| it == "jsonl"));
    paths.sort();
    let mut texts = Vec::new();
    for path in &paths {
        let prompts = read_sets(path)?.into_iter().flat_map(|it| it.prompts);
        texts.extend(prompts.filter(|it| it.gold.is_empty()).map(|it| it.text));
    }
    Ok(texts)
}

/// What prompts were shown.
#[derive(Default)]
struct PromptTally {
    related: usize,
    found: usize,
    rules: (usize, usize),
    facts: (usize, usize),
    shown: usize,
    right: usize,
    unrelated: usize,
    answered: usize,
    chars: usize,
}

impl PromptTally {
    fn add(&mut self, other: &Self) {
        self.related += other.related;
        self.found += other.found;
        self.rules = (self.rules.0 + other.rules.0, self.rules.1 + other.rules.1);
        self.facts = (self.facts.0 + other.facts.0, self.facts.1 + other.facts.1);
        self.shown += other.shown;
        self.right += other.right;
        self.unrelated += other.unrelated;
        self.answered += other.answered;
        self.chars += other.chars;
    }

    fn row(&self, name: &str, is_later: bool) -> Vec<String> {
        let percent =
            |part: usize, of: usize| format!("{:.0} %", 100.0 * part as f64 / of.max(1) as f64);
        let pair = |it: (usize, usize)| format!("{} of {}", it.0, it.1);
        vec![
            name.to_owned(),
            if is_later { "later" } else { "first" }.to_owned(),
            self.related.to_string(),
            self.found.to_string(),
            percent(self.found, self.related),
            pair(self.rules),
            pair(self.facts),
            format!("{:.2}", self.shown as f64 / self.related.max(1) as f64),
            format!("{:.2}", self.right as f64 / self.shown.max(1) as f64),
            self.unrelated.to_string(),
            percent(self.answered, self.unrelated),
            format!(
                "{:.0}",
                self.chars as f64 / (self.related + self.unrelated).max(1) as f64
            ),
        ]
    }
}

fn ask_set(
    set: &PromptSet,
    is_later: bool,
    embedder: Option<&dyn Embedder>,
    lines: &mut String,
) -> Result<PromptTally> {
    let world = PromptWorld::fill(set, embedder)?;
    let mut tally = PromptTally::default();
    for prompt in &set.prompts {
        let (shown, text) = world.show_prompt(&prompt.text, is_later)?;
        let right = shown.iter().filter(|it| prompt.gold.contains(it)).count();
        let row = serde_json::json!({
            "id": prompt.id, "prompt": prompt.text, "moment": if is_later { "later" } else { "first" },
            "gold": prompt.gold, "shown": shown,
        });
        lines.push_str(&format!("{row}\n"));
        tally.chars += text.chars().count();
        if prompt.gold.is_empty() {
            tally.unrelated += 1;
            tally.answered += usize::from(!shown.is_empty());
            continue;
        }
        let is_rule = set
            .memories
            .iter()
            .any(|it| it.id == prompt.gold[0] && it.kind == Kind::Feedback.as_str());
        let part = if is_rule {
            &mut tally.rules
        } else {
            &mut tally.facts
        };
        *part = (part.0 + usize::from(right > 0), part.1 + 1);
        tally.related += 1;
        tally.found += usize::from(right > 0);
        tally.shown += shown.len();
        tally.right += right;
    }
    Ok(tally)
}

/// A store with the memories of a repository, and files that hold what they cite.
struct PromptWorld<'a> {
    embedder: Option<&'a dyn Embedder>,
    store: RamStore,
    source: MapSource,
    repo: Space,
    user: Space,
    names: BTreeMap<MemoryId, String>,
}

impl<'a> PromptWorld<'a> {
    fn fill(set: &PromptSet, embedder: Option<&'a dyn Embedder>) -> Result<Self> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for it in &set.memories {
            let text = files.entry(it.path.clone()).or_default();
            text.push_str(&format!("{}\n", it.fact));
        }
        let mut world = Self {
            embedder,
            store: RamStore::default(),
            source: MapSource(files),
            repo: Space::repo(&set.repo)
                .with_context(|| format!("{} is not a repository", set.repo))?,
            user: Space::user("ana").context("a name")?,
            names: BTreeMap::new(),
        };
        let mut memories = Vec::new();
        for (at, it) in (1..).zip(&set.memories) {
            let memory = world.build_memory(at, it)?;
            world.names.insert(memory.id, it.id.clone());
            memories.push(memory);
        }
        world
            .world()
            .keep_memories(RECORDED, &world.repo, memories)?;
        Ok(world)
    }

    fn cite_fact(&self, it: &PromptMemory) -> Result<Citation> {
        let text = self.source.0.get(&it.path).context("a cited file")?;
        let line = (1..)
            .zip(text.lines())
            .find(|(_, line)| *line == it.fact)
            .context("a cited line")?
            .0;
        Ok(capture_lines(
            &self.source,
            &CodeLocation::new(&it.path, line, line)?,
        )?)
    }

    fn build_memory(&self, at: u128, it: &PromptMemory) -> Result<Memory> {
        let kind: Kind = it
            .kind
            .parse()
            .with_context(|| format!("the kind of {}", it.id))?;
        let (origin, citations) = match kind {
            Kind::Feedback => (Origin::User, Vec::new()),
            _ => (Origin::Agent, vec![self.cite_fact(it)?]),
        };
        Ok(Memory {
            kind,
            subject: it.subject.clone(),
            citations,
            voice: Voice::from_origin(origin),
            ..build_fact(at, RECORDED, &self.repo, &it.fact)?
        })
    }

    fn world(&self) -> World<'_> {
        World {
            store: &self.store,
            source: &self.source,
            embedder: self.embedder,
        }
    }

    /// The memories that a prompt is shown, by their names in the set, and the whole text.
    fn show_prompt(&self, text: &str, is_later: bool) -> Result<(Vec<String>, String)> {
        let mut session = AgentSession::default();
        if is_later {
            let at = Timestamp::from_second(ASKED - 60)?;
            let entry = SessionEntry::new(
                at,
                "bench",
                Client::ClaudeCode,
                self.repo.clone(),
                Moment::Prompt,
            );
            session.entries.push(entry);
        }
        let audience = BriefingAudience {
            repo: &self.repo,
            user: &self.user,
            session: &session,
            worse: &[],
        };
        let briefing = self
            .world()
            .at(ASKED, |cx| audience.brief_prompt(cx, text))??;
        let shown = briefing
            .shown
            .iter()
            .filter_map(|it| self.names.get(&it.hit.memory.id).cloned());
        Ok((shown.collect(), briefing.text))
    }
}
