//! Line charts: error over frames, error over size.

use glam::Vec2;

use crate::PictureError;
use crate::canvas::{Align, stroke, text, text_upwards};
use crate::color::{INK, encode};
use crate::font;
use crate::image::Image;

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend; none is shown when all names are empty.
    pub name: String,
    /// Points from left to right. One that is not finite, or not positive on a logarithmic axis, breaks
    /// the line.
    pub points: Vec<(f64, f64)>,
}

/// What stands around the lines of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotOptions {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Words above the chart.
    pub title: String,
    /// Words below the horizontal axis.
    pub x_label: String,
    /// Words beside the vertical axis.
    pub y_label: String,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
}

impl Default for PlotOptions {
    fn default() -> Self {
        let [title, x_label, y_label] = [(); 3].map(|()| String::new());
        Self { width: 900, height: 560, title, x_label, y_label, log_y: false }
    }
}

const PAPER: [u8; 4] = [255; 4];
const FAINT: [u8; 4] = [222, 226, 232, 255];
/// Lines with at most this many points show them.
const MOST_DOTS: usize = 40;

/// Colours of the first lines: dark enough on white, told apart by the colour-blind.
const LINE_COLORS: [[u8; 4]; 6] = [
    [0, 96, 176, 255],
    [213, 94, 0, 255],
    [0, 140, 110, 255],
    [160, 60, 140, 255],
    [200, 140, 0, 255],
    [90, 98, 110, 255],
];

/// Draws a line chart.
pub fn plot(series: &[Series], options: &PlotOptions) -> Result<Image, PictureError> {
    let mut image = Image::new(options.width, options.height, PAPER)?;
    let unit = (0.018 * options.width.min(2 * options.height) as f32).clamp(6.0, 30.0);
    let usable = |&(x, y): &(f64, f64)| x.is_finite() && y.is_finite() && (!options.log_y || y > 0.0);
    let good = || series.iter().flat_map(|s| &s.points).filter(|p| usable(p));
    let x_axis = Axis::linear(good().map(|p| p.0), false);
    let y_axis = if options.log_y {
        Axis::logarithmic(good().map(|p| p.1))
    } else {
        Axis::linear(good().map(|p| p.1), true)
    };
    let legend = Legend::new(series, &image, unit);
    let frame = Frame::new(&image, options, &y_axis, legend.rows, unit);
    frame.draw_axes(&mut image, &x_axis, &y_axis, options, unit);
    for (i, s) in series.iter().enumerate() {
        let place = |p: &(f64, f64)| frame.place(x_axis.position(p.0), y_axis.position(p.1));
        let lines: Vec<Vec<Vec2>> = s
            .points
            .split(|p| !usable(p))
            .map(|run| run.iter().map(place).collect())
            .filter(|line: &Vec<Vec2>| !line.is_empty())
            .collect();
        let color = line_color(i);
        stroke(&mut image, &lines, (0.22 * unit).max(1.5), color);
        let lonely = lines.iter().filter(|l| l.len() == 1).flatten();
        let all = lines.iter().flatten().filter(|_| s.points.len() <= MOST_DOTS);
        for &dot in lonely.chain(all) {
            stroke(&mut image, &[vec![dot, dot]], 0.62 * unit, color);
        }
    }
    legend.draw(&mut image, series, &frame, unit);
    Ok(image)
}

fn line_color(index: usize) -> [u8; 4] {
    match LINE_COLORS.get(index) {
        Some(&color) => color,
        None => encode(crate::bone_palette(index + 1)[index] * 0.5),
    }
}

/// A scale from data to the interval from 0 to 1, and where its ticks are.
struct Axis {
    low: f64,
    high: f64,
    log: bool,
    ticks: Vec<f64>,
    /// Smallest step between ticks, which decides how many digits they show; 0 on logarithmic axes.
    step: f64,
}

