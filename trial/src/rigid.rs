//! Random scenes of rigid bodies. Recipes write them with bodies of about a metre; [`resize`] then scales
//! lengths over six decades, and time with the root of the length, so that gravity acts alike.

use drystone_base::functions::rotation_about;
use drystone_base::random::Random;
use drystone_base::{Pose, Quat, Vec3};
use drystone_world::{Body, Motion, Scene, Shape, World};

use crate::overlap::Overlaps;
use crate::shapes::{Form, THINNEST, around, decades, direction, scaled, shape, thickness};
use crate::{Expect, Recipe};

macro_rules! recipes {
    ($($kind:literal $make:ident),* $(,)?) => {
        /// All kinds of scene of rigid bodies.
        pub(crate) const RECIPES: &[Recipe] = &[$(Recipe { kind: $kind, make: $make }),*];
    };
}

recipes! {
    "spin" spin,
    "cluster" cluster,
    "heap" heap,
    "bin" bin,
    "storm" storm,
    "tower" tower,
    "columns" columns,
    "wall" wall,
    "piers" piers,
    "bed" bed,
    "cradle" cradle,
    "shot" shot,
    "slope" slope,
}

/// Step of a scene with bodies of a metre \[s\].
const STEP: f64 = 0.01;
/// Most steps of a run.
const MOST_STEPS: f64 = 200.0;
/// Acceleration of gravity \[m/s²\].
pub(crate) const GRAVITY: f64 = 9.81;

/// A scene in the making, with bodies of about a metre.
struct Site<'a> {
    random: &'a mut Random,
    scene: Scene,
    /// Boxes about the bodies placed so far \[m\].
    taken: Vec<(Vec3, Vec3)>,
    /// Form of all loose bodies of the scene; each has its own where this is `None`.
    form: Option<Form>,
    /// Largest over smallest size of loose bodies \[1\].
    spread: f64,
    /// Largest over smallest density of loose bodies \[1\].
    ratio: f64,
}

impl<'a> Site<'a> {
    fn new(random: &'a mut Random, gravity: f64) -> Self {
        let mut scene = Scene::new();
        scene.gravity = [0.0, -gravity, 0.0];
        let friction = match random.below(8) {
            0 => 0.0,
            1..=3 => 0.5,
            _ => random.range(0.0, 2.0),
        };
        let restitution = match random.below(10) {
            0 => 1.0,
            1..=5 => 0.0,
            _ => random.unit(),
        };
        scene.material("default", friction, restitution);
        // of sizes and densities, so that masses differ by no more than 1e4
        let spread = match random.below(4) {
            0 => 1.0,
            1 | 2 => random.range(1.0, 3.0),
            _ => decades(random, 1.0, 20.0),
        };
        let most = 1e4 / (spread * spread * spread);
        let ratio = if random.unit() < 0.4 && most > 1.0 {
            decades(random, 1.0, most)
        } else {
            1.0
        };
        let form = (random.unit() < 0.6).then(|| Form::any(random));
        Self {
            random,
            scene,
            taken: Vec::new(),
            form,
            spread,
            ratio,
        }
    }

