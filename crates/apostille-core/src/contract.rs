//! The suite that every Store passes.
