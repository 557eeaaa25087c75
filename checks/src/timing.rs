//! Threads to measure on.

/// Does `work` with a pool of `threads` threads, on one of them.
///
/// # Panics
/// If the system refuses the threads.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("the system grants a few threads").install(work)
}
