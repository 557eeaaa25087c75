//! Notices that a fast method goes round in circles, and says how long the plain one it is built
//! on should then be left alone.

/// Part of the least error that counts as new.
const NEW: f64 = 0.9;

/// Pauses double each time up to this many iterations.
const LONGEST: u32 = 1000;

pub(crate) struct Patience {
    least: f64,
    age: u32,
    most_age: u32,
    pause: u32,
    next_pause: u32,
}

impl Patience {
    /// For a method that should find a new least error at least every `most_age` iterations, and
    /// pauses at first for `pause`.
    pub(crate) fn new(most_age: u32, pause: u32) -> Self {
        Self {
            least: f64::INFINITY,
            age: 0,
            most_age,
            pause: 0,
            next_pause: pause.max(1),
        }
    }

    /// After an iteration with this error: whether the next should be plain.
    pub(crate) fn plain_next(&mut self, error: f64) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            (self.least, self.age) = (error, 0);
            return self.pause > 0;
        }
        self.age += 1;
        if error < NEW * self.least {
            (self.least, self.age) = (error, 0);
        }
        if self.age > self.most_age {
            self.pause = self.next_pause;
            self.next_pause = (2 * self.next_pause).min(LONGEST);
        }
        self.pause > 0
    }
}
