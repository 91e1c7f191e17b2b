//! A source of which one question in ten fails: what cannot be read must become unknown, and never speak against a
//! citation.
//!
//! The repositories of the cases are whole, so nothing fails by itself. Here it does, the same questions each time.

use std::collections::BTreeSet;

use apostille_cite::{
    citation::RepoPath,
    source::{CommitHistory, FileEdit, Source, SourceBlob, SourceError, SourceTree},
};

use super::guess::Guess;

/// The source, as a bad disk or a clone that lacks contents makes it.
pub(crate) struct Failing<'s>(pub(crate) &'s dyn Source);

impl Failing<'_> {
    fn commit(&self) -> String {
        self.0
            .read_tree()
            .ok()
            .and_then(|it| it.commit)
            .unwrap_or_default()
    }
}

impl Source for Failing<'_> {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        self.0.read_tree()
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        luck("file", path.as_str())?;
        self.0.read_file(path)
    }

    fn walk_history(
        &self,
        from: &BTreeSet<String>,
        most: usize,
    ) -> Result<CommitHistory, SourceError> {
        luck("history", &self.commit())?;
        self.0.walk_history(from, most)
    }

    fn read_object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        luck("object", id)?;
        self.0.read_object(id)
    }

    fn list_uncommitted_edits(&self) -> Result<Vec<FileEdit>, SourceError> {
        luck("edits", &self.commit())?;
        self.0.list_uncommitted_edits()
    }

    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> Result<bool, SourceError> {
        luck("visit", &self.commit())?;
        self.0.visit_files(see)
    }
}

/// An error for one name in ten, always the same ones.
fn luck(what: &str, name: &str) -> Result<(), SourceError> {
    let mixed = |seed: u64, byte: u8| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let number = what
        .bytes()
        .chain(name.bytes())
        .fold(0xcbf2_9ce4_8422_2325, mixed);
    // The lowest bits of this mixture are the least mixed.
    if (number >> 20).is_multiple_of(10) {
        return Err(SourceError::Unavailable {
            what: format!("the {what} '{name}'"),
            source: "made to fail".into(),
        });
    }
    Ok(())
}

/// The citations that nothing speaks against, unless something cannot be read.
pub(crate) fn blamed(whole: &[Guess], failing: &[Guess]) -> Vec<usize> {
    let pairs = whole.iter().zip(failing).enumerate();
    let is_blamed =
        |(_, (whole, failing)): &(usize, (&Guess, &Guess))| !whole.is_flag() && failing.is_flag();
    pairs.filter(is_blamed).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_one_in_ten_fails_and_always_the_same() {
        let failed = |what: &str| {
            (0..2_000)
                .filter(|it| luck(what, &format!("src/{it}.rs")).is_err())
                .count()
        };
        assert!((150..250).contains(&failed("file")), "{}", failed("file"));
        assert_eq!(failed("object"), failed("object"));
    }

    #[test]
    fn only_what_is_flagged_for_want_of_a_read_is_blamed() {
        let (good, bad) = (
            Guess::Says(super::super::guess::Word::Valid, None),
            Guess::missing(),
        );
        let unknown = Guess::Unknown("late".into());
        let whole = [good.clone(), good.clone(), good, bad.clone(), bad.clone()];
        assert_eq!(
            blamed(
                &whole,
                &[bad.clone(), unknown.clone(), whole[0].clone(), bad, unknown]
            ),
            [0]
        );
    }
}
