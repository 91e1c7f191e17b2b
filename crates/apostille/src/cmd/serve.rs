//! `serve`: memory behind a socket of this machine.

use std::net::{Ipv4Addr, TcpListener};
use std::{
    process::{Command, Stdio},
    sync::{Arc, mpsc},
    time::Duration,
};

use apostille_api::access_token::Access;
use apostille_http::{HttpServer, HttpServerConfig, LogLevel, RequestLog};
use clap::ColorChoice;
use serde_json::json;

use apostille_terminal::{
    args::{LogLevelArg, ServeArgs},
    command_context::{CommandContext, CommandOutput, CommandResult, write_styled_text},
    paint::{BOLD, make_terminal_safe},
};
use apostille_workspace::{
    error::CommandError,
    server_host::{ClientReach, ServerHost},
    tokens::TokenKeyring,
};

/// How many lines may wait to be written.
const UNREAD: usize = 1024;
/// How long the last ones are waited for.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Serves until it is told to stop.
pub fn run(ctx: &CommandContext, args: &ServeArgs) -> CommandResult {
    let (_, settings) = ctx.find_project()?;
    let note = ctx.format_trust_note();
    let _ = write_styled_text(std::io::stderr().lock(), &note, ctx.flags.color);
    let panel = match ctx.system.ask_for_panel(&settings)? {
        true => Access::Review,
        false => Access::Write,
    };
    let port = args.port;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        CommandError::usage(format!("cannot listen on port {port}: {error}"))
            .with_hint("--port 0 takes a free one")
    })?;
    let port = listener
        .local_addr()
        .map_err(CommandError::internal)?
        .port();
    let given = ctx.system.env.get("APOSTILLE_TOKEN").map(str::to_owned);
    let generate = || format!("{:032x}", (ctx.system.random_source())());
    let token = (!args.no_token).then(|| given.clone().unwrap_or_else(generate));
    let (write, written) = spawn_log_writer();
    let flags = ctx.flags.settings();
    let host = Arc::new(ServerHost::new(&ctx.system, &flags, ClientReach::Here));
    host.spawn_upkeep();
    let door = HttpServer::new(HttpServerConfig {
        host,
        offer: args.offered.to_offer(),
        keys: Arc::new(TokenKeyring::new(&ctx.system, token.as_deref())),
        panel,
        clock: Box::new(ctx.system.clock()),
        port,
        limits: args.to_limits(),
        log: RequestLog {
            told: match args.log {
                Some(LogLevelArg::All) => LogLevel::All,
                Some(LogLevelArg::Off) => LogLevel::Off,
                None if !ctx.system.terminal.stderr => LogLevel::All,
                Some(LogLevelArg::Problems) | None => LogLevel::Problems,
            },
            write: Box::new(write),
        },
    });
    let panel = format!("http://127.0.0.1:{port}{}", door.panel_link_path());
    // A token that was brought is known already, and is not written anywhere.
    let told = token.as_deref().filter(|_| given.is_none());
    let repo = settings.repo.short_name();
    announce_listening(ctx, port, &panel, (repo, told), args.no_token);
    if args.open {
        open_in_browser(&panel);
    }
    let served = door.serve(listener).map_err(CommandError::internal);
    // The last lines are waited for, unless nobody reads them.
    let _ = written.recv_timeout(LAST_LINES);
    served.map(|()| CommandOutput::default())
}

/// Writes lines beside the output, by a thread of its own: a reader that sleeps keeps no request waiting, and misses
/// lines instead. Also where it is said that all of them are written.
fn spawn_log_writer() -> (impl Fn(String) + Send + Sync, mpsc::Receiver<()>) {
    let (send, receive) = mpsc::sync_channel::<String>(UNREAD);
    let (done, written) = mpsc::channel();
    std::thread::spawn(move || {
        for line in receive {
            let line = line + "\n";
            let _ = write_styled_text(std::io::stderr().lock(), &line, ColorChoice::Never);
        }
        let _ = done.send(());
    });
    (move |line| drop(send.try_send(line)), written)
}

/// Opens an address in the browser. Where there is none, it is printed anyway.
fn open_in_browser(url: &str) {
    let (program, arguments): (_, &[&str]) = match () {
        () if cfg!(windows) => ("cmd", &["/C", "start", ""]),
        () if cfg!(target_os = "macos") => ("open", &[]),
        () => ("xdg-open", &[]),
    };
    let started = Command::new(program)
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        let told = format!(
            "warning: cannot open a browser with {program}: {error}; follow the link by hand\n"
        );
        let _ = write_styled_text(std::io::stderr().lock(), &told, ColorChoice::Auto);
    }
}

/// Says where it listens before it does; the answer of the command comes when it ends.
fn announce_listening(
    ctx: &CommandContext,
    port: u16,
    panel: &str,
    (repo, token): (&str, Option<&str>),
    is_open: bool,
) {
    let url = format!("http://127.0.0.1:{port}/mcp");
    let mut json = json!({"ok": true, "url": url});
    if let Some(token) = token {
        json["token"] = token.into();
    }
    json["panel"] = panel.into();
    // Whose memory it is.
    json["repo"] = repo.into();
    let key = match (token, is_open) {
        (Some(token), _) => format!("token    {BOLD}{token}{BOLD:#}\n"),
        (None, true) => "no token: every program on this machine may read and write\n".into(),
        (None, false) => "token    the one in APOSTILLE_TOKEN\n".into(),
    };
    let text = if ctx.flags.json {
        format!("{json}\n")
    } else {
        format!(
            "serving  {BOLD}{url}{BOLD:#}\nmemory   of {}\n{key}panel    {BOLD}{panel}{BOLD:#}  (works once)\nstop with Ctrl-C\n",
            make_terminal_safe(repo)
        )
    };
    let _ = write_styled_text(std::io::stdout().lock(), &text, ctx.flags.color);
}
