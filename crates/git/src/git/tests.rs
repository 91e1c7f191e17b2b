//! Repositories made with git, and what is found in them.

pub(crate) mod test_repo;

use std::{
    fs,
    path::Path,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use apostille_cite::source::{MAX_FILE, Source as _, SourceError};
use tempfile::TempDir;

use super::{Checkout, Commit, GitHead, git_command};
use crate::worktree::WorkTree;
use test_repo::{GitTestRepo, describe_source_read, expect_checkout, parse_test_path};

fn head(commit: Option<&str>, branch: Option<&str>) -> GitHead {
    GitHead {
        commit: commit.map(str::to_owned),
        branch: branch.map(str::to_owned),
    }
}

mod discovery {
    use super::*;

    #[test]
    fn a_checkout_is_found_from_anywhere_inside() {
        let (repo, _) = GitTestRepo::with_commit();
        for start in ["", "src", "src/a.rs", ".git", ".git/hooks"] {
            let found = expect_checkout(&repo.root().join(start));
            assert_eq!(found.root(), Some(repo.root()), "{start}");
            assert_eq!(found.git_dir(), repo.root().join(".git"));
            assert_eq!(found.common_dir(), found.git_dir());
        }
    }

    #[test]
    fn outside_git_there_is_none() {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        assert!(Checkout::discover(folder.path()).unwrap().is_none());
        assert!(Checkout::discover(&folder.path().join("absent")).is_err());
    }

    #[test]
    fn a_linked_worktree_shares_the_identity() {
        let (repo, commit) = GitTestRepo::with_commit();
        let local = repo.discover_checkout().identity();
        assert!(local.path.starts_with("local/app-"), "{local:?}");
        let linked = expect_checkout(&repo.add_worktree("linked", "topic"));
        assert_eq!(linked.root(), Some(repo.sibling_path("linked").as_path()));
        assert_ne!(linked.git_dir(), linked.common_dir());
        assert_eq!(linked.common_dir(), repo.root().join(".git"));
        assert_eq!(linked.identity(), local);
        repo.run_git(&[
            "remote",
            "add",
            "origin",
            "https://ana:s3cret@host/MyOrg/MyApp.git",
        ]);
        let linked = expect_checkout(&repo.sibling_path("linked"));
        assert_eq!(linked.identity().path, "myorg/myapp");
        assert_eq!(repo.discover_checkout().identity(), linked.identity());
        assert_eq!(
            linked.read_head().unwrap(),
            head(Some(&commit), Some("topic"))
        );
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(Some(&commit), Some("main"))
        );
        assert!(!format!("{linked:?}").contains("s3cret"));
    }

    #[test]
    fn bare_repositories_have_no_working_tree() {
        let (repo, commit) = GitTestRepo::with_commit();
        let bare = repo.sibling_path("app.git");
        repo.run_git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
        let found = expect_checkout(&bare.join("refs/heads"));
        assert_eq!((found.root(), found.git_dir()), (None, bare.as_path()));
        assert!(found.identity().path.starts_with("local/app-"));
        assert_eq!(
            found.read_head().unwrap(),
            head(Some(&commit), Some("main"))
        );
        assert!(matches!(WorkTree::open(&found), Err(SourceError::Nowhere)));
        assert_eq!(
            describe_source_read(&Commit::new(&found, "main").unwrap(), "src/a.rs"),
            "text one"
        );
    }

    #[test]
    fn a_git_file_may_point_to_a_bare_repository() {
        let (repo, _) = GitTestRepo::with_commit();
        let folder = repo.sibling_path("layout");
        repo.run_git(&[
            "clone",
            "--quiet",
            "--bare",
            ".",
            folder.join(".bare").to_str().unwrap(),
        ]);
        fs::write(folder.join(".git"), "gitdir: ./.bare\n").unwrap();
        repo.run_git_in(&folder, &["worktree", "add", "--quiet", "work", "main"]);
        assert_eq!(expect_checkout(&folder).root(), None);
        let work = expect_checkout(&folder.join("work"));
        assert_eq!(work.root(), Some(folder.join("work").as_path()));
        assert!(
            work.identity().path.starts_with("local/layout-"),
            "{:?}",
            work.identity()
        );
    }

    #[test]
    fn history_in_common_is_told_by_commits() {
        let (repo, commit) = GitTestRepo::with_commit();
        let second = Duration::from_secs(60);
        let here = repo.discover_checkout();
        assert_eq!(here.list_first_commits(second).unwrap(), [commit.as_str()]);
        let path = repo.sibling_path("shallow");
        let url = format!("file://{}", repo.root().display());
        repo.run_git(&["commit", "--quiet", "--allow-empty", "--message", "later"]);
        let shallow = [
            "clone",
            "--quiet",
            "--depth=1",
            &url,
            path.to_str().unwrap(),
        ];
        repo.run_git(&shallow);
        let shallow = expect_checkout(&path);
        let oldest = shallow.list_first_commits(second).unwrap();
        assert!(oldest != [commit.as_str()], "it has only the newest");
        assert!(here.has_any_commit(&oldest, second).unwrap());
        assert!(
            !shallow
                .has_any_commit(std::slice::from_ref(&commit), second)
                .unwrap()
        );
        let strange = ["--batch", "HEAD", &"0".repeat(40)].map(String::from);
        assert!(!here.has_any_commit(&strange, second).unwrap());
        assert!(!here.has_any_commit(&[], second).unwrap());
        assert!(here.has_own_objects());
    }

    #[test]
    fn repository_without_commits_has_no_first_one() {
        let repo = GitTestRepo::new();
        let found = repo.discover_checkout();
        let first = found.list_first_commits(Duration::from_secs(60)).unwrap();
        assert!(first.is_empty(), "{first:?}");
    }

    #[test]
    fn a_bare_repository_inside_a_checkout_does_not_choose_the_identity() {
        let (repo, _) = GitTestRepo::with_commit();
        repo.run_git(&["clone", "--quiet", "--bare", ".", "fixture"]);
        repo.run_git_in(
            &repo.root().join("fixture"),
            &["config", "remote.origin.url", "https://host/victim/secret"],
        );
        assert_eq!(
            expect_checkout(&repo.root().join("fixture")).root(),
            Some(repo.root())
        );
    }

    #[test]
    fn a_submodule_is_a_repository_of_its_own() {
        let (repo, commit) = GitTestRepo::with_commit();
        let (library, _) = GitTestRepo::with_commit();
        repo.run_git(&[
            "submodule",
            "--quiet",
            "add",
            library.root().to_str().unwrap(),
            "lib",
        ]);
        let inside = expect_checkout(&repo.root().join("lib/src"));
        assert_eq!(inside.root(), Some(repo.root().join("lib").as_path()));
        assert_eq!(inside.read_head().unwrap().branch.as_deref(), Some("main"));
        assert!(
            inside.identity().path.starts_with("local/lib-"),
            "{:?}",
            inside.identity()
        );
        assert_eq!(
            describe_source_read(&WorkTree::open(&inside).unwrap(), "src/a.rs"),
            "text one"
        );
        assert_eq!(
            describe_source_read(
                &WorkTree::open(&repo.discover_checkout()).unwrap(),
                "lib/src/a.rs"
            ),
            "outside"
        );
        assert_eq!(
            repo.discover_checkout().read_head().unwrap().commit,
            Some(commit)
        );
    }

    #[test]
    fn a_git_file_that_leads_nowhere_is_an_error_with_a_way_out() {
        let folder = TempDir::new().unwrap();
        for text in ["gitdir: ../absent\n", "nonsense"] {
            fs::write(folder.path().join(".git"), text).unwrap();
            let error = Checkout::discover(folder.path()).unwrap_err();
            let why = std::error::Error::source(&error).unwrap().to_string();
            assert!(why.contains("git worktree repair"), "{why}");
        }
    }
}

