//! An ordering at work: the visits of one sweep after the other.

use drystone_base::Vec3;
use drystone_base::random::Random;

use crate::operator::{Iterate, Operator};
use crate::ordering::{Axis, Direction, Ordering, OrderingError, Set, Unit};
use crate::solvers::Law;

/// Rows of a contact that are treated at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Normal,
    FirstTangent,
    SecondTangent,
    /// Both tangents.
    Friction,
    /// Normal, then friction.
    Whole,
}

impl Part {
    const ROWS: [Self; 3] = [Self::Normal, Self::FirstTangent, Self::SecondTangent];
}

/// One stop of a sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    pub(crate) contact: u32,
    pub(crate) part: Part,
}

impl Visit {
    /// The rows visited, as `(contact, row)`.
    pub(crate) fn rows(self) -> impl Iterator<Item = (usize, usize)> {
        let rows = match self.part {
            Part::Normal => 0..1,
            Part::FirstTangent => 1..2,
            Part::SecondTangent => 2..3,
            Part::Friction => 1..3,
            Part::Whole => 0..3,
        };
        rows.map(move |i| (self.contact as usize, i))
    }
}

impl Visit {
    pub(crate) fn row_count(self) -> u64 {
        match self.part {
            Part::Normal | Part::FirstTangent | Part::SecondTangent => 1,
            Part::Friction => 2,
            Part::Whole => 3,
        }
    }
}

/// The smallest part that a solver can treat alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// Single rows.
    Row,
    /// The normal, and both tangents together.
    Pair,
    /// Contacts as a whole.
    Contact,
}

/// The visits of an ordering, sweep after sweep.
pub(crate) struct Sequence {
    ordering: Ordering,
    /// Visits of the next sweep; with staggering, those of the normals.
    plan: Vec<Visit>,
    /// With staggering, visits of friction rows.
    friction: Vec<Visit>,
    /// Contacts in order, where that changes.
    order: Vec<u32>,
    random: Random,
    sweep: usize,
}

impl Sequence {
    pub(crate) fn new<O: Operator>(
        ordering: Ordering,
        grain: Grain,
        operator: &O,
        places: Option<&[Vec3]>,
        seed: u64,
    ) -> Result<Self, OrderingError> {
        let contacts = operator.contacts();
        // contacts sorted along an axis
        let by_place = |axis: Axis, direction: Direction| {
            let places = places.ok_or(OrderingError::NoPlaces(ordering))?;
            if places.len() != contacts {
                return Err(OrderingError::Places {
                    found: places.len(),
                    wanted: contacts,
                });
            }
            let key = |k: u32| {
                let place = places[k as usize];
                match axis {
                    Axis::X => place.x,
                    Axis::Y => place.y,
                    Axis::Z => place.z,
                }
            };
            Ok(sorted((0..contacts as u32).collect(), key, direction))
        };
        let mut random = Random::new(seed);
        let mut order: Vec<u32> = (0..contacts as u32).collect();
        let mut friction = Vec::new();
        // the rows of one sweep
        let plan = match ordering {
            Ordering::Identity => whole(&order),
            Ordering::Reverse => backward(&whole(&order), grain),
            Ordering::Random | Ordering::RandomEachSweep => {
                shuffle(&mut order, &mut random);
                whole(&order)
            }
            Ordering::Symmetric => and_back(whole(&order), grain),
            Ordering::Ipp(direction, unit) => {
                by_velocity(operator.b(), order.clone(), direction, unit, grain)
            }
            Ordering::IppResorted(_) => Vec::new(),
            Ordering::Cp(axis, direction) => whole(&by_place(axis, direction)?),
            Ordering::CpBlocked(axis, direction) => blocked(&by_place(axis, direction)?),
            Ordering::CpSymmetric(axis) => and_back(whole(&by_place(axis, Direction::Up)?), grain),
            Ordering::CpSymmetricBlocked(axis) => {
                and_back(blocked(&by_place(axis, Direction::Up)?), grain)
            }
            Ordering::Esp(..) | Ordering::Gsp | Ordering::GspMean => {
                friction = of_part(&order, Part::Friction);
                of_part(&order, Part::Normal)
            }
        };
        Ok(Self {
            ordering,
            plan,
            friction,
            order,
            random,
            sweep: 0,
        })
    }

