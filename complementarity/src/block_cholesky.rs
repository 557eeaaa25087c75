//! Sparse Cholesky factor of a symmetric positive definite matrix of 6x6 blocks: one block row per
//! body (the direct solver, the response of touching bodies to cloth) or per aggregate (the two-level solve).
//!
//! The order of elimination is that of least degree in the graph that is left (minimum degree,
//! ties to the smaller index). The pattern of the factor is kept and used again as long as the
//! graph is the same; the numbers are factored column by column, left-looking.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use drystone_base::lanes::{Kernel, Lanes, Wide8, dispatch};

/// Six columns of six numbers; the last two of each column are zero.
pub type Block6 = [Wide8<f64>; 6];

/// Floating-point operations of one product of blocks.
const PRODUCT: f64 = 432.0;

/// Place of the block of a pair of bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Index among the blocks below the diagonal.
    pub(crate) block: u32,
    /// Whether the block's rows belong to the first body of the pair.
    pub(crate) first_is_row: bool,
}

/// A block matrix and, after [`Cholesky::factor`], its factor.
#[derive(Clone, Debug, Default)]
pub struct Cholesky {
    /// Size of what was analysed: number of bodies and coupled pairs.
    size: usize,
    edges: Vec<[u32; 2]>,
    /// Operations of a factorisation; infinite where there were more than `given_up`.
    flops: f64,
    given_up: f64,
    /// Place of each body in the order of elimination, and the body at each place.
    place: Vec<u32>,
    order: Vec<u32>,
    /// Columns of the factor below the diagonal: rows of column k are
    /// `rows[column[k]..column[k + 1]]`, ascending.
    column: Vec<u32>,
    rows: Vec<u32>,
    /// Blocks left of the diagonal: (column, block) of row j are `left[row[j]..row[j + 1]]`.
    row: Vec<u32>,
    left: Vec<(u32, u32)>,
    diagonal: Vec<Block6>,
    below: Vec<Block6>,
    // memory of `analyse` and `factor`
    neighbours: Vec<Vec<u32>>,
    merged: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
    at: Vec<u32>,
    lost: Vec<[f64; 6]>,
}

impl Cholesky {
    /// Finds the pattern of the factor for `size` bodies of which `edges` are coupled; returns
    /// the operations of a factorisation, or `None` if they are more than `most`. Nothing is
    /// done where `size` and `edges` are those of the call before.
    pub fn analyse(&mut self, size: usize, edges: &[[u32; 2]], most: f64) -> Option<f64> {
        let same = self.size == size && self.edges == edges;
        if same && (self.flops.is_finite() || most <= self.given_up) {
            return (self.flops <= most).then_some(self.flops);
        }
        self.size = size;
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        self.flops = self.eliminate(most);
        self.given_up = most;
        if self.flops.is_finite() {
            self.lay_out();
        }
        (self.flops <= most).then_some(self.flops)
    }

    /// Minimum degree: `order`, `place`, and in `neighbours` the column of each body. Returns
    /// the operations, infinite as soon as they pass `most`.
    fn eliminate(&mut self, most: f64) -> f64 {
        for list in &mut self.neighbours {
            list.clear();
        }
        self.neighbours
            .resize_with(self.size.max(self.neighbours.len()), Vec::new);
        for &[a, b] in &self.edges {
            self.neighbours[a as usize].push(b);
            self.neighbours[b as usize].push(a);
        }
        self.heap.clear();
        for (body, list) in self.neighbours[..self.size].iter_mut().enumerate() {
            list.sort_unstable();
            list.dedup();
            self.heap.push(Reverse((list.len() as u32, body as u32)));
        }
        self.order.clear();
        self.place.clear();
        self.place.resize(self.size, u32::MAX);
        let mut flops = 0.0;
        while let Some(Reverse((degree, body))) = self.heap.pop() {
            let taken = self.place[body as usize] != u32::MAX;
            if taken || degree as usize != self.neighbours[body as usize].len() {
                continue; // of before the degree changed
            }
            self.place[body as usize] = self.order.len() as u32;
            self.order.push(body);
            let degree = f64::from(degree);
            flops += PRODUCT * (0.5 + degree + 0.5 * degree * (degree + 1.0));
            if flops > most {
                return f64::INFINITY;
            }
            // what it touched becomes a clique
            let clique = std::mem::take(&mut self.neighbours[body as usize]);
            for &q in &clique {
                let old = &mut self.neighbours[q as usize];
                let before = old.len();
                self.merged.clear();
                let (mut i, mut j) = (0, 0);
                while i < old.len() || j < clique.len() {
                    let x = old.get(i).copied().unwrap_or(u32::MAX);
                    let y = clique.get(j).copied().unwrap_or(u32::MAX);
                    let next = x.min(y);
                    i += usize::from(x == next);
                    j += usize::from(y == next);
                    if next != body && next != q {
                        self.merged.push(next);
                    }
                }
                std::mem::swap(old, &mut self.merged);
                if old.len() != before {
                    self.heap.push(Reverse((old.len() as u32, q)));
                }
            }
            self.neighbours[body as usize] = clique;
        }
        flops
    }

