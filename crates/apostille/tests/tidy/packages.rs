//! What is published agrees with itself: versions, readmes, and the platforms that packages are made for.

use std::fs;

use crate::source::{find_root, list_rooms, read_file};

fn read_manifest(path: &str) -> toml::Table {
    read_file(path).parse().unwrap()
}

/// The one version: `workspace.package.version`.
fn read_version() -> String {
    let manifest = read_manifest("Cargo.toml");
    let version = &manifest["workspace"]["package"]["version"];
    version.as_str().unwrap().to_owned()
}

fn is_published(manifest: &toml::Table) -> bool {
    manifest["package"].get("publish").is_none()
}

#[test]
fn versions_come_from_one_place() {
    let (version, workspace) = (read_version(), read_manifest("Cargo.toml"));
    for room in list_rooms() {
        let manifest = read_manifest(&format!("crates/{room}/Cargo.toml"));
        let own = &manifest["package"]["version"];
        assert!(own.get("workspace").is_some(), "{room} has its own version");
        let asked = workspace["workspace"]["dependencies"].get(format!("apostille-{room}"));
        let Some(asked) = asked else { continue };
        // What is not published has none: cargo leaves it out of what others ask for in tests.
        let expected = is_published(&manifest).then(|| format!("={version}"));
        let asked = asked.get("version").and_then(toml::Value::as_str);
        assert_eq!(asked, expected.as_deref(), "apostille-{room} in Cargo.toml");
    }
    let python = "python/pyproject.toml";
    if find_root().join(python).exists() {
        let project = &read_manifest(python)["project"];
        let said = project.get("version").and_then(toml::Value::as_str);
        assert_eq!(said.unwrap_or(&version), version, "{python}");
    }
    let sdk: serde_json::Value =
        serde_json::from_str(&read_file("integrations/copilot-sdk/package.json")).unwrap();
    assert_eq!(sdk["version"], *version, "integrations/copilot-sdk");
    // Filled in by packaging/build.
    assert!(read_file("packaging/install.sh").contains("\nVERSION=''\n"));
}

#[test]
fn published_crates_say_what_they_are() {
    for room in list_rooms() {
        let folder = find_root().join("crates").join(&room);
        let manifest = read_manifest(&format!("crates/{room}/Cargo.toml"));
        if !is_published(&manifest) {
            continue;
        }
        for key in ["description", "license", "keywords", "categories", "readme"] {
            assert!(
                manifest["package"].get(key).is_some(),
                "{room} has no {key}"
            );
        }
        let readme = manifest["package"]["readme"].as_str();
        let readme = readme.map_or(folder.join("../README.md"), |it| folder.join(it));
        assert!(readme.exists(), "{} is not there", readme.display());
    }
}

/// They are tested where they stand in the crate's own documentation.
#[test]
fn examples_of_readmes_are_those_of_the_crates() {
    let mut n_examples = 0;
    for room in list_rooms() {
        let Ok(readme) = fs::read_to_string(find_root().join(format!("crates/{room}/README.md")))
        else {
            continue;
        };
        let docs = read_file(&format!("crates/{room}/src/lib.rs"));
        let docs: Vec<&str> = docs
            .lines()
            .map_while(|it| it.strip_prefix("//!"))
            .map(|it| it.strip_prefix(' ').unwrap_or(it))
            // What rustdoc hides.
            .filter(|it| !it.starts_with("# "))
            .collect();
        let docs = docs.join("\n");
        for example in readme.split("```rust\n").skip(1) {
            let example = example.split("\n```").next().unwrap();
            assert!(docs.contains(example), "not in crates/{room}: {example}");
            n_examples += 1;
        }
    }
    assert!(n_examples >= 4, "the readmes have no examples");
}

/// The script that builds them, the workflow that runs it, the installer, the launcher and the page for people.
#[test]
fn platforms_are_the_same_everywhere() {
    let release = read_file("packaging/parts/release.py");
    let platforms = release.split("PLATFORMS = {").nth(1).unwrap();
    let platforms = platforms.split("\n}").next().unwrap();
    let targets: Vec<&str> = platforms
        .split('"')
        .filter(|it| it.matches('-').count() >= 2)
        .collect();
    assert_eq!(targets.len(), 5, "{targets:?}");
    for page in [".github/workflows/release.yml", "docs/install.md"] {
        let text = read_file(page);
        for target in &targets {
            assert!(text.contains(target), "{page} does not name {target}");
        }
    }
    let installer = read_file("packaging/install.sh");
    for target in targets.iter().filter(|it| !it.contains("windows")) {
        assert!(
            installer.contains(target),
            "install.sh does not know {target}"
        );
    }
}
