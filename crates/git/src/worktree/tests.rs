//! Files of real working trees.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::git::tests::test_repo::{GitTestRepo, describe_source_read, parse_test_path};

#[test]
fn edits_that_no_commit_holds_are_read() {
    let (repo, commit) = GitTestRepo::with_commit();
    repo.write_file("src/a.rs", "edited\n");
    repo.write_file("new.rs", "new\n");
    let source = WorkTree::open(&repo.discover_checkout()).unwrap();
    assert_eq!(describe_source_read(&source, "src/a.rs"), "text edited");
    assert_eq!(describe_source_read(&source, "new.rs"), "text new");
    let tree = source.read_tree().unwrap();
    assert_eq!(
        tree,
        SourceTree {
            commit: Some(commit),
            branch: Some("main".into()),
            is_worktree: true
        }
    );
    let id = source
        .read_file(&parse_test_path("new.rs"))
        .unwrap()
        .unwrap()
        .id;
    assert_eq!(id, Some(repo.run_git(&["hash-object", "new.rs"])));
}

#[test]
fn what_is_no_file_is_none() {
    let (repo, _) = GitTestRepo::with_commit();
    let source = WorkTree::open(&repo.discover_checkout()).unwrap();
    let check = |path: &str| assert_eq!(describe_source_read(&source, path), "none", "{path}");
    check("absent");
    check("absent/deep");
    check("src");
    check("src/a.rs/below");
    check(&"x".repeat(400));
    check(&format!("{}/y", "x".repeat(400)));
}

#[test]
fn paths_are_listed_as_the_working_tree_has_them() {
    let (repo, _) = GitTestRepo::with_commit();
    repo.write_file(".gitignore", "made.rs\n");
    repo.write_file("gone.rs", "");
    repo.run_git(&["add", "."]);
    repo.run_git(&["commit", "-qm", "more"]);
    fs::remove_file(repo.root().join("gone.rs")).unwrap();
    repo.write_file("made.rs", "");
    repo.write_file("new.rs", "");
    let source = WorkTree::open(&repo.discover_checkout()).unwrap();
    let listed = source.list_paths().unwrap().unwrap();
    let has = |path: &str| listed.contains(&parse_test_path(path));
    assert_eq!(
        ["src/a.rs", "new.rs", "gone.rs", "made.rs"].map(has),
        [true, true, false, false]
    );
    let plain = WorkTree::open_plain(&repo.root().join("src")).unwrap();
    assert_eq!(plain.list_paths().unwrap(), None);
}

#[test]
fn a_directory_outside_git_is_read_too() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a"), "text").unwrap();
    let source = WorkTree::open_plain(folder.path()).unwrap();
    assert_eq!(
        source.read_tree().unwrap(),
        SourceTree {
            is_worktree: true,
            ..SourceTree::default()
        }
    );
    assert_eq!(describe_source_read(&source, "a"), "text text");
    assert_eq!(describe_source_read(&source, "b"), "none");
    assert!(WorkTree::open_plain(&folder.path().join("absent")).is_err());
}

#[test]
fn the_size_is_limited() {
    let repo = GitTestRepo::new();
    let size = usize::try_from(MAX_FILE).unwrap();
    repo.write_file("fits", vec![b'x'; size]);
    repo.write_file("large", vec![b'x'; size + 1]);
    let source = WorkTree::open(&repo.discover_checkout()).unwrap();
    assert_eq!(
        source
            .read_file(&parse_test_path("fits"))
            .unwrap()
            .unwrap()
            .bytes
            .len(),
        size
    );
    assert_eq!(
        describe_source_read(&source, "large"),
        format!("too large {}", size + 1)
    );
}

#[test]
fn repositories_inside_are_refused() {
    let (repo, _) = GitTestRepo::with_commit();
    repo.write_file("vendor/lib/x.rs", "x\n");
    repo.write_file("linked/x.rs", "x\n");
    repo.write_file("linked/.git", "gitdir: ../elsewhere\n");
    repo.run_git_in(&repo.root().join("vendor/lib"), &["init", "--quiet"]);
    let source = WorkTree::open(&repo.discover_checkout()).unwrap();
    assert_eq!(describe_source_read(&source, "vendor/lib/x.rs"), "outside");
    assert_eq!(describe_source_read(&source, "linked/x.rs"), "outside");
    assert_eq!(describe_source_read(&source, "vendor/absent"), "none");
}

