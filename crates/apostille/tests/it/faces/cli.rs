//! The command line: every command that the parser knows.

use apostille_agents::client::Client;
use apostille_terminal::args::Cli;
use clap::CommandFactory as _;

use super::{
    FaceAnswer, hooks,
    standing::Marking,
    world::{FaceWorld, SESSION, list_handles},
};

/// What a command does with memories.
enum CommandUse {
    /// Shows them; called like this. `NAME` stands for each of them.
    Looks(Marking, &'static [&'static str]),
    /// Shows them to whoever keeps the store in order, and to scripts; a turn of an agent does not matter.
    Upkeep(Marking, &'static [&'static str]),
    /// Changes one, and says so.
    Writes(&'static str),
    /// Shows none.
    Silent,
}

use CommandUse::{Looks, Silent, Upkeep, Writes};
use Marking::{Doubts, Each, Nothing};

const QUESTION: &str = "why does the checkout retry and wait for the gateway";

/// Every command, and how it is called here.
const COMMANDS: &[(&str, CommandUse)] = &[
    ("remember", Writes("--cite=src/checkout.rs:6-7 QUESTION")),
    ("recall", Looks(Each, RECALLS)),
    (
        "list",
        Looks(Each, &["", "--status=pending", "--layer=episode"]),
    ),
    ("show", Looks(Each, &["NAME"])),
    ("recent", Looks(Each, &["", "--path=src/checkout.rs"])),
    ("verify", Upkeep(Each, &["", "NAME", "--fix"])),
    ("audit", Upkeep(Each, &[""])),
    // What they propose, which waits.
    ("reflect", Upkeep(Nothing, &[""])),
    ("consolidate", Upkeep(Nothing, &[""])),
    ("promote", Writes("NAME")),
    ("refresh", Writes("NAME")),
    // What it answers stands again.
    ("confirm", Upkeep(Nothing, &["NAME"])),
    ("supersede", Writes("NAME QUESTION")),
    ("invalidate", Writes("NAME --reason=wrong")),
    ("forget", Writes("NAME")),
    ("apply", Writes("NAME")),
    ("review", Upkeep(Each, &[""])),
    ("breaker", Silent),
    ("secrets", Silent),
    ("approve", Writes("NAME")),
    // The reader's own text, as it is to be edited.
    ("identity", Looks(Nothing, &[""])),
    ("stats", Silent),
    ("impact", Silent),
    // Rules by who asked for them; what an agent is told of them comes with how it stands.
    ("reviews", Upkeep(Nothing, &[""])),
    // What happened, in the words of then; and so `rollback`.
    ("log", Upkeep(Nothing, &[""])),
    ("spaces", Silent),
    ("rollback", Upkeep(Nothing, &["--to=1 --dry-run"])),
    // A copy of what is kept, to be read back.
    ("export", Upkeep(Nothing, &["", "--format=markdown"])),
    ("import", Silent),
    ("sync", Silent),
    ("store", Silent),
    ("learn", Silent),
    (
        "task start",
        Looks(Each, &["retry-the-checkout", "QUESTION"]),
    ),
    ("task note", Writes("QUESTION")),
    ("task phase", Writes("Review")),
    ("task done", Writes("--abandon=later")),
    ("task file", Silent),
    ("task list", Looks(Each, &[""])),
    ("task show", Looks(Each, &[""])),
    ("task forget", Silent),
    ("task hooks", Silent),
    ("task trailers", Silent),
    ("report", Looks(Doubts, &[""])),
    ("mcp", Silent),
    ("serve", Silent),
    ("token", Silent),
    ("pin", Silent),
    ("model", Silent),
    ("hook", Silent),
    ("why", Looks(Doubts, &["--all", "src/checkout.rs:6-7"])),
    ("init", Silent),
    ("trust", Silent),
    ("config", Silent),
    ("doctor", Silent),
    ("tour", Silent),
    ("completions", Silent),
    ("man", Silent),
];

const RECALLS: &[&str] = &[
    "QUESTION",
    "--episodes QUESTION",
    "--block QUESTION",
    "--layer=session QUESTION",
    "--layer=episode QUESTION",
    "--path=src/checkout.rs QUESTION",
    "--recent",
];

#[test]
fn every_command_is_among_the_faces() {
    let known = |name: &str| COMMANDS.iter().any(|it| it.0 == name);
    let unknown = |it: &clap::Command| {
        let name = it.get_name().to_owned();
        let parts: Vec<String> = it
            .get_subcommands()
            .map(|it| format!("{name} {}", it.get_name()))
            .collect();
        let is_known = known(&name) || !parts.is_empty() && parts.iter().all(|it| known(it));
        (!is_known).then_some(name)
    };
    let missing: Vec<String> = Cli::command()
        .get_subcommands()
        .filter_map(unknown)
        .collect();
    assert!(
        missing.is_empty(),
        "say in COMMANDS what these show, and how they are called: {missing:?}"
    );
}

/// What is typed, with each memory in the place of `NAME`.
fn list_lines(command: &str, arguments: &str) -> Vec<Vec<String>> {
    let names: Vec<String> = match arguments.contains("NAME") {
        true => list_handles().collect(),
        false => vec![String::new()],
    };
    let typed = format!("{command} {arguments}");
    let word = |it: &str, name: &str| it.replace("NAME", name).replace("QUESTION", QUESTION);
    let line = |name: &String| typed.split_whitespace().map(|it| word(it, name)).collect();
    names.iter().map(line).collect()
}

fn run(world: &FaceWorld, line: &[String]) -> [FaceAnswer; 2] {
    [&[][..], &["--json"]].map(|more| {
        let line: Vec<&str> = line
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect();
        let ran = world.run(&line);
        FaceAnswer::new("commands", line.join(" "), ran.out + &ran.err)
    })
}

/// What every command answers.
pub fn list_answers(world: &FaceWorld) -> Vec<FaceAnswer> {
    hooks::ask_about_checkout(world, Client::ClaudeCode, "s1");
    let mut shown = Vec::new();
    for (command, how) in COMMANDS {
        match how {
            Looks(marking, lines) | Upkeep(marking, lines) => {
                let lines = lines.iter().flat_map(|it| list_lines(command, it));
                shown.extend(
                    lines
                        .flat_map(|it| run(world, &it))
                        .map(|it| it.marked(*marking)),
                );
            }
            Writes(arguments) => {
                for line in list_lines(command, arguments) {
                    shown.extend(run(world, &line).map(|it| it.marked(Doubts)));
                    world.restore();
                }
            }
            Silent => {}
        }
    }
    shown
}

/// What an agent is answered in its shell, in a turn in which memory is to be ignored.
pub fn list_answers_while_ignored(world: &mut FaceWorld) -> Vec<FaceAnswer> {
    hooks::ask_to_ignore(world, Client::ClaudeCode, SESSION);
    world.env.set("CLAUDE_CODE_SESSION_ID", SESSION);
    let looks = COMMANDS.iter().filter_map(|(command, how)| match how {
        Looks(_, lines) => Some(lines.iter().flat_map(|it| list_lines(command, it))),
        _ => None,
    });
    looks.flatten().flat_map(|it| run(world, &it)).collect()
}
