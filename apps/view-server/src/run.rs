//! A run that pages watch: one thread steps the worlds and publishes the latest frames. Nobody who
//! watches can hold it up: a frame that nobody has fetched is replaced by the next one.

mod obey;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use crate::command::Command;
use crate::session::Session;
use crate::source::{Complaint, Source};
use crate::wire::flags;

/// Shortest time between two frames on their way to pages.
const TICK: Duration = Duration::from_micros(16_667);
/// Longest time of stepping before pages are told.
const LONGEST_TICK: Duration = Duration::from_millis(40);
/// Interval at which the scene file is checked for changes.
const FILE_CHECK: Duration = Duration::from_millis(250);
/// Time after which a run that nobody watches ends.
const UNWATCHED: Duration = Duration::from_secs(300);
/// Commands that may wait.
const MOST_COMMANDS: usize = 256;

/// What tells runs apart: links with the same identity lead to the same run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) scene: String,
    pub(crate) sets: Vec<String>,
    pub(crate) compare: Option<Vec<String>>,
}

/// What is sent to pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    /// JSON; changes seldom.
    pub(crate) status: Arc<str>,
    /// Epoch and JSON description of every session.
    pub(crate) descriptions: Vec<(u32, Arc<str>)>,
    /// Encoded frame of every session; see [`crate::wire`].
    pub(crate) frames: Vec<Bytes>,
}

/// A handle to a run; when the last one goes, the run ends.
#[derive(Debug)]
pub(crate) struct Run {
    commands: SyncSender<(u64, Command)>,
    pub(crate) published: watch::Receiver<Published>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    identity: Mutex<Identity>,
    watchers: AtomicUsize,
    /// Whether somebody has come to watch. Until then time stands still.
    begun: AtomicBool,
    /// Time at which a page last watched.
    watched: Mutex<Instant>,
    /// Files that are waited for: ending, and where to.
    exports: Mutex<Vec<(String, oneshot::Sender<File>)>>,
}

/// A file that was asked for, or why there is none.
pub(crate) type File = Result<Vec<u8>, String>;

/// Most files that may be waited for at a time.
const MOST_EXPORTS: usize = 4;

impl Run {
    /// Starts a run; `goto` a time \[s\] or play from the start.
    pub(crate) fn start(
        source: Source,
        identity: Identity,
        goto: Option<f64>,
        playing: bool,
    ) -> std::io::Result<Self> {
        let (commands, inbox) = sync_channel(MOST_COMMANDS);
        let (publisher, published) = watch::channel(Published::default());
        let shared = Arc::new(Shared {
            identity: Mutex::new(identity.clone()),
            watchers: AtomicUsize::new(0),
            begun: AtomicBool::new(false),
            watched: Mutex::new(Instant::now()),
            exports: Mutex::default(),
        });
        let stage = Stage {
            source,
            shared: shared.clone(),
            inbox,
            publisher,
            wanted: identity,
            sessions: Vec::new(),
            playing,
            speed: 1.0,
            looped: false,
            goto,
            shown_time: None,
            beyond: false,
            error: None,
            refused: None,
            refusals: 0,
            clients: BTreeMap::new(),
            epoch: 0,
            seen: None,
            anchor: None,
            descriptions: Vec::new(),
        };
        std::thread::Builder::new()
            .name("drystone-run".into())
            .spawn(move || stage.run())?;
        Ok(Self {
            commands,
            published,
            shared,
        })
    }

    /// Passes a command of `client` on; false if too many wait already.
    pub(crate) fn send(&self, client: u64, command: Command) -> bool {
        !matches!(
            self.commands.try_send((client, command)),
            Err(TrySendError::Full(_))
        )
    }

    /// Asks for all that has been seen as a file; nothing if too many wait already.
    pub(crate) fn export(&self, ending: &str) -> Option<oneshot::Receiver<File>> {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = lock(&self.shared.exports);
        if waiting.len() >= MOST_EXPORTS {
            return None;
        }
        waiting.push((ending.into(), sender));
        drop(waiting);
        self.send(u64::MAX, Command::Export).then_some(receiver)
    }

    pub(crate) fn identity(&self) -> Identity {
        lock(&self.shared.identity).clone()
    }

    pub(crate) fn watchers(&self) -> usize {
        self.shared.watchers.load(Ordering::Relaxed)
    }

