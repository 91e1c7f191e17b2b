//! Leaves the unwinding tables out of `dist` builds on Linux. Those abort on a panic, so nothing ever reads the tables,
//! and they are a tenth of the program. A linker that the user chose is left alone.
//!
//! Also notes for `--version --json` what is built. It does not ask git: the same sources would give another program.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script is told everything through its environment"
)]

use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=discard.ld");
    let told = |name: &str| env::var(name).unwrap_or_default();
    let chosen = told("CARGO_ENCODED_RUSTFLAGS") + &told("RUSTC_LINKER");
    let has_choice = ["fuse-ld", "linker", "mold", "wild"]
        .iter()
        .any(|it| chosen.contains(it));
    let out_dir = told("OUT_DIR");
    let profile = find_profile_name(&out_dir);
    println!("cargo::rustc-env=APOSTILLE_BUILD_PROFILE={profile}");
    println!("cargo::rustc-env=APOSTILLE_BUILD_TARGET={}", told("TARGET"));
    println!("cargo::rerun-if-env-changed=APOSTILLE_COMMIT");
    let commit = Some(told("APOSTILLE_COMMIT")).filter(|it| is_commit(it));
    if let Some(commit) = commit.or_else(read_packaged_commit) {
        println!("cargo::rustc-env=APOSTILLE_BUILD_COMMIT={commit}");
    }
    if profile == "dist" && told("CARGO_CFG_TARGET_OS") == "linux" && !has_choice {
        let script = format!("{}/discard.ld", told("CARGO_MANIFEST_DIR"));
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr,-T,{script}");
    }
}

/// The name of the profile. Cargo tells a build script only whether it is a release; the name stands in the output path,
/// as in `target/dist/build/apostille-0a1b2c/out`.
fn find_profile_name(out_dir: &str) -> &str {
    let parts: Vec<&str> = out_dir.split(['/', '\\']).collect();
    let at = parts.iter().rposition(|it| *it == "build");
    at.and_then(|at| at.checked_sub(1))
        .map_or("unknown", |it| parts[it])
}

fn is_commit(text: &str) -> bool {
    [40, 64].contains(&text.len()) && text.bytes().all(|it| it.is_ascii_hexdigit())
}

/// The commit that a crate was packaged from, which cargo notes in the package; none where files were changed since.
fn read_packaged_commit() -> Option<String> {
    let noted = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = noted.split("\"sha1\": \"").nth(1)?.split('"').next()?;
    let is_clean = !noted.contains("\"dirty\": true");
    (is_clean && is_commit(commit)).then(|| commit.to_owned())
}
