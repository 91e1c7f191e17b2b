//! `serve`: memory behind a socket of this machine.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use apostille_server::http::{self, Key};
use serde::Serialize;

use crate::args::Serve;
use crate::error::{self, Fault};
use crate::paint::{BOLD, ink};
use crate::shell::{self, Answer, Shell};
use crate::world::host::{Machine, Reach};

/// Where it listens, for whoever starts it.
#[derive(Serialize)]
struct Listening<'a> {
    ok: bool,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

/// Serves until it is told to stop.
pub fn run(shell: &Shell, args: &Serve) -> Result<Answer, Fault> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(|error| taken(args.port, &error))?;
    let port = listener.local_addr().map_err(Fault::internal)?.port();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let given = shell.world.env.get("APOSTILLE_TOKEN").map(str::to_owned);
    let token = (!args.no_token).then(|| given.clone().unwrap_or_else(|| drawn(shell)));
    // A token that was brought is known already, and is not written anywhere.
    announce(shell, &url, token.as_deref().filter(|_| given.is_none()), args.no_token);
    let machine = Machine::new(&shell.world, &shell.flags, Reach::Here);
    let key = token.as_deref().map(Key::of);
    http::serve_http(Arc::new(machine), args.offered.offer(), listener, key).map_err(Fault::internal)?;
    Ok(Answer { code: error::OK, ..Answer::default() })
}

fn drawn(shell: &Shell) -> String {
    format!("{:032x}", (shell.world.random())())
}

fn taken(port: u16, error: &std::io::Error) -> Fault {
    Fault::usage(format!("cannot listen on port {port}: {error}")).hint("--port 0 takes a free one")
}

/// Says where it listens before it does; the answer of the command comes when it ends.
fn announce(shell: &Shell, url: &str, token: Option<&str>, is_open: bool) {
    let text = if shell.flags.json {
        let listening = Listening { ok: true, url: url.to_owned(), token };
        serde_json::to_string(&listening).unwrap_or_default() + "\n"
    } else {
        let key = match (token, is_open) {
            (Some(token), _) => format!("token    {}\n", ink(BOLD, token)),
            (None, true) => "no token: every program on this machine may read and write\n".into(),
            (None, false) => "token    the one in APOSTILLE_TOKEN\n".into(),
        };
        format!("serving  {}\n{key}stop with Ctrl-C\n", ink(BOLD, url))
    };
    let _ = shell::write(std::io::stdout().lock(), &text, shell.flags.color);
}
