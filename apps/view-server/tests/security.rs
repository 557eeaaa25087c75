//! Nobody but a page of the server itself, opened with the whole address, gets in or can do harm.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Page, TOKEN, ask, get, start};
use drystone_base::random::Random;
use drystone_view::{Server, Settings, ViewError};
use tungstenite::Message;

#[test]
fn only_the_whole_address_opens_the_page() {
    let server = start(Settings::default());
    let host = server.address().to_string();
    let (code, head, body) = get(&server, "");
    assert_eq!(code, 200, "{head}");
    assert!(String::from_utf8_lossy(&body).contains("<title>Drystone</title>"));
    for path in [
        "/",
        "/index.html",
        "/0123456789abcdef0123456789abcdee/",
        "/0123456789abcdef/",
        "/0123456789abcdef0123456789abcdef0/",
        "//app.js",
        "/%30123456789abcdef0123456789abcdef/",
    ] {
        let (code, ..) = ask(&server, &format!("GET {path}"), &[("Host", &host)]);
        assert_eq!(code, 404, "{path}");
    }
}

#[test]
fn a_foreign_name_that_leads_here_is_refused() {
    let server = start(Settings::default());
    let port = server.address().port();
    let path = format!("GET /{TOKEN}/");
    for host in ["evil.example", "127.0.0.1", "10.0.0.1", "[::2]"] {
        let host = format!("{host}:{port}");
        let expected = if host.starts_with("127") { 200 } else { 403 };
        assert_eq!(
            ask(&server, &path, &[("Host", &host)]).0,
            expected,
            "{host}"
        );
    }
    // none, two, or one in the address itself
    let own = format!("127.0.0.1:{port}");
    assert_eq!(ask(&server, &path, &[]).0, 400);
    let twice = [("Host", own.as_str()), ("Host", "evil.example")];
    assert_eq!(ask(&server, &path, &twice).0, 400);
    let absolute = format!("GET http://evil.example/{TOKEN}/");
    assert_ne!(ask(&server, &absolute, &[("Host", &own)]).0, 200);
}

#[test]
fn a_foreign_page_cannot_ask_or_steer() {
    let server = start(Settings::default());
    let host = server.address().to_string();
    let own = format!("http://{host}");
    let upgrade = |origin: Option<&str>| {
        let mut headers = vec![
            ("Host", host.as_str()),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
        ];
        headers.extend(origin.map(|origin| ("Origin", origin)));
        ask(&server, &format!("GET /{TOKEN}/ws?scene=wall"), &headers).0
    };
    assert_eq!(upgrade(None), 403);
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "",
        "http://127.0.0.1:1",
    ] {
        assert_eq!(upgrade(Some(origin)), 403, "{origin}");
    }
    // our own origin passes the guard; the rest of this handshake lacks `Connection: upgrade`
    assert_ne!(upgrade(Some(&own)), 403);
    let foreign = [("Host", host.as_str()), ("Origin", "http://evil.example")];
    assert_eq!(
        ask(&server, &format!("GET /{TOKEN}/gallery.json"), &foreign).0,
        403
    );
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let line = format!("{method} /{TOKEN}/");
        assert_eq!(ask(&server, &line, &[("Host", &host)]).0, 405, "{method}");
    }
}

#[test]
fn every_answer_forbids_inline_script_and_framing() {
    let server = start(Settings::default());
    for path in ["", "app.js", "gallery.json", "nothing-here"] {
        let (_, head, _) = get(&server, path);
        let head = head.to_lowercase();
        for wanted in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(head.contains(wanted), "{path}: no {wanted} in\n{head}");
        }
        assert!(
            !head.contains("unsafe") && !head.contains("access-control"),
            "{head}"
        );
    }
}

