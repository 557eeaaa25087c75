//! A model made ready: flat lists of vertices, edges, faces and elastic elements by clock.

use drystone_base::Vec3;

use crate::clock::{LEVELS, level_of, period};
use crate::eights::{Hinges, Springs, in_eights};
use crate::elastic::{Hinge, Spring, Triangle, hinge_angle};
use crate::mover::{Mover, movers};
use crate::options::Gravity;
use crate::penalty_layers::Layers;
use crate::{Error, Load, Model, Options, Stretch};

/// Rows of numbers of different lengths, in one array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    start: Vec<u32>,
    values: Vec<u32>,
}

impl Rows {
    fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut start = vec![0u32; count + 1];
        for (row, _) in pairs.clone() {
            start[row as usize + 1] += 1;
        }
        for k in 0..count {
            start[k + 1] += start[k];
        }
        let (mut at, mut values) = (start.clone(), vec![0; start[count] as usize]);
        for (row, value) in pairs {
            values[at[row as usize] as usize] = value;
            at[row as usize] += 1;
        }
        Self { start, values }
    }

    #[inline]
    pub(crate) fn row(&self, k: usize) -> &[u32] {
        &self.values[self.start[k] as usize..self.start[k + 1] as usize]
    }
}

/// A sheet or an obstacle in the flat lists.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) vertices: std::ops::Range<usize>,
    pub(crate) faces: std::ops::Range<usize>,
    pub(crate) edges: std::ops::Range<usize>,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
}

/// Elements that tick together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beat {
    pub(crate) springs: Vec<Spring>,
    pub(crate) hinges: Vec<Hinge>,
    /// The first of the springs and hinges again, in runs of eight.
    pub(crate) spring_runs: Vec<Springs>,
    pub(crate) hinge_runs: Vec<Hinges>,
    pub(crate) triangles: Vec<Triangle>,
    /// Vertices that loads, air and fields act on.
    pub(crate) aired: Vec<u32>,
    /// Free vertices kicked by gravity.
    pub(crate) heavy: Vec<u32>,
    /// Every vertex that any of these moves.
    pub(crate) stencil: Vec<u32>,
    /// Vertices whose certificates are looked at, besides.
    pub(crate) watched: Vec<u32>,
}

/// All that stays fixed.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    pub(crate) objects: Vec<Object>,
    /// How many of them are sheets; obstacles follow.
    pub(crate) sheets: usize,
    pub(crate) object: Vec<u32>,
    /// Start of every vertex [m], [m/s].
    pub(crate) start: Vec<Vec3>,
    pub(crate) velocity: Vec<Vec3>,
    pub(crate) rest: Vec<Vec3>,
    /// Of a vertex when it is free; 0 of obstacles [1/kg].
    pub(crate) inverse_mass: Vec<f64>,
    /// Largest inverse mass that a vertex may have for contact: of obstacles that give way, else as above [1/kg].
    pub(crate) lightness: Vec<f64>,
    /// Area of a vertex for drag, times the drag coefficient [kg/s].
    pub(crate) drag: Vec<f64>,
    /// Forces on vertices, numbered among all.
    pub(crate) loads: Vec<Load>,
    pub(crate) edges: Vec<[u32; 2]>,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) vertex_edges: Rows,
    pub(crate) vertex_faces: Rows,
    /// Neither edge nor face.
    pub(crate) particle: Vec<bool>,
    /// An edge without a face.
    pub(crate) bare: Vec<bool>,
    pub(crate) beats: Vec<Beat>,
    /// Bit k: something ticks on level k.
    pub(crate) beat_mask: u64,
    /// Level at which a vertex is looked at, at the latest.
    pub(crate) check: Vec<u8>,
    pub(crate) movers: Vec<Mover>,
    /// Prescribed for ever, so that nothing pushes it.
    pub(crate) held: Vec<bool>,
    /// Never moves, so needs no looking after.
    pub(crate) fixed: Vec<bool>,
    pub(crate) layers: Layers,
    /// Of the drift between kicks; 0 if gravity ticks [m/s²].
    pub(crate) gravity: Vec3,
    /// Its size.
    pub(crate) fall: f64,
    /// What energies are measured against [m/s²].
    pub(crate) true_gravity: Vec3,
    pub(crate) plane: bool,
    pub(crate) thickness: f64,
    pub(crate) early: f64,
}

/// Longest time between two looks at a vertex [s].
const LOOK: f64 = 1.0 / 1024.0;