impl Axis {
    /// An axis over all values; `rounded` ends it on ticks, and at 0 when that is near.
    fn linear(values: impl Iterator<Item = f64>, rounded: bool) -> Self {
        let (mut low, mut high) = ends(values).unwrap_or((0.0, 1.0));
        if rounded && low > 0.0 && low < 0.6 * high {
            low = 0.0;
        }
        if high - low <= 1e-12 * high.abs().max(low.abs()) {
            // A single value: give it room on both sides.
            let room = if high == 0.0 { 1.0 } else { 0.5 * high.abs() };
            (low, high) = (low - room, high + room);
        }
        let step = nice_step((high - low) / 5.0);
        if rounded {
            (low, high) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
        }
        let first = (low / step - 1e-9).ceil();
        let count = ((high - low) / step + 1e-9).floor().min(50.0) as usize;
        let ticks =
            (0..=count).map(|i| (first + i as f64) * step).filter(|t| *t <= high + 1e-9 * step).collect();
        Self { low, high, log: false, ticks, step }
    }

    /// An axis over all values, which are positive, that ends on 1, 2 or 5 times a power of ten.
    fn logarithmic(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = ends(values).unwrap_or((0.1, 1.0));
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let all: Vec<f64> = (first..=last)
            .flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * 10.0_f64.powi(e)))
            .filter(|t| t.is_finite() && *t > 0.0)
            .collect();
        let low = all.iter().copied().rfind(|t| *t <= low * 1.0001).unwrap_or(low);
        let high =
            all.iter().copied().find(|t| *t >= high * 0.9999 && *t > low).unwrap_or(high.max(2.0 * low));
        let inside = |t: &f64| (low * 0.9999..=high * 1.0001).contains(t);
        let mut ticks: Vec<f64> = all.into_iter().filter(inside).collect();
        if ticks.len() > 8 {
            let powers: Vec<f64> = ticks.iter().copied().filter(|t| is_power_of_ten(*t)).collect();
            let every = powers.len().div_ceil(9).max(1);
            ticks = powers.into_iter().step_by(every).collect();
        }
        Self { low, high, log: true, ticks, step: 0.0 }
    }

    fn position(&self, value: f64) -> f32 {
        let (low, high, value) = if self.log {
            (self.low.log10(), self.high.log10(), value.log10())
        } else {
            (self.low, self.high, value)
        };
        ((value - low) / (high - low)) as f32
    }

    fn label(&self, tick: f64) -> String {
        number(tick, if self.log { tick } else { self.step })
    }
}

fn is_power_of_ten(x: f64) -> bool {
    let e = x.log10();
    (e - e.round()).abs() < 1e-6
}

fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |ends, v| match ends {
        None => Some((v, v)),
        Some((low, high)) => Some((v.min(low), v.max(high))),
    })
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `rough`.
fn nice_step(rough: f64) -> f64 {
    let power = 10.0_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= rough * 0.9999).unwrap_or(10.0);
    (factor * power).max(f64::MIN_POSITIVE)
}

/// A number with as many decimals as a scale of steps this large needs.
pub(crate) fn number(value: f64, step: f64) -> String {
    let size = value.abs().max(step.abs());
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = if step > 0.0 { (-step.log10()).ceil().clamp(0.0, 6.0) as usize } else { 0 };
    // 2.5 needs one decimal more than its power of ten says.
    let scaled = step * 10.0_f64.powi(digits as i32);
    let digits = if (scaled - scaled.round()).abs() > 1e-3 { digits + 1 } else { digits };
    let text = format!("{value:.digits$}");
    if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
        text.trim_start_matches('-').into()
    } else {
        text
    }
}

/// The box between the axes, in pixels.
struct Frame {
    min: Vec2,
    max: Vec2,
}

impl Frame {
    fn new(image: &Image, options: &PlotOptions, y_axis: &Axis, legend_rows: usize, unit: f32) -> Self {
        let numbers = y_axis.ticks.iter().map(|&t| font::width(&y_axis.label(t), unit)).fold(0.0, f32::max);
        let y_label = if options.y_label.is_empty() { 0.0 } else { 2.6 * unit };
        let x_label = if options.x_label.is_empty() { 0.0 } else { 2.6 * unit };
        let title = if options.title.is_empty() { 0.0 } else { 2.8 * unit };
        let legend = LEGEND_ROW * unit * legend_rows as f32;
        let size = Vec2::new(image.width as f32, image.height as f32);
        let min = Vec2::new(2.6 * unit + numbers + y_label, 2.0 * unit + title + legend);
        let max = Vec2::new(size.x - 2.4 * unit, size.y - 3.8 * unit - x_label);
        // A chart too small for its words is still a chart.
        Self { min: min.round(), max: max.round().max(min.round() + 1.0) }
    }

