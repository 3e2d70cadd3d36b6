//! What making an answer costs as the data grows: one service for each size, measured alternately.

use super::compare::{Rounds, Side, alternate};
use super::reads::look;
use crate::Result;
use crate::bench::Bench;
use crate::load::{Outcome, Replay};
use crate::process::Running;
use crate::report::{Growth, Report, Series};

const CONNECTIONS: usize = 16;

/// A service with data of some size.
pub struct Sized {
    pub size: u64,
    pub service: Running,
}

/// A request that is made at every size; the paths may depend on it.
pub struct Asked<'a> {
    pub name: &'static str,
    pub paths: &'a dyn Fn(&Sized) -> Result<Vec<String>>,
}

/// Measures each request at each size, and notes what it costs.
pub fn grow(
    bench: &Bench,
    report: &mut Report,
    title: &'static str,
    services: &[Sized],
    asked: &[Asked<'_>],
) -> Result<Vec<Vec<Rounds>>> {
    let mut all = Vec::new();
    let mut series = Vec::new();
    for request in asked {
        let rounds = measure(bench, services, request)?;
        let points = services.iter().zip(&rounds);
        let points = points.map(|(sized, rounds)| (sized.size, rounds.figure(Outcome::server_micros).median)).collect();
        series.push(Series { name: request.name.into(), points });
        all.push(rounds);
    }
    report.grown(Growth { title, unit: "µs CPU", series });
    Ok(all)
}

fn measure(bench: &Bench, services: &[Sized], request: &Asked<'_>) -> Result<Vec<Rounds>> {
    let mut scripts = Vec::new();
    for sized in services {
        scripts.push(Replay::new(look(&sized.service, (request.paths)(sized)?)?));
    }
    let sides = services.iter().zip(&mut scripts);
    let mut sides: Vec<Side<'_>> = sides.map(|(sized, script)| Side { server: &sized.service, script }).collect();
    alternate(bench, CONNECTIONS, &mut sides)
}
