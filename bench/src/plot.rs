//! The plot of growth: both axes logarithmic, drawn by hand as SVG.

use std::fmt::Write as _;

use crate::{
    report::{FSYNC, INSERT, QUERY, RECALL, REMEMBER, Report, Row},
    table::{count, time},
};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
/// Room for the labels: left, top, right, bottom.
const LEFT: f64 = 78.0;
const TOP: f64 = 64.0;
const RIGHT: f64 = 262.0;
const BOTTOM: f64 = 62.0;

/// A line of the plot.
struct Series {
    name: String,
    colour: &'static str,
    dashes: &'static str,
    /// Size, p50 and p99.
    points: Vec<(f64, f64, f64)>,
}

/// A logarithmic axis from a power of ten to another.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Axis {
    from: i32,
    to: i32,
    start: f64,
    end: f64,
}

impl Axis {
    /// The powers of ten around these values, drawn from `start` to `end`.
    fn around(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let logs: Vec<f64> = values.filter(|it| *it > 0.0).map(f64::log10).collect();
        let low = logs.iter().copied().fold(f64::INFINITY, f64::min);
        let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low.is_finite() {
            (low, high)
        } else {
            (0.0, 1.0)
        };
        let from = whole(low.floor());
        Self {
            from,
            to: whole(high.ceil()).max(from + 1),
            start,
            end,
        }
    }

    fn at(&self, value: f64) -> f64 {
        let share =
            (value.max(1e-9).log10() - f64::from(self.from)) / f64::from(self.to - self.from);
        self.start + share.clamp(0.0, 1.0) * (self.end - self.start)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> + use<> {
        (self.from..=self.to).map(|it| 10_f64.powi(it))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the logarithm of a size or a time is small"
)]
fn whole(it: f64) -> i32 {
    it as i32
}

/// The plot of a report; `None` when there is nothing to draw.
pub(crate) fn svg(report: &Report) -> Option<String> {
    let all = series(report);
    if all.is_empty() {
        return None;
    }
    let points = || all.iter().flat_map(|it| &it.points);
    let x = Axis::around(points().map(|it| it.0), LEFT, WIDTH - RIGHT);
    let y = Axis::around(points().flat_map(|it| [it.1, it.2]), HEIGHT - BOTTOM, TOP);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fdfdfb\"/>\n"
    );
    label(
        &mut out,
        (LEFT, 26.0),
        "start",
        "#1d1d1f",
        "What a memory costs as the store grows",
        17,
    );
    label(
        &mut out,
        (LEFT, 46.0),
        "start",
        "#66666b",
        "line: p50, bar: up to p99; lower is better",
        13,
    );
    grid(&mut out, x, y);
    all.iter().for_each(|it| draw(&mut out, it, x, y));
    names(&mut out, &all, y);
    out.push_str("</svg>\n");
    Some(out)
}

fn series(report: &Report) -> Vec<Series> {
    let in_repo = |it: &&Row| it.space == 1_000;
    let alone = |it: &&Row| it.space == it.store;
    let take = |name: &str, what: &str, colour, dashes, keep: &dyn Fn(&&Row) -> bool| {
        let rows = report.rows.iter().filter(|it| it.what == what).filter(keep);
        let mut points: Vec<_> = rows
            .map(|it| (it.store as f64, it.time.p50, it.time.p99))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series {
            name: name.to_owned(),
            colour,
            dashes,
            points,
        }
    };
    let all = [
        take("remember", REMEMBER, "#b3261e", "", &in_repo),
        take("floor: durable insert", INSERT, "#b3261e", "5 4", &in_repo),
        take("floor: fsync", FSYNC, "#8a8a8f", "2 4", &in_repo),
        take("recall, repository of 1k", RECALL, "#0b57d0", "", &in_repo),
        take(
            "floor: FTS5 over that 1k",
            QUERY,
            "#0b57d0",
            "5 4",
            &in_repo,
        ),
        take("recall, repository = store", RECALL, "#0f7b4f", "", &alone),
        take(
            "floor: FTS5 over all of it",
            QUERY,
            "#0f7b4f",
            "5 4",
            &alone,
        ),
    ];
    all.into_iter().filter(|it| !it.points.is_empty()).collect()
}

