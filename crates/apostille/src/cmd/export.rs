//! `export`: everything written out, all layers and all stages.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use apostille_core::export::{self, Format};
use apostille_core::list;
use apostille_core::memory::Handle;
use apostille_core::store::{Filter, Order};
use serde::Serialize;

use crate::args::Export;
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// Writes every memory of the spaces in play, or of all.
pub fn run(shell: &Shell, args: &Export) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let spaces = desk.spaces_or_all(args.spaces.all_spaces);
    let filter = Filter {
        spaces,
        order: Order::Oldest,
        limit: usize::MAX,
        ..Filter::default()
    };
    let mut memories = list::list(&desk.cx(), &filter)?;
    let withheld: String = export::withhold(&mut memories)
        .into_iter()
        .map(told)
        .collect();
    let is_json = shell.flags.json && args.out.is_none();
    let format = if is_json { Format::Json } else { args.format };
    let text = export::export(&memories, format, shell.world.now).map_err(Fault::internal)?;
    match &args.out {
        None => Ok(Answer {
            code: error::OK,
            out: text,
            err: withheld,
            color: clap::ColorChoice::Never,
        }),
        Some(path) => {
            let answer = written(shell, &shell.world.cwd.join(path), &text, memories.len())?;
            Ok(Answer {
                err: withheld,
                ..answer
            })
        }
    }
}

fn told(handle: Handle) -> String {
    format!(
        "withheld: {handle} looks as if it held a secret; `apostille forget {handle}` removes it\n"
    )
}

fn written(shell: &Shell, path: &Path, text: &str, n: usize) -> Result<Answer, Fault> {
    #[derive(Serialize)]
    struct Reply {
        ok: bool,
        path: String,
        count: usize,
    }
    let failed = |error| Fault::usage(format!("cannot write '{}': {error}", path.display()));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(failed)?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(failed)?;
    let json = Reply {
        ok: true,
        path: path.display().to_string(),
        count: n,
    };
    Ok(shell.answer(error::OK, &json, |_| {
        format!(
            "wrote {} to {}\n",
            crate::paint::count(n as u64, "memory", "memories"),
            path.display()
        )
    }))
}
