//! The report as a page.

use std::fmt::Write;
use std::time::Duration;

use super::Report;
use crate::bench::Bench;
use crate::figure::significant;

/// Everything below the title; the plot is the file of this name.
pub fn figures(report: &Report, bench: &Bench, took: Duration, plot: &str) -> String {
    let mut page = String::new();
    let _ = writeln!(
        page,
        "Median of {} rounds of {} s each, servers measured alternately, with the quartiles of the rounds in brackets.\n",
        bench.rounds,
        bench.duration.as_secs_f64()
    );
    for line in &bench.machine.lines {
        let _ = writeln!(page, "- {line}");
    }
    let _ = writeln!(page, "- the whole run took {} s\n", took.as_secs());
    rows(&mut page, report);
    latencies(&mut page, report);
    growths(&mut page, report, plot);
    for reason in &report.skipped {
        let _ = writeln!(page, "Not measured: {reason}\n");
    }
    page
}

fn rows(page: &mut String, report: &Report) {
    page.push_str("| What | Service | Beside it | Figure | Target | |\n|---|---|---|---|---|---|\n");
    for row in &report.rows {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} |",
            row.what,
            row.service,
            row.beside,
            row.shown(),
            row.target,
            row.verdict().word()
        );
    }
    page.push('\n');
    for row in report.rows.iter().filter(|row| !row.remark.is_empty()) {
        let _ = writeln!(page, "- {}: {}", row.what, row.remark);
    }
    page.push('\n');
}

fn latencies(page: &mut String, report: &Report) {
    if report.latencies.is_empty() {
        return;
    }
    page.push_str("## Latency\n\nRequests at fixed times, at half of the service's throughput, each timed from when it was due.\n\n");
    page.push_str("| What | Requests/s | p50 ms | p90 ms | p99 ms | p99.9 ms |\n|---|---|---|---|---|---|\n");
    for latency in &report.latencies {
        let _ = write!(page, "| {} | {} |", latency.what, significant(latency.per_second));
        for millis in latency.percentiles {
            let _ = write!(page, " {} |", significant(millis));
        }
        page.push('\n');
    }
    page.push('\n');
}

fn growths(page: &mut String, report: &Report, plot: &str) {
    if report.growths.is_empty() {
        return;
    }
    let _ = writeln!(page, "## Growth\n\nWhat one request costs the server as the data grows.\n\n![]({plot})\n");
    for growth in &report.growths {
        let sizes = growth
            .series
            .first()
            .map(|series| series.points.iter().map(|(size, _)| size.to_string()).collect::<Vec<_>>());
        let sizes = sizes.unwrap_or_default();
        let _ = writeln!(page, "| {}; {} | {} |", growth.title, growth.unit, sizes.join(" | "));
        let _ = writeln!(page, "|---|{}", "---|".repeat(sizes.len()));
        for series in &growth.series {
            let costs: Vec<String> = series.points.iter().map(|(_, cost)| significant(*cost)).collect();
            let _ = writeln!(page, "| {} | {} |", series.name, costs.join(" | "));
        }
        page.push('\n');
    }
}