    /// Time since a page last watched.
    pub(crate) fn unwatched(&self) -> Duration {
        match self.watchers() {
            0 => lock(&self.shared.watched).elapsed(),
            _ => Duration::ZERO,
        }
    }

    pub(crate) fn enter(&self) {
        self.shared.watchers.fetch_add(1, Ordering::Relaxed);
        self.shared.begun.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has come to watch.
    pub(crate) fn begun(&self) -> bool {
        self.shared.begun.load(Ordering::Relaxed)
    }

    pub(crate) fn leave(&self, client: u64) {
        *lock(&self.shared.watched) = Instant::now();
        self.shared.watchers.fetch_sub(1, Ordering::Relaxed);
        // with a full inbox the drag of this client stays for as long as it takes to try again
        for _ in 0..100 {
            if self.send(client, Command::Leave) {
                break;
            }
            std::thread::yield_now();
        }
    }

    /// Whether its thread has gone.
    pub(crate) fn ended(&self) -> bool {
        self.published.has_changed().is_err()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// State of the thread of a run.
struct Stage {
    source: Source,
    shared: Arc<Shared>,
    inbox: Receiver<(u64, Command)>,
    publisher: watch::Sender<Published>,
    /// Identity that was asked for.
    wanted: Identity,
    sessions: Vec<Session>,
    playing: bool,
    /// Simulated seconds a second; 0: as fast as possible.
    speed: f64,
    looped: bool,
    /// Simulate up to here as fast as possible, then stop \[s\].
    goto: Option<f64>,
    /// Moment of the history that is shown \[s\].
    shown_time: Option<f64>,
    /// Whether the run goes on after the scene's end.
    beyond: bool,
    error: Option<Complaint>,
    refused: Option<Complaint>,
    refusals: u64,
    /// Kinds of data that each client wants.
    clients: BTreeMap<u64, u8>,
    epoch: u32,
    /// The version of the file that was read last.
    seen: Option<(std::time::SystemTime, u64)>,
    /// Wall time and shown time at which playing began.
    anchor: Option<(Instant, f64)>,
    descriptions: Vec<(u32, Arc<str>)>,
}

impl Stage {
    fn run(mut self) {
        self.seen = self.source.version();
        self.build();
        self.publish();
        let mut checked = Instant::now();
        loop {
            let started = Instant::now();
            let active = self.goto.is_some() || self.playing || self.is_mid_step();
            let mut dirty = false;
            let mut wait = if active { Duration::ZERO } else { FILE_CHECK };
            // what pages say, all that is there
            loop {
                match self.inbox.recv_timeout(wait) {
                    Ok((client, command)) => {
                        dirty = true;
                        self.obey(client, command);
                        wait = Duration::ZERO;
                    }
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            if checked.elapsed() >= FILE_CHECK {
                checked = Instant::now();
                dirty |= self.check_file();
                self.rest_unwatched();
            }
            dirty |= self.advance();
            if dirty {
                self.publish();
            }
            let spent = started.elapsed();
            if (self.playing || self.goto.is_some()) && spent < TICK && self.paced() {
                std::thread::sleep(TICK - spent);
            }
        }
    }

    fn begun(&self) -> bool {
        self.shared.begun.load(Ordering::Relaxed)
    }

    /// Whether wall time rules.
    fn paced(&self) -> bool {
        self.sessions.is_empty()
            || !self.begun()
            || (self.goto.is_none() && (self.speed > 0.0 || self.shown_time.is_some()))
    }

    /// Makes the sessions afresh, or keeps those that are there and says what is wrong.
    fn build(&mut self) -> bool {
        self.epoch += 1;
        let all = std::iter::once(&self.wanted.sets).chain(&self.wanted.compare);
        let sessions: Result<Vec<Session>, Complaint> = all
            .enumerate()
            .map(|(number, sets)| Session::new(number, self.epoch << 8, &self.source, sets))
            .collect();
        match sessions {
            Ok(sessions) => {
                self.sessions = sessions;
                self.error = None;
                self.rewind();
                self.note_identity();
                true
            }
            Err(complaint) => {
                self.error = Some(complaint);
                false
            }
        }
    }

    /// Shown time begins again.
    fn rewind(&mut self) {
        // a recording is there as a whole: it begins in its past
        let recorded = self
            .sessions
            .first()
            .filter(|session| session.is_recording());
        self.shown_time = recorded.map(Session::first);
        self.beyond = false;
        self.anchor = None;
    }

    /// Links now lead here by what the sessions are.
    fn note_identity(&mut self) {
        let mut sets = self.sessions.iter().map(|session| session.sets.clone());
        self.wanted.sets = sets.next().unwrap_or_default();
        self.wanted.compare = sets.next();
        *lock(&self.shared.identity) = self.wanted.clone();
    }

    fn head(&self) -> f64 {
        let times = self.sessions.iter().map(Session::time);
        times.fold(f64::INFINITY, f64::min)
    }

    fn duration(&self) -> f64 {
        let durations = self.sessions.iter().map(Session::duration);
        durations.fold(0.0, f64::max)
    }

    fn step_length(&self) -> f64 {
        let steps = self.sessions.iter().map(Session::step_length);
        steps.fold(0.0, f64::max)
    }

    fn first(&self) -> f64 {
        self.sessions.first().map_or(0.0, Session::first)
    }

    fn recorded(&self) -> bool {
        self.sessions.first().is_some_and(Session::is_recording)
    }

    fn kinds(&self) -> u8 {
        self.clients.values().fold(0, |all, kinds| all | kinds)
    }

    fn over(&self) -> bool {
        let ended = self.head() >= self.duration() - 0.5 * self.step_length();
        (!self.beyond && ended) || self.has_stopped()
    }

    /// Whether one of the worlds stands still for good.
    fn has_stopped(&self) -> bool {
        self.sessions.iter().any(Session::has_stopped)
    }

    fn step(&mut self, count: i64) {
        self.playing = false;
        self.goto = None;
        let recorded = self.recorded();
        let Some(session) = self.sessions.first_mut() else {
            return;
        };
        let shown = self.shown_time.unwrap_or(f64::INFINITY);
        if count < 0 || self.shown_time.is_some() || recorded {
            // through what has been seen
            let from = if shown.is_finite() {
                shown
            } else {
                session.time()
            };
            let beside = session.beside(from, count);
            let last = session.beside(f64::INFINITY, 0);
            self.shown_time = beside.filter(|_| beside < last || count < 0);
            return;
        }
        let kinds = self.kinds();
        let deadline = Instant::now() + Duration::from_secs(2);
        for _ in 0..count {
            each(&mut self.sessions, |session| session.step(kinds));
            if Instant::now() > deadline {
                break;
            }
        }
        self.capture_frame();
    }

    fn go_to(&mut self, time: f64) {
        self.playing = false;
        self.goto = None;
        if time > self.head() + 0.5 * self.step_length() {
            self.shown_time = None;
            let end = self.duration().max(self.head());
            self.goto = (!self.recorded()).then(|| time.min(end));
        } else if time >= self.head() - 0.5 * self.step_length() {
            self.shown_time = None;
        } else {
            self.shown_time = Some(time);
        }
    }

    /// The newest frames, with what is wanted now.
    fn capture_frame(&mut self) {
        let kinds = self.kinds();
        each(&mut self.sessions, |session| session.capture_frame(kinds));
    }

    /// Reads the scene again if its file has changed; says whether it has.
    fn check_file(&mut self) -> bool {
        let version = self.source.version();
        if version.is_none() || version == self.seen {
            return false;
        }
        self.seen = version;
        self.build();
        true
    }

    /// Whether a step has been taken in part only.
    fn is_mid_step(&self) -> bool {
        self.sessions.iter().any(Session::is_mid_step)
    }

    /// A run that nobody has watched for long stops.
    fn rest_unwatched(&mut self) {
        let nobody = self.shared.watchers.load(Ordering::Relaxed) == 0;
        if nobody && self.begun() && lock(&self.shared.watched).elapsed() > UNWATCHED {
            self.playing = false;
            self.goto = None;
        }
    }

    /// Lets time pass; says whether there is something new to see.
    fn advance(&mut self) -> bool {
        let playing = self.begun() && (self.playing || self.goto.is_some());
        self.sessions
            .iter_mut()
            .for_each(|session| session.measure(playing));
        // a step that was begun is ended, also where time is not to go on: there is no frame of it before
        if self.is_mid_step() {
            let kinds = self.kinds();
            each(&mut self.sessions, |session| {
                if session.is_mid_step() {
                    session.step(kinds);
                }
            });
            self.capture_frame();
            return true;
        }
        // played back, looped or over
        if self.sessions.is_empty() || !playing {
            return false;
        }
        if self.shown_time.is_some() {
            return self.replay();
        }
        if self.goto.is_none() && self.over() {
            if self.looped && self.head() > self.first() {
                self.shown_time = Some(self.first());
                self.anchor = None;
                return self.replay();
            }
            self.playing = false;
            return true;
        }
        if self.has_stopped() {
            self.goto = None;
            return true;
        }
        // how far to go: to a moment asked for, or as far as the clock has gone
        let now = Instant::now();
        let head = self.head();
        let (since, from) = *self.anchor.get_or_insert((now, head));
        let target = match self.goto {
            Some(time) => time,
            None if self.speed == 0.0 => f64::INFINITY,
            None => from + (now - since).as_secs_f64() * self.speed,
        };
        let end = if self.beyond || self.goto.is_some() {
            f64::INFINITY
        } else {
            self.duration()
        };
        let target = target.min(end);
        let kinds = self.kinds();
        let half = 0.5 * self.step_length();
        let mut stepped = false;
        while self.head() + half < target {
            // sessions with shorter steps take more of them
            let head = self.head();
            each(&mut self.sessions, |session| {
                if session.time() <= head + 1e-9 {
                    session.step(kinds);
                }
            });
            stepped = true;
            if now.elapsed() > LONGEST_TICK {
                break;
            }
        }
        // what could not be simulated in time is not made up for
        if self.head() + 0.1 * self.speed < target {
            self.anchor = None;
        }
        if self.goto.is_some() && self.head() + half >= target {
            self.goto = None;
            stepped = true;
        }
        if stepped {
            self.capture_frame();
        }
        stepped
    }

    /// Shows again what has been seen, up to where the simulation is.
    fn replay(&mut self) -> bool {
        let now = Instant::now();
        let shown = self.shown_time.unwrap_or(0.0);
        let (since, from) = *self.anchor.get_or_insert((now, shown));
        let speed = if self.speed == 0.0 { 1.0 } else { self.speed };
        let time = from + (now - since).as_secs_f64() * speed;
        self.shown_time = Some(time);
        if time >= self.head() {
            self.anchor = None;
            self.shown_time = (self.looped && self.over()).then(|| self.first());
        }
        true
    }

    fn publish(&mut self) {
        let past = self.shown_time.is_some();
        let playing = self.playing || self.goto.is_some();
        let flags = (u8::from(playing) * flags::PLAYING) | (u8::from(past) * flags::PAST);
        let shown_time = self.shown_time;
        let frames = self
            .sessions
            .iter_mut()
            .map(|session| session.frame(shown_time, flags));
        let frames: Vec<Bytes> = frames.map(Bytes::from).collect();
        let known = |(session, (epoch, _)): (&Session, &(u32, Arc<str>))| session.epoch() == *epoch;
        let same = self.descriptions.len() == self.sessions.len()
            && self.sessions.iter().zip(&self.descriptions).all(known);
        if !same {
            let text =
                |session: &Session| (session.epoch(), session.description.to_string().into());
            self.descriptions = self.sessions.iter().map(text).collect();
        }
        let status: Arc<str> = self.status().to_string().into();
        self.publisher.send_replace(Published {
            status,
            descriptions: self.descriptions.clone(),
            frames,
        });
    }

    fn status(&self) -> Value {
        let sessions = self.sessions.iter().map(|session| {
            json!({
                "epoch": session.epoch(),
                "sets": session.sets,
                "settings": session.settings,
                "thrown": session.thrown,
                "findings": session.findings(),
                "found": session.found(),
            })
        });
        json!({
            "type": "status",
            "scene": self.wanted.scene,
            "system": self.source.system(),
            "playing": self.playing,
            "seeking": self.goto,
            "past": self.shown_time.is_some(),
            "recording": self.recorded(),
            "over": self.sessions.is_empty() || self.over(),
            "speed": self.speed,
            "loop": self.looped,
            "duration": self.duration(),
            "step": self.step_length(),
            "sessions": sessions.collect::<Vec<_>>(),
            "error": self.error,
            "refused": self.refused,
            "refusals": self.refusals,
        })
    }
}

/// Does the same in every session, side by side.
fn each(sessions: &mut [Session], act: impl Fn(&mut Session) + Sync) {
    match sessions {
        [a, b] => {
            rayon::join(|| act(a), || act(b));
        }
        all => all.iter_mut().for_each(act),
    }
}