    fn unit(&mut self) -> f64 {
        self.random.unit()
    }

    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.random.range(low, high)
    }

    /// A whole number from `low` to `high`, both included.
    fn count(&mut self, low: usize, high: usize) -> usize {
        low + self.random.below(high + 1 - low)
    }

    /// A number of loose bodies, smaller for meshes, which cost a hundred times as much.
    fn crowd(&mut self, low: usize, high: usize) -> usize {
        let count = self.count(low, high);
        if self.form == Some(Form::Mesh) {
            count.min(6)
        } else {
            count
        }
    }

    fn add(&mut self, body: Body) {
        self.taken.push(around(&body.shape, &body.pose()));
        let name = format!("{}{}", body.shape.kind(), self.scene.bodies.len());
        self.scene.add(body.named(name));
    }

    /// A floor: without end, or a slab.
    fn ground(&mut self) {
        if self.unit() < 0.6 {
            self.scene.ground();
        } else {
            let thick = decades(self.random, 0.1, 2.0);
            self.scene.ground_slab(40.0, thick, 40.0);
        }
    }

    /// A loose body of random shape, not placed yet.
    fn loose(&mut self) -> Body {
        let form = match self.form {
            Some(form) => form,
            None => Form::any(self.random),
        };
        let size = 1.0 / decades(self.random, 1.0, self.spread.max(1.000_001));
        let density = 1000.0 * decades(self.random, 1.0, self.ratio.max(1.000_001));
        Body::new(shape(self.random, form, size)).density(density)
    }

    /// Turned at random: anyhow, or flat.
    fn turned(&mut self) -> Quat {
        match self.random.below(4) {
            0 => Quat::IDENTITY,
            1 => rotation_about(Vec3::Y, self.range(0.0, std::f64::consts::TAU)),
            _ => self.random.rotation(),
        }
    }

    /// Puts `body` into the box from `low` to `high` where nothing is yet; false if there is no room.
    fn place(&mut self, body: Body, low: Vec3, high: Vec3) -> bool {
        for _ in 0..60 {
            let rotation = self.turned();
            let spot = Vec3::new(
                self.range(low.x, high.x),
                self.range(low.y, high.y),
                self.range(low.z, high.z),
            );
            let pose = Pose::new(spot, rotation);
            let (from, to) = around(&body.shape, &pose);
            let inside = from.cmpge(low).all() && to.cmple(high).all();
            let apart = |other: &(Vec3, Vec3)| from.cmpgt(other.1).any() || to.cmplt(other.0).any();
            if inside && self.taken.iter().all(apart) {
                self.add(body.posed(&pose));
                return true;
            }
        }
        false
    }

    /// A spin of up to `most`, each decade below alike; sometimes none \[rad/s\].
    fn spin(&mut self, most: f64) -> Vec3 {
        if self.unit() < 0.3 {
            return Vec3::ZERO;
        }
        direction(self.random) * decades(self.random, 0.01 * most, most)
    }

    /// Runs for `seconds`, at the usual step or at an odd one, then scaled.
    fn finish(mut self, seconds: f64, expect: Expect) -> (Scene, Expect) {
        let step = if self.unit() < 0.25 {
            1.0 / self.range(30.0, 240.0)
        } else {
            STEP
        };
        self.scene.dt = step;
        self.scene.frame_rate = 1.0 / step;
        self.scene.duration = seconds.min(MOST_STEPS * step);
        let mut scene = self.scene;
        // no thinner than shapes may be
        let thinnest = scene.bodies.iter().map(|body| thickness(&body.shape));
        let least = THINNEST / thinnest.fold(f64::INFINITY, f64::min);
        let length = decades(self.random, 1e-3, 1e3).max(least);
        resize(&mut scene, length);
        // who leaves the step at its default has small bodies fall far in a step
        if (0.01..0.5).contains(&length) && self.random.unit() < 0.15 {
            let duration = scene.duration.max(0.5);
            (scene.dt, scene.frame_rate, scene.duration) = (STEP, 1.0 / STEP, duration);
        }
        part(&mut scene);
        (scene, expect)
    }

    /// Gives what stands friction, and too little restitution to bounce at rest.
    fn firm(&mut self) {
        let friction = self.range(0.3, 1.5);
        let restitution = if self.unit() < 0.3 { self.unit() } else { 0.0 };
        self.scene.material("default", friction, restitution);
    }
}

/// Scales all lengths by `length`, times by its square root, and what follows from both.
fn resize(scene: &mut Scene, length: f64) {
    let time = length.sqrt();
    let speed = length / time;
    scene.dt *= time;
    scene.frame_rate /= time;
    scene.duration *= time;
    for body in &mut scene.bodies {
        body.shape = scaled(&body.shape, length);
        body.position = body.position.map(|x| x * length);
        body.velocity = body.velocity.map(|v| v * speed);
        body.angular_velocity = body.angular_velocity.map(|w| w / time);
        body.mass = body.mass.map(|mass| mass * length * length * length);
    }
}

