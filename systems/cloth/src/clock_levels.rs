//! Which elastic element ticks when: a clock for each from the assembled sheet, and elements that tick together.
//!
//! An element alone is stable up to `h ω = 2`. Its neighbours pull at the same vertices, so its clock is bounded by
//! the row sum of the assembled system (Gershgorin): with `B = √k M^(-1/2) ∇g` of each element and `G = BᵀB`, weighted by
//! `√G_ee`, no frequency is above the largest `ω_e² = Σ_f |G_ef| √(G_ff/G_ee)`. And slow clocks are kept off
//! the fast modes of others, which they would excite: hinges tick four times in a stretch period, springs
//! and triangles more than twice in the period of the fastest bending mode at their corners, and all of them more than
//! twice in the period of a pair that is pressed between them and something, or a quarter as long as they would else.
//! The same holds for the layers of such a pair against elastic modes (`Topology::calm`). A kick every `h` on a mode of
//! frequency Ω has the monodromy `2 cos Ωh − (ω² h/Ω) sin Ωh`: unstable about `Ωh = n π`, in bands as wide as
//! `(ω h)²/(Ω h)`, through which a pair wanders as its layers come and go.

use std::f64::consts::PI;

use drystone_base::Vec3;

use crate::clock::{LEVELS, level_of, period};
use crate::elastic::{CARRIED, Dashpot, Held, Hinge, HingeDashpot, Spring, Triangle, hinge_angle};
use crate::elastic_simd::{Dashpots, Hinges, Springs, in_batches};
use crate::options::Gravity;
use crate::penalty_layers::LOWERED;
use crate::topology::{LONGEST_CHECK, Rows, Topology};
use crate::vertex::Vertex;
use crate::{Error, Model, Options, Stretch};

/// Elements that tick together.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClockLevel {
    pub(crate) springs: Vec<Spring>,
    pub(crate) hinges: Vec<Hinge>,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) dashpots: Vec<Dashpot>,
    pub(crate) hinge_dashpots: Vec<HingeDashpot>,
    /// The first of the springs, hinges and dashpots again, in runs of eight.
    pub(crate) spring_runs: Vec<Springs>,
    pub(crate) hinge_runs: Vec<Hinges>,
    pub(crate) dashpot_runs: Vec<Dashpots>,
    /// Vertices that loads, air and fields act on.
    pub(crate) loaded_vertices: Vec<u32>,
    /// Free vertices kicked by gravity.
    pub(crate) gravity_vertices: Vec<u32>,
    /// Vertices that any of these elements moves.
    pub(crate) stencil: Vec<u32>,
    /// Vertices with dashpots on this level and none on a faster one.
    pub(crate) damped: Vec<u32>,
    /// Other vertices whose certificates are tested at this level.
    pub(crate) monitored: Vec<u32>,
    /// Numbers of the hinges, triangles and springs, in [`Elements`].
    followed: Vec<u32>,
}

/// A spring with its dashpot, either of which may be nothing.
#[derive(Clone, Copy, Debug)]
struct Edge {
    spring: Spring,
    damping: f64,
    /// Level at rest.
    level: u8,
    /// Highest level that the bending modes at its ends allow at rest.
    bent: u8,
}

/// A hinge with its dashpot.
#[derive(Clone, Copy, Debug)]
struct Fold {
    hinge: Hinge,
    damping: f64,
    level: u8,
    /// Frequency at rest that its level was found for \[1/s\].
    omega: f64,
}

/// A triangle.
#[derive(Clone, Copy, Debug)]
struct Membrane {
    triangle: Triangle,
    level: u8,
    bent: u8,
    /// Longest period at rest \[s\].
    longest: f64,
}

/// Everything elastic, with levels at rest, in the order of edges and faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elements {
    edges: Vec<Edge>,
    folds: Vec<Fold>,
    membranes: Vec<Membrane>,
    fraction: f64,
    floor: u8,
    /// Vertices that are prescribed, or in a hand. Written by `group`.
    pulled: Vec<bool>,
}

/// A dashpot stronger than its clock can carry.
#[derive(Clone, Debug, PartialEq)]
pub struct ClampedDamper {
    /// Name of the sheet.
    pub sheet: String,
    /// The material's field: `stretch_damping` or `bending_damping`.
    pub what: &'static str,
    /// Damping that the model asks for \[N s/m\] or \[N m s\].
    pub damping: f64,
    /// The most that every element of the sheet acts with; beyond it motion relaxes faster than asked for.
    pub carried: f64,
}

impl std::fmt::Display for ClampedDamper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "sheet `{}`: {} is {}; its clock carries {:.3e}, so the sheet rests where it should but gets there sooner",
            self.sheet, self.what, self.damping, self.carried
        )
    }
}

