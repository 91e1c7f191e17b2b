//! `serve`: memory behind a socket of this machine.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use apostille_api::pass::Access;
use apostille_http::{Door, Log, Plan, Told};
use clap::ColorChoice;
use serde::Serialize;

use crate::args::{Logged, Serve};
use crate::paint::{BOLD, ink, safe};
use crate::shell::{self, Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::host::{Machine, Reach};
use apostille_workspace::tokens::Ring;

/// How many lines may wait to be written.
const UNREAD: usize = 1024;
/// How long the last ones are waited for.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Where it listens, for whoever starts it.
#[derive(Serialize)]
struct Listening<'a> {
    ok: bool,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    panel: &'a str,
    /// Whose memory it is.
    repo: &'a str,
}

/// Serves until it is told to stop.
pub fn run(shell: &Shell, args: &Serve) -> Result<Answer, Fault> {
    let repo = shell.settings(&shell.place()?)?.repo.value;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .map_err(|error| taken(args.port, &error))?;
    let port = listener.local_addr().map_err(Fault::internal)?.port();
    let given = shell.world.env.get("APOSTILLE_TOKEN").map(str::to_owned);
    let token = (!args.no_token).then(|| given.clone().unwrap_or_else(|| drawn(shell)));
    let (write, written) = lines();
    let door = Door::new(Plan {
        host: Arc::new(Machine::new(
            &shell.world,
            &shell.flags.settings(),
            Reach::Here,
        )),
        offer: args.offered.offer(),
        keys: Arc::new(Ring::new(&shell.world, token.as_deref())),
        panel: if shell.world.speaker().person().is_some() {
            Access::Review
        } else {
            Access::Write
        },
        clock: Box::new(shell.world.clock()),
        port,
        limits: args.taken_on(),
        log: Log {
            told: told(shell, args),
            write: Box::new(write),
        },
    });
    let panel = format!("http://127.0.0.1:{port}{}", door.way_in());
    // A token that was brought is known already, and is not written anywhere.
    let told = token.as_deref().filter(|_| given.is_none());
    announce(shell, port, &panel, (repo.as_str(), told), args.no_token);
    if args.open {
        open(&panel);
    }
    let served = door.serve(listener).map_err(Fault::internal);
    // The last lines are waited for, unless nobody reads them.
    let _ = written.recv_timeout(LAST_LINES);
    served?;
    Ok(Answer {
        code: error::OK,
        ..Answer::default()
    })
}

fn told(shell: &Shell, args: &Serve) -> Told {
    match args.log {
        Some(Logged::All) => Told::All,
        Some(Logged::Problems) => Told::Problems,
        Some(Logged::Off) => Told::Off,
        None if shell.world.terminal.stderr => Told::Problems,
        None => Told::All,
    }
}

/// Writes lines beside the output, by a thread of its own: a reader that sleeps keeps no request waiting, and misses
/// lines instead. Also where it is said that all of them are written.
fn lines() -> (impl Fn(String) + Send + Sync, mpsc::Receiver<()>) {
    let (send, receive) = mpsc::sync_channel::<String>(UNREAD);
    let (done, written) = mpsc::channel();
    std::thread::spawn(move || {
        for line in receive {
            let _ = shell::write(std::io::stderr().lock(), &(line + "\n"), ColorChoice::Never);
        }
        let _ = done.send(());
    });
    (move |line| drop(send.try_send(line)), written)
}

/// Opens an address in the browser. Where there is none, it is printed anyway.
fn open(url: &str) {
    let (program, arguments): (_, &[&str]) = match () {
        () if cfg!(windows) => ("cmd", &["/C", "start", ""]),
        () if cfg!(target_os = "macos") => ("open", &[]),
        () => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        let told = format!(
            "warning: cannot open a browser with {program}: {error}; follow the link by hand\n"
        );
        let _ = shell::write(std::io::stderr().lock(), &told, ColorChoice::Auto);
    }
}

fn drawn(shell: &Shell) -> String {
    format!("{:032x}", (shell.world.random())())
}

fn taken(port: u16, error: &std::io::Error) -> Fault {
    Fault::usage(format!("cannot listen on port {port}: {error}")).hint("--port 0 takes a free one")
}

/// Says where it listens before it does; the answer of the command comes when it ends.
fn announce(
    shell: &Shell,
    port: u16,
    panel: &str,
    (repo, token): (&str, Option<&str>),
    is_open: bool,
) {
    let url = format!("http://127.0.0.1:{port}/mcp");
    let text = if shell.flags.json {
        let listening = Listening {
            ok: true,
            url,
            token,
            panel,
            repo,
        };
        serde_json::to_string(&listening).unwrap_or_default() + "\n"
    } else {
        let key = match (token, is_open) {
            (Some(token), _) => format!("token    {}\n", ink(BOLD, token)),
            (None, true) => "no token: every program on this machine may read and write\n".into(),
            (None, false) => "token    the one in APOSTILLE_TOKEN\n".into(),
        };
        format!(
            "serving  {}\nmemory   of {}\n{key}panel    {}  (works once)\nstop with Ctrl-C\n",
            ink(BOLD, url),
            safe(repo),
            ink(BOLD, panel)
        )
    };
    let _ = shell::write(std::io::stdout().lock(), &text, shell.flags.color);
}
