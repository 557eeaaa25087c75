//! `drystone view`: the live viewer in the browser.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use drystone_view::{Server, Settings};

use crate::arguments::View;
use crate::failure::{Failure, WELL};
use crate::say;
use crate::scene::unknown;

pub(crate) fn run(view: &View) -> Result<ExitCode, Failure> {
    let server = Server::bind(settings(view)?).map_err(Failure::input)?;
    say::line(server.url());
    say::stderr_line("Ctrl-C ends it. Whoever has the address can steer; it is new each time.");
    if !view.no_open {
        open(server.url());
    }
    server.run().map_err(Failure::input)?;
    Ok(WELL.into())
}

/// What to serve: the gallery, and the folder of the scene file if one is named.
fn settings(view: &View) -> Result<Settings, Failure> {
    let mut settings = Settings {
        host: view.host,
        port: view.port.unwrap_or(0),
        sets: view.set.clone(),
        token: view.token.clone(),
        ..Settings::default()
    };
    let Some(word) = &view.scene else {
        return Ok(settings);
    };
    settings.scene = Some(word.clone());
    if drystone_gallery::find(word).is_some() {
        return Ok(settings);
    }
    let path = Path::new(word);
    if !path.is_file() {
        return Err(unknown(word));
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    settings.folder = Some(folder.unwrap_or(Path::new(".")).to_owned());
    settings.scene = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Ok(settings)
}

/// Opens `url` in the browser; where that cannot be done, the address has been printed.
fn open(url: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let quiet = || Stdio::null();
    let started = Command::new(program)
        .arg(url)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    if started.is_err() {
        say::stderr_line("no browser could be started: open the address above");
    }
}
