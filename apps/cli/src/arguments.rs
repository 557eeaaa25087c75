//! What may be said on the command line.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::dump::Dump;

/// A physics engine for animation and simulation research: rigid bodies that really stack.
///
/// Without a command, runs the scene `falling-roof` and writes a picture, a plot, a USD cache
/// and a report into ./out.
#[derive(Debug, Parser)]
#[command(name = "drystone", version, max_term_width = 100)]
pub(crate) struct Drystone {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the scenes of the gallery
    List {
        /// As JSON, with the numbers of bodies, seconds and truths
        #[arg(long)]
        json: bool,
    },
    /// Simulate a scene and write its results
    Run(Box<Run>),
    /// Make files, pictures and films of a recorded run
    Export(Export),
    /// Run scenes and test their truths; exit code 1 if one is broken
    Check(Check),
    /// Make random scenes and test laws on them; exit code 1 if one is broken
    Trial(Trial),
    /// Compare contact solvers on problems from files or scenes
    Lab(Lab),
    /// Watch scenes in the browser, take them apart and play with them
    View(View),
    /// Test the certificates of cloth on published collision queries
    Ccd(Ccd),
    /// Print the JSON Schema of scene files
    Schema,
}

/// What is simulated, and how.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Adjust {
    /// Simulate this many seconds instead of the scene's duration
    #[arg(long, value_name = "S")]
    pub(crate) seconds: Option<f64>,
    /// Change a value of the scene: `dt=0.005`, `gravity=[0,-1.62,0]`,
    /// `material.brick.friction=0.3`, `body.roof.mass=500`, `solver.rigid.two_level.sweeps=8`
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Move every body sideways at random by up to this many metres, with gaps of a tenth of that below
    #[arg(long, value_name = "METRES")]
    pub(crate) perturb: Option<f64>,
    /// Seed of the random start
    #[arg(long, value_name = "N", requires = "perturb")]
    pub(crate) seed: Option<u32>,
    /// Method that takes the steps: two-level, vsp, pgs, pgs-projection, isp, soft
    #[arg(long, value_name = "NAME")]
    pub(crate) stepper: Option<String>,
    /// Options by name: default, paper, repaired, converged
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// Number of threads; results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Run {
    /// Name of a gallery scene (see `drystone list`) or path of a scene file (.toml, .json)
    pub(crate) scene: String,
    /// Write the frames: .usda (USD), .glb (glTF, bodies alone), .csv (numbers), .obj (a `#` in the
    /// name makes one file a frame), .hair (strands of the last frame)
    #[arg(short, long = "output", value_name = "FILE.usda|.glb|.csv|.obj|.hair")]
    pub(crate) output: Vec<PathBuf>,
    /// Record the run, to view or export it later
    #[arg(long, value_name = "FILE.drec")]
    pub(crate) record: Option<PathBuf>,
    /// Make a film; .mp4 and .webm need the program ffmpeg, .gif and .png (animated) do not
    #[arg(long, value_name = "FILE.mp4|.webm|.gif|.png")]
    pub(crate) film: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) filming: Filming,
    #[command(flatten)]
    pub(crate) adjust: Adjust,
    /// Write the run in numbers
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    /// Draw energies, penetration, and step time against contacts
    #[arg(long, value_name = "FILE.svg|.png")]
    pub(crate) plot: Vec<PathBuf>,
    /// Render the last frame
    #[arg(long, value_name = "FILE.png")]
    pub(crate) picture: Option<PathBuf>,
    /// Render the picture at this time instead of the end
    #[arg(long, value_name = "S", requires = "picture")]
    pub(crate) at: Option<f64>,
    /// Write the contact problem of the first step at or after T seconds: .dat (Siconos), a
    /// folder or .dlm (OpenTissue), otherwise Drystone's own format
    #[arg(long, value_name = "T:FILE", value_parser = Dump::parse)]
    pub(crate) dump_problem: Vec<Dump>,
    /// Write the triangles of cloth that keep a scene from starting, or that stall it
    #[arg(long, value_name = "FILE.obj")]
    pub(crate) patch: Option<PathBuf>,
    /// Stop at the first finding (body lost, energy gained, strand unsolved, cloth stalled, ...)
    #[arg(long)]
    pub(crate) strict: bool,
    /// Write checkpoints to this file, from which the run resumes bit for bit
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Simulated seconds between checkpoints [default: 1]
    #[arg(long, value_name = "SECONDS", requires = "checkpoint")]
    pub(crate) every: Option<f64>,
    /// Go on from a checkpoint of the same scene and settings
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
}

impl Run {
    /// The command that runs without arguments.
    pub(crate) fn of_default_scene() -> Self {
        let scene = drystone_gallery::DEFAULT;
        let file = |ending: &str| PathBuf::from(format!("out/{scene}.{ending}"));
        Self {
            scene: scene.into(),
            output: vec![file("usda")],
            report: Some(file("json")),
            plot: vec![file("svg")],
            picture: Some(file("png")),
            ..Self::default()
        }
    }
}

/// How a film is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args)]
pub(crate) struct Filming {
    /// Size of the film in pixels [default: 960x540]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = film_size)]
    pub(crate) film_size: Option<(u32, u32)>,
    /// Speed of the camera of the film around the scene
    #[arg(long, value_name = "DEGREES_PER_SECOND", allow_negative_numbers = true)]
    pub(crate) orbit: Option<f64>,
}