#[test]
fn gits_files_are_refused_under_other_names_too() {
    let check =
        |part: &str, expected: bool| assert_eq!(is_git_by_another_name(part), expected, "{part:?}");
    check("git~1", true);
    check("GIT~12", true);
    check(".g\u{200c}it", true);
    check(".git::$INDEX_ALLOCATION", true);
    check(".gitignore", false);
    check("git", false);
    check("git~x", false);
    check("my.git", false);
    let (repo, _) = GitTestRepo::with_commit();
    assert_eq!(
        describe_source_read(
            &WorkTree::open(&repo.discover_checkout()).unwrap(),
            "git~1/config"
        ),
        "outside"
    );
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn links_are_refused_wherever_they_point() {
        let (repo, _) = GitTestRepo::with_commit();
        fs::write(repo.sibling_path("secret"), "s3cret").unwrap();
        let at = |name: &str| repo.root().join(name);
        symlink(repo.sibling_path("secret"), at("absolute")).unwrap();
        symlink("../secret", at("relative")).unwrap();
        symlink("..", at("up")).unwrap();
        symlink("src/a.rs", at("inside")).unwrap();
        symlink("src", at("directory")).unwrap();
        symlink(".git", at("dot-git")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        symlink("circle", at("circle")).unwrap();
        let source = WorkTree::open(&repo.discover_checkout()).unwrap();
        let check =
            |path: &str| assert_eq!(describe_source_read(&source, path), "outside", "{path}");
        check("absolute");
        check("relative");
        check("up/secret");
        check("inside");
        check("directory/a.rs");
        check("dot-git/config");
        check("dangling");
        check("circle");
    }

    #[test]
    fn a_link_swapped_in_later_still_leads_nowhere() {
        let (repo, _) = GitTestRepo::with_commit();
        fs::write(repo.sibling_path("secret"), "s3cret").unwrap();
        symlink("../secret", repo.root().join("link")).unwrap();
        symlink("..", repo.root().join("up")).unwrap();
        // What is left when the check of the kind was passed before the swap.
        let root = open_worktree_root(repo.root()).unwrap();
        assert!(root.open_with("link", &read_only_options()).is_err());
        assert!(root.open_dir("up").is_err());
    }

    #[test]
    fn what_was_opened_is_what_was_asked_about() {
        let (repo, _) = GitTestRepo::with_commit();
        symlink(".git", repo.root().join("link")).unwrap();
        let root = open_worktree_root(repo.root()).unwrap();
        let of = |name: &str| root.symlink_metadata(name).unwrap();
        assert!(is_same_file(
            &of("src"),
            &root.open_dir("src").unwrap().dir_metadata().unwrap()
        ));
        // A link inside the root can be opened; that it is not the folder that was seen gives it away.
        assert!(!is_same_file(
            &of("src"),
            &root.open_dir("link").unwrap().dir_metadata().unwrap()
        ));
        assert!(!is_same_file(&of("src"), &of(".git")));
    }

    /// Puts a link in the place of a folder or a file, and takes it away again.
    fn swap(at: &Path, to: &Path) {
        let aside = at.with_extension("aside");
        fs::rename(at, &aside).unwrap();
        symlink(to, at).unwrap();
        fs::remove_file(at).unwrap();
        fs::rename(&aside, at).unwrap();
    }

    /// Real threads, and no turn agreed between them: whatever is read comes from inside.
    #[test]
    fn links_swapped_in_a_race_show_nothing_from_outside() {
        let (repo, _) = GitTestRepo::with_commit();
        let outside = repo.sibling_path("outside");
        fs::create_dir_all(outside.join("deep")).unwrap();
        for name in ["a.rs", "deep/a.rs", "config"] {
            fs::write(outside.join(name), "s3cret of [core]").unwrap();
        }
        repo.write_file("top/deep/a.rs", "inside\n");
        repo.write_file("top/deep/config", "inside\n");
        repo.write_file("top/a.rs", "inside\n");
        let root = repo.root().to_owned();
        let targets = [
            (root.join("top"), outside.clone()),
            (root.join("top/deep"), outside.join("deep")),
            (root.join("top/a.rs"), outside.join("a.rs")),
            (root.join("top/deep"), root.join(".git")),
            (root.join("top"), "..".into()),
        ];
        let is_done = std::sync::atomic::AtomicBool::new(false);
        let source = WorkTree::open(&repo.discover_checkout()).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    targets.iter().for_each(|(at, to)| swap(at, to));
                }
            });
            let paths = [
                "top/a.rs",
                "top/deep/a.rs",
                "top/deep/config",
                "top/outside/a.rs",
            ];
            let read =
                (0..2_000).map(|round| describe_source_read(&source, paths[round % paths.len()]));
            let wrong = read
                .filter(|it| it.starts_with("text") && it != "text inside")
                .collect::<Vec<_>>();
            is_done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(wrong, Vec::<String>::new());
        });
    }

    #[test]
    fn a_root_reached_through_a_link_is_the_root() {
        let (repo, _) = GitTestRepo::with_commit();
        symlink(repo.root(), repo.sibling_path("alias")).unwrap();
        let found = Checkout::discover(&repo.sibling_path("alias").join("src"))
            .unwrap()
            .unwrap();
        assert_eq!(found.identity(), repo.discover_checkout().identity());
        assert_eq!(
            describe_source_read(&WorkTree::open(&found).unwrap(), "src/a.rs"),
            "text one"
        );
    }

    #[test]
    fn pipes_and_devices_do_not_hang() {
        let (repo, _) = GitTestRepo::with_commit();
        let pipe = repo.root().join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let source = WorkTree::open(&repo.discover_checkout()).unwrap();
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            // The second one is a pipe that was swapped in after the check of its kind.
            let swapped = source
                .root
                .open_with("pipe", &read_only_options())
                .map(|it| it.metadata().unwrap().is_file());
            send.send((
                describe_source_read(&source, "pipe"),
                describe_source_read(&source, "pipe/x"),
                swapped.unwrap(),
            ))
            .unwrap();
        });
        let answers = receive.recv_timeout(Duration::from_secs(10)).unwrap();
        assert_eq!(answers, ("none".into(), "none".into(), false));
    }

    #[test]
    fn files_that_may_not_be_read_are_not_taken_for_gone() {
        let (repo, _) = GitTestRepo::with_commit();
        let file = repo.root().join("src/a.rs");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
        // The administrator may read everything, and then there is nothing to test.
        if fs::read(&file).is_ok() {
            return;
        }
        assert_eq!(
            describe_source_read(
                &WorkTree::open(&repo.discover_checkout()).unwrap(),
                "src/a.rs"
            ),
            "unavailable"
        );
    }
}