/// Largest part of an element's motion that its dashpot takes in a period, as `b h W`, while the clock can help it \[1\].
const DAMPED: f64 = 0.5;
/// Most levels by which a dashpot may raise its element's clock for that.
const DAMPING_LEVELS: u8 = 2;
/// Most levels below rest that a deformed element ticks at.
const MOST: u8 = 8;
/// Level of the longest clock of triangles, of a millisecond: one that waves cross in longer may move by many times its
/// size before its next tick, with a neighbour that is struck, and nobody looks at it before.
const FOLLOWED: u8 = 30;
/// Part of the stable period that no clock goes beyond in the assembled system \[1\].
const ASSEMBLED: f64 = 0.8;
/// Least number of edges that a vertex's clock is made for: a mass on a single spring, which falls between ticks,
/// then strays by less than a hundredth of its rest.
const ALONE: usize = 4;
/// Longest period of a clock in half periods of the modes that other forces make at its vertices \[1\].
const BENT: f64 = 0.9;
/// How many times the bound of its clock an element may reach before it gets a shorter one \[1\]: hinges, whose clock may
/// be all that their neighbours leave, by less than `1 / ASSEMBLED`, and others.
const OUTGROWN: (f64, f64) = (1.2, 1.5);
/// How far the ends of a spring, or the corners of a triangle, may move in a period against each other, as a part of
/// its length: the error of the work of a tick grows with the third power of that \[1\].
const MOVED: f64 = 0.125;
/// Likewise where one of them is prescribed: no motion of its own makes up for the error of the work done on it \[1\].
const PULLED: f64 = MOVED / 4.0;

/// Level of an element whose dashpot `b` acts on `inverse_mass`: that of its stiffness, or a few below.
fn damped_level(level: u8, b: f64, inverse_mass: f64, floor: u8) -> u8 {
    let wanted = match level_of(DAMPED / (b * inverse_mass)) {
        Some(wanted) => wanted.min(level),
        None => 0,
    };
    wanted
        .max(level.saturating_sub(DAMPING_LEVELS))
        .max(floor.min(level))
}

