//! The suite `http`: what somebody waits for at the socket of `apostille serve`, and what becomes of too many.
//!
//! Reads come at a fixed rate, whatever the server does, and each is timed from when it was due. Pages are opened one by
//! one. Then far more is asked than can be done: what is turned away must be told so, and what was acknowledged be there.

mod bars;
mod client;
mod overload;
mod page;
mod pages;
mod reads;
mod server;

use std::cell::Cell;

use anyhow::{Result, bail};

use crate::{
    args::Args, budget::Budget, cold, fill::Filling, machine::Machine, ours::Code, scratch,
};
use page::Page;

pub(crate) use server::Server;

/// How many memories the repository has.
const MEMORIES: usize = 10_000;

/// What the servers are started with.
pub(crate) struct Ground<'a> {
    /// The checkout.
    pub(crate) code: &'a Code,
    /// Every server of this run, each on a copy of the store.
    pub(crate) server: &'a dyn Fn(&[&str]) -> Result<Server>,
    /// The time.
    pub(crate) budget: &'a Budget,
}

/// Runs the suite and prints what it found.
pub(crate) fn run(args: &Args) -> Result<()> {
    let scratch = scratch::on_disk(args.dir.as_deref())?;
    let (dir, budget) = (scratch.path(), Budget::new(args.limit));
    let bin = cold::program(args.bin.as_deref())?;
    if !bin.is_file() {
        let how = "build it with `cargo build --profile dist -p apostille`, or name it with --bin";
        bail!("there is no program {}; {how}", bin.display());
    }
    let mut page = Page::new(Machine::look(dir));
    let code = Code::made(&dir.join("checkout"))?;
    let mut filling = Filling::new(&code, dir)?;
    if !filling.grow_one(MEMORIES.min(args.max), &budget)? {
        bail!("there is not time enough to fill a store; give more --seconds");
    }
    let started = Cell::new(0);
    let server = |limits: &[&str]| {
        // A server that was ended leaves its log beside its store: no other one gets that.
        let store = dir.join(format!("http-{}.db", started.replace(started.get() + 1)));
        filling.copy_to(&store)?;
        Server::start(&bin, dir, &code, &store, limits)
    };
    let ground = Ground {
        code: &code,
        server: &server,
        budget: &budget,
    };
    reads::measured(&ground, &mut page)?;
    pages::measured(&ground, &mut page)?;
    overload::measured(&ground, &mut page)?;
    page.left_out = budget.left_out();
    page.seconds = budget.spent().as_secs_f64();
    print!("{}", page.text(args.markdown));
    match &args.json {
        Some(path) => crate::write(path, &format!("{:#}\n", page.json())),
        None => Ok(()),
    }
}
