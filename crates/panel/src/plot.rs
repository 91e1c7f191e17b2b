//! Plots, made here as SVG: no script draws them, so they are there without one. Each has its figures beside it as a table,
//! and says in words what it shows.

mod scale;

use jiff::civil::Date;
use maud::{Markup, html};

use scale::PlotScale;
pub use scale::PlotUnit;

/// The box that a plot is drawn in, and the room that the scales take on its left, above and below. Letters of 13 are
/// still 12 pixels high on the narrowest phone.
const WIDE: f64 = 320.0;
const HIGH: f64 = 170.0;
const LEFT: f64 = 42.0;
const RIGHT: f64 = 6.0;
const ABOVE: f64 = 10.0;
const BELOW: f64 = 22.0;

/// How values are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotShape {
    /// A column for each day, the series on top of each other.
    Columns,
    /// A line for each series; a day without a value is a gap.
    Lines,
}

/// One row of values, a value for each day.
#[derive(Debug, Clone)]
pub struct PlotSeries {
    /// What it is called.
    pub name: String,
    /// The class that colours it.
    pub class: &'static str,
    /// The values; what is no number is none.
    pub values: Vec<Option<f64>>,
}

/// A plot over days.
#[derive(Debug, Clone)]
pub struct Plot<'a> {
    /// Its name on the page.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What it shows, in a sentence.
    pub told: String,
    /// The days, the oldest first.
    pub days: &'a [Date],
    /// What the values are.
    pub unit: PlotUnit,
    /// How they are drawn.
    pub shape: PlotShape,
    /// The values.
    pub series: Vec<PlotSeries>,
}

