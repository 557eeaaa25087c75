//! Adding and removing strands while a system runs.

use crate::state::StrandState;
use crate::{Anchor, Constraint, ConstraintKind, Error, Model, Source};

use super::System;

impl System {
    /// Adds the state of strands and constraints that were added to the model. The strands start now, moving with
    /// what carries them.
    pub fn grow(&mut self) {
        let time = self.state.time;
        for i in self.state.strands.len()..self.model.len() {
            let chain = &self.model.chains[i];
            let mut strand = StrandState::new(chain, time);
            if let Some((body, at)) = chain.base.body {
                let carrier = self.body(body);
                strand.restart_on(chain, carrier.pose.then(&at), carrier.velocity_at(&at));
            }
            let mut properties = crate::Properties::default();
            properties.sample(chain, time);
            self.properties.truncate(i);
            self.properties.push(properties);
            self.state.strands.push(strand);
        }
        let constraints = self.model.constraints.len();
        self.state.constraint_on.resize(constraints, true);
    }

    /// Removes strand `i` and every constraint on it or to it. Indices of later strands decrease by one. Returns the
    /// new index of every constraint, none for those removed.
    pub fn remove(&mut self, i: usize) -> Result<Vec<Option<usize>>, Error> {
        let (mut model, mut state) = (self.described_model(), self.state.clone());
        model.forget(i);
        model.chains.remove(i);
        state.strands.remove(i);

        // constraints that stay, and where
        let gone = |c: &Constraint| c.strand == i || c.other_strand() == Some(i);
        let mut kept = 0..;
        let places: Vec<Option<usize>> = model
            .constraints
            .iter()
            .map(|c| if gone(c) { None } else { kept.next() })
            .collect();
        let mut stays = places.iter().map(Option::is_some);
        state.constraint_on.retain(|_| stays.next() == Some(true));
        model.constraints.retain(|c| !gone(c));
        for constraint in &mut model.constraints {
            constraint.strand -= usize::from(constraint.strand > i);
            if let ConstraintKind::Point { to, .. } | ConstraintKind::Pose { to, .. } =
                &mut constraint.kind
                && let Anchor::Strand { strand, .. } = to
            {
                *strand -= usize::from(*strand > i);
            }
        }
        let place = |k: usize| places.get(k).copied().flatten();
        for strand in state.strands.iter_mut().chain(&mut state.bodies) {
            strand.multipliers.retain_mut(|held| {
                let now = place(held.constraint);
                held.constraint = now.unwrap_or(0);
                now.is_some()
            });
            strand.reactions.retain_mut(|reaction| {
                let Source::Constraint(k) = &mut reaction.source else {
                    return true;
                };
                let now = place(*k);
                *k = now.unwrap_or(0);
                now.is_some()
            });
        }

        let mut system = Self::new(model, self.options.clone())?;
        system.restore(state)?;
        *self = system;
        Ok(places)
    }

    /// The model with every base on its original path, also where it is driven now.
    pub fn described_model(&self) -> Model {
        let mut model = self.model.clone();
        for (i, path) in &self.left {
            model.chains[*i].base.path = path.clone();
        }
        model
    }
}

impl Model {
    /// Removes strands and constraints beyond these numbers.
    pub fn truncate(&mut self, strands: usize, constraints: usize) {
        for i in strands..self.len() {
            self.forget(i);
        }
        self.chains.truncate(strands);
        self.constraints.truncate(constraints);
    }
}
