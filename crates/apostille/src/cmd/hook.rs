//! `hook`: what a client asks at each moment, answered in its own words. It is never in the agent's way: there is a
//! deadline, and whatever goes wrong, the exit code is 0 and one line says why nothing came.

mod after;
mod detach;
mod moment;

use std::io::{self, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use apostille_core::client::Client;
use apostille_core::recall::typo;

use crate::args::{Everywhere, Hook};
use crate::error::Fault;
use crate::hook::{self, Reply, Told};
use crate::paint::one_line;
use crate::shell::{Answer, Shell};
use crate::world::World;

pub use detach::ALONE;

/// How long an agent waits at most, unless the user says otherwise.
pub const DEADLINE_MS: u64 = 300;
/// The longest line about what went wrong, in characters.
const NOTICE_CHARS: usize = 300;

/// What the one who works tells the one who watches the clock.
enum Said {
    /// What was asked, so that it can be answered in the right words whatever happens.
    Asked(Box<Told>),
    /// What to say.
    Answer(Reply),
}

/// Answers a hook.
pub fn run(shell: &Shell, args: &Hook) -> Answer {
    if let Some(session) = &args.after {
        return after::run(shell, session);
    }
    std::panic::set_hook(Box::new(|_| mistaken()));
    let started = Instant::now();
    let deadline = Duration::from_millis(deadline(&shell.world));
    let (sender, receiver) = mpsc::channel();
    let (flags, args) = (shell.flags.clone(), args.clone());
    thread::spawn(move || work(flags, &args, started, deadline, &sender));
    let beside = watch(&receiver, started, deadline);
    // Where it cannot be said, it is not said.
    let _ = io::stderr().write_all(beside.as_bytes());
    Answer::default()
}

/// A mistake of ours stops nobody but us: clients take some exit codes of a hook as an order to stop.
#[expect(clippy::exit, reason = "a panic ends the program with another code")]
fn mistaken() {
    let _ = writeln!(
        io::stderr(),
        "apostille: no memory this time: a mistake of ours; `apostille doctor` may know more"
    );
    std::process::exit(0)
}

/// The deadline in milliseconds.
fn deadline(world: &World) -> u64 {
    let said = world.env.get("APOSTILLE_HOOK_DEADLINE_MS").and_then(|it| it.parse().ok());
    said.filter(|it| *it > 0).unwrap_or(DEADLINE_MS)
}

/// Waits for the answer and hands it over at once; then lets the rest be done in what is left of the time. Gives back
/// what is to be said beside the answer.
fn watch(receiver: &Receiver<Said>, started: Instant, deadline: Duration) -> String {
    let left = || deadline.saturating_sub(started.elapsed());
    let mut asked: Option<Box<Told>> = None;
    loop {
        let reply = match receiver.recv_timeout(left()) {
            Ok(Said::Asked(told)) => {
                asked = Some(told);
                continue;
            }
            Ok(Said::Answer(reply)) => reply,
            Err(RecvTimeoutError::Disconnected) => Reply::default(),
            Err(RecvTimeoutError::Timeout) => {
                let ms = deadline.as_millis();
                Reply {
                    context: None,
                    notice: Some(format!("no memory this time: it took longer than {ms} ms")),
                }
            }
        };
        let beside = handed_over(asked.as_deref(), reply);
        while receiver.recv_timeout(left()).is_ok() {}
        return beside;
    }
}

/// Prints the answer in the client's words; what they have no place for comes back.
fn handed_over(asked: Option<&Told>, reply: Reply) -> String {
    let reply = Reply { notice: reply.notice.map(|it| format!("apostille: {}", brief(&it))), ..reply };
    let Some(told) = asked else { return reply.notice.map(|it| it + "\n").unwrap_or_default() };
    let mut stdout = io::stdout().lock();
    // A client that no longer listens has its answer.
    let _ = stdout.write_all(hook::answer(told, &reply).as_bytes()).and_then(|()| stdout.flush());
    match reply.notice {
        Some(notice) if !hook::has_notice(told.client) => notice + "\n",
        _ => String::new(),
    }
}

fn brief(text: &str) -> String {
    one_line(text).chars().take(NOTICE_CHARS).collect()
}

/// Does the work, wherever it may stop.
fn work(flags: Everywhere, args: &Hook, started: Instant, deadline: Duration, sender: &Sender<Said>) {
    let say = |reply: Reply| drop(sender.send(Said::Answer(reply)));
    let failed = |fault: &Fault| {
        say(Reply { context: None, notice: Some(format!("no memory this time: {:#}", fault.cause)) });
    };
    let client = match client(&args.client) {
        Ok(client) => client,
        Err(fault) => return failed(&fault),
    };
    let world = match World::ask(Vec::new()) {
        Ok(world) => world,
        Err(fault) => return failed(&fault),
    };
    let Ok(stdin) = world.read_stdin() else { return };
    let env = |name: &str| world.env.get(name).map(Into::into);
    let event = args.event.as_deref().unwrap_or_default();
    let Some(told) = hook::told(client, event, &stdin, &env) else { return };
    drop(stdin);
    let _ = sender.send(Said::Asked(Box::new(told.clone())));
    let clock = moment::Clock { started, deadline };
    if let Err(fault) = moment::answer(world, flags, &told, clock, &say) {
        failed(&fault);
    }
}

fn client(name: &str) -> Result<Client, Fault> {
    let near = || Client::ALL.iter().find(|it| typo::near(name, it.as_str()).is_some());
    name.parse().map_err(|error| match near() {
        Some(it) => Fault::usage(format!("unknown client '{name}'; did you mean {it}?")),
        None => Fault::usage(error),
    })
}