    /// Columns and rows of the factor from the lists that [`Self::eliminate`] left.
    fn lay_out(&mut self) {
        self.column.clear();
        self.rows.clear();
        self.column.push(0);
        for &body in &self.order {
            let first = self.rows.len();
            let list = &self.neighbours[body as usize];
            self.rows
                .extend(list.iter().map(|&other| self.place[other as usize]));
            self.rows[first..].sort_unstable();
            self.column.push(self.rows.len() as u32);
        }
        // the same by rows; columns come in ascending order
        self.row.clear();
        self.row.resize(self.size + 1, 0);
        for &row in &self.rows {
            self.row[row as usize + 1] += 1;
        }
        for k in 0..self.size {
            self.row[k + 1] += self.row[k];
        }
        self.at.clear();
        self.at.extend_from_slice(&self.row[..self.size]);
        self.left.clear();
        self.left.resize(self.rows.len(), (0, 0));
        for k in 0..self.size {
            for block in self.column[k]..self.column[k + 1] {
                let to = &mut self.at[self.rows[block as usize] as usize];
                self.left[*to as usize] = (k as u32, block);
                *to += 1;
            }
        }
        self.diagonal.resize(self.size, Block6::default());
        self.below.resize(self.rows.len(), Block6::default());
    }

    /// Sets the matrix to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill(Block6::default());
        self.below.fill(Block6::default());
    }

    /// Place of the block of two coupled bodies; `None` if they are not coupled.
    pub(crate) fn find(&self, a: u32, b: u32) -> Option<Place> {
        let (pa, pb) = (self.place[a as usize], self.place[b as usize]);
        let (column, row) = (pa.min(pb) as usize, pa.max(pb));
        let range = self.column[column] as usize..self.column[column + 1] as usize;
        let k = self.rows[range.clone()].binary_search(&row).ok()?;
        Some(Place {
            block: (range.start + k) as u32,
            first_is_row: pa > pb,
        })
    }

    /// The diagonal block of a body.
    pub fn own(&mut self, body: usize) -> &mut Block6 {
        &mut self.diagonal[self.place[body] as usize]
    }

    /// Parts that an assembly writes: the place of each body, diagonal blocks, blocks below.
    pub(crate) fn parts(&mut self) -> (&[u32], &mut [Block6], &mut [Block6]) {
        (&self.place, &mut self.diagonal, &mut self.below)
    }

    /// Adds `leftᵀ right` to the block at row `g` and column `h`, which are coupled or the same.
    pub fn add_product<const N: usize>(
        &mut self,
        (g, h): (usize, usize),
        left: &[[f64; 6]; N],
        right: &[[f64; 6]; N],
    ) {
        let (block, is_row) = match self.find(g as u32, h as u32) {
            Some(place) => (&mut self.below[place.block as usize], place.first_is_row),
            None if g == h => (self.own(g), true),
            None => return,
        };
        for (left, right) in left.iter().zip(right) {
            for i in (0..6).filter(|i| left[*i] != 0.0) {
                for j in 0..6 {
                    let (row, column) = if is_row { (i, j) } else { (j, i) };
                    block[column].0[row] += left[i] * right[j];
                }
            }
        }
    }

    /// Replaces the matrix by its factor. A pivot below the share `lost` of its diagonal entry is
    /// lost to rounding: its direction is held at zero.
    pub fn factor(&mut self, lost: f64) {
        self.at.clear();
        self.at.resize(self.size, 0);
        self.lost.clear();
        self.lost.extend(self.diagonal.iter().map(|block| {
            let mut least = [0.0; 6];
            for (i, least) in least.iter_mut().enumerate() {
                *least = lost * block[i].0[i];
            }
            least
        }));
        dispatch(Factor(self));
    }

    /// Solves for `x`, which holds the right-hand side: one entry per body, in the caller's order.
    /// `scratch` is overwritten.
    pub fn solve(&self, x: &mut [Wide8<f64>], scratch: &mut Vec<Wide8<f64>>) {
        scratch.clear();
        scratch.extend(self.order.iter().map(|&body| x[body as usize]));
        dispatch(Substitute(self, scratch));
        for (k, &body) in self.order.iter().enumerate() {
            x[body as usize] = scratch[k];
        }
    }
}