/// Removes loose bodies until none overlaps another by more than rounding.
fn part(scene: &mut Scene) {
    for _ in 0..100 {
        let Ok(world) = World::new(scene) else { return };
        let mut overlaps = Overlaps::new(&world);
        let worst = overlaps
            .measure(&world)
            .iter()
            .find(|pair| pair.share > 1e-6);
        let Some(pair) = worst else { return };
        let loose = |i: usize| scene.bodies[i].motion == Motion::Dynamic;
        let gone = if loose(pair.b) { pair.b } else { pair.a };
        scene.bodies.remove(gone);
    }
}

const STANDS: Expect = Expect {
    stands: true,
    keeps_energy: false,
    closed: false,
    driven: false,
};

/// One free body that spins: by up to a radian a step.
fn spin(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, 0.0);
    let spin = direction(site.random) * decades(site.random, 1.0, 120.0);
    let way = direction(site.random) * site.range(0.0, 5.0);
    let body = site.loose().posed(&Pose::new(Vec3::ZERO, site.turned()));
    site.add(moving(body, way, spin));
    let expect = Expect {
        keeps_energy: true,
        ..Expect::default()
    };
    site.finish(2.0, expect)
}

/// `body` with a velocity \[m/s\] and a spin \[rad/s\].
fn moving(body: Body, velocity: Vec3, spin: Vec3) -> Body {
    body.velocity(velocity.x, velocity.y, velocity.z)
        .spin(spin.x, spin.y, spin.z)
}

/// Free bodies that fly towards each other.
fn cluster(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, 0.0);
    let count = site.crowd(2, 25);
    let half = Vec3::splat(0.8 * (count as f64).cbrt());
    let (speed, turning) = (
        decades(site.random, 0.1, 20.0),
        decades(site.random, 1.0, 60.0),
    );
    for _ in 0..count {
        let body = site.loose();
        if site.place(body, -half, half) {
            let spin = site.spin(turning);
            let aside = direction(site.random) * 0.3 * speed;
            if let Some(body) = site.scene.bodies.last_mut() {
                let inwards = -Vec3::from(body.position).normalize_or_zero() * speed;
                body.velocity = (inwards + aside).to_array();
                body.angular_velocity = spin.to_array();
            }
        }
    }
    site.finish(1.5, Expect::default())
}

/// Bodies dropped on a floor.
fn heap(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, GRAVITY);
    site.ground();
    let count = site.crowd(1, 40);
    let half = 0.7 + 0.35 * (count as f64).cbrt();
    drop_into(&mut site, count, half);
    site.finish(2.0, Expect::default())
}

/// Drops bodies from above a square of half edge `half`, as close together as they fit.
fn drop_into(site: &mut Site<'_>, count: usize, half: f64) {
    let turning = decades(site.random, 0.1, 30.0);
    let gap = decades(site.random, 1e-3, 1.0);
    let mut top = gap;
    for _ in 0..count {
        let body = site.loose();
        let mut height = 1.5;
        while !site.place(
            body.clone(),
            Vec3::new(-half, gap, -half),
            Vec3::new(half, top + height, half),
        ) && height < 12.0
        {
            height *= 2.0;
        }
        let spin = site.spin(turning);
        if let (Some(body), Some(taken)) = (site.scene.bodies.last_mut(), site.taken.last()) {
            if body.motion == Motion::Dynamic {
                body.angular_velocity = spin.to_array();
            }
            top = top.max(taken.1.y);
        }
    }
}

/// Four walls and a floor of boxes of thickness `thick` about an inner room \[m\].
fn walls(site: &mut Site<'_>, half: f64, height: f64, thick: f64) {
    let outer = half + 0.5 * thick;
    let long = 2.0 * (half + thick);
    site.scene.add(
        Body::block(long, thick, long)
            .named("floor")
            .at(0.0, -0.5 * thick, 0.0)
            .fixed(),
    );
    for (name, x, z) in [
        ("left", -1.0, 0.0),
        ("right", 1.0, 0.0),
        ("back", 0.0, -1.0),
        ("front", 0.0, 1.0),
    ] {
        let (wide, deep) = if x == 0.0 {
            (long, thick)
        } else {
            (thick, long)
        };
        site.scene.add(
            Body::block(wide, height, deep)
                .named(name)
                .at(x * outer, 0.5 * height, z * outer)
                .fixed(),
        );
    }
}

