//! What sync leaves behind, and what it never loses: drafts, interrupted forgetting, links, and what a person chose.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    env::Env,
    sync::{PART, REF, SyncTeam, facts, files_with, handle_of, json, remember, run, sync},
};

#[cfg(unix)]
#[test]
fn link_in_the_place_of_a_space_is_not_followed() {
    let team = SyncTeam::of(1);
    let ana = &team.homes[0];
    let elsewhere = team.place.path().join("elsewhere");
    fs::create_dir_all(team.folder()).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, team.folder().join(PART)).unwrap();
    remember(ana, "the API version is 7");
    let target = format!("folder:{}", team.folder().display());
    let ran = ana.person(&["sync", "--with", &target]);
    assert!(ran.code == 2 && ran.err.contains("is a link"), "{ran}");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn files_in_a_folder_are_as_open_as_the_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let team = SyncTeam::of(1);
    let ana = &team.homes[0];
    fs::create_dir_all(team.folder()).unwrap();
    fs::set_permissions(team.folder(), fs::Permissions::from_mode(0o700)).unwrap();
    remember(ana, "the API version is 7");
    ana.stated(&[
        "sync",
        "--with",
        &format!("folder:{}", team.folder().display()),
    ]);
    let part = team.folder().join(PART);
    let files = fs::read_dir(&part).unwrap().map(|it| it.unwrap().path());
    for path in files.chain([part.clone()]) {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn folder_keeps_hosts_apart_and_reads_what_earlier_versions_wrote() {
    let team = SyncTeam::of(2);
    let [ana, ben] = &team.homes[..] else {
        panic!()
    };
    fs::create_dir_all(team.folder()).unwrap();
    let target = format!("folder:{}", team.folder().display());
    ben.git(&[
        "remote",
        "set-url",
        "origin",
        "https://github.com/acme/app.git",
    ]);
    remember(ana, "the API version is 7");
    ana.stated(&["sync", "--with", &target]);
    fs::rename(team.folder().join(PART), team.folder().join("acme~app")).unwrap();
    remember(ben, "our fork is released on Fridays");
    ben.stated(&["sync", "--with", &target]);
    assert_eq!(facts(ben), ["our fork is released on Fridays"]);
    // What an earlier version wrote is found by who begins in the new place.
    let late = Env::new();
    late.stated(&["sync", "--with", &target]);
    assert_eq!(facts(&late), ["the API version is 7"]);
    let parts = fs::read_dir(team.folder()).unwrap();
    let mut parts: Vec<_> = parts.map(|it| it.unwrap().file_name()).collect();
    parts.sort();
    assert_eq!(parts, ["acme~app", PART, "github.com~acme~app"]);
}

#[test]
fn drafts_of_a_killed_sync_leave_no_words() {
    let team = SyncTeam::of(1);
    let ana = &team.homes[0];
    fs::create_dir_all(team.folder()).unwrap();
    let target = format!("folder:{}", team.folder().display());
    ana.stated(&["sync", "setup", &target]);
    let fact = "the staging cluster is called zanzibar-nineteen";
    remember(ana, fact);
    sync(ana);
    // What a process leaves that was killed before it gave its file the name.
    let lines = files_with(ana.home(), "zanzibar-nineteen");
    let lines = lines
        .iter()
        .chain(files_with(&team.folder(), "zanzibar-nineteen").iter())
        .cloned()
        .collect::<Vec<_>>();
    for path in lines
        .iter()
        .filter(|it| it.extension().is_some_and(|it| it == "jsonl"))
    {
        let name = path.file_name().unwrap().to_string_lossy();
        fs::copy(path, path.with_file_name(format!(".{name}.7f.tmp"))).unwrap();
    }
    ana.stated(&["forget", "m-1", "--yes"]);
    assert_eq!(
        files_with(ana.home(), "zanzibar-nineteen"),
        Vec::<PathBuf>::new()
    );
    sync(ana);
    assert_eq!(
        files_with(&team.folder(), "zanzibar-nineteen"),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn forgetting_that_was_interrupted_is_finished_by_a_second_one() {
    let team = SyncTeam::sharing(1);
    let ana = &team.homes[0];
    remember(ana, "the staging cluster is called zanzibar-nineteen");
    sync(ana);
    let lines = files_with(ana.home(), "zanzibar-nineteen");
    let lines = lines.iter().find(|it| it.ends_with("lines.jsonl")).unwrap();
    let text = fs::read(lines).unwrap();
    ana.stated(&["forget", "m-1", "--yes"]);
    // As it is where the process was killed between the store and what is beside it.
    fs::write(lines, text).unwrap();
    let again = ana.stated(&["forget", "m-1", "--yes"]);
    assert_eq!(again, "forgot m-1  it was forgotten before\n");
    assert_eq!(
        files_with(ana.home(), "zanzibar-nineteen"),
        Vec::<PathBuf>::new()
    );
    assert_eq!(ana.person(&["forget", "m-2", "--yes"]).code, 1);
}

#[test]
fn line_that_somebody_put_back_leaves_no_bytes() {
    let team = SyncTeam::sharing(2);
    let [ana, ben] = &team.homes[..] else {
        panic!()
    };
    remember(ana, "the staging cluster is called zanzibar-nineteen");
    remember(ana, "the API version is 7");
    sync(ana);
    let old = team.git(&["rev-parse", REF]);
    ana.stated(&[
        "forget",
        &handle_of(ana, "the staging cluster is called zanzibar-nineteen"),
        "--yes",
    ]);
    sync(ana);
    sync(ben);
    team.git(&["update-ref", REF, old.trim()]);
    sync(ben);
    assert_eq!(facts(ben), ["the API version is 7"]);
    for home in [ana, ben] {
        for repository in find_folders(home.home(), "remote") {
            let all = ["cat-file", "--batch", "--batch-all-objects"];
            let mut command = Command::new("git");
            let bytes = run(command.arg("-C").arg(&repository).args(all));
            assert!(
                !bytes.contains("zanzibar-nineteen"),
                "{}",
                repository.display()
            );
        }
    }
}

/// The folders of this name below a folder.
fn find_folders(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if path.is_dir() && path.file_name().is_some_and(|it| it == name) {
            found.push(path);
        } else if path.is_dir() && !path.is_symlink() {
            found.extend(find_folders(&path, name));
        }
    }
    found
}

#[test]
fn forgetting_elsewhere_leaves_the_notes_of_a_task() {
    let team = SyncTeam::sharing(2);
    let [ana, ben] = &team.homes[..] else {
        panic!()
    };
    ben.write("NOTES.md", "# Notes\n");
    ben.stated(&["task", "start", "Fix the login"]);
    ben.stated(&["task", "note", "the zanzibar database is down", "--blocker"]);
    let read_notes = || fs::read_to_string(ben.repo().join("NOTES.md")).unwrap();
    assert!(read_notes().contains("zanzibar"), "{}", read_notes());
    sync(ben);
    sync(ana);
    let blocker = json(ana, &["list", "--limit", "500"])["memories"][0]["handle"].clone();
    ana.stated(&["forget", blocker.as_str().unwrap(), "--yes"]);
    sync(ana);
    sync(ben);
    assert!(!read_notes().contains("zanzibar"), "{}", read_notes());
}

#[test]
fn damaged_choice_is_an_error_and_damaged_state_keeps_the_choice() {
    let team = SyncTeam::of(1);
    let ana = &team.homes[0];
    ana.beside(".config/apostille/config.toml", "sync = \"git\"\n");
    ana.stated(&["sync", "setup", "off"]);
    remember(ana, "zanzibar stays at home");
    let files = |name: &str| -> PathBuf {
        let folders = find_folders(ana.home(), "sync");
        let mut spaces = folders.iter().flat_map(|it| fs::read_dir(it).unwrap());
        let found =
            spaces.find_map(|it| Some(it.unwrap().path().join(name)).filter(|it| it.is_file()));
        found.unwrap()
    };
    fs::write(files("replica.json"), "garbage").unwrap();
    ana.ok(&["hook", "--after=s1"]);
    assert_ne!(ana.run(&["sync"]).code, 0);
    fs::remove_file(files("replica.json")).unwrap();
    ana.ok(&["hook", "--after=s2"]);
    assert_eq!(team.git(&["for-each-ref"]), "");
    let choice = files("choice.json");
    fs::write(&choice, "garbage").unwrap();
    let ran = ana.run(&["sync"]);
    assert!(ran.code == 4 && ran.err.contains("choose again"), "{ran}");
    assert_eq!(team.git(&["for-each-ref"]), "");
    ana.stated(&["sync", "setup", "git"]);
    sync(ana);
    assert_ne!(team.git(&["for-each-ref"]), "");
}

#[test]
fn remote_of_either_format_is_reached_whatever_new_repositories_have() {
    let team = SyncTeam::of(2);
    let [ana, ben] = &team.homes[..] else {
        panic!()
    };
    let prefer = |home: &Env| {
        let path = home.home().join(".gitconfig");
        let config = fs::read_to_string(&path).unwrap();
        fs::write(
            &path,
            format!("{config}[init]\n\tdefaultObjectFormat = sha256\n"),
        )
        .unwrap();
    };
    prefer(ana);
    let check = |fact: &str| {
        for home in [ana, ben] {
            home.stated(&["sync", "setup", "git"]);
        }
        remember(ana, fact);
        sync(ana);
        sync(ben);
        assert!(facts(ben).contains(&fact.to_owned()), "{fact}");
    };
    check("the API version is 7");
    // The remote moves, and is another format from then on.
    fs::remove_dir_all(team.remote()).unwrap();
    let init = ["init", "-q", "--bare", "--object-format=sha256"];
    run(Command::new("git").args(init).arg(team.remote()));
    let seed = team.place.path().join("seed");
    let init = ["init", "-q", "--object-format=sha256"];
    run(Command::new("git").args(init).arg(&seed));
    let name = ["-c", "user.name=M", "-c", "user.email=m@example.com"];
    let commit = ["commit", "-q", "--allow-empty", "-m", "x"];
    run(Command::new("git")
        .arg("-C")
        .arg(&seed)
        .args(name)
        .args(commit));
    let push = ["push", "-q"];
    let mut command = Command::new("git");
    run(command
        .arg("-C")
        .arg(&seed)
        .args(push)
        .arg(team.remote())
        .arg("HEAD:refs/heads/main"));
    team.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
    check("uploads stop at 10 MB");
}
