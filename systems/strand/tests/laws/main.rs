//! The laws that strands keep, each against a second way of knowing.

#![allow(clippy::unwrap_used)]

mod bodies;
mod buckling;
mod build;
mod constraints;
mod contacts;
mod controls;
mod dynamics;
mod golden;
mod impulses;
mod many_contacts;
mod rest;
mod robustness;
mod statics;
mod strand_contact;
mod watch;
