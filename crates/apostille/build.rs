//! Leaves the unwinding tables out of `dist` builds on Linux. Those abort on a panic, so nothing ever reads the tables,
//! and they are a tenth of the program. A linker that the user chose is left alone.

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
    // Cargo tells a build script only whether it is a release; the profile's own name stands in the output path.
    let is_dist = told("OUT_DIR").split(['/', '\\']).any(|it| it == "dist");
    if is_dist && told("CARGO_CFG_TARGET_OS") == "linux" && !has_choice {
        let script = format!("{}/discard.ld", told("CARGO_MANIFEST_DIR"));
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr,-T,{script}");
    }
}
