//! Draws some charts: `cargo run --release --example charts DIRECTORY`.

use drystone_base::functions;
use drystone_picture::plot::{Chart, Line, write};

fn main() -> Result<(), drystone_picture::Error> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let curve = |label: &str, f: &dyn Fn(f64) -> f64| Line {
        label: label.to_owned(),
        points: (0..6000)
            .map(|i| 0.01 * f64::from(i))
            .map(|t| (t, f(t)))
            .collect(),
    };
    let charts = [
        Chart {
            title: "Energy".to_owned(),
            x_label: "time [s]".to_owned(),
            y_label: "energy [J]".to_owned(),
            lines: vec![
                curve("kinetic", &|t| 40.0 * functions::exp(-0.1 * t)),
                curve("potential", &|t| 120.0 + 8.0 * functions::sin(t)),
            ],
            ..Chart::default()
        },
        Chart {
            title: "Deepest penetration".to_owned(),
            x_label: "time [s]".to_owned(),
            y_label: "penetration [m]".to_owned(),
            log_y: true,
            lines: vec![curve("deepest", &|t| 1e-3 * functions::exp(-0.5 * t))],
            ..Chart::default()
        },
        Chart {
            title: "Step time against contacts".to_owned(),
            x_label: "contacts [1]".to_owned(),
            y_label: "step [ms]".to_owned(),
            scatter: vec![curve("step", &|t| {
                0.1 * t + 0.5 * functions::sin(37.0 * t).abs()
            })],
            ..Chart::default()
        },
        Chart {
            title: "Nothing at all".to_owned(),
            lines: vec![curve("nothing", &|_| f64::NAN)],
            ..Chart::default()
        },
    ];
    write(&charts, format!("{directory}/charts.svg"))?;
    write(&charts, format!("{directory}/charts.png"))
}
