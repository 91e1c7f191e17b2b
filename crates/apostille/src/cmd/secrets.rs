//! `secrets check`: where files hold what would not be kept.

use std::{fs, path::Path};

use apostille_terminal::{
    args::{SecretsArgs, SecretsCheckArgs, SecretsSubcommand},
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, DIM, flatten_to_line, format_if},
};
use apostille_text::secrets::{SecretPlace, find_secret_places};
use apostille_workspace::{config::read_secret_policy, error, error::CommandError};
use serde::Serialize;
use serde_json::json;

/// The largest file that is looked through, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// How many places are told.
const MAX_TOLD: usize = 1_000;

/// A place with a secret, as it is told.
#[derive(Serialize)]
struct SecretView {
    file: String,
    line: usize,
    column: usize,
    kind: &'static str,
    masked: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

/// Looks through files.
pub fn run(ctx: &CommandContext, args: &SecretsArgs) -> CommandResult {
    let SecretsSubcommand::Check(args) = &args.what;
    // It was installed at the start; here it is told what is wrong with it.
    read_secret_policy(&ctx.system)?;
    let mut found = Vec::new();
    for file in &args.files {
        let text = read_checked_file(ctx, file)?;
        let places = find_secret_places(&text);
        found.extend(places.iter().map(|it| view_secret_place(args, file, it)));
    }
    let n_more = found.len().saturating_sub(MAX_TOLD);
    found.truncate(MAX_TOLD);
    let json = json!({"ok": true, "files": args.files.len(), "found": found, "more": n_more});
    let answer = ctx.render_output(&json, |_| format_secret_page(&found, n_more));
    let code = if found.is_empty() {
        error::OK
    } else {
        error::NOTHING
    };
    Ok(answer.with_code(code))
}

fn format_secret_page(found: &[SecretView], n_more: usize) -> String {
    let mut out: String = found.iter().map(format_secret_view).collect();
    out += &format_if(n_more > 0, || format!("{DIM}… and {n_more} more{DIM:#}\n"));
    if found.is_empty() {
        out = "no secret was found\n".into();
    }
    out
}

fn format_secret_view(it: &SecretView) -> String {
    let digest = it.digest.as_ref().map(|it| format!("  {it}"));
    format!(
        "{BOLD}{}:{}:{}{BOLD:#}: {}: {}{DIM}{}{DIM:#}\n",
        flatten_to_line(&it.file),
        it.line,
        it.column,
        it.kind,
        flatten_to_line(&it.masked),
        digest.unwrap_or_default()
    )
}

fn view_secret_place(args: &SecretsCheckArgs, file: &Path, place: &SecretPlace) -> SecretView {
    let digest = || format!("sha256:{}", place.found.digest_value());
    SecretView {
        file: file.display().to_string(),
        line: place.line,
        column: place.column,
        kind: place.found.rule,
        masked: place.found.mask_value(),
        digest: args.digest.then(digest),
    }
}

/// The text of a file. A device or a pipe may never end, so only files are read.
fn read_checked_file(ctx: &CommandContext, file: &Path) -> CommandResult<String> {
    if file == Path::new("-") {
        return ctx.system.read_stdin();
    }
    let refused = |why: String| CommandError::usage(format!("{}: {why}", file.display()));
    let path = ctx.system.cwd.join(file);
    let about = fs::metadata(&path).map_err(|it| refused(it.to_string()))?;
    if !about.is_file() {
        return Err(refused("it is not a file; name the files in it".into()));
    }
    if about.len() > MAX_FILE {
        return Err(refused("it is larger than 16 MB".into()));
    }
    let bytes = fs::read(&path).map_err(|it| refused(it.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