mod heads {
    use super::*;

    #[test]
    fn on_a_branch_detached_packed_and_unborn() {
        let repo = GitTestRepo::new();
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(None, Some("main"))
        );
        let first = repo.commit_all("first");
        repo.run_git(&["switch", "--quiet", "-c", "feature/deep"]);
        let second = repo.commit_all("second");
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(Some(&second), Some("feature/deep"))
        );
        repo.run_git(&["pack-refs", "--all", "--prune"]);
        assert!(!repo.root().join(".git/refs/heads/feature").exists());
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(Some(&second), Some("feature/deep"))
        );
        // A loose ref is newer than the packed one.
        let third = repo.commit_all("third");
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(Some(&third), Some("feature/deep"))
        );
        repo.run_git(&["switch", "--quiet", "--detach", &first]);
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(Some(&first), None)
        );
    }

    #[test]
    fn packed_branches_are_found_from_linked_worktrees() {
        let (repo, commit) = GitTestRepo::with_commit();
        let linked = repo.add_worktree("linked", "topic");
        repo.run_git(&["pack-refs", "--all", "--prune"]);
        assert_eq!(
            expect_checkout(&linked).read_head().unwrap(),
            head(Some(&commit), Some("topic"))
        );
    }

    #[test]
    fn reftables_are_read_through_git() {
        let supported = Command::new("git").args(["init", "-h"]).output().unwrap();
        if !String::from_utf8_lossy(&supported.stdout).contains("--ref-format") {
            return;
        }
        let repo = GitTestRepo::with_init_options(&["--ref-format=reftable"]);
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(None, Some("main"))
        );
        let commit = repo.commit_all("first");
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(Some(&commit), Some("main"))
        );
        assert_eq!(
            repo.discover_checkout().find_default_branch().as_deref(),
            Some("main")
        );
        repo.run_git(&["switch", "--quiet", "--detach"]);
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(Some(&commit), None)
        );
    }

    #[test]
    fn hostile_and_broken_heads_are_errors_that_repeat_no_content() {
        let (repo, _) = GitTestRepo::with_commit();
        fs::write(repo.sibling_path("secret"), "s3cret\n").unwrap();
        for text in [
            "ref: ../../secret\n",
            "ref: /etc/passwd\n",
            "s3cret\n",
            "",
            "ref: refs/heads/loop\n",
        ] {
            repo.write_file(".git/refs/heads/loop", "ref: refs/heads/loop\n");
            repo.write_file(".git/HEAD", text);
            let error = repo.discover_checkout().read_head().unwrap_err();
            let why = std::error::Error::source(&error).unwrap().to_string();
            assert!(
                !format!("{error} {why}").contains("s3cret"),
                "{text:?}: {error}: {why}"
            );
        }
    }

    #[test]
    fn the_default_branch_is_what_origin_says() {
        let repo = GitTestRepo::new();
        assert_eq!(repo.discover_checkout().find_default_branch(), None);
        repo.commit_all("first");
        assert_eq!(
            repo.discover_checkout().find_default_branch().as_deref(),
            Some("main")
        );
        repo.run_git(&["branch", "--move", "main", "master"]);
        assert_eq!(
            repo.discover_checkout().find_default_branch().as_deref(),
            Some("master")
        );
        repo.run_git(&["branch", "--move", "master", "other"]);
        assert_eq!(repo.discover_checkout().find_default_branch(), None);
        repo.run_git(&[
            "symbolic-ref",
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/release/2",
        ]);
        assert_eq!(
            repo.discover_checkout().find_default_branch().as_deref(),
            Some("release/2")
        );
    }
}

