//! `export`: everything written out, all layers and all stages.

use std::fs::OpenOptions;
use std::{
    io::{self, Write as _},
    path::Path,
};

use apostille_core::{
    list,
    store::{ListOrder, MemoryFilter},
};
use apostille_import::{export, export::ExportFormat};
use serde_json::json;

use apostille_terminal::{
    args::ExportArgs,
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::format_count,
};
use apostille_workspace::error::CommandError;

/// Writes every memory of the spaces in play, or of all.
pub fn run(ctx: &CommandContext, args: &ExportArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let filter = MemoryFilter {
        spaces: workspace.spaces_or_all(args.spaces.all_spaces),
        order: ListOrder::Oldest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut memories = list::list_memories(&workspace.context(), &filter)?;
    let withheld: String = export::withhold_secrets(&mut memories).into_iter()
        .map(|handle| format!("withheld: {handle} looks as if it held a secret; `apostille forget {handle}` removes it\n"))
        .collect();
    let format = if ctx.flags.json && args.out.is_none() {
        ExportFormat::Json
    } else {
        args.format
    };
    let text = export::export(&memories, format, ctx.system.now).map_err(CommandError::internal)?;
    let Some(path) = &args.out else {
        return Ok(CommandOutput {
            out: text,
            err: withheld,
            color: clap::ColorChoice::Never,
            ..CommandOutput::default()
        });
    };
    let path = ctx.system.cwd.join(path);
    write_export_file(&path, &text).map_err(|error| new_write_fault(&path, error))?;
    let path = path.display().to_string();
    let n = memories.len();
    let json = json!({"ok": true, "path": path, "count": n});
    Ok(ctx
        .render_output(&json, |_| {
            let n = format_count(n as u64, "memory", "memories");
            format!("wrote {n} to {path}\n")
        })
        .with_err(withheld))
}

/// A file or folder that cannot be written.
pub(super) fn new_write_fault(path: &Path, error: io::Error) -> CommandError {
    CommandError::usage(format!("cannot write '{}': {error}", path.display()))
}

fn write_export_file(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
