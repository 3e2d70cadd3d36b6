//! The judge of every test here is the git program.

mod lines;
mod positions;
mod repo;
mod trees;
