//! `hook`: what a client asks at each moment, answered in its own words. It is never in the agent's way: there is a
//! deadline, and whatever goes wrong, the exit code is 0 and one line says why nothing came.

mod detach;
mod edits;
mod ended_sessions;
mod moment;
mod rounds;

use std::{
    io::{self, Write as _},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use apostille_agents::{
    client::Client,
    clients,
    hook::{DEADLINE_MS, HookCall, HookReply},
};
use apostille_text::typo;

use apostille_terminal::{
    args::HookArgs,
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{flatten_to_line, make_terminal_safe},
};
use apostille_workspace::{error::CommandError, system::System};

/// The longest line about what went wrong, in characters.
const NOTICE_CHARS: usize = 300;

/// What was asked and whether it was answered: shared by the one who works and the one who watches the clock.
#[derive(Default)]
struct HookExchange {
    /// What was asked, so that it can be answered in the right words whatever happens.
    asked: Option<HookCall>,
    is_answered: bool,
}

fn lock_exchange(exchange: &Mutex<HookExchange>) -> MutexGuard<'_, HookExchange> {
    exchange.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers a hook.
pub fn run(ctx: &CommandContext, args: &HookArgs) -> CommandOutput {
    if let Some(session) = &args.after {
        return ended_sessions::run(ctx, session);
    }
    std::panic::set_hook(Box::new(|_| exit_hook_on_panic()));
    let clock = moment::HookClock {
        started: Instant::now(),
        deadline: read_hook_deadline(&ctx.system),
    };
    let exchange = Arc::new(Mutex::new(HookExchange::default()));
    spawn_hook_watchdog(Arc::clone(&exchange), clock.deadline);
    let reply = match handle_hook_call(ctx, args, clock, &exchange) {
        Ok(()) => HookReply::default(),
        Err(fault) => new_hook_notice(format!("{:#}", fault.cause)),
    };
    deliver_hook_reply(&exchange, reply);
    CommandOutput::default()
}

/// Says why nothing came.
fn new_hook_notice(why: String) -> HookReply {
    HookReply {
        context: None,
        notice: Some(format!("no memory this time: {why}")),
    }
}

/// Ends it all when the time is over. The work is not the one that is put aside: what a second thread allocates costs
/// more than all the watching.
///
/// An agent stands still while a hook runs, and some clients take a slow or failing hook as a reason to stop the turn. So
/// the promise is: an answer within the deadline and exit code 0, whatever happens. Asking the work to be quick is not
/// enough for that. It may be stuck where it cannot look at a clock: on a network file system, behind another process's
/// lock, in a client that never closes its end of standard input. Therefore the process is ended from outside.
///
/// Ending it in the middle is safe. A batch is one transaction, so a store has it whole or not at all; the ledger ends a torn
/// last line before it writes the next; and [`deliver_hook_reply`] prints under the lock of the exchange, so that nobody
/// gets half an answer, or two. What can be cut short without that is cut short before: `late` in the `Context` is true
/// after 60 % of the time, and what is not verified by then is left out.
#[expect(clippy::exit, reason = "whoever is stuck cannot be asked to stop")]
fn spawn_hook_watchdog(exchange: Arc<Mutex<HookExchange>>, deadline: Duration) {
    thread::spawn(move || {
        thread::sleep(deadline);
        let ms = deadline.as_millis();
        let reply = new_hook_notice(format!("it took longer than {ms} ms"));
        deliver_hook_reply(&exchange, reply);
        std::process::exit(0)
    });
}

/// A mistake of ours stops nobody but us: clients take some exit codes of a hook as an order to stop.
#[expect(clippy::exit, reason = "a panic ends the program with another code")]
fn exit_hook_on_panic() {
    let _ = writeln!(
        io::stderr(),
        "apostille: no memory this time: a mistake of ours; `apostille doctor` may know more"
    );
    std::process::exit(0)
}

/// How long the agent waits.
fn read_hook_deadline(system: &System) -> Duration {
    let said = system
        .env
        .get("APOSTILLE_HOOK_DEADLINE_MS")
        .and_then(|it| it.parse().ok())
        .filter(|it| *it > 0);
    Duration::from_millis(said.unwrap_or(DEADLINE_MS))
}

/// Prints the answer in the client's words, once; what these have no place for is said beside it.
fn deliver_hook_reply(exchange: &Mutex<HookExchange>, reply: HookReply) {
    let mut exchange = lock_exchange(exchange);
    if std::mem::replace(&mut exchange.is_answered, true) {
        return;
    }
    let notice = reply.notice.map(|it| {
        let short: String = flatten_to_line(&it).chars().take(NOTICE_CHARS).collect();
        format!("apostille: {short}")
    });
    let reply = HookReply {
        notice,
        context: reply.context.map(|it| make_terminal_safe(&it)),
    };
    let asked = exchange.asked.as_ref();
    let said = asked.map(|told| clients::print_hook_reply(told, &reply));
    let mut stdout = io::stdout().lock();
    // A client that no longer listens has its answer.
    let _ = stdout
        .write_all(said.unwrap_or_default().as_bytes())
        .and_then(|()| stdout.flush());
    let is_told = asked.is_some_and(|it| clients::find_client_profile(it.client).has_notice());
    if let Some(notice) = reply.notice.filter(|_| !is_told) {
        // Where it cannot be said, it is not said.
        let _ = writeln!(io::stderr(), "{notice}");
    }
}

/// Does the work, and hands the answer over as soon as there is one.
fn handle_hook_call(
    ctx: &CommandContext,
    args: &HookArgs,
    clock: moment::HookClock,
    exchange: &Mutex<HookExchange>,
) -> CommandResult<()> {
    let client = parse_hook_client(&args.client)?;
    let stdin = ctx.system.read_stdin()?;
    let env = |name: &str| ctx.system.env.get(name).map(Into::into);
    let event = args.event.as_deref().unwrap_or_default();
    let Some(told) = clients::read_hook_call(client, event, &stdin, &env) else {
        return Ok(());
    };
    drop(stdin);
    lock_exchange(exchange).asked = Some(told.clone());
    moment::answer_hook_moment(ctx, &told, clock, &|reply| {
        deliver_hook_reply(exchange, reply)
    })
}

fn parse_hook_client(name: &str) -> CommandResult<Client> {
    name.parse().map_err(|error| {
        let near = |it: &&Client| typo::count_spelling_errors(name, it.as_str()).is_some();
        match Client::ALL.iter().find(near) {
            Some(it) => CommandError::usage(format!("unknown client '{name}'; did you mean {it}?")),
            None => CommandError::usage(error),
        }
    })
}