    /// The visits of the next sweep, and how many rows had to be evaluated to find them.
    pub(crate) fn next<O: Operator>(
        &mut self,
        operator: &O,
        iterate: &Iterate,
        law: Law,
    ) -> (&[Visit], u64) {
        let (sweep, rows) = (self.sweep, 3 * operator.contacts() as u64);
        self.sweep += 1;
        match self.ordering {
            Ordering::RandomEachSweep if sweep > 0 => {
                shuffle(&mut self.order, &mut self.random);
                self.plan = whole(&self.order);
                (&self.plan, 0)
            }
            Ordering::IppResorted(direction) => {
                let w: Vec<f64> = (0..operator.contacts())
                    .map(|k| operator.velocity_row(k, 0, iterate))
                    .collect();
                let order = (0..operator.contacts() as u32).collect();
                self.plan = whole(&sorted(order, |k| w[k as usize], direction));
                (&self.plan, rows / 3)
            }
            Ordering::Esp(first, inner) => {
                let second = (sweep / inner.max(1) as usize) % 2 == 1;
                match (first == Set::Normals) != second {
                    true => (&self.plan, 0),
                    false => (&self.friction, 0),
                }
            }
            Ordering::Gsp | Ordering::GspMean => {
                let [normals, friction] = law.merit_parts(operator, iterate);
                // half as many normal rows: their mean counts double
                let weight = if self.ordering == Ordering::GspMean {
                    2.0
                } else {
                    1.0
                };
                match weight * normals >= friction {
                    true => (&self.plan, rows),
                    false => (&self.friction, rows),
                }
            }
            _ => (&self.plan, 0),
        }
    }

    /// Sweeps that belong together, for methods that accelerate a map.
    pub(crate) fn cycle(&self) -> usize {
        self.ordering.cycle().unwrap_or(1)
    }
}

/// Stable, so that equal keys keep their order.
fn sorted(mut order: Vec<u32>, key: impl Fn(u32) -> f64, direction: Direction) -> Vec<u32> {
    order.sort_by(|x, y| match direction {
        Direction::Up => key(*x).total_cmp(&key(*y)),
        Direction::Down => key(*y).total_cmp(&key(*x)),
    });
    order
}

fn shuffle(order: &mut [u32], random: &mut Random) {
    for end in (1..order.len()).rev() {
        order.swap(end, random.below(end + 1));
    }
}

fn of_part(order: &[u32], part: Part) -> Vec<Visit> {
    let visit = |contact: &u32| Visit {
        contact: *contact,
        part,
    };
    order.iter().map(visit).collect()
}

fn whole(order: &[u32]) -> Vec<Visit> {
    of_part(order, Part::Whole)
}

fn blocked(order: &[u32]) -> Vec<Visit> {
    let mut visits = of_part(order, Part::Normal);
    visits.extend(of_part(order, Part::Friction));
    visits
}

/// The exact reverse, as far as the grain allows.
fn backward(visits: &[Visit], grain: Grain) -> Vec<Visit> {
    let mut back = Vec::with_capacity(3 * visits.len());
    for visit in visits.iter().rev() {
        let parts: &[Part] = match (visit.part, grain) {
            (Part::Whole, Grain::Row) => &[Part::SecondTangent, Part::FirstTangent, Part::Normal],
            (Part::Whole, Grain::Pair) => &[Part::Friction, Part::Normal],
            (Part::Friction, Grain::Row) => &[Part::SecondTangent, Part::FirstTangent],
            _ => &[visit.part],
        };
        back.extend(parts.iter().map(|part| Visit {
            part: *part,
            ..*visit
        }));
    }
    back
}

fn and_back(mut visits: Vec<Visit>, grain: Grain) -> Vec<Visit> {
    visits.extend(backward(&visits, grain));
    visits
}

fn by_velocity(
    w: &[[f64; 3]],
    order: Vec<u32>,
    direction: Direction,
    unit: Unit,
    grain: Grain,
) -> Vec<Visit> {
    if unit == Unit::Contact || grain == Grain::Contact {
        return whole(&sorted(order, |k| w[k as usize][0], direction));
    }
    let key = |row: u32| w[row as usize / 3][row as usize % 3];
    let rows = sorted((0..3 * order.len() as u32).collect(), key, direction);
    let mut seen = vec![false; order.len()];
    let mut visits = Vec::with_capacity(rows.len());
    for row in rows {
        let (contact, i) = (row / 3, row as usize % 3);
        // tangents that cannot be parted are both treated where the first of them stands
        let part = match (grain, i) {
            (Grain::Pair, 1 | 2) if seen[contact as usize] => continue,
            (Grain::Pair, 1 | 2) => {
                seen[contact as usize] = true;
                Part::Friction
            }
            _ => Part::ROWS[i],
        };
        visits.push(Visit { contact, part });
    }
    visits
}
