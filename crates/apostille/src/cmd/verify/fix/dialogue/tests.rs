//! What is typed goes in, what is said and what is kept comes out.

use std::cell::RefCell;
use std::{collections::VecDeque, fs};

use apostille_core::{
    memory::{Draft, DuplicateChoice, Memory, Origin, Voice},
    remember::{RememberOutcome, remember},
    store::MemoryFilter,
    verify::follow_memory_citations,
};
use apostille_terminal::{args::GlobalArgs, command_context::CommandContext};
use apostille_workspace::system::{Environment, System, TerminalInfo};
use tempfile::TempDir;

use super::{FixChoice, FixConsole, ask_about_fixes};
use crate::cmd::verify::fix::propose_verify_fixes;

/// A person who types these lines, and what they see.
struct ScriptedConsole {
    lines: RefCell<VecDeque<String>>,
    seen: RefCell<String>,
}

impl FixConsole for ScriptedConsole {
    fn print_text(&self, text: &str) {
        let plain = anstream::adapter::strip_str(text).to_string();
        self.seen.borrow_mut().push_str(&plain);
    }

    fn read_answer(&self) -> String {
        let line = self.lines.borrow_mut().pop_front().unwrap_or_default();
        self.seen.borrow_mut().push_str(&line);
        line
    }
}

const LIMITS: &str = "/// What the gateway allows.\npub const MAX_RETRIES: u32 = 5;\n\n/// How long it waits.\npub const WAIT_SECONDS: u32 = 30;\n\npub fn legacy() -> bool {\n    true\n}\n";
const EDITED: &str = "/// What the gateway allows.\npub const MAX_RETRIES: u32 = 7;\n\n/// How long it waits, at least.\npub const MIN_WAIT: u32 = 30;\n";

/// A folder with a file, and a store with three memories about it.
struct FixScene {
    folder: TempDir,
    ctx: CommandContext,
}

impl FixScene {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("app")).unwrap();
        fs::write(root.join("app/limits.rs"), LIMITS).unwrap();
        let mut system = System::from_process(Vec::new()).unwrap();
        (system.now, system.asked) = ("2026-03-01T12:00:00Z".parse().unwrap(), None);
        (system.cwd, system.env) = (root.join("app"), Environment::with_home(&root));
        // What the environment names is this folder; what a flag names may be another one.
        system.env.set_variable("APOSTILLE_REPO", "acme/app");
        system.terminal = TerminalInfo {
            stdin: true,
            stdout: true,
            stderr: true,
            can_redraw: true,
            columns: 200,
        };
        let flags = GlobalArgs {
            as_user: Some("ana".into()),
            ..GlobalArgs::default()
        };
        let ctx = CommandContext::new(system, flags);
        let scene = Self { folder, ctx };
        scene.keep("MAX_RETRIES is 5 because of the gateway", "limits.rs:2");
        scene.keep(
            "the gateway waits half a minute between two calls",
            "limits.rs:4-5",
        );
        scene.keep("`legacy` is on for old clients", "limits.rs:7-9");
        fs::write(scene.folder.path().join("app/limits.rs"), EDITED).unwrap();
        scene
    }

    fn keep(&self, fact: &str, cite: &str) {
        let workspace = self.ctx.open_workspace().unwrap();
        let draft = Draft {
            citations: vec![cite.parse().unwrap()],
            on_duplicate: DuplicateChoice::Create("another".into()),
            ..Draft::new(
                workspace.spaces()[0].clone(),
                fact,
                Voice::from_origin(Origin::User),
            )
        };
        let kept = remember(&workspace.context(), draft).unwrap();
        assert!(
            matches!(kept, RememberOutcome::Remembered { .. }),
            "{kept:?}"
        );
    }

    fn memories(&self) -> Vec<Memory> {
        let workspace = self.ctx.open_workspace().unwrap();
        let filter = MemoryFilter {
            limit: 99,
            ..MemoryFilter::default()
        };
        let mut memories = workspace.store.list_memories(&filter).unwrap();
        memories.sort_by_key(|it| it.number);
        memories
    }

    /// What a person sees who types these lines.
    fn run(&self, lines: &[&str]) -> String {
        let talk = ScriptedConsole {
            lines: RefCell::new(lines.iter().map(|it| format!("{it}\n")).collect()),
            seen: RefCell::default(),
        };
        let workspace = self.ctx.open_workspace().unwrap();
        let mut memories = self.memories();
        memories.retain(Memory::is_active);
        let found = follow_memory_citations(&workspace.context(), memories);
        let fixes = propose_verify_fixes(&self.ctx, &found);
        ask_about_fixes(&self.ctx, &talk, &workspace, &fixes).unwrap();
        talk.seen.into_inner()
    }

    /// Every memory with where it stands and what it cites.
    fn told(&self) -> Vec<String> {
        let tell = |it: &Memory| {
            let cited = it.citations.first().map(|it| it.snippet.clone());
            let stage = it.status.stage();
            format!(
                "{} {stage}: {} | {}",
                it.handle(),
                it.fact,
                cited.unwrap_or_default()
            )
        };
        self.memories().iter().map(tell).collect()
    }
}

