//! The laws that cloth keeps, on models of a few vertices built in place.

#![allow(clippy::unwrap_used)]

mod contact;
mod culling;
mod elastic;
mod scenes;
