//! The table of truths. A row says, in this order:
//!
//! - what it means, its word in scene files, and its function in Rust;
//! - its fields in the order of files, with a type where the function asks for them, and what they take;
//! - the truth as a sentence, what it asks for, and how a measured value reads;
//! - what is measured, which samples count, and which values will do.

use drystone_base::Vec3;

use super::field::{Kind, LeftOut, Spec, Value};
use super::judge::Bound::{About, AtLeast, AtMost, Between, Positive, UpTo, ZeroTo};
use super::judge::Sampling::{
    At, First, Largest, LargestOfFrames, LargestRate, Last, Since, Smallest,
};
use super::judge::Watch;
use super::quantity as q;
use super::{Row, System, Table, Truth};
use crate::FindingKind;

const fn number(doc: &'static str) -> Spec {
    Spec::new(Kind::Number, doc)
}

const fn count(doc: &'static str) -> Spec {
    Spec::new(Kind::Count, doc)
}

const fn vector(doc: &'static str) -> Spec {
    Spec::new(Kind::Vector, doc)
}

const fn name(doc: &'static str) -> Spec {
    Spec::new(Kind::Text, doc)
}

const BODIES: Spec = name("Which bodies.").or(LeftOut::All);
const STRANDS: Spec = name("Which strands.").or(LeftOut::All);
const CLOTH: Spec = name("Which cloth.");
const CLOTHS: Spec = CLOTH.or(LeftOut::All);
const ONE: Spec = name("Which one.");
const M: Spec = number("[m]");
const M_S: Spec = number("[m/s]");
const RAD_S: Spec = number("[rad/s]");
const DEGREES: Spec = number("[degrees]");
const J: Spec = number("[J]");
const J_KG: Spec = number("[J/kg]");
const N: Spec = number("[N]");
const PLAIN: Spec = number("[1]");
const PART: Spec = number("From 0 to 1.").or(LeftOut::None);
const S: Spec = number("[s]");
const FROM: Spec = S.or(LeftOut::Zero);
const TO: Spec = S.or(LeftOut::None);
const AT: Spec = number("When; the end if left out [s].").or(LeftOut::None);
const ALONG: Spec = vector("Only along this direction, if given.").or(LeftOut::None);
const ABOUT: Spec = vector("Only about this direction, if given.").or(LeftOut::None);
const SIDEWAYS: &str = "Whether only the way sideways counts (along x and z).";
const SHARE: &str =
    "Surplus allowed, as a share of the most energy of motion, elasticity and layers so far [1].";
const POINT: &str = "Another point of the first curve instead of the tip.";

fn metres(_: &Watch, x: f64) -> String {
    super::metres(x)
}

fn counted(_: &Watch, x: f64) -> String {
    format!("{x}")
}

fn degrees(_: &Watch, x: f64) -> String {
    format!("{x:.2} degrees")
}

fn rounded(_: &Watch, x: f64) -> String {
    format!("{x:.3e}")
}

/// Names what was lost.
fn lost(watch: &Watch, _: f64) -> String {
    match &watch.past.lost[..] {
        [] => "nothing lost".into(),
        names => format!("lost {}", names[..names.len().min(5)].join(", ")),
    }
}

fn inside(_: &Watch, x: f64) -> String {
    let side = if x <= 0.0 { "inside" } else { "outside" };
    format!("{} {side}", super::metres(x.abs()))
}

fn stall(_: &Watch, x: f64) -> String {
    match x < 0.0 {
        true => "none".into(),
        false => format!("at {x:.4} s"),
    }
}

