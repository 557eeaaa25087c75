//! One scene, one file, with its truths. Every scene of the papers is here, the scenes on
//! which Drystone stands beside other engines, and small ones with an answer in closed form.
//!
//! ```
//! let entry = drystone_gallery::find("box-stack").expect("is in the gallery");
//! let scene = (entry.build)();
//! assert_eq!(scene.expand()?.len(), 26);
//! # Ok::<(), drystone_world::SceneError>(())
//! ```

mod cloth_prelude;
mod compactor_prelude;
mod prelude;
mod strand_prelude;

use drystone_world::{Scene, nearest};

/// A scene of the gallery.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What `drystone run` calls it.
    pub name: &'static str,
    /// One line that says what it shows.
    pub about: &'static str,
    /// Which system it is about.
    pub system: &'static str,
    /// Makes the scene, its truths included.
    pub build: fn() -> Scene,
}

impl Entry {
    /// An empty scene that carries this entry's name.
    fn start(&self) -> Scene {
        let mut scene = Scene::new();
        scene.name = self.name.into();
        scene.about = self.about.into();
        scene
    }
}

/// What runs when no scene is named.
pub const DEFAULT: &str = "falling-roof";

/// Declares one module for each scene file and lists their entries in the same order.
macro_rules! gallery {
    ($($file:ident)*) => {
        $(mod $file;)*

        /// Every scene: the papers' first, then weight and momentum, laws, comparison.
        pub const ALL: &[Entry] = &[$($file::ENTRY),*];
    };
}

gallery! {
    falling_roof roof_tower_800 box_stack box_stack_9 penetrating_stack large_mass wall tower
    ball_grid silo silo_funnel engraved_letters cow_pile cow_on_slab
    card_house card_house_slippery house pyramid dominoes jam
    carried_box struck_stack seesaw_placed seesaw_dropped leaning_stack counterweight overhang
    incline arch newtons_cradle spinning_top dzhanibekov
    matches pencils dropped_plates gravel loaded_columns ball_on_cubes rod_and_plate
    lanterns moving_jungle grove donkey_ears bun_and_braid curly_bangs long_hair
    golden_hair cantilever pendulum double_pendulum hanging_chain helix twisted_ring capstan
    incline_rod two_strand_necklace kicked_grooms lamps rope_pendulum rope_bridge hubs_and_tails
    crossed_ropes knotted_rope braided_ropes atwood flail necklace bead_curtain
    particle_and_floor sludge cloth_on_sphere free_sheet reef_knot reef_knot_small
    reef_knot_displaced reef_knot_untied overhand bowline bowline_small trash_compactor trash_compactor_small
    animal_compactor animal_compactor_small sheets_draped sheets_draped_small sheets_soft sheets_pulled sheets_pulled_small
    balls_on_nails balls_on_nails_small curtain curtain_small tablecloth hung_sign draped_wall hammock trampoline
    line_of_washing parachute towel_over_line rope_in_sheet cloth_on_branch armpit
    bench_box_stack bench_large_mass bench_wall bench_tower bench_roof_tower bench_ball_grid
    bench_silo
}

/// The scene called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// The name a person probably meant by `name`, if one is near.
pub fn suggest(name: &str) -> Option<&'static str> {
    nearest(name, ALL.iter().map(|entry| entry.name))
}
