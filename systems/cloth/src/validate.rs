//! Are the numbers of a model such that it can be built at all?

use std::collections::{BTreeMap, BTreeSet};

use drystone_base::Vec3;
use drystone_geometry::proximity::rounding;

use crate::model::restitution;
use crate::{Error, Model, Motion, Obstacle, Sheet};

/// Most vertices, edges or faces of a model.
const MOST: usize = 1 << 28;

impl Model {
    /// Refuses what cannot be simulated, naming the thing, the value found and the value wanted.
    pub fn validate(&self) -> Result<(), Error> {
        // layers and gravity
        let contact = &self.contact;
        for (what, x) in [
            ("contact.thickness", contact.thickness),
            ("contact.stiffness", contact.stiffness),
        ] {
            if !(x > 0.0 && x.is_finite()) {
                return Err(Error::quantity("model", what, x, "a finite number above 0"));
            }
        }
        if !self.gravity.is_finite() {
            return Err(Error::quantity(
                "model",
                "gravity",
                self.gravity,
                "a finite vector",
            ));
        }
        // names and size
        let mut names = BTreeSet::new();
        let all = self
            .sheets
            .iter()
            .map(|s| &s.name)
            .chain(self.obstacles.iter().map(|o| &o.name));
        for name in all {
            if !names.insert(name) {
                return Err(Error::SameName(name.clone()));
            }
        }
        let count: usize = self
            .sheets
            .iter()
            .map(|s| s.points.len() + s.faces.len())
            .sum::<usize>()
            + self
                .obstacles
                .iter()
                .map(|o| o.points.len() + o.faces.len())
                .sum::<usize>();
        if count > MOST {
            return Err(Error::quantity(
                "model",
                "number of vertices and faces",
                count,
                format!("{MOST} at most"),
            ));
        }
        // sheets and obstacles
        for sheet in &self.sheets {
            let thickness = sheet.thickness.unwrap_or(contact.thickness);
            if !(thickness > 0.0 && thickness.is_finite()) {
                let object = format!("sheet `{}`", sheet.name);
                return Err(Error::quantity(
                    object,
                    "thickness",
                    thickness,
                    "a finite number above 0",
                ));
            }
        }
        for sheet in &self.sheets {
            self.validate_sheet(sheet)?;
        }
        for obstacle in &self.obstacles {
            self.validate_obstacle(obstacle)?;
        }
        Ok(())
    }

    /// Checks that points are finite and not too far from the origin for the precision of `f64`.
    fn validate_points(&self, object: &str, what: &str, points: &[Vec3]) -> Result<(), Error> {
        for (i, p) in points.iter().enumerate() {
            if !p.is_finite() {
                return Err(Error::quantity(
                    object,
                    format!("{what} {i}"),
                    p,
                    "finite coordinates",
                ));
            }
            let reach = p.abs().max_element();
            let thickness = self.thinnest();
            if rounding(reach) > 1e-6 * thickness {
                let most = thickness * 1e-6 / rounding(1.0);
                return Err(Error::quantity(
                    object,
                    format!("{what} {i}"),
                    p,
                    format!(
                        "coordinates below {most:.1e} m: beyond, numbers have too few digits for a thickness of {thickness} m"
                    ),
                ));
            }
            if self.plane && p.z != 0.0 {
                return Err(Error::quantity(
                    object,
                    format!("{what} {i}"),
                    p,
                    "z = 0, the model being plane",
                ));
            }
        }
        Ok(())
    }

