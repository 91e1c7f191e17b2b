//! `task trailers`: `Task-Id` and `Prompt-Version` in a commit message. A commit never fails because of it.

use std::fs;
use std::path::Path;

use apostille_agents::{briefing::FRAME, settings::rules_block::RULES};
use apostille_tasks::task::trailers::{HASH, add_trailers, is_untouched_template};
use apostille_tools::Profile;
use serde_json::json;

use apostille_terminal::{
    args::TaskTrailersArgs,
    command_context::{CommandContext, CommandOutput, CommandResult},
};
use apostille_workspace::{project_folder::ProjectFolder, prompt, task};

/// The largest message that is touched.
const MAX_BYTES: u64 = 1024 * 1024;
/// What git may choose to begin a comment with when it is to choose by itself.
const CHOICES: &str = "#;@!$%^&|:";

/// Adds the trailers to a message, or shows them.
pub fn run(ctx: &CommandContext, args: &TaskTrailersArgs) -> CommandOutput {
    let trailers = build_commit_trailers(ctx).unwrap_or_default();
    let changed = match &args.file {
        Some(file) if !args.print && !trailers.is_empty() => {
            write_message_trailers(ctx, &ctx.system.cwd.join(file), &trailers).is_some()
        }
        _ => false,
    };
    let json = json!({"ok": true, "changed": changed, "trailers": trailers});
    ctx.render_output(&json, |_| {
        trailers
            .iter()
            .filter(|_| args.print)
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect()
    })
}

/// The trailers of a commit that is made here now; none where no task is active.
fn build_commit_trailers(ctx: &CommandContext) -> CommandResult<Vec<(&'static str, String)>> {
    let (place, settings) = ctx.find_project()?;
    let Some(task) = task::find_active_task(&ctx.system, &place, &settings) else {
        return Ok(Vec::new());
    };
    let (version, _) = prompt::compute_repo_prompt_version(&place.root, &list_fixed_texts());
    Ok(vec![
        ("Task-Id", task.slug.to_string()),
        ("Prompt-Version", version.to_string()),
    ])
}

/// The fixed texts of this program that agents are given.
pub fn list_fixed_texts() -> [(&'static str, &'static str); 3] {
    [
        ("instructions", Profile::Default.instructions()),
        ("frame", FRAME),
        ("rules", RULES),
    ]
}

fn write_message_trailers(
    ctx: &CommandContext,
    file: &Path,
    trailers: &[(&str, String)],
) -> Option<()> {
    let place = ctx.find_project_folder().ok()?;
    let message = read_bounded_text(file)?;
    let comment = detect_comment_prefix(ctx, &place, &message);
    if read_commit_template(ctx, &place)
        .is_some_and(|it| is_untouched_template(&message, &it, &comment))
    {
        return None;
    }
    let trailers: Vec<(&str, &str)> = trailers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    fs::write(file, add_trailers(&message, &comment, &trailers)?).ok()
}

/// A file that is read only where it is one, and no larger than a message may be.
fn read_bounded_text(path: &Path) -> Option<String> {
    let is_readable = |it: &fs::Metadata| it.is_file() && it.len() <= MAX_BYTES;
    fs::metadata(path).ok().filter(is_readable)?;
    fs::read_to_string(path).ok()
}

fn read_git_setting(
    ctx: &CommandContext,
    place: &ProjectFolder,
    section: &str,
    key: &str,
) -> Option<String> {
    let files = ctx.system.env.git_config_files();
    place
        .checkout
        .as_ref()?
        .read_setting(&files, section, key)
        .filter(|it| !it.is_empty())
}

/// What begins a comment, by git's configuration. Where git is to choose, the last line tells what it chose.
fn detect_comment_prefix(ctx: &CommandContext, place: &ProjectFolder, message: &str) -> String {
    let said = ["commentstring", "commentchar"]
        .iter()
        .find_map(|it| read_git_setting(ctx, place, "core", it));
    match said {
        Some(said) if said == "auto" => message
            .lines()
            .rev()
            .find(|it| !it.trim().is_empty())
            .and_then(|it| it.chars().next())
            .filter(|it| CHOICES.contains(*it))
            .map_or_else(|| HASH.into(), String::from),
        said => said.unwrap_or_else(|| HASH.into()),
    }
}

/// The message that people begin with here, where there is one: who leaves it as it is wants no commit.
fn read_commit_template(ctx: &CommandContext, place: &ProjectFolder) -> Option<String> {
    let said = read_git_setting(ctx, place, "commit", "template")?;
    let path = match (said.strip_prefix("~/"), ctx.system.env.home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => place.root.join(said),
    };
    read_bounded_text(&path)
}