    fn place(&self, x: f32, y: f32) -> Vec2 {
        Vec2::new(self.min.x + x * (self.max.x - self.min.x), self.max.y - y * (self.max.y - self.min.y))
    }

    fn draw_axes(&self, image: &mut Image, x: &Axis, y: &Axis, options: &PlotOptions, unit: f32) {
        for &tick in &y.ticks {
            let at = self.place(0.0, y.position(tick));
            let row = at.y.round() + 0.5;
            stroke(image, &[vec![Vec2::new(self.min.x, row), Vec2::new(self.max.x, row)]], 1.0, FAINT);
            let baseline = Vec2::new(self.min.x - 0.9 * unit, row + 0.5 * unit);
            text(image, baseline, &y.label(tick), unit, Align::Right, INK);
        }
        for &tick in &x.ticks {
            let column = self.place(x.position(tick), 0.0).x.round() + 0.5;
            let mark = vec![Vec2::new(column, self.max.y), Vec2::new(column, self.max.y + 0.5 * unit)];
            stroke(image, &[mark], 1.0, INK);
            let baseline = Vec2::new(column, self.max.y + 2.1 * unit);
            text(image, baseline, &x.label(tick), unit, Align::Middle, INK);
        }
        let floor = self.max.y.round() + 0.5;
        stroke(image, &[vec![Vec2::new(self.min.x, floor), Vec2::new(self.max.x, floor)]], 1.0, INK);
        let middle = 0.5 * (self.min + self.max);
        let below = Vec2::new(middle.x, image.height as f32 - 1.5 * unit);
        text(image, below, &options.x_label, unit, Align::Middle, INK);
        text_upwards(image, Vec2::new(2.4 * unit, middle.y), &options.y_label, unit, Align::Middle, INK);
        // A long title is set smaller rather than cut off.
        let room = image.width as f32 - self.min.x - unit;
        let fits = room / font::width(&options.title, 1.0).max(1.0);
        let size = (1.3 * unit).min(fits);
        text(image, Vec2::new(self.min.x, 2.9 * unit), &options.title, size, Align::Left, INK);
    }
}

/// Height of a row of the legend, in units.
const LEGEND_ROW: f32 = 2.6;

/// Names with a piece of their line, in rows above the frame.
struct Legend {
    /// Series, row and distance from the left of the frame.
    entries: Vec<(usize, usize, f32)>,
    rows: usize,
}

impl Legend {
    /// Fills rows as far as they reach.
    fn new(series: &[Series], image: &Image, unit: f32) -> Self {
        // About what the axis takes on the left, and the margin on the right.
        let room = image.width as f32 - 9.0 * unit;
        let (mut row, mut left) = (0, 0.0);
        let mut entries = Vec::new();
        for (index, s) in series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()) {
            let width = font::width(&s.name, unit) + 3.3 * unit;
            if left > 0.0 && left + width > room {
                (row, left) = (row + 1, 0.0);
            }
            entries.push((index, row, left));
            left += width + 2.5 * unit;
        }
        let rows = if entries.is_empty() { 0 } else { row + 1 };
        Self { entries, rows }
    }

    fn draw(&self, image: &mut Image, series: &[Series], frame: &Frame, unit: f32) {
        for &(index, row, left) in &self.entries {
            let up = 1.7 + LEGEND_ROW * (self.rows - 1 - row) as f32;
            let (left, y) = (frame.min.x + left, frame.min.y - up * unit);
            let line = vec![Vec2::new(left, y), Vec2::new(left + 2.4 * unit, y)];
            stroke(image, &[line], 0.28 * unit, line_color(index));
            let name = Vec2::new(left + 3.3 * unit, y + 0.5 * unit);
            text(image, name, &series[index].name, unit, Align::Left, INK);
        }
    }
}