    fn validate_sheet(&self, sheet: &Sheet) -> Result<(), Error> {
        let object = format!("sheet `{}`", sheet.name);
        sheet.material.validate(&object)?;
        self.validate_surface(&object, sheet.contact_material)?;
        let count = sheet.points.len();
        self.validate_points(&object, "vertex", &sheet.points)?;
        let same = |what: &str, found: usize, free: bool| {
            if found == count || (free && found == 0) {
                Ok(())
            } else {
                Err(Error::quantity(
                    &object,
                    what,
                    found,
                    format!("{count}, one for each vertex"),
                ))
            }
        };
        same("number of velocities", sheet.velocities.len(), true)?;
        for (i, v) in sheet.velocities.iter().enumerate() {
            if !v.is_finite() || v.length() > 1e9 {
                return Err(Error::quantity(
                    &object,
                    format!("velocity {i}"),
                    v,
                    "a finite vector below 1e9 m/s",
                ));
            }
        }
        if let Some(rest) = &sheet.rest {
            same("number of rest points", rest.len(), false)?;
            self.validate_points(&object, "rest point", rest)?;
        }
        let rest = sheet.rest.as_ref().unwrap_or(&sheet.points);
        validate_mesh(&object, rest, &sheet.faces, &sheet.segments)?;
        // every edge has one face or two
        let mut edges: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        for (f, face) in sheet.faces.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (face[k], face[(k + 1) % 3]);
                edges.entry([a.min(b), a.max(b)]).or_default().push(f);
            }
        }
        if let Some((edge, faces)) = edges.iter().find(|(_, faces)| faces.len() > 2) {
            let x = sheet.points[edge[0] as usize];
            return Err(Error::quantity(
                &object,
                format!("edge {}-{} at {x}", edge[0], edge[1]),
                format!("shared by triangles {faces:?}"),
                "two triangles at most",
            ));
        }
        // every vertex is used, unless all are particles
        let mut used = vec![sheet.faces.is_empty() && sheet.segments.is_empty(); count];
        for i in sheet
            .faces
            .iter()
            .flatten()
            .chain(sheet.segments.iter().flatten())
        {
            used[*i as usize] = true;
        }
        if let Some(i) = used.iter().position(|used| !used) {
            return Err(Error::quantity(
                &object,
                format!("vertex {i} at {}", sheet.points[i]),
                "part of no triangle and no segment",
                "every vertex in use",
            ));
        }
        // pins name vertices once
        let mut pinned = BTreeMap::new();
        for (k, pin) in sheet.pins.iter().enumerate() {
            for i in &pin.vertices {
                if *i as usize >= count {
                    return Err(Error::quantity(
                        &object,
                        format!("pin {k}"),
                        format!("vertex {i}"),
                        format!("a number below {count}"),
                    ));
                }
                if let Some(other) = pinned.insert(*i, k) {
                    return Err(Error::quantity(
                        &object,
                        format!("vertex {i}"),
                        format!("held by pins {other} and {k}"),
                        "one pin at most",
                    ));
                }
            }
            if pin.until.is_some_and(|t| !(0.0..1e7).contains(&t)) {
                return Err(Error::quantity(
                    &object,
                    format!("pin {k}: until"),
                    format!("{:?}", pin.until),
                    "0 s to 1e7 s",
                ));
            }
            self.validate_motion(
                &format!("{object}, pin {k}"),
                &pin.motion,
                pin.vertices.len(),
            )?;
        }
        for (k, load) in sheet.loads.iter().enumerate() {
            if let Some(i) = load.vertices.iter().find(|i| **i as usize >= count) {
                return Err(Error::quantity(
                    &object,
                    format!("load {k}"),
                    format!("vertex {i}"),
                    format!("a number below {count}"),
                ));
            }
            let times = [load.ramp, load.from, load.until.unwrap_or(0.0)];
            let timely = times.iter().all(|t| *t >= 0.0 && t.is_finite());
            if !(load.force.is_finite() && timely) {
                return Err(Error::quantity(
                    &object,
                    format!("load {k}"),
                    format!("{} N in {} s", load.force, load.ramp),
                    "finite numbers, the ramp not negative",
                ));
            }
        }
        // who is free has a mass
        let mass = sheet.vertex_masses();
        let held_for_ever = |i: u32| {
            pinned
                .get(&i)
                .is_some_and(|k| sheet.pins[*k].until.is_none())
        };
        for (i, mass) in mass.iter().enumerate() {
            let range = 1e-15..1e15;
            if !range.contains(mass) && !held_for_ever(i as u32) {
                return Err(Error::quantity(
                    &object,
                    format!("mass of vertex {i}"),
                    format!("{mass} kg"),
                    "1e-15 kg to 1e15 kg: set density or vertex_mass",
                ));
            }
        }
        Ok(())
    }

    fn validate_obstacle(&self, obstacle: &Obstacle) -> Result<(), Error> {
        let object = format!("obstacle `{}`", obstacle.name);
        let endless = !obstacle.planes.is_empty() && obstacle.faces.is_empty();
        if !(self.plane && endless) {
            self.validate_points(&object, "vertex", &obstacle.points)?;
        }
        for (k, plane) in obstacle.planes.iter().enumerate() {
            self.validate_plane(&object, k, plane, obstacle)?;
        }
        validate_mesh(
            &object,
            &obstacle.points,
            &obstacle.faces,
            &obstacle.segments,
        )?;
        if !(obstacle.radius >= 0.0 && obstacle.radius.is_finite()) {
            return Err(Error::quantity(
                &object,
                "radius",
                obstacle.radius,
                "a finite number, not negative",
            ));
        }
        if !(obstacle.friction >= 0.0 && obstacle.friction.is_finite()) {
            return Err(Error::quantity(
                &object,
                "friction",
                obstacle.friction,
                "a finite number, not negative",
            ));
        }
        restitution(&object, obstacle.restitution)?;
        self.validate_surface(&object, obstacle.contact_material)?;
        self.validate_motion(&object, &obstacle.motion, obstacle.points.len())
    }

    /// Three points of a plane that are points of nothing else.
    fn validate_plane(
        &self,
        object: &str,
        k: usize,
        plane: &[u32; 3],
        obstacle: &Obstacle,
    ) -> Result<(), Error> {
        let wrong = |found: String, wanted: &str| {
            Err(Error::quantity(
                object,
                format!("half-space {k}"),
                found,
                wanted,
            ))
        };
        let count = obstacle.points.len();
        if plane.iter().any(|i| *i as usize >= count) {
            return wrong(format!("{plane:?}"), &format!("numbers below {count}"));
        }
        let used = |i: &u32| {
            let faces = obstacle.faces.iter().flatten();
            let mut others = faces.chain(obstacle.segments.iter().flatten());
            others.any(|other| other == i)
        };
        if plane.iter().any(used) {
            return wrong(format!("{plane:?}"), "points that are no part of a mesh");
        }
        let [a, b, c] = plane.map(|i| obstacle.points[i as usize]);
        let (u, w) = (b - a, c - a);
        let normal = u.cross(w);
        let sine = normal.length() / (u.length() * w.length());
        if !(sine > 0.1 && sine.is_finite()) {
            return wrong(format!("{a}, {b}, {c}"), "three points, far from one line");
        }
        if self.plane && normal.z.abs() > 1e-12 * normal.length() {
            let found = format!("of the normal {}", normal.normalize_or_zero());
            return wrong(found, "a normal in the plane z = 0, the model being plane");
        }
        Ok(())
    }

    fn validate_surface(&self, object: &str, material: Option<usize>) -> Result<(), Error> {
        match material.filter(|&m| m >= self.materials.len()) {
            None => Ok(()),
            Some(m) => {
                let wanted = "the number of one of the model's materials";
                Err(Error::quantity(object, "contact material", m, wanted))
            }
        }
    }

    fn validate_motion(&self, object: &str, motion: &Motion, count: usize) -> Result<(), Error> {
        let mut last = f64::NEG_INFINITY;
        let mut later = |k: usize, time: f64| {
            let good = time > last && (0.0..1e7).contains(&time);
            last = time;
            if good {
                Ok(())
            } else {
                Err(Error::quantity(
                    object,
                    format!("time of key {k}"),
                    format!("{time} s"),
                    "0 s to 1e7 s, each later than the one before",
                ))
            }
        };
        match motion {
            Motion::Fixed => {}
            Motion::Driven(pose) => {
                if !(pose.position.is_finite() && pose.rotation.is_normalized()) {
                    return Err(Error::quantity(
                        object,
                        "pose",
                        format!("{pose:?}"),
                        "a finite position and a unit quaternion",
                    ));
                }
            }
            Motion::Path(path) => {
                for (k, key) in path.keys().iter().enumerate() {
                    later(k, key.time)?;
                }
            }
            Motion::Points(keys) => {
                for (k, key) in keys.iter().enumerate() {
                    later(k, key.time)?;
                    if key.points.len() != count {
                        return Err(Error::quantity(
                            object,
                            format!("number of points of key {k}"),
                            key.points.len(),
                            count.to_string(),
                        ));
                    }
                    self.validate_points(object, &format!("key {k}, point"), &key.points)?;
                }
            }
        }
        Ok(())
    }
}

