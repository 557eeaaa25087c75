//! The bowline of Harmon 2012 (§6.5): one ribbon, whose standing part is pulled against its eye and its tail
//! until the knot is tight.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bowline-small",
    about: "a bowline of a narrow ribbon about a post is pulled tight",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = bowline(&ENTRY, 2.0, 3, 0.25);
    pull_bowline(&mut scene, 0.3, 0.1);
    // the end of the standing part, at 6.3 m, goes up until eye and loop are tight; measured: 13.3 m
    scene.truth(cloth::rises("ribbon", 12.0));
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The crossings of a line seen from +z: for each, the place along the line, and whether it is on top there.
    fn crossings(line: &[[f64; 3]]) -> String {
        let mut found: Vec<(f64, char)> = Vec::new();
        for i in 1..line.len() {
            for j in i + 2..line.len() {
                let [a, b, c, d] = [line[i - 1], line[i], line[j - 1], line[j]];
                let (u, v, w) = (
                    [b[0] - a[0], b[1] - a[1]],
                    [d[0] - c[0], d[1] - c[1]],
                    [c[0] - a[0], c[1] - a[1]],
                );
                let area = u[0] * v[1] - u[1] * v[0];
                let s = (w[0] * v[1] - w[1] * v[0]) / area;
                let t = (w[0] * u[1] - w[1] * u[0]) / area;
                if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) {
                    let above = a[2] + s * (b[2] - a[2]) > c[2] + t * (d[2] - c[2]);
                    let (first, second) = if above { ('O', 'U') } else { ('U', 'O') };
                    found.push((i as f64 + s, first));
                    found.push((j as f64 + t, second));
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.into_iter().map(|(_, side)| side).collect()
    }

    #[test]
    fn the_ribbon_goes_over_and_under_as_a_bowline_does() {
        let (points, _) = build().cloths[0].surface.triangles();
        let middle: Vec<[f64; 3]> = points.chunks(3).map(|row| row[1]).collect();
        // standing part: bight, bight, the loop's end; loop: tail and leg on its way down, leg and tail on
        // its way up, standing part; leg: loop, loop, around the standing part; tail: loop, loop
        assert_eq!(crossings(&middle), "OUUOOUUOUOUOOU");
    }
}
