//! Ticks of elastic forces, fields and dashpots.

use drystone_base::Vec3;

use crate::clock::{period, seconds};
use crate::elastic::Held;
use crate::elastic_simd::{tick_dashpots, tick_hinges, tick_springs};
use crate::event_loop::{Run, levels_at};
use crate::layer_ticks::Before;
use crate::penalty_layers::{HALF_PERIOD, PRESSED};

/// Level at whose period, of a millisecond, the clocks of springs, triangles and pressing layers are checked, or at
/// every tick if that is longer.
const FOLLOWED: u32 = 30;
/// Elements that layers no longer press get their periods back once in a period of this level: every 1/64 s.
const GIVEN_BACK: u32 = 34;

impl Run<'_> {
    /// Elastic forces, gravity, fields and dashpots whose clocks tick now. Positions stand still meanwhile, so kicks
    /// are known at once; dashpots act half way through them, where velocities are those of the middle of the tick.
    pub(crate) fn tick_elastic(&mut self) {
        let (t, topology) = (self.state.time, self.topology);
        self.scratch
            .middle
            .resize(self.state.vertices.len(), Vec3::ZERO);
        let count = self.state.vertices.len();
        self.scratch.before.resize(count, Before::default());
        let touching = self.levels_now(self.state.schedule.mask).next().is_some();
        for level in self.levels_now(topology.clock_mask) {
            let clock_level = &topology.clock_levels[level];
            for i in &clock_level.stencil {
                self.state.vertices[*i as usize].move_to(t, topology.gravity);
            }
            if touching {
                for i in clock_level.stencil.iter().map(|i| *i as usize) {
                    self.scratch.before[i].keep(t, self.state.vertices[i].velocity);
                }
            }
            for i in &clock_level.damped {
                self.scratch.middle[*i as usize] = self.state.vertices[*i as usize].velocity;
            }
            let loaded_vertices = clock_level.loaded_vertices.iter();
            let velocity = |i: &u32| self.state.vertices[*i as usize].velocity;
            self.scratch
                .pushed
                .extend(loaded_vertices.map(|i| (*i, velocity(i), Vec3::ZERO)));
        }
        // kicks
        let mut work = 0.0;
        for level in self.levels_now(topology.clock_mask) {
            let clock_level = &topology.clock_levels[level];
            let vertices = &mut self.state.vertices[..];
            let mut held = Held {
                work: 0.0,
                reaction: &mut self.state.reaction,
            };
            tick_springs(&clock_level.spring_runs, vertices);
            for spring in &clock_level.springs[8 * clock_level.spring_runs.len()..] {
                spring.tick(vertices, &mut held);
            }
            for triangle in &clock_level.triangles {
                triangle.tick(vertices, &mut held);
            }
            tick_hinges(&clock_level.hinge_runs, vertices);
            for hinge in &clock_level.hinges[8 * clock_level.hinge_runs.len()..] {
                hinge.tick(vertices, &mut held);
            }
            work += held.work;
            for i in &clock_level.gravity_vertices {
                let vertex = &mut vertices[*i as usize];
                vertex.velocity += if vertex.inverse_mass > 0.0 {
                    topology.true_gravity * period(level as u8)
                } else {
                    Vec3::ZERO
                };
            }
            if !clock_level.loaded_vertices.is_empty() {
                self.tick_fields(level);
            }
            self.scratch.tally.tick(clock_level);
            self.scratch.touched.extend(&clock_level.stencil);
            self.scratch.touched.extend(&clock_level.monitored);
        }
        self.state.account.movers += work;
        self.tick_dashpots();
        self.book_fields();
        self.follow_shapes();
        self.follow_layers();
    }

    /// Dashpots whose clocks tick now, half way back into the kicks of this time.
    fn tick_dashpots(&mut self) {
        let topology = self.topology;
        let (vertices, middle) = (&mut self.state.vertices[..], &mut self.scratch.middle[..]);
        for level in levels_at(self.state.time, topology.clock_mask) {
            for i in topology.clock_levels[level]
                .damped
                .iter()
                .map(|i| *i as usize)
            {
                let half = (vertices[i].velocity - middle[i]) * 0.5;
                vertices[i].velocity -= half;
                middle[i] = half;
            }
        }
        let mut taken = 0.0;
        let mut held = Held {
            work: 0.0,
            reaction: &mut self.state.reaction,
        };
        for level in levels_at(self.state.time, topology.clock_mask) {
            let clock_level = &topology.clock_levels[level];
            taken += tick_dashpots(&clock_level.dashpot_runs, vertices);
            for dashpot in &clock_level.dashpots[8 * clock_level.dashpot_runs.len()..] {
                taken += dashpot.tick(vertices, &mut held);
            }
            for dashpot in &clock_level.hinge_dashpots {
                taken += dashpot.tick(vertices, &mut held);
            }
        }
        for level in levels_at(self.state.time, topology.clock_mask) {
            for i in topology.clock_levels[level]
                .damped
                .iter()
                .map(|i| *i as usize)
            {
                vertices[i].velocity += middle[i];
            }
        }
        let work = held.work;
        self.state.account.damping += taken;
        self.state.account.movers += work;
    }

    /// Whether elements that tick now are so deformed, or will be before their next tick, that they need shorter
    /// periods. Hinges are looked at every sixteenth tick, triangles at least once in so many seconds as well: their
    /// stiffness grows with the square of their stretch. Springs and triangles that tick less often than that are looked at
    /// as often all the same; vertices are tested as often, so that it is at the same times whatever the certificates.
    fn follow_shapes(&mut self) {
        let (t, topology) = (self.state.time, self.topology);
        let often = |level: usize, times: u64| (t >> level) & (times - 1) == 0;
        let due = levels_at(t, topology.clock_mask).filter_map(|level| {
            let quick = FOLLOWED.saturating_sub(level as u32).min(4);
            let (all, clock_level) = (often(level, 16), &topology.clock_levels[level]);
            let asked = all || (!clock_level.triangles.is_empty() && often(level, 1 << quick));
            asked.then_some((level, all))
        });
        // slow elements between their ticks: a neighbour that is struck drags them along
        let looked_at = match t & ((1 << FOLLOWED) - 1) {
            0 => FOLLOWED as usize + 1..topology.clock_levels.len(),
            _ => 0..0,
        };
        let between = looked_at.filter(|level| t & ((1 << level) - 1) != 0);
        self.follow_shapes_of(due.chain(between.map(|level| (level, false))));
    }

    /// Likewise of all elements, when things begin to move otherwise between their ticks.
    pub(crate) fn follow_all_shapes(&mut self) {
        self.follow_shapes_of((0..self.topology.clock_levels.len()).map(|level| (level, true)));
    }

    /// Gives elements shorter periods if one on these levels needs it; hinges are looked at where the flag is set.
    fn follow_shapes_of(&mut self, mut levels: impl Iterator<Item = (usize, bool)>) {
        let (t, topology) = (self.state.time, self.topology);
        let (vertices, drops) = (&self.state.vertices, &mut self.state.drops);
        // where a vertex will be in `h` seconds if nothing kicks it
        let at = |i: u32, h: f64| vertices[i as usize].before(t, -h, topology.gravity).0;
        let mass = &topology.inverse_mass;
        let outgrown = |(level, all): (usize, bool)| {
            let clock_level = &topology.clock_levels[level];
            topology
                .elements
                .is_outgrown(clock_level, drops, mass, &at, all)
        };
        if levels.any(outgrown) {
            topology.elements.follow(drops, mass, &at);
            self.scratch.regroup = true;
        }
    }

    /// Which layers press each vertex, and whether elements at it need shorter periods to keep off the modes of those.
    /// Longer ones are given back only now and then, since a vertex that is pressed often hops.
    fn follow_layers(&mut self) {
        let (t, topology) = (self.state.time, self.topology);
        if t & ((1 << FOLLOWED) - 1) != 0 {
            return;
        }
        let bounds = &mut self.scratch.bounds;
        bounds.clear();
        bounds.resize(topology.start.len(), u8::MAX);
        for (level, entries) in self.state.schedule.levels.iter().enumerate() {
            let bound = level as u8 + HALF_PERIOD;
            for entry in entries.iter().filter(|entry| entry.to >= PRESSED) {
                for i in entry.corners.map(|i| i as usize) {
                    if bound < topology.slowest[i] {
                        bounds[i] = bounds[i].min(bound);
                    }
                }
            }
        }
        let given_back = t & ((1 << GIVEN_BACK) - 1) == 0;
        for (known, bound) in self.state.pressed.iter_mut().zip(bounds) {
            if *bound < *known || (given_back && *bound != *known) {
                *known = *bound;
                self.scratch.regroup = true;
            }
        }
    }

    /// Books the work of loads, air and accelerations: along the velocity of the middle of the tick, which is known when all
    /// have kicked. Along the velocity after the elastic kicks it would be wrong by the first power of the periods.
    fn book_fields(&mut self) {
        for (i, before, impulse) in self.scratch.pushed.drain(..) {
            let after = self.state.vertices[i as usize].velocity;
            self.state.account.loads += 0.5 * impulse.dot(before + after);
        }
    }

    /// Loads, air and accelerations on one level.
    fn tick_fields(&mut self, level: usize) {
        let (topology, h) = (self.topology, period(level as u8));
        let t = seconds(self.state.time);
        let loaded_vertices = &topology.clock_levels[level].loaded_vertices;
        for (i, pushed) in loaded_vertices.iter().zip(&mut self.scratch.pushed) {
            let vertex = &mut self.state.vertices[*i as usize];
            if vertex.inverse_mass == 0.0 {
                continue;
            }
            let before = vertex.velocity;
            let mut air = Vec3::ZERO;
            for field in self.fields {
                air += field.air(vertex.position, t);
                vertex.velocity += field.acceleration(vertex.position, vertex.velocity, t) * h;
            }
            let drag = topology.drag[*i as usize];
            if drag > 0.0 {
                // the exact flow of drag alone: never past the air's own speed
                let keep = drystone_base::functions::exp(-drag * vertex.inverse_mass * h);
                vertex.velocity = air + (vertex.velocity - air) * keep;
            }
            pushed.2 += (vertex.velocity - before) / vertex.inverse_mass;
        }
        for load in &topology.loads {
            let impulse = load.force * (load.part(t) * h);
            for i in &load.vertices {
                let vertex = &mut self.state.vertices[*i as usize];
                if vertex.inverse_mass > 0.0 {
                    vertex.velocity += impulse * vertex.inverse_mass;
                    // `loaded_vertices` is sorted
                    if let Ok(k) = loaded_vertices.binary_search(i) {
                        self.scratch.pushed[k].2 += impulse;
                    }
                }
            }
        }
    }
}
