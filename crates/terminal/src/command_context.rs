//! The program as it was called: the world, the flags that every command takes, and how it answers.

use std::{
    cell::Cell,
    io::{self, Write as _},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anstream::AutoStream;
use apostille_cite::source::Source;
use apostille_core::{
    memory::Memory,
    refusal::Refusal,
    speaker::{Person, PersonVerb, Speaker},
};
use apostille_text::{moderate, secrets::mask_secrets};
use clap::ColorChoice;
use serde::Serialize;
use serde_json::json;

use crate::{
    args::GlobalArgs,
    paint::{BOLD, DIM, Paint, RED, YELLOW, make_terminal_safe, style_text},
};
use apostille_api::json::RefusedReply;
use apostille_workspace::{
    config, config::Settings, error, error::CommandError, github, project_folder::ProjectFolder,
    system::System, trust::UntrustedReason, workspace, workspace::Workspace,
};

/// What a command, or a step of one, comes to. A refusal is an error too.
pub type CommandResult<T = CommandOutput> = Result<T, CommandError>;

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
    /// The same with another exit code.
    pub fn with_code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    /// The same with something for people beside the output.
    pub fn with_err(self, err: impl Into<String>) -> Self {
        Self {
            err: err.into(),
            ..self
        }
    }

    /// The same with the exit code for nothing, where nothing was found or something does not hold.
    pub fn nothing_if(self, is_nothing: bool) -> Self {
        let code = if is_nothing {
            error::NOTHING
        } else {
            self.code
        };
        self.with_code(code)
    }

    /// The same, with words about it beside the output.
    pub fn or_nothing(self, is_nothing: bool, told: &str) -> Self {
        if is_nothing {
            self.nothing_if(true).with_err(told)
        } else {
            self
        }
    }

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

/// A mark that is set when the person presses ctrl-c: whoever goes through many things stops behind the one at hand.
#[must_use]
pub fn watch_interrupt() -> Arc<AtomicBool> {
    let mark = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&mark);
    apostille_http::interrupt::on_interrupt(move || set.store(true, Ordering::Relaxed));
    mark
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
    pub system: System,
    /// The flags that every command takes.
    pub flags: GlobalArgs,
    /// How to write.
    pub paint: Paint,
    /// Why what the repository brings was left out, if it was.
    untrusted: Cell<Option<UntrustedReason>>,
}

impl CommandContext {
    /// A shell in this world.
    pub fn new(system: System, flags: GlobalArgs) -> Self {
        let columns = system.terminal.stdout.then_some(system.terminal.columns);
        let system = system.with_dir(flags.dir.as_deref());
        Self {
            paint: Paint::new(system.now, columns),
            system,
            flags,
            untrusted: Cell::default(),
        }
    }

    /// Where this is: a checkout, or a plain folder.
    pub fn find_project_folder(&self) -> CommandResult<ProjectFolder> {
        ProjectFolder::discover_from(&self.system.cwd)
    }

    /// Every setting, and where it came from.
    pub fn resolve_settings(&self, place: &ProjectFolder) -> CommandResult<Settings> {
        let settings = config::resolve_settings(&self.system, &self.flags.settings(), place)?;
        self.untrusted.set(settings.untrusted);
        Ok(settings)
    }

    /// The line that says what was left out because the user does not trust it; empty where nothing was.
    pub fn format_trust_note(&self) -> String {
        let note = |it: UntrustedReason| {
            let text = format!("note: {}", it.describe());
            self.paint
                .wrap_text(&text, 0)
                .replacen("note:", &style_text(YELLOW.bold(), "note:"), 1)
        };
        self.untrusted.get().map(note).unwrap_or_default()
    }

    /// The folder with its settings.
    pub fn find_project(&self) -> CommandResult<(ProjectFolder, Settings)> {
        let place = self.find_project_folder()?;
        let settings = self.resolve_settings(&place)?;
        Ok((place, settings))
    }

    /// The store opened, the code beside it.
    pub fn open_workspace(&self) -> CommandResult<Workspace> {
        self.open_workspace_at(None)
    }

    /// The same for what is to be kept: where the user set up a guardian, it looks over an agent's words.
    pub fn open_guarded_workspace(&self) -> CommandResult<Workspace> {
        self.open_workspace()?.with_guardian(&self.system)
    }

