//! Surfaces that cloth can have at the start: sheets, ribbons, closed ones, meshes, and chains.

use drystone_base::Vec3;
use drystone_geometry::mesh::build;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Part;
use crate::error::ensure;
use crate::{Mesh, SceneError, Subject};

/// Most vertices of one surface.
const MOST: u64 = 2_000_000;

/// The shape of a cloth, in its own frame. It is at rest like this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Surface {
    /// A rectangle in the plane y = 0 about the origin; the diagonals of its squares alternate.
    Sheet {
        /// Vertices along x, at least 2.
        columns: u32,
        /// Vertices along z, at least 2.
        rows: u32,
        /// Distance between neighbours \[m\].
        spacing: f64,
    },
    /// A strip along a smooth curve through some points, turned no more than the curve asks for.
    Ribbon {
        /// The curve goes through all of them \[m\].
        through: Vec<[f64; 3]>,
        /// Vertices across, at least 2.
        columns: u32,
        /// Between neighbours across \[m\].
        spacing: f64,
        /// Between rows, as near to it as whole rows allow; as across if left out \[m\].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        along: Option<f64>,
        /// Direction of the columns at the beginning, as far as it is across the curve.
        across: [f64; 3],
    },
    /// A closed surface of nearly equal triangles about the origin.
    Sphere {
        /// \[m\]
        radius: f64,
        /// Number of times that each triangle of an icosahedron is divided into four, at most 7.
        subdivisions: u32,
    },
    /// A closed box about the origin.
    Box {
        /// Full extents along x, y and z \[m\].
        size: [f64; 3],
        /// Squares along each edge, at least 1.
        divisions: u32,
    },
    /// A closed ring about the y axis.
    Torus {
        /// Distance from the axis to the middle of the tube \[m\].
        radius: f64,
        /// Radius of the tube \[m\].
        tube: f64,
        /// Vertices around the axis, at least 3.
        around: u32,
        /// Vertices around the tube, at least 3.
        across: u32,
    },
    /// A triangle mesh, open or closed.
    Mesh(Mesh),
    /// A chain of segments; closed chains repeat no point.
    Chain {
        /// \[m\]
        points: Vec<[f64; 3]>,
        /// Whether the last point is joined to the first.
        #[serde(default, skip_serializing_if = "crate::defaults::is_default")]
        closed: bool,
    },
    /// Particles by themselves.
    Particles {
        /// \[m\]
        points: Vec<[f64; 3]>,
    },
}

/// A surface as lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Made {
    pub points: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub segments: Vec<[u32; 2]>,
    /// Vertices across and along, where the surface is a grid, row after row.
    pub grid: Option<[u32; 2]>,
}

