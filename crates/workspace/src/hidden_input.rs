//! A line that a person types and that is not shown. It is read from the terminal itself, so that no pipe, argument or variable
//! can give it.

#![cfg_attr(
    not(any(unix, test)),
    expect(dead_code, reason = "keys are read where a terminal can be made quiet")
)]

use std::io;

/// The most bytes that are read of a line.
const MAX_BYTES: usize = 1024;
/// How long one read waits for a key, in tenths of a second.
#[cfg(unix)]
const READ_WAIT: u8 = 250;
/// How many reads may end without a key: two minutes, and a command that nobody answers ends.
const MAX_IDLE_READS: usize = 5;

/// What a key does to the line that is typed.
#[derive(Debug, PartialEq, Eq)]
enum HiddenKey {
    Enter,
    Cancel,
    Erase,
    EraseAll,
    Text(u8),
}

impl HiddenKey {
    fn from_byte(byte: u8) -> Self {
        match byte {
            b'\n' | b'\r' => Self::Enter,
            // Ctrl-C, Ctrl-D, Ctrl-\: as a byte here, so that the terminal is put back before the program ends. An end of input
            // that was typed before the question comes as 0.
            0x00 | 0x03 | 0x04 | 0x1c => Self::Cancel,
            0x08 | 0x7f => Self::Erase,
            0x15 => Self::EraseAll,
            other => Self::Text(other),
        }
    }
}

/// Reads keys up to the end of the line; `None` where the person cancels.
fn read_keys(mut input: impl io::Read) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let (mut byte, mut idle) = ([0], 0);
    while line.len() < MAX_BYTES && idle < MAX_IDLE_READS {
        if input.read(&mut byte)? == 0 {
            idle += 1;
            continue;
        }
        match HiddenKey::from_byte(byte[0]) {
            HiddenKey::Enter => return Ok(String::from_utf8(line).ok()),
            HiddenKey::Cancel => return Ok(None),
            HiddenKey::EraseAll => line.clear(),
            HiddenKey::Text(byte) => line.push(byte),
            HiddenKey::Erase => erase_character(&mut line),
        }
    }
    Ok(None)
}

/// Drops the last character, of however many bytes.
fn erase_character(line: &mut Vec<u8>) {
    let is_continuation = |it: &u8| it & 0b1100_0000 == 0b1000_0000;
    while line.pop().is_some_and(|it| is_continuation(&it)) {}
}

/// Asks at the terminal, and reads a line that is not shown; `None` where the person cancels.
#[cfg(unix)]
pub(crate) fn read_hidden_line(question: &str) -> io::Result<Option<String>> {
    use std::{fs::OpenOptions, io::Write as _};

    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    let quiet = QuietTerminal::new(terminal.try_clone()?)?;
    terminal.write_all(question.as_bytes())?;
    let line = read_keys(&mut terminal);
    drop(quiet);
    terminal.write_all(b"\n")?;
    line
}

/// Elsewhere there is no way to ask without showing the answer.
#[cfg(not(unix))]
pub(crate) fn read_hidden_line(_: &str) -> io::Result<Option<String>> {
    Err(io::Error::other(
        "a PIN cannot be typed unseen on this system",
    ))
}

/// A terminal that shows nothing of what is typed, until this is dropped.
#[cfg(unix)]
struct QuietTerminal {
    terminal: std::fs::File,
    before: rustix::termios::Termios,
}

#[cfg(unix)]
impl QuietTerminal {
    fn new(terminal: std::fs::File) -> io::Result<Self> {
        use rustix::termios::{
            LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr,
        };
        let before = tcgetattr(&terminal)?;
        let mut quiet = before.clone();
        let shown = LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN;
        quiet.local_modes.remove(shown);
        quiet.special_codes[SpecialCodeIndex::VMIN] = 0;
        quiet.special_codes[SpecialCodeIndex::VTIME] = READ_WAIT;
        tcsetattr(&terminal, OptionalActions::Now, &quiet)?;
        Ok(Self { terminal, before })
    }
}

#[cfg(unix)]
impl Drop for QuietTerminal {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        // A terminal that is gone needs no settings.
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_keys_edits_and_cancels() {
        let check = |typed: &str, expected: Option<&str>| {
            let line = read_keys(typed.as_bytes()).unwrap();
            assert_eq!(line.as_deref(), expected, "{typed:?}");
        };
        check("coffee\n", Some("coffee"));
        check("coffee\rmore", Some("coffee"));
        check("coffef\u{7f}e\n", Some("coffee"));
        check("é\u{7f}e\n", Some("e"));
        check("\u{7f}\n", Some(""));
        check("wrong\u{15}right\n", Some("right"));
        check("cof\u{3}fee\n", None);
        check("coffee", None);
        check("\0", None);
        check(&"x".repeat(2_000), None);
    }
}