/// Bodies dropped into an open box.
fn bin(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, GRAVITY);
    let count = site.crowd(2, 30);
    let half = 0.7 + 0.3 * (count as f64).cbrt();
    let thick = decades(site.random, 0.02, 0.5);
    walls(&mut site, half, 3.0 * half, thick);
    drop_into(&mut site, count, half - 1e-3);
    site.finish(2.0, Expect::default())
}

/// Bodies that fly about in a closed room, with or without gravity.
fn storm(random: &mut Random) -> (Scene, Expect) {
    let gravity = if random.unit() < 0.5 { GRAVITY } else { 0.0 };
    let mut site = Site::new(random, gravity);
    let count = site.crowd(1, 25);
    let half = 0.8 + 0.5 * (count as f64).cbrt();
    let thick = decades(site.random, 0.05, 0.5);
    walls(&mut site, half, 2.0 * half, thick);
    let long = 2.0 * (half + thick);
    let lid = Body::block(long, thick, long).named("lid").fixed();
    site.scene.add(lid.at(0.0, 2.0 * half + 0.5 * thick, 0.0));
    let (speed, turning) = (
        decades(site.random, 0.1, 20.0),
        decades(site.random, 1.0, 60.0),
    );
    let reach = half - 1e-3;
    for _ in 0..count {
        let body = site.loose();
        let low = Vec3::new(-reach, 1e-3, -reach);
        if site.place(body, low, Vec3::new(reach, 2.0 * reach, reach)) {
            let way = direction(site.random) * speed;
            let spin = site.spin(turning);
            if let Some(body) = site.scene.bodies.last_mut() {
                body.velocity = way.to_array();
                body.angular_velocity = spin.to_array();
            }
        }
    }
    let expect = Expect {
        closed: true,
        ..Expect::default()
    };
    site.finish(1.5, expect)
}

/// One column of blocks, some of them flat, up to 1e4 times heavier above than below.
fn tower(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, GRAVITY);
    site.firm();
    site.ground();
    let count = site.count(2, 15);
    let ratio = decades(site.random, 1.0, 1e4);
    let flat = if site.unit() < 0.3 { 0.05 } else { 0.5 };
    let (even, heavy) = (site.unit() < 0.5, site.count(0, 2));
    let mut top = 0.0;
    for k in 0..count {
        let wide = if even { 1.0 } else { site.range(0.8, 1.2) };
        let high = if even {
            flat * 2.0
        } else {
            site.range(flat, 1.0)
        };
        let off = if even { 0.0 } else { 0.05 };
        let (x, z) = (site.range(-off, off), site.range(-off, off));
        let share = k as f64 / (count - 1).max(1) as f64;
        let mass = match heavy {
            0 => 1000.0,
            1 => 100.0 * drystone_base::functions::pow(ratio, share),
            _ => 100.0 * decades(site.random, 1.0, ratio.max(1.000_001)),
        };
        let block = Body::block(wide, high, wide).mass(mass);
        site.add(block.at(x, top + 0.5 * high, z));
        top += high;
    }
    site.finish(1.5, STANDS)
}

/// Many columns of cubes, touching or apart, with a load over one of them, on a slab or not.
fn columns(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, GRAVITY);
    site.firm();
    site.ground();
    let (wide, deep) = (site.count(1, 4), site.count(1, 4));
    let high = site.count(1, 5).min(56 / (wide * deep)).max(1);
    let gap = if site.unit() < 0.5 {
        0.0
    } else {
        site.range(0.1, 1.0)
    };
    let pitch = 1.0 + gap;
    let place = |k: usize, n: usize| (k as f64 - 0.5 * (n - 1) as f64) * pitch;
    for y in 0..high {
        for (x, z) in (0..wide).flat_map(|x| (0..deep).map(move |z| (x, z))) {
            let cube = Body::cube(1.0).mass(1000.0);
            site.add(cube.at(place(x, wide), y as f64 + 0.5, place(z, deep)));
        }
    }
    let mut top = high as f64;
    if gap > 0.0 || site.unit() < 0.3 {
        let (x, z) = (wide as f64 * pitch - gap, deep as f64 * pitch - gap);
        let thick = site.range(0.1, 0.5);
        site.add(
            Body::block(x, thick, z)
                .density(1000.0)
                .at(0.0, top + 0.5 * thick, 0.0),
        );
        top += thick;
    }
    let (x, z) = (site.count(0, wide - 1), site.count(0, deep - 1));
    let ratio = decades(site.random, 1.0, 300.0);
    let load = Body::cube(1.0).mass(1000.0 * ratio);
    site.add(load.at(place(x, wide), top + 0.5, place(z, deep)));
    site.finish(1.5, STANDS)
}