/// Indices in range, triangles with an area, nothing twice.
fn validate_mesh(
    object: &str,
    points: &[Vec3],
    faces: &[[u32; 3]],
    segments: &[[u32; 2]],
) -> Result<(), Error> {
    let mut seen = BTreeMap::new();
    // triangles: of known vertices, once each, with an area
    for (f, face) in faces.iter().enumerate() {
        let what = format!("triangle {f}");
        if let Some(i) = face.iter().find(|i| **i as usize >= points.len()) {
            return Err(Error::quantity(
                object,
                what,
                format!("made of vertex {i}"),
                format!("numbers below {}", points.len()),
            ));
        }
        let mut key = *face;
        key.sort_unstable();
        if key[0] == key[1] || key[1] == key[2] {
            return Err(Error::quantity(
                object,
                what,
                format!("{face:?}"),
                "three different vertices",
            ));
        }
        if let Some(other) = seen.insert(key, f) {
            return Err(Error::quantity(
                object,
                what,
                format!("the same three vertices as triangle {other}"),
                "each triangle once",
            ));
        }
        let x = face.map(|i| points[i as usize]);
        let longest = (0..3)
            .map(|k| (x[k] - x[(k + 1) % 3]).length())
            .fold(0.0, f64::max);
        let height = (x[1] - x[0]).cross(x[2] - x[0]).length() / longest;
        if height.is_nan() || height <= 1e-8 * longest {
            return Err(Error::quantity(
                object,
                format!("{what} at {}", x[0]),
                format!("{height:.1e} m high and {longest:.1e} m long"),
                "a triangle with an area",
            ));
        }
    }
    // segments: of known vertices, with a length
    for (s, segment) in segments.iter().enumerate() {
        if let Some(i) = segment.iter().find(|i| **i as usize >= points.len()) {
            return Err(Error::quantity(
                object,
                format!("segment {s}"),
                format!("made of vertex {i}"),
                format!("numbers below {}", points.len()),
            ));
        }
        if points[segment[0] as usize] == points[segment[1] as usize] {
            return Err(Error::quantity(
                object,
                format!("segment {s}"),
                "without length",
                "two different points",
            ));
        }
    }
    Ok(())
}
