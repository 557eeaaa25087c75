//! What a run says at its end.

use std::path::{Path, PathBuf};

use drystone_world::{ClothRun, RunReport, RunVerdict, StrandRun};

use crate::arguments::Run;
use crate::outputs::Outputs;
use crate::say;

/// The run in a few lines, and where its files are.
pub(crate) fn print(report: &RunReport, outputs: &Outputs) {
    // what was run, and how long it took
    let step = &report.step_seconds.total;
    let deepest = report
        .frames
        .iter()
        .map(|f| f.deepest_penetration)
        .fold(0.0, f64::max);
    let per_second = report.steps as f64 * report.dt / report.wall_seconds.max(1e-9);
    let mut things = Vec::new();
    if report.bodies > 0 || (report.strands.is_none() && report.cloth.is_none()) {
        things.push(say::count(report.bodies as u64, "body").replace("bodys", "bodies"));
    }
    if let Some(run) = &report.strands {
        let segments = say::count(run.segments as u64, "segment");
        things.push(format!(
            "{} of {segments}",
            say::count(run.strands as u64, "strand")
        ));
    }
    if let Some(run) = &report.cloth {
        let vertices = say::count(run.vertices as u64, "vertex").replace("vertexs", "vertices");
        things.push(format!(
            "{} of {vertices}",
            say::count(run.cloths as u64, "cloth")
        ));
    }
    say::line(format_args!(
        "{}: {} to {:.2} s",
        report.scene,
        things.join(" and "),
        report.simulated_seconds,
    ));
    say::line(format_args!(
        "  wall time     {} for {} ({per_second:.1} times real time)",
        say::seconds(report.wall_seconds),
        say::count(report.steps, "step"),
    ));
    say::line(format_args!(
        "  step          {} in the mean, {} at worst ({} collision, {} dynamics in the mean)",
        say::seconds(step.mean),
        say::seconds(step.max),
        say::seconds(report.step_seconds.collision.mean),
        say::seconds(report.step_seconds.dynamics.mean),
    ));
    // how well: contacts, penetration, a section for each system
    say::line(format_args!(
        "  contacts      {:.0} in the mean, {} at most",
        report.contacts.mean, report.contacts.max
    ));
    say::line(format_args!(
        "  penetration   {} at most",
        say::metres(deepest)
    ));
    if let Some(run) = &report.strands {
        print_strands(run);
    }
    if let Some(run) = &report.cloth {
        print_cloth(run);
    }
    if !report.quarantined.is_empty() {
        let shown = &report.quarantined[..report.quarantined.len().min(5)];
        say::line(format_args!(
            "  quarantined   {} whose motion was no longer finite: {}{}",
            report.quarantined.len(),
            shown.join(", "),
            if shown.len() < report.quarantined.len() {
                ", ..."
            } else {
                ""
            },
        ));
    }
    // what to believe of it, and what was written
    print_verdict(&report.verdict);
    for (path, bytes) in &outputs.written {
        say::line(format_args!(
            "  wrote         {} ({})",
            path.display(),
            say::bytes(*bytes)
        ));
    }
    if outputs.written.is_empty() && outputs.failures.is_empty() {
        say::line("  no file was asked for: -o FILE.usda, --picture FILE.png, --film FILE.mp4");
    }
    for failure in &outputs.failures {
        say::stderr_line(format_args!("error: {failure}"));
    }
}

/// Whether the run was sound; the first few findings if it was not.
fn print_verdict(verdict: &RunVerdict) {
    if verdict.sound {
        return say::line("  verdict       sound");
    }
    let findings = &verdict.findings;
    say::line(format_args!(
        "  verdict       UNSOUND: {}",
        say::count(findings.len() as u64, "finding")
    ));
    for finding in findings.iter().take(5) {
        let times = match finding.count {
            1 => String::new(),
            n => format!(", in {n} steps until {:.3} s", finding.last_time),
        };
        say::line(format_args!(
            "  {:<13} `{}` at {:.3} s{times}: {}",
            finding.kind.name(),
            finding.thing,
            finding.time,
            finding.what,
        ));
    }
    if findings.len() > 5 {
        let more = findings.len() - 5;
        say::line(format_args!("                and {more} more"));
    }
}

/// Prints figures of the cloth.
fn print_cloth(run: &ClothRun) {
    let total = &run.total;
    say::line(format_args!(
        "  cloth         {} a frame in the mean, {} at worst; {:.2} million events a second",
        say::seconds(run.frame_seconds.mean),
        say::seconds(run.frame_seconds.max),
        1e-6 * total.events as f64 / total.seconds.max(1e-9),
    ));
    say::line(format_args!(
        "  events        {} elastic, {} of penalty layers, {} of certificates",
        total.elastic, total.penalties, total.certificates
    ));
    say::line(format_args!(
        "  layers        {} at most",
        total.deepest_layer
    ));
    if let Some(stall) = &total.stalled {
        let stall = stall.trim_start_matches("stalled: ");
        say::line(format_args!("  stalled       {stall}"));
    }
    for pinch in run.pinches.iter().take(5) {
        say::line(format_args!("  pinched       {pinch}"));
    }
    for clamped in &run.clamped_dampers {
        say::line(format_args!("  dashpot       {clamped}"));
    }
}

