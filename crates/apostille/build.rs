//! Leaves the unwinding tables out of release builds on Linux: they abort on a panic, so nothing ever reads them, and
//! they are a tenth of the program. Where somebody chose a linker of their own, it is not asked for tricks.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script is told everything through its environment"
)]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=discard.ld");
    let told = |name: &str| env::var(name).unwrap_or_default();
    let chosen = told("CARGO_ENCODED_RUSTFLAGS") + &told("RUSTC_LINKER");
    let has_choice = ["fuse-ld", "linker", "mold", "wild"]
        .iter()
        .any(|it| chosen.contains(it));
    if told("PROFILE") == "release" && told("CARGO_CFG_TARGET_OS") == "linux" && !has_choice {
        let script = format!("{}/discard.ld", told("CARGO_MANIFEST_DIR"));
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr,-T,{script}");
    }
}