mod commits {
    use super::*;

    #[test]
    fn old_content_is_read_whatever_the_working_tree_holds() {
        let (repo, first) = GitTestRepo::with_commit();
        repo.run_git(&["tag", "--annotate", "v1", "--message", "one"]);
        repo.write_file("src/a.rs", "two\n");
        let second = repo.commit_all("second");
        repo.write_file("src/a.rs", "three\n");
        let check = |reference: &str, commit: &str, expected: &str| {
            let source = Commit::new(&repo.discover_checkout(), reference).unwrap();
            let tree = source.read_tree().unwrap();
            assert_eq!(
                (tree.commit.as_deref(), tree.branch, tree.is_worktree),
                (Some(commit), None, false)
            );
            assert_eq!(
                describe_source_read(&source, "src/a.rs"),
                expected,
                "{reference}"
            );
        };
        check("HEAD", &second, "text two");
        check("main", &second, "text two");
        check("refs/heads/main", &second, "text two");
        check("HEAD~1", &first, "text one");
        check("v1", &first, "text one");
        check(&first, &first, "text one");
        check(&first[..12], &first, "text one");
    }

    #[test]
    fn what_is_no_file_of_the_commit_is_none_or_refused() {
        let (repo, first) = GitTestRepo::with_commit();
        repo.write_file("naïve file (1).md", "here\n");
        repo.write_file("real/x", "x\n");
        link("a.rs", &repo.root().join("src/link.rs"));
        link("real", &repo.root().join("linked"));
        repo.run_git(&["add", "--all"]);
        repo.add_gitlink("lib", &first);
        repo.run_git(&["commit", "--quiet", "--message", "second"]);
        let source = Commit::new(&repo.discover_checkout(), "HEAD").unwrap();
        let check = |path: &str, expected: &str| {
            assert_eq!(describe_source_read(&source, path), expected, "{path}")
        };
        check("naïve file (1).md", "text here");
        check("absent", "none");
        check("src", "none");
        check("src/absent/deep", "none");
        check("src/a.rs/below", "none");
        check("SRC/a.rs", "none");
        check("*", "none");
        check("src/link.rs", "outside");
        check("linked/x", "outside");
        check("lib", "outside");
        check("lib/src/a.rs", "outside");
        check("real/x", "text x");
    }

