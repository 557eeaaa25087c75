//! `drystone run`: simulates a scene and writes what comes of it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use drystone_world::{Recorder, World};

use crate::arguments::Run;
use crate::failure::{BROKEN, Failure, INTERRUPTED, UNSOUND, WELL};
use crate::outputs::{self, Outputs};
use crate::progress::Progress;
use crate::scene::{self, Found};
use crate::warnings::Warnings;
use crate::{dump, interrupt, say, summary};

/// Default interval between checkpoints, in simulated time \[s\].
const CHECKPOINT_EVERY: f64 = 1.0;
/// Within a step that takes longer a checkpoint is written each time that so much has passed, if one is wanted.
const LONG_STEP: Duration = Duration::from_secs(60);

pub(crate) fn run(run: &Run) -> Result<ExitCode, Failure> {
    // all that can be refused is refused before the first step
    scene::use_threads(&run.adjust)?;
    if let Some(path) = &run.patch {
        outputs::endings(path, &["obj"])?;
    }
    let refused = |failure: Failure| with_patch(run, failure);
    let found = scene::find(&run.scene, &run.adjust).map_err(refused)?;
    let mut world = start(run, &found).map_err(refused)?;
    let frame_steps = u64::from(found.scene.steps_per_frame());
    let last_step = found.scene.frames() * frame_steps;
    let end = last_step as f64 * world.step_length();
    check_times(run, &world, end)?;
    let mut dumps = run.dump_problem.clone();
    dumps.iter().try_for_each(|dump| dump.check(&world, end))?;
    let mut outputs = Outputs::open(run, &world)?;
    interrupt::listen();

    // step by step, with a frame, a picture and a checkpoint when they are due
    let started = Instant::now();
    let mut progress = Progress::new(&found.name, world.time(), end);
    let mut recorder = Recorder::new(&world);
    let mut next_checkpoint = world.time() + every(run);
    if run.resume.is_none() {
        output_frame(&mut outputs, &mut recorder, &world);
    }
    picture_if_due(run, &mut outputs, &world);
    let mut warnings = Warnings::default();
    Warnings::of_start(&world);
    let mut put_by_at = Instant::now() + LONG_STEP;
    while !is_over(&world, last_step) && !interrupt::asked() {
        if run.strict && !world.is_sound() {
            break;
        }
        if !world.is_mid_step() {
            dump::write_due(&mut dumps, &world, &mut outputs);
        }
        let report = world.advance_while(world.step_length(), |moment| {
            progress.inside(moment);
            let put_by = run.checkpoint.is_some() && Instant::now() > put_by_at;
            !(interrupt::asked() || put_by)
        });
        if world.is_mid_step() {
            // a step that takes this long is put by as it stands
            if let Some(path) = &run.checkpoint {
                outputs.checkpoint(path, &world);
                put_by_at = Instant::now() + LONG_STEP;
            }
            continue;
        }
        if world.has_stopped() {
            recorder.step(&report);
            warnings.show_new(&world, &progress);
            break;
        }
        recorder.step(&report);
        progress.step(&world, &report);
        warnings.show_new(&world, &progress);
        if step_number(&world).is_multiple_of(frame_steps) {
            output_frame(&mut outputs, &mut recorder, &world);
        }
        picture_if_due(run, &mut outputs, &world);
        if let Some(path) = &run.checkpoint
            && world.time() >= next_checkpoint - 0.5 * world.step_length()
        {
            outputs.checkpoint(path, &world);
            next_checkpoint += every(run);
            put_by_at = Instant::now() + LONG_STEP;
        }
    }
    let wall_seconds = started.elapsed().as_secs_f64();
    progress.finish();

    // what took longest to make is kept first
    let unsound = !world.is_sound();
    let unfinished = !is_over(&world, last_step);
    let stopped = run.strict && unsound && unfinished;
    let interrupted = unfinished && !stopped;
    let checkpoint = put_by(run, &found, &mut outputs, &world, interrupted);
    outputs.finish();
    let stall = world.cloths().and_then(|cloths| cloths.stall());
    if let (Some(path), Some(stall)) = (&run.patch, stall) {
        let written = outputs::write_text(path, &stall.patch());
        outputs.note(path.clone(), written);
    }
    // numbers and the final picture, then the summary
    let report = recorder.report(&world, wall_seconds);
    outputs.numbers(&report);
    if !world.is_mid_step() {
        outputs.picture(&world, &world.frame());
    }
    summary::print(&report, &outputs);
    // how it ended, and the exit code
    if interrupted {
        say::line(format_args!(
            "interrupted at {:.3} s of {end} s",
            world.time()
        ));
        if let Some(path) = checkpoint {
            let command = summary::resume_command(run, &path, world.time());
            say::line(format_args!("to resume:\n  {command}"));
        }
        return Ok(INTERRUPTED.into());
    }
    if world.has_stopped() && world.time() < end - 0.5 * world.step_length() {
        say::line(format_args!(
            "the world stands still at {:.3} s of {end} s: cloth has stalled; all before is written",
            world.time()
        ));
    } else if stopped {
        say::line(format_args!(
            "stopped at the first finding, at {:.3} s of {end} s",
            world.time()
        ));
    }
    Ok(match outputs.failures.as_slice() {
        _ if unsound => UNSOUND,
        [] => WELL,
        _ => BROKEN,
    }
    .into())
}