    /// The same for a command that only looks: where there is no store, none is made.
    pub fn open_existing_workspace(&self) -> CommandResult<Workspace> {
        let (place, settings) = self.find_project()?;
        let source = settings.open_repository(&place, None)?;
        let store = workspace::open_existing_store(&settings)?;
        let system = &self.system;
        Ok(Workspace::with_store(
            system, settings, place, source, store, None,
        ))
    }

    /// The same, looking at a commit rather than at the working tree.
    pub fn open_workspace_at(&self, reference: Option<&str>) -> CommandResult<Workspace> {
        self.open_workspace_with(|place, settings| settings.open_repository(place, reference))
    }

    /// The same, looking at the repository on GitHub rather than at a checkout.
    pub fn open_github_workspace(&self, reference: Option<&str>) -> CommandResult<Workspace> {
        self.open_workspace_with(|_, settings| {
            github::open_github_source(&self.system, settings, reference)
        })
    }

    fn open_workspace_with(
        &self,
        open_source: impl FnOnce(&ProjectFolder, &Settings) -> CommandResult<Box<dyn Source>>,
    ) -> CommandResult<Workspace> {
        let (place, settings) = self.find_project()?;
        if let Some(note) = settings.contact.describe_separation() {
            let _ = io::stderr().lock().write_all(note.as_bytes());
        }
        let source = open_source(&place, &settings)?;
        Workspace::open(&self.system, settings, place, source)
    }

    /// Who speaks, for words and for what anybody may do.
    pub fn speaker(&self) -> CommandResult<Speaker> {
        let (_, settings) = self.find_project()?;
        Ok(self.system.speaker(&settings))
    }

    /// Who speaks, for what only a person decides: where the user set up a confirmation, it is asked for here and nowhere else.
    pub fn deciding_speaker(&self) -> CommandResult<Speaker> {
        let (_, settings) = self.find_project()?;
        self.find_deciding_speaker(&settings)
    }

    /// The same by settings that are known already.
    pub fn find_deciding_speaker(&self, settings: &Settings) -> CommandResult<Speaker> {
        self.system.ask_confirmation(settings)?;
        Ok(self.system.speaker(settings))
    }

    /// Who speaks, for what is a person's decision about some memories only: about the others, nothing is asked.
    pub fn speaker_for<'a>(
        &self,
        verb: PersonVerb,
        memories: impl IntoIterator<Item = &'a Memory>,
    ) -> CommandResult<Speaker> {
        let speaker = self.speaker()?;
        let mut memories = memories.into_iter();
        match memories.all(|it| speaker.can_decide(verb, it)) {
            true => Ok(speaker),
            false => self.deciding_speaker(),
        }
    }

    /// Says something at once, to a person who waits for it.
    pub fn print_at_once(&self, text: &str) {
        // A terminal that is gone is noticed when the answer is read.
        let _ = write_styled_text(io::stdout().lock(), text, self.flags.color);
        let _ = io::stdout().flush();
    }

    /// Whether there is a person to ask beside the output.
    pub fn can_ask_beside(&self) -> bool {
        self.system.terminal.stdin && self.system.terminal.stderr
    }

    /// Asks beside the output; whether the answer is a yes.
    pub fn ask_beside(&self, question: &str) -> bool {
        let _ = AutoStream::new(io::stderr(), anstream::ColorChoice::Auto)
            .write_all(question.as_bytes());
        is_yes_answer(self.system.read_line().trim())
    }

    /// The answer, as JSON or as text for people, whichever was asked for.
    pub fn render_output(
        &self,
        json: &impl Serialize,
        text: impl FnOnce(&Paint) -> String,
    ) -> CommandOutput {
        let out = if self.flags.json {
            self.encode_json(json)
        } else {
            text(&self.paint)
        };
        CommandOutput {
            out,
            color: self.flags.color,
            ..CommandOutput::default()
        }
    }

    fn encode_json(&self, json: &impl Serialize) -> String {
        let encode = || {
            let text =
                moderate::clean_json_texts(serde_json::to_string(json)?, moderate::neutralise_text);
            if self.system.terminal.stdout {
                serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(&text)?)
            } else {
                Ok(text)
            }
        };
        encode().unwrap_or_default() + "\n"
    }

    /// The answer to something that was turned away. A memory that is not there is "nothing found".
    pub fn render_refusal(&self, refusal: &Refusal) -> CommandOutput {
        let code = match refusal {
            Refusal::NoSuchMemory { .. } | Refusal::NoSuchTask { .. } | Refusal::NoTask => {
                error::NOTHING
            }
            _ => error::REFUSED,
        };
        let message = make_terminal_safe(&mask_secrets(&refusal.to_string()));
        let paint = Some(&self.paint);
        self.render_output(&RefusedReply::from(refusal), |_| String::new())
            .with_code(code)
            .with_err(
                format_titled_message(paint, YELLOW.bold(), "refused:", &message)
                    + &self
                        .advise_on_refusal(refusal)
                        .map(format_hint)
                        .unwrap_or_default(),
            )
    }

    /// The way out of a refusal; where a confirmation is missing, what gives it.
    fn advise_on_refusal(&self, refusal: &Refusal) -> Option<&'static str> {
        let needs_person = matches!(
            refusal,
            Refusal::NotAPerson | Refusal::PersonDecides { .. } | Refusal::AsksPerson(_)
        );
        let missing = needs_person
            .then(|| self.advise_on_confirmation())
            .flatten();
        missing.or_else(|| advise_on_refusal(refusal))
    }

    fn advise_on_confirmation(&self) -> Option<&'static str> {
        let (_, settings) = self.find_project().ok()?;
        let is_person = self.system.speaker(&settings).voice().is_person();
        let required = is_person.then(|| self.system.required_confirmation(&settings));
        required.and_then(|it| it.hint())
    }

    /// The answer when something was turned away, or the world is broken.
    pub fn render_error(&self, fault: &CommandError) -> CommandOutput {
        match fault.cause.downcast_ref() {
            Some(refusal) => self.render_refusal(refusal),
            None => format_command_error(fault, &self.flags, Some(&self.paint)),
        }
    }
}

