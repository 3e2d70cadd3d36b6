//! The machine, its processes and what they use.

mod machine;
mod process;
mod processor_time;
pub mod usage;

pub use machine::{Machine, on_cores};
pub use process::{ServerProcess, git, output_of};
pub use processor_time::ProcessorTime;
