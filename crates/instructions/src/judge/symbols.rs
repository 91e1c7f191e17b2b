//! Whether the code has a symbol, and whether it is one of this code at all.

use super::{Disagreement, MentionJudge, MentionJudgement};
use crate::{
    doubt::{Doubt, find_doubt},
    finding::InstructionRule,
    mention::{Mention, has_file_ending, is_symbol, read_path_word, split_call, split_symbol},
    symbols::{WordUse, is_document},
};

/// How many bytes may stand between a symbol and the file that has it.
const BESIDE: usize = 30;

impl MentionJudge<'_> {
    /// A symbol whose word is nowhere in the code, where something near it shows that it is one of this tree.
    pub(super) fn judge_symbol(&self, mention: &Mention) -> MentionJudgement {
        let parts = split_symbol(split_call(&mention.name).0);
        let last = parts.last().copied().unwrap_or_default();
        match self.symbols.find_word(last) {
            None => return MentionJudgement::Doubted(Doubt::Unsearched),
            Some(WordUse::Absent) => {}
            Some(_) => return MentionJudgement::Found,
        }
        if let Some(doubt) = find_doubt(mention) {
            return MentionJudgement::Doubted(doubt);
        }
        let anchor = match parts.split_last().map_or(&[][..], |it| it.1) {
            [] => self
                .find_named_file(mention)
                .map(|it| format!("`{it}` is there"))
                .or_else(|| self.find_known_neighbours(mention)),
            above => self.describe_owner(above),
        };
        let Some(anchor) = anchor else {
            return MentionJudgement::Doubted(Doubt::Vague);
        };
        MentionJudgement::Wrong(Disagreement {
            rule: InstructionRule::Gone,
            looked_for: format!("the word {last}"),
            looked_in: format!("{} files, documents left out", self.tree.n_files()),
            now: None,
            message: format!("`{last}` is nowhere in the code, and {anchor}"),
        })
    }

    /// What a qualified name belongs to, where all of it is defined here. Of what a library has, its first part is not.
    fn describe_owner(&self, parts: &[&str]) -> Option<String> {
        let is_defined = |it: &&str| self.symbols.find_word(it) == Some(WordUse::Defined);
        let owner = parts.last().filter(|_| parts.iter().all(is_defined))?;
        Some(format!("`{owner}` is defined"))
    }

    /// Other symbols of the sentence that the code has; two are enough to say that it speaks of this code.
    fn find_known_neighbours(&self, mention: &Mention) -> Option<String> {
        let pieces = mention.near.sentence.split('`').skip(1).step_by(2);
        let names = pieces.filter(|it| is_symbol(it) && **it != mention.name);
        let is_known = |it: &&str| {
            let last = split_symbol(split_call(it).0).pop();
            last.and_then(|it| self.symbols.find_word(it)) == Some(WordUse::Defined)
        };
        let known: Vec<&str> = names.filter(is_known).take(2).collect();
        match known.as_slice() {
            [first, second] => Some(format!("`{first}` and `{second}` are defined")),
            _ => None,
        }
    }

    /// A file of code that is named beside a mention, as in "`load()` in `src/config.rs`", and that is there.
    fn find_named_file(&self, mention: &Mention) -> Option<String> {
        let near = &mention.near;
        let mut at = 0;
        for (nth, piece) in near.sentence.split('`').enumerate() {
            let start = at;
            at += piece.len() + 1;
            let gap = if start < near.offset {
                near.offset.saturating_sub(start + piece.len())
            } else {
                start.saturating_sub(near.offset + mention.len)
            };
            let path = read_path_word(piece).filter(|_| nth % 2 == 1 && gap <= BESIDE);
            if let Some(path) = path.filter(|it| self.is_code_file(it)) {
                return Some(path.to_owned());
            }
        }
        None
    }

    fn is_code_file(&self, path: &str) -> bool {
        let path_end = path.trim_start_matches("./");
        has_file_ending(path)
            && !is_document(path)
            && !self.tree.paths_ending_with(path_end).is_empty()
    }
}
