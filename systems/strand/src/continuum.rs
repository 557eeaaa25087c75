//! Strand-strand interaction as a continuum (Hadap 2006, §6.7): the mass and momentum of all
//! segments, spread on a grid, push segments out of what is too dense and drag them along with
//! their neighbours. Inside a step strands stay independent.

use drystone_base::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;

/// Parameters of the interaction of strands as a continuum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Continuum {
    /// Size of a cell of the grid \[m\].
    pub cell: f64,
    /// Density of the strands' mass in space up to which nothing pushes \[kg/m³\].
    pub rest_density: f64,
    /// Pressure over density beyond that \[m²/s²\].
    pub stiffness: f64,
    /// Largest acceleration by pressure \[m/s²\].
    pub largest_push: f64,
    /// Rate at which a segment takes on the mean velocity around it, at the rest density \[1/s\].
    pub drag: f64,
}

impl Default for Continuum {
    fn default() -> Self {
        Self {
            cell: 0.01,
            rest_density: 20.0,
            stiffness: 0.05,
            largest_push: 20.0,
            drag: 5.0,
        }
    }
}

impl Continuum {
    /// Refuses values that are not finite or out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let named = [
            ("continuum.cell", self.cell),
            ("continuum.rest_density", self.rest_density),
            ("continuum.stiffness", self.stiffness),
            ("continuum.largest_push", self.largest_push),
            ("continuum.drag", self.drag),
        ];
        for (k, (option, value)) in named.into_iter().enumerate() {
            let positive = k < 2;
            if !(value.is_finite() && value >= 0.0 && (value > 0.0 || !positive)) {
                return Err(Error::Option {
                    option,
                    found: value.to_string(),
                    wanted: if positive {
                        "more than zero"
                    } else {
                        "zero or more"
                    },
                });
            }
        }
        Ok(())
    }
}

/// A segment as the continuum sees it.
#[derive(Clone, Copy, Debug)]
pub struct Parcel {
    /// \[kg\]
    pub mass: f64,
    /// Position of its centre \[m\].
    pub position: Vec3,
    /// \[m/s\]
    pub velocity: Vec3,
}

/// Action of the continuum on a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interaction {
    /// Acceleration by pressure \[m/s²\].
    pub acceleration: Vec3,
    /// Rate towards `velocity` \[1/s\].
    pub drag: f64,
    /// Mean velocity around it \[m/s\].
    pub velocity: Vec3,
}

/// Mass and momentum at one node of the grid.
#[derive(Clone, Copy, Debug)]
struct Node {
    key: [i64; 3],
    /// Its parcel; for a node, the first parcel.
    parcel: usize,
    mass: f64,
    momentum: Vec3,
}

/// The grid, kept between steps for its memory alone.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    shares: Vec<Node>,
    nodes: Vec<Node>,
}

impl Grid {
    /// Writes the action of `parcels` on each other into `interactions`, one entry for each.
    pub fn interact(
        &mut self,
        continuum: &Continuum,
        parcels: &[Parcel],
        interactions: &mut Vec<Interaction>,
    ) {
        self.deposit(continuum, parcels);
        interactions.clear();
        interactions.extend(parcels.iter().map(|parcel| self.push(continuum, parcel)));
    }

    /// Spreads every parcel over the eight nodes around it; sorted by node, so that sums do not
    /// depend on anything but the order of parcels.
    fn deposit(&mut self, continuum: &Continuum, parcels: &[Parcel]) {
        self.shares.clear();
        for (index, parcel) in parcels.iter().enumerate() {
            let (corner, u) = corner(parcel.position, continuum.cell);
            for k in 0..8 {
                let (key, weight, _) = node(corner, u, k);
                self.shares.push(Node {
                    key,
                    parcel: index,
                    mass: parcel.mass * weight,
                    momentum: parcel.velocity * (parcel.mass * weight),
                });
            }
        }
        // in order of parcels where keys agree
        self.shares
            .sort_unstable_by_key(|share| (share.key, share.parcel));
        self.nodes.clear();
        for share in &self.shares {
            match self.nodes.last_mut() {
                Some(last) if last.key == share.key => {
                    last.mass += share.mass;
                    last.momentum += share.momentum;
                }
                _ => self.nodes.push(*share),
            }
        }
    }