impl Surface {
    /// In one word, as in a scene file.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Sheet { .. } => "sheet",
            Self::Ribbon { .. } => "ribbon",
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Torus { .. } => "torus",
            Self::Mesh(_) => "mesh",
            Self::Chain { .. } => "chain",
            Self::Particles { .. } => "particles",
        }
    }

    /// Corners \[m\] and triangles, in its own frame.
    pub fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let made = self.make();
        (
            made.points.iter().map(|p| p.to_array()).collect(),
            made.triangles,
        )
    }

    /// Says what is wrong with it.
    pub(crate) fn validate(&self, place: &Subject) -> Result<(), SceneError> {
        let field = |name: &str| format!("surface.{}.{name}", self.kind());
        let long = |name: &str, x: f64| place.length(&field(name), x);
        // how faults are named
        let count = |name: &str, n: u64, least: u64| {
            let fine = (least..=MOST).contains(&n);
            ensure(fine, place, &field(name), n, &format!("{least} to {MOST}"))
        };
        let listed = |name: &str, points: &[[f64; 3]], least: u64| {
            count(name, points.len() as u64, least)?;
            for (i, p) in points.iter().enumerate() {
                let fine = p.iter().all(|x| x.is_finite());
                let found = format!("{} at number {i}", crate::error::show(p));
                ensure(fine, place, &field(name), found, "finite coordinates")?;
            }
            Ok(())
        };
        // each kind of surface
        match self {
            Self::Sheet {
                columns,
                rows,
                spacing,
            } => {
                count("columns", u64::from(*columns), 2)?;
                count("rows", u64::from(*rows), 2)?;
                count("rows", u64::from(*columns) * u64::from(*rows), 4)?;
                long("spacing", *spacing)
            }
            Self::Ribbon {
                through,
                columns,
                spacing,
                along,
                across,
            } => {
                listed("through", through, 2)?;
                count("columns", u64::from(*columns), 2)?;
                long("spacing", *spacing)?;
                let points: Vec<Vec3> = through.iter().map(|&p| Vec3::from(p)).collect();
                let apart = points.windows(2).all(|p| p[0] != p[1]);
                ensure(
                    apart,
                    place,
                    &field("through"),
                    "the same point twice in a row",
                    "points apart",
                )?;
                let along = along.unwrap_or(*spacing);
                long("along", along)?;
                let rows = length(&points) / along;
                count("spacing", (rows * f64::from(*columns)) as u64, 1)?;
                let tangent = (points[1] - points[0]).normalize();
                let side = Vec3::from(*across).reject_from_normalized(tangent);
                let fine = side.is_finite() && side.length() > 1e-6;
                ensure(
                    fine,
                    place,
                    &field("across"),
                    crate::error::show(across),
                    "a direction across the curve",
                )
            }
            Self::Sphere {
                radius,
                subdivisions,
            } => {
                long("radius", *radius)?;
                let fine = *subdivisions <= 7;
                ensure(fine, place, &field("subdivisions"), subdivisions, "0 to 7")
            }
            Self::Box { size, divisions } => {
                size.iter().try_for_each(|&x| long("size", x))?;
                let fine = (1..=500).contains(divisions);
                ensure(fine, place, &field("divisions"), divisions, "1 to 500")
            }
            Self::Torus {
                radius,
                tube,
                around,
                across,
            } => {
                long("radius", *radius)?;
                long("tube", *tube)?;
                ensure(
                    tube < radius,
                    place,
                    &field("tube"),
                    format!("{tube} m"),
                    "less than the radius",
                )?;
                count("around", u64::from(*around), 3)?;
                count("across", u64::from(*across), 3)?;
                count("across", u64::from(*around) * u64::from(*across), 9)
            }
            Self::Mesh(mesh) => {
                let read = mesh.resolved().is_some();
                ensure(
                    read,
                    place,
                    "surface.mesh.file",
                    "not read",
                    "a file that is",
                )?;
                let (points, triangles) = mesh.resolved().unwrap_or_default();
                count("vertices", points.len() as u64, 3)?;
                count("triangles", triangles.len() as u64, 1)
            }
            Self::Chain { points, closed } => listed("points", points, if *closed { 3 } else { 2 }),
            Self::Particles { points } => listed("points", points, 1),
        }
    }

    /// The surface as lists of points and triangles, in its own frame.
    pub(crate) fn make(&self) -> Made {
        // each kind of surface as points, triangles and segments
        match self {
            Self::Sheet {
                columns,
                rows,
                spacing,
            } => {
                let sheet = drystone_cloth::Sheet::grid("", *columns, *rows, *spacing);
                Made {
                    points: sheet.points,
                    triangles: sheet.faces,
                    grid: Some([*columns, *rows]),
                    ..Made::default()
                }
            }
            Self::Ribbon {
                through,
                columns,
                spacing,
                along,
                across,
            } => {
                let points: Vec<Vec3> = through.iter().map(|&p| Vec3::from(p)).collect();
                let apart = [*spacing, along.unwrap_or(*spacing)];
                ribbon(&points, *columns, apart, Vec3::from(*across))
            }
            Self::Sphere {
                radius,
                subdivisions,
            } => closed(&build::icosphere(*radius, *subdivisions)),
            Self::Box { size, divisions } => divided_box(Vec3::from(*size), *divisions),
            Self::Torus {
                radius,
                tube,
                around,
                across,
            } => closed(&build::torus(*radius, *tube, *around, *across)),
            Self::Mesh(mesh) => {
                let (points, triangles) = mesh.resolved().unwrap_or_default();
                Made {
                    points,
                    triangles,
                    ..Made::default()
                }
            }
            Self::Chain { points, closed } => {
                let n = points.len() as u32;
                let mut segments: Vec<[u32; 2]> = (1..n).map(|i| [i - 1, i]).collect();
                if *closed {
                    segments.push([n - 1, 0]);
                }
                Made {
                    points: points.iter().map(|&p| Vec3::from(p)).collect(),
                    segments,
                    ..Made::default()
                }
            }
            Self::Particles { points } => Made {
                points: points.iter().map(|&p| Vec3::from(p)).collect(),
                ..Made::default()
            },
        }
    }
}

