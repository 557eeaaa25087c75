//! One page that watches: it gets the latest there is whenever it is ready for more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use serde_json::json;
use tokio::time::timeout;

use crate::command::Command;
use crate::run::{Published, Run};

/// A page that takes nothing for so long is given up.
const PATIENCE: Duration = Duration::from_secs(20);
/// Messages that make no sense before a page is shown the door.
const MOST_NONSENSE: usize = 200;

/// Counts a page for as long as it is there.
pub(crate) struct Seat {
    pub(crate) run: Arc<Run>,
    pub(crate) client: u64,
    pub(crate) all: Arc<AtomicUsize>,
}

impl Seat {
    pub(crate) fn take(run: Arc<Run>, client: u64, all: Arc<AtomicUsize>) -> Self {
        run.enter();
        Self { run, client, all }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.run.leave(self.client);
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What has been sent to a page already.
#[derive(Default)]
struct Told {
    status: Option<Arc<str>>,
    epochs: Vec<u32>,
}

/// Serves a page until it goes.
pub(crate) async fn serve(mut socket: WebSocket, seat: Seat) {
    let mut published = seat.run.published.clone();
    published.mark_changed();
    let mut told = Told::default();
    let mut nonsense = 0;
    loop {
        tokio::select! {
            biased;
            heard = socket.recv() => {
                let text = match heard {
                    None | Some(Err(_) | Ok(Message::Close(_))) => return,
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Binary(_))) => "".into(),
                };
                let complaint = match Command::parse(&text) {
                    Ok(command) => {
                        if seat.run.send(seat.client, command) {
                            continue;
                        }
                        "the run is busy; the command was dropped".into()
                    }
                    Err(complaint) => {
                        nonsense += 1;
                        complaint
                    }
                };
                if nonsense > MOST_NONSENSE {
                    return close(socket, close_code::POLICY, "too many messages make no sense").await;
                }
                let message = json!({"type": "refused", "message": complaint}).to_string();
                if !send(&mut socket, Message::Text(message.into())).await {
                    return;
                }
            }
            changed = published.changed() => {
                if changed.is_err() {
                    return close(socket, close_code::AWAY, "the run has ended").await;
                }
                let latest = published.borrow_and_update().clone();
                if !tell(&mut socket, &mut told, latest).await {
                    return;
                }
            }
        }
    }
}

/// Tells what is new; false if the page has gone.
async fn tell(socket: &mut WebSocket, told: &mut Told, latest: Published) -> bool {
    for (session, (epoch, text)) in latest.descriptions.iter().enumerate() {
        if told.epochs.get(session) != Some(epoch) {
            if !send(socket, Message::Text((&**text).into())).await {
                return false;
            }
            told.epochs.resize(session + 1, u32::MAX);
            told.epochs[session] = *epoch;
        }
    }
    told.epochs.truncate(latest.descriptions.len());
    if !latest.status.is_empty() && told.status.as_ref() != Some(&latest.status) {
        if !send(socket, Message::Text((&*latest.status).into())).await {
            return false;
        }
        told.status = Some(latest.status);
    }
    for frame in latest.frames {
        if !send(socket, Message::Binary(frame)).await {
            return false;
        }
    }
    true
}

/// Sends one message; false if the page has gone or takes nothing.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(PATIENCE, socket.send(message)).await, Ok(Ok(())))
}

async fn close(mut socket: WebSocket, code: u16, reason: &'static str) {
    let frame = CloseFrame {
        code,
        reason: reason.into(),
    };
    send(&mut socket, Message::Close(Some(frame))).await;
}