impl Topology {
    /// Adds elastic elements, each with the clock that the stability of all of them needs.
    pub(crate) fn add_elements(&mut self, model: &Model, options: &Options) -> Result<(), Error> {
        let fraction = options.elastic_fraction;
        let floor = level_of(options.shortest_period).unwrap_or(0);
        let mut elements = Elements {
            fraction,
            floor,
            ..Elements::default()
        };
        // held for ever, a vertex has no inertia that a dashpot or a mode could move
        let moved: Vec<f64> = (0..self.start.len())
            .map(|i| {
                if self.held[i] {
                    0.0
                } else {
                    self.inverse_mass[i]
                }
            })
            .collect();
        // by vertex, the bound of the modes of all elements
        let mut modes = vec![0.0f64; self.start.len()];
        for (s, sheet) in model.sheets.iter().enumerate() {
            let (object, material) = (self.objects[s].clone(), &sheet.material);
            let label = format!("sheet `{}`", sheet.name);
            let level = |what: &str, h: f64| {
                level_of(h)
                    .filter(|_| h >= options.shortest_period)
                    .ok_or_else(|| {
                        Error::quantity(
                            &label,
                            what,
                            format!("so stiff that its stable period is {h:.1e} s"),
                            format!("one that allows {:.1e} s", options.shortest_period),
                        )
                    })
            };
            // triangles
            let edge_count = object.edges.len();
            let mut stretch_omega = vec![0.0f64; edge_count];
            let mut side_level = vec![u8::MAX; edge_count];
            let first_membrane = elements.membranes.len();
            if let Stretch::Triangle { young, poisson } = material.stretch {
                let speed =
                    (young / (1.0 - poisson * poisson) / material.density.max(f64::MIN_POSITIVE))
                        .sqrt();
                for f in object.faces.clone() {
                    let corners = self.faces[f];
                    let x = corners.map(|i| self.rest[i as usize]);
                    let longest = (0..3)
                        .map(|k| (x[k] - x[(k + 1) % 3]).length())
                        .fold(0.0, f64::max);
                    let height = (x[1] - x[0]).cross(x[2] - x[0]).length() / longest;
                    // a corner carries a sixth of the triangles around it: sqrt(1/3) of the wave's time
                    let h = fraction * height / speed * 0.577;
                    let level = level("stretch.young", h)?.min(FOLLOWED);
                    if let Some(triangle) = Triangle::new(corners, x, young, poisson, 0.0) {
                        elements.membranes.push(Membrane {
                            triangle,
                            level,
                            bent: u8::MAX,
                            longest: h,
                        });
                    }
                    for i in corners {
                        let own = 2.0 * speed / height / 0.577;
                        modes[i as usize] = modes[i as usize].max(own);
                    }
                    for k in 0..3 {
                        if let Some(e) = self.edge_of(corners[k], corners[(k + 1) % 3]) {
                            let e = e - object.edges.start;
                            stretch_omega[e] = stretch_omega[e].max(2.0 * speed / height);
                            side_level[e] = side_level[e].min(level);
                        }
                    }
                }
            }
            // springs
            let first_edge = elements.edges.len();
            let spring_of = |e: usize| {
                let ends = self.edges[e].map(|i| i as usize);
                let length = (self.rest[ends[1]] - self.rest[ends[0]]).length();
                let stiffness = match material.stretch {
                    Stretch::Spring(k) => k,
                    Stretch::Shell(k) => 2.0 * k / length,
                    Stretch::Triangle { young, .. } if self.bare[e] => young,
                    Stretch::Triangle { .. } => 0.0,
                };
                (length, stiffness)
            };
            for e in object.edges.clone() {
                let ends = self.edges[e].map(|i| i as usize);
                let (length, stiffness) = spring_of(e);
                if stiffness == 0.0 && material.stretch_damping == 0.0 {
                    continue;
                }
                let lightest = self.inverse_mass[ends[0]].max(self.inverse_mass[ends[1]]);
                let degree = ends
                    .map(|i| self.vertex_edges.row(i).len())
                    .into_iter()
                    .max()
                    .unwrap_or(1)
                    .max(ALONE);
                let omega = (2.0 * degree as f64 * stiffness * lightest).sqrt();
                let row = self.spring_row(e, &spring_of, &moved);
                for i in ends {
                    modes[i] = modes[i].max(row);
                }
                let k = e - object.edges.start;
                stretch_omega[k] = stretch_omega[k].max(omega);
                let mut level = if omega > 0.0 {
                    level(
                        "stretch",
                        (fraction * 2.0 / omega).min(ASSEMBLED * 2.0 / row),
                    )?
                } else {
                    level_of(options.field_period)
                        .unwrap_or(30)
                        .min(side_level[k])
                };
                let inverse_mass = moved[ends[0]] + moved[ends[1]];
                if material.stretch_damping > 0.0 && inverse_mass > 0.0 {
                    level = damped_level(level, material.stretch_damping, inverse_mass, floor);
                }
                elements.edges.push(Edge {
                    spring: Spring {
                        ends: self.edges[e],
                        length,
                        stiffness,
                        period: 0.0,
                    },
                    damping: material.stretch_damping,
                    level,
                    bent: u8::MAX,
                });
            }
            // bending
            if material.bending == 0.0 && material.bending_damping == 0.0 {
                continue;
            }
            let (mut hinges, mut gradients, mut places) = (Vec::new(), Vec::new(), Vec::new());
            for e in object.edges.clone() {
                let faces: Vec<usize> = self.faces_of_edge(e).take(3).collect();
                let [f1, f2] = faces[..] else { continue };
                if let Some((hinge, gradient)) = self.hinge(e, f1, f2, material.bending) {
                    hinges.push(hinge);
                    gradients.push(gradient);
                    places.push(e - object.edges.start);
                }
            }
            let rows = hinge_rows(&hinges, &gradients, &moved, object.vertices.clone());
            let mut fastest = vec![0.0f64; object.vertices.len()];
            for (k, hinge) in hinges.iter().enumerate() {
                let inverse: f64 = (0..4)
                    .map(|c| {
                        let i = hinge.corners[c] as usize;
                        gradients[k][c].length_squared() * self.inverse_mass[i]
                    })
                    .sum();
                let omega = (hinge.stiffness * inverse).sqrt();
                // not slower than a quarter of the stretch period: no resonance of the two clocks
                let quarter = 0.5 * PI / stretch_omega[places[k]].max(1e-3);
                let h = (fraction / omega)
                    .min(ASSEMBLED * 2.0 / rows[k])
                    .min(quarter)
                    .min(LONGEST_CHECK);
                let mut level = level("bending", h)?;
                if material.bending_damping > 0.0 && inverse > 0.0 {
                    level = damped_level(level, material.bending_damping, inverse, floor);
                }
                for i in hinge.corners {
                    let fastest = &mut fastest[i as usize - object.vertices.start];
                    *fastest = fastest.max(rows[k]);
                }
                elements.folds.push(Fold {
                    hinge: *hinge,
                    damping: material.bending_damping,
                    level,
                    omega: omega.max(fraction / h),
                });
            }
            for (i, omega) in object.vertices.clone().zip(&fastest) {
                modes[i] = modes[i].max(*omega);
            }
            let bent = |corners: &[u32]| {
                let omega = corners.iter().fold(0.0f64, |most, i| {
                    most.max(fastest[*i as usize - object.vertices.start])
                });
                level_of(BENT * PI / omega.max(1e-3))
                    .unwrap_or(0)
                    .max(floor)
            };
            for edge in &mut elements.edges[first_edge..] {
                edge.bent = bent(&edge.spring.ends);
            }
            for membrane in &mut elements.membranes[first_membrane..] {
                membrane.bent = bent(&membrane.triangle.corners);
            }
        }
        let mut slowest = vec![0; self.start.len()];
        for (k, level) in elements.levels().enumerate() {
            for i in elements.corners(k) {
                slowest[*i as usize] = level.max(slowest[*i as usize]);
            }
        }
        (self.elements, self.modes, self.slowest) = (elements, modes, slowest);
        Ok(())
    }