/// The world at the start of the scene, or in the state of its checkpoint.
fn start(run: &Run, found: &Found) -> Result<World, Failure> {
    match &run.resume {
        None => found.world(),
        Some(path) => {
            // what is wrong with the scene is said of the scene
            found
                .scene
                .validate()
                .map_err(|error| found.failure(&error))?;
            Ok(drystone_formats::checkpoint::resume(path, &found.scene)?)
        }
    }
}

/// Writes the patch that `failure` is about, if it is wanted, and passes the failure on.
fn with_patch(run: &Run, failure: Failure) -> Failure {
    if let (Some(path), Some(patch)) = (&run.patch, failure.patch()) {
        match outputs::write_text(path, patch) {
            Ok(()) => say::line(format_args!("the pieces in question: {}", path.display())),
            Err(message) => say::stderr_line(format_args!("error: {message}")),
        }
    }
    failure
}

fn check_times(run: &Run, world: &World, end: f64) -> Result<(), Failure> {
    let slack = 0.5 * world.step_length();
    if let Some(at) = run.at
        && !(world.time() - slack..=end + slack).contains(&at)
    {
        let start = world.time();
        let message = format!("--at {at}: the run goes from {start} s to {end} s");
        return Err(Failure::input(message));
    }
    if let Some(every) = run.every
        && !(every > 0.0 && every.is_finite())
    {
        let message = format!("--every {every}: wanted more than 0 seconds");
        return Err(Failure::input(message));
    }
    if run.resume.is_some() && world.time() >= end - slack {
        return Err(Failure::input(format!(
            "the checkpoint is at {} s, and the run ends at {end} s; say --seconds S to go on",
            world.time()
        )));
    }
    Ok(())
}

/// Whether there is nothing more to simulate: the end is reached, or cloth has stalled.
fn is_over(world: &World, last_step: u64) -> bool {
    let ended = step_number(world) >= last_step && !world.is_mid_step();
    ended || world.has_stopped()
}

fn every(run: &Run) -> f64 {
    run.every.unwrap_or(CHECKPOINT_EVERY)
}

fn step_number(world: &World) -> u64 {
    world.system().state.step
}

fn output_frame(outputs: &mut Outputs, recorder: &mut Recorder, world: &World) {
    let record = *recorder.frame(world);
    if outputs.takes_frames() {
        let frame = match outputs.with_contacts {
            true => world.frame_with_contacts(),
            false => world.frame(),
        };
        outputs.frame(&frame, &record);
    }
}

/// Renders the picture at the time `--at`.
fn picture_if_due(run: &Run, outputs: &mut Outputs, world: &World) {
    if run
        .at
        .is_some_and(|at| world.time() >= at - 0.5 * world.step_length())
    {
        outputs.picture(world, &world.frame());
    }
}

/// Puts the run by, if that was asked for or if it is not over; where.
fn put_by(
    run: &Run,
    found: &Found,
    outputs: &mut Outputs,
    world: &World,
    interrupted: bool,
) -> Option<PathBuf> {
    let path = match &run.checkpoint {
        Some(path) => path.clone(),
        None if interrupted => beside(run, &found.name),
        None => return None,
    };
    if let Err(failure) = outputs::writable(&path) {
        failure.present();
        return None;
    }
    let saved = outputs.checkpoint(&path, world);
    if saved {
        outputs.note(path.clone(), Ok(()));
    }
    saved.then_some(path)
}

/// Default path of a checkpoint: beside the first output, or in `out`.
fn beside(run: &Run, name: &str) -> PathBuf {
    match run.output.first() {
        Some(output) => output.with_extension("ckpt"),
        None => Path::new("out").join(format!("{name}.ckpt")),
    }
}
