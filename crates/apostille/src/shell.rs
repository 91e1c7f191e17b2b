//! The program as it was called: the world, the flags that every command takes, and how it answers.

use std::io::{self, Write as _};

use anstream::AutoStream;
use apostille_core::refusal::Refusal;
use apostille_text::moderate;
use apostille_text::secrets::masked;
use clap::ColorChoice;
use serde::Serialize;

use crate::args::Everywhere;
use crate::json::RefusedReply;
use crate::paint::{BOLD, DIM, Paint, RED, YELLOW, ink, safe};
use apostille_workspace::config;
use apostille_workspace::config::Settings;
use apostille_workspace::desk;
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::hub;
use apostille_workspace::place::Place;
use apostille_workspace::system::World;

/// What the program says, and the number that a script sees.
#[derive(Debug, Default)]
pub struct Answer {
    /// The exit code.
    pub code: u8,
    /// For the output.
    pub out: String,
    /// For people, beside the output.
    pub err: String,
    /// Whether to use colours.
    pub color: ColorChoice,
}

impl Answer {
    /// Writes it out; nobody listening is nobody's fault.
    pub fn print(&self) -> u8 {
        let written = write(io::stdout().lock(), &self.out, self.color)
            .and_then(|()| write(io::stderr().lock(), &self.err, self.color));
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => error::INTERNAL,
            _ => self.code,
        }
    }
}

/// The exit code of a program that ctrl-c ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// Has something said when the person presses ctrl-c, before the program ends as it does then.
pub fn on_interrupt(told: impl FnOnce() -> String + Send + 'static) {
    apostille_http::interrupt::on_interrupt(move || {
        let _ = io::stdout().write_all(told().as_bytes());
        std::process::exit(INTERRUPTED)
    });
}

/// Writes a text, in colours where they are wanted.
pub fn write(
    stream: impl anstream::stream::RawStream + anstream::stream::AsLockedWrite,
    text: &str,
    color: ColorChoice,
) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let choice = match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    let mut stream = AutoStream::new(stream, choice);
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// The program as it was called.
pub struct Shell {
    /// Everything outside.
    pub world: World,
    /// The flags that every command takes.
    pub flags: Everywhere,
    /// How to write.
    pub paint: Paint,
}

impl Shell {
    /// A shell in this world.
    pub fn new(world: World, flags: Everywhere) -> Self {
        let columns = world.terminal.stdout.then_some(world.terminal.columns);
        let world = world.within(flags.dir.as_deref());
        Self {
            paint: Paint::new(world.now, columns),
            world,
            flags,
        }
    }

    /// Where this is: a checkout, or a plain folder.
    pub fn place(&self) -> Result<Place, Fault> {
        Place::find(&self.world.cwd)
    }

    /// Every setting, and where it came from.
    pub fn settings(&self, place: &Place) -> Result<Settings, Fault> {
        config::resolve(&self.world, &self.flags.settings(), place)
    }

    /// The store opened, the code beside it.
    pub fn desk(&self) -> Result<Desk, Fault> {
        self.desk_at(None)
    }

    /// The same for what is to be kept: where the user set up a guardian, it looks over an agent's words.
    pub fn guarded_desk(&self) -> Result<Desk, Fault> {
        self.desk()?.guarded(&self.world)
    }

    /// The same for a command that only looks: where there is no store, none is made.
    pub fn looking_desk(&self) -> Result<Desk, Fault> {
        let place = self.place()?;
        let settings = self.settings(&place)?;
        let (source, store) = (place.source(None)?, desk::looked_at(&settings)?);
        Ok(Desk::with_store(
            &self.world,
            settings,
            place,
            source,
            store,
            None,
        ))
    }

    /// The same, looking at a commit rather than at the working tree.
    pub fn desk_at(&self, reference: Option<&str>) -> Result<Desk, Fault> {
        let place = self.place()?;
        let settings = self.settings(&place)?;
        let source = place.source(reference)?;
        Desk::open(&self.world, settings, place, source)
    }

    /// The same, looking at the repository on GitHub rather than at a checkout.
    pub fn desk_on_github(&self, reference: Option<&str>) -> Result<Desk, Fault> {
        let place = self.place()?;
        let settings = self.settings(&place)?;
        let source = hub::source(&self.world, &settings, reference)?;
        Desk::open(&self.world, settings, place, source)
    }