    /// Level of the longest period that excites no elastic mode of these vertices.
    pub(crate) fn calm(&self, corners: &[u32]) -> u8 {
        let mode = |i: &u32| self.modes[*i as usize];
        let omega = corners.iter().map(mode).fold(1e-3, f64::max);
        level_of(BENT * PI / omega).unwrap_or(0)
    }

    /// The edge between two vertices.
    fn edge_of(&self, a: u32, b: u32) -> Option<usize> {
        let edges = self.vertex_edges.row(a as usize).iter();
        edges
            .map(|e| *e as usize)
            .find(|e| self.edges[*e].contains(&b))
    }

    /// Bound of the frequencies of springs about edge `e`: the root of its row's weighted sum \[1/s\].
    fn spring_row(
        &self,
        e: usize,
        spring_of: &impl Fn(usize) -> (f64, f64),
        inverse_mass: &[f64],
    ) -> f64 {
        let along = |e: usize| {
            let [a, b] = self.edges[e].map(|i| self.rest[i as usize]);
            (b - a).normalize_or_zero()
        };
        let square = |e: usize| {
            let [a, b] = self.edges[e].map(|i| inverse_mass[i as usize]);
            spring_of(e).1 * (a + b)
        };
        let (own, n, stiffness) = (square(e), along(e), spring_of(e).1);
        if own == 0.0 {
            return 0.0;
        }
        let mut sum = own;
        for i in self.edges[e] {
            for f in self
                .vertex_edges
                .row(i as usize)
                .iter()
                .map(|f| *f as usize)
            {
                if f != e {
                    let mixed = (stiffness * spring_of(f).1).sqrt() * inverse_mass[i as usize];
                    sum += mixed * n.dot(along(f)).abs() * (square(f) / own).sqrt();
                }
            }
        }
        sum.sqrt()
    }

    /// The hinge at an edge and the gradient of its angle at rest; `None` if a rest triangle has no area.
    fn hinge(&self, e: usize, f1: usize, f2: usize, stiffness: f64) -> Option<(Hinge, [Vec3; 4])> {
        let tip = |f: usize| {
            self.faces[f]
                .iter()
                .copied()
                .find(|i| !self.edges[e].contains(i))
        };
        let (mut a, mut b) = (self.edges[e][0], self.edges[e][1]);
        // the first face runs along the edge from a to b
        let k = self.faces[f1].iter().position(|i| *i == a)?;
        if self.faces[f1][(k + 1) % 3] != b {
            (a, b) = (b, a);
        }
        let corners = [a, b, tip(f1)?, tip(f2)?];
        let x = corners.map(|i| self.rest[i as usize]);
        let (angle, gradient) = hinge_angle(x)?;
        let area = |f: usize| {
            let x = self.faces[f].map(|i| self.rest[i as usize]);
            0.5 * (x[1] - x[0]).cross(x[2] - x[0]).length()
        };
        let stiffness =
            2.0 * stiffness * 3.0 * (x[1] - x[0]).length_squared() / (area(f1) + area(f2));
        let hinge = Hinge {
            corners,
            angle,
            stiffness,
            period: 0.0,
        };
        Some((hinge, gradient))
    }

