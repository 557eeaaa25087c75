//! `drystone check`: runs scenes and holds them to their truths.

use std::process::ExitCode;
use std::time::Instant;

use drystone_world::{Verdict, check_world};
use serde::Serialize;

use crate::arguments::{Adjust, Check};
use crate::commands::trial;
use crate::failure::{BROKEN, Failure, WELL};
use crate::progress::Progress;
use crate::{say, scene};

/// One scene and its truths, as `--json` shows them.
#[derive(Serialize)]
struct Checked {
    scene: String,
    holds: bool,
    simulated_seconds: f64,
    wall_seconds: f64,
    truths: Vec<Verdict>,
}

pub(crate) fn run(arguments: &Check) -> Result<ExitCode, Failure> {
    let gallery = drystone_gallery::ALL
        .iter()
        .map(|entry| entry.name.to_owned());
    let words: Vec<String> = if arguments.all {
        gallery.collect()
    } else {
        arguments.scenes.clone()
    };
    scene::use_threads(&arguments.adjust)?;
    // a misspelt name is found before the first scene is run
    for word in &words {
        scene::find(word, &arguments.adjust)?;
    }
    let mut all = Vec::new();
    for word in &words {
        let checked = check(word, &arguments.adjust)?;
        if !arguments.json {
            print(&checked);
        }
        all.push(checked);
    }
    if arguments.all {
        let checked = check_random(&arguments.adjust)?;
        if !arguments.json {
            print(&checked);
        }
        all.push(checked);
    }
    let broken: Vec<&str> = all
        .iter()
        .filter(|c| !c.holds)
        .map(|c| c.scene.as_str())
        .collect();
    if arguments.json {
        say::line(serde_json::to_string_pretty(&all).map_err(Failure::input)?);
    } else if all.len() > 1 {
        let truths = say::count(all.iter().map(|c| c.truths.len() as u64).sum(), "truth");
        let scenes = say::count(all.len() as u64, "scene");
        say::line(match broken.as_slice() {
            [] => format!("all {truths} of {scenes} hold"),
            some => format!("broken in {} of {scenes}: {}", some.len(), some.join(", ")),
        });
    }
    Ok(if broken.is_empty() { WELL } else { BROKEN }.into())
}

fn check(word: &str, adjust: &Adjust) -> Result<Checked, Failure> {
    let found = scene::find(word, adjust)?;
    let mut world = found.world()?;
    let (truths, duration) = (&found.scene.truths, found.scene.duration);
    let mut progress = Progress::new(&found.name, 0.0, duration);
    let started = Instant::now();
    let verdicts = check_world(&mut world, truths, duration, |p| {
        progress.step(p.world, p.report);
    });
    progress.finish();
    Ok(Checked {
        scene: found.name,
        holds: verdicts.iter().all(|verdict| verdict.holds),
        simulated_seconds: world.time(),
        wall_seconds: started.elapsed().as_secs_f64(),
        truths: verdicts,
    })
}

/// Random scenes of bodies, shown like one scene whose truths are the laws.
fn check_random(adjust: &Adjust) -> Result<Checked, Failure> {
    let started = Instant::now();
    let truths = trial::of_check(adjust)?;
    Ok(Checked {
        scene: "random-scenes".into(),
        holds: truths.iter().all(|verdict| verdict.holds),
        simulated_seconds: 0.0,
        wall_seconds: started.elapsed().as_secs_f64(),
        truths,
    })
}

fn print(checked: &Checked) {
    say::line(format_args!(
        "{} ({:.2} s simulated in {})",
        checked.scene,
        checked.simulated_seconds,
        say::seconds(checked.wall_seconds)
    ));
    if checked.truths.is_empty() {
        say::line("  the scene states no truth");
    }
    let width = |text: fn(&Verdict) -> &str| {
        checked
            .truths
            .iter()
            .map(|v| text(v).chars().count())
            .max()
            .unwrap_or(0)
    };
    let (truth, wanted) = (width(|v| &v.truth), width(|v| &v.wanted));
    for verdict in &checked.truths {
        say::line(format_args!(
            "  {}  {:truth$}  wanted {:wanted$}  measured {}",
            if verdict.holds { "holds " } else { "BROKEN" },
            verdict.truth,
            verdict.wanted,
            verdict.measured,
        ));
    }
}
