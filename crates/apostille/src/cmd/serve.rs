//! `serve`: memory behind a socket of this machine.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use apostille_core::digest::Digest;
use apostille_server::http::{Door, Keys, Limits, Plan};
use apostille_server::pass::{Access, Pass};
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
    panel: String,
}

/// Serves until it is told to stop.
pub fn run(shell: &Shell, args: &Serve) -> Result<Answer, Fault> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(|error| taken(args.port, &error))?;
    let port = listener.local_addr().map_err(Fault::internal)?.port();
    let given = shell.world.env.get("APOSTILLE_TOKEN").map(str::to_owned);
    let token = (!args.no_token).then(|| given.clone().unwrap_or_else(|| drawn(shell)));
    let door = Door::new(Plan {
        host: Arc::new(Machine::new(&shell.world, &shell.flags, Reach::Here)),
        offer: args.offered.offer(),
        keys: Arc::new(Ring { run: token.as_deref().map(|it| Digest::of(it.as_bytes())) }),
        panel: if shell.world.has_person() { Access::Review } else { Access::Write },
        clock: Box::new(shell.world.clock()),
        port,
        limits: Limits::default(),
    });
    // A token that was brought is known already, and is not written anywhere.
    announce(shell, port, &door.way_in(), token.as_deref().filter(|_| given.is_none()), args.no_token);
    door.serve(listener).map_err(Fault::internal)?;
    Ok(Answer { code: error::OK, ..Answer::default() })
}

/// The token of this run.
struct Ring {
    run: Option<Digest>,
}

impl Keys for Ring {
    fn pass(&self, token: Option<&Digest>) -> Option<Pass> {
        let is_let_in = self.run.is_none() || self.run.as_ref() == token;
        is_let_in.then(|| Pass { name: "run".into(), spaces: None, access: Access::Write, is_panel: false })
    }
}

fn drawn(shell: &Shell) -> String {
    format!("{:032x}", (shell.world.random())())
}

fn taken(port: u16, error: &std::io::Error) -> Fault {
    Fault::usage(format!("cannot listen on port {port}: {error}")).hint("--port 0 takes a free one")
}

/// Says where it listens before it does; the answer of the command comes when it ends.
fn announce(shell: &Shell, port: u16, way_in: &str, token: Option<&str>, is_open: bool) {
    let own = format!("http://127.0.0.1:{port}");
    let (url, panel) = (format!("{own}/mcp"), format!("{own}{way_in}"));
    let text = if shell.flags.json {
        let listening = Listening { ok: true, url, token, panel };
        serde_json::to_string(&listening).unwrap_or_default() + "\n"
    } else {
        let key = match (token, is_open) {
            (Some(token), _) => format!("token    {}\n", ink(BOLD, token)),
            (None, true) => "no token: every program on this machine may read and write\n".into(),
            (None, false) => "token    the one in APOSTILLE_TOKEN\n".into(),
        };
        format!(
            "serving  {}\n{key}panel    {}  (works once)\nstop with Ctrl-C\n",
            ink(BOLD, url),
            ink(BOLD, panel)
        )
    };
    let _ = shell::write(std::io::stdout().lock(), &text, shell.flags.color);
}
