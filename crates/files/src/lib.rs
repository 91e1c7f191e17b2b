//! Locks with a fair queue, and files that are their owner's alone. A leaf: it knows no memory.

pub mod lock;
pub mod unlinked;
