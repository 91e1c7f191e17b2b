//! `init` and `doctor`: what is written into other programs’ settings, and the proof that it works.

pub mod doctor;
pub mod init;
pub mod tour;
