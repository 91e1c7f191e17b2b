//! The program as it was called: the world, the flags that every command takes, and how it answers.

use std::io::{self, Write as _};

use anstream::AutoStream;
use apostille_core::refusal::Refusal;
use apostille_text::moderate;
use apostille_text::secrets::mask_secrets;
use clap::ColorChoice;
use serde::Serialize;

use crate::args::GlobalArgs;
use crate::paint::{BOLD, DIM, Paint, RED, YELLOW, make_terminal_safe, style_text};
use apostille_api::json::RefusedReply;
use apostille_workspace::config;
use apostille_workspace::config::Settings;
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::github;
use apostille_workspace::project_folder::ProjectFolder;
use apostille_workspace::system::System;
use apostille_workspace::workspace;
use apostille_workspace::workspace::Workspace;

/// What the program says, and the number that a script sees.
#[derive(Debug, Default)]
pub struct CommandOutput {
    /// The exit code.
    pub code: u8,
    /// For the output.
    pub out: String,
    /// For people, beside the output.
    pub err: String,
    /// Whether to use colours.
    pub color: ColorChoice,
}

impl CommandOutput {
    /// Writes it out; nobody listening is nobody's fault.
    pub fn print(&self) -> u8 {
        let written = write_styled_text(io::stdout().lock(), &self.out, self.color)
            .and_then(|()| write_styled_text(io::stderr().lock(), &self.err, self.color));
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => error::INTERNAL,
            _ => self.code,
        }
    }
}

/// The exit code of a program that ctrl-c ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// Has something said when the person presses ctrl-c, before the program ends as it does then.
#[expect(
    clippy::exit,
    reason = "ctrl-c ends the program, and whatever runs is interrupted with it"
)]
pub fn on_interrupt(told: impl FnOnce() -> String + Send + 'static) {
    apostille_http::interrupt::on_interrupt(move || {
        let _ = io::stdout().write_all(told().as_bytes());
        std::process::exit(INTERRUPTED)
    });
}

