//! `hook`: what a client asks at each moment, answered in its own words. It is never in the agent's way: there is a
//! deadline, and whatever goes wrong, the exit code is 0 and one line says why nothing came.

mod after;
mod detach;
mod moment;

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use apostille_agents::client::Client;
use apostille_agents::clients;
use apostille_agents::hook::{HookCall, HookReply};
use apostille_text::typo;

use crate::args::Hook;
use crate::paint::{one_line, safe};
use crate::shell::{Answer, Shell};
use apostille_workspace::error::Fault;
use apostille_workspace::system::World;

pub use detach::ALONE;

/// How long an agent waits at most, unless the user says otherwise.
pub const DEADLINE_MS: u64 = 300;
/// The longest line about what went wrong, in characters.
const NOTICE_CHARS: usize = 300;

/// What was asked and whether it was answered: shared by the one who works and the one who watches the clock.
#[derive(Default)]
struct Exchange {
    /// What was asked, so that it can be answered in the right words whatever happens.
    asked: Option<HookCall>,
    is_answered: bool,
}

/// Answers a hook.
pub fn run(shell: &Shell, args: &Hook) -> Answer {
    if let Some(session) = &args.after {
        return after::run(shell, session);
    }
    std::panic::set_hook(Box::new(|_| mistaken()));
    let clock = moment::Clock {
        started: Instant::now(),
        deadline: deadline(&shell.world),
    };
    let exchange = Arc::new(Mutex::new(Exchange::default()));
    watched(Arc::clone(&exchange), clock.deadline);
    let reply = work(shell, args, clock, &exchange)
        .err()
        .map(|fault| failed(&fault));
    handed_over(&exchange, reply.unwrap_or_default());
    Answer::default()
}

/// Ends it all when the time is over. The work is not the one that is put aside: what a second thread allocates costs
/// more than all the watching.
#[expect(clippy::exit, reason = "whoever is stuck cannot be asked to stop")]
fn watched(exchange: Arc<Mutex<Exchange>>, deadline: Duration) {
    thread::spawn(move || {
        thread::sleep(deadline);
        let ms = deadline.as_millis();
        let notice = Some(format!("no memory this time: it took longer than {ms} ms"));
        handed_over(
            &exchange,
            HookReply {
                context: None,
                notice,
            },
        );
        std::process::exit(0)
    });
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

/// How long the agent waits.
fn deadline(world: &World) -> Duration {
    let said = world
        .env
        .get("APOSTILLE_HOOK_DEADLINE_MS")
        .and_then(|it| it.parse().ok());
    Duration::from_millis(said.filter(|it| *it > 0).unwrap_or(DEADLINE_MS))
}

/// Prints the answer in the client's words, once; what these have no place for is said beside it.
fn handed_over(exchange: &Mutex<Exchange>, reply: HookReply) {
    let mut exchange = exchange.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::replace(&mut exchange.is_answered, true) {
        return;
    }
    let notice = reply.notice.map(|it| format!("apostille: {}", brief(&it)));
    let reply = HookReply {
        notice,
        context: reply.context.map(|it| safe(&it)),
    };
    let asked = exchange.asked.as_ref();
    let said = asked
        .map(|told| clients::print_hook_reply(told, &reply))
        .unwrap_or_default();
    let mut stdout = io::stdout().lock();
    // A client that no longer listens has its answer.
    let _ = stdout
        .write_all(said.as_bytes())
        .and_then(|()| stdout.flush());
    if let Some(notice) = reply
        .notice
        .filter(|_| asked.is_none_or(|it| !clients::profile(it.client).has_notice()))
    {
        // Where it cannot be said, it is not said.
        let _ = writeln!(io::stderr(), "{notice}");
    }
}

fn failed(fault: &Fault) -> HookReply {
    HookReply {
        context: None,
        notice: Some(format!("no memory this time: {:#}", fault.cause)),
    }
}

fn brief(text: &str) -> String {
    one_line(text).chars().take(NOTICE_CHARS).collect()
}

/// Does the work, and hands the answer over as soon as there is one.
fn work(
    shell: &Shell,
    args: &Hook,
    clock: moment::Clock,
    exchange: &Mutex<Exchange>,
) -> Result<(), Fault> {
    let client = client(&args.client)?;
    let stdin = shell.world.read_stdin()?;
    let env = |name: &str| shell.world.env.get(name).map(Into::into);
    let event = args.event.as_deref().unwrap_or_default();
    let Some(told) = clients::read_hook_call(client, event, &stdin, &env) else {
        return Ok(());
    };
    drop(stdin);
    exchange
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .asked = Some(told.clone());
    moment::answer(shell, &told, clock, &|reply| handed_over(exchange, reply))
}

fn client(name: &str) -> Result<Client, Fault> {
    let near = || {
        Client::ALL
            .iter()
            .find(|it| typo::near(name, it.as_str()).is_some())
    };
    name.parse().map_err(|error| match near() {
        Some(it) => Fault::usage(format!("unknown client '{name}'; did you mean {it}?")),
        None => Fault::usage(error),
    })
}