    #[test]
    fn the_blob_id_is_the_same_in_commit_and_working_tree() {
        let (repo, _) = GitTestRepo::with_commit();
        let id = repo.run_git(&["rev-parse", "HEAD:src/a.rs"]);
        let committed = Commit::new(&repo.discover_checkout(), "HEAD")
            .unwrap()
            .read_file(&parse_test_path("src/a.rs"))
            .unwrap()
            .unwrap();
        let lying = WorkTree::open(&repo.discover_checkout())
            .unwrap()
            .read_file(&parse_test_path("src/a.rs"))
            .unwrap()
            .unwrap();
        assert_eq!(committed.id, Some(id));
        assert_eq!(committed, lying);
    }

    #[test]
    fn sha256_repositories_are_read() {
        let repo = GitTestRepo::with_init_options(&["--object-format=sha256"]);
        repo.write_file("src/a.rs", "one\n");
        let commit = repo.commit_all("first");
        assert_eq!(
            repo.discover_checkout().read_head().unwrap(),
            head(Some(&commit), Some("main"))
        );
        assert_eq!(
            describe_source_read(
                &Commit::new(&repo.discover_checkout(), "main").unwrap(),
                "src/a.rs"
            ),
            "text one"
        );
        let lying = WorkTree::open(&repo.discover_checkout())
            .unwrap()
            .read_file(&parse_test_path("src/a.rs"))
            .unwrap()
            .unwrap();
        assert_eq!((lying.id, lying.bytes), (None, b"one\n".to_vec()));
    }

