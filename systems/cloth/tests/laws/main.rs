//! The laws that cloth keeps, on models of a few vertices built in place.

#![allow(clippy::unwrap_used)]

mod bodies;
mod closed_forms;
mod contact;
mod culling;
mod damping;
mod elastic;
mod energy;
mod ground;
mod hand;
mod input;
mod momentum;
mod pinch;
mod prescribed;
mod progress;
mod random_setup;
mod rest;
mod safety;
mod scenes;
mod scripted;
mod setup;
mod sleep;
mod snapshot;
mod thickness;
