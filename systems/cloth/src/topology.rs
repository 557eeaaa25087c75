//! A model made ready: flat lists of vertices, edges, faces and elastic elements by clock.

use drystone_base::Vec3;
use drystone_common::Material;

use crate::clock_levels::{ClockLevel, Elements};
use crate::mover::{Mover, movers};
use crate::options::Gravity;
use crate::penalty_layers::Layers;
use crate::{Error, Load, Model, Options};

/// Rows of numbers of different lengths, in one array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    start: Vec<u32>,
    values: Vec<u32>,
}

impl Rows {
    pub(crate) fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
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
    pub(crate) planes: std::ops::Range<usize>,
    /// Against whatever has no material of the table.
    pub(crate) own: Material,
    /// Material of the table, and what holds between it and each of them.
    pub(crate) surface: Option<(usize, Vec<Material>)>,
}

impl Object {
    /// Friction and restitution between this and `other`.
    #[inline]
    pub(crate) fn contact(&self, other: &Self) -> Material {
        match (&self.surface, &other.surface) {
            (Some((_, row)), Some((b, _))) => row[*b],
            _ => self.own.against(&other.own),
        }
    }
}

/// All that stays fixed.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    pub(crate) objects: Vec<Object>,
    /// How many of them are sheets; obstacles follow.
    pub(crate) sheets: usize,
    pub(crate) object: Vec<u32>,
    /// Start of every vertex \[m\], \[m/s\].
    pub(crate) start: Vec<Vec3>,
    pub(crate) velocity: Vec<Vec3>,
    pub(crate) rest: Vec<Vec3>,
    /// Of a vertex when it is free; 0 of obstacles \[1/kg\].
    pub(crate) inverse_mass: Vec<f64>,
    /// Largest inverse mass that a vertex may have for contact: of obstacles that give way, else as above \[1/kg\].
    pub(crate) lightness: Vec<f64>,
    /// Area of a vertex for drag, times the drag coefficient \[kg/s\].
    pub(crate) drag: Vec<f64>,
    /// Forces on vertices, numbered among all.
    pub(crate) loads: Vec<Load>,
    pub(crate) edges: Vec<[u32; 2]>,
    pub(crate) faces: Vec<[u32; 3]>,
    /// Half-spaces, each by three points of its plane.
    pub(crate) planes: Vec<[u32; 3]>,
    /// Whether a vertex is a point of such a plane, and nothing else.
    pub(crate) anchor: Vec<bool>,
    pub(crate) vertex_edges: Rows,
    pub(crate) vertex_faces: Rows,
    /// Neither edge nor face.
    pub(crate) particle: Vec<bool>,
    /// An edge without a face.
    pub(crate) bare: Vec<bool>,
    pub(crate) elements: Elements,
    /// By vertex, bound of the frequencies of elastic modes at rest \[1/s\], and the highest level of an element. Written
    /// by `add_elements`.
    pub(crate) modes: Vec<f64>,
    pub(crate) slowest: Vec<u8>,
    /// Vertices that loads, air and fields act on, and the levels of those and of ticking gravity.
    pub(crate) loaded_vertices: Vec<u32>,
    pub(crate) field_level: usize,
    pub(crate) gravity_level: Option<usize>,
    /// Of the present grouping: who ticks on each level. Written by `group`, as are the next three.
    pub(crate) clock_levels: Vec<ClockLevel>,
    /// Level of each element, in the order of [`Elements`]: hinges, triangles, edges.
    pub(crate) levels: Vec<u8>,
    /// Bit k: something ticks on level k.
    pub(crate) clock_mask: u64,
    /// Level at which a vertex is looked at, at the latest.
    pub(crate) check: Vec<u8>,
    pub(crate) movers: Vec<Mover>,
    /// Prescribed for ever, so that nothing pushes it.
    pub(crate) held: Vec<bool>,
    /// Of a line that may give way: what is prescribed can push it.
    pub(crate) yields: Vec<bool>,
    /// Never moves, so needs no looking after.
    pub(crate) fixed: Vec<bool>,
    /// The first vertex of an obstacle; all after it are.
    pub(crate) first_of_obstacles: usize,
    /// Of prescribed vertices: those with the same number move as one rigid body, see `scripted.rs`.
    pub(crate) rigid_group: Vec<u32>,
    pub(crate) layers: Layers,
    /// Of the drift between kicks; 0 if gravity ticks \[m/s²\].
    pub(crate) gravity: Vec3,
    /// Its size.
    pub(crate) fall: f64,
    /// What energies are measured against \[m/s²\].
    pub(crate) true_gravity: Vec3,
    pub(crate) plane: bool,
    /// Largest thickness of the outermost layer of any pair \[m\].
    pub(crate) thickness: f64,
    /// By vertex, what the sizes of balls and boxes are measured by: how far motion may go until something may be
    /// near. The thickness, or two thirds of the shortest edge at the vertex where that is more \[m\].
    pub(crate) scale: Vec<f64>,
    /// By vertex, the thickness of its sheet, or the radius of its obstacle as a negative number; empty if all pairs are
    /// alike \[m\].
    own_thickness: Vec<f64>,
    pub(crate) early: f64,
}

