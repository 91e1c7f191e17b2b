//! A server that is measured.

use std::io::{BufRead as _, BufReader};
use std::{
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};

use super::client::{Ask, Client};
use crate::{
    mcp::SPACE,
    ours::{self, Code},
};

/// A server on a free port; it ends with this.
pub(crate) struct Server {
    child: Child,
    port: u16,
    token: String,
    once: String,
    _out: BufReader<ChildStdout>,
}

impl Server {
    /// Starts one on this store, with these limits, without anything of the user's own.
    pub(crate) fn start(
        bin: &Path,
        home: &Path,
        code: &Code,
        store: &Path,
        limits: &[&str],
    ) -> Result<Self> {
        let mut command = Command::new(bin);
        command
            .env_clear()
            .env("HOME", home)
            .env("PATH", "/usr/bin:/bin")
            .current_dir(&code.root);
        // A benchmark writes faster than any agent.
        for breaker in ["BURST", "COPIES", "DRIFT", "INVALIDATIONS"] {
            command.env(format!("APOSTILLE_BREAKERS_{breaker}"), "0");
        }
        command
            .arg("--store")
            .arg(format!("sqlite:{}", store.display()));
        command.args([
            "--repo",
            ours::space(SPACE)?.as_str(),
            "--json",
            "serve",
            "--port",
            "0",
            "--log",
            "off",
        ]);
        command.args(limits.iter().flat_map(|it| ["--limit", it]));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut out = BufReader::new(child.stdout.take().context("the server has an output")?);
        let mut line = String::new();
        out.read_line(&mut line)?;
        let said: serde_json::Value =
            serde_json::from_str(&line).context("the server did not start")?;
        let panel = said["panel"]
            .as_str()
            .and_then(|it| it.strip_prefix("http://127.0.0.1:"));
        let (port, once) = panel
            .and_then(|it| it.split_once('/'))
            .context("the server says no address")?;
        let token = said["token"].as_str().unwrap_or_default().to_owned();
        Ok(Self {
            child,
            port: port.parse()?,
            token,
            once: format!("/{once}"),
            _out: out,
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// What a program with the token of the run sends as `Authorization`.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Whether it still answers.
    pub(crate) fn is_alive(&self) -> bool {
        self.program()
            .ask(&Ask::get("/health"))
            .is_ok_and(|it| it.status == 200)
    }

    /// A program with the token of the run.
    pub(crate) fn program(&self) -> Client {
        Client::new(self.port, ("Authorization", self.bearer()))
    }

    /// A person with the panel open; the link works once.
    pub(crate) fn person(&self) -> Result<Client> {
        let opened = Client::new(self.port, ("Accept", "*/*".into())).ask(&Ask::get(&self.once))?;
        ensure!(
            opened.status == 303,
            "the link does not open the panel: {}",
            opened.status
        );
        let cookie = opened
            .header("set-cookie")
            .and_then(|it| it.split(';').next());
        Ok(Client::new(
            self.port,
            (
                "Cookie",
                cookie.context("no session was opened")?.to_owned(),
            ),
        ))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
