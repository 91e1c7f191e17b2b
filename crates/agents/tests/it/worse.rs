//! What an edit made untrue: told when it got worse, once, and never more than has room.

use apostille_agents::{
    briefing::{Briefing, BriefingAudience, EditReview},
    client::Client,
    session::{AgentSession, Moment, SessionEntry},
};
use apostille_core::{policy::Policy, repair_text::RepairForm, verify::VerifiedMemory};

use crate::world::{World, cited, repo, user};

/// A session that grows by what it is told.
#[derive(Default)]
struct Agent {
    session: AgentSession,
}

impl Agent {
    fn find_worse(&self, world: &World, earlier: Option<&[AgentSession]>) -> Vec<VerifiedMemory> {
        let review = EditReview {
            repo: &repo(),
            session: &self.session,
            edited: &["src/api.rs".parse().unwrap()],
            earlier,
        };
        world.with(|cx| review.find_worse_memories(cx)).unwrap()
    }

    fn is_told(
        &mut self,
        world: &World,
        worse: &[VerifiedMemory],
        make: impl Fn(&World, &BriefingAudience<'_>) -> Briefing,
    ) -> Briefing {
        let (repo, user) = (repo(), user());
        let audience = BriefingAudience {
            repo: &repo,
            user: &user,
            session: &self.session,
            worse,
        };
        let made = make(world, &audience);
        let mut entry = SessionEntry::new(
            world.now(),
            "s-1",
            Client::Codex,
            repo.clone(),
            Moment::Touch,
        );
        entry.shown = made.list_shown();
        entry.withheld = made.list_withheld();
        self.session.entries.push(entry);
        made
    }

    /// What is told at another tool.
    fn other_tool(&mut self, world: &World) -> Briefing {
        let worse = self.find_worse(world, None);
        self.is_told(world, &worse, |world, it| {
            world.with(|cx| it.brief_worse_memories(cx))
        })
    }

    fn touch(&mut self, world: &World) -> Briefing {
        self.is_told(world, &[], |world, it| {
            let paths = vec!["src/api.rs".parse().unwrap()];
            world.with(|cx| it.brief_file_touch(cx, paths, "")).unwrap()
        })
    }
}

/// So many facts of one file, each about another constant.
fn stocked(policy: Policy, n: usize) -> World {
    let world = World::new(policy);
    write_limits(&world, n, 3);
    for it in 0..n {
        let place = format!("src/api.rs:{}", it + 1);
        world.kept(cited(&format!("LIMIT_{it} is 3."), &[&place]));
    }
    world
}

fn write_limits(world: &World, n: usize, value: u32) {
    let lines = (0..n).map(|it| format!("pub const LIMIT_{it}: u32 = {value};\n"));
    world.shelf.write("src/api.rs", &lines.collect::<String>());
}

fn handles(made: &Briefing) -> String {
    let told: Vec<String> = made
        .worse
        .iter()
        .map(|it| it.hit.memory.handle().to_string())
        .collect();
    told.join(" ")
}

#[test]
fn what_got_worse_is_told_once_and_again_only_when_it_is_worse_still() {
    let (world, mut agent) = (World::verified(), Agent::default());
    world.kept(cited(
        "Clients read the version from this constant.",
        &["src/api.rs:3"],
    ));
    agent.touch(&world);
    assert_eq!(agent.other_tool(&world).text, "", "nothing got worse");
    world.shelf.write(
        "src/api.rs",
        "use std;\n\npub const API_VERSION: &str = \"v4\";\n\nfn main() {}\n",
    );
    let told = agent.other_tool(&world).text;
    assert!(told.contains("code changed, check src/api.rs:3"), "{told}");
    assert_eq!(agent.other_tool(&world).text, "");
    world.shelf.remove("src/api.rs");
    let told = agent.other_tool(&world).text;
    assert!(told.contains("gone src/api.rs:3"), "{told}");
    assert_eq!(agent.other_tool(&world).text, "");
}

#[test]
fn what_else_may_be_done_is_told_once_a_session() {
    let (world, mut agent) = (stocked(Policy::default(), 9), Agent::default());
    agent.touch(&world);
    write_limits(&world, 9, 5);
    let hint = RepairForm::Shell.describe_other_calls();
    let parts: Vec<bool> = (0..2)
        .map(|_| agent.other_tool(&world).text.contains(hint))
        .collect();
    assert_eq!(parts, [true, false]);
}

#[test]
fn calls_are_told_as_their_reader_makes_them() {
    let (world, mut agent) = (stocked(Policy::default(), 1), Agent::default());
    agent.touch(&world);
    write_limits(&world, 1, 5);
    let worse = agent.find_worse(&world, None);
    let tool = |world: &World, it: &BriefingAudience<'_>| {
        world.with(|cx| it.brief_worse_with_calls(cx, RepairForm::Tool))
    };
    let told = agent.is_told(&world, &worse, tool).text;
    let body: Vec<&str> = told.lines().skip(1).take(4).collect();
    insta::assert_snapshot!(body.join("\n"), @r#"
    The code that these cite was edited; the call below each puts it right:
    - m-1 contradicted src/api.rs:1 (3 → 5)
      memory_revise {"id":"m-1","action":"correct","fact":"LIMIT_0 is 5.","citations":["src/api.rs:1"]}
    Else action correct, confirm (still true) or invalidate.
    "#);
}

#[test]
fn what_may_speak_of_another_tree_is_not_called_worse() {
    let (world, mut agent) = (World::verified(), Agent::default());
    world.kept(cited("The API version is v3.", &["src/api.rs:3"]));
    world.shelf.remove("src/api.rs");
    // Nothing follows the code here, and nobody was shown that it stood.
    assert_eq!(agent.other_tool(&world).text, "");
}

#[test]
fn what_could_not_be_looked_up_is_not_called_worse() {
    let (world, mut agent) = (stocked(Policy::default(), 3), Agent::default());
    agent.touch(&world);
    write_limits(&world, 3, 5);
    world.set_late();
    assert_eq!(agent.other_tool(&world).text, "");
}

#[test]
fn many_are_told_in_parts_the_oldest_first() {
    let (world, mut agent) = (stocked(Policy::default(), 9), Agent::default());
    agent.touch(&world);
    write_limits(&world, 9, 5);
    let parts: Vec<String> = (0..4).map(|_| handles(&agent.other_tool(&world))).collect();
    assert_eq!(parts, ["m-1 m-2 m-3 m-4 m-5", "m-6 m-7 m-8 m-9", "", ""]);
}

#[test]
fn whatever_is_told_keeps_its_budget() {
    for chars in (0..3_000).step_by(37) {
        let mut policy = Policy::default();
        policy.inject.chars = chars;
        let (world, mut agent) = (stocked(policy, 9), Agent::default());
        let worse = {
            let earlier = shown_before(&world);
            write_limits(&world, 9, 5);
            agent.find_worse(&world, Some(&earlier))
        };
        assert_eq!(worse.len(), 9);
        let start = |world: &World, it: &BriefingAudience<'_>| {
            world
                .with(|cx| it.brief_session_start(cx, "a task", false))
                .unwrap()
        };
        let prompt = |world: &World, it: &BriefingAudience<'_>| {
            world
                .with(|cx| it.brief_prompt(cx, "LIMIT_1 and LIMIT_2"))
                .unwrap()
        };
        for made in [
            agent.is_told(&world, &worse, start),
            agent.is_told(&world, &worse, prompt),
        ] {
            let n = made.text.chars().count();
            assert!(n <= chars, "{n} > {chars}");
            let named = |it: &&str| it.starts_with("- ") && it.contains("m-");
            let n_named = made.text.lines().filter(named).count();
            assert_eq!(
                n_named,
                made.list_shown().len() + made.list_withheld().len()
            );
        }
    }
}

/// A session that was shown everything, when it stood.
fn shown_before(world: &World) -> Vec<AgentSession> {
    let mut agent = Agent::default();
    let everything = |world: &World, it: &BriefingAudience<'_>| {
        let paths = vec!["src/api.rs".parse().unwrap()];
        world.with(|cx| {
            let policy = Policy::default();
            let cx = apostille_core::Context {
                policy: &policy,
                ..*cx
            };
            it.brief_file_touch(&cx, paths, "").unwrap()
        })
    };
    agent.is_told(world, &[], everything);
    vec![agent.session]
}
