//! The command line.

pub mod app;
pub mod device;
pub mod installation;
pub mod state;