    #[test]
    fn one_child_serves_all_and_is_replaced_after_a_file_too_large() {
        static STARTS: AtomicUsize = AtomicUsize::new(0);
        fn counted(checkout: &Checkout) -> Command {
            STARTS.fetch_add(1, Ordering::SeqCst);
            git_command::build_git_command(checkout)
        }
        let (repo, _) = GitTestRepo::with_commit();
        let size = usize::try_from(MAX_FILE).unwrap();
        repo.write_file("fits", vec![b'x'; size]);
        repo.write_file("large", vec![b'y'; size + 1]);
        repo.commit_all("second");
        let source = Commit::new(&repo.discover_checkout(), "HEAD")
            .unwrap()
            .with_git_command(counted);
        assert_eq!(STARTS.load(Ordering::SeqCst), 0);
        for _ in 0..3 {
            assert_eq!(describe_source_read(&source, "src/a.rs"), "text one");
        }
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
            describe_source_read(&source.with_reference("HEAD~1").unwrap(), "fits"),
            "none"
        );
        assert_eq!(STARTS.load(Ordering::SeqCst), 1);
        assert_eq!(
            describe_source_read(&source, "large"),
            format!("too large {}", size + 1)
        );
        assert_eq!(describe_source_read(&source, "src/a.rs"), "text one");
        assert_eq!(STARTS.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn the_ref_is_resolved_once() {
        let (repo, first) = GitTestRepo::with_commit();
        let source = Commit::new(&repo.discover_checkout(), "main").unwrap();
        assert_eq!(describe_source_read(&source, "src/a.rs"), "text one");
        repo.write_file("src/a.rs", "two\n");
        repo.commit_all("second");
        assert_eq!(describe_source_read(&source, "src/a.rs"), "text one");
        assert_eq!(source.read_tree().unwrap().commit, Some(first));
    }

    #[test]
    fn linked_worktrees_have_their_own_head() {
        let (repo, first) = GitTestRepo::with_commit();
        let linked = repo.add_worktree("linked", "topic");
        repo.write_file("src/a.rs", "two\n");
        repo.commit_all("second");
        let source = Commit::new(&expect_checkout(&linked), "HEAD").unwrap();
        assert_eq!(source.read_tree().unwrap().commit, Some(first));
        assert_eq!(describe_source_read(&source, "src/a.rs"), "text one");
    }

    #[test]
    fn refs_that_are_none_are_refused() {
        let (repo, _) = GitTestRepo::with_commit();
        let long = "x".repeat(2_000);
        for reference in [
            "", "--help", "-x", "x\ny", "HEAD\n", "a b", "\0", "HEAD:src", ":/first", &long,
        ] {
            let refused = Commit::new(&repo.discover_checkout(), reference).map(|_| ());
            assert!(
                matches!(refused, Err(SourceError::NoSuchRef(_))),
                "{reference:?}: {refused:?}"
            );
        }
        let blob = repo.run_git(&["rev-parse", "HEAD:src/a.rs"]);
        for reference in [
            "absent",
            "HEAD..main",
            "HEAD~9",
            &"0".repeat(40),
            &blob,
            "@{-9}",
        ] {
            let source = Commit::new(&repo.discover_checkout(), reference).unwrap();
            assert!(
                matches!(source.read_tree(), Err(SourceError::NoSuchRef(_))),
                "{reference:?}"
            );
            assert_eq!(
                describe_source_read(&source, "src/a.rs"),
                "no such ref",
                "{reference:?}"
            );
        }
    }

    #[test]
    fn without_git_the_error_says_so_and_names_a_way_out() {
        let (repo, _) = GitTestRepo::with_commit();
        let absent = |_: &Checkout| Command::new("a-git-that-is-not-installed");
        let error = Commit::new(&repo.discover_checkout(), "main")
            .unwrap()
            .with_git_command(absent)
            .read_tree()
            .unwrap_err();
        assert!(
            error.to_string().contains("git is not installed")
                && error.to_string().contains("install it")
        );
    }

    #[test]
    fn a_child_that_answers_nonsense_is_an_error_not_a_missing_file() {
        let (repo, _) = GitTestRepo::with_commit();
        let broken = |_: &Checkout| {
            let mut command = Command::new("git");
            command.arg("--version").stderr(std::process::Stdio::null());
            command
        };
        let source = Commit::new(&repo.discover_checkout(), "main")
            .unwrap()
            .with_git_command(broken);
        assert_eq!(describe_source_read(&source, "src/a.rs"), "unavailable");
        assert_eq!(describe_source_read(&source, "src/a.rs"), "unavailable");
    }

    #[test]
    fn content_that_was_never_fetched_is_not_taken_for_gone() {
        let (repo, _) = GitTestRepo::with_commit();
        repo.run_git(&["config", "uploadpack.allowFilter", "true"]);
        let url = format!("file://{}", repo.root().display());
        repo.run_git(&[
            "clone",
            "--quiet",
            "--no-checkout",
            "--filter=blob:none",
            &url,
            "../partial",
        ]);
        let partial = expect_checkout(&repo.sibling_path("partial"));
        let source = Commit::new(&partial, "main").unwrap();
        assert_eq!(describe_source_read(&source, "src/a.rs"), "unavailable");
        assert_eq!(describe_source_read(&source, "absent"), "none");
        repo.run_git_in(
            &repo.sibling_path("partial"),
            &["cat-file", "blob", "main:src/a.rs"],
        );
        assert_eq!(
            describe_source_read(&Commit::new(&partial, "main").unwrap(), "src/a.rs"),
            "text one"
        );
    }

    #[test]
    fn it_can_be_shared_between_threads() {
        let (repo, _) = GitTestRepo::with_commit();
        let source = Commit::new(&repo.discover_checkout(), "main").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    (0..20).for_each(|_| {
                        assert_eq!(describe_source_read(&source, "src/a.rs"), "text one")
                    })
                });
            }
        });
    }
}

#[cfg(unix)]
mod hostile {
    use super::*;

