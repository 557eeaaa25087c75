//! The server: what is at which address.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::command::LONGEST_MESSAGE;
use crate::export::FORMATS;
use crate::guard::{Guard, fresh_token, guard, is_token};
use crate::query::Query;
use crate::registry::Registry;
use crate::run::Identity;
use crate::socket::{Seat, serve};
use crate::source::{Source, files};
use crate::thumbnail::Thumbnails;
use crate::{ViewError, assets};

/// Most pages at a time.
const MOST_PAGES: usize = 64;

/// Settings of the server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address to listen on: loopback, unless other machines are meant to connect.
    pub host: IpAddr,
    /// 0: any that is free.
    pub port: u16,
    /// What the page opens with: a scene of the gallery, or a scene file of the folder. The gallery
    /// if left out.
    pub scene: Option<String>,
    /// Changes of values, as `KEY=VALUE`.
    pub sets: Vec<String>,
    /// The only folder from which scene files are read.
    pub folder: Option<PathBuf>,
    /// Part of the address; random if left out. 16 to 128 letters and digits.
    pub token: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            scene: None,
            sets: Vec::new(),
            folder: None,
            token: None,
        }
    }
}

/// A server that listens, ready to serve.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    url: String,
    app: App,
    guard: Guard,
}

/// A server at work in a thread of its own; ends when dropped.
#[derive(Debug)]
pub struct Running {
    url: String,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[derive(Clone, Debug)]
struct App {
    registry: Arc<Registry>,
    thumbnails: Arc<Thumbnails>,
    pages: Arc<AtomicUsize>,
    scene: Option<String>,
}

impl Server {
    /// Listens; refuses a scene that is not there, a token that is too short, a port that is taken.
    pub fn bind(settings: Settings) -> Result<Self, ViewError> {
        // token and scene
        let token = match settings.token {
            Some(token) if is_token(&token) => token,
            Some(_) => return Err(ViewError::Token),
            None => fresh_token().map_err(|_| ViewError::Random)?,
        };
        if let Some(scene) = &settings.scene
            && Source::find(scene, settings.folder.as_deref()).is_none()
        {
            return Err(ViewError::Scene(scene.clone()));
        }
        // listen
        let wanted = SocketAddr::new(settings.host, settings.port);
        let listen = || {
            let listener = TcpListener::bind(wanted)?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = listen().map_err(|source| ViewError::Listen {
            address: wanted,
            source,
        })?;
        // a page cannot be opened at `every address`
        let shown = match address.ip() {
            ip if !ip.is_unspecified() => address,
            _ => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
        };
        let mut url = format!("http://{shown}/{token}/");
        if let Some(scene) = &settings.scene {
            let mut query = vec![("scene", scene.as_str())];
            query.extend(settings.sets.iter().map(|set| ("set", set.as_str())));
            url += &format!("?{}", Query::write(&query));
        }
        // start the engine before the page asks for it
        let registry = Registry::new(settings.folder);
        if let Some(scene) = settings.scene.clone() {
            // the engine gets ready while the browser does; what is wrong is said to the page that asks
            let identity = Identity {
                scene,
                sets: settings.sets,
                compare: None,
            };
            let _ = registry.find(identity, None, true);
        }
        Ok(Self {
            app: App {
                registry: Arc::new(registry),
                thumbnails: Arc::default(),
                pages: Arc::default(),
                scene: settings.scene,
            },
            guard: Guard {
                token,
                port: address.port(),
                loopback: address.ip().is_loopback(),
            },
            listener,
            address,
            url,
        })
    }

    /// The address to open in a browser.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves for ever.
    pub fn run(self) -> Result<(), ViewError> {
        self.serve(std::future::pending())
    }

    /// Serves in another thread.
    pub fn start(self) -> Result<Running, ViewError> {
        let (stop, stopped) = oneshot::channel();
        let (url, address) = (self.url.clone(), self.address);
        let thread = std::thread::Builder::new().name("drystone-view".into());
        let serve = move || {
            // whoever holds the handle learns of it by its silence
            let _ = self.serve(async {
                let _ = stopped.await;
            });
        };
        let thread = thread.spawn(serve).map_err(ViewError::Serve)?;
        Ok(Running {
            url,
            address,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    fn serve(self, stop: impl Future<Output = ()> + 'static) -> Result<(), ViewError> {
        let routes = Router::new()
            .route("/{token}/", get(index))
            .route("/{token}/gallery.json", get(gallery))
            .route("/{token}/schema.json", get(schema))
            .route("/{token}/thumbnail/{name}", get(thumbnail))
            .route("/{token}/export/{name}", get(export))
            .route("/{token}/ws", get(socket))
            .route("/{token}/{file}", get(asset))
            .layer(from_fn_with_state(self.guard, guard))
            .with_state(self.app);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(2)
            .build()
            .map_err(ViewError::Serve)?;
        runtime
            .block_on(async {
                let listener = tokio::net::TcpListener::from_std(self.listener)?;
                let serving = axum::serve(listener, routes);
                tokio::select! {
                    result = async { serving.await } => result,
                    () = stop => Ok(()),
                }
            })
            .map_err(ViewError::Serve)
    }
}

impl Running {
    /// The address to open in a browser.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // a server that has panicked has ended too
            let _ = thread.join();
        }
    }
}

async fn index() -> Response {
    assets::answer("index.html")
}

async fn asset(Path((_, file)): Path<(String, String)>) -> Response {
    assets::answer(&file)
}

/// The scenes to choose from.
async fn gallery(State(app): State<App>) -> Response {
    static SCENES: OnceLock<Value> = OnceLock::new();
    let scenes = SCENES.get_or_init(|| {
        let row = |entry: &drystone_gallery::Entry| {
            let scene = (entry.build)();
            let bodies = scene.expand().map_or(0, |bodies| bodies.len());
            let strands = scene.expand_strands().map_or(0, |strands| strands.len());
            json!({"name": entry.name, "about": entry.about, "system": entry.system,
                   "bodies": bodies, "strands": strands, "cloths": scene.cloths.len(),
                   "seconds": scene.duration})
        };
        drystone_gallery::ALL.iter().map(row).collect()
    });
    let files = app.registry.folder.as_deref().map_or(Vec::new(), files);
    let all = json!({"scenes": scenes, "files": files, "start": app.scene,
                     "version": env!("CARGO_PKG_VERSION"), "runs": app.registry.len()});
    json_answer(&all)
}

/// The JSON Schema of scenes.
async fn schema() -> Response {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    json_answer(SCHEMA.get_or_init(drystone_formats::scene_schema))
}

fn json_answer(value: &Value) -> Response {
    (
        [(header::CONTENT_TYPE, "application/json")],
        value.to_string(),
    )
        .into_response()
}

async fn thumbnail(State(app): State<App>, Path((_, name)): Path<(String, String)>) -> Response {
    let name = name.strip_suffix(".png").unwrap_or("");
    let made = match Source::find(name, app.registry.folder.as_deref()) {
        Some(source) => app.thumbnails.get(source).await,
        None => None,
    };
    match made {
        Some(png) => ([(header::CONTENT_TYPE, "image/png")], png).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such picture\n").into_response(),
    }
}

/// The run that an address means.
fn identity(query: &Query) -> Identity {
    let compare: Vec<String> = query.all("compare");
    Identity {
        scene: query.first("scene").unwrap_or_default(),
        sets: query.all("set"),
        // `compare=` alone is a second run like the first
        compare: (!compare.is_empty())
            .then(|| compare.into_iter().filter(|set| !set.is_empty()).collect()),
    }
}

/// `export/NAME.ENDING?scene=NAME&...`: all that has been seen of that run, which must be there.
async fn export(
    State(app): State<App>,
    Path((_, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Response {
    let refuse = |code, why: String| (code, format!("{why}\n")).into_response();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let Some((ending, kind)) = FORMATS.into_iter().find(|(known, _)| *known == ending) else {
        let known = FORMATS.map(|(ending, _)| format!(".{ending}")).join(", ");
        let why = format!("`{name}` has an ending that is not known; wanted one of {known}");
        return refuse(StatusCode::NOT_FOUND, why);
    };
    let query = Query::read(query.as_deref().unwrap_or(""));
    let Some(run) = app.registry.running(&identity(&query)) else {
        let why = "nobody watches that run: open it first";
        return refuse(StatusCode::NOT_FOUND, why.into());
    };
    let Some(file) = run.export(ending) else {
        let why = "the run is busy writing other files";
        return refuse(StatusCode::SERVICE_UNAVAILABLE, why.into());
    };
    match file.await {
        Ok(Ok(bytes)) => {
            let headers = [
                (header::CONTENT_TYPE, kind),
                (header::CONTENT_DISPOSITION, "attachment"),
            ];
            (headers, bytes).into_response()
        }
        Ok(Err(why)) => refuse(StatusCode::UNPROCESSABLE_ENTITY, why),
        Err(_) => refuse(StatusCode::SERVICE_UNAVAILABLE, "the run has ended".into()),
    }
}

/// `ws?scene=NAME&set=KEY=VALUE&compare=KEY=VALUE&t=SECONDS&play=0`: watch that run.
async fn socket(
    State(app): State<App>,
    RawQuery(query): RawQuery,
    upgrade: WebSocketUpgrade,
) -> Response {
    let query = Query::read(query.as_deref().unwrap_or(""));
    let identity = identity(&query);
    let goto = query.first("t").and_then(|time| time.parse().ok());
    let playing = query.first("play").is_none_or(|play| play != "0");
    let run = match app.registry.find(identity, goto, playing) {
        Ok(run) => run,
        Err(why) => return (StatusCode::NOT_FOUND, format!("{why}\n")).into_response(),
    };
    if app.pages.fetch_add(1, Ordering::Relaxed) >= MOST_PAGES {
        app.pages.fetch_sub(1, Ordering::Relaxed);
        let why = format!("{MOST_PAGES} pages are open, the most allowed\n");
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    }
    // the seat is given back even if the page goes before it has come
    let seat = Seat::take(run, app.registry.next_client(), app.pages);
    upgrade
        .max_message_size(LONGEST_MESSAGE)
        .max_frame_size(LONGEST_MESSAGE)
        .write_buffer_size(0)
        .max_write_buffer_size(256 << 20)
        .on_upgrade(move |socket| serve(socket, seat))
}