/// Writes a text, in colours where they are wanted.
pub fn write_styled_text(
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
pub struct CommandContext {
    /// Everything outside.
    pub world: System,
    /// The flags that every command takes.
    pub flags: GlobalArgs,
    /// How to write.
    pub paint: Paint,
}

impl CommandContext {
    /// A shell in this world.
    pub fn new(world: System, flags: GlobalArgs) -> Self {
        let columns = world.terminal.stdout.then_some(world.terminal.columns);
        let world = world.with_dir(flags.dir.as_deref());
        Self {
            paint: Paint::new(world.now, columns),
            world,
            flags,
        }
    }

    /// Where this is: a checkout, or a plain folder.
    pub fn find_project_folder(&self) -> Result<ProjectFolder, CommandError> {
        ProjectFolder::discover_from(&self.world.cwd)
    }

    /// Every setting, and where it came from.
    pub fn resolve_settings(&self, place: &ProjectFolder) -> Result<Settings, CommandError> {
        config::resolve_settings(&self.world, &self.flags.settings(), place)
    }

    /// The store opened, the code beside it.
    pub fn open_workspace(&self) -> Result<Workspace, CommandError> {
        self.open_workspace_at(None)
    }

    /// The same for what is to be kept: where the user set up a guardian, it looks over an agent's words.
    pub fn open_guarded_workspace(&self) -> Result<Workspace, CommandError> {
        self.open_workspace()?.with_guardian(&self.world)
    }

    /// The same for a command that only looks: where there is no store, none is made.
    pub fn open_existing_workspace(&self) -> Result<Workspace, CommandError> {
        let place = self.find_project_folder()?;
        let settings = self.resolve_settings(&place)?;
        let (source, store) = (
            place.open_source(None)?,
            workspace::open_existing_store(&settings)?,
        );
        Ok(Workspace::with_store(
            &self.world,
            settings,
            place,
            source,
            store,
            None,
        ))
    }

    /// The same, looking at a commit rather than at the working tree.
    pub fn open_workspace_at(&self, reference: Option<&str>) -> Result<Workspace, CommandError> {
        let place = self.find_project_folder()?;
        let settings = self.resolve_settings(&place)?;
        let source = place.open_source(reference)?;
        Workspace::open(&self.world, settings, place, source)
    }

    /// The same, looking at the repository on GitHub rather than at a checkout.
    pub fn open_github_workspace(
        &self,
        reference: Option<&str>,
    ) -> Result<Workspace, CommandError> {
        let place = self.find_project_folder()?;
        let settings = self.resolve_settings(&place)?;
        let source = github::open_github_source(&self.world, &settings, reference)?;
        Workspace::open(&self.world, settings, place, source)
    }

    /// The answer, as JSON or as text for people, whichever was asked for.
    pub fn render_output(
        &self,
        code: u8,
        json: &impl Serialize,
        text: impl FnOnce(&Paint) -> String,
    ) -> CommandOutput {
        let out = if self.flags.json {
            self.encode_json(json)
        } else {
            text(&self.paint)
        };
        CommandOutput {
            code,
            out,
            color: self.flags.color,
            ..CommandOutput::default()
        }
    }

    fn encode_json(&self, json: &impl Serialize) -> String {
        let text = serde_json::to_string(json)
            .map(|it| moderate::clean_json_texts(it, moderate::neutralise_text));
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
    pub fn render_refusal(&self, refusal: &Refusal) -> CommandOutput {
        let code = match refusal {
            Refusal::NoSuchMemory { .. } | Refusal::NoSuchTask { .. } | Refusal::NoTask => {
                error::NOTHING
            }
            _ => error::REFUSED,
        };
        let answer = self.render_output(code, &RefusedReply::from(refusal), |_| String::new());
        let message = make_terminal_safe(&mask_secrets(&refusal.to_string()));
        let hint = advise_on_refusal(refusal)
            .map(format_hint)
            .unwrap_or_default();
        let err =
            format_titled_message(Some(&self.paint), YELLOW.bold(), "refused:", &message) + &hint;
        CommandOutput { err, ..answer }
    }

    /// The answer when the world is broken.
    pub fn render_error(&self, fault: &CommandError) -> CommandOutput {
        format_command_error(fault, self.flags.json, self.flags.color, Some(&self.paint))
    }
}

fn advise_on_refusal(refusal: &Refusal) -> Option<&'static str> {
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
pub fn format_command_error(
    fault: &CommandError,
    as_json: bool,
    color: ColorChoice,
    paint: Option<&Paint>,
) -> CommandOutput {
    let message = make_terminal_safe(&mask_secrets(&fault.message()));
    let out = if as_json {
        encode_error_json(fault, &message)
    } else {
        String::new()
    };
    let hint = fault
        .hint
        .as_deref()
        .map(|it| format_hint(&mask_secrets(it)))
        .unwrap_or_default();
    let err = format_titled_message(paint, RED.bold(), "error:", &message) + &hint;
    CommandOutput {
        code: fault.kind.exit_code(),
        out,
        err,
        color,
    }
}

/// A message behind its title, in lines that fit.
fn format_titled_message(
    paint: Option<&Paint>,
    style: anstyle::Style,
    title: &str,
    message: &str,
) -> String {
    let text = format!("{title} {message}");
    let text = paint.map_or_else(|| format!("{text}\n"), |paint| paint.wrap_text(&text, 0));
    text.replacen(title, &style_text(style, title), 1)
}

/// A way out, below what it is the way out of.
pub fn format_hint(text: &str) -> String {
    format!(
        "{} {}\n",
        style_text(BOLD, " hint:"),
        style_text(DIM, make_terminal_safe(text))
    )
}

fn encode_error_json(fault: &CommandError, message: &str) -> String {
    #[derive(Serialize)]
    struct CommandErrorReply<'a> {
        ok: bool,
        error: CommandErrorDetail<'a>,
    }
    #[derive(Serialize)]
    struct CommandErrorDetail<'a> {
        kind: &'a str,
        message: &'a str,
        hint: Option<&'a str>,
    }
    let hint = fault.hint.as_deref().map(mask_secrets);
    let error = CommandErrorDetail {
        kind: fault.kind.as_str(),
        message,
        hint: hint.as_deref(),
    };
    serde_json::to_string(&CommandErrorReply { ok: false, error }).unwrap_or_default() + "\n"
}
