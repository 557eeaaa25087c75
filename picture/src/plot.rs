//! Numbers to charts: SVG or PNG, several panels below each other in one file.
//!
//! The drawing is kuva's; it brings its own font for PNG, so that a machine without fonts
//! gives the same picture. What is not finite is left out before it gets there, and a
//! logarithmic axis is ours: kuva's own stops at 1e-10, and energies at rest do not.

use std::path::Path;
use std::sync::Arc;

use drystone_base::functions;
use kuva::TickFormat;
use kuva::backend::svg::SvgBackend;
use kuva::plot::{LegendPosition, LinePlot, ScatterPlot};
use kuva::render::annotations::TextAnnotation;
use kuva::render::figure::Figure;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::Scene;

use crate::Error;

mod cells;

pub use cells::Cells;

/// Named points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Its name in the legend; empty: not listed.
    pub label: String,
    /// (x, y) in the order in which they are joined; those that are not finite are left out.
    pub points: Vec<(f64, f64)>,
}

/// One panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Title above the panel.
    pub title: String,
    /// Label of the x axis, with its unit.
    pub x_label: String,
    /// Label of the y axis, with its unit.
    pub y_label: String,
    /// Whether y is logarithmic; then values of zero and below are left out.
    pub log_y: bool,
    /// Whether x is logarithmic; then values of zero and below are left out.
    pub log_x: bool,
    /// Points that are joined.
    pub lines: Vec<Line>,
    /// Points that are not joined.
    pub scatter: Vec<Line>,
    /// Entries of a matrix, instead of lines and points.
    pub cells: Option<Cells>,
}

/// Width of a panel in pixels of SVG.
const WIDTH: f64 = 900.0;
/// Height of a panel in pixels of SVG.
const HEIGHT: f64 = 320.0;
/// Size in pixels of a panel beside others.
const BESIDE: (f64, f64) = (540.0, 420.0);
/// Pixels of PNG for each pixel of SVG.
const SCALE: f32 = 1.5;
/// Points of a line that are drawn; of more, the extremes of each short stretch.
const MOST_POINTS: usize = 4000;
/// Larger values are as good as infinite.
const LARGEST: f64 = 1e300;
/// Colours of lines and points, in turn.
const COLOURS: [&str; 8] = [
    "#2e6f95", "#c8553d", "#5b8c5a", "#d9a441", "#6d597a", "#3a3a3a", "#4aa3a2", "#a05c7b",
];

/// Writes `charts` below each other into one file: `.svg` or `.png`, as its name says.
///
/// A chart without a single finite point says "no data"; so does a file without charts.
pub fn write(charts: &[Chart], path: impl AsRef<Path>) -> Result<(), Error> {
    write_grid(charts, 1, path)
}

/// As [`write()`], in a grid of `columns` panels.
pub fn write_grid(charts: &[Chart], columns: usize, path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let bytes = match ending.as_deref() {
        Some("svg") => svg_grid(charts, columns).into_bytes(),
        Some("png") => png_grid(charts, columns)?,
        other => {
            return Err(Error::Ending {
                path: path.to_owned(),
                found: other.map_or("missing".to_owned(), |e| format!("`.{e}`")),
            });
        }
    };
    std::fs::write(path, bytes).map_err(|source| Error::File {
        path: path.to_owned(),
        source,
    })
}

/// `charts` below each other, as the text of an SVG file.
pub fn svg(charts: &[Chart]) -> String {
    svg_grid(charts, 1)
}

/// As [`svg`], in a grid of `columns` panels.
pub fn svg_grid(charts: &[Chart], columns: usize) -> String {
    numbered_from_zero(&SvgBackend::new().render_scene(&scene(charts, columns)))
}

/// kuva numbers its clipping rectangles through all files of a process; here each file has its
/// own numbers, so that the same charts give the same bytes.
fn numbered_from_zero(text: &str) -> String {
    const NAME: &str = "kuva-clip-";
    let mut seen: Vec<&str> = Vec::new();
    let mut parts = text.split(NAME);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        let (number, rest) = part.split_at(end);
        let place = seen.iter().position(|n| *n == number).unwrap_or_else(|| {
            seen.push(number);
            seen.len() - 1
        });
        result.push_str(&format!("{NAME}{place}{rest}"));
    }
    result
}

/// `charts` below each other, as the bytes of a PNG file.
pub fn png(charts: &[Chart]) -> Result<Vec<u8>, Error> {
    png_grid(charts, 1)
}