/// Longest time between two checks at a vertex \[s\].
pub(crate) const LONGEST_CHECK: f64 = 1.0 / 1024.0;

impl Topology {
    /// A model whose numbers were checked, with its elastic elements on their clocks.
    pub(crate) fn new(model: &Model, options: &Options) -> Result<Self, Error> {
        let mut topology = Self::flat(model, options);
        topology.add_elements(model, options)?;
        topology.add_fields(model, options);
        let pulls = topology.pulling();
        topology.group(&[], &[], &pulls);
        Ok(topology)
    }

    /// The lists of a model without its forces.
    pub(crate) fn flat(model: &Model, options: &Options) -> Self {
        let mut topology = Self {
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
            planes: Vec::new(),
            anchor: Vec::new(),
            vertex_edges: Rows::default(),
            vertex_faces: Rows::default(),
            particle: Vec::new(),
            bare: Vec::new(),
            elements: Elements::default(),
            modes: Vec::new(),
            slowest: Vec::new(),
            loaded_vertices: Vec::new(),
            field_level: 0,
            gravity_level: None,
            clock_levels: Vec::new(),
            levels: Vec::new(),
            clock_mask: 0,
            check: Vec::new(),
            movers: Vec::new(),
            held: Vec::new(),
            yields: Vec::new(),
            fixed: Vec::new(),
            first_of_obstacles: model.sheets.iter().map(|s| s.points.len()).sum(),
            rigid_group: Vec::new(),
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
            thickness: model.reach(),
            scale: Vec::new(),
            own_thickness: Vec::new(),
            early: options.early,
        };
        if model.reach() != model.thinnest() {
            for (sheet, thickness) in model.sheets.iter().zip(model.thicknesses()) {
                let count = topology.own_thickness.len() + sheet.points.len();
                topology.own_thickness.resize(count, thickness);
            }
        }
        let surface = |k: Option<usize>| k.map(|k| (k, model.materials.row(k).to_vec()));
        // sheets: topology, masses lumped to the vertices, drag, loads
        for sheet in &model.sheets {
            let first = topology.start.len() as u32;
            let rest = sheet.rest.as_ref().unwrap_or(&sheet.points);
            topology.add(
                &sheet.name,
                &sheet.points,
                rest,
                &sheet.faces,
                &sheet.segments,
            );
            let mass = sheet.vertex_masses();
            let mut area = vec![0.0; sheet.points.len()];
            for face in &sheet.faces {
                let x = face.map(|i| rest[i as usize]);
                let third = (x[1] - x[0]).cross(x[2] - x[0]).length() / 6.0;
                for i in face {
                    area[*i as usize] += third;
                }
            }
            for i in 0..sheet.points.len() {
                topology
                    .inverse_mass
                    .push(if mass[i] > 0.0 { 1.0 / mass[i] } else { 0.0 });
                topology.drag.push(sheet.material.drag * area[i]);
                topology
                    .velocity
                    .push(sheet.velocities.get(i).copied().unwrap_or(Vec3::ZERO));
            }
            topology.loads.extend(sheet.loads.iter().map(|load| Load {
                vertices: load.vertices.iter().map(|i| first + i).collect(),
                ..load.clone()
            }));
            if let Some(object) = topology.objects.last_mut() {
                let (friction, restitution) = (sheet.material.friction, sheet.material.restitution);
                object.own = Material {
                    friction,
                    restitution,
                    ..Material::default()
                };
                object.surface = surface(sheet.contact_material);
            }
        }
        // obstacles
        for obstacle in &model.obstacles {
            topology.add(
                &obstacle.name,
                &obstacle.points,
                &obstacle.points,
                &obstacle.faces,
                &obstacle.segments,
            );
            let count = topology.start.len();
            topology.inverse_mass.resize(count, 0.0);
            topology
                .lightness
                .resize(count - obstacle.points.len(), 0.0);
            let line = obstacle.faces.is_empty() && obstacle.planes.is_empty();
            let yields = line && !obstacle.inverse_mass.is_empty();
            topology.yields.resize(count - obstacle.points.len(), false);
            topology.yields.resize(count, yields);
            topology.lightness.extend(&obstacle.inverse_mass);
            topology.lightness.resize(count, 0.0);
            if !topology.own_thickness.is_empty() {
                topology.own_thickness.resize(count, -obstacle.radius);
            }
            topology.drag.resize(count, 0.0);
            topology.velocity.resize(count, Vec3::ZERO);
            topology.add_planes(&obstacle.planes);
            if let Some(object) = topology.objects.last_mut() {
                let (friction, restitution) = (obstacle.friction, obstacle.restitution);
                object.own = Material {
                    friction,
                    restitution,
                    ..Material::default()
                };
                object.surface = surface(obstacle.contact_material);
            }
        }
        topology.yields.resize(topology.start.len(), false);
        topology.lightness.resize(topology.start.len(), 0.0);
        for (lightness, inverse_mass) in topology.lightness.iter_mut().zip(&topology.inverse_mass) {
            *lightness = lightness.max(*inverse_mass);
        }
        // who is next to whom, and what moves as prescribed
        topology.finish_topology();
        topology.find_scales();
        topology.movers = movers(model);
        topology.held = vec![false; topology.start.len()];
        topology.fixed = topology.held.clone();
        for mover in &topology.movers {
            for i in &mover.vertices {
                topology.held[*i as usize] = mover.until.is_none();
                topology.fixed[*i as usize] = mover.is_fixed();
            }
        }
        topology.group_prescribed(model);
        topology
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
            planes: self.planes.len()..self.planes.len(),
            own: Material::default(),
            surface: None,
        });
    }

    fn finish_topology(&mut self) {
        let count = self.start.len();
        let edges = self.edges.iter().enumerate();
        self.vertex_edges = Rows::new(count, edges.flat_map(|(k, e)| e.map(|i| (i, k as u32))));
        let faces = self.faces.iter().enumerate();
        self.vertex_faces = Rows::new(count, faces.flat_map(|(k, f)| f.map(|i| (i, k as u32))));
        self.anchor = vec![false; count];
        for i in self.planes.iter().flatten() {
            self.anchor[*i as usize] = true;
        }
        self.particle = (0..count)
            .map(|i| self.vertex_edges.row(i).is_empty() && !self.anchor[i])
            .collect();
        self.bare = (0..self.edges.len())
            .map(|e| self.faces_of_edge(e).next().is_none())
            .collect();
    }

    /// See `scale`; points of obstacles have the least of all.
    fn find_scales(&mut self) {
        let length = |e: &u32| {
            let [a, b] = self.edges[*e as usize].map(|i| self.rest[i as usize]);
            (b - a).length()
        };
        let scale = |i: usize| {
            let lengths = self.vertex_edges.row(i).iter().map(length);
            let shortest = lengths.min_by(f64::total_cmp).unwrap_or(0.0);
            self.reach_of(i as u32).max(shortest / 1.5)
        };
        let mut scales: Vec<f64> = (0..self.first_of_obstacles).map(scale).collect();
        let least = scales.iter().copied().fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() {
            least
        } else {
            self.thickness
        };
        scales.resize(self.start.len(), least);
        self.scale = scales;
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

    /// Vertices of sheets that are, or may be, moved as prescribed.
    pub(crate) fn pulling(&self) -> Vec<bool> {
        let mut pulls = vec![false; self.start.len()];
        for mover in self.movers.iter().filter(|mover| !mover.is_fixed()) {
            for i in &mover.vertices {
                pulls[*i as usize] = true;
            }
        }
        pulls
    }

    /// Whether all pairs have the same layers.
    #[inline]
    pub(crate) fn is_alike(&self) -> bool {
        self.own_thickness.is_empty()
    }

    /// Thickness of the outermost layer of a pair with these corners: of two sheets the mean, of a sheet and an
    /// obstacle that of the sheet, or the radius of the obstacle where that is more \[m\].
    #[inline]
    pub(crate) fn thickness_of(&self, corners: &[u32; 4]) -> f64 {
        if self.is_alike() {
            return self.thickness;
        }
        let [a, b] = [corners[0], corners[3]].map(|i| self.own_thickness[i as usize]);
        if a <= 0.0 || b <= 0.0 {
            a.abs().max(b.abs())
        } else {
            0.5 * (a + b)
        }
    }

    /// Twice what a vertex adds to the thickness of a pair at most \[m\].
    #[inline]
    pub(crate) fn reach_of(&self, i: u32) -> f64 {
        match self.own_thickness.get(i as usize) {
            Some(own) if *own > 0.0 => *own,
            Some(radius) => self.thickness.max(-2.0 * radius),
            None => self.thickness,
        }
    }

    /// The object of an edge or face, by its first vertex.
    pub(crate) fn object_of(&self, vertex: u32) -> &Object {
        &self.objects[self.object[vertex as usize] as usize]
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
