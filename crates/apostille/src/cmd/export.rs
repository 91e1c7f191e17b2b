//! `export`: everything written out, all layers and all stages.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use apostille_core::list;
use apostille_core::memory::Handle;
use apostille_core::store::{ListOrder, MemoryFilter};
use apostille_import::export;
use apostille_import::export::Format;
use serde::Serialize;

use apostille_terminal::args::ExportArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;

/// Writes every memory of the spaces in play, or of all.
pub fn run(shell: &CommandContext, args: &ExportArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let spaces = desk.spaces_or_all(args.spaces.all_spaces);
    let filter = MemoryFilter {
        spaces,
        order: ListOrder::Oldest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut memories = list::list_memories(&desk.context(), &filter)?;
    let withheld: String = export::withhold_secrets(&mut memories)
        .into_iter()
        .map(format_withheld_warning)
        .collect();
    let is_json = shell.flags.json && args.out.is_none();
    let format = if is_json { Format::Json } else { args.format };
    let text =
        export::export(&memories, format, shell.world.now).map_err(CommandError::internal)?;
    match &args.out {
        None => Ok(CommandOutput {
            code: error::OK,
            out: text,
            err: withheld,
            color: clap::ColorChoice::Never,
        }),
        Some(path) => {
            let answer =
                write_export_file(shell, &shell.world.cwd.join(path), &text, memories.len())?;
            Ok(CommandOutput {
                err: withheld,
                ..answer
            })
        }
    }
}

fn format_withheld_warning(handle: Handle) -> String {
    format!(
        "withheld: {handle} looks as if it held a secret; `apostille forget {handle}` removes it\n"
    )
}

fn write_export_file(
    shell: &CommandContext,
    path: &Path,
    text: &str,
    n: usize,
) -> Result<CommandOutput, CommandError> {
    #[derive(Serialize)]
    struct ExportReply {
        ok: bool,
        path: String,
        count: usize,
    }
    let failed = |error| CommandError::usage(format!("cannot write '{}': {error}", path.display()));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(failed)?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(failed)?;
    let json = ExportReply {
        ok: true,
        path: path.display().to_string(),
        count: n,
    };
    Ok(shell.render_output(error::OK, &json, |_| {
        format!(
            "wrote {} to {}\n",
            apostille_terminal::paint::format_count(n as u64, "memory", "memories"),
            path.display()
        )
    }))
}