/// `c ← c − a bᵀ`
#[inline(always)]
fn minus_product<L: Lanes<Real = f64>>(c: &mut Block6, a: &Block6, b: &Block6) {
    let a = [
        L::load(&a[0]),
        L::load(&a[1]),
        L::load(&a[2]),
        L::load(&a[3]),
        L::load(&a[4]),
        L::load(&a[5]),
    ];
    for i in 0..6 {
        let mut sum = L::load(&c[i]);
        for k in 0..6 {
            sum = sum.minus_product(a[k], L::splat(b[k].0[i]));
        }
        sum.store(&mut c[i]);
    }
}

struct Factor<'a>(&'a mut Cholesky);

impl Kernel<f64> for Factor<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = f64>>(self) {
        let Cholesky {
            size,
            column,
            rows,
            row,
            left,
            diagonal,
            below,
            at,
            lost,
            ..
        } = self.0;
        for j in 0..*size {
            let own = column[j] as usize..column[j + 1] as usize;
            for block in own.clone() {
                at[rows[block] as usize] = block as u32;
            }
            // what the columns before take from this one
            let (done, here) = below.split_at_mut(own.start);
            for &(k, block) in &left[row[j] as usize..row[j + 1] as usize] {
                let factor = done[block as usize];
                minus_product::<L>(&mut diagonal[j], &factor, &factor);
                for other in block as usize + 1..column[k as usize + 1] as usize {
                    let to = at[rows[other] as usize] as usize - own.start;
                    minus_product::<L>(&mut here[to], &done[other], &factor);
                }
            }
            // Cholesky factor of the diagonal block, columns above the diagonal zero
            let d = &mut diagonal[j];
            for c in 0..6 {
                for k in 0..c {
                    let factor = d[k].0[c];
                    for i in c..6 {
                        d[c].0[i] -= factor * d[k].0[i];
                    }
                }
                // a direction that rounding has left without stiffness is held
                let pivot = d[c].0[c];
                let root = if pivot > lost[j][c] {
                    pivot.sqrt()
                } else {
                    1e150
                };
                d[c].0[c] = root;
                for i in 0..6 {
                    if i < c {
                        d[c].0[i] = 0.0;
                    } else if i > c {
                        d[c].0[i] /= root;
                    }
                }
            }
            // blocks below: x lᵀ = a
            for x in &mut here[..own.len()] {
                for c in 0..6 {
                    let mut sum = L::load(&x[c]);
                    for k in 0..c {
                        sum = sum.minus_product(L::load(&x[k]), L::splat(d[k].0[c]));
                    }
                    (sum * L::splat(1.0 / d[c].0[c])).store(&mut x[c]);
                }
            }
        }
    }
}

struct Substitute<'a>(&'a Cholesky, &'a mut [Wide8<f64>]);

