//! `serve`: memory behind a socket, of this machine or for others.

mod listening;

use std::{
    net::SocketAddr,
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
    tokens::{TokenKeyring, open_token_store},
};

use listening::Listening;

/// How many lines may wait to be written.
const UNREAD: usize = 1024;
/// How long the last ones are waited for.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Serves until it is told to stop.
pub fn run(ctx: &CommandContext, args: &ServeArgs) -> CommandResult {
    let (place, settings) = ctx.find_project()?;
    let note = ctx.format_trust_note();
    let _ = write_styled_text(std::io::stderr().lock(), &note, ctx.flags.color);
    let panel = match ctx.system.ask_for_panel(&settings)? {
        true => Access::Review,
        false => Access::Write,
    };
    let listening = Listening::open(&ctx.system, args, &settings.serve)?;
    warn_uncovered_hosts(&listening);
    let is_public = listening.reach.is_public;
    let given = ctx.system.env.get("APOSTILLE_TOKEN").map(str::to_owned);
    let generate = || format!("{:032x}", (ctx.system.random_source())());
    // What a server for others prints ends up in logs: it has no token of its own that was not brought.
    let made = || (!is_public).then(generate);
    let token = given.clone().or_else(made).filter(|_| !args.no_token);
    let kept = match open_token_store(&ctx.system, &settings) {
        // Who has no home has a token of this run all the same.
        Err(_) if !is_public => None,
        kept => Some(kept?),
    };
    let (write, written) = spawn_log_writer();
    let flags = ctx.flags.settings();
    let is_for_others = is_public || !settings.repos.is_empty();
    let is_named = flags.repo.is_some() || ctx.system.env.get("APOSTILLE_REPO").is_some();
    let has_place = place.checkout.is_some() || is_named || !is_for_others;
    let reach = match has_place {
        true => ClientReach::Here,
        false => ClientReach::Named,
    };
    let host = Arc::new(ServerHost::new(&ctx.system, &flags, reach));
    host.spawn_upkeep();
    let deliveries = host.open_review_receiver()?;
    let door = HttpServer::new(HttpServerConfig {
        host,
        offer: args.offered.to_offer(),
        keys: Arc::new(TokenKeyring::new(
            &ctx.system,
            token.as_deref(),
            kept,
            args.no_token,
        )),
        panel,
        clock: Box::new(ctx.system.clock()),
        port: listening.address.port(),
        reach: listening.reach.clone(),
        limits: args.to_limits(),
        deliveries,
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
    let base = listening.base_url();
    let panel = format!("{base}{}", door.panel_link_path());
    // A token that was brought is known already, and is not written anywhere.
    let told = token.as_deref().filter(|_| given.is_none());
    announce_listening(
        ctx,
        &ServerAnnouncement {
            base: &base,
            listens_on: is_public.then_some(listening.address),
            // The link is the owner's, and a log is read by others.
            panel: (!is_public || ctx.flags.json || ctx.system.terminal.stdout).then_some(&panel),
            repo: match reach {
                ClientReach::Named => None,
                _ => Some(settings.repo.short_name()),
            },
            token: match (told, given) {
                _ if args.no_token => AnnouncedToken::NotNeeded,
                (Some(token), _) => AnnouncedToken::Shown(token),
                (None, Some(_)) => AnnouncedToken::Brought,
                (None, None) => AnnouncedToken::NamedOnly,
            },
        },
    );
    if args.open {
        open_in_browser(&panel);
    }
    let served = door.serve(listening.socket).map_err(CommandError::internal);
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

/// A client that is careful turns away from such a name.
fn warn_uncovered_hosts(listening: &Listening) {
    for host in listening.list_uncovered_hosts() {
        let told = format!("warning: the certificate is not for {}\n", host.bare_name());
        let _ = write_styled_text(std::io::stderr().lock(), &told, ColorChoice::Auto);
    }
}

/// What is said when a server starts.
struct ServerAnnouncement<'a> {
    base: &'a str,
    /// The address of the socket, where it is not in the address that clients call.
    listens_on: Option<SocketAddr>,
    panel: Option<&'a String>,
    /// Whose memory it is; `None`: that of the repository that a call names.
    repo: Option<&'a str>,
    token: AnnouncedToken<'a>,
}

/// With what programs come in.
enum AnnouncedToken<'a> {
    /// This, which was made for this run.
    Shown(&'a str),
    /// The one that was brought.
    Brought,
    /// Those that were made by name.
    NamedOnly,
    /// Nothing.
    NotNeeded,
}

/// Says where it listens before it does; the answer of the command comes when it ends.
fn announce_listening(ctx: &CommandContext, said: &ServerAnnouncement) {
    let url = format!("{}/mcp", said.base);
    let mut json = json!({"ok": true, "url": url});
    if let AnnouncedToken::Shown(token) = said.token {
        json["token"] = token.into();
    }
    if let Some(panel) = said.panel {
        json["panel"] = panel.as_str().into();
    }
    if let Some(address) = said.listens_on {
        json["listen"] = address.to_string().into();
    }
    // Whose memory it is.
    json["repo"] = said.repo.into();
    let key = match said.token {
        AnnouncedToken::Shown(token) => format!("token    {BOLD}{token}{BOLD:#}\n"),
        AnnouncedToken::Brought => "token    the one in APOSTILLE_TOKEN\n".into(),
        AnnouncedToken::NamedOnly => {
            "token    one that `apostille token create NAME` makes\n".into()
        }
        AnnouncedToken::NotNeeded => {
            "no token: every program on this machine may read and write\n".into()
        }
    };
    let panel = said.panel.map_or_else(String::new, |it| {
        format!("panel    {BOLD}{it}{BOLD:#}  (works once)\n")
    });
    let text = if ctx.flags.json {
        format!("{json}\n")
    } else {
        format!(
            "serving  {BOLD}{url}{BOLD:#}\nmemory   of {}\n{key}{panel}stop with Ctrl-C\n",
            make_terminal_safe(said.repo.unwrap_or("the repositories that calls name"))
        )
    };
    let _ = write_styled_text(std::io::stdout().lock(), &text, ctx.flags.color);
}
