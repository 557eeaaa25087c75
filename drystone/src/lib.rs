//! Drystone, a physics engine for animation and simulation research: rigid bodies that stand
//! by contact and friction alone, and come apart believably when they are hit; hair, ropes and
//! trees; cloth in which nothing passes through anything.
//!
//! A [`Scene`](world::Scene) is plain data; a [`World`](world::World) is a scene come alive, which
//! takes steps and shows [`Frame`](world::Frame)s; everything that shows or stores results takes
//! frames.
//!
//! ```
//! use drystone::prelude::*;
//!
//! // ten boxes on the ground, and a ball that flies at them
//! let mut scene = Scene::new();
//! scene.ground();
//! let stack = Stack { count: 10, shape: Shape::cube(1.0), ..Stack::default() };
//! scene.generate(Generator::new("stack", Pattern::Stack(stack)));
//! scene.add(Body::ball(0.5).named("ball").at(-8.0, 5.5, 0.0).velocity(20.0, 0.0, 0.0));
//!
//! let mut world = World::new(&scene)?;
//! world.run_for(0.1);
//! let top = world.find("stack/9").expect("the stack has ten boxes");
//! let pose = world.body(top).expect("it is there").pose();
//! assert!((pose.position.y - 9.5).abs() < 1e-3);
//!
//! // a snapshot resumes bit for bit
//! let snapshot = world.snapshot();
//! world.run_for(1.0);
//! let once = world.frame();
//! world.restore(&snapshot)?;
//! world.run_for(1.0);
//! assert_eq!(once, world.frame());
//! # Ok::<(), SceneError>(())
//! ```
//!
//! Strands are as plain. Points and a body to ride on make a hair:
//!
//! ```
//! use drystone::prelude::*;
//!
//! let mut scene = Scene::new();
//! scene.add(Body::ball(0.1).named("head").fixed());
//! let hair = scene.add(Strand::straight([0.11, 0.0, 0.0], [0.31, 0.0, 0.0], 20).on("head"));
//! let mut world = World::new(&scene)?;
//! world.run_for(0.2);
//! let points = world.strand(hair).expect("it is there").points();
//! assert!(points[20].y < -0.05);
//! # Ok::<(), SceneError>(())
//! ```
//!
//! So is cloth, through which nothing passes:
//!
//! ```
//! use drystone::prelude::*;
//!
//! let mut scene = Scene::new();
//! scene.add(Body::ball(0.3).named("ball").at(0.0, 0.3, 0.0).fixed());
//! let sheet = Surface::Sheet { columns: 10, rows: 10, spacing: 0.08 };
//! scene.add(Cloth::new("sheet", sheet).at(0.0, 0.65, 0.0));
//! let mut world = World::new(&scene)?;
//! world.run_for(0.2);
//! assert!(world.cloths().is_some_and(|cloth| cloth.crossings().is_empty()));
//! # Ok::<(), SceneError>(())
//! ```
//!
//! Things come and go while a world runs ([`World::add`](world::World::add), [`World::remove`](world::World::remove)),
//! each named by the id that `add` gives; `examples/live.rs` shows all of it.
//!
//! The command line `drystone` does the same with scene files; see `drystone --help`.

pub use drystone_base as base;
pub use drystone_cloth as cloth;
pub use drystone_complementarity as complementarity;
pub use drystone_formats as formats;
pub use drystone_gallery as gallery;
pub use drystone_geometry as geometry;
pub use drystone_picture as picture;
pub use drystone_rigid as rigid;
pub use drystone_strand as strand;
pub use drystone_world as world;

pub mod prelude;

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
