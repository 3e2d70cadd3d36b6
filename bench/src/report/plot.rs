//! The growth curves as SVG: one panel for each thing that grows.

use std::fmt::Write;

use crate::results::{Growth, Series, significant};

const PANEL: (f64, f64) = (420.0, 280.0);
const COLUMNS: usize = 2;
/// Space around the lines of a panel: left, top, right, bottom.
const MARGIN: (f64, f64, f64, f64) = (56.0, 44.0, 20.0, 78.0);
/// Distinguishable without color vision, too.
const COLORS: [&str; 3] = ["#0072b2", "#d55e00", "#009e73"];
const DASHES: [&str; 3] = ["none", "6 3", "2 3"];

pub fn svg(growths: &[Growth]) -> String {
    let rows = growths.len().div_ceil(COLUMNS);
    let (width, height) = (PANEL.0 * COLUMNS as f64, PANEL.1 * rows as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (index, growth) in growths.iter().enumerate() {
        let origin = (PANEL.0 * (index % COLUMNS) as f64, PANEL.1 * (index / COLUMNS) as f64);
        panel(&mut out, growth, &Scale::of(growth, origin));
    }
    out.push_str("</svg>\n");
    out
}

fn panel(out: &mut String, growth: &Growth, scale: &Scale) {
    let (left, right, top, bottom) = (scale.left, scale.right, scale.top, scale.bottom);
    let _ = writeln!(out, "<text x=\"{left}\" y=\"{}\" font-weight=\"bold\">{}</text>", top - 26.0, growth.title);
    let _ = writeln!(out, "<text x=\"{left}\" y=\"{}\" fill=\"#555\">{}</text>", top - 10.0, growth.unit);
    for step in 0..=4 {
        let cost = scale.cost_max * f64::from(step) / 4.0;
        let y = scale.y(cost);
        let _ = writeln!(out, "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            y + 4.0,
            significant(cost)
        );
    }
    for size in sizes(growth) {
        let x = scale.x(size);
        let _ =
            writeln!(out, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>", bottom + 18.0, short(size));
    }
    for (index, series) in growth.series.iter().enumerate() {
        line(out, series, scale, index);
    }
}

fn line(out: &mut String, series: &Series, scale: &Scale, index: usize) {
    let (color, dash) = (COLORS[index % COLORS.len()], DASHES[index % DASHES.len()]);
    let positions: Vec<(f64, f64)> =
        series.points.iter().map(|(size, cost)| (scale.x(*size), scale.y(*cost))).collect();
    let points: Vec<String> = positions.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let style = format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"");
    let _ = writeln!(out, "<polyline points=\"{}\" {style}/>", points.join(" "));
    for (x, y) in positions {
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>");
    }
    let (x, y) = (scale.left, scale.bottom + 34.0 + 14.0 * index as f64);
    let _ = writeln!(out, "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" {style}/>", x + 24.0);
    let _ = writeln!(out, "<text x=\"{}\" y=\"{}\">{}</text>", x + 30.0, y + 4.0, series.name);
}

fn sizes(growth: &Growth) -> Vec<u64> {
    growth
        .series
        .iter()
        .flat_map(|series| &series.points)
        .map(|(size, _)| *size)
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect()
}

fn short(size: u64) -> String {
    match size {
        size if size >= 1_000_000 && size % 1_000_000 == 0 => format!("{} M", size / 1_000_000),
        size if size >= 1_000 && size % 1_000 == 0 => format!("{} k", size / 1_000),
        size => size.to_string(),
    }
}

/// Rounds up to a number that reads well on an axis.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 2.5, 5.0].into_iter().map(|digit| digit * power).find(|round| *round >= step).unwrap_or(10.0 * power)
}

/// A logarithmic axis of sizes and a linear axis of costs from zero.
struct Scale {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    size_min: f64,
    size_max: f64,
    cost_max: f64,
}

impl Scale {
    fn of(growth: &Growth, (x, y): (f64, f64)) -> Self {
        let sizes = sizes(growth);
        let logarithm = |size: Option<&u64>| size.map_or(0.0, |size| (*size as f64).log10());
        let costs = growth.series.iter().flat_map(|series| &series.points).map(|(_, cost)| *cost);
        Self {
            left: x + MARGIN.0,
            right: x + PANEL.0 - MARGIN.2,
            top: y + MARGIN.1,
            bottom: y + PANEL.1 - MARGIN.3,
            size_min: logarithm(sizes.first()),
            size_max: logarithm(sizes.last()),
            cost_max: 4.0 * round_step(costs.fold(f64::MIN_POSITIVE, f64::max) * 1.05 / 4.0),
        }
    }

    fn x(&self, size: u64) -> f64 {
        let width = (self.size_max - self.size_min).max(f64::MIN_POSITIVE);
        self.left + ((size as f64).log10() - self.size_min) / width * (self.right - self.left)
    }

    fn y(&self, cost: f64) -> f64 {
        self.bottom - cost / self.cost_max * (self.bottom - self.top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_inside_its_panel() {
        let points = vec![(100, 20.0), (1_000, 22.0), (1_000_000, 30.0)];
        let growth = || Growth {
            title: "refs",
            unit: "µs",
            series: vec![Series { name: "GET".into(), points: points.clone() }],
        };
        let drawn = svg(&[growth(), growth(), growth()]);
        assert!(drawn.contains("viewBox=\"0 0 840 560\""), "{drawn}");
        assert_eq!(drawn.matches("<circle").count(), 9);
        assert!(drawn.contains(">1 M<") && drawn.contains(">100<"), "{drawn}");
        let scale = Scale::of(&growth(), (0.0, 0.0));
        assert_eq!((scale.x(100), scale.x(1_000_000)), (scale.left, scale.right));
        assert!(scale.y(30.0) > scale.top && scale.y(20.0) < scale.bottom);
        assert_eq!([0.3, 2.2, 7.9, 90.0].map(round_step), [0.5, 2.5, 10.0, 100.0]);
    }
}