impl Kernel<f64> for Substitute<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = f64>>(self) {
        let Self(of, x) = self;
        for j in 0..of.size {
            let d = &of.diagonal[j];
            let mut y = x[j].0;
            for c in 0..6 {
                y[c] /= d[c].0[c];
                for i in c + 1..6 {
                    y[i] -= d[c].0[i] * y[c];
                }
            }
            x[j].0 = y;
            for block in of.column[j] as usize..of.column[j + 1] as usize {
                let (l, to) = (&of.below[block], of.rows[block] as usize);
                let mut sum = L::load(&x[to]);
                for c in 0..6 {
                    sum = sum.minus_product(L::load(&l[c]), L::splat(y[c]));
                }
                sum.store(&mut x[to]);
            }
        }
        for j in (0..of.size).rev() {
            let d = &of.diagonal[j];
            let mut y = x[j].0;
            for block in of.column[j] as usize..of.column[j + 1] as usize {
                let (l, from) = (&of.below[block], x[of.rows[block] as usize].0);
                for c in 0..6 {
                    for i in 0..6 {
                        y[c] -= l[c].0[i] * from[i];
                    }
                }
            }
            for c in (0..6).rev() {
                for i in c + 1..6 {
                    y[c] -= d[c].0[i] * y[i];
                }
                y[c] /= d[c].0[c];
            }
            x[j].0 = y;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::random::Random;

    /// A random diagonally dominant matrix over a grid graph: multiply, solve, compare.
    #[test]
    fn the_factor_of_a_grid_solves_what_the_matrix_multiplied() {
        let (wide, high) = (7u32, 5u32);
        let size = (wide * high) as usize;
        let mut edges = Vec::new();
        for y in 0..high {
            for x in 0..wide {
                let k = y * wide + x;
                if x + 1 < wide {
                    edges.push([k, k + 1]);
                }
                if y + 1 < high {
                    edges.push([k + wide, k]);
                }
            }
        }
        let mut random = Random::new(3);
        let mut of = Cholesky::default();
        assert!(of.analyse(size, &edges, 1e3).is_none(), "limit not kept");
        assert!(of.analyse(size, &edges, 1e9).is_some());
        of.clear();
        let mut dense = vec![vec![0.0; 6 * size]; 6 * size];
        for body in 0..size {
            for c in 0..6 {
                of.own(body)[c].0[c] = 40.0;
                dense[6 * body + c][6 * body + c] = 40.0;
            }
        }
        for &[a, b] in &edges {
            let place = of.find(a, b).expect("coupled");
            for c in 0..6 {
                for r in 0..6 {
                    let value = random.range(-1.0, 1.0);
                    of.parts().2[place.block as usize][c].0[r] = value;
                    let (row, column) = if place.first_is_row { (a, b) } else { (b, a) };
                    let (i, j) = (6 * row as usize + r, 6 * column as usize + c);
                    dense[i][j] = value;
                    dense[j][i] = value;
                }
            }
        }
        let wanted: Vec<f64> = (0..6 * size).map(|_| random.range(-1.0, 1.0)).collect();
        let mut x = vec![Wide8::default(); size];
        for (i, line) in dense.iter().enumerate() {
            x[i / 6].0[i % 6] = line.iter().zip(&wanted).map(|(a, x)| a * x).sum();
        }
        of.factor(1e-14);
        of.solve(&mut x, &mut Vec::new());
        let error = (0..6 * size)
            .map(|i| (x[i / 6].0[i % 6] - wanted[i]).abs())
            .fold(0.0, f64::max);
        assert!(error < 1e-13, "error {error:.1e}");
    }

    #[test]
    fn a_singular_direction_is_held() {
        let mut matrix = Cholesky::default();
        assert!(matrix.analyse(1, &[], 1e9).is_some());
        matrix.clear();
        let rank_two = [
            [1.0, 2.0, 0.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        ];
        matrix.add_product((0, 0), &rank_two, &rank_two);
        // a right-hand side in its range
        let right: [f64; 8] = std::array::from_fn(|i| match i {
            0..6 => 3.0 * rank_two[0][i] - rank_two[1][i],
            _ => 0.0,
        });
        let mut x = [Wide8(right)];
        matrix.factor(1e-12);
        matrix.solve(&mut x, &mut Vec::new());
        let along = rank_two.map(|r| (0..6).map(|j| r[j] * x[0].0[j]).sum::<f64>());
        for i in 0..6 {
            let off = (along[0] * rank_two[0][i] + along[1] * rank_two[1][i] - right[i]).abs();
            assert!(off < 1e-12, "row {i}: off by {off:.1e}");
        }
    }
}
