//! What a page says happens to the engine.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Page, frame_facts, get, position, start};
use drystone_view::Settings;
use serde_json::json;

fn time(frame: &[u8]) -> f64 {
    frame_facts(frame).0
}

#[test]
fn time_obeys() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=box-stack&play=0");
    let scene = page.scene();
    assert_eq!(scene["name"], "box-stack");
    assert_eq!(scene["bodies"].as_array().unwrap().len(), 26);
    assert_eq!(time(&page.frame(|_| true)), 0.0);
    page.say(r#"{"do":"step","count":3}"#);
    let frame = page.frame(|frame| frame_facts(frame).1 == 3);
    assert!((time(&frame) - 0.03).abs() < 1e-12);
    page.say(r#"{"do":"play"}"#);
    page.frame(|frame| time(frame) > 0.2 && frame[3] & 1 == 1);
    page.say(r#"{"do":"pause"}"#);
    let stopped = time(&page.frame(|frame| frame[3] & 1 == 0));
    // back through what has been seen, and forward again to where the simulation is
    page.say(r#"{"do":"goto","time":0.1}"#);
    let past = page.frame(|frame| frame[3] & 2 == 2);
    assert!((time(&past) - 0.1).abs() < 0.02, "{}", time(&past));
    page.say(r#"{"do":"goto","time":1.5}"#);
    let frame = page.frame(|frame| time(frame) > 1.49 && frame[3] & 1 == 0);
    assert!((time(&frame) - 1.5).abs() < 1e-9 && stopped < 1.5);
    page.say(r#"{"do":"restart"}"#);
    page.frame(|frame| time(frame) == 0.0);
}

#[test]
fn the_same_steps_give_the_same_frame_watched_or_not() {
    let server = start(Settings::default());
    let at = |query: &str| {
        let mut page = Page::open(&server, query);
        page.frame(|frame| (time(frame) - 1.0).abs() < 1e-9 && frame[3] & 1 == 0)
    };
    let alone = at("scene=dominoes&t=1");
    let mut busy = Page::open(&server, "scene=dominoes&set=seed%3D0&t=1");
    busy.say(r#"{"do":"watch","kinds":7}"#);
    let watched = busy.frame(|frame| (time(frame) - 1.0).abs() < 1e-9 && frame[3] & 1 == 0);
    let bodies = frame_facts(&alone).2 as usize;
    let poses = 128..128 + 28 * bodies;
    assert_eq!(alone[poses.clone()], watched[poses]);
}

#[test]
fn a_ball_is_thrown_and_a_body_is_dragged() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=box-stack&play=0");
    let before = page.frame(|_| true);
    page.say(r#"{"do":"throw","origin":[0,40,5],"velocity":[0,0,-1],"radius":0.25}"#);
    let status = page.status(|status| {
        !status["sessions"][0]["thrown"]
            .as_array()
            .unwrap()
            .is_empty()
    });
    let thrown = &status["sessions"][0]["thrown"][0];
    assert_eq!(thrown["body"]["name"], "thrown-1");
    assert_eq!(thrown["shapes"][0]["kind"], "sphere");
    let frame = page.frame(|frame| frame_facts(frame).2 == 27);
    assert!((position(&frame, 26)[1] - 40.0).abs() < 1e-6);
    page.say(r#"{"do":"step","count":50}"#);
    let frame = page.frame(|frame| frame_facts(frame).1 == 50);
    let fallen = 40.0 - position(&frame, 26)[1];
    assert!(
        (fallen - 0.5 * 9.81 * 0.25).abs() < 0.05,
        "fell {fallen} m in 0.5 s"
    ); // measured: 1.251

    // lift the uppermost body by 2 m
    let top = (0..26)
        .max_by(|&a, &b| position(&frame, a)[1].total_cmp(&position(&frame, b)[1]))
        .unwrap();
    let [x, y, z] = position(&frame, top);
    page.say(&json!({"do": "grab", "session": 0, "body": top, "point": [x, y, z]}).to_string());
    page.say(&json!({"do": "drag", "target": [x, y + 2.0, z]}).to_string());
    page.say(r#"{"do":"step","count":150}"#);
    let frame = page.frame(|frame| frame_facts(frame).1 == 200);
    let lifted = position(&frame, top)[1] - y;
    assert!((lifted - 2.0).abs() < 0.05, "lifted by {lifted} m"); // measured: 2.00
    page.say(r#"{"do":"release"}"#);
    page.say(r#"{"do":"step","count":30}"#);
    let frame = page.frame(|frame| frame_facts(frame).1 == 230);
    assert!(position(&frame, top)[1] - y < 1.8);
    // a restart takes the ball away
    page.say(r#"{"do":"restart"}"#);
    let frame = page.frame(|frame| frame_facts(frame).2 == 26);
    assert_eq!(position(&frame, top), position(&before, top));
}

#[test]
fn options_are_set_live_or_with_a_restart_and_nonsense_is_refused() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=box-stack&play=0");
    page.say(r#"{"do":"step","count":10}"#);
    page.frame(|frame| frame_facts(frame).1 == 10);
    page.say(r#"{"do":"set","session":0,"assignment":"solver.rigid.stepper=\"vsp\""}"#);
    let status = page
        .status(|status| status["sessions"][0]["settings"]["solver"]["rigid"]["stepper"] == "vsp");
    assert_eq!(
        status["sessions"][0]["sets"],
        json!([r#"solver.rigid.stepper="vsp""#])
    );
    page.say(r#"{"do":"set","session":0,"assignment":"gravity=[0,9.81,0]"}"#);
    page.say(r#"{"do":"set","session":0,"assignment":"material.default.friction=0.01"}"#);
    page.say(r#"{"do":"step","count":50}"#);
    let frame = page.frame(|frame| frame_facts(frame).1 == 60);
    assert!(
        position(&frame, 25)[1] > 25.0,
        "with gravity upwards it rises"
    );
    // another body is another run
    page.say(r#"{"do":"set","session":0,"assignment":"seed=7"}"#);
    page.frame(|frame| frame_facts(frame).1 == 0);
    for (k, bad) in ["dt=-1", "grvity=[0,0,0]", "=", "solver.rigid.stepper=vps"]
        .into_iter()
        .enumerate()
    {
        page.say(&json!({"do": "set", "session": 0, "assignment": bad}).to_string());
        let status = page.status(|status| status["refusals"] == k + 1);
        let message = status["refused"]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with(bad), "{message}");
    }
    page.say(r#"{"do":"reset","session":0}"#);
    let status = page.status(|status| status["sessions"][0]["sets"] == json!([]));
    assert_eq!(
        status["sessions"][0]["settings"]["solver"]["rigid"]["stepper"],
        "two-level"
    );
}

#[test]
fn two_runs_side_by_side_keep_the_same_time() {
    let server = start(Settings::default());
    let mut page = Page::open(
        &server,
        "scene=box-stack&compare=solver.rigid.stepper%3Dpgs&play=0",
    );
    let first = page.scene();
    let second = page.scene();
    assert_eq!(
        (first["session"].as_u64(), second["session"].as_u64()),
        (Some(0), Some(1))
    );
    page.say(r#"{"do":"goto","time":0.5}"#);
    let mut times = [0.0; 2];
    page.until(|message| {
        if let tungstenite::Message::Binary(bytes) = message {
            times[bytes[1] as usize] = time(bytes);
        }
        (times[0] > 0.49 && times[1] > 0.49).then_some(())
    });
    assert_eq!(times[0], times[1]);
    page.say(r#"{"do":"compare","sets":null}"#);
    let status = page.status(|status| status["sessions"].as_array().unwrap().len() == 1);
    assert_eq!(status["error"], json!(null));
}

#[test]
fn a_file_is_read_again_and_a_broken_one_leaves_the_last_good_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    let good = "[[body]]\nname = \"a\"\nshape.sphere.radius = 1.0\n";
    std::fs::write(&path, good).unwrap();
    let server = start(Settings {
        folder: Some(folder.path().to_owned()),
        scene: Some("scene.toml".into()),
        ..Settings::default()
    });
    let mut page = Page::open(&server, "scene=scene.toml&play=0");
    assert_eq!(page.scene()["bodies"].as_array().unwrap().len(), 1);
    page.say(r#"{"do":"step","count":5}"#);
    page.frame(|frame| frame_facts(frame).1 == 5);

    std::fs::write(&path, format!("{good}colr = [1, 0, 0]\n")).unwrap();
    let status = page.status(|status| !status["error"].is_null());
    let error = &status["error"];
    assert_eq!(
        (error["file"].as_str(), error["line"].as_u64()),
        (Some("scene.toml"), Some(4))
    );
    let message = format!("{} {}", error["message"], error["help"]);
    assert!(
        message.contains("colr") && message.contains("colour"),
        "{message}"
    );
    // still there, and can go on
    page.say(r#"{"do":"step","count":1}"#);
    page.frame(|frame| frame_facts(frame).1 == 6);

    std::fs::write(
        &path,
        format!("{good}\n[[body]]\nposition = [5, 0, 0]\nshape.sphere.radius = 1.0\n"),
    )
    .unwrap();
    page.status(|status| status["error"].is_null());
    page.frame(|frame| frame_facts(frame).2 == 2);
}

#[test]
fn every_scene_of_the_gallery_can_be_watched() {
    let server = start(Settings::default());
    for entry in drystone_gallery::ALL {
        let mut page = Page::open(&server, &format!("scene={}&play=0", entry.name));
        let scene = page.scene();
        assert_eq!(scene["name"], entry.name);
        let frame = page.frame(|_| true);
        let bodies = scene["bodies"].as_array().unwrap().len();
        assert_eq!(frame_facts(&frame).2 as usize, bodies, "{}", entry.name);
        for body in scene["bodies"].as_array().unwrap() {
            assert!(
                !body["parts"].as_array().unwrap().is_empty(),
                "{}: {body}",
                entry.name
            );
        }
    }
}

#[test]
fn a_scene_that_was_made_ready_waits_at_its_start_for_the_first_page() {
    let settings = || Settings {
        scene: Some("box-stack".into()),
        ..Settings::default()
    };
    for query in ["scene=box-stack", "scene=box-stack&play=0"] {
        let server = start(settings());
        std::thread::sleep(std::time::Duration::from_millis(700));
        let (_, _, body) = get(&server, "gallery.json");
        let gallery: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(gallery["runs"], 1);
        let mut page = Page::open(&server, query);
        let first = time(&page.frame(|_| true));
        assert!(first < 0.1, "the first frame is of {first} s");
        if query.ends_with("play=0") {
            page.say(r#"{"do":"step","count":2}"#);
            let frame = page.frame(|frame| frame_facts(frame).1 >= 2);
            assert_eq!(frame_facts(&frame).1, 2);
        } else {
            page.frame(|frame| time(frame) > 0.2);
        }
    }
}

#[test]
fn what_went_wrong_is_in_the_status() {
    let server = start(Settings::default());
    // as published, the gyroscopic term is explicit and spins a body up
    let spin = "set=body.0.angular_velocity%3D%5B40,40,40%5D";
    let query = format!("scene=dzhanibekov&set=preset%3Dpaper&{spin}&t=1");
    let mut page = Page::open(&server, &query);
    let status = page.status(|status| status["sessions"][0]["found"] != 0);
    let finding = &status["sessions"][0]["findings"][0];
    assert_eq!(finding["kind"], "energy-gained", "{status}");
    assert!(finding["time"].as_f64().unwrap() <= 1.0);
    page.say(r#"{"do":"restart"}"#);
    page.status(|status| status["sessions"][0]["found"] == 0);
}