    /// Puts every element on its level, `drops` below that at rest (hinges, triangles, edges) and where layers press its
    /// corners down to that of `pressed`, and lists who ticks and who is looked at. Elements with a corner that `pulls` stand alone, so that their work can be counted.
    pub(crate) fn group(&mut self, drops: &[u8], pressed: &[u8], pulls: &[bool]) {
        let count = self.start.len();
        let elements = &self.elements;
        let mut clock_levels = vec![ClockLevel::default(); LEVELS];
        let mut levels = Vec::with_capacity(self.levels.len());
        // for the layers that press a corner, some levels down at most
        let calm = |level: u8, corners: &[u32]| {
            let bound = |i: &u32| pressed.get(*i as usize).copied().unwrap_or(u8::MAX);
            let bound = corners.iter().map(bound).fold(u8::MAX, u8::min);
            level.min(bound.max(elements.lowered(level, LOWERED)))
        };
        // hinges, and how far down they take their corners' springs
        let mut lowered = vec![0u8; count];
        for (k, fold) in elements.folds.iter().enumerate() {
            let drop = drops.get(k).copied().unwrap_or(0);
            let corners = fold.hinge.corners;
            let level = calm(elements.lowered(fold.level, drop), &corners);
            levels.push(level);
            let clock_level = &mut clock_levels[level as usize];
            if fold.hinge.stiffness > 0.0 {
                clock_level.followed.push(k as u32);
                clock_level.hinges.push(Hinge {
                    period: period(level),
                    ..fold.hinge
                });
            }
            if fold.damping > 0.0 {
                let inverse = 1.0 / (fold.damping * period(level));
                clock_level
                    .hinge_dashpots
                    .push(HingeDashpot { corners, inverse });
            }
            for i in corners {
                lowered[i as usize] = lowered[i as usize].max(drop);
            }
        }
        let bent = |level: u8, bent: u8, corners: &[u32]| {
            let drop = corners
                .iter()
                .fold(0, |most, i| lowered[*i as usize].max(most));
            level.min(elements.lowered(bent, drop))
        };
        for (k, membrane) in elements.membranes.iter().enumerate() {
            let k = elements.folds.len() + k;
            let drop = drops.get(k).copied().unwrap_or(0);
            let own = elements.lowered(membrane.level, drop);
            let corners = &membrane.triangle.corners;
            let level = calm(bent(own, membrane.bent, corners), corners);
            levels.push(level);
            clock_levels[level as usize].followed.push(k as u32);
            let mut triangle = membrane.triangle;
            triangle.period = period(level);
            clock_levels[level as usize].triangles.push(triangle);
        }
        for (k, edge) in elements.edges.iter().enumerate() {
            let k = elements.folds.len() + elements.membranes.len() + k;
            let drop = drops.get(k).copied().unwrap_or(0);
            let ends = edge.spring.ends;
            let own = elements.lowered(edge.level, drop);
            let level = calm(bent(own, edge.bent, &ends), &ends);
            levels.push(level);
            let clock_level = &mut clock_levels[level as usize];
            if edge.spring.stiffness > 0.0 {
                clock_level.followed.push(k as u32);
                clock_level.springs.push(Spring {
                    period: period(level),
                    ..edge.spring
                });
            }
            if edge.damping > 0.0 {
                let inverse = 1.0 / (edge.damping * period(level));
                clock_level.dashpots.push(Dashpot { ends, inverse });
            }
        }
        // fields
        clock_levels[self.field_level]
            .loaded_vertices
            .clone_from(&self.loaded_vertices);
        if let Some(level) = self.gravity_level {
            let free = (0..count as u32).filter(|i| self.inverse_mass[*i as usize] > 0.0);
            clock_levels[level].gravity_vertices = free.collect();
        }
        // runs of eight, and who is moved
        let longest = level_of(LONGEST_CHECK).unwrap_or(30);
        let mut check = vec![u8::MAX; count];
        let mut damped = vec![false; count];
        let alone = |corners: &[u32]| !corners.iter().any(|i| pulls[*i as usize]);
        for (level, clock_level) in clock_levels.iter_mut().enumerate() {
            let runs = in_batches(&mut clock_level.springs, |s| alone(&s.ends), |s| &s.ends);
            clock_level.spring_runs = clock_level.springs[..8 * runs]
                .chunks(8)
                .map(Springs::new)
                .collect();
            let runs = in_batches(&mut clock_level.dashpots, |d| alone(&d.ends), |d| &d.ends);
            clock_level.dashpot_runs = clock_level.dashpots[..8 * runs]
                .chunks(8)
                .map(Dashpots::new)
                .collect();
            let runs = in_batches(
                &mut clock_level.hinges,
                |h| alone(&h.corners),
                |h| &h.corners,
            );
            clock_level.hinge_runs = clock_level.hinges[..8 * runs]
                .chunks(8)
                .map(Hinges::new)
                .collect();
            let mut slowed: Vec<u32> = Vec::new();
            slowed.extend(clock_level.dashpots.iter().flat_map(|d| d.ends));
            slowed.extend(clock_level.hinge_dashpots.iter().flat_map(|d| d.corners));
            let mut stencil = slowed.clone();
            stencil.extend(clock_level.springs.iter().flat_map(|s| s.ends));
            stencil.extend(clock_level.hinges.iter().flat_map(|h| h.corners));
            stencil.extend(clock_level.triangles.iter().flat_map(|t| t.corners));
            stencil.extend(
                clock_level
                    .loaded_vertices
                    .iter()
                    .chain(&clock_level.gravity_vertices),
            );
            for list in [&mut slowed, &mut stencil] {
                list.sort_unstable();
                list.dedup();
                list.retain(|i| self.inverse_mass[*i as usize] > 0.0);
            }
            slowed.retain(|i| !std::mem::replace(&mut damped[*i as usize], true));
            for i in &stencil {
                let check = &mut check[*i as usize];
                *check = (*check).min(level as u8);
            }
            (clock_level.stencil, clock_level.damped) = (stencil, slowed);
        }
        for (i, check) in check.iter_mut().enumerate() {
            if *check > longest {
                *check = longest;
                if !self.fixed[i] {
                    clock_levels[longest as usize].monitored.push(i as u32);
                }
            }
        }
        self.clock_mask = 0;
        for (level, clock_level) in clock_levels.iter().enumerate() {
            if !clock_level.stencil.is_empty() || !clock_level.monitored.is_empty() {
                self.clock_mask |= 1 << level;
            }
        }
        (self.clock_levels, self.check, self.levels) = (clock_levels, check, levels);
        self.elements.pulled = pulls.to_vec();
    }

