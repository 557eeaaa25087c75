//! Shock propagation (Erleben 2007, §4): stack layers bottom-up, each solved upon supports that
//! no longer move.

use crate::dynamics::{Part, is_moving};
use crate::graph::{Graph, NONE};
use crate::sleep::wake_up;
use crate::{Model, Options, State};

/// Applies `algorithm` to each stack layer, the lowest first (Erleben 2007, Fig. 12).
///
/// A layer moves the bodies at its top only. Those at its bottom, which were the top of the
/// layer below, are thereby fixated while it is solved and free again afterwards.
pub(crate) fn shock_propagation(layers: &[Part], mut algorithm: impl FnMut(&Part)) {
    for layer in layers {
        algorithm(layer);
    }
}

/// Computes the contact graph of the patches with a point within `reach` times their length, and wakes the
/// islands in which something stirs.
pub(crate) fn contact_graph(
    state: &mut State,
    model: &Model,
    options: &Options,
    graph: &mut Graph,
    reach: f64,
) {
    let contacts = &state.contacts;
    graph.analyse(contacts, model, |k| {
        let patch = &contacts.patches[k];
        let near = |point: &crate::Point| point.distance <= reach * patch.length;
        contacts.points_of(patch).iter().any(near)
    });
    if options.sleeping {
        wake_up(state, model, graph);
    }
}

/// The stack layers of the contact graph, bottom-up. Layer k moves the bodies of height k + 1
/// and solves the patches between them and with height k.
///
/// As published, the whole scene is one group: a body that no chain of contacts joins to a fixed
/// one moves with the top layer, and contacts among such bodies enter no layer. With `islands`
/// they form a layer of their own, with nothing fixated. A scene without any fixed body is one
/// layer either way.
pub(crate) fn stack_layers(
    state: &State,
    model: &Model,
    graph: &Graph,
    islands: bool,
) -> Vec<Part> {
    let mut layers = vec![Part::default(); (graph.layers as usize).max(1)];
    let mut free = Part::default();
    for i in (0..model.len()).filter(|&i| is_moving(state, model, i)) {
        match graph.height[i] {
            NONE => free.moving.push(i as u32),
            height => layers[height as usize - 1].moving.push(i as u32),
        }
    }
    for (k, patch) in state.contacts.patches.iter().enumerate() {
        let awake = [patch.a, patch.b]
            .iter()
            .any(|&i| is_moving(state, model, i as usize));
        match graph.layer[k] {
            _ if !awake => {}
            NONE if graph.joined[k] => free.patches.push(k as u32),
            NONE => {}
            layer => layers[layer as usize].patches.push(k as u32),
        }
    }

    // who hangs free
    let grounded = (0..model.len()).any(|i| !model.is_dynamic(i) && state.present[i]);
    if islands || !grounded {
        layers.push(free);
    } else if let Some(top) = layers.last_mut() {
        top.moving.extend(free.moving);
        top.moving.sort_unstable();
    }
    layers.retain(|layer| !layer.moving.is_empty());
    layers
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::contacts::detect;
    use crate::{Body, Motion, Workspace};
    use drystone_base::{Pose, Vec3};
    use drystone_geometry::Shape;

    /// Unit cubes at `places`, the ground below.
    fn layers_of(places: &[Vec3], grounded: bool, islands: bool) -> Vec<Part> {
        let mut model = Model::default();
        if grounded {
            let ground = Body {
                motion: Motion::Fixed,
                ..Body::new("ground", Shape::HalfSpace)
            };
            model.add(ground).unwrap();
        }
        for (k, &at) in places.iter().enumerate() {
            let shape = Shape::Box {
                half: Vec3::splat(0.5),
            };
            model
                .add(Body {
                    pose: Pose::at(at),
                    ..Body::new(format!("{k}"), shape)
                })
                .unwrap();
        }
        let mut state = State::new(&model);
        let (options, mut workspace) = (Options::default(), Workspace::default());
        detect(&mut state, &model, &options, &mut workspace, 0.0);
        contact_graph(
            &mut state,
            &model,
            &options,
            &mut workspace.graph,
            options.tuning.envelope,
        );
        stack_layers(&state, &model, &workspace.graph, islands)
    }

    fn moving(layers: &[Part]) -> Vec<Vec<u32>> {
        layers.iter().map(|layer| layer.moving.clone()).collect()
    }

    #[test]
    fn a_column_has_one_layer_per_body_from_the_bottom() {
        let column = [Vec3::Y * 2.5, Vec3::Y * 0.5, Vec3::Y * 1.5];
        let layers = layers_of(&column, true, false);
        assert_eq!(moving(&layers), [vec![2], vec![3], vec![1]]);
        assert!(layers.iter().all(|layer| !layer.patches.is_empty()));
        let mut order = Vec::new();
        shock_propagation(&layers, |layer| order.extend_from_slice(&layer.moving));
        assert_eq!(order, [2, 3, 1]);
    }

    #[test]
    fn contacts_between_bodies_of_one_height_belong_to_the_layer_they_stand_in() {
        let layers = layers_of(&[Vec3::Y * 0.5, Vec3::new(1.0, 0.5, 0.0)], true, false);
        assert_eq!(moving(&layers), [vec![1, 2]]);
        let alone = layers_of(&[Vec3::Y * 0.5], true, false)[0].patches.len();
        assert!(layers[0].patches.len() > 2 * alone); // the side faces, too
    }

    #[test]
    fn free_floating_contacts_enter_no_layer_as_published_and_their_own_with_islands() {
        let places = [Vec3::Y * 0.5, Vec3::Y * 10.0, Vec3::Y * 11.0];
        let published = layers_of(&places, true, false);
        assert_eq!(moving(&published), [vec![1, 2, 3]]);
        assert_eq!(published[0].patches.len(), 1);
        let islands = layers_of(&places, true, true);
        assert_eq!(moving(&islands), [vec![1], vec![2, 3]]);
        assert_eq!(islands[1].patches.len(), 1);
    }

    #[test]
    fn without_any_fixed_body_all_is_one_layer() {
        let layers = layers_of(&[Vec3::Y * 10.0, Vec3::Y * 11.0], false, false);
        assert_eq!(moving(&layers), [vec![0, 1]]);
        assert_eq!(layers[0].patches.len(), 1);
    }
}
