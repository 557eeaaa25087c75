//! `drystone trial`: random scenes, held to laws that every scene must keep.

use std::collections::BTreeMap;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use drystone_formats::toml::{write_scene, write_scene_json};
use drystone_trial::{Breach, Campaign, Finding, Law, Subject, Tried};
use drystone_world::{Scene, Verdict};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::arguments::{Adjust, Trial};
use crate::failure::{BROKEN, Failure, WELL};
use crate::{say, scene};

/// Random scenes of bodies that `drystone check --all` runs.
pub(crate) const OF_CHECK: usize = 1000;
/// Seeds named for each kind and law.
const EXAMPLES: usize = 3;

/// One broken law of one scene, as `--json` shows it.
#[derive(Serialize)]
struct Shown {
    seed: u64,
    kind: &'static str,
    #[serde(flatten)]
    breach: Breach,
    file: Option<PathBuf>,
}

/// Results of all trials.
#[derive(Serialize)]
struct Summary {
    system: Subject,
    scenes: usize,
    broken: usize,
    wall_seconds: f64,
    breaches: Vec<Shown>,
}

pub(crate) fn run(arguments: &Trial) -> Result<ExitCode, Failure> {
    let known = || Subject::ALL.map(Subject::name);
    let subject = Subject::ALL
        .into_iter()
        .find(|s| s.name() == arguments.system);
    let subject = subject.ok_or_else(|| {
        let found = &arguments.system;
        Failure::input(format!(
            "--system {found}: wanted one of {}",
            known().join(", ")
        ))
    })?;
    if let Some(kind) = arguments.kind.as_deref() {
        let kinds = subject.kinds();
        if !kinds.contains(&kind) {
            let kinds = kinds.join(", ");
            return Err(Failure::input(format!(
                "--kind {kind}: wanted one of {kinds}"
            )));
        }
    }
    let adjust = Adjust {
        set: arguments.set.clone(),
        stepper: arguments.stepper.clone(),
        preset: arguments.preset.clone(),
        ..Adjust::default()
    };
    // what is misspelt is found before the first scene is run
    scene::adjusted(
        drystone_trial::Trial::make(subject, arguments.seed).scene,
        &adjust,
    )?;
    let mut campaign = Campaign::new(subject, arguments.count, arguments.seed);
    campaign.kind.clone_from(&arguments.kind);
    campaign.shrink = !arguments.no_shrink;
    campaign.limits.seconds = arguments.patience;
    if let Some(threads) = arguments.threads {
        campaign.threads = threads.into();
    }
    if arguments.keep {
        return keep(&campaign, &adjust, &arguments.out);
    }
    let summary = hold(&campaign, &adjust, Some(&arguments.out))?;
    if arguments.json {
        say::line(serde_json::to_string_pretty(&summary).map_err(Failure::input)?);
    } else {
        print(&summary);
    }
    Ok(if summary.broken == 0 { WELL } else { BROKEN }.into())
}

/// Runs all trials and writes the scenes that break a law into `folder`, if there is one.
fn hold(campaign: &Campaign, adjust: &Adjust, folder: Option<&Path>) -> Result<Summary, Failure> {
    let started = Instant::now();
    let mut bar = Bar::new(campaign);
    let mut summary = Summary {
        system: campaign.subject,
        scenes: 0,
        broken: 0,
        wall_seconds: 0.0,
        breaches: Vec::new(),
    };
    let mut failure = None;
    let prepare = |scene: &mut Scene| {
        // tried before the first scene; a scene that it does not fit is run as it is
        if let Ok(adjusted) = scene::adjusted(scene.clone(), adjust) {
            *scene = adjusted;
        }
    };
    campaign.run(&prepare, &mut |tried: &Tried| {
        summary.scenes += 1;
        summary.broken += usize::from(!tried.findings.is_empty());
        for finding in &tried.findings {
            let file = folder.map(|folder| write(folder, finding)).transpose();
            let file = file.unwrap_or_else(|error| {
                failure = Some(error);
                None
            });
            summary.breaches.push(Shown {
                seed: tried.trial.seed,
                kind: tried.trial.kind,
                breach: finding.breach.clone(),
                file,
            });
        }
        bar.show(summary.scenes, summary.broken);
        failure.is_none()
    });
    bar.finish();
    if let Some(failure) = failure {
        return Err(failure);
    }
    // trials end in any order
    summary
        .breaches
        .sort_by_key(|shown| (shown.seed, shown.breach.law));
    summary.wall_seconds = started.elapsed().as_secs_f64();
    Ok(summary)
}