    /// Lists the vertices that loads, air and fields act on, and their clocks.
    pub(crate) fn add_fields(&mut self, model: &Model, options: &Options) {
        let air = !model.fields.is_empty();
        let mut loaded_vertices: Vec<u32> = (0..self.start.len() as u32)
            .filter(|i| {
                self.inverse_mass[*i as usize] > 0.0 && (air || self.drag[*i as usize] > 0.0)
            })
            .chain(
                self.loads
                    .iter()
                    .flat_map(|load| load.vertices.iter().copied()),
            )
            .collect();
        loaded_vertices.sort_unstable();
        loaded_vertices.dedup();
        self.loaded_vertices = loaded_vertices;
        self.field_level = level_of(options.field_period).unwrap_or(30) as usize;
        self.gravity_level = match options.gravity {
            Gravity::Ticking(h) => Some(level_of(h).unwrap_or(30) as usize),
            Gravity::Ballistic => None,
        };
    }

    /// Dashpots that their clocks cannot carry, sheet by sheet.
    pub(crate) fn clamped_dampers(&self) -> Vec<ClampedDamper> {
        let mass = |i: u32| match self.held[i as usize] {
            true => 0.0,
            false => self.inverse_mass[i as usize],
        };
        let mut found: Vec<ClampedDamper> = Vec::new();
        let mut note = |vertex: u32, what: &'static str, damping: f64, carried: f64| {
            if damping <= carried {
                return;
            }
            let sheet = &self.object_of(vertex).name;
            match found
                .iter_mut()
                .find(|x| x.what == what && x.sheet == *sheet)
            {
                Some(known) => known.carried = known.carried.min(carried),
                None => found.push(ClampedDamper {
                    sheet: sheet.clone(),
                    what,
                    damping,
                    carried,
                }),
            }
        };
        for edge in &self.elements.edges {
            let inverse_mass: f64 = edge.spring.ends.iter().map(|i| mass(*i)).sum();
            let carried = CARRIED / (period(edge.level.min(edge.bent)) * inverse_mass);
            note(
                edge.spring.ends[0],
                "stretch_damping",
                edge.damping,
                carried,
            );
        }
        for fold in &self.elements.folds {
            let corners = fold.hinge.corners;
            let x = corners.map(|i| self.rest[i as usize]);
            let inverse_mass = hinge_angle(x).map_or(0.0, |(_, gradient)| {
                (0..4)
                    .map(|k| gradient[k].length_squared() * mass(corners[k]))
                    .sum()
            });
            let carried = CARRIED / (period(fold.level) * inverse_mass);
            note(corners[0], "bending_damping", fold.damping, carried);
        }
        found
    }
}

impl Elements {
    /// Number of elements whose levels follow their shape and motion.
    pub(crate) fn followed(&self) -> usize {
        self.folds.len() + self.membranes.len() + self.edges.len()
    }

