//! The figures as Markdown.

use std::fmt::Write;
use std::time::Duration;

use crate::results::{Growth, Latency, Results, Row, significant};

/// How the results were measured.
pub struct RunInfo<'a> {
    pub rounds: usize,
    /// Of one server in one round.
    pub duration: Duration,
    /// Lines that describe the machine.
    pub machine: &'a [String],
    /// What others did on the machine meanwhile.
    pub disturbances: String,
    pub took: Duration,
}

/// Everything below the title; `plot` is the file name of the plot.
pub fn figures(results: &Results, info: &RunInfo<'_>, plot: &str) -> String {
    let mut page = String::new();
    let _ = writeln!(
        page,
        "Median of {} rounds of {} s each, servers measured alternately; quartiles of the rounds in parentheses.\n",
        info.rounds,
        info.duration.as_secs_f64()
    );
    for line in info.machine {
        let _ = writeln!(page, "- {line}");
    }
    let _ = writeln!(page, "- {}", info.disturbances);
    let _ = writeln!(page, "- the whole run took {} s\n", info.took.as_secs());
    rows(&mut page, &results.rows);
    latencies(&mut page, &results.latencies);
    growths(&mut page, &results.growths, plot);
    for reason in &results.skipped {
        let _ = writeln!(page, "Not measured: {reason}\n");
    }
    page
}

fn rows(page: &mut String, rows: &[Row]) {
    page.push_str("| What | Service | Baseline | Figure | Target | Result |\n|---|---|---|---|---|---|\n");
    for row in rows {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} |",
            row.what,
            row.service,
            row.baseline,
            row.shown(),
            row.target,
            row.check()
        );
    }
    page.push('\n');
    for row in rows.iter().filter(|row| !row.note.is_empty()) {
        let _ = writeln!(page, "- {}: {}", row.what, row.note);
    }
    page.push('\n');
}

fn latencies(page: &mut String, latencies: &[Latency]) {
    if latencies.is_empty() {
        return;
    }
    page.push_str(
        "## Latency\n\nRequests are sent at fixed times, at half of the service's throughput, and timed from when they were due.\n\n\
         | What | Requests/s | p50 ms | p90 ms | p99 ms | p99.9 ms |\n|---|---|---|---|---|---|\n",
    );
    for latency in latencies {
        let _ = write!(page, "| {} | {} |", latency.what, significant(latency.per_second));
        for millis in latency.percentiles {
            let _ = write!(page, " {} |", significant(millis));
        }
        page.push('\n');
    }
    page.push('\n');
}

fn growths(page: &mut String, growths: &[Growth], plot: &str) {
    if growths.is_empty() {
        return;
    }
    let _ = writeln!(page, "## Growth\n\nThe cost of one request as the data grows.\n\n![]({plot})\n");
    for growth in growths {
        let points = growth.series.first().map(|series| series.points.as_slice()).unwrap_or_default();
        let sizes: Vec<String> = points.iter().map(|(size, _)| size.to_string()).collect();
        let _ = writeln!(page, "| {}; {} | {} |", growth.title, growth.unit, sizes.join(" | "));
        let _ = writeln!(page, "|---|{}", "---|".repeat(sizes.len()));
        for series in &growth.series {
            let costs: Vec<String> = series.points.iter().map(|(_, cost)| significant(*cost)).collect();
            let _ = writeln!(page, "| {} | {} |", series.name, costs.join(" | "));
        }
        page.push('\n');
    }
}