/// Writes the scenes themselves, whatever comes of them, without running any.
fn keep(campaign: &Campaign, adjust: &Adjust, folder: &Path) -> Result<ExitCode, Failure> {
    for seed in campaign.seeds() {
        let trial = drystone_trial::Trial::make(campaign.subject, seed);
        let scene = scene::adjusted(trial.scene, adjust)?;
        let name = scene.name.clone();
        let file = write_file(folder, &name, &scene, &format!("# {}\n", scene.about))?;
        say::line(file.display());
    }
    Ok(WELL.into())
}

/// Writes the smaller scene of `finding` into `folder`; it says what broke.
fn write(folder: &Path, finding: &Finding) -> Result<PathBuf, Failure> {
    let (trial, breach) = (&finding.smaller, &finding.smaller_breach);
    let mut scene = trial.scene.clone();
    let (subject, law, seed) = (trial.subject.name(), breach.law.name(), trial.seed);
    let name = format!("{subject}-{law}-{seed}");
    scene.name.clone_from(&name);
    scene.about = format!("{} (seed {seed}, kind `{}`)", breach, trial.kind);
    let head = format!(
        "# From `drystone trial --system {subject} --seed {seed} --count 1`, kind `{}`.\n\
         # Law broken: {breach}\n\
         # Before it was made smaller: {}\n\n",
        trial.kind, finding.breach
    );
    write_file(folder, &name, &scene, &head)
}

/// Writes `scene` as TOML under `head`, or as JSON where TOML cannot say it.
fn write_file(folder: &Path, name: &str, scene: &Scene, head: &str) -> Result<PathBuf, Failure> {
    let (ending, text) = match write_scene(scene) {
        Ok(text) => ("toml", format!("{head}{text}")),
        Err(_) => ("json", write_scene_json(scene)?),
    };
    let file = folder.join(format!("{name}.{ending}"));
    let done = fs::create_dir_all(folder).and_then(|()| fs::write(&file, text));
    done.map_err(|error| Failure::input(format!("{}: {error}", file.display())))?;
    Ok(file)
}

/// A row of the table: one law in one kind of scene.
#[derive(Default)]
struct Row<'a> {
    seeds: Vec<u64>,
    worst: Option<&'a Shown>,
}

fn print(summary: &Summary) {
    let mut rows: BTreeMap<(&str, Law), Row<'_>> = BTreeMap::new();
    for shown in &summary.breaches {
        let row = rows.entry((shown.kind, shown.breach.law)).or_default();
        row.seeds.push(shown.seed);
        let worse = |known: &Shown| shown.breach.value.total_cmp(&known.breach.value).is_gt();
        if row.worst.is_none_or(worse) {
            row.worst = Some(shown);
        }
    }
    if !rows.is_empty() {
        say::line(format_args!(
            "{:<10} {:<17} {:>6} {:>11} {:>9}  {:<22} file of the worst",
            "kind", "law", "scenes", "worst", "allowed", "seeds"
        ));
    }
    for ((kind, law), row) in &rows {
        let Some(worst) = row.worst else { continue };
        let seeds: Vec<String> = row
            .seeds
            .iter()
            .take(EXAMPLES)
            .map(u64::to_string)
            .collect();
        let file = worst.file.as_deref().map(|file| file.display().to_string());
        say::line(format_args!(
            "{kind:<10} {:<17} {:>6} {:>11.3e} {:>9.0e}  {:<22} {}",
            law.name(),
            row.seeds.len(),
            worst.breach.value,
            worst.breach.allowed,
            seeds.join(" "),
            file.unwrap_or_default()
        ));
    }
    let scenes = say::count(summary.scenes as u64, "scene");
    let rate = summary.scenes as f64 / summary.wall_seconds.max(1e-9);
    let took = format!(
        "{}, {rate:.1} scenes a second",
        say::seconds(summary.wall_seconds)
    );
    say::line(match summary.broken {
        0 => format!("{scenes}: every law holds ({took})"),
        n => format!("{scenes}: laws broken in {n} ({took})"),
    });
}

