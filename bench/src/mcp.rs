//! The suite `mcp`: what an agent waits for when it calls a server on stdio.
//!
//! Every call is made three ways in turns: to a tool of the same SDK that only echoes, to `apostille mcp`, and to the
//! same tool in this process. What the server takes beyond the last is the price of the protocol. Then servers are
//! started anew, and eight of them work on one store at once.

mod bars;
mod calls;
mod client;
mod crowd;
pub(crate) mod echo;
mod library;
mod page;
mod servers;
mod starts;
mod tables;
mod tool;

use anyhow::{Result, bail};

use crate::{
    args::Args, budget::Budget, cold, fill::Filling, machine::Machine, ours::Code, scratch,
};
use calls::Turns;
use page::Page;
use serde_json::Value;
use servers::Servers;

pub(crate) use tool::SPACE;

/// How many memories the repository has.
const SIZES: [usize; 2] = [1_000, 10_000];

/// Runs the suite and prints what it found.
pub(crate) fn run(args: &Args) -> Result<()> {
    let scratch = scratch::on_disk(args.dir.as_deref())?;
    let dir = scratch.path();
    let budget = Budget::new(args.limit);
    let mut page = Page::new(Machine::look(dir));
    let code = Code::made(&dir.join("checkout"))?;
    let bin = cold::program(args.bin.as_deref())?;
    if !bin.is_file() {
        let how = "build it with `cargo build --profile dist -p apostille`, or name it with --bin";
        bail!("there is no program {}; {how}", bin.display());
    }
    let servers = Servers {
        dir,
        code: &code,
        bin: &bin,
    };
    measured(args.max, &servers, &budget, &mut page)?;
    page.left_out = budget.left_out();
    page.seconds = budget.spent().as_secs_f64();
    print!("{}", page.text(args.markdown));
    match &args.json {
        Some(path) => crate::write(path, &format!("{:#}\n", page.json())),
        None => Ok(()),
    }
}

fn measured(max: usize, servers: &Servers<'_>, budget: &Budget, page: &mut Page) -> Result<()> {
    let mut filling = Filling::new(servers.code, servers.dir)?;
    for count in SIZES.into_iter().filter(|it| *it <= max) {
        if !filling.grow_one(count, budget)? {
            budget.leave_out(format!(
                "the store of {count} memories: filling it takes too long"
            ));
            break;
        }
        Turns {
            servers,
            budget,
            filling: &filling,
            count,
        }
        .run(page)?;
        if count == SIZES[0] {
            let store = servers.dir.join("store.db");
            filling.copy_to(&store)?;
            starts::measured(servers, &store, budget, page)?;
            crowd::measured(servers, &store, budget, page)?;
        }
    }
    Ok(())
}

/// A fact that is not in the store yet, as it is sent.
pub(crate) fn remembered(code: &Code, index: usize) -> Value {
    tool::Tool::Remember.arguments(code, index)
}
