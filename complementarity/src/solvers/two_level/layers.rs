//! Layers of a contact graph: how many contacts each body is away from what is fixed.

use std::collections::VecDeque;

use drystone_base::Vec3;

use crate::problem::Problem;

/// Where two heights of an island meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interface {
    /// Middle of its contacts [m].
    pub(crate) reference: Vec3,
    /// Root mean square distance of its contacts from the middle [m].
    pub(crate) length: f64,
    /// Whether it is the lowest of its island.
    pub(crate) first: bool,
}

/// What a contact is to the layers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerContact {
    /// Island of its movable bodies.
    pub(crate) island: Option<usize>,
    /// None between bodies of one height, or between fixed ones.
    pub(crate) interface: Option<usize>,
    /// The body farther from what is fixed.
    pub(crate) upper: usize,
    /// In the frame of its island [m].
    pub(crate) place: Vec3,
}

#[derive(Clone, Debug)]
pub(crate) struct Layers {
    pub(crate) islands: usize,
    /// Island after island, from the lowest up.
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) contacts: Vec<LayerContact>,
    /// Per body: the interfaces below and above.
    pub(crate) around: Vec<[Option<usize>; 2]>,
}

impl Layers {
    pub(crate) fn of(problem: &Problem) -> Self {
        let bodies = problem.bodies.len();
        let fixed: Vec<bool> = problem.bodies.iter().map(|body| body.is_fixed()).collect();
        let mut at_body = vec![Vec::new(); bodies];
        for (k, c) in problem.contacts.iter().enumerate() {
            at_body[c.a].push(k);
            at_body[c.b].push(k);
        }
        // islands of movable bodies, and where these are: points of contact are shared
        let (mut island, mut place) = (vec![None; bodies], vec![Vec3::ZERO; bodies]);
        let mut islands = 0;
        for first in 0..bodies {
            if fixed[first] || island[first].is_some() || at_body[first].is_empty() {
                continue;
            }
            island[first] = Some(islands);
            let mut queue = VecDeque::from([first]);
            while let Some(body) = queue.pop_front() {
                for &k in &at_body[body] {
                    let c = &problem.contacts[k];
                    let (other, arm) = match c.a == body {
                        true => (c.b, c.r_a - c.r_b),
                        false => (c.a, c.r_b - c.r_a),
                    };
                    if !fixed[other] && island[other].is_none() {
                        island[other] = Some(islands);
                        place[other] = place[body] + arm;
                        queue.push_back(other);
                    }
                }
            }
            islands += 1;
        }
        let height = heights(problem, &fixed, &at_body, &island, islands);
        // interfaces, island after island
        let mut tallest = vec![0; islands];
        for body in 0..bodies {
            if let Some(island) = island[body] {
                tallest[island] = height[body].max(tallest[island]);
            }
        }
        let mut starts = vec![0];
        for tallest in &tallest {
            starts.push(starts[starts.len() - 1] + tallest);
        }
        let count = starts[islands];
        let mut contacts = Vec::with_capacity(problem.contacts.len());
        let mut around = vec![[None; 2]; bodies];
        for c in &problem.contacts {
            let movable = if fixed[c.b] { c.a } else { c.b };
            let island = island[movable];
            let r = if movable == c.b { c.r_b } else { c.r_a };
            let (upper, lower) = match height[c.b] >= height[c.a] {
                true => (c.b, c.a),
                false => (c.a, c.b),
            };
            let interface = match island {
                Some(island) if height[upper] == height[lower] + 1 => {
                    Some(starts[island] + height[lower])
                }
                _ => None,
            };
            if interface.is_some() {
                around[upper][0] = interface;
                around[lower][1] = interface;
            }
            contacts.push(LayerContact {
                island,
                interface,
                upper,
                place: place[movable] + r,
            });
        }
        Self {
            islands,
            interfaces: interfaces(&contacts, count, &starts),
            contacts,
            around,
        }
    }
}

/// Contacts between a body and what is fixed; islands that touch nothing fixed begin with their
/// first body.
fn heights(
    problem: &Problem,
    fixed: &[bool],
    at_body: &[Vec<usize>],
    island: &[Option<usize>],
    islands: usize,
) -> Vec<usize> {
    let mut height = vec![usize::MAX; fixed.len()];
    let mut queue = VecDeque::new();
    let mut held = vec![false; islands];
    for c in &problem.contacts {
        for (body, other) in [(c.a, c.b), (c.b, c.a)] {
            if let (true, Some(island)) = (fixed[body], island[other]) {
                held[island] = true;
            }
        }
    }
    for body in 0..fixed.len() {
        let floats = island[body].is_some_and(|island| !std::mem::replace(&mut held[island], true));
        if fixed[body] || floats {
            height[body] = 0;
            queue.push_back(body);
        }
    }
    while let Some(body) = queue.pop_front() {
        for &k in &at_body[body] {
            let c = &problem.contacts[k];
            let other = if c.a == body { c.b } else { c.a };
            if height[other] == usize::MAX {
                height[other] = height[body] + 1;
                queue.push_back(other);
            }
        }
    }
    height
}

fn interfaces(contacts: &[LayerContact], count: usize, starts: &[usize]) -> Vec<Interface> {
    let (mut sums, mut number) = (vec![Vec3::ZERO; count], vec![0.0; count]);
    for contact in contacts {
        if let Some(i) = contact.interface {
            sums[i] += contact.place;
            number[i] += 1.0;
        }
    }
    let mut squares = vec![0.0; count];
    for contact in contacts {
        if let Some(i) = contact.interface {
            squares[i] += (contact.place - sums[i] / number[i]).length_squared();
        }
    }
    (0..count)
        .map(|i| {
            let length = (squares[i] / f64::max(number[i], 1.0)).sqrt();
            Interface {
                reference: sums[i] / f64::max(number[i], 1.0),
                length: if length > 0.0 { length } else { 1.0 },
                first: starts.binary_search(&i).is_ok(),
            }
        })
        .collect()
}
