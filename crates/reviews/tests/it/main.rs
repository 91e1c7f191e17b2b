//! What follows from events at a host: rules, support that is taken away, outcomes; and nothing from whom nobody asked.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod attack;
mod deliveries;
mod rules;
mod world;