impl Plot<'_> {
    /// The plot with its legend and its figures.
    pub fn render_figure(&self) -> Markup {
        html! {
            figure.plot.card id=(self.id) {
                figcaption { h3 { (self.title) } p.hint { (self.told) } }
                (self.render_svg())
                @if self.series.len() > 1 { (self.render_legend()) }
                (self.render_table())
            }
        }
    }

    fn render_svg(&self) -> Markup {
        let (title, desc) = (format!("{}-title", self.id), format!("{}-desc", self.id));
        let scale = self.build_scale();
        let view = format!("0 0 {WIDE} {HIGH}");
        let line_class = match self.shape {
            PlotShape::Columns => "column",
            PlotShape::Lines => "line",
        };
        html! {
            svg viewBox=(view) role="img" aria-labelledby=(format!("{title} {desc}")) {
                title id=(title) { (self.title) }
                desc id=(desc) { (self.told) }
                @for (value, told) in scale.ticks() {
                    @let y = map_value_to_y(&scale, value);
                    line.rule x1=(format_plot_coordinate(LEFT)) x2=(format_plot_coordinate(WIDE - RIGHT)) y1=(format_plot_coordinate(y)) y2=(format_plot_coordinate(y)) {}
                    text.up x=(format_plot_coordinate(LEFT - 6.0)) y=(format_plot_coordinate(y + 4.0)) { (told) }
                }
                @for (x, anchor, told) in self.date_labels() {
                    text.across.(anchor) x=(format_plot_coordinate(x)) y=(format_plot_coordinate(HIGH - 5.0)) { (told) }
                }
                @for (n, it) in self.series.iter().enumerate() {
                    path.(it.class).(line_class) d=(self.draw_path(&scale, n)) {}
                    @for (x, y) in self.find_lone_points(&scale, n) { circle.(it.class).dot cx=(format_plot_coordinate(x)) cy=(format_plot_coordinate(y)) r="3" {} }
                }
            }
        }
    }

    fn value(&self, series: usize, day: usize) -> Option<f64> {
        let value = (*self.series[series].values.get(day)?)?;
        value.is_finite().then(|| value.max(0.0))
    }

    /// How much stands below a series on a day.
    fn sum_below(&self, series: usize, day: usize) -> f64 {
        (0..series).filter_map(|it| self.value(it, day)).sum()
    }

    fn build_scale(&self) -> PlotScale {
        let n = self.series.len();
        let highest = |day: usize| match self.shape {
            PlotShape::Columns => self.sum_below(n, day),
            PlotShape::Lines => (0..n)
                .filter_map(|it| self.value(it, day))
                .fold(0.0, f64::max),
        };
        PlotScale::for_highest(
            (0..self.days.len()).map(highest).fold(0.0, f64::max),
            self.unit,
        )
    }

    /// The path of a series.
    fn draw_path(&self, scale: &PlotScale, series: usize) -> String {
        let days = (0..self.days.len()).filter_map(|day| Some((day, self.value(series, day)?)));
        match self.shape {
            PlotShape::Columns => days
                .filter(|it| it.1 > 0.0)
                .map(|it| self.draw_column(scale, series, it))
                .collect(),
            PlotShape::Lines => {
                let mut last = None;
                let step = |(day, value): (usize, f64)| {
                    let is_on = last.is_some_and(|it: usize| it + 1 == day);
                    last = Some(day);
                    let x = format_plot_coordinate(self.day_center(day));
                    let y = format_plot_coordinate(map_value_to_y(scale, value));
                    format!("{}{x} {y}", if is_on { 'L' } else { 'M' })
                };
                days.map(step).collect()
            }
        }
    }

    /// Where a value stands alone, and no line shows it.
    fn find_lone_points(&self, scale: &PlotScale, series: usize) -> Vec<(f64, f64)> {
        if self.shape == PlotShape::Columns {
            return Vec::new();
        }
        let has = |day: Option<usize>| day.is_some_and(|it| self.value(series, it).is_some());
        let is_alone = |day: &usize| !has(day.checked_sub(1)) && !has(day.checked_add(1));
        let days = (0..self.days.len()).filter(is_alone);
        let place = |day| {
            let y = map_value_to_y(scale, self.value(series, day)?);
            Some((self.day_center(day), y))
        };
        days.filter_map(place).collect()
    }

    fn draw_column(&self, scale: &PlotScale, series: usize, (day, value): (usize, f64)) -> String {
        let below = self.sum_below(series, day);
        let y = |value: f64| format_plot_coordinate(map_value_to_y(scale, value));
        let (low, high) = (y(below), y(below + value));
        let half = self.day_width() * if self.days.len() > 45 { 0.5 } else { 0.42 };
        let x = |shift: f64| format_plot_coordinate(self.day_center(day) + shift);
        let (left, right) = (x(-half), x(half));
        format!("M{left} {low}L{left} {high}L{right} {high}L{right} {low}Z")
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "there are no more days than a year has"
    )]
    fn day_width(&self) -> f64 {
        (WIDE - LEFT - RIGHT) / self.days.len().max(1) as f64
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "there are no more days than a year has"
    )]
    fn day_center(&self, day: usize) -> f64 {
        LEFT + (day as f64 + 0.5) * self.day_width()
    }

    /// The first, the middle and the last day, as far as there is room for them.
    fn date_labels(&self) -> Vec<(f64, &'static str, String)> {
        let last = self.days.len().saturating_sub(1);
        let mut places = vec![(0, LEFT, "first")];
        if last > 3 {
            places.push((last / 2, self.day_center(last / 2), "middle"));
        }
        if last > 0 {
            places.push((last, WIDE - RIGHT, "last"));
        }
        let label = |(day, x, anchor)| {
            let date: &Date = self.days.get(day)?;
            Some((x, anchor, date.strftime("%b %-d").to_string()))
        };
        places.into_iter().filter_map(label).collect()
    }

    fn render_legend(&self) -> Markup {
        html! {
            ul.legend { @for it in &self.series {
                li {
                    svg viewBox="0 0 16 12" width="16" height="12" aria-hidden="true" {
                        @if self.shape == PlotShape::Columns {
                            path.(it.class).column d="M2 1L14 1L14 11L2 11Z" {}
                        } @else {
                            path.(it.class).line d="M1 6L15 6" {}
                        }
                    }
                    (it.name)
                }
            } }
        }
    }

    /// The same as figures, the newest day first.
    fn render_table(&self) -> Markup {
        let told = |series, day| match self.value(series, day) {
            Some(value) => self.unit.format_value(value),
            None => "–".into(),
        };
        html! {
            details {
                summary { "Figures" span.unseen { ": " (self.title) } }
                div.wide.figures tabindex="0" role="region" aria-label=(format!("{}, by day", self.title)) {
                    table {
                        thead { tr { th scope="col" { "Day" } @for it in &self.series { th.n scope="col" { (it.name) } } } }
                        tbody { @for day in (0..self.days.len()).rev() {
                            tr {
                                th scope="row" { (self.days[day]) }
                                @for n in 0..self.series.len() { td.n { (told(n, day)) } }
                            }
                        } }
                    }
                }
            }
        }
    }
}

/// Where a value stands in the box.
fn map_value_to_y(scale: &PlotScale, value: f64) -> f64 {
    ABOVE + (HIGH - ABOVE - BELOW) * (1.0 - scale.fraction_of(value))
}

