//! `--version --json`: which build of the program this is.

use serde_json::json;

/// Says version, commit, features, profile and target of this build, as one JSON object.
///
/// The commit is known where the one who built it named it (`packaging/build` does), or where the crate came from a registry.
pub fn encode_version_json() -> String {
    let features = [
        ("embed", cfg!(feature = "embed")),
        ("fixtures", cfg!(feature = "fixtures")),
    ];
    let features = features.iter().filter(|it| it.1).map(|it| it.0);
    let build = json!({
        "ok": true,
        "version": env!("CARGO_PKG_VERSION"),
        "commit": option_env!("APOSTILLE_BUILD_COMMIT"),
        "features": features.collect::<Vec<_>>(),
        "profile": env!("APOSTILLE_BUILD_PROFILE"),
        "target": env!("APOSTILLE_BUILD_TARGET"),
    });
    build.to_string() + "\n"
}
