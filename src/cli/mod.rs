//! The command line.

pub mod state;
