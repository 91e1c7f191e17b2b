//! `serve`: memory behind a socket of this machine.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use apostille_api::access_token::Access;
use apostille_http::{HttpServer, HttpServerConfig, LogLevel, RequestLog};
use clap::ColorChoice;
use serde::Serialize;

use apostille_terminal::args::{LogLevelArg, ServeArgs};
use apostille_terminal::command_context;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, make_terminal_safe, style_text};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::server_host::{ClientReach, ServerHost};
use apostille_workspace::tokens::TokenKeyring;

/// How many lines may wait to be written.
const UNREAD: usize = 1024;
/// How long the last ones are waited for.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Where it listens, for whoever starts it.
#[derive(Serialize)]
struct ListeningReply<'a> {
    ok: bool,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    panel: &'a str,
    /// Whose memory it is.
    repo: &'a str,
}

/// Serves until it is told to stop.
pub fn run(shell: &CommandContext, args: &ServeArgs) -> Result<CommandOutput, CommandError> {
    let repo = shell.resolve_settings(&shell.find_project_folder()?)?.repo;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .map_err(|error| build_port_error(args.port, &error))?;
    let port = listener
        .local_addr()
        .map_err(CommandError::internal)?
        .port();
    let given = shell.world.env.get("APOSTILLE_TOKEN").map(str::to_owned);
    let token =
        (!args.no_token).then(|| given.clone().unwrap_or_else(|| generate_run_token(shell)));
    let (write, written) = spawn_log_writer();
    let door = HttpServer::new(HttpServerConfig {
        host: Arc::new(ServerHost::new(
            &shell.world,
            &shell.flags.settings(),
            ClientReach::Here,
        )),
        offer: args.offered.to_offer(),
        keys: Arc::new(TokenKeyring::new(&shell.world, token.as_deref())),
        panel: if shell.world.speaker().person().is_some() {
            Access::Review
        } else {
            Access::Write
        },
        clock: Box::new(shell.world.clock()),
        port,
        limits: args.to_limits(),
        log: RequestLog {
            told: choose_log_level(shell, args),
            write: Box::new(write),
        },
    });
    let panel = format!("http://127.0.0.1:{port}{}", door.panel_link_path());
    // A token that was brought is known already, and is not written anywhere.
    let told = token.as_deref().filter(|_| given.is_none());
    announce_listening(shell, port, &panel, (repo.as_str(), told), args.no_token);
    if args.open {
        open_in_browser(&panel);
    }
    let served = door.serve(listener).map_err(CommandError::internal);
    // The last lines are waited for, unless nobody reads them.
    let _ = written.recv_timeout(LAST_LINES);
    served?;
    Ok(CommandOutput {
        code: error::OK,
        ..CommandOutput::default()
    })
}

fn choose_log_level(shell: &CommandContext, args: &ServeArgs) -> LogLevel {
    match args.log {
        Some(LogLevelArg::All) => LogLevel::All,
        Some(LogLevelArg::Problems) => LogLevel::Problems,
        Some(LogLevelArg::Off) => LogLevel::Off,
        None if shell.world.terminal.stderr => LogLevel::Problems,
        None => LogLevel::All,
    }
}

/// Writes lines beside the output, by a thread of its own: a reader that sleeps keeps no request waiting, and misses
/// lines instead. Also where it is said that all of them are written.
fn spawn_log_writer() -> (impl Fn(String) + Send + Sync, mpsc::Receiver<()>) {
    let (send, receive) = mpsc::sync_channel::<String>(UNREAD);
    let (done, written) = mpsc::channel();
    std::thread::spawn(move || {
        for line in receive {
            let _ = command_context::write_styled_text(
                std::io::stderr().lock(),
                &(line + "\n"),
                ColorChoice::Never,
            );
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
        let _ =
            command_context::write_styled_text(std::io::stderr().lock(), &told, ColorChoice::Auto);
    }
}

fn generate_run_token(shell: &CommandContext) -> String {
    format!("{:032x}", (shell.world.random_source())())
}

fn build_port_error(port: u16, error: &std::io::Error) -> CommandError {
    CommandError::usage(format!("cannot listen on port {port}: {error}"))
        .with_hint("--port 0 takes a free one")
}

/// Says where it listens before it does; the answer of the command comes when it ends.
fn announce_listening(
    shell: &CommandContext,
    port: u16,
    panel: &str,
    (repo, token): (&str, Option<&str>),
    is_open: bool,
) {
    let url = format!("http://127.0.0.1:{port}/mcp");
    let text = if shell.flags.json {
        let listening = ListeningReply {
            ok: true,
            url,
            token,
            panel,
            repo,
        };
        serde_json::to_string(&listening).unwrap_or_default() + "\n"
    } else {
        let key = match (token, is_open) {
            (Some(token), _) => format!("token    {}\n", style_text(BOLD, token)),
            (None, true) => "no token: every program on this machine may read and write\n".into(),
            (None, false) => "token    the one in APOSTILLE_TOKEN\n".into(),
        };
        format!(
            "serving  {}\nmemory   of {}\n{key}panel    {}  (works once)\nstop with Ctrl-C\n",
            style_text(BOLD, url),
            make_terminal_safe(repo),
            style_text(BOLD, panel)
        )
    };
    let _ = command_context::write_styled_text(std::io::stdout().lock(), &text, shell.flags.color);
}