    /// Everything that can name a program in a configuration, except what needs a remote.
    fn config(script: &str) -> String {
        format!(
            "[core]\n\tfsmonitor = {script}\n\tsshCommand = {script}\n\tpager = {script}\n\teditor = {script}\n\
             \tgitProxy = {script}\n\taskPass = {script}\n\talternateRefsCommand = {script}\n\thooksPath = ../hooks\n\
             [alias]\n\tcat-file = !{script}\n\trev-parse = !{script}\n\tsymbolic-ref = !{script}\n\
             [diff \"x\"]\n\ttextconv = {script}\n\tcommand = {script}\n\
             [filter \"x\"]\n\tclean = {script}\n\tsmudge = {script}\n\tprocess = {script}\n\trequired = true\n\
             [credential]\n\thelper = !{script}\n[pager]\n\tcat-file = {script}\n\trev-parse = {script}\n\
             [uploadpack]\n\tpackObjectsHook = {script}\n[gpg]\n\tprogram = {script}\n"
        )
    }

    /// A script beside the repository that leaves a mark when it is run.
    fn script(repo: &GitTestRepo) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let script = repo.sibling_path("evil.sh");
        fs::write(
            &script,
            format!(
                "#!/bin/sh\ntouch '{}'\n",
                repo.sibling_path("marker").display()
            ),
        )
        .unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        script.to_str().unwrap().to_owned()
    }

    fn append(path: &Path, text: &str) {
        let before = fs::read_to_string(path).unwrap();
        fs::write(path, before + text).unwrap();
    }

    #[test]
    fn programs_of_the_configuration_are_never_run() {
        let (repo, commit) = GitTestRepo::with_commit();
        repo.write_file(".gitattributes", "* filter=x diff=x\n");
        repo.run_git(&["add", "--all"]);
        repo.run_git(&["commit", "--quiet", "--message", "second"]);
        append(&repo.root().join(".git/config"), &config(&script(&repo)));
        let found = repo.discover_checkout();
        found.read_head().unwrap();
        assert_eq!(found.find_default_branch().as_deref(), Some("main"));
        assert!(found.identity().path.starts_with("local/"));
        for reference in ["HEAD", "main", &commit] {
            assert_eq!(
                describe_source_read(&Commit::new(&found, reference).unwrap(), "src/a.rs"),
                "text one"
            );
        }
        assert_eq!(
            describe_source_read(&WorkTree::open(&found).unwrap(), "src/a.rs"),
            "text one"
        );
        git_command::run_git_query(&found, &["rev-parse", "--verify", "HEAD"])
            .unwrap()
            .unwrap();
        assert!(!repo.sibling_path("marker").exists());
        // The trap works: git by itself steps into it.
        repo.build_command(repo.root())
            .arg("status")
            .output()
            .unwrap();
        assert!(repo.sibling_path("marker").exists());
    }

    #[test]
    fn a_promise_to_fetch_runs_nothing() {
        let (repo, _) = GitTestRepo::with_commit();
        let id = repo.run_git(&["rev-parse", "HEAD:src/a.rs"]);
        let object = repo
            .root()
            .join(".git/objects")
            .join(&id[..2])
            .join(&id[2..]);
        fs::remove_file(object).unwrap();
        let script = script(&repo);
        let trap = format!(
            "[remote \"origin\"]\n\turl = ext::{script}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\
             [extensions]\n\tpartialClone = origin\n[protocol \"ext\"]\n\tallow = always\n[protocol]\n\tallow = always\n"
        );
        let config = repo.root().join(".git/config");
        append(&config, &trap);
        let text = fs::read_to_string(&config).unwrap();
        fs::write(
            &config,
            text.replace("repositoryformatversion = 0", "repositoryformatversion = 1"),
        )
        .unwrap();
        let source = Commit::new(&repo.discover_checkout(), "HEAD").unwrap();
        assert_eq!(describe_source_read(&source, "src/a.rs"), "unavailable");
        // Older versions of git do not know GIT_NO_LAZY_FETCH: the rest must hold without it.
        let eager = |it: &Checkout| {
            let mut command = git_command::build_git_command(it);
            command.env_remove("GIT_NO_LAZY_FETCH");
            command
        };
        let source = Commit::new(&repo.discover_checkout(), "HEAD")
            .unwrap()
            .with_git_command(eager);
        assert_eq!(describe_source_read(&source, "src/a.rs"), "unavailable");
        assert!(!repo.sibling_path("marker").exists());
        // The trap works: without any of it, git steps into it.
        let naive = repo
            .build_command(repo.root())
            .args(["cat-file", "blob", &id])
            .output()
            .unwrap();
        assert!(!naive.status.success());
        assert!(repo.sibling_path("marker").exists());
    }

    #[test]
    fn pipes_in_place_of_gits_files_do_not_hang() {
        let (repo, _) = GitTestRepo::with_commit();
        for name in ["HEAD", "config"] {
            let file = repo.root().join(".git").join(name);
            fs::remove_file(&file).unwrap();
            assert!(
                Command::new("mkfifo")
                    .arg(&file)
                    .status()
                    .unwrap()
                    .success()
            );
        }
        assert!(repo.discover_checkout().read_head().is_err());
    }
}

