//! Random small set-ups, exact intersection test after every event: `sweep [first] [count]`.

#![allow(clippy::print_stdout)]

#[path = "../tests/laws/random_setup.rs"]
mod random_setup;

use random_setup::{Outcome, judge};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse().unwrap_or(0));
    let (first, count) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(200));
    let mut tally = [0u32; 5];
    for seed in first..first + count {
        let outcome = judge(seed);
        tally[outcome as usize] += 1;
        if outcome != Outcome::Ran {
            println!("{seed}: {outcome:?}");
        }
    }
    println!(
        "of {count}: ran {}, event limit {}, refused {}, stalled {}, crossed {}",
        tally[0], tally[1], tally[2], tally[3], tally[4]
    );
}
