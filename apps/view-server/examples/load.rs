//! What pages cost a run: its steps a second with one page and with twenty, one of which reads
//! nothing; alternately, best of several.
//!
//! `cargo run --release -p drystone-view --example load [SCENE] [ROUNDS]`
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use common::{Page, frame_facts, start};
use drystone_view::Settings;

fn main() {
    let mut words = std::env::args().skip(1);
    let scene = words.next().unwrap_or_else(|| "falling-roof".into());
    let rounds: usize = words.next().map_or(5, |word| word.parse().unwrap());
    let server = start(Settings::default());
    let query = format!("scene={scene}&play=0");
    let mut page = Page::open(&server, &query);
    page.say(r#"{"do":"speed","factor":0}"#);
    let mut best = [0.0f64; 2];
    for round in 0..2 * rounds {
        let many = round % 2 == 1;
        let stop = Arc::new(AtomicBool::new(false));
        let silent = many.then(|| Page::open(&server, &query));
        let readers: Vec<_> = (0..if many { 18 } else { 0 })
            .map(|_| {
                let mut reader = Page::open(&server, &query);
                let stop = stop.clone();
                std::thread::spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        reader.socket.read().unwrap();
                    }
                })
            })
            .collect();
        // the same 150 steps from the start each time
        page.say(r#"{"do":"restart"}"#);
        page.say(r#"{"do":"play"}"#);
        page.frame(|frame| frame_facts(frame).1 < 20);
        let (began, first) = (Instant::now(), frame_facts(&page.frame(|_| true)).1);
        let last = frame_facts(&page.frame(|frame| frame_facts(frame).1 >= 170)).1;
        let rate = f64::from(last - first) / began.elapsed().as_secs_f64();
        page.say(r#"{"do":"pause"}"#);
        stop.store(true, Ordering::Relaxed);
        drop(silent);
        // a paused run sends nothing: wake the readers
        page.say(r#"{"do":"step","count":1}"#);
        readers
            .into_iter()
            .for_each(|reader| reader.join().unwrap());
        best[usize::from(many)] = best[usize::from(many)].max(rate);
        println!("{:>2} pages  {rate:8.1} steps/s", if many { 20 } else { 1 });
    }
    println!(
        "best: {:.1} alone, {:.1} with twenty pages, ratio {:.3}",
        best[0],
        best[1],
        best[1] / best[0]
    );
}
