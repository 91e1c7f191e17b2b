//! What a repository's file may decide. It came with the code, so it is not the user's word.

use std::fs;
use std::path::{Path, PathBuf};

use apostille_cite::citation::RepoPath;
use apostille_core::policy::Policy;

use super::StoreUrl;
use super::raw::{Key, Raw, Scalar, read};
use crate::place::Place;

/// One setting of a repository's file, or why it may not be set there.
pub(super) fn from_repository(root: &Path, key: Key, scalar: &Scalar) -> Result<Raw, String> {
    let inject = Policy::default().inject;
    match key {
        Key::User => {
            Err("a repository does not say who its user is; set it in your own config file".into())
        }
        Key::Repo => Err("a repository does not choose whose memory is shown; \
                          set it in your own config file, or with APOSTILLE_REPO"
            .into()),
        Key::GithubUrl => Err("a repository does not choose where your token is sent; \
                               set it in your own config file, or with APOSTILLE_GITHUB_URL"
            .into()),
        key if key.is_model() => Err(format!(
            "a repository does not choose which model reads your sessions; \
             set it in your own config file, or with {}",
            key.variable()
        )),
        key if key.is_breakers() => {
            Err("a repository does not say what is watched; set it in your own config file".into())
        }
        Key::Store => {
            let raw = read(key, scalar, Path::new(""), None)?;
            let store = raw
                .store
                .as_ref()
                .map(|store| inside(root, store))
                .transpose()?;
            Ok(Raw { store, ..raw })
        }
        _ => {
            let raw = read(key, scalar, root, None)?;
            at_most(raw.max_inject_chars, inject.chars)?;
            at_most(raw.max_inject_count, inject.count)?;
            match raw.require_citations {
                Some(false) => Err(
                    "a repository cannot switch a check off; set it in your own config file".into(),
                ),
                _ => Ok(raw),
            }
        }
    }
}

fn at_most(said: Option<usize>, most: usize) -> Result<(), String> {
    match said {
        Some(n) if n > most => Err(format!(
            "a repository may lower it, but not raise it above {most}"
        )),
        _ => Ok(()),
    }
}

/// The store, if it is a file of lines within the repository, with no link on the way.
fn inside(root: &Path, store: &StoreUrl) -> Result<StoreUrl, String> {
    let refused = |why: &str| {
        Err(format!(
            "a repository may only choose jsonl:PATH within itself ({why}); set it in your own config file"
        ))
    };
    let StoreUrl::Jsonl(path) = store else {
        return refused("this is another kind of store");
    };
    let Some(Ok(path)) = path.to_str().map(str::parse::<RepoPath>) else {
        return refused("this path leads out of it");
    };
    let mut full = PathBuf::from(root);
    for part in path.as_str().split('/') {
        full.push(part);
        if fs::symlink_metadata(&full).is_ok_and(|it| it.file_type().is_symlink()) {
            return refused("this path leads through a link");
        }
    }
    Ok(StoreUrl::Jsonl(full))
}

/// Whether a file of lines lies in a checkout, by its name or by where its name leads.
pub(super) fn is_within(place: &Place, store: &StoreUrl) -> bool {
    let (StoreUrl::Jsonl(path), Some(root)) =
        (store, place.checkout.as_ref().and_then(|it| it.root()))
    else {
        return false;
    };
    let real = |it: &Path| fs::canonicalize(it).unwrap_or_else(|_| it.into());
    // What is not there yet lies where its nearest folder does.
    let there = path.ancestors().find(|it| it.exists()).map(real);
    let root = real(root);
    let named = path
        .parent()
        .map(real)
        .is_some_and(|it| it.starts_with(&root));
    named || path.starts_with(&root) || there.is_some_and(|it| it.starts_with(&root))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: Key, scalar: Scalar, expected: Result<(), &str>) {
        let found = from_repository(Path::new("/repo"), key, &scalar).map(drop);
        match expected {
            Ok(()) => assert_eq!(found, Ok(()), "{key:?} {scalar:?}"),
            Err(part) => {
                assert!(
                    found.as_ref().is_err_and(|it| it.contains(part)),
                    "{key:?} {scalar:?}: {found:?}"
                )
            }
        }
    }

    fn text(text: &str) -> Scalar {
        Scalar::Text(text.into())
    }

    #[test]
    fn a_repository_may_lower_and_not_raise() {
        check(Key::MaxInjectChars, Scalar::Number(500), Ok(()));
        check(
            Key::MaxInjectChars,
            Scalar::Number(2_001),
            Err("not raise it above 2000"),
        );
        check(
            Key::MaxInjectCount,
            Scalar::Number(11),
            Err("not raise it above 10"),
        );
        check(Key::RequireCitations, Scalar::Flag(true), Ok(()));
        check(
            Key::RequireCitations,
            Scalar::Flag(false),
            Err("cannot switch a check off"),
        );
        check(Key::Scoring, text("overlap"), Ok(()));
        check(Key::InjectMode, text("off"), Ok(()));
        check(Key::MaxTotal, Scalar::Number(500), Ok(()));
    }

    #[test]
    fn a_repository_says_nothing_about_the_breakers() {
        let keys: Vec<Key> = Key::ALL.into_iter().filter(|it| it.is_breakers()).collect();
        assert_eq!(keys.len(), 6, "{keys:?}");
        for key in keys {
            check(key, Scalar::Number(0), Err("does not say what is watched"));
            check(
                key,
                Scalar::Number(1_000),
                Err("does not say what is watched"),
            );
        }
    }

    #[test]
    fn a_repository_keeps_to_itself() {
        check(Key::Store, text("jsonl:.apostille/memories.jsonl"), Ok(()));
        check(Key::Store, text("memories.jsonl"), Ok(()));
        check(
            Key::Store,
            text("jsonl:../memories.jsonl"),
            Err("leads out"),
        );
        check(
            Key::Store,
            text("jsonl:/tmp/memories.jsonl"),
            Err("leads out"),
        );
        check(Key::Store, text("jsonl:~/memories.jsonl"), Err("leads out"));
        check(
            Key::Store,
            text("jsonl:.git/memories.jsonl"),
            Err("leads out"),
        );
        check(Key::Store, text("sqlite:memories.db"), Err("another kind"));
        check(Key::Store, text("postgres://evil/db"), Err("a store is"));
        check(Key::User, text("ana"), Err("who its user is"));
        check(Key::Repo, text("other/app"), Err("whose memory"));
        check(
            Key::GithubUrl,
            text("https://evil.example.com"),
            Err("where your token is sent"),
        );
    }

    #[test]
    fn a_repository_says_nothing_about_the_model() {
        let said = Err("which model reads your sessions");
        check(Key::ModelUrl, text("https://evil.example.com/v1"), said);
        check(Key::ModelName, text("m"), said);
        check(Key::ModelApi, text("openai"), said);
        check(Key::ModelKeyEnv, text("HOME"), said);
        check(Key::ModelTimeoutMs, Scalar::Number(1), said);
        check(Key::ModelBudget, Scalar::Number(1), said);
        check(Key::ModelGuard, Scalar::Flag(false), said);
        let keys: Vec<Key> = Key::ALL.into_iter().filter(|it| it.is_model()).collect();
        assert_eq!(keys.len(), 7, "a new one is checked here: {keys:?}");
    }
}
