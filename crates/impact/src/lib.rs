//! Does memory help? Measures of sessions, compared between those that had memory and those that were held out.
//!
//! ```
//! use apostille_impact::compare::{ImpactVerdict, compare_arms};
//! use apostille_impact::measures::ImpactMeasure;
//! use apostille_impact::simulation::SimulatedStudy;
//!
//! let study = SimulatedStudy { n_sessions: 1_000, holdout: 0.2, effect: 0.5 };
//! let compared = compare_arms(&study.draw_sessions(7));
//! let corrections = compared.iter().find(|it| it.measure == ImpactMeasure::Corrections).unwrap();
//! assert_eq!(corrections.verdict, ImpactVerdict::Better);
//! ```
//!
//! How the pieces fit: [`measures`] is what is written down of a session, numbers only. [`holdout`] decides which sessions go
//! without memory. [`intervals`] has the statistics, [`compare`] sets the arms against each other, [`report`] is what people and
//! programs are shown. [`simulation`] makes sessions with a known effect, which shows that the comparison finds it.

pub mod compare;
pub mod holdout;
pub mod intervals;
pub mod measures;
pub mod report;

pub mod simulation;
