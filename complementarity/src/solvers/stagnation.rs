//! Detects that an accelerated method stagnates, and how many plain iterations should follow.

/// An error below this share of the least one counts as progress \[1\].
const PROGRESS: f64 = 0.9;

/// Most plain iterations in a row; their number doubles each time.
const MOST_PLAIN: u32 = 1000;

pub(crate) struct Stagnation {
    least: f64,
    age: u32,
    most_age: u32,
    pause: u32,
    next_pause: u32,
}

impl Stagnation {
    /// A method stagnates if its least error makes no progress for `most_age` iterations; `pause`
    /// plain ones follow at first.
    pub(crate) fn new(most_age: u32, pause: u32) -> Self {
        Self {
            least: f64::INFINITY,
            age: 0,
            most_age,
            pause: 0,
            next_pause: pause.max(1),
        }
    }

    /// Whether the iteration after one with this error should be plain.
    pub(crate) fn plain_next(&mut self, error: f64) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            (self.least, self.age) = (error, 0);
            return self.pause > 0;
        }
        self.age += 1;
        if error < PROGRESS * self.least {
            (self.least, self.age) = (error, 0);
        }
        if self.age > self.most_age {
            self.pause = self.next_pause;
            self.next_pause = (2 * self.next_pause).min(MOST_PLAIN);
        }
        self.pause > 0
    }
}