/// A wall in running bond, or a pyramid.
fn wall(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, GRAVITY);
    site.firm();
    site.ground();
    let (long, high, deep) = (1.0, site.range(0.2, 0.6), site.range(0.3, 0.6));
    let gap = if site.unit() < 0.5 {
        0.0
    } else {
        site.range(1e-3, 0.05)
    };
    let pitch = long + gap;
    let pyramid = site.unit() < 0.5;
    let rows = if pyramid {
        site.count(2, 9)
    } else {
        site.count(2, 10)
    };
    let columns = site.count(2, 5);
    for row in 0..rows {
        let y = (row as f64 + 0.5) * high;
        if pyramid {
            let n = rows - row;
            for k in 0..n {
                let x = (k as f64 - 0.5 * (n - 1) as f64) * pitch;
                site.add(Body::block(long, high, deep).at(x, y, 0.0));
            }
            continue;
        }
        // half bricks close every other row, flush with the row below
        let odd = row % 2 == 1;
        let left = -0.5 * (columns as f64 * pitch - gap);
        let mut x = left;
        let mut lay = |site: &mut Site<'_>, length: f64| {
            site.add(Body::block(length, high, deep).at(x + 0.5 * length, y, 0.0));
            x += length + gap;
        };
        let half = 0.5 * (long - gap);
        if odd {
            lay(&mut site, half);
        }
        for _ in 0..columns - usize::from(odd) {
            lay(&mut site, long);
        }
        if odd {
            lay(&mut site, half);
        }
    }
    site.finish(1.5, STANDS)
}

/// A slab on two, three or four piers, with a load between them.
fn piers(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, GRAVITY);
    site.firm();
    site.ground();
    let span = site.range(2.0, 6.0);
    let (thick, high) = (decades(site.random, 0.05, 0.5), site.count(1, 4));
    let feet: Vec<(f64, f64)> = if site.unit() < 0.5 {
        vec![(-1.0, 0.0), (1.0, 0.0)]
    } else {
        vec![(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
    };
    let beam = feet.len() == 2;
    for y in 0..high {
        for &(x, z) in &feet {
            let pier = Body::cube(1.0).mass(1000.0);
            site.add(pier.at(0.5 * span * x, y as f64 + 0.5, 0.5 * span * z));
        }
    }
    let deep = if beam { 1.0 } else { span + 1.0 };
    let top = high as f64;
    let slab = Body::block(span + 1.0, thick, deep).density(1000.0);
    site.add(slab.at(0.0, top + 0.5 * thick, 0.0));
    let loads = site.count(0, 2);
    for k in 0..loads {
        // each in its half of the span
        let x = site.range(0.15, 0.4) * span * if k == 0 { 1.0 } else { -1.0 };
        let z = if beam {
            0.0
        } else {
            site.range(-0.4, 0.4) * span
        };
        let (size, ratio) = (site.range(0.2, 0.5), decades(site.random, 1.0, 100.0));
        let load = Body::cube(size).mass(1000.0 * ratio);
        site.add(load.at(x, top + thick + 0.5 * size, z));
    }
    site.finish(1.5, STANDS)
}

/// A heavy ball on one of many light cubes side by side.
fn bed(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, GRAVITY);
    site.firm();
    site.ground();
    let n = site.count(1, 6);
    let gap = if site.unit() < 0.6 {
        0.0
    } else {
        site.range(0.01, 0.2)
    };
    let place = |k: usize| (k as f64 - 0.5 * (n - 1) as f64) * (1.0 + gap);
    for (x, z) in (0..n).flat_map(|x| (0..n).map(move |z| (x, z))) {
        site.add(Body::cube(1.0).mass(10.0).at(place(x), 0.5, place(z)));
    }
    let (x, z) = (site.count(0, n - 1), site.count(0, n - 1));
    let (radius, ratio) = (site.range(0.3, 3.0), decades(site.random, 1.0, 1e4));
    let ball = Body::ball(radius).mass(10.0 * ratio);
    site.add(ball.at(place(x), 1.0 + radius, place(z)));
    site.finish(1.0, STANDS)
}

