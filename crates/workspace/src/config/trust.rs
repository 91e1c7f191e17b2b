//! What a repository's file may decide. It came with the code, so it is not the user's word.

use std::fs;
use std::path::{Path, PathBuf};

use apostille_cite::citation::RepoPath;
use apostille_core::policy::Policy;

use super::{StoreUrl, scalar::ConfigScalar, setting_key::SettingKey};
use crate::project_folder::ProjectFolder;

/// Says why a setting may not be set in a repository's file, or not so.
pub(super) fn check_repository_setting(
    key: SettingKey,
    scalar: &ConfigScalar,
) -> Result<(), String> {
    let inject = Policy::default().inject;
    let check_limit = |most: usize| match scalar.as_positive_number()? {
        n if n > most => Err(format!(
            "a repository may lower it, but not raise it above {most}"
        )),
        _ => Ok(()),
    };
    let why = match key {
        SettingKey::User => {
            "a repository does not say who its user is; set it in your own config file"
        }
        SettingKey::Repo => {
            "a repository does not choose whose memory is shown; \
             set it in your own config file, or with APOSTILLE_REPO"
        }
        SettingKey::Confirm => {
            "a repository does not say how you are recognised; set it in your own config file"
        }
        SettingKey::Archive => {
            "a repository does not say what is kept of your conversations; \
             set it in your own config file, or with APOSTILLE_ARCHIVE"
        }
        SettingKey::QueuePerWeek => {
            "a repository does not say how much you are asked; \
             set it in your own config file, or with APOSTILLE_QUEUE_PER_WEEK"
        }
        SettingKey::ImpactHoldout
        | SettingKey::ImpactTier
        | SettingKey::ReflectEvery
        | SettingKey::ConsolidateEvery => &format!(
            "a repository does not say what you are shown or asked; \
             set it in your own config file, or with {}",
            key.env_variable()
        ),
        SettingKey::GithubUrl => {
            "a repository does not choose where your token is sent; \
             set it in your own config file, or with APOSTILLE_GITHUB_URL"
        }
        SettingKey::GithubRead => {
            "a repository does not choose what is read with your token; \
             set it in your own config file, or with APOSTILLE_GITHUB_READ"
        }
        SettingKey::TrustAllow => {
            "a repository does not say whom you trust; \
             set it in your own config file, or with APOSTILLE_TRUST_ALLOW"
        }
        key if key.is_serve() => &format!(
            "a repository does not say who reaches your server, nor what it reads; \
             set it in your own config file, or with {}",
            key.env_variable()
        ),
        key if key.is_model() => &format!(
            "a repository does not choose which model reads your sessions; \
             set it in your own config file, or with {}",
            key.env_variable()
        ),
        key if key.is_secrets() => {
            "a repository does not say what is a secret; set it in your own config file"
        }
        key if key.is_reviews() => {
            "a repository does not say whose reviews are believed; set it in your own config file"
        }
        key if key.is_breakers() => {
            "a repository does not say what is watched; set it in your own config file"
        }
        SettingKey::Sync if !matches!(scalar.as_text()?, "off" | "git" | "git:origin") => {
            "a repository may only choose its own remote, as in sync = \"git\"; \
             set another target in your own config file"
        }
        SettingKey::RequireCitations if !scalar.as_flag()? => {
            "a repository cannot switch a check off; set it in your own config file"
        }
        SettingKey::MaxInjectChars => return check_limit(inject.chars),
        SettingKey::MaxInjectCount => return check_limit(inject.count),
        SettingKey::InjectFallback => return check_limit(inject.count),
        _ => return Ok(()),
    };
    Err(why.into())
}

/// The store that a repository's file names: a file of lines within the repository, with no link on the way.
pub(super) fn parse_repository_store(root: &Path, text: &str) -> Result<StoreUrl, String> {
    let refused = |why: &str| {
        Err(format!(
            "a repository may only choose jsonl:PATH within itself ({why}); set it in your own config file"
        ))
    };
    let StoreUrl::Jsonl(path) = StoreUrl::from_text(text, Path::new(""), None)? else {
        return refused("this is another kind of store");
    };
    let Some(Ok(path)) = path.to_str().map(str::parse::<RepoPath>) else {
        return refused("this path leads out of it");
    };
    if !path.as_str().ends_with(".jsonl") {
        return refused("its name ends in .jsonl");
    }
    let mut full = PathBuf::from(root);
    for part in path.as_str().split('/') {
        full.push(part);
        if full.is_symlink() {
            return refused("this path leads through a link");
        }
    }
    Ok(StoreUrl::Jsonl(full))
}

/// Whether a file of lines lies in a checkout, by its name or by where its name leads.
pub(super) fn is_store_in_checkout(place: &ProjectFolder, store: &StoreUrl) -> bool {
    match store {
        StoreUrl::Jsonl(path) => is_file_in_checkout(place, path),
        StoreUrl::Sqlite(_) | StoreUrl::Postgres(_) => false,
    }
}

/// Whether a file lies in a checkout, by its name or by where its name leads.
pub(super) fn is_file_in_checkout(place: &ProjectFolder, path: &Path) -> bool {
    let Some(root) = place.checkout.as_ref().and_then(|it| it.root()) else {
        return false;
    };
    let real = |it: &Path| fs::canonicalize(it).unwrap_or_else(|_| it.into());
    let root = real(root);
    // What is not there yet lies where its nearest folder does.
    let there = path.ancestors().find(|it| it.exists());
    path.starts_with(&root)
        || [path.parent(), there]
            .into_iter()
            .flatten()
            .any(|it| real(it).starts_with(&root))
}

