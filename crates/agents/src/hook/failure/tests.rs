use super::*;

fn outcome(end: CommandEnd, output: &str) -> CommandOutcome {
    CommandOutcome {
        output: output.into(),
        end,
    }
}

fn failed(script: &str, code: i32, output: &str) -> Option<FailedCommand> {
    recognize_failed_command(script, &outcome(CommandEnd::Exited(code), output))
}

#[test]
fn question_has_the_words_that_tell() {
    let check = |script: &str, output: &str, expected: &str| {
        let question = failed(script, 1, output).map(|it| it.question);
        assert_eq!(question.as_deref(), Some(expected), "{script}");
    };
    check("make regen", "protoc: command not found\n", "regen\nprotoc");
    check(
        "cd web && CI=1 npm run build:prod 2>&1 | tail -5",
        "npm ERR! code ELIFECYCLE\nnpm ERR! missing script: build:prod\n",
        "build:prod\nELIFECYCLE\nbuild:prod",
    );
    check(
        "./scripts/release.sh --dry-run",
        "\u{1b}[31merror\u{1b}[0m: /home/ada/shop/schema.lock:12 is stale after 1.53s (deadbeef12)\n",
        "release.sh dry-run\nschema.lock stale after",
    );
    check(
        "bash -lc 'cargo test -p billing'",
        "error[E0432]: unresolved import `crate::ledger`\n  --> src/pay.rs:3:5\nerror: could not compile `billing` (lib) due to 1 previous error\n",
        "billing\nE0432 unresolved import crate::ledger\ncompile billing lib",
    );
    check(
        "alembic upgrade head",
        "Done\nsomething odd\n",
        "upgrade head\nsomething odd",
    );
}

#[test]
fn question_is_bounded() {
    let output = "error: the quick brown fox jumped over it\n".repeat(50_000)
        + &(0..100)
            .map(|it| format!("error: fox{it}a brown{it}b\n"))
            .collect::<String>();
    let found = failed(&"make regen ".repeat(20_000), 2, &output).unwrap();
    assert!(found.question.chars().count() <= MAX_QUESTION);
}

#[test]
fn key_is_the_same_for_the_same_error() {
    let key = |script: &str, output: &str| failed(script, 1, output).unwrap().key;
    let first = key(
        "cargo build",
        "error: /a/b/schema.lock:3 is stale (took 1.2s)",
    );
    assert_eq!(
        first,
        key(
            "cargo  build",
            "error: /c/schema.lock:4 is stale (took 3.4s)"
        )
    );
    assert_ne!(first, key("cargo build", "error: linker `cc` not found"));
    assert_ne!(
        first,
        key("cargo build -p api", "error: /a/b/schema.lock:3 is stale")
    );
    assert!(!first.contains("schema"));
}

#[test]
fn expected_failures_are_silent() {
    let silent = |script: &str, code: i32, output: &str| {
        assert_eq!(failed(script, code, output), None, "{script} {code}");
    };
    for script in [
        "grep -rn foo src",
        "rg foo",
        "diff a b",
        "test -f x",
        "[ -d y ]",
        "which protoc",
        "ls dist",
        "cd web && ls dist",
        "command -v protoc",
        "git diff --exit-code",
        "git diff --quiet HEAD -- src",
        "git merge-base --is-ancestor a b",
        "cat log.txt | grep error",
        "cargo build 2>&1 | grep -c warning",
    ] {
        silent(script, 1, "");
    }
    silent(
        "ls dist",
        2,
        "ls: cannot access 'dist': No such file or directory",
    );
    silent("make regen", 130, "^C");
    silent("make serve", 137, "Killed");
    silent("make serve", 143, "");
    silent("make regen || true", 1, "error: x");
    silent("make regen ||  true; false", 1, "error: x");
    silent("make regen", 0, "error: x");
    let stopped = outcome(CommandEnd::Stopped, "error: x");
    assert_eq!(recognize_failed_command("make regen", &stopped), None);
    assert!(failed("make regen && grep x y", 2, "make: *** [regen] Error 2").is_some());
    assert!(failed("./crash", 139, "Segmentation fault").is_some());
}

#[test]
fn failure_is_read_from_the_output_where_nobody_says_it() {
    let says = |script: &str, output: &str| {
        recognize_failed_command(script, &outcome(CommandEnd::Unsaid, output)).is_some()
    };
    assert!(says(
        "make regen",
        "make: *** [Makefile:3: regen] Error 2\n"
    ));
    assert!(says("cargo build", "error: could not compile `api`\n"));
    assert!(says(
        "python x.py",
        "Traceback (most recent call last)\n  File\nKeyError: 'a'\n"
    ));
    assert!(says("protoc a.proto", "bash: protoc: command not found\n"));
    assert!(!says(
        "cargo build",
        "warning: unused\nFinished `dev` profile\n"
    ));
    assert!(!says("cat build.log", "error: could not compile `api`\n"));
    assert!(!says(
        "make regen 2>&1 | tail -3",
        "make: *** [regen] Error 2\n"
    ));
    assert!(!says("git log -3", "fix error: x\n"));
    assert!(!says("make regen || true", "make: *** [regen] Error 2\n"));
    assert!(!says("", "error: x"));
}

#[test]
fn test_runs_and_test_files_are_known() {
    let is_run = |script: &str| failed(script, 1, "boom").unwrap().is_test_run;
    for script in [
        "cargo test -p billing",
        "cargo nextest run",
        "pytest -q tests/a.py",
        "python -m pytest",
        "npm test",
        "npm run test:unit",
        "go test ./...",
        "make test",
        "./run_tests.sh",
        "npx vitest run",
        "cd web && pnpm exec jest",
        "python -m unittest",
    ] {
        assert!(is_run(script), "{script}");
    }
    for script in [
        "cargo build",
        "make regen",
        "npm run build",
        "./deploy.sh latest",
    ] {
        assert!(!is_run(script), "{script}");
    }
    for path in [
        "tests/it/a.rs",
        "src/a_test.go",
        "src/a.test.ts",
        "spec/models/a_spec.rb",
        "src/test_a.py",
        "src/FooTest.java",
        "web/__tests__/a.js",
        "conftest.py",
    ] {
        assert!(is_test_file(path), "{path}");
    }
    for path in [
        "src/a.rs",
        "src/latest.rs",
        "src/contest.py",
        "docs/testing.md",
    ] {
        assert!(!is_test_file(path), "{path}");
    }
}