/// The person who speaks; refused where none does.
pub fn require_person<'a>(speaker: &'a Speaker, verb: &'static str) -> CommandResult<&'a Person> {
    Ok(speaker.person().ok_or(Refusal::PersonDecides { verb })?)
}

/// Whether an answer is a yes.
pub fn is_yes_answer(said: &str) -> bool {
    matches!(said, "y" | "Y" | "yes")
}

fn advise_on_refusal(refusal: &Refusal) -> Option<&'static str> {
    Some(match refusal {
        Refusal::Secret { .. } => "keep where the secret is found, not the secret itself",
        Refusal::IdentityNeedsUser => "add --user",
        Refusal::NotSettled { .. } => {
            "commit or stash, and switch to the default branch; \
             or by hand: apostille invalidate HANDLE --reason \"…\""
        }
        Refusal::NotAPerson | Refusal::PersonDecides { .. } => {
            "type it at a terminal; a script of yours says APOSTILLE_PERSON=your-name"
        }
        _ => return None,
    })
}

/// The answer when the world is broken, also before there is a shell.
pub fn format_command_error(
    fault: &CommandError,
    flags: &GlobalArgs,
    paint: Option<&Paint>,
) -> CommandOutput {
    let message = make_terminal_safe(&mask_secrets(&fault.message()));
    let hint = fault.hint.as_deref().map(mask_secrets);
    let out = if flags.json {
        encode_error_json(fault)
    } else {
        String::new()
    };
    let err = format_titled_message(paint, RED.bold(), "error:", &message)
        + &hint.map(|it| format_hint(&it)).unwrap_or_default();
    CommandOutput {
        code: fault.kind.exit_code(),
        out,
        err,
        color: flags.color,
    }
}

/// An error as one JSON object.
pub fn encode_error_json(fault: &CommandError) -> String {
    let error = json!({
        "kind": fault.kind.as_str(),
        "message": make_terminal_safe(&mask_secrets(&fault.message())),
        "hint": fault.hint.as_deref().map(mask_secrets),
    });
    json!({"ok": false, "error": error}).to_string() + "\n"
}

/// A message behind its title, in lines that fit.
fn format_titled_message(
    paint: Option<&Paint>,
    style: anstyle::Style,
    title: &str,
    message: &str,
) -> String {
    let text = format!("{title} {message}");
    paint
        .map_or_else(|| format!("{text}\n"), |paint| paint.wrap_text(&text, 0))
        .replacen(title, &style_text(style, title), 1)
}

/// A way out, below what it is the way out of.
pub fn format_hint(text: &str) -> String {
    format!(
        "{BOLD} hint:{BOLD:#} {DIM}{}{DIM:#}\n",
        make_terminal_safe(text)
    )
}