/// Makes the rows of a system, and a function for each that takes the fields with a type.
macro_rules! truths {
    (
        $(#[doc = $about:literal])+
        $module:ident $system:ident [$($more:literal)*]
        $(
            $(#[doc = $doc:literal])+
            $name:literal $build:ident($($field:ident $(: $type:ty)? = $spec:expr),*)
            $text:literal => $wanted:literal, $shown:expr;
            $sampler:expr, $sampling:expr, $bound:expr;
        )*
    ) => {
        $(#[doc = $about])+
        pub mod $module {
            use super::*;

            static ROWS: &[Row] = &[$(Row {
                system: System::$system,
                name: $name,
                doc: &[$($doc),+],
                names: &[$(stringify!($field)),*],
                fields: &[$($spec),*],
                text: $text,
                wanted: $wanted,
                shown: $shown,
                sampler: $sampler,
                sampling: $sampling,
                bound: $bound,
            }),*];

            pub(in crate::truth) static TABLE: Table = Table {
                doc: &[$($about),+],
                rows: ROWS,
                words: &[$($name,)* $($more),*],
            };

            #[allow(non_camel_case_types)]
            enum Place { $($build),* }

            $(
                $(#[doc = $doc])+
                pub fn $build($($($field: $type,)?)*) -> Truth {
                    let row = &ROWS[Place::$build as usize];
                    Truth::new(row, [$($((stringify!($field), <Value as From<$type>>::from($field)),)?)*])
                }
            )*
        }
    };
}

truths! {
    /// Something that must hold when the scene is run. Where a truth names `bodies`, `*` stands for
    /// any letters: `tower/*`. Times default to the whole run. Bodies that do not move by
    /// themselves count only where they are named without `*`.
    bodies Rigid ["strands" "cloth"]

    /// No body is farther than `drift` from where it was at `from` (or when it entered).
    "stands-still" stands_still(bodies: &str = BODIES, drift: f64 = M,
        sideways = Spec::new(Kind::Flag, SIDEWAYS).or(LeftOut::Zero), from = FROM, to = TO)
        "`{bodies}` stands still{sideways} within {drift:m}{span}" => "at most {drift:m}", metres;
        q::shift, Largest("from", "to"), AtMost("drift");
    /// A body sinks by `by` for the first time between `after` and `before`.
    "falls" falls(bodies: &str = BODIES, by: f64 = M, after: f64 = FROM, before: f64 = S)
        "`{bodies}` falls by {by:m} between {after} s and {before} s"
            => "between {after} s and {before} s", |_, t| format!("at {t:.3} s");
        q::fall_time, First, Between("after", "before");
    /// One of the bodies has moved at least `at_least` from its start by the time `before`.
    "moves" moves(bodies: &str = BODIES, at_least: f64 = M, before = TO)
        "`{bodies}` moves at least {at_least:m}{span}" => "at least {at_least:m}", metres;
        q::shift, Largest("", "before"), AtLeast("at_least");
    /// No two bodies are deeper in each other than `depth`, at output frames.
    "penetration-below" penetration_below(depth: f64 = M, from = FROM, to = TO)
        "penetration stays below {depth:m}{span}" => "at most {depth:m}", metres;
        |_, now| Some(now.penetration().deepest), LargestOfFrames("from", "to"), AtMost("depth");
    /// The depth of touching pairs, averaged, is below `depth`.
    "mean-penetration-below" mean_penetration_below(depth: f64 = M, at = AT)
        "mean penetration is below {depth:m} {when}" => "at most {depth:m}", metres;
        |_, now| Some(now.penetration().mean), At("", "at"), AtMost("depth");
    /// Kinetic energy, of all bodies together or per kilogram, stays below a limit.
    "kinetic-energy-below" kinetic_energy_below(joules = J.or(LeftOut::None), per_kg = J_KG.or(LeftOut::None),
        from = FROM, to = TO)
        "kinetic energy stays below [{joules} J|{per_kg} J/kg]{span}"
            => "at most [{joules} J|{per_kg} J/kg]",
            |watch, x| format!("{:.3e} J, {x:.3} of the limit", watch.past.scale);
        q::kinetic_energy, Largest("from", "to"), UpTo(1.0);
    /// That part of the bodies is still near its start.
    "standing-fraction" standing_fraction(bodies: &str = BODIES, at_least = PART, at_most = PART,
        sideways: f64 = number("Within this much of its start along x and z [m]."),
        vertical: f64 = number("Within this much of its start along y [m]."), at = AT)
        "[at least {at_least:%}|at most {at_most:%}] of `{bodies}` stand {when}"
            => "[at least {at_least:%}|at most {at_most:%}]", |_, x| format!("{:.1} %", 100.0 * x);
        q::standing, Since("", "at"), Between("at_least", "at_most");
    /// No body is faster than `limit`.
    "speed-below" speed_below(bodies: &str = BODIES, limit: f64 = M_S, from = FROM, to = TO)
        "`{bodies}` stays slower than {limit} m/s{span}" => "at most {limit} m/s", |_, x| format!("{x:.4e} m/s");
        q::speed, Largest("from", "to"), AtMost("limit");
    /// The centre of every body stays inside a box.
    "stays-inside" stays_inside(bodies: &str = BODIES, low: [f64; 3] = vector("Smallest corner [m]."),
        high: [f64; 3] = vector("Largest corner [m]."), from = FROM, to = TO)
        "`{bodies}` stays inside {low} .. {high}{span}" => "inside", inside;
        q::outside, Largest("from", "to"), UpTo(0.0);
    /// The centre of every body stays above a height.
    "stays-above" stays_above(bodies: &str = BODIES, height: f64 = M, from = FROM, to = TO)
        "`{bodies}` stays above {height:m}{span}" => "at least {height:m}", metres;
        q::body_height, Smallest("from", "to"), AtLeast("height");
    /// Every number stays finite.
    "stays-finite" stays_finite()
        "every number stays finite" => "nothing lost", lost;
        q::lost, Last, UpTo(0.0);
    /// Total momentum does not change by more than a part of Σ m|v| at `from`.
    "momentum-kept" momentum_kept(tolerance: f64 = PLAIN, along = ALONG, from = FROM, to = TO)
        "momentum[ along {along}] is kept to {tolerance:e}{span}" => "at most {tolerance:e}", |_, x| format!("{x:.1e}");
        q::momentum, Largest("from", "to"), AtMost("tolerance");
    /// Total angular momentum about the origin does not change by more than a part of its length
    /// at `from`.
    "angular-momentum-kept" angular_momentum_kept(tolerance: f64 = PLAIN, from = FROM, to = TO)
        "angular momentum is kept to {tolerance:e}{span}" => "at most {tolerance:e}", |_, x| format!("{x:.1e}");
        q::angular_momentum, Largest("from", "to"), AtMost("tolerance");
    /// Kinetic and potential energy together never rise above an earlier value by more than
    /// `tolerance`. A body that enters starts a new count.
    "energy-never-rises" energy_never_rises(tolerance: f64 = J, from = FROM, to = TO)
        "energy never rises by more than {tolerance} J{span}" => "at most {tolerance} J", |_, x| format!("{x:.4e} J");
        q::energy_rise, Largest("from", "to"), AtMost("tolerance");
    /// A body has moved by `amount` along a direction since `from`.
    "moved-by" moved_by(body: &str = ONE, along: [f64; 3] = vector("Any length but zero."), amount: f64 = M,
        tolerance: f64 = M, from = FROM, at = AT)
        "`{body}` has moved by {amount:m} +- {tolerance:m} along {along} {when}"
            => "{amount} +- {tolerance} m", |_, x| format!("{x:.6} m");
        q::way_along, Since("from", "at"), About("amount", "tolerance");
    /// A body has a given speed, or velocity along a direction.
    "speed-is" speed_is(body: &str = ONE, value: f64 = M_S, tolerance: f64 = M_S, along = ALONG, at = AT)
        "`{body}` moves at {value} +- {tolerance} m/s[ along {along}] {when}"
            => "{value} +- {tolerance} m/s", |_, x| format!("{x:.6} m/s");
        q::speed, At("", "at"), About("value", "tolerance");
    /// A body spins at a given rate, in all or about a direction.
    "spin-is" spin_is(body: &str = ONE, value: f64 = RAD_S, tolerance: f64 = RAD_S, about = ABOUT, at = AT)
        "`{body}` spins at {value} +- {tolerance} rad/s[ along {about}] {when}"
            => "{value} +- {tolerance} rad/s", |_, x| format!("{x:.6} rad/s");
        q::spin, At("", "at"), About("value", "tolerance");
    /// A body has turned by a given angle (0 to 180) since `from`.
    "turned-by" turned_by(body: &str = ONE, degrees: f64 = DEGREES, tolerance: f64 = DEGREES, from = FROM, at = AT)
        "`{body}` has turned by {degrees} +- {tolerance} degrees {when}"
            => "{degrees} +- {tolerance} degrees", |_, x| format!("{x:.6} degrees");
        q::turn, Since("from", "at"), About("degrees", "tolerance");
    /// A body at some time is turned away from its start by at least that much.
    "tumbles" tumbles(body: &str = ONE, degrees: f64 = number("Up to 180 [degrees]."), before = TO)
        "`{body}` turns away from its start by {degrees} degrees{span}" => "at least {degrees} degrees", degrees;
        q::turn, Largest("", "before"), AtLeast("degrees");
    /// From `within` on no body is faster than `speed`.
    "comes-to-rest" comes_to_rest(bodies: &str = BODIES, within: f64 = S, speed = M_S.or(LeftOut::Number(1e-3)))
        "`{bodies}` comes to rest (slower than {speed} m/s) within {within} s"
            => "at most {speed} m/s", |_, x| format!("{x:.4e} m/s");
        q::speed, Largest("within", ""), AtMost("speed");
    /// The number of contact points lies between two limits.
    "contact-count" contact_count(at_least: u64 = count("Fewest.").or(LeftOut::Zero),
        at_most = count("Most.").or(LeftOut::None), at = AT)
        "[at least {at_least}|at most {at_most}] contact points {when}"
            => "[at least {at_least}|at most {at_most}]", counted;
        |_, now| Some(now.report.rigid.contacts as f64), At("", "at"), Between("at_least", "at_most");
    /// A finding that is known and not cured: so many things have it at most. Any other finding
    /// breaks the scene.
    "known-finding" known_finding(kind: FindingKind = Spec::new(Kind::Finding, "What kind of finding."),
        things = name("Names of the bodies, strands or cloths that may have it.").or(LeftOut::All),
        at_most: u64 = count("How many of them."))
        "`{kind}` is found of few of `{things}`" => "at most {at_most}", counted;
        q::findings, Last, AtMost("at_most");
}

truths! {
    /// Something that must hold of strands. Where one names `strands`, `*` stands for any letters. The
    /// tip is the last point of a strand's first curve.
    strands Strand []

    /// The tip of a strand is at a place.
    "tip-near" tip_near(strand: &str = ONE, at: [f64; 3] = vector("[m]"), within: f64 = M, time = AT)
        "the tip of `{strand}` is at {at} {when}" => "within {within:m}", metres;
        q::tip_distance, At("", "time"), AtMost("within");
    /// Every tip is back where it was at the start.
    "tip-returns" tip_returns(strands: &str = STRANDS, within: f64 = M, time = AT)
        "the tips of `{strands}` are back {when}" => "within {within:m}", metres;
        q::tip_shift, Since("", "time"), AtMost("within");
    /// No tip is farther than `within` from where it was at `from`.
    "tip-stays" tip_stays(strands: &str = STRANDS, point = count(POINT).or(LeftOut::None),
        within: f64 = M, from = FROM, to = TO)
        "the tips of `{strands}` stay in place{span}" => "within {within:m}", metres;
        q::tip_shift, Largest("from", "to"), AtMost("within");
    /// A tip moves at least `at_least` from its start.
    "tip-moves" tip_moves(strands: &str = STRANDS, point = count(POINT).or(LeftOut::None),
        at_least: f64 = M, before = TO)
        "a tip of `{strands}` moves at least {at_least:m}{span}" => "at least {at_least:m}", metres;
        q::tip_shift, Largest("", "before"), AtLeast("at_least");
    /// No tip is faster, from step to step.
    "tip-speed-below" tip_speed_below(strands: &str = STRANDS, limit: f64 = M_S, from = FROM, to = TO)
        "the tips of `{strands}` stay slower than {limit} m/s{span}"
            => "at most {limit} m/s", |_, x| format!("{x:.4e}");
        q::tip_speed, LargestRate("from", "to"), AtMost("limit");
    /// The tip of a strand swings past its root with a given period, in the mean.
    "tip-period" tip_period(strand: &str = ONE, along: [f64; 3] = vector("Direction of the swing."),
        period: f64 = S, tolerance: f64 = S)
        "`{strand}` swings with a period of {period} s" => "{period} +- {tolerance} s", |_, x| format!("{x:.5} s");
        q::tip_period, Last, About("period", "tolerance");
    /// No strand is deeper in a body than `depth`, anywhere along it, nor in a strand where they touch, at output frames.
    "depth-below" depth_below(depth: f64 = M, from = FROM, to = TO)
        "strands are no deeper in bodies and each other than {depth:m}{span}" => "at most {depth:m}", metres;
        |_, now| Some(now.world.strand_penetration()), LargestOfFrames("from", "to"), AtMost("depth");
    /// Every implicit step is solved.
    "no-failed-steps" no_failed_steps()
        "every step of the strands is solved" => "0", counted;
        |_, now| Some(now.world.strand_total()?.failed as f64), Last, UpTo(0.0);
    /// Newton's method takes few iterations, in the mean over all steps.
    "iterations-below" iterations_below(mean: f64 = PLAIN)
        "Newton's method takes less than {mean} iterations in the mean" => "at most {mean}", |_, x| format!("{x:.2}");
        |_, now| Some(now.world.strand_total()?.iteration_figures().0), Last, AtMost("mean");
    /// The energy of the strands (of motion, weight and elasticity) never rises above an earlier value.
    "energy-never-rises" energy_never_rises(tolerance: f64 = J, from = FROM, to = TO)
        "the energy of the strands never rises by more than {tolerance:e} J{span}"
            => "at most {tolerance:e} J", |_, x| format!("{x:.1e} J");
        |watch, now| Some(watch.rise(now.world.strand_energy().iter().sum(), 0)),
            Largest("from", "to"), AtMost("tolerance");
    /// No strand is twisted by more than `degrees` from root to tip.
    "twist-below" twist_below(strands: &str = STRANDS, degrees: f64 = DEGREES, from = FROM, to = TO)
        "`{strands}` stays twisted by less than {degrees} degrees{span}" => "at most {degrees} degrees", degrees;
        q::twist, Largest("from", "to"), AtMost("degrees");
    /// A strand is at some time twisted by at least `degrees` from root to tip.
    "twists" twists(strands: &str = STRANDS, degrees: f64 = DEGREES)
        "`{strands}` twists by at least {degrees} degrees" => "at least {degrees} degrees", degrees;
        q::twist, Largest("", ""), AtLeast("degrees");
    /// The base exerts a given force on a strand, evenly over the last step.
    "base-force" base_force(strand: &str = ONE, newtons: f64 = N, tolerance: f64 = N, time = AT)
        "the base of `{strand}` exerts {newtons:e} N {when}"
            => "{newtons:e} +- {tolerance:e} N", |_, x| format!("{x:.5e} N");
        q::base_force, At("", "time"), About("newtons", "tolerance");
    /// At least `at_least` points of strands touch bodies.
    "contacts" contacts(at_least: u64 = count("Fewest."), time = AT)
        "at least {at_least} points of strands touch {when}" => "at least {at_least}", counted;
        |_, now| Some(now.world.strand_contacts() as f64), At("", "time"), AtLeast("at_least");
    /// At most `but` of the grooms with `zero_gravity` are too soft to hold their shape.
    "grooms-hold" grooms_hold(but = count("How many may fail.").or(LeftOut::Zero))
        "all grooms hold but {but}" => "at most {but} fail", counted;
        |_, now| Some(now.world.rest_shapes().iter().filter(|shape| !shape.holds()).count() as f64),
            First, AtMost("but");
}

truths! {
    /// Something that must hold of cloth. Where one names `cloths`, `*` stands for any letters.
    cloth Cloth []

    /// Nothing passes through anything, by exact predicates at output frames.
    "no-crossings" no_crossings()
        "nothing passes through anything" => "0", counted;
        |_, now| Some(now.world.cloths()?.crossings().len() as f64), LargestOfFrames("", ""), UpTo(0.0);
    /// In the end nothing is pinched, and nothing passes through anything, by exact predicates.
    "ends-clear" ends_clear()
        "in the end nothing is pinched and nothing passes through anything" => "0", counted;
        |_, now| now.world.cloths().map(|cloths| (cloths.crossings().len() + cloths.pinched()) as f64), Last, UpTo(0.0);
    /// Things that move as prescribed pinch so many vertices at a time, see `solver.cloth.pinching`.
    "pinches" pinches(vertices: u32 = count("At least."))
        "{vertices} vertices are pinched" => "at least {vertices}", counted;
        |_, now| Some(now.world.cloths()?.pinched() as f64), Largest("", ""), AtLeast("vertices");
    /// Time never stands still.
    "no-stall" no_stall()
        "time never stands still" => "none", stall;
        |_, now| Some(now.world.cloths()?.stall().map_or(-1.0, |stall| stall.time)), Last, UpTo(-1.0);
    /// Time stands still, since what is asked for cannot be done without passing through something.
    "stalls" stalls(before: f64 = number("By then at the latest [s]."))
        "a stall is reported before {before} s" => "before {before} s", stall;
        |_, now| Some(now.world.cloths()?.stall().map_or(-1.0, |stall| stall.time)), Last, ZeroTo("before");
    /// No pair ever needs a deeper layer.
    "layers-below" layers_below(most: u32 = count("The deepest."))
        "no pair needs more than {most} layers" => "at most {most}", counted;
        |_, now| Some(f64::from(now.world.cloth_total()?.deepest_layer)), Largest("", ""), AtMost("most");
    /// A pair has at least `least` active layers at some time.
    "layers-reach" layers_reach(least: u32 = count("The deepest, at least."))
        "some pair needs {least} layers" => "at least {least}", counted;
        |_, now| Some(f64::from(now.world.cloth_total()?.deepest_layer)), Largest("", ""), AtLeast("least");
    /// At every step a vertex moves at least with `speed`: the cloth has not come to rest.
    "keeps-moving" keeps_moving(cloths: &str = CLOTHS, speed: f64 = M_S, from = FROM, to = TO)
        "`{cloths}` keeps moving at {speed} m/s{span}" => "at least {speed} m/s", rounded;
        q::fastest, Smallest("from", "to"), AtLeast("speed");
    /// In the end a vertex in a column hangs so much lower than something: between nails, or over an edge.
    "sags" sags(cloths: &str = CLOTHS,
        column: [[f64; 2]; 2] = Spec::new(Kind::Column, "Least and largest x and z of the column [m]."),
        top: f64 = number("Height that the depth is measured from [m]."), depth: f64 = number("At least [m]."))
        "`{cloths}` ends {depth:m} below {top:m}" => "at least {depth:m}", metres;
        q::sag, Last, AtLeast("depth");
    /// At the end the extent of all of it along a direction is at most `at_most`.
    "extent" extent(cloths: &str = CLOTHS, along: [f64; 3] = vector("Of length 1."), most: f64 = M)
        "`{cloths}` ends no longer than {most:m}" => "at most {most:m}", metres;
        q::extent, Last, AtMost("most");
    /// In the end they share no more of a direction: from where the others begin to where these end, as of two ribbons
    /// that are knotted.
    "overlap" overlap(cloths: &str = CLOTH, with: &str = name("With which others."),
        along: [f64; 3] = vector("From the cloth to the others, of length 1."), most: f64 = M)
        "`{cloths}` and `{with}` end with {most:m} in common" => "at most {most:m}", metres;
        q::overlap, Last, AtMost("most");
    /// No vertex is faster.
    "speed-below" speed_below(cloths: &str = CLOTHS, limit: f64 = M_S, from = FROM, to = TO)
        "`{cloths}` stays slower than {limit} m/s{span}" => "at most {limit} m/s", rounded;
        q::fastest, Largest("from", "to"), AtMost("limit");
    /// A vertex moves at least with `speed` at the end of some step.
    "reaches" reaches(cloths: &str = CLOTHS, speed: f64 = M_S)
        "`{cloths}` reaches {speed} m/s" => "at least {speed} m/s", rounded;
        q::fastest, Largest("", ""), AtLeast("speed");
    /// No vertex is lower.
    "above" above(cloths: &str = CLOTHS, height: f64 = M, from = FROM)
        "`{cloths}` stays above {height:m}{span}" => "at least {height:m}", metres;
        |watch, now| Some(q::reach(now, &watch.chosen, Vec3::Y)?.0), Smallest("from", ""), AtLeast("height");
    /// A vertex is below `below` at some time.
    "sinks" sinks(cloths: &str = CLOTHS, below: f64 = M)
        "`{cloths}` sinks below {below:m}" => "at most {below:m}", metres;
        |watch, now| Some(q::reach(now, &watch.chosen, Vec3::Y)?.0), Smallest("", ""), AtMost("below");
    /// A vertex is above `above` at some time.
    "rises" rises(cloths: &str = CLOTHS, above: f64 = M)
        "`{cloths}` rises above {above:m}" => "at least {above:m}", metres;
        |watch, now| Some(q::reach(now, &watch.chosen, Vec3::Y)?.1), Largest("", ""), AtLeast("above");
    /// At the end a plane perpendicular to an axis separates them.
    "apart" apart(cloths: &str = CLOTH, from: &str = name("From which others."))
        "`{cloths}` comes free of `{from}`" => "a gap", metres;
        q::gap, Last, Positive;
    /// At no time does a plane perpendicular to an axis separate them.
    "together" together(cloths: &str = CLOTH, with: &str = name("With which others."))
        "`{cloths}` stays with `{with}`" => "no gap", metres;
        q::gap, Largest("", ""), UpTo(0.0);
    /// The energy of the cloth (of motion, weight, elasticity and layers) never rises above an earlier
    /// value.
    "energy-never-rises" energy_never_rises(tolerance: f64 = J, from = FROM, to = TO)
        "the energy of the cloth never rises by more than {tolerance:e} J{span}" => "at most {tolerance:e} J", rounded;
        |watch, now| Some(watch.rise(now.world.cloths()?.energy().total(), 0)),
            Largest("from", "to"), AtMost("tolerance");
    /// The cloth never has more energy (of motion, weight and elasticity) than it had at the start and than bodies, pins,
    /// hands, loads and air have put in since.
    "energy-never-gained" energy_never_gained(share = number(SHARE).or(LeftOut::Number(drystone_cloth::GAIN_SHARE)))
        "the cloth has no more energy than was put in" => "at most {share:e} of that at work", rounded;
        |_, now| Some(now.world.report().cloth.surplus.share()), Largest("", ""), AtMost("share");
    /// Momentum stays as it was at the start; for what is free of gravity and of obstacles.
    "momentum-kept" momentum_kept(
        tolerance: f64 = number("As a part of momentum and angular momentum about the origin at the start [1]."))
        "the momentum of the cloth is kept" => "at most {tolerance:e}", rounded;
        q::cloth_momentum, Largest("", ""), AtMost("tolerance");
}
