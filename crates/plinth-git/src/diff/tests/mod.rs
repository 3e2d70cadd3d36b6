//! The judge of every test here is the git program.

mod lines;
mod looking;
mod port;
mod port_ranges;
mod port_walk;
mod positions;
mod repo;
mod story;
mod trees;