#[cfg(test)]
mod tests {
    use super::super::SettingOrigin;
    use super::super::tests::read_setting;
    use super::*;

    fn check(key: SettingKey, scalar: ConfigScalar, expected: Result<(), &str>) {
        let origin = SettingOrigin::Repository("/repo/apostille.toml".into());
        let found = read_setting((&origin, Path::new("/repo")), key, &scalar).map(drop);
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

    fn text(text: &str) -> ConfigScalar {
        ConfigScalar::Text(text.into())
    }

    #[test]
    fn a_repository_may_lower_and_not_raise() {
        check(
            SettingKey::MaxInjectChars,
            ConfigScalar::Number(500),
            Ok(()),
        );
        check(
            SettingKey::MaxInjectChars,
            ConfigScalar::Number(2_001),
            Err("not raise it above 2000"),
        );
        check(
            SettingKey::MaxInjectCount,
            ConfigScalar::Number(11),
            Err("not raise it above 10"),
        );
        check(
            SettingKey::RequireCitations,
            ConfigScalar::Flag(true),
            Ok(()),
        );
        check(
            SettingKey::RequireCitations,
            ConfigScalar::Flag(false),
            Err("cannot switch a check off"),
        );
        check(SettingKey::Scoring, text("overlap"), Ok(()));
        check(SettingKey::InjectMode, text("off"), Ok(()));
        check(SettingKey::MaxTotal, ConfigScalar::Number(500), Ok(()));
    }

    #[test]
    fn a_repository_says_nothing_about_the_breakers() {
        let keys: Vec<SettingKey> = SettingKey::ALL
            .iter()
            .copied()
            .filter(|it| it.is_breakers())
            .collect();
        assert_eq!(keys.len(), 6, "{keys:?}");
        for key in keys {
            check(
                key,
                ConfigScalar::Number(0),
                Err("does not say what is watched"),
            );
            check(
                key,
                ConfigScalar::Number(1_000),
                Err("does not say what is watched"),
            );
        }
    }

    #[test]
    fn a_repository_keeps_to_itself() {
        check(
            SettingKey::Store,
            text("jsonl:.apostille/memories.jsonl"),
            Ok(()),
        );
        check(SettingKey::Store, text("memories.jsonl"), Ok(()));
        for name in ["AGENTS.md", ".claude/settings.json", "src/main.rs"] {
            check(
                SettingKey::Store,
                text(&format!("jsonl:{name}")),
                Err("ends in .jsonl"),
            );
        }
        check(
            SettingKey::Store,
            text("jsonl:../memories.jsonl"),
            Err("leads out"),
        );
        check(
            SettingKey::Store,
            text("jsonl:/tmp/memories.jsonl"),
            Err("leads out"),
        );
        check(
            SettingKey::Store,
            text("jsonl:~/memories.jsonl"),
            Err("leads out"),
        );
        check(
            SettingKey::Store,
            text("jsonl:.git/memories.jsonl"),
            Err("leads out"),
        );
        check(
            SettingKey::Store,
            text("sqlite:memories.db"),
            Err("another kind"),
        );
        check(
            SettingKey::Store,
            text("postgres://evil/db"),
            Err("another kind"),
        );
        check(SettingKey::User, text("ana"), Err("who its user is"));
        for word in ["off", "panel", "pin"] {
            check(
                SettingKey::Confirm,
                text(word),
                Err("how you are recognised"),
            );
        }
        check(SettingKey::Repo, text("other/app"), Err("whose memory"));
        check(
            SettingKey::GithubUrl,
            text("https://evil.example.com"),
            Err("where your token is sent"),
        );
        check(
            SettingKey::GithubRead,
            text("evil/app"),
            Err("read with your token"),
        );
        check(
            SettingKey::TrustAllow,
            text("evil.com/evil/*"),
            Err("whom you trust"),
        );
    }

    #[test]
    fn a_repository_shares_through_its_own_remote_only() {
        for word in ["off", "git", "git:origin"] {
            check(SettingKey::Sync, text(word), Ok(()));
        }
        for word in ["folder:/tmp/x", "git:mallory", "https://evil.example.com"] {
            check(SettingKey::Sync, text(word), Err("its own remote"));
        }
    }

    #[test]
    fn a_repository_says_nothing_about_the_model() {
        let said = Err("which model reads your sessions");
        check(
            SettingKey::ModelUrl,
            text("https://evil.example.com/v1"),
            said,
        );
        check(SettingKey::ModelName, text("m"), said);
        check(SettingKey::ModelApi, text("openai"), said);
        check(SettingKey::ModelKeyEnv, text("HOME"), said);
        check(SettingKey::ModelTimeoutMs, ConfigScalar::Number(1), said);
        check(SettingKey::ModelBudget, ConfigScalar::Number(1), said);
        check(SettingKey::ModelGuard, ConfigScalar::Flag(false), said);
        let keys: Vec<SettingKey> = SettingKey::ALL
            .iter()
            .copied()
            .filter(|it| it.is_model())
            .collect();
        assert_eq!(keys.len(), 7, "a new one is checked here: {keys:?}");
    }
}