/// Prints figures of the strands.
fn print_strands(run: &StrandRun) {
    say::line(format_args!(
        "  strands       {} a frame in the mean, {} at worst; {}, {} halved, {} unsolved",
        say::seconds(run.frame_seconds.mean),
        say::seconds(run.frame_seconds.max),
        say::count(run.steps, "step"),
        run.halved,
        run.failed,
    ));
    say::line(format_args!(
        "  iterations    {:.1} in the mean, {:.0} in 95 of 100, {:.0} at most",
        run.iterations.mean, run.iterations.p95, run.iterations.max
    ));
    say::line(format_args!(
        "  touching      {:.0} points in the mean, {} at most, {} deep at most",
        run.contacts.mean,
        run.contacts.max,
        say::metres(run.deepest_penetration)
    ));
    for line in run.unstable_grooms.iter().take(5) {
        say::line(format_args!("  groom         {line}"));
    }
    if run.unstable_grooms.len() > 5 {
        let more = run.unstable_grooms.len() - 5;
        say::line(format_args!("  groom         and {more} more like these"));
    }
    if !run.quarantined.is_empty() {
        let shown = &run.quarantined[..run.quarantined.len().min(5)];
        say::line(format_args!(
            "  put back      {} whose motion was no longer finite: {}",
            say::count(run.quarantined.len() as u64, "strand"),
            shown.join(", "),
        ));
    }
}

/// The command that goes on where `run` stopped, at `time` \[s\]. Files that would be overwritten get a number.
pub(crate) fn resume_command(run: &Run, checkpoint: &Path, time: f64) -> String {
    // files that the resumed run writes anew
    let mut words = vec!["drystone".to_owned(), "run".to_owned(), quoted(&run.scene)];
    let mut say = |option: &str, value: String| {
        words.push(option.to_owned());
        words.push(quoted(&value));
    };
    let shown = |path: &Path| path.display().to_string();
    for path in &run.output {
        say("-o", shown(&next(path)));
    }
    if let Some(path) = &run.record {
        say("--record", shown(&next(path)));
    }
    if let Some(path) = &run.film {
        say("--film", shown(&next(path)));
    }
    if let Some((width, height)) = run.filming.film_size {
        say("--film-size", format!("{width}x{height}"));
    }
    if let Some(orbit) = run.filming.orbit {
        say("--orbit", orbit.to_string());
    }
    // the scene as it was adjusted
    let adjust = &run.adjust;
    if let Some(seconds) = adjust.seconds {
        say("--seconds", seconds.to_string());
    }
    for assignment in &adjust.set {
        say("--set", assignment.clone());
    }
    if let Some(metres) = adjust.perturb {
        say("--perturb", metres.to_string());
    }
    if let Some(seed) = adjust.seed {
        say("--seed", seed.to_string());
    }
    if let Some(name) = &adjust.stepper {
        say("--stepper", name.clone());
    }
    if let Some(name) = &adjust.preset {
        say("--preset", name.clone());
    }
    if let Some(threads) = adjust.threads {
        say("--threads", threads.to_string());
    }
    // other outputs that are still to come
    if let Some(path) = &run.report {
        say("--report", shown(&next(path)));
    }
    for path in &run.plot {
        say("--plot", shown(&next(path)));
    }
    for dump in run
        .dump_problem
        .iter()
        .filter(|dump| dump.time > time - 1e-6)
    {
        say(
            "--dump-problem",
            format!("{}:{}", dump.time, shown(&dump.path)),
        );
    }
    if let Some(path) = &run.picture {
        say("--picture", shown(path));
    }
    if let Some(at) = run.at.filter(|&at| at > time) {
        say("--at", at.to_string());
    }
    if let Some(path) = &run.checkpoint {
        say("--checkpoint", shown(path));
    }
    if let Some(seconds) = run.every {
        say("--every", seconds.to_string());
    }
    say("--resume", shown(checkpoint));
    if run.strict {
        words.push("--strict".to_owned());
    }
    words.join(" ")
}

/// The first of `NAME-2.EXT`, `NAME-3.EXT`, ... that is not there.
fn next(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    (2..)
        .map(|i| path.with_file_name(format!("{stem}-{i}.{ending}")))
        .find(|path| !path.exists())
        .unwrap_or_else(|| path.to_owned())
}

/// `word` as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_to_resume_repeats_what_decides_the_run() {
        let mut run = Run::of_default_scene();
        run.adjust.set = vec!["gravity=[0, -1.62, 0]".into()];
        run.adjust.stepper = Some("vsp".into());
        assert_eq!(
            resume_command(&run, Path::new("a b.ckpt"), 1.0),
            "drystone run falling-roof -o out/falling-roof-2.usda --set 'gravity=[0, -1.62, 0]' \
             --stepper vsp --report out/falling-roof-2.json --plot out/falling-roof-2.svg \
             --picture out/falling-roof.png --resume 'a b.ckpt'"
        );
    }
}
