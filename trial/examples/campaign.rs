//! A campaign of random scenes without the command line's many parts:
//! `cargo run --release -p drystone-trial --example campaign [SUBJECT] COUNT [SEED [THREADS]]`, where the subject is
//! `rigid` (the default), `strand`, `cloth` or `world`.
//!
//! Prints every law that a scene breaks as it is found, and at the end how many scenes ran and how many
//! broke one. Ends with 1 if any did.

#![allow(clippy::print_stdout)]

use std::process::ExitCode;

use drystone_trial::{Campaign, Subject, Tried};

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
        .collect();
    let [count, seed, threads] = [(0, 100), (1, 1), (2, 1)]
        .map(|(place, otherwise)| numbers.get(place).copied().unwrap_or(otherwise));
    let named = |subject: &Subject| std::env::args().any(|word| word == subject.name());
    let subject = Subject::ALL.into_iter().find(named);
    let subject = subject.unwrap_or(Subject::Rigid);
    let mut campaign = Campaign::new(subject, count as usize, seed);
    campaign.threads = threads as usize;
    // a busy machine breaks no law
    campaign.limits.wall_seconds *= 10.0;
    let (mut scenes, mut broken) = (0, 0);
    campaign.run(&|_| (), &mut |tried: &Tried| {
        scenes += 1;
        broken += u32::from(!tried.findings.is_empty());
        for finding in &tried.findings {
            let (trial, breach) = (&tried.trial, &finding.breach);
            println!("{} {}: {breach}", trial.seed, trial.kind);
        }
        if scenes % 100 == 0 {
            println!("so far {scenes} scenes, {broken} of them break a law");
        }
        true
    });
    println!("{scenes} scenes from seed {seed} on, {broken} of them break a law");
    ExitCode::from(u8::from(broken > 0))
}
