//! A browser of forty lines: plain requests, and a page that watches.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use drystone_view::{Running, Server, Settings};
use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

pub const TOKEN: &str = "0123456789abcdef0123456789abcdef";

pub fn start(settings: Settings) -> Running {
    let settings = Settings {
        token: Some(TOKEN.into()),
        ..settings
    };
    Server::bind(settings).unwrap().start().unwrap()
}

/// Status code, headers and body of an answer to a request with these lines after the first.
pub fn ask(server: &Running, first: &str, headers: &[(&str, &str)]) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let mut text = format!("{first} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| *name == "Connection") {
        text += "Connection: close\r\n";
    }
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
    let mut bytes = Vec::new();
    // a server that has had enough may cut the line
    let _ = stream.read_to_end(&mut bytes);
    let split = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let split = split.unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..split]).into_owned();
    let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    let body = bytes.get(split + 4..).unwrap_or_default().to_vec();
    (code.unwrap_or(0), head, body)
}

/// An honest request for `path` below the token.
pub fn get(server: &Running, path: &str) -> (u16, String, Vec<u8>) {
    let host = server.address().to_string();
    ask(server, &format!("GET /{TOKEN}/{path}"), &[("Host", &host)])
}

pub struct Page {
    pub socket: WebSocket<TcpStream>,
}

/// Time, step and number of bodies of an encoded frame.
pub fn frame_facts(bytes: &[u8]) -> (f64, u32, u32) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let time = f64::from_le_bytes(bytes[16..24].try_into().unwrap());
    (time, word(8), word(12))
}

/// Position of a body in an encoded frame.
pub fn position(bytes: &[u8], body: usize) -> [f64; 3] {
    let origin = |k: usize| f64::from_le_bytes(bytes[40 + 8 * k..48 + 8 * k].try_into().unwrap());
    let own = |k: usize| {
        let at = 128 + 28 * body + 4 * k;
        f64::from(f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()))
    };
    [0, 1, 2].map(|k| origin(k) + own(k))
}

impl Page {
    pub fn open(server: &Running, query: &str) -> Self {
        let address = server.address();
        let mut request = format!("ws://{address}/{TOKEN}/ws?{query}")
            .into_client_request()
            .unwrap();
        let origin = format!("http://{address}").parse().unwrap();
        request.headers_mut().insert("Origin", origin);
        let stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let (socket, _) = tungstenite::client(request, stream).unwrap();
        Self { socket }
    }

    pub fn say(&mut self, text: &str) {
        self.socket.send(Message::Text(text.into())).unwrap();
    }

    /// Reads until `wanted` finds something in a message, for at most 60 s.
    pub fn until<T>(&mut self, mut wanted: impl FnMut(&Message) -> Option<T>) -> T {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(60) {
            let message = self.socket.read().unwrap();
            if let Some(found) = wanted(&message) {
                return found;
            }
        }
        panic!("not heard within 60 s");
    }

    /// The next status for which `wanted` holds.
    pub fn status(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.until(|message| {
            let Message::Text(text) = message else {
                return None;
            };
            let value: Value = serde_json::from_str(text).unwrap();
            (value["type"] == "status" && wanted(&value)).then_some(value)
        })
    }

    /// The next description of the scene.
    pub fn scene(&mut self) -> Value {
        self.until(|message| {
            let Message::Text(text) = message else {
                return None;
            };
            let value: Value = serde_json::from_str(text).unwrap();
            (value["type"] == "scene").then_some(value)
        })
    }

    /// The next frame of session 0 for which `wanted` holds.
    pub fn frame(&mut self, wanted: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        self.until(|message| match message {
            Message::Binary(bytes) if bytes[1] == 0 && wanted(bytes) => Some(bytes.to_vec()),
            _ => None,
        })
    }
}

/// Points of curve (`kind` 8) or cloth (`kind` 16) `number` in an encoded frame without velocities, graph
/// and contacts.
pub fn points(bytes: &[u8], kind: u8, number: usize) -> Vec<[f64; 3]> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let float = |at: usize| f64::from(f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()));
    let origin = |k: usize| f64::from_le_bytes(bytes[40 + 8 * k..48 + 8 * k].try_into().unwrap());
    assert_eq!(bytes[2] & 7, 0, "only what is always there");
    let n = word(12);
    let mut at = 128 + 28 * n + n.next_multiple_of(4);
    for list in [8, 16] {
        if bytes[2] & list == 0 {
            continue;
        }
        let count = word(at);
        at += 4;
        for k in 0..count {
            let length = word(at);
            at += 4;
            if list == kind && k == number {
                let place = |p: usize| [0, 1, 2].map(|c| origin(c) + float(at + 12 * p + 4 * c));
                return (0..length).map(place).collect();
            }
            at += 12 * length;
        }
    }
    panic!("there is no list {number} of kind {kind}");
}
