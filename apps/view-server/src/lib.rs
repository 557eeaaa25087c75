//! The live viewer: a web server with the engine inside.
//!
//! [`Server::bind`] listens, [`Server::run`] serves the page of `apps/viewer` with the gallery and
//! the scene files of one folder. Each thing that is looked at is a run: a thread that steps one
//! world, or two side by side, and publishes the latest frames ([`wire`]). Pages watch over a
//! WebSocket and say what to do (play, throw, set an option) in JSON. A page that is slow gets fewer
//! frames; one that has gone is forgotten; neither holds a run up.
//!
//! ```no_run
//! let server = drystone_view::Server::bind(drystone_view::Settings {
//!     scene: Some("falling-roof".into()),
//!     ..Default::default()
//! })?;
//! // open server.url() in a browser
//! server.run()?;
//! # Ok::<(), drystone_view::ViewError>(())
//! ```

mod assets;
mod body_drag;
mod command;
mod describe;
mod diagnostics;
mod drag;
mod export;
mod frame_index;
mod guard;
mod history;
mod page;
mod player;
mod query;
mod registry;
mod run;
mod server;
mod session;
mod socket;
mod source;
mod thumbnail;
mod unpack;
pub mod wire;

pub use page::Page;
pub use server::{Running, Server, Settings};

use std::net::SocketAddr;

/// Why there is nothing to view.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Serving has ended.
    #[error("the server has stopped: {0}")]
    Serve(std::io::Error),
    /// No such scene.
    #[error("there is no scene `{0}` in the gallery, nor such a scene file in the folder")]
    Scene(String),
    /// A token that will not do.
    #[error("the token will not do; wanted 16 to 128 letters and digits")]
    Token,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers for the address")]
    Random,
}
