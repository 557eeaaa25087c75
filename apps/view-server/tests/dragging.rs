//! Dragging strands and cloth, their diagnostics, and exported files.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Page, frame_facts, get, points, position, start};
use drystone_view::Settings;
use serde_json::json;

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    square.sqrt()
}

/// Steps `count` times, one by one, and gives the frame after step `last`.
fn after(page: &mut Page, count: u32, last: u32) -> Vec<u8> {
    let mut frame = Vec::new();
    for step in last - count + 1..=last {
        page.say(r#"{"do":"step","count":1}"#);
        frame = page.frame(|frame| frame_facts(frame).1 == step);
    }
    frame
}

#[test]
fn the_root_of_a_strand_is_led_and_stays_where_it_was_left() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=golden-hair&play=0");
    let before = points(&page.frame(|_| true), 8, 0);
    let [x, y, z] = before[0];
    let grab =
        json!({"do": "grab-strand", "session": 0, "curve": 0, "segment": 0, "point": [x, y, z]});
    page.say(&grab.to_string());
    page.say(&json!({"do": "drag", "target": [x, y + 0.05, z]}).to_string());
    let moved = after(&mut page, 60, 60);
    let root = points(&moved, 8, 0)[0];
    let off = distance(root, [x, y + 0.05, z]);
    assert!(off < 1e-4, "the root is {off} m from the pointer"); // measured: 1e-8
    page.say(r#"{"do":"release"}"#);
    let left = points(&after(&mut page, 20, 80), 8, 0)[0];
    assert!(distance(left, root) < 1e-4, "{left:?}");
    // the strand hangs on it: every segment has kept its length
    let now = points(&moved, 8, 0);
    for (a, b) in before.windows(2).zip(now.windows(2)) {
        let (was, is) = (distance(a[0], a[1]), distance(b[0], b[1]));
        assert!((is / was - 1.0).abs() < 1e-4, "{was} m became {is} m");
    }
    page.say(r#"{"do":"restart"}"#);
    let again = page.frame(|frame| frame_facts(frame).1 == 0);
    assert_eq!(points(&again, 8, 0), before);
}

#[test]
fn a_strand_is_drawn_by_its_tip_and_goes_on_when_it_is_let_go() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=golden-hair&set=seed%3D3&play=0");
    let before = points(&page.frame(|_| true), 8, 0);
    let last = before.len() - 2;
    let [x, y, z] = before[last + 1];
    let grab =
        json!({"do": "grab-strand", "session": 0, "curve": 0, "segment": last, "point": [x, y, z]});
    page.say(&grab.to_string());
    let root = before[0];
    let half = [0, 1, 2].map(|c| 0.5 * (root[c] + before[last + 1][c]));
    page.say(&json!({"do": "drag", "target": half}).to_string());
    let held = points(&after(&mut page, 100, 100), 8, 0);
    let off = distance(held[last + 1], half);
    assert!(off < 2e-3, "the tip is {off} m from the pointer"); // measured: 1e-5
    assert!(distance(held[0], root) < 1e-6, "the root stays");
    page.say(r#"{"do":"release"}"#);
    let free = points(&after(&mut page, 50, 150), 8, 0);
    assert!(distance(free[last + 1], half) > 5e-3, "it falls");
    page.say(r#"{"do":"restart"}"#);
    let again = page.frame(|frame| frame_facts(frame).1 == 0);
    assert_eq!(points(&again, 8, 0), before);
}

#[test]
fn a_strand_on_a_body_is_not_torn_off_its_root() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=long-hair&play=0");
    let [x, y, z] = points(&page.frame(|_| true), 8, 0)[0];
    let grab =
        json!({"do": "grab-strand", "session": 0, "curve": 0, "segment": 0, "point": [x, y, z]});
    page.say(&grab.to_string());
    let status = page.status(|status| status["refusals"] == 1);
    let message = status["refused"]["message"].as_str().unwrap();
    assert!(message.contains("is on body `head`"), "{message}");
    for bad in [
        json!({"do": "grab-strand", "session": 0, "curve": 9999, "segment": 0, "point": [0, 0, 0]}),
        json!({"do": "grab-strand", "session": 0, "curve": 0, "segment": 9999, "point": [0, 0, 0]}),
        json!({"do": "grab-cloth", "session": 0, "cloth": 0, "vertex": 0, "point": [0, 0, 0]}),
    ] {
        page.say(&bad.to_string());
    }
    page.status(|status| status["refusals"] == 4);
}

#[test]
fn the_pin_of_a_curtain_is_moved_and_the_curtain_comes_along() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=curtain-small&play=0");
    let scene = page.scene();
    let pinned: Vec<usize> = scene["cloths"][0]["pinned"]
        .as_array()
        .unwrap()
        .iter()
        .map(|vertex| vertex.as_u64().unwrap() as usize)
        .collect();
    assert_eq!(pinned.len(), 9);
    let before = points(&page.frame(|_| true), 16, 0);
    let [x, y, z] = before[pinned[0]];
    let grab = json!({"do": "grab-cloth", "session": 0, "cloth": 0, "vertex": pinned[0], "point": [x, y, z]});
    page.say(&grab.to_string());
    page.say(&json!({"do": "drag", "target": [x, y + 0.1, z - 0.2]}).to_string());
    let moved = points(&after(&mut page, 24, 24), 16, 0);
    for &vertex in &pinned {
        let [x, y, z] = before[vertex];
        let off = distance(moved[vertex], [x, y + 0.1, z - 0.2]);
        assert!(
            off < 5e-3,
            "pinned vertex {vertex} is {off} m from the pointer"
        ); // measured: 1e-3
    }
    // the row below hangs on it
    let below = (0..before.len())
        .filter(|vertex| !pinned.contains(vertex))
        .max_by(|&a, &b| before[a][1].total_cmp(&before[b][1]))
        .unwrap();
    assert!(
        moved[below][2] < before[below][2] - 0.1,
        "{:?}",
        moved[below]
    );
    page.say(r#"{"do":"restart"}"#);
    let again = page.frame(|frame| frame_facts(frame).1 == 0);
    assert_eq!(points(&again, 16, 0), before);
}

#[test]
fn a_curtain_is_poked_with_the_particle_of_its_scene() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=curtain-small&set=seed%3D2&play=0");
    let scene = page.scene();
    let bodies = scene["bodies"].as_array().unwrap();
    let body = bodies.iter().position(|body| body["name"] == "particle");
    let body = body.unwrap();
    let first = page.frame(|_| true);
    let [x, y, z] = position(&first, body);
    page.say(&json!({"do": "grab", "session": 0, "body": body, "point": [x, y, z]}).to_string());
    // through where the first curtain hangs, slowly
    let before = points(&first, 16, 0);
    page.say(&json!({"do": "drag", "target": [x, y, z + 1.25]}).to_string());
    let poked = after(&mut page, 24, 24);
    let there = position(&poked, body);
    assert!(distance(there, [x, y, z + 1.25]) < 0.02, "{there:?}"); // measured: 2e-3
    let now = points(&poked, 16, 0);
    let pushed = before.iter().zip(&now).map(|(a, b)| b[2] - a[2]);
    let pushed = pushed.fold(0.0, f64::max);
    assert!(pushed > 0.05, "the curtain was pushed by {pushed} m");
    page.say(r#"{"do":"release"}"#);
    let left = position(&after(&mut page, 5, 29), body);
    assert!(distance(left, there) < 0.02, "it stays where it was left");
    page.say(r#"{"do":"restart"}"#);
    let again = page.frame(|frame| frame_facts(frame).1 == 0);
    assert_eq!(position(&again, body), [x, y, z]);
    // its path is its own again
    let later = position(&after(&mut page, 24, 24), body);
    assert!((later[2] - z - 0.25).abs() < 0.03, "{later:?}");
}

#[test]
fn cloth_is_lifted_by_a_vertex() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=cloth-on-sphere&play=0");
    let before = points(&page.frame(|_| true), 16, 0);
    let [x, y, z] = before[0];
    let grab =
        json!({"do": "grab-cloth", "session": 0, "cloth": 0, "vertex": 0, "point": [x, y, z]});
    page.say(&grab.to_string());
    page.say(&json!({"do": "drag", "target": [x, y + 0.3, z]}).to_string());
    let held = points(&after(&mut page, 24, 24), 16, 0);
    let off = distance(held[0], [x, y + 0.3, z]);
    assert!(off < 5e-3, "the vertex is {off} m from the pointer"); // measured: 1e-3
    page.say(r#"{"do":"release"}"#);
    let free = points(&after(&mut page, 12, 36), 16, 0);
    assert!(free[0][1] < held[0][1] - 0.05, "it falls: {:?}", free[0]);
}

#[test]
fn inside_of_strands_and_cloth_is_told_to_whoever_asks() {
    let server = start(Settings::default());
    let mut page = Page::open(&server, "scene=cloth-on-sphere&set=seed%3D4&play=0");
    let plain = page.frame(|_| true).len();
    page.say(r#"{"do":"watch","kinds":64}"#);
    let asked = page.frame(|frame| frame[2] & 64 != 0);
    assert_eq!(asked.len(), plain + 400 * 8);
    let float = |at: usize| f32::from_le_bytes(asked[at..at + 4].try_into().unwrap());
    for vertex in 0..400 {
        let (step, layers) = (float(plain + 8 * vertex), float(plain + 8 * vertex + 4));
        assert!(
            (1e-7..0.1).contains(&step) && layers == 0.0,
            "{step} s, {layers} layers"
        );
    }
    let mut page = Page::open(&server, "scene=twisted-ring&play=0");
    let first = page.frame(|_| true);
    let segments = points(&first, 8, 0).len() - 1;
    page.say(r#"{"do":"watch","kinds":32}"#);
    let asked = page.frame(|frame| frame[2] & 32 != 0);
    assert_eq!(asked.len(), first.len() + 20 * segments);
    let float = |at: usize| f64::from(f32::from_le_bytes(asked[at..at + 4].try_into().unwrap()));
    for segment in 0..segments {
        let at = first.len() + 20 * segment;
        let square: f64 = (0..4).map(|c| float(at + 4 * c).powi(2)).sum();
        assert!(
            (square - 1.0).abs() < 1e-5,
            "a rotation of length² {square}"
        );
    }
}

#[test]
fn what_has_been_seen_is_written_as_usd_gltf_and_a_page() {
    let server = start(Settings::default());
    let query = "scene=newtons-cradle&play=0";
    assert_eq!(
        get(&server, &format!("export/a.usda?{query}")).0,
        404,
        "nobody watches"
    );
    let mut page = Page::open(&server, query);
    page.frame(|_| true);
    after(&mut page, 30, 30);
    let (code, head, usd) = get(&server, &format!("export/run.usda?{query}"));
    assert_eq!(code, 200, "{head}");
    let usd = String::from_utf8(usd).unwrap();
    assert!(usd.starts_with("#usda 1.0") && usd.contains("timeSamples"));
    let (code, _, glb) = get(&server, &format!("export/run.glb?{query}"));
    assert_eq!((code, &glb[..4]), (200, &b"glTF"[..]));
    let (code, head, html) = get(&server, &format!("export/run.html?{query}"));
    assert_eq!(code, 200);
    assert!(
        head.to_lowercase()
            .contains("content-disposition: attachment"),
        "{head}"
    );
    let html = String::from_utf8(html).unwrap();
    assert!(html.contains("newtons-cradle") && !html.contains(" src="));
    for bad in ["run.exe", "run", "run.png", "..%2Frun.usda.sh"] {
        assert_eq!(
            get(&server, &format!("export/{bad}?{query}")).0,
            404,
            "{bad}"
        );
    }
    // strands and cloth as well
    for scene in ["golden-hair", "curtain-small"] {
        let query = format!("scene={scene}&play=0");
        let mut page = Page::open(&server, &query);
        page.frame(|_| true);
        after(&mut page, 2, 2);
        let (code, head, usd) = get(&server, &format!("export/run.usda?{query}"));
        assert_eq!(code, 200, "{scene}: {head}");
        let wanted = if scene == "golden-hair" {
            "BasisCurves"
        } else {
            "Mesh"
        };
        assert!(String::from_utf8(usd).unwrap().contains(wanted), "{scene}");
    }
}
