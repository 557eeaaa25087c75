//! Where drawn frames go: ffmpeg, a GIF, an animated PNG.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::JoinHandle;

use super::apng::Apng;
use super::{ENDINGS, FilmSettings};
use crate::Error;
use crate::render::Image;

/// The program that makes films of `.mp4` and `.webm`.
const FFMPEG: &str = "ffmpeg";

/// A film file being written beside the place where it will stand.
pub(super) struct Encoder {
    path: PathBuf,
    temporary: PathBuf,
    format: Option<Format>,
}

enum Format {
    Apng(Apng),
    Gif {
        encoder: gif::Encoder<BufWriter<File>>,
        /// Duration of a frame in hundredths of a second.
        delay: u16,
    },
    Ffmpeg {
        child: Child,
        frames: Option<ChildStdin>,
        /// The messages of the encoder.
        said: JoinHandle<String>,
    },
}

impl Encoder {
    /// Chosen by the ending of `path`.
    pub(super) fn create(path: &Path, settings: &FilmSettings) -> Result<Self, Error> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let ending = ending.unwrap_or_default();
        if !ENDINGS.contains(&ending.as_str()) {
            return Err(Error::FilmEnding {
                path: path.to_owned(),
                found: if ending.is_empty() {
                    "missing".into()
                } else {
                    format!(".{ending}")
                },
            });
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let process = std::process::id();
        let temporary = path.with_file_name(format!(".{stem}.{process}.part.{ending}"));
        let file = |source: io::Error| Error::File {
            path: path.to_owned(),
            source,
        };
        let (width, height) = (settings.render.width, settings.render.height);
        let format = match ending.as_str() {
            "png" => Format::Apng(Apng::create(&temporary, settings.frame_rate).map_err(file)?),
            "gif" => {
                let size = |side: u32| u16::try_from(side).unwrap_or(u16::MAX);
                let out = BufWriter::new(File::create(&temporary).map_err(file)?);
                let failed = |error: gif::EncodingError| film(path, &error);
                let mut encoder =
                    gif::Encoder::new(out, size(width), size(height), &[]).map_err(failed)?;
                encoder.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
                let delay = (100.0 / settings.frame_rate).round().clamp(2.0, 6000.0) as u16;
                Format::Gif { encoder, delay }
            }
            _ => ffmpeg(path, &temporary, settings, ending == "mp4")?,
        };
        Ok(Self {
            path: path.to_owned(),
            temporary,
            format: Some(format),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn add(&mut self, image: &Image) -> Result<(), Error> {
        let (width, height) = (image.width as u16, image.height as u16);
        match &mut self.format {
            None => Ok(()),
            Some(Format::Apng(apng)) => apng.add(image),
            Some(Format::Gif { encoder, delay }) => {
                // 10 looks at every tenth pixel for the palette
                let mut frame = gif::Frame::from_rgb_speed(width, height, &image.rgb, 10);
                frame.delay = *delay;
                encoder
                    .write_frame(&frame)
                    .map_err(|e| film(&self.path, &e))
            }
            Some(Format::Ffmpeg { frames, .. }) => {
                let written = frames
                    .as_mut()
                    .map_or(Ok(()), |pipe| pipe.write_all(&image.rgb));
                match (written, self.format.take()) {
                    (Ok(()), format) => {
                        self.format = format;
                        Ok(())
                    }
                    // it has given up: what it says tells more than a broken pipe
                    (Err(error), Some(Format::Ffmpeg { child, said, .. })) => {
                        Err(self.complaint(child, said, &error))
                    }
                    (Err(error), _) => Err(film(&self.path, &error)),
                }
            }
        }
    }

    /// Completes the file of `frames` frames and gives it its name.
    pub(super) fn finish(mut self, frames: usize) -> Result<PathBuf, Error> {
        if frames == 0 {
            // ends whatever runs
            return Err(film(&self.path, &"there was no frame to show"));
        }
        match self.format.take() {
            None => {}
            Some(Format::Apng(apng)) => apng.finish().map_err(|e| film(&self.path, &e))?,
            Some(Format::Gif { encoder, .. }) => {
                let mut out = encoder.into_inner().map_err(|e| film(&self.path, &e))?;
                out.flush().map_err(|e| film(&self.path, &e))?;
            }
            Some(Format::Ffmpeg {
                mut child,
                frames,
                said,
            }) => {
                // the end of its input is the end of the film
                drop(frames);
                let ended = child.wait().map_err(|e| film(&self.path, &e))?;
                if !ended.success() {
                    return Err(self.complaint(child, said, &ended));
                }
            }
        }
        fs::rename(&self.temporary, &self.path).map_err(|e| film(&self.path, &e))?;
        Ok(self.path.clone())
    }

    fn complaint(
        &self,
        mut child: Child,
        said: JoinHandle<String>,
        error: &dyn std::fmt::Display,
    ) -> Error {
        let _ = child.kill();
        let _ = child.wait();
        let said = said.join().unwrap_or_default();
        match said.trim() {
            "" => film(&self.path, &format!("{FFMPEG}: {error}")),
            said => film(&self.path, &format!("{FFMPEG} says: {said}")),
        }
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        if let Some(Format::Ffmpeg { mut child, .. }) = self.format.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        // nothing is left of a film that was not finished
        let _ = fs::remove_file(&self.temporary);
    }
}

fn film(path: &Path, message: &dyn std::fmt::Display) -> Error {
    Error::Film {
        path: path.to_owned(),
        message: message.to_string(),
    }
}

/// Starts ffmpeg, which takes raw pixels.
fn ffmpeg(
    path: &Path,
    temporary: &Path,
    settings: &FilmSettings,
    mp4: bool,
) -> Result<Format, Error> {
    // both codecs need even sizes
    let (width, height) = (settings.render.width, settings.render.height);
    if width % 2 == 1 || height % 2 == 1 {
        let message = format!("the size is {width}x{height}; wanted even numbers for this format");
        return Err(film(path, &message));
    }
    // raw frames on its standard input
    let mut command = Command::new(FFMPEG);
    command
        .args([
            "-y",
            "-loglevel",
            "error",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
        ])
        .args(["-s", &format!("{width}x{height}")])
        .args(["-r", &settings.frame_rate.to_string(), "-i", "-", "-an"]);
    match mp4 {
        true => command.args(["-c:v", "libx264", "-crf", "18", "-movflags", "+faststart"]),
        false => command.args([
            "-c:v",
            "libvpx-vp9",
            "-crf",
            "24",
            "-b:v",
            "0",
            "-row-mt",
            "1",
        ]),
    };
    command
        .args(["-pix_fmt", "yuv420p"])
        .arg(temporary)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    // Ctrl-C is for us; the film is to be completed
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::NoFfmpeg {
            path: path.to_owned(),
        },
        _ => film(path, &format!("cannot start {FFMPEG}: {error}")),
    })?;
    // its complaints are read beside, so that it never waits for us
    let frames = child.stdin.take();
    let complaints = child.stderr.take();
    let said = std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(complaints) = complaints {
            let _ = complaints.take(4000).read_to_string(&mut text);
        }
        text
    });
    Ok(Format::Ffmpeg {
        child,
        frames,
        said,
    })
}