fn png_grid(charts: &[Chart], columns: usize) -> Result<Vec<u8>, Error> {
    kuva::RasterBackend::new()
        .with_scale(SCALE)
        .render_scene(&scene(charts, columns))
        .map_err(|message| Error::Chart {
            chart: charts.first().map_or(String::new(), |c| c.title.clone()),
            message,
        })
}

fn scene(charts: &[Chart], columns: usize) -> Scene {
    let empty = [Chart::default()];
    let charts = if charts.is_empty() { &empty } else { charts };
    let columns = columns.clamp(1, charts.len());
    let (width, height) = if columns == 1 {
        (WIDTH, HEIGHT)
    } else {
        BESIDE
    };
    let (plots, layouts): (Vec<_>, Vec<_>) = charts.iter().map(panel).unzip();
    let figure = Figure::new(charts.len().div_ceil(columns), columns)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_cell_size(width, height)
        .with_spacing(14.0);
    // panels beside each other name their lines once
    let mut lines = charts.iter().flat_map(|c| c.lines.iter().chain(&c.scatter));
    let figure = if columns > 1 && lines.any(|line| !line.label.is_empty()) {
        figure.with_shared_legend_right_middle()
    } else {
        figure
    };
    let mut scene = figure.render();
    cells::draw(&mut scene, charts.iter().filter_map(|c| c.cells.as_ref()));
    scene
}

/// The plots and layout of one chart for kuva.
fn panel(chart: &Chart) -> (Vec<Plot>, Layout) {
    // lines and points, thinned to what can be seen
    let mut plots = Vec::new();
    let mut range = Range::default();
    for (i, line) in chart.lines.iter().chain(&chart.scatter).enumerate() {
        let joined = i < chart.lines.len();
        let points = thinned(drawable(&line.points, chart));
        if points.is_empty() {
            continue;
        }
        range.include(&points);
        let colour = COLOURS[i % COLOURS.len()];
        plots.push(if joined {
            let plot = LinePlot::new()
                .with_data(points)
                .with_color(colour)
                .with_stroke_width(1.6);
            // a second round of colours is dashed
            let plot = if i < COLOURS.len() {
                plot
            } else {
                plot.with_dashed()
            };
            Plot::Line(if line.label.is_empty() {
                plot
            } else {
                plot.with_legend(&*line.label)
            })
        } else {
            let plot = ScatterPlot::new()
                .with_data(points)
                .with_color(colour)
                .with_size(1.8)
                .with_marker_opacity(0.6);
            Plot::Scatter(if line.label.is_empty() {
                plot
            } else {
                plot.with_legend(&*line.label)
            })
        });
    }

    // cells of a matrix take the place of both
    if let Some(cells) = &chart.cells {
        plots = vec![cells.marks()];
        range = Range::default();
        range.include(&cells.corners());
    }
    // ticks
    let mut layout = if plots.is_empty() {
        let note = TextAnnotation::new("no data", 0.5, 0.5)
            .with_font_size(18)
            .with_color("#777777");
        // kuva draws axes only about something: a point that cannot be seen
        plots.push(Plot::Scatter(
            ScatterPlot::new()
                .with_data(vec![(0.5, 0.5)])
                .with_size(0.0)
                .with_marker_opacity(0.0),
        ));
        range.include(&[(0.0, 0.0), (1.0, 1.0)]);
        Layout::auto_from_plots(&plots).with_annotation(note)
    } else {
        let layout = Layout::auto_from_plots(&plots);
        let ([x0, y0], [x1, y1]) = range.padded();
        let (across, up) = (
            chart.log_x.then(|| log_ticks(x1 - x0)),
            chart.log_y.then(|| log_ticks(y1 - y0)),
        );
        let mut layout = layout;
        if let Some((step, format)) = across {
            layout = step.into_iter().fold(layout, Layout::with_x_tick_step);
            layout = layout.with_x_tick_format(format);
        }
        if let Some((step, format)) = up {
            layout = step.into_iter().fold(layout, Layout::with_y_tick_step);
            layout = layout.with_y_tick_format(format);
        }
        layout
    };
    if chart.cells.is_some() {
        // rows count downwards
        let row = |y: f64| format!("{:.0}", y.abs());
        layout = layout
            .with_y_tick_format(TickFormat::Custom(Arc::new(row)))
            .with_show_grid(false);
    }
    // range, legend, sizes and words
    let ([x0, y0], [x1, y1]) = range.padded();
    layout = layout
        .with_x_axis_min(x0)
        .with_x_axis_max(x1)
        .with_y_axis_min(y0)
        .with_y_axis_max(y1)
        .with_legend_position(LegendPosition::OutsideRightTop)
        .with_legend_box(false)
        .with_title_size(15)
        .with_label_size(12)
        .with_tick_size(11)
        .with_body_size(12);
    if !chart.title.is_empty() {
        layout = layout.with_title(&*chart.title);
    }
    if !chart.x_label.is_empty() {
        layout = layout.with_x_label(&*chart.x_label);
    }
    if !chart.y_label.is_empty() {
        layout = layout.with_y_label(&*chart.y_label);
    }
    (plots, layout)
}

