//! The cost of computing a response as the data grows: one service per size, measured alternately.

use std::path::PathBuf;

use anyhow::Result;

use super::compare::{Rounds, Side, alternate};
use crate::harness::{Context, service};
use crate::http::record;
use crate::load::{Measurement, Replay};
use crate::results::{Growth, Series};
use crate::system::ServerProcess;

const CONNECTIONS: usize = 16;

/// A service with data of some size.
pub struct SizedService {
    pub size: u64,
    pub service: ServerProcess,
}

/// Starts an uncached service for each size, on the data directory that `seed` returns.
pub fn start(
    context: &Context,
    sizes: Vec<u64>,
    seed: fn(&Context, u64) -> Result<PathBuf>,
) -> Result<Vec<SizedService>> {
    let started = sizes.into_iter().map(|size| {
        let service = service::start_uncached(context, &seed(context, size)?)?;
        Ok(SizedService { size, service })
    });
    started.collect()
}

/// A request to measure at every size, on which its paths may depend.
pub struct SizedRequest<'a> {
    pub name: &'static str,
    pub paths: &'a dyn Fn(u64) -> Vec<String>,
}

/// The rounds of each request at each size, and the growth curve.
pub struct Grown {
    pub rounds: Vec<Vec<Rounds>>,
    pub growth: Growth,
}

/// Measures each request at each size.
pub fn measure(
    context: &Context,
    title: &'static str,
    services: &[SizedService],
    requests: &[SizedRequest<'_>],
) -> Result<Grown> {
    let mut all = Vec::new();
    let mut series = Vec::new();
    for request in requests {
        let rounds = measure_request(context, services, request)?;
        let cost = |rounds: &Rounds| rounds.figure(Measurement::server_micros).median;
        let points = services.iter().zip(&rounds).map(|(sized, rounds)| (sized.size, cost(rounds))).collect();
        series.push(Series { name: request.name.into(), points });
        all.push(rounds);
    }
    Ok(Grown { rounds: all, growth: Growth { title, unit: "µs CPU", series } })
}

fn measure_request(context: &Context, services: &[SizedService], request: &SizedRequest<'_>) -> Result<Vec<Rounds>> {
    let mut workloads = Vec::new();
    for sized in services {
        workloads.push(Replay::new(record(sized.service.address, (request.paths)(sized.size))?));
    }
    let sides = services.iter().zip(&mut workloads);
    let mut sides: Vec<Side<'_>> = sides.map(|(sized, workload)| Side { server: &sized.service, workload }).collect();
    alternate(context, CONNECTIONS, &mut sides)
}
