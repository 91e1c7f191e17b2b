//! Meaning as a second source of candidates: what it finds, what it leaves to words, and what happens without it.

use std::cell::Cell;
use std::sync::Mutex;

use apostille_core::{
    Context,
    embedding::{Embedder, EmbedderError, Embedding, EmbeddingModel},
    embedding_upkeep::{EmbeddingCoverage, count_embeddings, embed_missing_memories},
    forget::forget,
    recall::{RecallOutcome, RecallRequest, RelevanceBar, recall},
    revise::{invalidate_memory, supersede_memory},
};

use crate::world::{World, a_speaker, preference, user};

/// A model that knows a few ideas, each by its words, and nothing else.
struct Ideas {
    model: EmbeddingModel,
    is_broken: bool,
    asked: Mutex<Vec<String>>,
}

const IDEAS: [&[&str]; 3] = [
    &["upload", "attachment", "large", "big", "megabyte"],
    &["tabs", "indent", "whitespace"],
    &["deploy", "release", "ship"],
];

impl Ideas {
    fn new() -> Self {
        Self {
            model: EmbeddingModel::new("ideas"),
            is_broken: false,
            asked: Mutex::default(),
        }
    }

    fn embed(text: &str) -> Embedding {
        let text = text.to_lowercase();
        let has = |words: &&[&str]| words.iter().any(|it| text.contains(it));
        let mut floats: Vec<f32> = IDEAS
            .iter()
            .map(|it| f32::from(u8::from(has(it))))
            .collect();
        // What is about nothing that the model knows is alone with itself.
        floats.push(if floats.contains(&1.0) { 0.1 } else { 1.0 });
        floats.push(0.2);
        let len = floats.iter().map(|it| it * it).sum::<f32>().sqrt();
        Embedding::from_floats(&floats.iter().map(|it| it / len).collect::<Vec<_>>())
    }
}