impl Net {
    /// Flattens a model whose numbers were checked.
    pub(crate) fn new(model: &Model, options: &Options) -> Result<Self, Error> {
        let mut net = Self {
            objects: Vec::new(),
            sheets: model.sheets.len(),
            object: Vec::new(),
            start: Vec::new(),
            velocity: Vec::new(),
            rest: Vec::new(),
            inverse_mass: Vec::new(),
            lightness: Vec::new(),
            drag: Vec::new(),
            loads: Vec::new(),
            edges: Vec::new(),
            faces: Vec::new(),
            vertex_edges: Rows::default(),
            vertex_faces: Rows::default(),
            particle: Vec::new(),
            bare: Vec::new(),
            beats: vec![Beat::default(); LEVELS],
            beat_mask: 0,
            check: Vec::new(),
            movers: Vec::new(),
            held: Vec::new(),
            fixed: Vec::new(),
            layers: Layers::new(model.contact, options),
            gravity: match options.gravity {
                Gravity::Ballistic => model.gravity,
                Gravity::Ticking(_) => Vec3::ZERO,
            },
            fall: match options.gravity {
                Gravity::Ballistic => model.gravity.length(),
                Gravity::Ticking(_) => 0.0,
            },
            true_gravity: model.gravity,
            plane: model.plane,
            thickness: model.contact.thickness,
            early: options.early,
        };
        for sheet in &model.sheets {
            let first = net.start.len() as u32;
            let rest = sheet.rest.as_ref().unwrap_or(&sheet.points);
            net.add(
                &sheet.name,
                &sheet.points,
                rest,
                &sheet.faces,
                &sheet.segments,
            );
            let mut mass = vec![sheet.material.vertex_mass; sheet.points.len()];
            let mut area = vec![0.0; sheet.points.len()];
            for face in &sheet.faces {
                let x = face.map(|i| rest[i as usize]);
                let third = (x[1] - x[0]).cross(x[2] - x[0]).length() / 6.0;
                for i in face {
                    mass[*i as usize] += sheet.material.density * third;
                    area[*i as usize] += third;
                }
            }
            for i in 0..sheet.points.len() {
                net.inverse_mass
                    .push(if mass[i] > 0.0 { 1.0 / mass[i] } else { 0.0 });
                net.drag.push(sheet.material.drag * area[i]);
                net.velocity
                    .push(sheet.velocities.get(i).copied().unwrap_or(Vec3::ZERO));
            }
            net.loads.extend(sheet.loads.iter().map(|load| Load {
                vertices: load.vertices.iter().map(|i| first + i).collect(),
                ..load.clone()
            }));
            if let Some(object) = net.objects.last_mut() {
                object.friction = sheet.material.friction;
                object.restitution = sheet.material.restitution;
            }
        }
        for obstacle in &model.obstacles {
            net.add(
                &obstacle.name,
                &obstacle.points,
                &obstacle.points,
                &obstacle.faces,
                &obstacle.segments,
            );
            let count = net.start.len();
            net.inverse_mass.resize(count, 0.0);
            net.lightness.resize(count - obstacle.points.len(), 0.0);
            net.lightness.extend(&obstacle.inverse_mass);
            net.lightness.resize(count, 0.0);
            net.drag.resize(count, 0.0);
            net.velocity.resize(count, Vec3::ZERO);
            if let Some(object) = net.objects.last_mut() {
                object.friction = obstacle.friction;
                object.restitution = obstacle.restitution;
            }
        }
        net.lightness.resize(net.start.len(), 0.0);
        for (lightness, inverse_mass) in net.lightness.iter_mut().zip(&net.inverse_mass) {
            *lightness = lightness.max(*inverse_mass);
        }
        net.finish_topology();
        net.movers = movers(model);
        net.held = vec![false; net.start.len()];
        net.fixed = net.held.clone();
        for mover in &net.movers {
            for i in &mover.vertices {
                net.held[*i as usize] = mover.until.is_none();
                net.fixed[*i as usize] = mover.is_fixed();
            }
        }
        net.add_elements(model, options)?;
        net.add_clocks(model, options);
        Ok(net)
    }