fn grid(out: &mut String, x: Axis, y: Axis) {
    for tick in y.ticks() {
        let at = y.at(tick);
        rule(out, (x.start, at), (x.end, at), "#dcdcd6", 1.0);
        label(
            out,
            (x.start - 8.0, at + 4.0),
            "end",
            "#44444a",
            &time(tick),
            13,
        );
    }
    for tick in x.ticks() {
        let at = x.at(tick);
        rule(out, (at, y.start), (at, y.end), "#ecece6", 1.0);
        label(
            out,
            (at, y.start + 20.0),
            "middle",
            "#44444a",
            &count(rounded(tick)),
            13,
        );
    }
    label(
        out,
        (f64::midpoint(x.start, x.end), y.start + 44.0),
        "middle",
        "#44444a",
        "memories in the store",
        13,
    );
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive power of ten"
)]
fn rounded(it: f64) -> usize {
    it.round() as usize
}

fn draw(out: &mut String, series: &Series, x: Axis, y: Axis) {
    let colour = series.colour;
    for (size, p50, p99) in &series.points {
        if series.dashes.is_empty() {
            rule(
                out,
                (x.at(*size), y.at(*p50)),
                (x.at(*size), y.at(*p99)),
                colour,
                1.2,
            );
        }
        let (cx, cy) = (x.at(*size), y.at(*p50));
        let _ = writeln!(
            out,
            "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3.4\" fill=\"{colour}\"/>"
        );
    }
    let place = |it: &(f64, f64, f64)| format!("{:.1},{:.1}", x.at(it.0), y.at(it.1));
    let places: Vec<String> = series.points.iter().map(place).collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
        places.join(" "),
        series.dashes
    );
}

/// The names beside the ends of the lines, moved apart where they would touch.
fn names(out: &mut String, all: &[Series], y: Axis) {
    let end = |it: &Series| it.points.last().map_or(y.start, |point| y.at(point.1));
    let mut order: Vec<&Series> = all.iter().collect();
    order.sort_by(|a, b| end(a).total_cmp(&end(b)));
    let mut free = TOP;
    for it in order {
        let at = (end(it) + 4.0).max(free);
        free = at + 17.0;
        let value = it
            .points
            .last()
            .map(|point| time(point.1))
            .unwrap_or_default();
        let left = WIDTH - RIGHT + 14.0;
        rule_dashed(
            out,
            (left, at - 4.0),
            (left + 18.0, at - 4.0),
            it.colour,
            it.dashes,
        );
        label(
            out,
            (left + 24.0, at),
            "start",
            it.colour,
            &format!("{}, {value}", it.name),
            13,
        );
    }
}

fn rule(out: &mut String, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\"/>"
    );
}

fn rule_dashed(
    out: &mut String,
    (x1, y1): (f64, f64),
    (x2, y2): (f64, f64),
    colour: &str,
    dashes: &str,
) {
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" stroke-width=\"2\" \
         stroke-dasharray=\"{dashes}\"/>"
    );
}

fn label(out: &mut String, (x, y): (f64, f64), anchor: &str, colour: &str, text: &str, size: u8) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\" font-size=\"{size}\">{text}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::stats::Summary;

    fn report(times: &[(usize, f64)]) -> Report {
        let mut report = Report::new(Machine(Vec::new()));
        for &(store, p50) in times {
            for what in [RECALL, QUERY, REMEMBER] {
                report.rows.push(Row {
                    what,
                    store,
                    space: 1_000,
                    time: Summary {
                        n: 1,
                        p50,
                        p99: p50 * 2.0,
                    },
                });
            }
        }
        report
    }

    #[test]
    fn nothing_gives_no_plot() {
        assert_eq!(svg(&report(&[])), None);
    }

    #[test]
    fn odd_values_do_not_panic() {
        for value in [0.0, -1.0, 1e-12, 1e12, f64::NAN, f64::INFINITY] {
            assert!(svg(&report(&[(1_000, value)])).is_some());
        }
        assert!(svg(&report(&[(0, 1.0)])).is_some());
    }

    #[test]
    fn a_plot_has_its_lines_and_labels() {
        let svg = svg(&report(&[(1_000, 200.0), (100_000, 300.0)])).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        // Three measures, and the two of recall once more for the store that is one repository.
        assert_eq!(svg.matches("<polyline").count(), 5);
        assert!(svg.contains("100k") && svg.contains("recall, repository of 1k"));
    }

    #[test]
    fn axes_are_logarithmic() {
        let axis = Axis::around([10.0, 1_000.0].into_iter(), 0.0, 100.0);
        assert_eq!((axis.from, axis.to), (1, 3));
        assert!((axis.at(100.0) - 50.0).abs() < 1e-9);
        assert_eq!(axis.ticks().count(), 3);
    }
}