    /// The answer, as JSON or as text for people, whichever was asked for.
    pub fn answer(
        &self,
        code: u8,
        json: &impl Serialize,
        text: impl FnOnce(&Paint) -> String,
    ) -> Answer {
        let out = if self.flags.json {
            self.encoded(json)
        } else {
            text(&self.paint)
        };
        Answer {
            code,
            out,
            color: self.flags.color,
            ..Answer::default()
        }
    }

    fn encoded(&self, json: &impl Serialize) -> String {
        let text = serde_json::to_string(json).map(|it| moderate::json(it, moderate::neutralised));
        let pretty = |it: &String| {
            let value: serde_json::Value = serde_json::from_str(it)?;
            serde_json::to_string_pretty(&value)
        };
        let text = match self.world.terminal.stdout {
            true => text.and_then(|it| pretty(&it)),
            false => text,
        };
        text.unwrap_or_default() + "\n"
    }

    /// The answer to something that was turned away. A memory that is not there is "nothing found".
    pub fn refused(&self, refusal: &Refusal) -> Answer {
        let code = match refusal {
            Refusal::NoSuchMemory { .. } | Refusal::NoSuchTask { .. } | Refusal::NoTask => {
                error::NOTHING
            }
            _ => error::REFUSED,
        };
        let answer = self.answer(code, &RefusedReply::from(refusal), |_| String::new());
        let message = safe(&masked(&refusal.to_string()));
        let hint = way_out(refusal).map(hint).unwrap_or_default();
        let err = titled(Some(&self.paint), YELLOW.bold(), "refused:", &message) + &hint;
        Answer { err, ..answer }
    }

    /// The answer when the world is broken.
    pub fn failed(&self, fault: &Fault) -> Answer {
        failed(fault, self.flags.json, self.flags.color, Some(&self.paint))
    }
}

fn way_out(refusal: &Refusal) -> Option<&'static str> {
    match refusal {
        Refusal::Secret { .. } => Some("keep where the secret is found, not the secret itself"),
        Refusal::IdentityNeedsUser => Some("add --user"),
        Refusal::NotSettled { .. } => Some(
            "commit or stash, and switch to the default branch; \
             or by hand: apostille invalidate HANDLE --reason \"…\"",
        ),
        Refusal::NotAPerson | Refusal::PersonDecides { .. } => {
            Some("type it at a terminal; a script of yours says APOSTILLE_PERSON=your-name")
        }
        _ => None,
    }
}

/// The answer when the world is broken, also before there is a shell.
pub fn failed(fault: &Fault, as_json: bool, color: ColorChoice, paint: Option<&Paint>) -> Answer {
    let message = safe(&masked(&fault.message()));
    let out = if as_json {
        encoded_fault(fault, &message)
    } else {
        String::new()
    };
    let hint = fault
        .hint
        .as_deref()
        .map(|it| hint(&masked(it)))
        .unwrap_or_default();
    let err = titled(paint, RED.bold(), "error:", &message) + &hint;
    Answer {
        code: fault.kind.code(),
        out,
        err,
        color,
    }
}

/// A message behind its title, in lines that fit.
fn titled(paint: Option<&Paint>, style: anstyle::Style, title: &str, message: &str) -> String {
    let text = format!("{title} {message}");
    let text = paint.map_or_else(|| format!("{text}\n"), |paint| paint.wrapped(&text, 0));
    text.replacen(title, &ink(style, title), 1)
}

/// A way out, below what it is the way out of.
pub fn hint(text: &str) -> String {
    format!("{} {}\n", ink(BOLD, " hint:"), ink(DIM, safe(text)))
}

fn encoded_fault(fault: &Fault, message: &str) -> String {
    #[derive(Serialize)]
    struct Failed<'a> {
        ok: bool,
        error: Inner<'a>,
    }
    #[derive(Serialize)]
    struct Inner<'a> {
        kind: &'a str,
        message: &'a str,
        hint: Option<&'a str>,
    }
    let hint = fault.hint.as_deref().map(masked);
    let error = Inner {
        kind: fault.kind.as_str(),
        message,
        hint: hint.as_deref(),
    };
    serde_json::to_string(&Failed { ok: false, error }).unwrap_or_default() + "\n"
}
