//! Many pages, some of them rude: the run goes on, and what has gone is forgotten.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{Page, frame_facts, get, start};
use drystone_view::{Running, Settings};

/// Steps a second over the same `STEPS` steps from the start of the run, as one page sees them.
fn rate(page: &mut Page) -> f64 {
    const STEPS: u32 = 80;
    // it begins only when its start has been seen: a quick run would be past it otherwise
    page.say(r#"{"do":"restart"}"#);
    page.frame(|frame| frame_facts(frame).1 < 20);
    page.say(r#"{"do":"play"}"#);
    let (began, first) = (Instant::now(), frame_facts(&page.frame(|_| true)).1);
    let last = frame_facts(&page.frame(|frame| frame_facts(frame).1 >= first + STEPS)).1;
    let rate = f64::from(last - first) / began.elapsed().as_secs_f64();
    page.say(r#"{"do":"pause"}"#);
    page.frame(|frame| frame[3] & 1 == 0);
    rate
}

/// The same with 19 pages more, one of which reads nothing.
fn rate_in_company(server: &Running, query: &str, page: &mut Page) -> f64 {
    let stop = Arc::new(AtomicBool::new(false));
    let silent = Page::open(server, query);
    let readers: Vec<_> = (0..18)
        .map(|_| {
            let mut reader = Page::open(server, query);
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    reader.socket.read().unwrap();
                }
            })
        })
        .collect();
    let rate = rate(page);
    stop.store(true, Ordering::Relaxed);
    drop(silent);
    // a paused run sends nothing: wake the readers
    page.say(r#"{"do":"step","count":1}"#);
    readers
        .into_iter()
        .for_each(|reader| reader.join().unwrap());
    rate
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

#[test]
fn twenty_pages_one_of_which_reads_nothing_slow_a_run_by_less_than_a_tenth() {
    let server = start(Settings::default());
    let query = "scene=falling-roof&play=0";
    let mut page = Page::open(&server, query);
    page.say(r#"{"do":"speed","factor":0}"#);
    // company between two times alone; how much these two differ is what the machine is worth now
    let (mut kept, mut alike) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        let before = rate(&mut page);
        let company = rate_in_company(&server, query, &mut page);
        let after = rate(&mut page);
        kept.push(company / (0.5 * (before + after)));
        alike.push(before.min(after) / before.max(after));
    }
    let (kept, alike) = (median(kept), median(alike));
    // measured on an idle machine: kept 0.99, alike 0.99
    assert!(
        kept > 0.9 * alike,
        "with 20 pages {kept:.3} of the rate alone is left; alone it scatters by {:.3}",
        1.0 - alike
    );
}

#[test]
fn pages_that_go_make_room_and_runs_that_nobody_watches_give_way() {
    let server = start(Settings::default());
    // more than may be there at a time, one after another
    for _ in 0..150 {
        let mut page = Page::open(&server, "scene=incline&play=0");
        page.frame(|_| true);
    }
    for entry in drystone_gallery::ALL.iter().take(12) {
        let mut page = Page::open(&server, &format!("scene={}&play=0", entry.name));
        page.frame(|_| true);
    }
    let (_, _, body) = get(&server, "gallery.json");
    let answer: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert!(answer["runs"].as_u64().unwrap() <= 6, "{}", answer["runs"]);
    // their threads have gone too
    #[cfg(target_os = "linux")]
    {
        let runs = || {
            let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
            let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm"));
            tasks
                .filter_map(|task| name(task).ok())
                .filter(|name| name.trim() == "drystone-run")
                .count()
        };
        let start = Instant::now();
        // the other test of this file has a run as well
        while runs() > 7 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(runs() <= 7, "{} threads of runs", runs());
    }
}

#[test]
fn a_page_that_is_cut_off_in_the_middle_harms_nobody() {
    let server = start(Settings::default());
    let mut watcher = Page::open(&server, "scene=box-stack");
    for k in 0..20 {
        let mut rude = Page::open(&server, "scene=box-stack");
        rude.say(r#"{"do":"grab","session":0,"body":25,"point":[0,25,0]}"#);
        if k % 2 == 0 {
            rude.socket
                .get_ref()
                .shutdown(std::net::Shutdown::Both)
                .unwrap();
        }
    }
    let (time, ..) = frame_facts(&watcher.frame(|_| true));
    watcher.frame(|frame| frame_facts(frame).0 > time + 0.2);
}
