//! The program as people and scripts see it: exit code, output and messages together, in a world of its own.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on should stop; the search path is the machine's"
)]
#![expect(
    unreachable_pub,
    reason = "nothing is reachable in a test; `pub` says what a module offers"
)]

mod agents_reach;
mod archive;
mod audit;
mod branches;
mod breaker;
mod certificate;
mod checks;
mod citations;
mod cited_commit;
mod codes;
mod config;
#[cfg(target_os = "linux")]
mod confirm;
mod database;
mod day;
mod deliveries;
mod door;
mod echo;
mod edited;
mod edits;
mod elsewhere;
mod env;
mod episodes;
mod exposure;
mod faces;
mod failures;
mod filters;
mod github;
mod healing;
mod hoard;
mod hook;
mod hook_page;
mod identity;
mod import;
#[cfg(unix)]
mod init;
mod instructions;
mod json;
mod keep;
mod live;
mod malformed;
mod mcp;
#[cfg(feature = "embed")]
mod meaning;
mod model;
mod month;
mod month_of_patterns;
mod moving;
mod names;
mod near;
mod notes;
mod output;
mod past;
mod past_words;
mod pending;
mod poison;
mod pressure;
mod program_calls;
mod promote;
#[cfg(unix)]
mod public;
mod pulled;
mod queue;
mod renamed;
mod review;
mod rollback;
mod secrets;
mod serve;
mod sharing;
mod socket;
mod spaces;
mod story;
mod subagents;
mod symbols;
mod sync;
mod sync_authority;
mod sync_leftovers;
#[cfg(unix)]
mod sync_server;
mod task;
#[cfg(unix)]
mod team;
mod tokens;
mod trailers;
mod trust;
mod verify;
mod why;
