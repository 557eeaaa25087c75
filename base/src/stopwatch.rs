/// Wall time since a moment. Reads zero where there is no clock (in a browser's bare sandbox).
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    #[cfg(not(target_arch = "wasm32"))]
    start: std::time::Instant,
}

impl Stopwatch {
    /// A watch that starts now.
    pub fn start() -> Self {
        Self {
            #[cfg(not(target_arch = "wasm32"))]
            start: std::time::Instant::now(),
        }
    }

    /// Wall time since this was first called, as a clock to hand to others \[s\].
    pub fn clock() -> f64 {
        static FIRST: std::sync::OnceLock<Stopwatch> = std::sync::OnceLock::new();
        FIRST.get_or_init(Self::start).seconds()
    }

    /// Wall time since the start \[s\].
    pub fn seconds(&self) -> f64 {
        #[cfg(not(target_arch = "wasm32"))]
        return self.start.elapsed().as_secs_f64();
        #[cfg(target_arch = "wasm32")]
        0.0
    }
}
