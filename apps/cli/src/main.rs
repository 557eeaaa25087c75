//! The command line `drystone`: reads, calls the libraries, presents.

mod arguments;
mod commands;
mod dump;
mod failure;
mod interrupt;
mod lab;
mod outputs;
mod progress;
mod say;
mod scene;
mod set;
mod summary;
mod warnings;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Command, Drystone, Run};

fn main() -> ExitCode {
    let arguments = Drystone::parse();
    let result = match arguments.command {
        Some(Command::Run(run)) => commands::run::run(&run),
        Some(Command::Export(export)) => commands::export::run(&export),
        Some(Command::Check(check)) => commands::check::run(&check),
        Some(Command::Trial(trial)) => commands::trial::run(&trial),
        Some(Command::Lab(lab)) => commands::lab::run(&lab),
        Some(Command::List { json }) => commands::list::run(json),
        Some(Command::Ccd(ccd)) => commands::ccd::run(&ccd),
        Some(Command::View(view)) => commands::view::run(&view),
        Some(Command::Schema) => commands::schema::run(),
        None => commands::run::run(&Run::of_default_scene()),
    };
    result.unwrap_or_else(|failure| failure.present())
}
