//! What the README's figures come from: one command, tables and a plot. See [`args::USAGE`].

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]

mod args;
mod bars;
mod budget;
mod checkout;
mod citations;
mod cold;
mod decisions;
mod facts;
mod fill;
mod floor;
mod grow;
mod http;
mod impact;
mod lines;
mod machine;
mod mcp;
mod model;
mod ours;
mod plot;
mod postgres;
mod prompts;
mod recall;
mod reflect;
mod report;
mod reviews;
mod scratch;
mod security;
mod standings;
mod stats;
mod table;
mod world;

use std::{path::Path, process::ExitCode};

use anyhow::{Context as _, Result};

use crate::{
    args::Args, budget::Budget, cold::Cold, grow::Grow, machine::Machine, ours::Code,
    report::Report,
};

fn main() -> ExitCode {
    match Args::parse(std::env::args().skip(1)).and_then(|args| run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    if args.help {
        println!("{}", args::USAGE);
        return Ok(());
    }
    if args.echo {
        return mcp::echo::serve();
    }
    if let Some(ask) = &args.citations {
        return citations::run(args, ask);
    }
    if let Some(ask) = &args.facts {
        return standings::run(args, ask);
    }
    if args.first_look {
        return security::speed::first_look();
    }
    if let Some(folder) = &args.security {
        return security::run(args, folder);
    }
    if let Some(ask) = &args.recall {
        return recall::run(args, ask);
    }
    if let Some(file) = &args.reviews {
        return reviews::run(file, args.shown_misses);
    }
    if !args.prompts.is_empty() {
        return prompts::run(args);
    }
    if let Some(ask) = &args.decisions {
        return decisions::run(args, ask);
    }
    if args.impact {
        return impact::run();
    }
    if let Some(histories) = &args.reflect {
        return reflect::run(histories);
    }
    if args.mcp {
        return mcp::run(args);
    }
    if args.http {
        return http::run(args);
    }
    if let Some(ask) = &args.postgres {
        return postgres::run(args, ask);
    }
    let report = measured(args)?;
    print!("{}", table::text(&report, args.markdown));
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", report.json()))?;
    }
    if let Some(path) = &args.svg {
        match plot::svg(&report) {
            Some(plot) => write(path, &plot)?,
            None => eprintln!("bench: there is nothing to plot"),
        }
    }
    Ok(())
}

fn measured(args: &Args) -> Result<Report> {
    let scratch = scratch::on_disk(args.dir.as_deref())?;
    let dir = scratch.path();
    let budget = Budget::new(args.limit);
    let mut report = Report::new(Machine::look(dir));
    let code = Code::made(&dir.join("checkout"))?;
    let bin = cold::program(args.bin.as_deref())?;
    report.program.size = std::fs::metadata(&bin).ok().map(|it| it.len());
    report.program.packages = packages();
    if args.cold {
        Cold {
            dir,
            code: &code,
            budget: &budget,
            bin,
        }
        .run(&mut report)?;
    }
    if args.store {
        Grow {
            dir,
            code: &code,
            budget: &budget,
        }
        .run(args.max, &mut report)?;
    }
    report.note_busy_machine();
    report.note_unsteady_disk();
    report.left_out = budget.left_out();
    report.seconds = budget.spent().as_secs_f64();
    Ok(report)
}

/// How many packages the workspace's lock file names.
fn packages() -> Option<usize> {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()?
        .join("Cargo.lock");
    let text = std::fs::read_to_string(lock).ok()?;
    Some(text.lines().filter(|it| *it == "[[package]]").count())
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