/// A thousand random scenes of bodies, as `drystone check` shows truths: one for each law broken.
pub(crate) fn of_check(adjust: &Adjust) -> Result<Vec<Verdict>, Failure> {
    let mut campaign = Campaign::new(Subject::Rigid, OF_CHECK, 0);
    if let Some(threads) = adjust.threads {
        campaign.threads = threads.into();
    }
    let adjust = Adjust {
        set: adjust.set.clone(),
        stepper: adjust.stepper.clone(),
        preset: adjust.preset.clone(),
        ..Adjust::default()
    };
    let summary = hold(&campaign, &adjust, None)?;
    let mut laws: BTreeMap<Law, Vec<u64>> = BTreeMap::new();
    for shown in &summary.breaches {
        laws.entry(shown.breach.law).or_default().push(shown.seed);
    }
    let verdict = |truth: String, measured: String, broken: usize| Verdict {
        truth,
        wanted: "broken in none".into(),
        measured,
        value: broken as f64,
        holds: broken == 0,
    };
    let mut verdicts: Vec<Verdict> = laws
        .iter()
        .map(|(law, seeds)| {
            let few: Vec<String> = seeds.iter().take(EXAMPLES).map(u64::to_string).collect();
            let measured = format!("in {}, as in seeds {}", seeds.len(), few.join(", "));
            verdict(law.name().into(), measured, seeds.len())
        })
        .collect();
    let scenes = format!("{} random scenes keep every law", summary.scenes);
    let broken = format!("broken in {}", summary.broken);
    verdicts.insert(0, verdict(scenes, broken, summary.broken));
    Ok(verdicts)
}

/// Progress: scenes done, laws broken, time left.
struct Bar {
    bar: Option<ProgressBar>,
    count: usize,
    started: Instant,
    shown: Instant,
}

/// Between two lines where there is no terminal.
const QUIET: Duration = Duration::from_secs(20);

impl Bar {
    fn new(campaign: &Campaign) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(campaign.count as u64), target);
            let template = "{prefix} {bar:20} {percent:>3} %  {wide_msg}";
            bar.set_style(
                ProgressStyle::with_template(template)
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .progress_chars("=> "),
            );
            bar.with_prefix(format!("random {} scenes", campaign.subject.name()))
        });
        let now = Instant::now();
        Self {
            bar,
            count: campaign.count,
            started: now,
            shown: now,
        }
    }

    fn show(&mut self, done: usize, broken: usize) {
        if self.bar.is_none() && self.shown.elapsed() < QUIET {
            return;
        }
        self.shown = Instant::now();
        let passed = self.started.elapsed().as_secs_f64();
        let left = passed * self.count.saturating_sub(done) as f64 / done.max(1) as f64;
        let text = format!(
            "{done} of {}, laws broken in {broken}, {} left",
            self.count,
            say::seconds(left)
        );
        match &self.bar {
            Some(bar) => {
                bar.set_message(text);
                bar.set_position(done as u64);
            }
            None => say::stderr_line(text),
        }
    }

    fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