/// Finite points; on a logarithmic axis only what is above zero, as log10.
fn drawable(points: &[(f64, f64)], chart: &Chart) -> Vec<(f64, f64)> {
    let log10 = |x: f64| functions::ln(x) / std::f64::consts::LN_10;
    let mut finite: Vec<(f64, f64)> = points
        .iter()
        .filter(|(x, y)| x.abs() < LARGEST && y.abs() < LARGEST)
        .filter(|(x, y)| (!chart.log_x || *x > 0.0) && (!chart.log_y || *y > 0.0))
        .copied()
        .collect();
    for (x, y) in &mut finite {
        if chart.log_x {
            *x = log10(*x);
        }
        if chart.log_y {
            *y = log10(*y);
        }
    }
    finite
}

/// Reduces to about `MOST_POINTS`: keeps the lowest and the highest of each stretch of points.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let stretch = points.len().div_ceil(MOST_POINTS / 2);
    let mut kept = Vec::with_capacity(MOST_POINTS + 2);
    for points in points.chunks(stretch) {
        let (mut low, mut high) = (0, 0);
        for (i, p) in points.iter().enumerate() {
            if p.1 < points[low].1 {
                low = i;
            }
            if p.1 > points[high].1 {
                high = i;
            }
        }
        kept.push(points[low.min(high)]);
        if low != high {
            kept.push(points[low.max(high)]);
        }
    }
    kept
}

/// Distance of ticks at powers of ten on an axis of values that are logarithms already, if it is
/// long enough for two, and how ticks are written.
fn log_ticks(length: f64) -> (Option<f64>, TickFormat) {
    // at most about seven ticks
    let mut step = 1.0;
    while length / step > 7.0 {
        step += 1.0;
    }
    let format = TickFormat::Custom(Arc::new(|exponent| {
        let whole = (exponent + 0.5).floor();
        if (exponent - whole).abs() < 1e-6 {
            power_of_ten(whole as i64)
        } else {
            format!("{:.1e}", functions::pow(10.0, exponent))
        }
    }));
    ((length >= 2.0).then_some(step), format)
}

/// `10` with `exponent` set above it.
fn power_of_ten(exponent: i64) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        other => other
            .to_digit(10)
            .and_then(|d| char::from_u32(0x2070 + d))
            .unwrap_or(other),
    };
    let digits: String = exponent.to_string().chars().map(raised).collect();
    format!("10{digits}")
}

/// Range of the data on an axis.
struct Range {
    low: [f64; 2],
    high: [f64; 2],
}

impl Default for Range {
    fn default() -> Self {
        Self {
            low: [f64::INFINITY; 2],
            high: [f64::NEG_INFINITY; 2],
        }
    }
}

impl Range {
    fn include(&mut self, points: &[(f64, f64)]) {
        for &(x, y) in points {
            self.low = [self.low[0].min(x), self.low[1].min(y)];
            self.high = [self.high[0].max(x), self.high[1].max(y)];
        }
    }

    /// Lowest and highest (x, y), with room above and below; never of no size.
    fn padded(&self) -> ([f64; 2], [f64; 2]) {
        let (mut low, mut high) = (self.low, self.high);
        for (k, share) in [(0, 0.01), (1, 0.05)] {
            let size = high[k] - low[k];
            let large = low[k].abs().max(high[k].abs());
            // a constant: as much room as it is large
            let room = if size <= 1e-12 * large || size == 0.0 {
                if large > 0.0 { 0.1 * large } else { 1.0 }
            } else {
                share * size
            };
            // zero stays the end of an axis of what is never negative
            let at_zero = low[k] >= 0.0 && low[k] - room < 0.0;
            low[k] = if at_zero { 0.0 } else { low[k] - room };
            high[k] += room;
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests;
