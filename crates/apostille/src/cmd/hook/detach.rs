//! Work that nobody waits for, in a process of its own: clients kill the hooks of a session that ends.

use apostille_agents::hook::ALONE;
use apostille_terminal::command_context::CommandContext;
use std::process::{Command, Stdio};

/// Has what a session left behind gone through; every session that is over, when none is named. When it cannot be
/// started, the next session to begin tries again.
pub(super) fn spawn_session_processing(ctx: &CommandContext, session: &str) {
    if ctx.system.env.get(ALONE).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut command = Command::new(program);
    command
        .arg("hook")
        .arg(format!("--after={session}"))
        .arg("-C")
        .arg(&ctx.system.cwd);
    for (flag, value) in ctx.flags.memory_flags() {
        command.args(value.iter().flat_map(|it| [flag, it.as_str()]));
    }
    detach_process_group(&mut command);
    let _ = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}

/// In a group of its own, so that whoever kills the hook and its children does not reach it.
#[cfg(unix)]
fn detach_process_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(windows)]
fn detach_process_group(command: &mut Command) {
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    std::os::windows::process::CommandExt::creation_flags(
        command,
        DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
    );
}
