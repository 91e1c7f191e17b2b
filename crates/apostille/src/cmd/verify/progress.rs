//! How far it is, beside the output, for a person who waits.

use apostille_terminal::command_context::CommandContext;
use apostille_terminal::paint::{format_if, format_percent_bar};
use std::{cell::Cell, io::Write as _};

/// From how many citations on a person is told how far it is.
const MANY: usize = 200;
/// How many steps there are between two pictures of something whose end is not known.
const STRIDE: usize = 50;
/// Up by one line, which is emptied.
const ERASE: &str = "\x1b[1A\r\x1b[2K";

/// A bar on a line of its own. The cursor stands below it, so that whoever stops the program has a clean line.
pub struct VerifyProgress {
    total: usize,
    done: Cell<usize>,
    drawn: Cell<Option<usize>>,
    is_shown: bool,
}

impl VerifyProgress {
    /// A bar for so many citations; nothing unless a person waits for many.
    pub fn new(ctx: &CommandContext, total: usize) -> Self {
        let terminal = ctx.system.terminal;
        let is_shown = terminal.stderr && terminal.can_redraw && total >= MANY;
        Self {
            total,
            done: Cell::new(0),
            drawn: Cell::new(None),
            is_shown,
        }
    }

    /// One more step. Each citation is one; then those that are not in place are looked at again, one by one.
    pub fn add_step(&self) {
        let done = self.done.get() + 1;
        self.done.set(done);
        let picture = Some(self.frame_number(done));
        if !self.is_shown || self.drawn.get() == picture {
            return;
        }
        let up = self.drawn.replace(picture).map_or("", |_| ERASE);
        // Nobody watching is no reason to stop; in one piece, so that it does not flicker.
        let picture = format!("{up}{}\n", self.format_line(done));
        let _ = std::io::stderr().write_all(picture.as_bytes());
    }

    /// Which picture shows this step: one for each percent, then one for each stride.
    fn frame_number(&self, done: usize) -> usize {
        if done <= self.total {
            done * 100 / self.total.max(1)
        } else {
            101 + (done - self.total) / STRIDE
        }
    }

    fn format_line(&self, done: usize) -> String {
        if done > self.total {
            let n = (done - self.total) / STRIDE * STRIDE;
            let n = format_if(n > 0, || format!("  {n}"));
            return format!("following what is not in place …{n}");
        }
        let percent = u8::try_from(done * 100 / self.total.max(1)).unwrap_or(100);
        let bar = format_percent_bar(percent);
        let total = self.total;
        format!("looking  {bar}  {percent:>3}%  {done} of {total} citations")
    }
}

impl Drop for VerifyProgress {
    fn drop(&mut self) {
        if self.drawn.get().is_some() {
            let _ = std::io::stderr().write_all(ERASE.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_few() {
        let progress = VerifyProgress {
            total: 1_000,
            done: Cell::new(0),
            drawn: Cell::new(None),
            is_shown: false,
        };
        let pictures = |steps: std::ops::RangeInclusive<usize>| {
            steps
                .map(|it| progress.frame_number(it))
                .collect::<std::collections::BTreeSet<_>>()
                .len()
        };
        assert_eq!(pictures(1..=1_000), 101);
        assert_eq!(pictures(1_001..=2_000), 21);
        assert_eq!(
            progress.format_line(610),
            "looking  ███████░░░   61%  610 of 1000 citations"
        );
        assert_eq!(
            progress.format_line(1_107),
            "following what is not in place …  100"
        );
    }
}
