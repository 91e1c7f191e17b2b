//! What else remembers on this machine: `init` says so and `doctor` names what does not agree; neither changes a byte of it.

use super::*;

/// A file of the notes that Claude Code keeps about this repository.
fn note_in_claude_code(env: &Env, text: &str) -> PathBuf {
    let root = fs::canonicalize(env.repo()).unwrap();
    let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
    let name: String = root.to_str().unwrap().chars().map(plain).collect();
    let folder = env
        .home()
        .join(".claude/projects")
        .join(name)
        .join("memory");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("MEMORY.md");
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn init_offers_to_bring_in_what_a_client_remembers_by_itself() {
    let env = world();
    let none = env.ok(&["init", "--yes", "--client", "claude-code"]);
    assert!(!none.contains("remembers by itself"), "{none}");
    env.ok(&["init", "--undo", "--yes"]);
    let file = note_in_claude_code(&env, "- the api is versioned by date\n");
    let told = env.ok(&["init", "--yes", "--client", "claude-code"]);
    let told: String = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("claude-code remembers by itself, too: 1 file in"),
        "{told}"
    );
    assert!(told.contains("apostille import '"), "{told}");
    let folder = file.parent().unwrap().to_str().unwrap();
    let brought = env.ok(&["import", folder]);
    assert!(brought.contains("imported 1 from 1 file"), "{brought}");
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "- the api is versioned by date\n"
    );
}

#[test]
fn doctor_names_where_a_client_and_a_memory_do_not_agree() {
    let env = world();
    let kept = env.person(&[
        "remember",
        "uploads are limited to 10 MB",
        "--subject",
        "uploads",
    ]);
    assert_eq!(kept.code, 0, "{kept}");
    note_in_claude_code(&env, "# Notes\n\n- the tests run under nextest\n");
    let agreed = env.run(&["doctor"]).out;
    assert!(
        agreed.contains("✓ notes     claude-code remembers by itself: 1 file in"),
        "{agreed}"
    );
    assert!(!agreed.contains("! notes"), "{agreed}");
    let file = note_in_claude_code(&env, "# Notes\n\n- uploads are limited to 25 MB\n");
    let before = fs::read(&file).unwrap();
    let told = env.run(&["doctor"]).out;
    let line = told
        .lines()
        .find(|it| it.starts_with("! notes"))
        .unwrap_or_default();
    assert!(line.contains("claude-code notes “uploads are limited to 25 MB”, and m-1 says “uploads are limited to 10 MB”"), "{told}");
    assert_eq!(fs::read(&file).unwrap(), before);
}
