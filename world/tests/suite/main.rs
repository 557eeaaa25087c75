//! Scenes and worlds, in one program.

#![allow(missing_docs, clippy::unwrap_used)]

mod bad_input;
mod cloth;
mod coupling;
mod fastened_inside;
mod findings;
mod first_try;
mod hung;
mod materials;
mod problem;
mod ropes;
mod scene;
mod stacks;
mod strand_scene;
mod strands;
mod things;
mod ties;
mod touch;
mod world;