impl Made {
    /// Numbers of the vertices of `part`, or what is wrong with it in words: found and wanted.
    pub(crate) fn part(&self, part: &Part) -> Result<Vec<u32>, (String, &'static str)> {
        let all = 0..self.points.len() as u32;
        let of_grid = |keep: &dyn Fn(u32, u32, u32, u32) -> bool| match self.grid {
            None => Err(("given".into(), "a sheet or a ribbon; or vertices by number")),
            Some([columns, rows]) => Ok(all
                .clone()
                .filter(|v| keep(v % columns, v / columns, columns - 1, rows - 1))
                .collect()),
        };
        let chosen: Vec<u32> = match part {
            Part::All => all.collect(),
            Part::Vertices(list) => {
                if let Some(v) = list.iter().find(|v| !all.contains(v)) {
                    return Err((format!("vertex {v}"), "numbers of vertices, from 0"));
                }
                list.clone()
            }
            Part::First => of_grid(&|_, row, _, _| row == 0)?,
            Part::Last => of_grid(&|_, row, _, last| row == last)?,
            Part::Left => of_grid(&|column, _, _, _| column == 0)?,
            Part::Right => of_grid(&|column, _, last, _| column == last)?,
            Part::Corners => of_grid(&|column, row, right, last| {
                (column == 0 || column == right) && (row == 0 || row == last)
            })?,
            Part::Within { low, high } => {
                let (low, high) = (Vec3::from(*low), Vec3::from(*high));
                let inside = |v: &u32| {
                    let p = self.points[*v as usize];
                    p.cmpge(low).all() && p.cmple(high).all()
                };
                all.filter(inside).collect()
            }
        };
        match chosen.is_empty() {
            true => Err(("no vertex".into(), "at least one")),
            false => Ok(chosen),
        }
    }
}

fn closed(mesh: &drystone_geometry::TriMesh) -> Made {
    Made {
        points: mesh.vertices().to_vec(),
        triangles: mesh.triangles().to_vec(),
        ..Made::default()
    }
}

/// Triangles of a grid of vertices, diagonals alternating.
fn grid_triangles(columns: u32, rows: u32) -> Vec<[u32; 3]> {
    drystone_cloth::Sheet::grid("", columns, rows, 1.0).faces
}

/// Point of the uniform Catmull-Rom curve through `points` at `s`, which counts them.
fn catmull_rom(points: &[Vec3], s: f64) -> Vec3 {
    let last = points.len() - 1;
    let i = (s.floor() as usize).min(last - 1);
    let (u, at) = (s - i as f64, |k: isize| {
        // beyond the ends the curve goes straight on
        let clamped = k.clamp(0, last as isize) as usize;
        match k {
            k if k < 0 => points[0] * 2.0 - points[1],
            k if k > last as isize => points[last] * 2.0 - points[last - 1],
            _ => points[clamped],
        }
    });
    let i = i as isize;
    let (a, b, c, d) = (at(i - 1), at(i), at(i + 1), at(i + 2));
    let (v, w) = ((c - a) * 0.5, (d - b) * 0.5);
    let (u2, u3) = (u * u, u * u * u);
    b * (2.0 * u3 - 3.0 * u2 + 1.0)
        + v * (u3 - 2.0 * u2 + u)
        + c * (3.0 * u2 - 2.0 * u3)
        + w * (u3 - u2)
}

/// Points on a fine polygon of the curve.
fn polygon(points: &[Vec3]) -> Vec<Vec3> {
    const FINE: usize = 64;
    let steps = FINE * (points.len() - 1);
    (0..=steps)
        .map(|k| catmull_rom(points, k as f64 / FINE as f64))
        .collect()
}

/// Length of the curve \[m\].
fn length(points: &[Vec3]) -> f64 {
    polygon(points)
        .windows(2)
        .map(|p| (p[1] - p[0]).length())
        .sum()
}

/// A strip whose rows are evenly spaced along the curve and whose frame turns as little as it can.
fn ribbon(points: &[Vec3], columns: u32, [spacing, along]: [f64; 2], across: Vec3) -> Made {
    let fine = polygon(points);
    let whole = length(points);
    let rows = (whole / along).round().max(1.0) as u32 + 1;
    // rows by arc length
    let mut centres = Vec::with_capacity(rows as usize);
    let (mut k, mut before) = (0, 0.0);
    for row in 0..rows {
        let wanted = whole * f64::from(row) / f64::from(rows - 1);
        let mut step = (fine[k + 1] - fine[k]).length();
        while before + step < wanted && k + 2 < fine.len() {
            before += step;
            k += 1;
            step = (fine[k + 1] - fine[k]).length();
        }
        let u = if step > 0.0 {
            (wanted - before) / step
        } else {
            0.0
        };
        centres.push(fine[k] + (fine[k + 1] - fine[k]) * u.clamp(0.0, 1.0));
    }
    let tangent = |row: usize| {
        let (a, b) = (row.saturating_sub(1), (row + 1).min(centres.len() - 1));
        (centres[b] - centres[a]).normalize_or(Vec3::X)
    };
    let mut side = across
        .reject_from_normalized(tangent(0))
        .normalize_or(Vec3::Z);
    let mut made = Made {
        triangles: grid_triangles(columns, rows),
        grid: Some([columns, rows]),
        ..Made::default()
    };
    for (row, centre) in centres.iter().enumerate() {
        side = side.reject_from_normalized(tangent(row)).normalize_or(side);
        for column in 0..columns {
            let off = (f64::from(column) - 0.5 * f64::from(columns - 1)) * spacing;
            made.points.push(*centre + side * off);
        }
    }
    made
}

