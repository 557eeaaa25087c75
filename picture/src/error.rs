//! What can go wrong on the way to a file.

use std::path::PathBuf;

/// A picture or chart that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be created or written.
    #[error("`{}`: {source}; a writable file is wanted", path.display())]
    File {
        /// The file asked for.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file's name does not say a format that can be written.
    #[error("`{}`: the ending is {found}; wanted is .svg or .png", path.display())]
    Ending {
        /// The file asked for.
        path: PathBuf,
        /// Its ending, or "missing".
        found: String,
    },
    /// The picture could not be encoded as PNG.
    #[error("PNG of {width} x {height} pixels: {message}")]
    Png {
        /// Width asked for in pixels.
        width: u32,
        /// Height asked for in pixels.
        height: u32,
        /// What the encoder said.
        message: String,
    },
    /// The ending of a film's name is no known format.
    #[error("`{}`: the ending is {found}; wanted is .mp4, .webm, .gif or .png", path.display())]
    FilmEnding {
        /// The file asked for.
        path: PathBuf,
        /// Its ending, or "missing".
        found: String,
    },
    /// A film that needs the program ffmpeg, which is not there.
    #[error("`{}` needs the program ffmpeg, which is not installed; .gif and .png do not", path.display())]
    NoFfmpeg {
        /// The file asked for.
        path: PathBuf,
    },
    /// A film could not be made.
    #[error("`{}`: {message}", path.display())]
    Film {
        /// The file asked for.
        path: PathBuf,
        /// What went wrong.
        message: String,
    },
    /// A chart could not be drawn as pixels.
    #[error("chart `{chart}`: {message}; a chart of at least one pixel is wanted")]
    Chart {
        /// Title of the first chart of the file.
        chart: String,
        /// What the plotting library said.
        message: String,
    },
}