/// A place in the box.
fn format_plot_coordinate(place: f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map(Into::into).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn days(n: usize) -> Vec<Date> {
        let first: Date = "2026-01-30".parse().unwrap();
        first.series(jiff::Span::new().days(1)).take(n).collect()
    }

    fn plot<'a>(
        days: &'a [Date],
        shape: PlotShape,
        unit: PlotUnit,
        rows: &[Vec<Option<f64>>],
    ) -> Plot<'a> {
        let series = |it: &Vec<Option<f64>>| PlotSeries {
            name: "a".into(),
            class: "one",
            values: it.clone(),
        };
        let (id, title, told) = ("p", "Title", "What it shows.".into());
        Plot {
            id,
            title,
            told,
            days,
            unit,
            shape,
            series: rows.iter().map(series).collect(),
        }
    }

    /// Every number that a path has, as places.
    fn places(path: &str) -> Vec<(f64, f64)> {
        let numbers: Vec<f64> = path
            .split(|it: char| "MLZ ".contains(it))
            .filter(|it| !it.is_empty())
            .map(|it| it.parse().unwrap())
            .collect();
        numbers.chunks(2).map(|it| (it[0], it[1])).collect()
    }

    fn is_inside(plot: &Plot) {
        let scale = plot.build_scale();
        for n in 0..plot.series.len() {
            for (x, y) in places(&plot.draw_path(&scale, n))
                .into_iter()
                .chain(plot.find_lone_points(&scale, n))
            {
                assert!(
                    (LEFT - 0.1..=WIDE - RIGHT + 0.1).contains(&x),
                    "x {x} of {plot:?}"
                );
                assert!(
                    (ABOVE - 0.1..=HIGH - BELOW + 0.1).contains(&y),
                    "y {y} of {plot:?}"
                );
            }
        }
        let text = plot.render_figure().into_string();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn nothing_one_day_and_huge_numbers_stay_in_the_box() {
        for shape in [PlotShape::Columns, PlotShape::Lines] {
            for unit in [PlotUnit::Count, PlotUnit::Share, PlotUnit::Micros] {
                is_inside(&plot(&[], shape, unit, &[]));
                is_inside(&plot(&days(1), shape, unit, &[vec![None]]));
                is_inside(&plot(
                    &days(1),
                    shape,
                    unit,
                    &[vec![Some(0.0)], vec![Some(7.0)]],
                ));
                is_inside(&plot(
                    &days(2),
                    shape,
                    unit,
                    &[vec![Some(f64::NAN), Some(f64::INFINITY)]],
                ));
                is_inside(&plot(
                    &days(2),
                    shape,
                    unit,
                    &[vec![Some(1e300), Some(-4.0)], vec![Some(1e300)]],
                ));
            }
        }
    }

    #[test]
    fn a_line_has_a_gap_where_there_is_no_value() {
        let days = days(4);
        let plot = plot(
            &days,
            PlotShape::Lines,
            PlotUnit::Share,
            &[vec![Some(1.0), Some(0.5), None, Some(0.0)]],
        );
        assert_eq!(
            plot.draw_path(&plot.build_scale(), 0),
            "M76 10L144 79M280 148"
        );
        assert_eq!(
            plot.find_lone_points(&plot.build_scale(), 0),
            [(280.0, 148.0)]
        );
    }

    proptest! {
        #[test]
        fn every_point_is_inside_and_a_larger_value_is_higher(
            rows in prop::collection::vec(prop::collection::vec(prop::option::of(0.0..1e9_f64), 0..40), 0..5),
            n in 0..40_usize,
            is_lines: bool,
        ) {
            let days = days(n);
            let shape = if is_lines { PlotShape::Lines } else { PlotShape::Columns };
            let plot = plot(&days, shape, PlotUnit::Count, &rows);
            is_inside(&plot);
            let scale = plot.build_scale();
            let ticks: Vec<f64> = scale.ticks().into_iter().map(|it| it.0).collect();
            prop_assert!(ticks.len() >= 2 && ticks.windows(2).all(|it| it[0] < it[1]), "{ticks:?}");
            let heights: Vec<f64> = ticks.iter().map(|it| map_value_to_y(&scale, *it)).collect();
            prop_assert!(heights.windows(2).all(|it| it[0] > it[1]), "{heights:?}");
            prop_assert!((0..n).all(|it| it == 0 || plot.day_center(it - 1) < plot.day_center(it)));
        }
    }
}
