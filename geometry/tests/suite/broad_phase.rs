//! Laws of the broad phase.

use drystone_base::{Vec3, random::Random};
use drystone_geometry::{Aabb, BroadPhase};

fn brute_force(fat: &[Aabb], may_pair: impl Fn(u32, u32) -> bool) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for a in 0..fat.len() {
        for b in a + 1..fat.len() {
            if fat[a].overlaps(&fat[b]) && may_pair(a as u32, b as u32) {
                pairs.push((a as u32, b as u32));
            }
        }
    }
    pairs
}

/// Bodies from 1 cm to 100 m, and an endless ground.
fn mixed(count: usize, random: &mut Random) -> Vec<Aabb> {
    let mut boxes = vec![Aabb {
        low: Vec3::splat(-Aabb::FAR),
        high: Vec3::new(Aabb::FAR, 0.0, Aabb::FAR),
    }];
    for n in 1..count {
        let size = [0.01, 0.1, 1.0, 1.0, 1.0, 10.0, 100.0][n % 7];
        let mut along = || random.range(-30.0, 30.0);
        boxes.push(Aabb::about(
            Vec3::new(along(), along(), along()),
            Vec3::splat(size),
        ));
    }
    boxes
}

fn wander(boxes: &mut [Aabb], share: f64, reach: f64, random: &mut Random) {
    for bounds in boxes {
        if random.unit() < share {
            let mut along = || random.range(-reach, reach);
            let way = Vec3::new(along(), along(), along());
            *bounds = Aabb {
                low: bounds.low + way,
                high: bounds.high + way,
            };
        }
    }
}

#[test]
fn the_pairs_are_those_of_brute_force_whatever_moves() {
    let mut random = Random::new(31);
    let may_pair = |a: u32, b: u32| !(a + b).is_multiple_of(5);
    for (share, reach) in [
        (1.0, 0.02),
        (1.0, 3.0),
        (0.02, 10.0),
        (0.0, 0.0),
        (0.3, 0.3),
    ] {
        let mut boxes = mixed(300, &mut random);
        let mut active = vec![true; boxes.len()];
        let mut broad = BroadPhase::new();
        for step in 0..60 {
            wander(&mut boxes, share, reach, &mut random);
            if step % 10 == 9 {
                let n = random.below(boxes.len());
                active[n] = !active[n];
            }
            if step == 30 {
                boxes.extend(mixed(20, &mut random));
                active.resize(boxes.len(), true);
            }
            if step == 40 {
                boxes.truncate(200);
                active.truncate(200);
            }
            let pairs = broad.update(&boxes, Some(&active), may_pair, 0.05).to_vec();
            assert_eq!(pairs, brute_force(broad.fat_boxes(), may_pair));
            for (n, bounds) in boxes.iter().enumerate() {
                assert_eq!(broad.fat_boxes()[n].contains(bounds), active[n]);
            }
        }
    }
}

#[test]
fn resuming_from_the_fat_boxes_gives_the_same_pairs_for_ever() {
    let mut random = Random::new(32);
    let mut boxes = mixed(400, &mut random);
    let mut broad = BroadPhase::new();
    for _ in 0..20 {
        wander(&mut boxes, 0.5, 0.1, &mut random);
        broad.update(&boxes, None, |_, _| true, 0.1);
    }
    let mut resumed = BroadPhase::from_fat_boxes(broad.fat_boxes().to_vec());
    for _ in 0..20 {
        wander(&mut boxes, 0.5, 0.1, &mut random);
        let wanted = broad.update(&boxes, None, |_, _| true, 0.1);
        assert_eq!(wanted, resumed.update(&boxes, None, |_, _| true, 0.1));
        assert_eq!(broad.fat_boxes(), resumed.fat_boxes());
    }
}

#[test]
fn bodies_that_stay_in_their_boxes_are_not_asked_for_again() {
    let mut random = Random::new(33);
    let mut boxes = mixed(200, &mut random);
    let mut broad = BroadPhase::new();
    let before = broad.update(&boxes, None, |_, _| true, 0.1).to_vec();
    wander(&mut boxes, 1.0, 0.05, &mut random);
    let asked = std::cell::Cell::new(0);
    let count = |_, _| {
        asked.set(asked.get() + 1);
        true
    };
    assert_eq!(broad.update(&boxes, None, count, 0.1), before);
    assert_eq!(asked.get(), 0);
    broad.forget_pairs();
    assert_eq!(broad.update(&boxes, None, count, 0.1), before);
    assert_eq!(asked.get(), before.len());
}

#[test]
fn boxes_that_are_not_numbers_have_no_pairs() {
    let sound = Aabb::about(Vec3::ZERO, Vec3::ONE);
    let mut boxes = vec![sound, sound, Aabb::about(Vec3::NAN, Vec3::ONE), Aabb::EMPTY];
    boxes.push(Aabb::about(Vec3::ZERO, Vec3::splat(f64::INFINITY)));
    let mut broad = BroadPhase::new();
    for _ in 0..3 {
        assert_eq!(broad.update(&boxes, None, |_, _| true, 0.1), [(0, 1)]);
    }
    boxes[1] = boxes[2];
    assert!(broad.update(&boxes, None, |_, _| true, 0.1).is_empty());
    assert!(
        BroadPhase::new()
            .update(&[], None, |_, _| true, 0.1)
            .is_empty()
    );
}

#[test]
fn many_bodies_in_one_place_are_all_paired() {
    let boxes = vec![Aabb::about(Vec3::ONE, Vec3::ONE); 100];
    let mut broad = BroadPhase::new();
    let found = broad.update(&boxes, None, |_, _| true, 0.0).len();
    assert_eq!(found, 100 * 99 / 2);
}