impl Embedder for Ideas {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn embed_texts(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedderError> {
        if self.is_broken {
            return Err(EmbedderError("the model is damaged".into()));
        }
        let mut asked = self.asked.lock().unwrap();
        asked.extend(texts.iter().map(|it| (*it).to_owned()));
        Ok(texts.iter().map(|it| Self::embed(it)).collect())
    }
}

fn ask_with(world: &World, ideas: &Ideas, ask: &RecallRequest) -> RecallOutcome {
    world
        .with(|cx| {
            let cx = Context {
                embedder: Some(ideas),
                ..*cx
            };
            recall(&cx, ask)
        })
        .unwrap()
}

fn question(text: &str) -> RecallRequest {
    RecallRequest {
        text: text.into(),
        spaces: vec![user()],
        ..RecallRequest::default()
    }
}

fn embed_all(world: &World, ideas: &Ideas) -> usize {
    let run = world.with(|cx| embed_missing_memories(cx, ideas, &user(), &mut |_, _| true));
    run.unwrap().n_made
}

fn handles(recalled: &RecallOutcome) -> Vec<String> {
    let shown = recalled.shown.iter();
    shown.map(|it| it.hit.memory.handle().to_string()).collect()
}

/// Three preferences, `u-1` to `u-3`.
fn three() -> World {
    let world = World::verified();
    world.kept(preference("Wants attachments under ten megabytes."));
    world.kept(preference("Prefers tabs in every Makefile."));
    world.kept(preference("Ships on Tuesdays."));
    world
}

#[test]
fn meaning_finds_what_shares_no_word() {
    let (world, ideas) = (three(), Ideas::new());
    let ask = question("how big may an upload be");
    assert_eq!(handles(&world.recall(&ask)).len(), 0);
    assert_eq!(embed_all(&world, &ideas), 3);
    let recalled = ask_with(&world, &ideas, &ask);
    assert_eq!(handles(&recalled), ["u-1"]);
    let why = &recalled.shown[0].hit.why;
    let meaning = why.meaning.unwrap();
    assert!(meaning.cosine > 0.9, "{meaning:?}");
    assert!((why.relevance - meaning.words - meaning.meaning).abs() < 1e-6);
    assert!(recalled.problems.is_empty());
}

#[test]
fn what_is_near_to_nothing_is_not_found() {
    let (world, ideas) = (three(), Ideas::new());
    embed_all(&world, &ideas);
    let recalled = ask_with(&world, &ideas, &question("zebras?"));
    assert!(handles(&recalled).is_empty());
}

#[test]
fn words_and_meaning_are_added() {
    let (world, ideas) = (three(), Ideas::new());
    world.kept(preference("Uploads go through the Makefile."));
    embed_all(&world, &ideas);
    // By words u-2 and u-4 are alike; by meaning u-4 and u-1 are near.
    let recalled = ask_with(&world, &ideas, &question("Makefile for large files"));
    assert_eq!(handles(&recalled), ["u-4", "u-2", "u-1"]);
}

#[test]
fn meaning_alone_is_never_clear() {
    let (world, ideas) = (three(), Ideas::new());
    embed_all(&world, &ideas);
    let ask = RecallRequest {
        bar: Some(RelevanceBar::Clear),
        ..question("how big may an upload be")
    };
    assert_eq!(handles(&ask_with(&world, &ideas, &ask)), [] as [&str; 0]);
}

#[test]
fn broken_model_costs_a_note() {
    let (world, mut ideas) = (three(), Ideas::new());
    embed_all(&world, &ideas);
    ideas.is_broken = true;
    let ask = question("tabs in a Makefile");
    let recalled = ask_with(&world, &ideas, &ask);
    assert_eq!(
        recalled.problems,
        ["searched by words only: the model is damaged"]
    );
    assert_eq!(recalled.block, world.recall(&ask).block);
}

#[test]
fn model_is_not_asked_where_there_are_no_vectors() {
    let (world, mut ideas) = (three(), Ideas::new());
    ideas.is_broken = true;
    let ask = question("tabs in a Makefile");
    let recalled = ask_with(&world, &ideas, &ask);
    assert_eq!(recalled.block, world.recall(&ask).block);
    assert_eq!(recalled.problems, [] as [&str; 0]);
    embed_all(&world, &Ideas::new());
    // A question about a file, or about nothing, has no meaning.
    let nothing = question(" ");
    assert_eq!(ask_with(&world, &ideas, &nothing).problems, [] as [&str; 0]);
}

#[test]
fn vectors_follow_their_memories() {
    let (world, ideas) = (three(), Ideas::new());
    let coverage = || {
        world
            .with(|cx| count_embeddings(cx, &user(), &ideas.model))
            .unwrap()
    };
    let counts = |embedded, missing| EmbeddingCoverage { embedded, missing };
    assert_eq!(coverage(), counts(0, 3));
    embed_all(&world, &ideas);
    assert_eq!((coverage(), embed_all(&world, &ideas)), (counts(3, 0), 0));
    let by = a_speaker();
    let name = |it: &str| it.parse().unwrap();
    world
        .with(|cx| invalidate_memory(cx, by, &[user()], name("u-1"), "no more"))
        .unwrap();
    world
        .with(|cx| forget(cx, by, &[user()], name("u-2"), ""))
        .unwrap();
    assert_eq!(coverage(), counts(1, 0));
    let how = apostille_core::memory::ReplacementKind::Better;
    let better = preference("Ships on Mondays.");
    world
        .with(|cx| supersede_memory(cx, by, &[user()], name("u-3"), better, how))
        .unwrap();
    assert_eq!(coverage(), counts(0, 1));
    let recalled = ask_with(&world, &ideas, &question("when is a release"));
    assert!(recalled.shown.iter().all(|it| it.hit.why.meaning.is_none()));
}

#[test]
fn making_vectors_can_be_stopped() {
    let (world, ideas) = (World::verified(), Ideas::new());
    for n in 0..40 {
        world.kept(preference(&format!("Prefers number {n} to others.")));
    }
    let n_steps = Cell::new(0);
    let run = world
        .with(|cx| {
            embed_missing_memories(cx, &ideas, &user(), &mut |n_made, n_missing| {
                assert_eq!(n_made + n_missing, 40);
                n_steps.set(n_steps.get() + 1);
                n_steps.get() < 3
            })
        })
        .unwrap();
    assert_eq!((run.n_made, run.n_missing), (32, 8));
    assert_eq!(embed_all(&world, &ideas), 8, "the rest");
    assert_eq!(ideas.asked.lock().unwrap().len(), 40, "each once");
}