#[cfg(unix)]
fn link(target: &str, at: &Path) {
    std::os::unix::fs::symlink(target, at).unwrap();
}

#[cfg(windows)]
fn link(target: &str, at: &Path) {
    std::os::windows::fs::symlink_file(target, at).unwrap();
}

mod work {
    use super::*;

    #[test]
    fn what_was_done_since_a_commit_is_told_by_name() {
        let (repo, first) = GitTestRepo::with_commit();
        repo.write_file("src/b.rs", "two\n");
        let second = repo.commit_all("second");
        repo.write_file("src/c.rs", "three\n");
        let work = repo.discover_checkout().read_work_since(&first).unwrap();
        assert_eq!(
            (work.commits, work.files),
            (vec![second], vec!["src/b.rs".into(), "src/c.rs".into()])
        );
        assert!(
            repo.discover_checkout()
                .read_work_since("--output=x")
                .is_err()
        );
        assert!(
            repo.discover_checkout()
                .read_work_since(&"0".repeat(40))
                .is_err()
        );
    }

    #[test]
    fn hooks_are_where_the_configuration_says() {
        let (repo, _) = GitTestRepo::with_commit();
        let user = repo.sibling_path("gitconfig");
        let users = [user.clone()];
        let check = |expected: &Path| {
            assert_eq!(
                repo.discover_checkout()
                    .find_hooks_dir(&users, Some(Path::new("/home/ana"))),
                expected
            );
        };
        check(&repo.root().join(".git/hooks"));
        fs::write(&user, "[core]\nhooksPath = ~/hooks\n").unwrap();
        check(Path::new("/home/ana/hooks"));
        repo.run_git(&["config", "core.hooksPath", ".husky/_"]);
        check(&repo.root().join(".husky/_"));
    }
}

mod blame {
    use super::*;

    #[test]
    fn lines_are_blamed_on_the_commits_that_wrote_them_and_nothing_is_run() {
        let (repo, _) = GitTestRepo::with_commit();
        repo.write_file("src/b.rs", "fn a() {}\nfn b() {}\n");
        let first = repo.commit_all("add both\n\nThe reason.\n\nTask-Id: both");
        repo.write_file("src/b.rs", "fn a() {}\nfn b(x: u8) {}\nfn c() {}\n");
        let second = repo.commit_all("change b");
        // What a repository configures for its files would write this one.
        let run = repo.sibling_path("run");
        let program = format!("touch {}; cat", run.display());
        repo.write_file(".gitattributes", "*.rs filter=x diff=x\n");
        for key in ["filter.x.clean", "filter.x.smudge", "diff.x.textconv"] {
            repo.run_git(&["config", key, &program]);
        }
        let checkout = repo.discover_checkout();
        let path = parse_test_path("src/b.rs");
        let blame = |from: u32, to: u32| {
            let lines = apostille_cite::citation::LineSpan::new(from, to).unwrap();
            let blamed = checkout.blame_lines(&second, &path, lines).unwrap();
            let blamed = blamed.into_iter().map(|it| (it.commit, it.lines));
            blamed.collect::<Vec<_>>()
        };
        assert_eq!(blame(1, 1), [(first.clone(), vec![1])]);
        assert_eq!(
            blame(1, 3),
            [(second.clone(), vec![2, 3]), (first.clone(), vec![1])]
        );
        let details = checkout.read_commit_details(&first).unwrap().unwrap();
        assert_eq!(details.text, "add both\n\nThe reason.\n\nTask-Id: both");
        assert_eq!(details.files, ["src/b.rs"]);
        assert!(!run.exists());
        assert_eq!(checkout.read_commit_details("--output=x").unwrap(), None);
    }
}