/// A row of balls that touch, struck by one or more others; without friction, and often elastic.
fn cradle(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, 0.0);
    let elastic = site.unit() < 0.6;
    let restitution = if elastic { 1.0 } else { site.unit() };
    site.scene.material("default", 0.0, restitution);
    let (row, hits) = (site.count(2, 9), site.count(1, 3));
    let speed = decades(site.random, 0.1, 10.0);
    let equal = site.unit() < 0.7;
    let gap = site.range(0.01, 1.0);
    for k in 0..row + hits {
        let mass = if equal {
            500.0
        } else {
            500.0 * decades(site.random, 0.1, 10.0)
        };
        let hitting = k < hits;
        let x = k as f64 + if hitting { -gap } else { 0.0 };
        let ball = Body::ball(0.5).mass(mass).at(x, 0.0, 0.0);
        site.add(ball.velocity(if hitting { speed } else { 0.0 }, 0.0, 0.0));
    }
    let expect = Expect {
        keeps_energy: elastic,
        ..Expect::default()
    };
    let seconds = (2.0 * gap / speed + 0.3).min(2.0);
    site.finish(seconds, expect)
}

/// A fast body, often thin and spinning, against a thin plate that is fixed or free.
fn shot(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, 0.0);
    let thick = decades(site.random, 0.01, 0.2);
    let mut plate = Body::block(4.0, 4.0, thick).density(decades(site.random, 100.0, 10_000.0));
    if site.unit() < 0.6 {
        plate = plate.fixed();
    }
    site.add(plate);
    site.form = [Some(Form::Rod), Some(Form::Plate), Some(Form::Ball), None][site.random.below(4)];
    let count = site.count(1, 3);
    let speed = decades(site.random, 1.0, 300.0);
    let turning = decades(site.random, 1.0, 80.0);
    for _ in 0..count {
        let body = site.loose();
        let (low, high) = (Vec3::new(-1.2, -1.2, 0.3), Vec3::new(1.2, 1.2, 3.0));
        if site.place(body, low, high) {
            let aside = direction(site.random) * 0.2;
            let spin = site.spin(turning);
            if let Some(body) = site.scene.bodies.last_mut() {
                body.velocity = ((aside - Vec3::Z) * speed).to_array();
                body.angular_velocity = spin.to_array();
            }
        }
    }
    let seconds = (4.0 / speed + 0.2).min(1.0);
    site.finish(seconds, Expect::default())
}

/// Bodies on a slope, which stick, slide, roll or tumble.
fn slope(random: &mut Random) -> (Scene, Expect) {
    let mut site = Site::new(random, GRAVITY);
    let angle = site.range(0.05, 0.8);
    let turn = rotation_about(Vec3::Z, angle);
    let plane = Pose::new(Vec3::ZERO, turn);
    let ground = Body::new(Shape::HalfSpace).named("slope").fixed();
    site.scene.add(ground.posed(&plane));
    let count = site.count(1, 8);
    let apart = 1.8;
    for k in 0..count {
        let body = site.loose();
        // on the slope or a little above it, turned with it or anyhow
        let own = site.turned();
        let (low, _) = around(&body.shape, &Pose::new(Vec3::ZERO, own));
        let above = if site.unit() < 0.6 {
            0.0
        } else {
            site.range(0.0, 1.0)
        };
        let local = Vec3::new(apart * k as f64, above - low.y, 0.0);
        let pose = Pose::new(plane.point(local), turn * own);
        let way = turn * Vec3::new(site.range(-3.0, 3.0), 0.0, site.range(-1.0, 1.0));
        let spin = site.spin(10.0);
        let still = site.unit() < 0.5;
        let (way, spin) = if still {
            (Vec3::ZERO, Vec3::ZERO)
        } else {
            (way, spin)
        };
        site.add(moving(body.posed(&pose), way, spin));
    }
    site.finish(2.0, Expect::default())
}