/// A box whose faces are cut into squares; vertices on edges are shared.
fn divided_box(size: Vec3, n: u32) -> Made {
    let mut made = Made::default();
    let mut number = std::collections::BTreeMap::new();
    let mut vertex = |made: &mut Made, cell: [u32; 3]| -> u32 {
        *number.entry(cell).or_insert_with(|| {
            let part = cell.map(|c| f64::from(c) / f64::from(n) - 0.5);
            made.points.push(Vec3::from(part) * size);
            made.points.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        for (end, outwards) in [(0, false), (n, true)] {
            for i in 0..n {
                for j in 0..n {
                    let corner = |a: u32, b: u32| {
                        let mut cell = [0; 3];
                        cell[axis] = end;
                        cell[(axis + 1) % 3] = i + a;
                        cell[(axis + 2) % 3] = j + b;
                        cell
                    };
                    let cells = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    let [a, b, c, d] = cells.map(|cell| vertex(&mut made, cell));
                    let faces = match (outwards, (i + j) % 2 == 0) {
                        (true, true) => [[a, b, c], [a, c, d]],
                        (true, false) => [[a, b, d], [b, c, d]],
                        (false, true) => [[a, c, b], [a, d, c]],
                        (false, false) => [[a, d, b], [b, d, c]],
                    };
                    made.triangles.extend(faces);
                }
            }
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(made: &Made) -> f64 {
        let at = |v: u32| made.points[v as usize];
        let corner = |t: &[u32; 3]| at(t[0]).dot(at(t[1]).cross(at(t[2]))) / 6.0;
        made.triangles.iter().map(corner).sum()
    }

    #[test]
    fn closed_surfaces_face_outwards_and_enclose_their_volume() {
        let block = Surface::Box {
            size: [1.0, 2.0, 3.0],
            divisions: 3,
        };
        assert!((volume(&block.make()) - 6.0).abs() < 1e-12);
        assert_eq!(block.make().points.len(), 4 * 4 * 4 - 8);
        let ball = Surface::Sphere {
            radius: 1.0,
            subdivisions: 4,
        };
        let ratio = volume(&ball.make()) / (4.0 / 3.0 * std::f64::consts::PI);
        assert!((0.99..1.0).contains(&ratio), "{ratio}"); // measured: 0.998
    }

    #[test]
    fn ribbons_keep_their_width_and_spacing_round_bends() {
        let quarter = |k: u32| {
            let angle = 0.1 * std::f64::consts::PI * f64::from(k);
            [angle.cos(), angle.sin(), 0.0]
        };
        let ribbon = Surface::Ribbon {
            through: (0..6).map(quarter).collect(),
            columns: 3,
            spacing: 0.05,
            along: None,
            across: [0.0, 0.0, 1.0],
        };
        let made = ribbon.make();
        let [columns, rows] = made.grid.unwrap_or_default();
        let row = |r: u32| &made.points[(r * columns) as usize..((r + 1) * columns) as usize];
        assert_eq!(rows, 32); // a quarter of a circle is 1.571 m long
        for r in 0..rows {
            let width = (row(r)[2] - row(r)[0]).length();
            assert!((width - 0.1).abs() < 1e-12, "{width}");
        }
        for r in 1..rows {
            let step = (row(r)[1] - row(r - 1)[1]).length();
            assert!(
                (step / (0.5 * std::f64::consts::PI / 31.0) - 1.0).abs() < 0.01,
                "{step}"
            );
        }
        let first = made.part(&Part::First);
        assert_eq!(first, Ok(vec![0, 1, 2]));
        assert_eq!(made.part(&Part::Corners).map(|c| c.len()), Ok(4));
        assert!(made.part(&Part::Vertices(vec![1000])).is_err());
    }
}