#[test]
fn fix_offers_what_fits_each_memory() {
    insta::assert_snapshot!(FixScene::new().run(&["s", "s", "s"]), @r"
    m-1   contradicted
          MAX_RETRIES is 5 because of the gateway
          limits.rs:2 (it says something else) · just now
          the code no longer says `5`
            -pub const MAX_RETRIES: u32 = 5;
            +pub const MAX_RETRIES: u32 = 7;
          instead:
            MAX_RETRIES is 7 because of the gateway
          [y] correct it like this  [c] still true at limits.rs:2  [e] edit the fact  [d] drop it  [s] skip  [q] quit  > s

    m-2   check
          the gateway waits half a minute between two calls
          limits.rs:4-5 (names were changed) · just now
            -/// How long it waits.
            -pub const WAIT_SECONDS: u32 = 30;
            +/// How long it waits, at least.
            +pub const MIN_WAIT: u32 = 30;
          look whether it is still true there: confirm it, or say what is true now
          [c] still true at limits.rs:4-5  [e] edit the fact  [d] drop it  [s] skip  [q] quit  > s

    m-3   gone
          `legacy` is on for old clients
          limits.rs:7-9 → limits.rs:4-5 (it says something else) · just now
          the code no longer says `legacy`
            -pub fn legacy() -> bool {
            -    true
            -}
            +/// How long it waits, at least.
            +pub const MIN_WAIT: u32 = 30;
          nothing is left to cite
          [d] drop it  [s] skip  [q] quit  > s
    ");
}

#[test]
fn fix_corrects_confirms_and_drops() {
    let scene = FixScene::new();
    let seen = scene.run(&["y", "c", "c", "d"]);
    assert!(seen.contains("remembered m-4 in place of m-1"), "{seen}");
    assert!(seen.contains("confirmed m-2"), "{seen}");
    assert!(seen.contains("invalidated m-3"), "{seen}");
    insta::assert_snapshot!(scene.told().join("\n"), @r"
    m-1 superseded: MAX_RETRIES is 5 because of the gateway | pub const MAX_RETRIES: u32 = 5;
    m-2 active: the gateway waits half a minute between two calls | /// How long it waits, at least.
    pub const MIN_WAIT: u32 = 30;
    m-3 invalid: `legacy` is on for old clients | pub fn legacy() -> bool {
        true
    }
    m-4 active: MAX_RETRIES is 7 because of the gateway | pub const MAX_RETRIES: u32 = 7;
    ");
    assert_eq!(scene.run(&[]), "", "there is nothing left to decide");
}

#[test]
fn fix_takes_a_persons_own_words() {
    let scene = FixScene::new();
    let seen = scene.run(&["what?", "e", "MAX_RETRIES is 7 since the new gateway", "q"]);
    assert!(seen.contains("remembered m-4 in place of m-1"), "{seen}");
    let told = scene.told();
    assert!(
        told[3].starts_with("m-4 active: MAX_RETRIES is 7 since the new gateway"),
        "{told:?}"
    );
    assert!(told[1].starts_with("m-2 active"), "{told:?}");
}

#[test]
fn choices_are_understood_and_the_end_of_input_is_the_end() {
    let check = |line: &str, expected: Option<FixChoice>| {
        assert_eq!(FixChoice::from_line(line), expected, "{line:?}")
    };
    check("", Some(FixChoice::Quit));
    check("\n", Some(FixChoice::Skip));
    check("Y\n", Some(FixChoice::Correct));
    check("c\n", Some(FixChoice::Confirm));
    check(" e\r\n", Some(FixChoice::Edit));
    check("d\n", Some(FixChoice::Drop));
    check("i\n", Some(FixChoice::Drop));
    check("q\n", Some(FixChoice::Quit));
    check("what?\n", None);
}