    /// Kicks the corners of element `k` as over a period of `seconds`, which may be negative.
    pub(crate) fn push(
        &self,
        k: usize,
        seconds: f64,
        vertices: &mut [Vertex],
        held: &mut Held<'_>,
    ) {
        let (folds, membranes) = (self.folds.len(), self.membranes.len());
        if let Some(fold) = self.folds.get(k) {
            let hinge = Hinge {
                period: seconds,
                ..fold.hinge
            };
            hinge.tick(vertices, held);
        } else if let Some(membrane) = self.membranes.get(k - folds) {
            let mut triangle = membrane.triangle;
            triangle.period = seconds;
            triangle.tick(vertices, held);
        } else if let Some(edge) = self.edges.get(k - folds - membranes) {
            let spring = Spring {
                period: seconds,
                ..edge.spring
            };
            spring.tick(vertices, held);
        }
    }

    /// What element `k`, of a clock of this level, adds to the energy that leapfrog keeps, see [`crate::watch`] \[J\]. `back`
    /// tells where a vertex was at the last tick, and how fast.
    pub(crate) fn kept(&self, k: usize, level: u8, back: impl Fn(u32) -> (Vec3, Vec3)) -> f64 {
        let (folds, membranes) = (self.folds.len(), self.membranes.len());
        let half = |i: u32, force: Vec3| 0.5 * period(level) * force.dot(back(i).1);
        let sum = |corners: &[u32], forces: &[Vec3]| -> f64 {
            corners.iter().zip(forces).map(|(i, f)| half(*i, *f)).sum()
        };
        if let Some(fold) = self.folds.get(k) {
            let x = fold.hinge.corners.map(|i| back(i).0);
            fold.hinge.energy(x) - sum(&fold.hinge.corners, &fold.hinge.force(x))
        } else if let Some(membrane) = self.membranes.get(k - folds) {
            let triangle = &membrane.triangle;
            let x = triangle.corners.map(|i| back(i).0);
            triangle.energy(x) - sum(&triangle.corners, &triangle.force(x))
        } else if let Some(edge) = self.edges.get(k - folds - membranes) {
            let x = edge.spring.ends.map(|i| back(i).0);
            let force = edge.spring.force(x);
            edge.spring.energy(x) - sum(&edge.spring.ends, &[force, -force])
        } else {
            0.0
        }
    }

    /// Whether a corner of element `k` is prescribed or in a hand.
    pub(crate) fn is_pulled(&self, k: usize) -> bool {
        self.corners(k).iter().any(|i| self.pulled[*i as usize])
    }

