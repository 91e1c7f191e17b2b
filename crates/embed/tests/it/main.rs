//! The encoder against vectors that another implementation computed from the same weights.

mod golden;
mod synthetic;