    fn add(
        &mut self,
        name: &str,
        points: &[Vec3],
        rest: &[Vec3],
        faces: &[[u32; 3]],
        segments: &[[u32; 2]],
    ) {
        let (v, e, f) = (self.start.len(), self.edges.len(), self.faces.len());
        self.start.extend(points);
        self.rest.extend(rest);
        self.object
            .resize(self.start.len(), self.objects.len() as u32);
        self.faces
            .extend(faces.iter().map(|face| face.map(|i| i + v as u32)));
        let mut edges: Vec<[u32; 2]> = segments.iter().map(|s| sorted(*s)).collect();
        for face in faces {
            edges.extend([[0, 1], [1, 2], [2, 0]].map(|[a, b]| sorted([face[a], face[b]])));
        }
        edges.sort_unstable();
        edges.dedup();
        self.edges
            .extend(edges.iter().map(|edge| edge.map(|i| i + v as u32)));
        self.objects.push(Object {
            name: name.into(),
            vertices: v..self.start.len(),
            faces: f..self.faces.len(),
            edges: e..self.edges.len(),
            friction: 0.0,
            restitution: 0.0,
        });
    }

    fn finish_topology(&mut self) {
        let count = self.start.len();
        let edges = self.edges.iter().enumerate();
        self.vertex_edges = Rows::new(count, edges.flat_map(|(k, e)| e.map(|i| (i, k as u32))));
        let faces = self.faces.iter().enumerate();
        self.vertex_faces = Rows::new(count, faces.flat_map(|(k, f)| f.map(|i| (i, k as u32))));
        self.particle = (0..count)
            .map(|i| self.vertex_edges.row(i).is_empty())
            .collect();
        self.bare = (0..self.edges.len())
            .map(|e| self.faces_of_edge(e).next().is_none())
            .collect();
    }