    /// Level of each element at rest.
    fn levels(&self) -> impl Iterator<Item = u8> + '_ {
        let folds = self.folds.iter().map(|fold| fold.level);
        let membranes = self.membranes.iter().map(|membrane| membrane.level);
        folds
            .chain(membranes)
            .chain(self.edges.iter().map(|edge| edge.level))
    }

    /// Corners of element `k`.
    pub(crate) fn corners(&self, k: usize) -> &[u32] {
        let (folds, membranes) = (self.folds.len(), self.membranes.len());
        match (self.folds.get(k), k.checked_sub(folds)) {
            (Some(fold), _) => &fold.hinge.corners,
            (None, Some(m)) if m < membranes => &self.membranes[m].triangle.corners,
            (None, Some(m)) => &self.edges[m - membranes].spring.ends,
            (None, None) => &[],
        }
    }

    /// Makes springs stiffer than their clocks know, and keeps these as they are.
    #[cfg(test)]
    pub(crate) fn outgrow_clocks(&mut self, stiffer: f64) {
        for edge in &mut self.edges {
            edge.spring.stiffness *= stiffer;
        }
        self.floor = LEVELS as u8;
    }

    fn lowered(&self, level: u8, drop: u8) -> u8 {
        level.saturating_sub(drop).max(self.floor.min(level))
    }

    /// By how many levels element `k` should tick below its level at rest, where its vertices are now: so many that
    /// the period is at most `slack` times the bound for its shape and motion.
    fn wanted_drop(
        &self,
        k: usize,
        inverse_mass: &[f64],
        at: &impl Fn(u32, f64) -> Vec3,
        slack: f64,
    ) -> u8 {
        let (folds, membranes) = (self.folds.len(), self.membranes.len());
        if let Some(fold) = self.folds.get(k) {
            let x = fold.hinge.corners.map(|i| at(i, 0.0));
            let mass = fold.hinge.corners.map(|i| inverse_mass[i as usize]);
            let omega = fold.hinge.frequency_squared(x, mass).sqrt();
            // a bound that is no number stands for a shape without area
            let allowed = level_of(slack * self.fraction / omega.max(fold.omega)).unwrap_or(0);
            return fold.level.saturating_sub(allowed).min(MOST);
        }
        let fits = |level: u8, fits: &dyn Fn(f64) -> bool| {
            let fits = |drop: &u8| fits(period(self.lowered(level, *drop)));
            (0..MOST).find(fits).unwrap_or(MOST)
        };
        let part = match self.is_pulled(k) {
            true => PULLED,
            false => MOVED,
        };
        if let Some(membrane) = self.membranes.get(k - folds) {
            let triangle = &membrane.triangle;
            let place = |h: f64| triangle.corners.map(|i| at(i, h));
            let (x, before) = (place(0.0), triangle.gradient(place(0.0)));
            let now = triangle.stiffening(x);
            return fits(membrane.level, &|h| {
                let x = place(h);
                // not far from the shape at the last tick, and not too stiff for the period at its end; down to half
                // of that where it is stretched far, as its force bends over a period
                let after = triangle.gradient(x);
                let far = |k: usize| {
                    let most = slack * part * before[k].length().max(1.0);
                    (after[k] - before[k]).length_squared() > most * most
                };
                let root = now.max(triangle.stiffening(x)).sqrt();
                !far(0) && !far(1) && h * root <= slack * membrane.longest * (0.5 + 0.5 / root)
            });
        }
        let Some(edge) = self.edges.get(k - folds - membranes) else {
            return 0;
        };
        let along = |h: f64| {
            let [a, b] = edge.spring.ends.map(|i| at(i, h));
            b - a
        };
        let now = along(0.0);
        let most = slack * part * now.length().max(edge.spring.length);
        fits(edge.level, &|h| {
            (along(h) - now).length_squared() <= most * most
        })
    }

    /// Whether an element of `clock_level` has outgrown the bound of its clock, with vertices at `at`; hinges only if `all`.
    pub(crate) fn is_outgrown(
        &self,
        clock_level: &ClockLevel,
        drops: &[u8],
        inverse_mass: &[f64],
        at: &impl Fn(u32, f64) -> Vec3,
        all: bool,
    ) -> bool {
        let grown = |k: &u32| {
            let k = *k as usize;
            let slack = match k < self.folds.len() {
                true if !all => return false,
                true => OUTGROWN.0,
                false => OUTGROWN.1,
            };
            self.wanted_drop(k, inverse_mass, at, slack) > drops[k]
        };
        clock_level.followed.iter().any(grown)
    }

    /// Levels below rest by the present shape: lowered where the bound asks for it, raised again where there is twice
    /// the room.
    pub(crate) fn follow(
        &self,
        drops: &mut [u8],
        inverse_mass: &[f64],
        at: &impl Fn(u32, f64) -> Vec3,
    ) {
        for (k, drop) in drops.iter_mut().enumerate() {
            let (least, most) = (
                self.wanted_drop(k, inverse_mass, at, 1.0),
                self.wanted_drop(k, inverse_mass, at, 0.5),
            );
            *drop = (*drop).clamp(least, most.max(least));
        }
    }
}

/// Bound of the bending frequencies about each hinge: the root of its row's weighted sum \[1/s\].
fn hinge_rows(
    hinges: &[Hinge],
    gradients: &[[Vec3; 4]],
    inverse_mass: &[f64],
    vertices: std::ops::Range<usize>,
) -> Vec<f64> {
    let first = vertices.start as u32;
    let corners = hinges
        .iter()
        .enumerate()
        .flat_map(|(k, hinge)| hinge.corners.map(|i| (i - first, k as u32)));
    let at = Rows::new(vertices.len(), corners);
    let mixed = |a: usize, b: usize| {
        let mut sum = 0.0;
        for (i, x) in hinges[a].corners.iter().zip(&gradients[a]) {
            for (j, y) in hinges[b].corners.iter().zip(&gradients[b]) {
                if i == j {
                    sum += x.dot(*y) * inverse_mass[*i as usize];
                }
            }
        }
        (hinges[a].stiffness * hinges[b].stiffness).sqrt() * sum
    };
    let own: Vec<f64> = (0..hinges.len()).map(|k| mixed(k, k).sqrt()).collect();
    let mut near: Vec<u32> = Vec::new();
    let mut rows = Vec::with_capacity(hinges.len());
    for (k, hinge) in hinges.iter().enumerate() {
        near.clear();
        for i in hinge.corners {
            near.extend(at.row((i - first) as usize));
        }
        near.sort_unstable();
        near.dedup();
        let sum: f64 = near
            .iter()
            .map(|f| mixed(k, *f as usize).abs() * own[*f as usize])
            .sum();
        rows.push(if own[k] > 0.0 {
            (sum / own[k]).sqrt()
        } else {
            0.0
        });
    }
    rows
}
