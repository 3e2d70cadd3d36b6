//! Webhooks: what a hook costs a write, and how fast deliveries are sent.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::json;

use super::compare::{Rounds, Side, alternate};
use super::group::RowGroup;
use super::writes;
use crate::harness::{Context, Cpu, ServeOptions, Webhooks, service};
use crate::http::{Client, record};
use crate::load;
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed::{self, StandardSeed};
use crate::servers::{RecordedResponses, Role};
use crate::system::ServerProcess;

const CONNECTIONS: usize = 64;
const HOOKS: &str = "/repos/acme/rocket/hooks";
const DELIVERIES_TIMEOUT: Duration = Duration::from_secs(120);

pub const HOOK_COST: RowGroup =
    RowGroup { name: "hook-cost", about: "durable creation of refs with one hook, compared with none", run: hook_cost };

pub const DELIVERIES: RowGroup = RowGroup {
    name: "deliveries",
    about: "webhook deliveries to a fast receiver on the same machine",
    run: deliveries,
};

/// A hook that is subscribed to something else, one that receives each of the new refs later, so that only the writes are
/// measured, and one that receives them meanwhile: the CPU time then includes that of the deliveries.
fn hook_cost(context: &Context) -> Result<Results> {
    let seed = StandardSeed::get(context)?;
    let directory = context.scratch("hook-cost")?;
    let start = |name: &str, webhooks| start_service(context, &seed, &directory.join(name), Cpu::ServerCore, webhooks);
    let (without, other) = (start("without", Webhooks::Local)?, start("other", Webhooks::Local)?);
    let (later, with) = (start("later", Webhooks::Paused)?, start("with", Webhooks::Local)?);
    let receiver = start_receiver(context, &directory, &without)?;
    add_hook(&other, &receiver, "member")?;
    add_hook(&later, &receiver, "create")?;
    add_hook(&with, &receiver, "create")?;
    let mut workloads = [(); 4].map(|()| writes::create_ref(&seed));
    let sides = [&without, &other, &later, &with].into_iter().zip(&mut workloads);
    let mut sides: Vec<Side<'_>> = sides.map(|(server, workload)| Side { server, workload }).collect();
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let [without, other, later, with] = rounds.as_slice() else { bail!("four servers were measured") };
    let row = |what: &str, measured: &Rounds, target| Row {
        what: format!("create a ref {what}, compared with no hook"),
        service: measured.shown(),
        baseline: format!("no hook: {}", without.shown()),
        figure: without.efficiency_ratio(measured),
        unit: "× the CPU time",
        target,
        note: String::new(),
    };
    Ok(Results::of_rows(vec![
        row("with a hook for another event", other, Target::AtMost(1.1)),
        row("with a hook, whose deliveries are sent later", later, Target::AtMost(1.1)),
        row("with a hook, deliveries included", with, Target::None),
    ]))
}

/// Creates refs as fast as possible, and measures how fast the queue is worked off.
fn deliveries(context: &Context) -> Result<Results> {
    let seed = StandardSeed::get(context)?;
    let count = context.size(500, 20_000);
    let mut rates = Vec::new();
    for round in 0..context.size(1, context.rounds.min(3)) {
        let directory = context.scratch(&format!("deliveries-{round}"))?;
        let server = start_service(context, &seed, &directory.join("data"), Cpu::AnyCore, Webhooks::Local)?;
        let receiver = start_receiver(context, &directory, &server)?;
        add_hook(&server, &receiver, "create")?;
        load::fill(server.address, CONNECTIONS, &mut writes::create_ref(&seed), count)?;
        let (started, before) = (Instant::now(), delivered(&server)?);
        let mut after = before;
        // The first delivery is the ping of the new hook.
        while after < count + 1 {
            if started.elapsed() > DELIVERIES_TIMEOUT {
                bail!("{after} of {count} deliveries were sent");
            }
            std::thread::sleep(Duration::from_millis(5));
            after = delivered(&server)?;
        }
        rates.push((after - before) as f64 / started.elapsed().as_secs_f64());
    }
    let figure = Figure::of(&rates);
    Ok(Results::of_rows(vec![Row {
        what: format!("{count} deliveries of one hook and repository, in order"),
        service: format!("{}/s", significant(figure.median)),
        baseline: String::new(),
        figure,
        unit: "/s",
        target: Target::AtLeast(2_000.0),
        note: "with a signature; the receiver runs on the same cores".into(),
    }]))
}

fn start_service(
    context: &Context,
    seed: &StandardSeed,
    data: &Path,
    cpu: Cpu,
    webhooks: Webhooks,
) -> Result<ServerProcess> {
    let options = ServeOptions { cpu, metrics: true, webhooks, ..ServeOptions::default() };
    service::start(context, &seed::copy_data(&seed.directory, data)?, options)
}

/// A receiver that responds at once, whatever it gets.
fn start_receiver(context: &Context, directory: &Path, server: &ServerProcess) -> Result<ServerProcess> {
    let responses = directory.join("responses.json");
    RecordedResponses::write(&responses, &record(server.address, vec!["/healthz".into()])?)?;
    service::start_reference(context, &Role::Bare { responses }, Cpu::AnyCore)
}

fn add_hook(server: &ServerProcess, receiver: &ServerProcess, event: &str) -> Result<()> {
    let url = format!("http://{}/hook", receiver.address);
    let config = json!({ "url": url, "content_type": "json", "secret": "a secret of this hook" });
    let body = json!({ "config": config, "events": [event] });
    Client::connect(server.address)?.send("POST", HOOKS, &body)?.expect(201)?;
    Ok(())
}

fn delivered(server: &ServerProcess) -> Result<usize> {
    Ok(usize::try_from(service::delivery_count(server)?)?)
}
