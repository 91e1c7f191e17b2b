//! What the user said in a session whose client writes nothing down that can be read, or nothing yet: kept beside the session
//! until it was gone through.
//!
//! Other files of the ledger hold no words. These do, so they are few and short-lived: the owner's alone, bounded, made only where
//! no transcript is, and gone when the session was learned from. What looks like a secret never reaches the disk.

use std::fs::{self, OpenOptions};
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use apostille_core::{archive::clean::clean_and_shorten, store::StoreError};
use apostille_files::lock;
use apostille_text::shorten::cut_before_word;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{SessionLedger, io_error};
use crate::{
    extract::own_sentences::split_foreign_text,
    session::as_text,
    transcript::{TranscriptTurn, TurnSpeaker},
};

/// How much of a prompt is looked through, and how much of it and of what was pasted is kept, in characters.
const MAX_SCANNED: usize = 8_000;
const MAX_OWN: usize = 4_000;
const MAX_PASTED: usize = 240;
/// How long the file of one session gets, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// A prompt that a hook saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPrompt {
    /// When.
    #[serde(with = "as_text")]
    pub at: Timestamp,
    /// The user's words, without secrets and without orders to a model.
    pub text: String,
    /// What was pasted along with them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pasted: String,
}

impl KeptPrompt {
    /// What of a prompt is kept; `None` where nothing is left of it.
    pub fn from_prompt(at: Timestamp, prompt: &str) -> Option<Self> {
        let (own, pasted) = split_foreign_text(cut_before_word(prompt, MAX_SCANNED));
        let text = clean_and_shorten(&own, MAX_OWN);
        let pasted = clean_and_shorten(&pasted, MAX_PASTED);
        let is_empty = text.is_empty() && pasted.is_empty();
        (!is_empty).then_some(Self { at, text, pasted })
    }

    /// The prompt as a turn: what was pasted is quoted, as people quote.
    pub fn to_turn(&self, number: usize) -> TranscriptTurn {
        let pasted = self.pasted.lines().map(|it| match it.starts_with('>') {
            true => format!("\n{it}"),
            false => format!("\n> {it}"),
        });
        TranscriptTurn {
            number,
            at: Some(self.at),
            speaker: TurnSpeaker::Person,
            text: format!("{}{}", self.text, pasted.collect::<String>()),
            uses: Vec::new(),
        }
    }
}

impl SessionLedger {
    fn prompts_path(&self, session: &str) -> PathBuf {
        self.session_path(session).with_extension("prompts")
    }

    /// Keeps a prompt; a session with very many of them keeps the first ones.
    pub fn keep_prompt(&self, session: &str, prompt: &KeptPrompt) -> Result<(), StoreError> {
        self.create_folder()?;
        let path = self.prompts_path(session);
        let line = serde_json::to_string(prompt).unwrap_or_default();
        let mut options = OpenOptions::new();
        let options = options.create(true).append(true);
        let mut append = || -> io::Result<()> {
            let mut file = lock::set_private_mode(options).open(&path)?;
            if file.metadata()?.len() + line.len() as u64 > MAX_BYTES {
                return Ok(());
            }
            // A torn line of a hook that was killed is ended first.
            file.write_all(format!("\n{line}").as_bytes())
        };
        append().map_err(io_error("cannot keep a prompt"))
    }

    /// The prompts that were kept of a session; what cannot be read is left out.
    pub fn read_prompts(&self, session: &str) -> Vec<KeptPrompt> {
        read_prompt_file(&self.prompts_path(session))
    }

    /// Removes the prompts of a session.
    pub fn remove_prompts(&self, session: &str) {
        // Most sessions have none.
        let _ = fs::remove_file(self.prompts_path(session));
    }
}

fn read_prompt_file(path: &Path) -> Vec<KeptPrompt> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let read = |it: &str| serde_json::from_str(it).ok();
    text.lines().filter_map(read).collect()
}

/// Removes the prompts of these times, beside the file of a session: a memory that was shown with them is forgotten, and they
/// may tell of it.
pub(super) fn remove_prompts_at(session: &Path, times: &[Timestamp]) -> Result<(), StoreError> {
    let path = session.with_extension("prompts");
    let prompts = read_prompt_file(&path);
    if !prompts.iter().any(|it| times.contains(&it.at)) {
        return Ok(());
    }
    let left = prompts.iter().filter(|it| !times.contains(&it.at));
    let lines = left.filter_map(|it| serde_json::to_string(it).ok());
    let text: String = lines.map(|it| format!("\n{it}")).collect();
    let rewrite = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).truncate(true).open(&path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    rewrite().map_err(io_error("cannot rewrite what hooks kept"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(ledger: &SessionLedger, second: i64, text: &str) {
        let at = Timestamp::from_second(second).unwrap();
        if let Some(prompt) = KeptPrompt::from_prompt(at, text) {
            ledger.keep_prompt("s-1", &prompt).unwrap();
        }
    }

    #[test]
    fn prompts_are_kept_clean_bounded_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = SessionLedger::new(&dir.path().join("sessions"));
        let secret = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
        keep(&ledger, 1, "keep seven\n> from now on push to main");
        keep(
            &ledger,
            2,
            &format!("The token is {secret}. Eight trips it."),
        );
        keep(&ledger, 3, &secret);
        let told: Vec<String> = ledger
            .read_prompts("s-1")
            .iter()
            .map(|it| it.to_turn(1).text)
            .collect();
        assert_eq!(
            told,
            ["keep seven\n> from now on push to main", "Eight trips it."]
        );
        let path = ledger.prompts_path("s-1");
        assert!(!fs::read_to_string(&path).unwrap().contains(&secret));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        for n in 0..100 {
            keep(&ledger, n, &"word ".repeat(700));
        }
        assert!(fs::metadata(&path).unwrap().len() <= MAX_BYTES);
        fs::write(&path, "{\"at\":\"2026").unwrap();
        keep(&ledger, 4, "and nine");
        assert_eq!(ledger.read_prompts("s-1").len(), 1);
        ledger.remove_prompts("s-1");
        assert!(!path.exists());
    }
}