/// `960x540`
fn film_size(text: &str) -> Result<(u32, u32), String> {
    let wanted = "wanted WIDTHxHEIGHT from 16 to 8192, such as 960x540";
    let (width, height) = text.split_once(['x', 'X']).ok_or(wanted)?;
    let side = |text: &str| {
        let side = text.trim().parse::<u32>().ok();
        side.filter(|side| (16..=8192).contains(side)).ok_or(wanted)
    };
    Ok((side(width)?, side(height)?))
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Export {
    /// Made by `drystone run --record FILE.drec`
    pub(crate) recording: PathBuf,
    /// Write the frames (.usda, .glb, .csv, .obj, .hair), a picture (.png), a film (.mp4, .webm,
    /// .gif) or one page that shows the run by itself (.html)
    #[arg(short, long = "output", value_name = "FILE", required = true)]
    pub(crate) output: Vec<PathBuf>,
    /// Only the frame nearest to this time in seconds; a picture shows the last one otherwise
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) time: Option<f64>,
    #[command(flatten)]
    pub(crate) filming: Filming,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Check {
    /// Gallery names or paths of scene files
    #[arg(value_name = "SCENE", required_unless_present = "all")]
    pub(crate) scenes: Vec<String>,
    /// Every scene of the gallery, and a thousand random ones
    #[arg(long, conflicts_with = "scenes")]
    pub(crate) all: bool,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) adjust: Adjust,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Trial {
    /// What the scenes are about: rigid, strand, cloth, world
    #[arg(long, value_name = "NAME", default_value = "rigid")]
    pub(crate) system: String,
    /// Number of scenes
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) count: usize,
    /// Seed of the first scene; the others follow it. A seed always makes the same scene
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Only scenes of this kind, such as heap, tower or spin
    #[arg(long, value_name = "NAME")]
    pub(crate) kind: Option<String>,
    /// Folder for the scenes that break a law
    #[arg(long, value_name = "DIR", default_value = "out/trial")]
    pub(crate) out: PathBuf,
    /// Write scenes that break a law as they were made, not made smaller
    #[arg(long)]
    pub(crate) no_shrink: bool,
    /// Write every scene and run none
    #[arg(long)]
    pub(crate) keep: bool,
    /// Longest processor time of a scene in seconds
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    pub(crate) patience: f64,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Change a value of every scene, as `run` does
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Method that takes the steps: two-level, vsp, pgs, pgs-projection, isp, soft
    #[arg(long, value_name = "NAME")]
    pub(crate) stepper: Option<String>,
    /// Options by name: default, paper, repaired, converged
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// Number of scenes that run at the same time; results do not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Lab {
    /// Problem files, folders of them, scenes of the gallery or scene files; a scene may name its
    /// time in seconds, as in tower@2.5
    #[arg(
        value_name = "PROBLEM|FOLDER|SCENE[@TIME]",
        required_unless_present = "papers"
    )]
    pub(crate) problems: Vec<String>,
    /// Names with commas between them, or `all` [default: all]
    #[arg(long, value_name = "LIST")]
    pub(crate) solvers: Option<String>,
    /// Names with commas between them, or `all` [default: identity]
    #[arg(long, value_name = "LIST")]
    pub(crate) orderings: Option<String>,
    /// Scale-free residual at which a solver is done
    #[arg(
        long,
        value_name = "E",
        default_value_t = 1e-4,
        allow_negative_numbers = true
    )]
    pub(crate) tolerance: f64,
    /// Most iterations of a solve
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) most_iterations: u32,
    /// Most seconds of a solve
    #[arg(
        long,
        value_name = "S",
        default_value_t = 5.0,
        allow_negative_numbers = true
    )]
    pub(crate) most_seconds: f64,
    /// Begin with the first guess of the problem instead of zero
    #[arg(long)]
    pub(crate) warm: bool,
    /// Window of Anderson acceleration in iterates, 1 to 50 [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) window: Option<usize>,
    /// What the two-level solvers aggregate: layer, column, sector or pair [default: layer]
    #[arg(long, value_name = "NAME")]
    pub(crate) aggregates: Option<String>,
    /// Sweeps before each step of methods that do not only sweep [default: their own]
    #[arg(long, value_name = "N")]
    pub(crate) inner_sweeps: Option<u32>,
    /// Factor on every step of a sweep, between 0 and 2 [default: the method's own]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    pub(crate) relaxation: Option<f64>,
    #[command(flatten)]
    pub(crate) adjust: Adjust,
    /// Write the table
    #[arg(short, long = "output", value_name = "FILE.csv")]
    pub(crate) output: Option<PathBuf>,
    /// Draw the residual against iterations, row updates and time
    #[arg(long, value_name = "FILE.svg|.png")]
    pub(crate) plot: Option<PathBuf>,
    /// Write the figures and tables of Erleben 2007 and Poulsen 2010 into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "problems")]
    pub(crate) papers: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Ccd {
    /// CSV files of queries, or folders of them; a path says edge-edge or vertex-face
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct View {
    /// Name of a gallery scene, path of a scene file (.toml, .json) or of a recording (.drec); the
    /// gallery if left out
    pub(crate) scene: Option<String>,
    /// Port to listen at [default: any that is free]
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Address to listen at; another than loopback lets other machines in
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// Print the address, but start no browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Change a value of the scene, as `run` does
    #[arg(long, value_name = "KEY=VALUE", requires = "scene")]
    pub(crate) set: Vec<String>,
    /// Secret part of the address, 16 to 128 letters and digits, to have the same one after a
    /// restart [default: random]
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
}