#[test]
fn the_default_branch_is_read_from_any_branch() {
    let (repo, first) = GitTestRepo::with_commit();
    let open = || {
        let source = WorkTree::open(&repo.discover_checkout()).unwrap();
        let default = source.open_default_branch().unwrap()?;
        let text = describe_source_read(&*default.tree, "src/a.rs");
        Some((default.commit, text))
    };
    repo.write_file("src/a.rs", "edited\n");
    assert_eq!(open(), Some((first.clone(), "text one".into())));
    repo.run_git(&["switch", "--quiet", "--create", "topic"]);
    let topic = repo.commit_all("topic");
    assert_eq!(open(), Some((first.clone(), "text one".into())));
    // What the origin has counts more than a branch that nobody pulled.
    repo.run_git(&["update-ref", "refs/remotes/origin/main", &topic]);
    assert_eq!(open(), Some((topic.clone(), "text edited".into())));
    repo.run_git(&["switch", "--quiet", "main"]);
    assert_eq!(open(), Some((first, "text one".into())));
    repo.run_git(&["branch", "--move", "main", "other"]);
    repo.run_git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    assert_eq!(open(), None);
}

#[test]
fn there_is_no_default_branch_before_the_first_commit() {
    let repo = GitTestRepo::new();
    let source = WorkTree::open(&repo.discover_checkout()).unwrap();
    assert!(source.open_default_branch().unwrap().is_none());
}
