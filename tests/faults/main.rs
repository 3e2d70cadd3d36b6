//! The fault suite: the real program under load while something fails, and a checker that compares the responses that
//! clients got with the data that exists afterwards.
//!
//! `cargo xtask faults` runs the long form, `cargo xtask faults --short` the form of `cargo xtask test`, and
//! docs/reliability.md describes each case. Every case has a control: the same check on a run that must fail.

#![expect(clippy::print_stdout, reason = "cases print figures, progress and reasons for `cargo xtask faults`")]

mod backup;
mod checker;
mod client;
mod clock;
mod comparison;
mod database;
mod disk;
mod disk_errors;
mod disk_full;
mod failover;
mod history;
mod injection;
mod kill;
mod ledger;
mod limits;
mod load;
mod overload;
mod power_cut;
mod pusher;
mod random;
mod read_only;
mod restart;
mod settings;
mod slow_clients;
mod stop;
mod subject;
mod webhooks;
mod writer;

#[path = "../it/store/cluster.rs"]
mod cluster;
#[expect(dead_code, reason = "shared with the integration tests, which use the rest")]
#[path = "../it/support/fixtures.rs"]
mod fixtures;
#[expect(dead_code, reason = "shared with the integration tests, which use the rest")]
#[path = "../it/support/receiver.rs"]
mod receiver;
#[expect(dead_code, reason = "shared with the integration tests, which use the rest")]
#[path = "../it/process/server.rs"]
mod server;
#[path = "../it/support/wait.rs"]
mod wait;