#[test]
fn no_file_outside_the_page_and_the_scene_folder_is_read() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("scenes");
    std::fs::create_dir(&folder).unwrap();
    let scene = "[[body]]\nshape.sphere.radius = 1.0\n";
    std::fs::write(folder.join("good.toml"), scene).unwrap();
    std::fs::write(folder.join("notes.txt"), "secret").unwrap();
    std::fs::write(folder.join(".hidden.toml"), scene).unwrap();
    std::fs::write(outer.path().join("outside.toml"), scene).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outer.path().join("outside.toml"), folder.join("link.toml"))
        .unwrap();
    let server = start(Settings {
        folder: Some(folder),
        ..Settings::default()
    });
    for path in [
        "../Cargo.toml",
        "..%2f..%2fCargo.toml",
        "%2e%2e/%2e%2e/etc/passwd",
        "assets/../../x",
        "thumbnail/..%2foutside.toml.png",
        "thumbnail/%2fetc%2fpasswd.png",
        "thumbnail/link.toml.png",
        "thumbnail/notes.txt.png",
        "thumbnail/.hidden.toml.png",
        "app.js%00.html",
    ] {
        assert_eq!(get(&server, path).0, 404, "{path}");
    }
    assert_eq!(get(&server, "thumbnail/good.toml.png").0, 200);
    let (_, _, body) = get(&server, "gallery.json");
    let listed: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(listed["files"], serde_json::json!(["good.toml"]));
    let host = server.address().to_string();
    let origin = format!("http://{host}");
    for scene in [
        "..%2foutside.toml",
        "%2fetc%2fpasswd",
        "link.toml",
        "nothing",
        "",
    ] {
        let headers = [
            ("Host", host.as_str()),
            ("Origin", origin.as_str()),
            ("Connection", "close, upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
        ];
        let line = format!("GET /{TOKEN}/ws?scene={scene}");
        assert_eq!(ask(&server, &line, &headers).0, 404, "{scene}");
    }
    // nor by a value: meshes are read for the scene's own file only
    let mut page = Page::open(&server, "scene=good.toml&play=0");
    page.say(r#"{"do":"set","session":0,"assignment":"body.0.shape={mesh={\"f\\u0069le\"=\"/etc/passwd\"}}"}"#);
    let status = page.status(|status| status["refusals"] == 1);
    let message = status["refused"]["message"].as_str().unwrap();
    assert!(message.contains("own file only"), "{message}");
}

#[test]
fn messages_that_are_too_long_or_nonsense_end_the_line_not_the_run() {
    let server = start(Settings::default());
    let mut watcher = Page::open(&server, "scene=box-stack");
    let before = watcher.frame(|_| true);

    let mut long = Page::open(&server, "scene=box-stack");
    let message = format!(
        r#"{{"do":"set","session":0,"assignment":"{}"}}"#,
        "x".repeat(70_000)
    );
    let _ = long.socket.send(Message::Text(message.into()));
    let ended = (0..10_000).any(|_| long.socket.read().is_err());
    assert!(ended, "a message of 70 kB was taken");

    // ten thousand random ones, over as many lines as it takes
    let mut random = Random::new(6);
    let mut lines = 1;
    let mut page = Page::open(&server, "scene=box-stack");
    let words = [
        "play",
        "step",
        "set",
        "throw",
        "grab",
        "drag",
        "goto",
        "speed",
        "watch",
        "leave",
        "do",
        "{",
        "}",
        "[",
        "\"",
        ":",
        ",",
        "1e999",
        "-1",
        "null",
        "session",
        "body",
        "point",
        "\\u0000",
        "dt=0",
        "assignment",
    ];
    for k in 0..10_000 {
        let message = if k % 3 == 0 {
            let bytes: Vec<u8> = (0..random.below(200))
                .map(|_| random.below(256) as u8)
                .collect();
            Message::Binary(bytes.into())
        } else {
            let text: Vec<&str> = (0..random.below(12))
                .map(|_| words[random.below(words.len())])
                .collect();
            Message::Text(text.join(if k % 2 == 0 { "" } else { "\"" }).into())
        };
        if page.socket.send(message).is_err() {
            page = Page::open(&server, "scene=box-stack");
            lines += 1;
        }
        if k % 50 == 0 {
            // read what has come, as a browser does
            page.socket.get_ref().set_nonblocking(true).unwrap();
            while page.socket.read().is_ok() {}
            page.socket.get_ref().set_nonblocking(false).unwrap();
        }
    }
    assert!((2..500).contains(&lines), "{lines} lines");
    let later =
        watcher.frame(|frame| common::frame_facts(frame).0 > common::frame_facts(&before).0);
    assert_eq!(
        common::frame_facts(&later).2,
        common::frame_facts(&before).2
    );
}

#[test]
fn what_makes_no_sense_is_refused_before_serving() {
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        Server::bind(settings).err()
    };
    let scene = with(|settings| settings.scene = Some("no-such-scene".into()));
    assert!(matches!(scene, Some(ViewError::Scene(_))), "{scene:?}");
    let token = with(|settings| settings.token = Some("short".into()));
    assert!(matches!(token, Some(ViewError::Token)), "{token:?}");
    let first = Server::bind(Settings::default()).unwrap();
    assert!(first.address().ip().is_loopback());
    let second = Server::bind(Settings {
        port: first.address().port(),
        ..Settings::default()
    });
    assert!(matches!(second, Err(ViewError::Listen { .. })));
    assert_ne!(
        first.url(),
        Server::bind(Settings::default()).unwrap().url()
    );
}
