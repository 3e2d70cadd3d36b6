//! The package as its users use it. `PLINTH` is the path of the program.

mod control;
#[cfg(feature = "in-process")]
mod in_process;
mod server;