    /// Faces at an edge.
    pub(crate) fn faces_of_edge(&self, e: usize) -> impl Iterator<Item = usize> + '_ {
        let [a, b] = self.edges[e];
        let faces = self
            .vertex_faces
            .row(a as usize)
            .iter()
            .map(|f| *f as usize);
        faces.filter(move |f| self.faces[*f].contains(&b))
    }

    /// The object of an edge or face, by its first vertex.
    pub(crate) fn object_of(&self, vertex: u32) -> &Object {
        &self.objects[self.object[vertex as usize] as usize]
    }

    /// Elastic elements, each on the clock that its stability asks for.
    fn add_elements(&mut self, model: &Model, options: &Options) -> Result<(), Error> {
        let fraction = options.elastic_fraction;
        for (s, sheet) in model.sheets.iter().enumerate() {
            let (object, material) = (self.objects[s].clone(), &sheet.material);
            let label = format!("sheet `{}`", sheet.name);
            let too_stiff = |what: &str, h: f64| {
                Error::quantity(
                    &label,
                    what,
                    format!("so stiff that its stable period is {h:.1e} s"),
                    format!("one that allows {:.1e} s", options.shortest_period),
                )
            };
            let level = |what: &str, h: f64| {
                level_of(h)
                    .filter(|_| h >= options.shortest_period)
                    .ok_or_else(|| too_stiff(what, h))
            };
            // stretching
            let mut stretch_omega = vec![0.0f64; self.edges.len()];
            for e in object.edges.clone() {
                let ends = self.edges[e].map(|i| i as usize);
                let length = (self.rest[ends[1]] - self.rest[ends[0]]).length();
                let stiffness = match material.stretch {
                    Stretch::Spring(k) => k,
                    Stretch::Shell(k) => 2.0 * k / length,
                    Stretch::Triangle { young, .. } if self.bare[e] => young,
                    Stretch::Triangle { .. } => 0.0,
                };
                let lightest = self.inverse_mass[ends[0]].max(self.inverse_mass[ends[1]]);
                let degree = ends
                    .map(|i| self.vertex_edges.row(i).len())
                    .into_iter()
                    .max()
                    .unwrap_or(1);
                let omega = (2.0 * degree as f64 * stiffness * lightest).sqrt();
                stretch_omega[e] = omega;
                if stiffness == 0.0 && material.stretch_damping == 0.0 {
                    continue;
                }
                let level = level(
                    "stretch",
                    if omega > 0.0 {
                        fraction * 2.0 / omega
                    } else {
                        options.field_period
                    },
                )?;
                let inverse_mass = self.inverse_mass[ends[0]] + self.inverse_mass[ends[1]];
                let spring = Spring::new(
                    self.edges[e],
                    length,
                    stiffness,
                    material.stretch_damping,
                    period(level),
                    inverse_mass,
                );
                self.beats[level as usize].springs.push(spring);
            }
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
                    let level = level("stretch.young", fraction * height / speed * 0.577)?;
                    let triangle = Triangle::new(corners, x, young, poisson, period(level));
                    self.beats[level as usize].triangles.extend(triangle);
                    for e in object
                        .edges
                        .clone()
                        .filter(|e| self.edges[*e].iter().all(|i| corners.contains(i)))
                    {
                        stretch_omega[e] = stretch_omega[e].max(2.0 * speed / height);
                    }
                }
            }
            // bending
            if material.bending == 0.0 && material.bending_damping == 0.0 {
                continue;
            }
            for e in object.edges.clone() {
                let faces: Vec<usize> = self.faces_of_edge(e).collect();
                let [f1, f2] = faces[..] else { continue };
                let Some((hinge, omega)) =
                    self.hinge(e, f1, f2, material.bending, material.bending_damping)
                else {
                    continue;
                };
                // not slower than a quarter of the stretch period: no resonance of the two clocks
                let quarter = 0.5 * std::f64::consts::PI / stretch_omega[e].max(1e-3);
                let h = (fraction * 2.0 / (2.0 * omega)).min(quarter).min(LOOK);
                let level = level("bending", h)?;
                self.beats[level as usize].hinges.push(Hinge {
                    period: period(level),
                    ..hinge
                });
            }
        }
        Ok(())
    }

    /// The hinge at an edge, and its own frequency [1/s]; `None` if a rest triangle has no area.
    fn hinge(
        &self,
        e: usize,
        f1: usize,
        f2: usize,
        stiffness: f64,
        damping: f64,
    ) -> Option<(Hinge, f64)> {
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
        let inverse: f64 = (0..4)
            .map(|k| gradient[k].length_squared() * self.inverse_mass[corners[k] as usize])
            .sum();
        let hinge = Hinge {
            corners,
            angle,
            stiffness,
            damping,
            period: 0.0,
        };
        Some((hinge, (stiffness * inverse).sqrt()))
    }

    /// Who ticks and who is looked at, level by level.
    fn add_clocks(&mut self, model: &Model, options: &Options) {
        let count = self.start.len();
        let field = level_of(options.field_period).unwrap_or(30) as usize;
        let air = !model.fields.is_empty();
        let mut aired: Vec<u32> = (0..count as u32)
            .filter(|i| {
                self.inverse_mass[*i as usize] > 0.0 && (air || self.drag[*i as usize] > 0.0)
            })
            .chain(
                self.loads
                    .iter()
                    .flat_map(|load| load.vertices.iter().copied()),
            )
            .collect();
        aired.sort_unstable();
        aired.dedup();
        self.beats[field].aired = aired;
        if let Gravity::Ticking(h) = options.gravity {
            let level = level_of(h).unwrap_or(30) as usize;
            let free = (0..count as u32).filter(|i| self.inverse_mass[*i as usize] > 0.0);
            self.beats[level].heavy = free.collect();
        }
        let look = level_of(LOOK).unwrap_or(30);
        self.check = vec![u8::MAX; count];
        for level in 0..LEVELS {
            let beat = &mut self.beats[level];
            let runs = in_eights(&mut beat.springs, |_| true, |spring| &spring.ends);
            beat.spring_runs = beat.springs[..8 * runs]
                .chunks(8)
                .map(Springs::new)
                .collect();
            let undamped = |hinge: &Hinge| hinge.damping == 0.0;
            let runs = in_eights(&mut beat.hinges, undamped, |hinge| &hinge.corners);
            beat.hinge_runs = beat.hinges[..8 * runs].chunks(8).map(Hinges::new).collect();
            let mut stencil: Vec<u32> = Vec::new();
            stencil.extend(beat.springs.iter().flat_map(|s| s.ends));
            stencil.extend(beat.hinges.iter().flat_map(|h| h.corners));
            stencil.extend(beat.triangles.iter().flat_map(|t| t.corners));
            stencil.extend(beat.aired.iter().chain(&beat.heavy));
            stencil.sort_unstable();
            stencil.dedup();
            stencil.retain(|i| self.inverse_mass[*i as usize] > 0.0);
            for i in &stencil {
                let check = &mut self.check[*i as usize];
                *check = (*check).min(level as u8);
            }
            beat.stencil = stencil;
        }
        for i in 0..count {
            if self.check[i] > look {
                self.check[i] = look;
                if !self.fixed[i] {
                    self.beats[look as usize].watched.push(i as u32);
                }
            }
        }
        for (level, beat) in self.beats.iter().enumerate() {
            if !beat.stencil.is_empty() || !beat.watched.is_empty() {
                self.beat_mask |= 1 << level;
            }
        }
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
