//! The impulse fields of the coarse level: six numbers an aggregate say what happens at each of
//! its contacts.

use std::collections::VecDeque;

use drystone_base::Vec3;

use super::aggregates::Partition;
use crate::problem::Problem;

type Vector6 = [f64; 6];

/// The rows of `P` at each contact: the part of each of its three rows in the six fields.
pub(crate) type Fields = Vec<[Vector6; 3]>;

/// Rigid fields: impulses `f(x) = a + ω × (x − x₀)/L` on the upper side, along the rows.
pub(crate) fn rigid(problem: &Problem, partition: &Partition, places: &[Vec3]) -> Fields {
    let arms = arms(partition, places);
    let contacts = problem.contacts.iter().zip(&partition.members).zip(arms);
    contacts
        .map(|((c, member), arm)| {
            c.axes().map(|axis| {
                let (a, turn) = (axis * member.sign, arm.cross(axis) * member.sign);
                [a.x, a.y, a.z, turn.x, turn.y, turn.z]
            })
        })
        .collect()
}

/// Without frames: the same impulse in each row, and where places are known also normals that
/// change linearly with them.
pub(crate) fn by_row(partition: &Partition, places: Option<&[Vec3]>) -> Fields {
    let arms = match places {
        Some(places) => arms(partition, places),
        None => vec![Vec3::ZERO; partition.members.len()],
    };
    let contacts = partition.members.iter().zip(arms);
    contacts
        .map(|(member, arm)| {
            let mut rows = [[0.0; 6]; 3];
            rows[0] = [1.0, 0.0, 0.0, arm.x, arm.y, arm.z];
            (rows[1][1], rows[2][2]) = (member.sign, member.sign);
            rows
        })
        .collect()
}

/// `(x − x₀)/L` of each contact, with the middle `x₀` of its aggregate and the root mean square
/// distance `L` from there.
fn arms(partition: &Partition, places: &[Vec3]) -> Vec<Vec3> {
    let mut middle = vec![Vec3::ZERO; partition.count];
    let mut number = vec![0.0f64; partition.count];
    let members = || {
        let members = partition.members.iter().zip(places);
        members.filter_map(|(member, place)| member.aggregate.map(|g| (g, *place)))
    };
    for (g, place) in members() {
        middle[g] += place;
        number[g] += 1.0;
    }
    for (middle, number) in middle.iter_mut().zip(&number) {
        *middle /= number.max(1.0);
    }
    let mut squares = vec![0.0; partition.count];
    for (g, place) in members() {
        squares[g] += (place - middle[g]).length_squared();
    }
    let arm = |(member, place): (&super::aggregates::Member, &Vec3)| match member.aggregate {
        Some(g) if squares[g] > 0.0 => (*place - middle[g]) / (squares[g] / number[g]).sqrt(),
        _ => Vec3::ZERO,
    };
    partition.members.iter().zip(places).map(arm).collect()
}

/// Where the contacts of a factored problem are, each island in its own frame \[m\]: bodies share
/// their contact points.
pub(crate) fn places_by_arms(problem: &Problem) -> Vec<Vec3> {
    let bodies = problem.bodies.len();
    let mut at_body = vec![Vec::new(); bodies];
    for (k, c) in problem.contacts.iter().enumerate() {
        at_body[c.a].push(k);
        at_body[c.b].push(k);
    }
    let mut place: Vec<Option<Vec3>> = vec![None; bodies];
    for first in 0..bodies {
        if problem.bodies[first].is_fixed() || place[first].is_some() {
            continue;
        }
        place[first] = Some(Vec3::ZERO);
        let mut queue = VecDeque::from([(first, Vec3::ZERO)]);
        while let Some((body, here)) = queue.pop_front() {
            for &k in &at_body[body] {
                let c = &problem.contacts[k];
                let (other, arm) = match c.a == body {
                    true => (c.b, c.r_a - c.r_b),
                    false => (c.a, c.r_b - c.r_a),
                };
                if !problem.bodies[other].is_fixed() && place[other].is_none() {
                    place[other] = Some(here + arm);
                    queue.push_back((other, here + arm));
                }
            }
        }
    }
    let contacts = problem.contacts.iter();
    contacts
        .map(|c| match (place[c.b], place[c.a]) {
            (Some(place), _) => place + c.r_b,
            (None, Some(place)) => place + c.r_a,
            (None, None) => Vec3::ZERO,
        })
        .collect()
}
