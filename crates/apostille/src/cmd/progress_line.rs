//! How far it is, on one line beside the output, for a person who waits.

use std::cell::Cell;

use apostille_terminal::command_context::{CommandContext, write_styled_text};

/// A line at the terminal that is written over again and again; nothing where nobody watches.
pub(super) struct ProgressLine<'a> {
    ctx: &'a CommandContext,
    verb: &'static str,
    unit: &'static str,
    last: Cell<u64>,
}

impl<'a> ProgressLine<'a> {
    pub(super) fn new(ctx: &'a CommandContext, verb: &'static str, unit: &'static str) -> Self {
        Self {
            ctx,
            verb,
            unit,
            last: Cell::new(u64::MAX),
        }
    }

    pub(super) fn report(&self, done: f64, all: f64) {
        let percent = (done / all.max(1.0) * 100.0) as u64;
        if self.is_watched() && self.last.replace(percent) != percent {
            let (verb, unit) = (self.verb, self.unit);
            self.write(&format!(
                "\r{verb} {done:.0} of {all:.0} {unit} ({percent} %)\x1b[K"
            ));
        }
    }

    pub(super) fn end(&self) {
        if self.is_watched() && self.last.get() != u64::MAX {
            self.write("\r\x1b[K");
        }
    }

    fn is_watched(&self) -> bool {
        self.ctx.system.terminal.stderr && !self.ctx.flags.json
    }

    fn write(&self, text: &str) {
        let _ = write_styled_text(std::io::stderr().lock(), text, clap::ColorChoice::Always);
    }
}
