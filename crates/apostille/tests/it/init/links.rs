//! Links, permissions, and what happens when something fails on the way.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::{tree, world};

#[test]
fn a_link_out_of_the_repository_is_refused() {
    let check = |link: &str, to: &str, why: &str| {
        let env = world();
        let outside = env.home().join("outside");
        fs::create_dir_all(outside.join("folder")).unwrap();
        fs::write(outside.join("file.json"), "{}\n").unwrap();
        let link = env.repo().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(to, &link).unwrap();
        let before = tree(&outside);
        let git = fs::read(env.repo().join(".git/config")).unwrap();
        let ran = env.run(&["init", "--yes", "--client", "claude-code"]);
        assert_eq!(ran.code, 3, "{to}: {ran}");
        assert!(ran.out.contains(why), "{to}: {ran}");
        assert_eq!(tree(&outside), before, "{to}");
        assert_eq!(fs::read(env.repo().join(".git/config")).unwrap(), git);
    };
    check(
        ".mcp.json",
        "../outside/file.json",
        "leads out of the repository",
    );
    check(".mcp.json", "../outside/none.json", "link to nothing");
    check(
        ".claude",
        "../outside/folder",
        "leads out of the repository",
    );
    check(
        ".claude/settings.local.json",
        "../../outside/file.json",
        "leads out of the repository",
    );
    check("AGENTS.md", ".git/config", "leads into .git");
}

#[test]
fn a_link_within_stays_a_link() {
    let env = world();
    env.write("AGENTS.md", "# Us\n");
    symlink("AGENTS.md", env.repo().join("CLAUDE.md")).unwrap();
    let before = tree(env.home());
    env.ok(&["init", "--yes", "--client", "claude-code"]);
    assert!(env.repo().join("CLAUDE.md").is_symlink());
    let text = fs::read_to_string(env.repo().join("AGENTS.md")).unwrap();
    assert_eq!(text.matches("apostille:begin").count(), 1, "{text}");
    env.ok(&["init", "--undo", "--yes"]);
    assert_eq!(tree(env.home()), before);
}

#[test]
fn instructions_that_take_in_others_are_left_alone() {
    let env = world();
    env.write("CLAUDE.md", "@AGENTS.md\n\nBe brief.\n");
    env.ok(&["init", "--yes", "--client", "claude-code"]);
    assert_eq!(
        fs::read_to_string(env.repo().join("CLAUDE.md")).unwrap(),
        "@AGENTS.md\n\nBe brief.\n"
    );
    assert!(env.repo().join("AGENTS.md").exists());
}

#[test]
fn the_users_own_files_are_kept_where_they_are() {
    let mut env = world();
    env.beside("dotfiles/settings.json", "{\"model\": \"x\"}\n");
    fs::create_dir_all(env.home().join(".claude")).unwrap();
    symlink(
        "../dotfiles/settings.json",
        env.home().join(".claude/settings.json"),
    )
    .unwrap();
    let codex = env.home().join("elsewhere");
    env.set("CODEX_HOME", codex.to_str().unwrap());
    let before = tree(env.home());
    let clients: Vec<&str> = super::EVERYONE
        .iter()
        .flat_map(|it| ["--client", it])
        .collect();
    let ran = env.run(&[&["init", "--user", "--yes"], clients.as_slice()].concat());
    insta::assert_snapshot!("init_user", ran.to_string());
    assert!(env.home().join(".claude/settings.json").is_symlink());
    assert!(codex.join("hooks.json").exists());
    assert_eq!(
        env.ok(&["init", "--undo", "--yes"]),
        "nothing to undo\n",
        "that is another scope"
    );
    env.ok(&["init", "--undo", "--yes", "--user"]);
    assert_eq!(tree(env.home()), before);
}

#[test]
fn permissions_stay_and_what_is_kept_is_private() {
    let env = world();
    env.write(".mcp.json", "{}\n");
    let path = env.repo().join(".mcp.json");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    env.ok(&["init", "--yes", "--client", "claude-code"]);
    assert_eq!(mode(&path), 0o640);
    let kept = env.home().join(".local/share/apostille/init/1");
    for entry in fs::read_dir(&kept).unwrap().map(|it| it.unwrap().path()) {
        assert_eq!(mode(&entry), 0o600, "{}", entry.display());
    }
    assert_eq!(fs::read(kept.join("0")).unwrap(), b"{}\n");
    env.ok(&["init", "--undo", "--yes"]);
    assert_eq!((mode(&path), kept.exists()), (0o640, false));
}

/// Nothing can be made in this folder, whoever asks; so the third file fails, after two were written.
#[cfg(target_os = "linux")]
#[test]
fn a_failure_in_the_middle_puts_everything_back() {
    let mut env = world();
    env.beside(".claude.json", "{\"numStartups\": 7}\n");
    env.set("CODEX_HOME", "/proc/sys");
    let before = tree(env.home());
    let ran = env.run(&[
        "init",
        "--user",
        "--yes",
        "--client",
        "claude-code",
        "--client",
        "codex",
    ]);
    assert_eq!(ran.code, 5, "{ran}");
    assert!(
        ran.err.contains("nothing was changed") && ran.err.contains("/proc/sys"),
        "{ran}"
    );
    assert_eq!(tree(env.home()), before);
    assert_eq!(
        env.ok(&["init", "--undo", "--user", "--yes"]),
        "nothing to undo\n"
    );
}

#[test]
fn secrets_beside_a_change_are_not_shown() {
    let env = world();
    env.write(
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"x\": {\"env\": {\"KEY\": \"AKIAQ3EGVXW7T4ZLMN2P\"}}\n  }\n}\n",
    );
    let ran = env.run(&["init", "--dry-run", "--client", "claude-code"]);
    assert!(
        ran.out.contains("holds a secret") && !ran.out.contains("AKIA"),
        "{ran}"
    );
}
