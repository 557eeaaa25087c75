//! Cells of a grid in a panel: which entries of a matrix are not zero.
//!
//! kuva would draw each cell as an element of its own. Two marks at the corners of the grid tell
//! where it comes to lie; all cells are then one path between them.

use std::fmt::Write;

use kuva::plot::ScatterPlot;
use kuva::render::color::Color;
use kuva::render::plots::Plot;
use kuva::render::render::{PathData, Primitive, Scene};

/// A square grid with some of its cells filled, row 0 at the top.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// Rows, and columns, that the axes count.
    pub size: usize,
    /// Rows, and columns, of cells that are drawn; the same, or fewer of a large grid.
    pub side: usize,
    /// Runs of filled cells: row, first column, past the last column, of `side` each.
    pub runs: Vec<(usize, usize, usize)>,
}

/// Radius by which the marks are known again.
const MARK: f64 = 0.012_345;
const COLOUR: (u8, u8, u8) = (0x2e, 0x6f, 0x95);

impl Cells {
    /// Corners in the coordinates of its panel: y is minus the row.
    pub(super) fn corners(&self) -> [(f64, f64); 2] {
        let size = self.size.max(1) as f64;
        [(0.0, 0.0), (size, -size)]
    }

    pub(super) fn marks(&self) -> Plot {
        let marks = ScatterPlot::new().with_data(self.corners().to_vec());
        Plot::Scatter(marks.with_size(MARK))
    }

    /// A rectangle between two corners in pixels, as an SVG path.
    fn path(&self, [x0, x1]: [f64; 2], [y0, y1]: [f64; 2]) -> String {
        let side = self.side.max(1) as f64;
        let (width, height) = ((x1 - x0) / side, (y1 - y0) / side);
        let mut path = String::new();
        for &(row, first, end) in &self.runs {
            let (x, y) = (x0 + first as f64 * width, y0 + row as f64 * height);
            let length = (end - first) as f64 * width;
            // writing to a string does not fail
            let _ = write!(
                path,
                "M{x:.2},{y:.2}L{:.2},{y:.2}L{:.2},{:.2}L{x:.2},{:.2}Z",
                x + length,
                x + length,
                y + height,
                y + height
            );
        }
        path
    }
}

/// Puts the cells where their marks are, in the order of the panels.
pub(super) fn draw<'a>(scene: &mut Scene, cells: impl Iterator<Item = &'a Cells>) {
    let is_mark = |p: &&mut Primitive| matches!(p, Primitive::CircleBatch { r, .. } if *r == MARK);
    for (mark, cells) in scene.elements.iter_mut().filter(is_mark).zip(cells) {
        let Primitive::CircleBatch { cx, cy, .. } = &*mark else {
            continue;
        };
        let ([x0, x1], [y0, y1]) = (cx.as_slice(), cy.as_slice()) else {
            continue;
        };
        let d = cells.path([*x0, *x1], [*y0, *y1]);
        *mark = Primitive::Path(Box::new(PathData {
            d,
            fill: Some(Color::Rgb(COLOUR.0, COLOUR.1, COLOUR.2)),
            stroke: Color::None,
            stroke_width: 0.0,
            opacity: None,
            stroke_dasharray: None,
        }));
    }
}