    fn push(&self, continuum: &Continuum, parcel: &Parcel) -> Interaction {
        let (corner, u) = corner(parcel.position, continuum.cell);
        let volume = continuum.cell * continuum.cell * continuum.cell;
        let (mut mass, mut momentum, mut gradient, mut density) =
            (0.0, Vec3::ZERO, Vec3::ZERO, 0.0);
        for k in 0..8 {
            let (key, weight, slope) = node(corner, u, k);
            let Ok(found) = self.nodes.binary_search_by_key(&key, |node| node.key) else {
                continue;
            };
            let node = &self.nodes[found];
            let rho = node.mass / volume;
            let excess = (rho - continuum.rest_density).max(0.0);
            mass += node.mass * weight;
            momentum += node.momentum * weight;
            density += rho * weight;
            gradient += slope * (continuum.stiffness * excess / continuum.cell);
        }
        if !(density > 0.0 && mass > 0.0) {
            return Interaction::default();
        }
        Interaction {
            acceleration: (-gradient / density).clamp_length_max(continuum.largest_push),
            drag: continuum.drag * (density / continuum.rest_density).min(4.0),
            velocity: momentum / mass,
        }
    }
}

/// Node at the lower corner of the cell that holds `x`, and where in the cell it is.
fn corner(x: Vec3, cell: f64) -> ([i64; 3], Vec3) {
    let scaled = x / cell;
    let floor = scaled.floor();
    (
        [floor.x as i64, floor.y as i64, floor.z as i64],
        scaled - floor,
    )
}

/// One of the eight nodes of a cell: its key, its trilinear weight at `u`, and the weight's slope.
fn node(corner: [i64; 3], u: Vec3, k: i64) -> ([i64; 3], f64, Vec3) {
    let bit = [k & 1, (k >> 1) & 1, (k >> 2) & 1];
    let side = |axis: usize| {
        let v = u[axis];
        if bit[axis] == 1 {
            (v, 1.0)
        } else {
            (1.0 - v, -1.0)
        }
    };
    let ((x, dx), (y, dy), (z, dz)) = (side(0), side(1), side(2));
    let key = [0, 1, 2].map(|axis| corner[axis].saturating_add(bit[axis]));
    (
        key,
        x * y * z,
        Vec3::new(dx * y * z, x * dy * z, x * y * dz),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::random::Random;

    fn cloud(count: usize) -> Vec<Parcel> {
        let mut random = Random::new(4);
        let mut list = Vec::new();
        for _ in 0..count {
            let mut c = || random.range(-0.05, 0.05);
            let (position, velocity) = (Vec3::new(c(), c(), c()), Vec3::new(c(), c(), c()) * 10.0);
            list.push(Parcel {
                mass: 1e-4,
                position,
                velocity,
            });
        }
        list
    }

    fn run(continuum: &Continuum, parcels: &[Parcel]) -> Vec<Interaction> {
        let mut interactions = Vec::new();
        Grid::default().interact(continuum, parcels, &mut interactions);
        interactions
    }

    #[test]
    fn a_uniform_density_does_not_push_and_a_thin_one_neither() {
        // one parcel on every node of a lattice: the inner ones feel no gradient
        let mut parcels = Vec::new();
        for k in 0..1000 {
            let at = |d: i32| f64::from(k / d % 10) * 0.01 + 0.005;
            let (position, velocity) = (Vec3::new(at(1), at(10), at(100)), Vec3::ZERO);
            parcels.push(Parcel {
                mass: 1e-4,
                position,
                velocity,
            });
        }
        let interactions = run(&Continuum::default(), &parcels);
        assert!(
            interactions[555].acceleration.length() < 1e-12,
            "{}",
            interactions[555].acceleration
        );
        assert!(
            interactions[0].acceleration.length() > 0.1,
            "the corner is pushed out"
        );
        assert!(interactions[0].acceleration.dot(Vec3::ONE) < 0.0);
        let thin = Continuum {
            rest_density: 200.0,
            ..Continuum::default()
        };
        assert!(
            run(&thin, &parcels)
                .iter()
                .all(|push| push.acceleration == Vec3::ZERO)
        );
    }

    #[test]
    fn drag_towards_the_mean_takes_no_momentum_in_sum_and_only_loses_energy() {
        let parcels = cloud(400);
        let interactions = run(
            &Continuum {
                cell: 0.2,
                ..Continuum::default()
            },
            &parcels,
        );
        let (mut power, mut size) = (0.0, 0.0);
        for (parcel, push) in parcels.iter().zip(&interactions) {
            let force = (push.velocity - parcel.velocity) * (push.drag * parcel.mass);
            power += force.dot(parcel.velocity);
            size += force.length();
        }
        assert!(power < 0.0 && size > 0.0, "{power} W");
    }

    #[test]
    fn the_order_of_far_parcels_does_not_matter_to_a_bit() {
        let mut parcels = cloud(50);
        let first = run(&Continuum::default(), &parcels);
        let mut far = parcels[0];
        far.position = Vec3::splat(100.0);
        parcels.push(far);
        assert_eq!(first[..], run(&Continuum::default(), &parcels)[..50]);
    }
}
