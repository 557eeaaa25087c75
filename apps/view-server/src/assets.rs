//! The files of the page, built by `apps/viewer/build` and carried in the program.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Name, kind and content of every file there is.
const FILES: [(&str, &str, &str); 5] = [
    (
        "index.html",
        "text/html; charset=utf-8",
        include_str!("../../viewer/dist/index.html"),
    ),
    (
        "app.js",
        "text/javascript; charset=utf-8",
        include_str!("../../viewer/dist/app.js"),
    ),
    (
        "style.css",
        "text/css; charset=utf-8",
        include_str!("../../viewer/dist/style.css"),
    ),
    (
        "icon.svg",
        "image/svg+xml",
        include_str!("../../viewer/dist/icon.svg"),
    ),
    // filled by `Page`; of no use by itself
    (
        "page.html",
        "text/plain; charset=utf-8",
        include_str!("../../viewer/dist/page.html"),
    ),
];

/// What is in the file called `name`; nothing if there is none.
pub(crate) fn text(name: &str) -> &'static str {
    let file = FILES.iter().find(|(found, ..)| *found == name);
    file.map_or("", |(_, _, content)| content)
}

/// The file called `name`, or that there is none.
pub(crate) fn answer(name: &str) -> Response {
    match FILES.iter().find(|(found, ..)| *found == name) {
        Some((_, kind, content)) => ([(header::CONTENT_TYPE, *kind)], *content).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}
