//! Weighted pose space: how much of every example a pose asks for, element by element.
//!
//! Section 2.3 after Kurihara and Miyata 2004: an element sees a pose as the turns of the joints, each as far
//! as the joint concerns it, and is like an example to a degree that depends on that part of the pose only.
//! After Sloan, Rose and Cohen 2001 the weight of an example is a linear function of the pose, so that it
//! grows on beyond the examples, plus radial functions that make it one in its own pose and zero in the
//! others'.
//!
//! - A joint's turn is that against its parent, so the place and direction of the whole body do not matter.
//! - A turn concerns what the joint carries and what its parent carries: a bent elbow swells the upper arm,
//!   which no harmonic influence of the forearm reaches. It concerns everything else a very little, so that
//!   examples that differ only elsewhere are still told apart.
//! - The linear function goes through the rest pose, which has none of any example. Its slopes are damped:
//!   examples whose poses are nearly in one line must not drive it steep. The radial part makes up for it.

use glam::DVec3;

use super::influences::Lists;
use super::tree::{Tree, add_share};
use super::tuning::TUNING;
use crate::progress::{Cancelled, Progress};
use crate::solve::dense::solve_rows;

/// Added to the diagonal of the radial functions, which are one there.
const RIDGE: f64 = 1e-9;

/// Elements between two questions whether to go on.
const CHECKED: usize = 256;

/// The weights of examples as functions of the pose.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseSpace {
    examples: usize,
    /// How much the turn of each joint concerns each element.
    concerns: Lists<Concern>,
    /// One over the reach of each element's radial functions.
    reaches: Vec<f32>,
    /// Of each element and example what the products with the examples' poses count (as many as examples),
    /// then what the radial functions around the rest pose and the examples count.
    factors: Vec<f32>,
}

/// How much the turn of a joint concerns an element, in parts of [`WHOLE`]: most of what anchors take are these.
#[derive(Clone, Copy, Debug, Default)]
struct Concern {
    joint: u16,
    share: u16,
}

/// The share of all.
const WHOLE: f64 = u16::MAX as f64;

/// A pose compared with the rest pose and with all examples, joint by joint.
#[derive(Clone, Debug, Default)]
pub(super) struct Compared {
    /// Squared distances from the rest pose and the examples: joint after joint, and at last their sum.
    squares: Vec<f64>,
    /// Products with the examples' turns, likewise.
    products: Vec<f64>,
    /// Of one element.
    distances: Vec<f64>,
    dots: Vec<f64>,
}

impl Compared {
    /// Compares turns with those of `examples`, which list all joints of the first, then of the second, and
    /// so on. Allocates only the first time.
    pub fn set(&mut self, turns: &[DVec3], examples: &[DVec3]) {
        let joints = turns.len();
        let count = examples.len() / joints.max(1);
        self.squares.clear();
        self.products.clear();
        for joint in 0..joints {
            self.squares.push(turns[joint].length_squared());
            for example in 0..count {
                let theirs = examples[example * joints + joint];
                self.squares.push(turns[joint].distance_squared(theirs));
                self.products.push(turns[joint].dot(theirs));
            }
        }
        for (all, width) in [(&mut self.squares, count + 1), (&mut self.products, count)] {
            for slot in 0..width {
                let sum = (0..joints).map(|joint| all[joint * width + slot]).sum();
                all.push(sum);
            }
        }
        self.distances.resize(count + 1, 0.0);
        self.dots.resize(count, 0.0);
    }
}

impl PoseSpace {
    /// The functions of elements with these influences; `examples` as in [`Compared::set`], no two the same.
    pub fn new(
        tree: &Tree,
        influences: &Lists,
        examples: &[DVec3],
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let joints = tree.joints.len();
        let count = examples.len() / joints.max(1);
        let concerns = Lists::from_lists(influences.iter().map(|list| concerns(tree, list)));
        let mut out = Self { examples: count, concerns, ..Self::default() };
        // Every example compared with all.
        let compare = |turns: &[DVec3]| {
            let mut one = Compared::default();
            one.set(turns, examples);
            one
        };
        let compared: Vec<Compared> = examples.chunks_exact(joints.max(1)).map(compare).collect();
        let of_rest = compare(&vec![DVec3::ZERO; joints]);
        let mut memory = Fit::default();
        for element in 0..out.concerns.len() {
            if element % CHECKED == 0 {
                progress.check()?;
            }
            out.fit(element, &of_rest, &compared, &mut memory);
        }
        Ok(out)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.concerns.len()
    }

    /// Bytes that the functions take.
    pub fn bytes(&self) -> usize {
        4 * (self.factors.len() + self.reaches.len()) + self.concerns.bytes()
    }

    fn fit(&mut self, element: usize, of_rest: &Compared, compared: &[Compared], m: &mut Fit) {
        let n = self.examples;
        // Products and distances of all poses, the rest pose first among the distances.
        m.gram.clear();
        m.radial.clear();
        for (row, one) in std::iter::once(of_rest).chain(compared).enumerate() {
            let list = self.concerns.of(element);
            let width = n + 1;
            m.radial.extend((0..width).map(|slot| seen(list, &one.squares, width, slot)));
            if row > 0 {
                m.gram.extend((0..n).map(|slot| seen(list, &one.products, n, slot)));
            }
        }
        let nearest = |row: usize| {
            let others = (0..=n).filter(|&other| other != row).map(|other| m.radial[row * (n + 1) + other]);
            others.fold(f64::INFINITY, f64::min).sqrt()
        };
        let reach = (0..=n).map(nearest).sum::<f64>() / (n + 1) as f64;
        let one_over = 1.0 / reach.max(1e-9);
        m.radial.iter_mut().for_each(|d| *d = bump(d.sqrt() * one_over));
        (0..=n).for_each(|i| m.radial[i * (n + 1) + i] += RIDGE);
        // B = (G + λ)⁻¹: what it lacks of being one example and none of the others is λ B.
        let damping = TUNING.damping * (0..n).map(|i| m.gram[i * n + i]).sum::<f64>() / n as f64;
        (0..n).for_each(|i| m.gram[i * n + i] += damping);
        m.slopes.clear();
        m.slopes.extend((0..n * n).map(|i| f64::from(u8::from(i / n == i % n))));
        m.rest.clear();
        m.rest.resize((n + 1) * n, 0.0);
        if solve_rows(&mut m.gram, n, &mut m.slopes, n) {
            m.rest[n..].iter_mut().zip(&m.slopes).for_each(|(rest, slope)| *rest = damping * slope);
        } else {
            m.slopes.fill(0.0);
            (0..n).for_each(|i| m.rest[(i + 1) * n + i] = 1.0);
        }
        if !solve_rows(&mut m.radial, n + 1, &mut m.rest, n) {
            m.rest.fill(0.0);
        }
        self.reaches.push(one_over as f32);
        for example in 0..n {
            self.factors.extend((0..n).map(|i| m.slopes[i * n + example] as f32));
            self.factors.extend((0..=n).map(|i| m.rest[i * n + example] as f32));
        }
    }

    /// The weights of all examples in the pose that was compared.
    #[inline]
    pub fn weights(&self, element: usize, pose: &mut Compared, out: &mut [f32]) {
        let n = self.examples;
        let list = self.concerns.of(element);
        let one_over = f64::from(self.reaches[element]);
        for slot in 0..=n {
            pose.distances[slot] = bump(seen(list, &pose.squares, n + 1, slot).sqrt() * one_over);
        }
        (0..n).for_each(|slot| pose.dots[slot] = seen(list, &pose.products, n, slot));
        let all = &self.factors[element * n * (2 * n + 1)..(element + 1) * n * (2 * n + 1)];
        for (out, factors) in out.iter_mut().zip(all.chunks_exact(2 * n + 1)) {
            let (slopes, bumps) = factors.split_at(n);
            let times = |some: &[f32], values: &[f64]| {
                some.iter().zip(values).map(|(f, v)| f64::from(*f) * v).sum::<f64>()
            };
            *out = (times(slopes, &pose.dots) + times(bumps, &pose.distances)) as f32;
        }
    }
}

/// Room for fitting one element.
#[derive(Default)]
struct Fit {
    gram: Vec<f64>,
    slopes: Vec<f64>,
    radial: Vec<f64>,
    rest: Vec<f64>,
}

/// A radial function: one in the middle, smooth, falling to nothing; with it any poses can be told apart.
#[inline]
fn bump(distance: f64) -> f64 {
    let x = 3_f64.sqrt() * distance;
    (1.0 + x) * (-x).exp()
}

/// A sum over joints as an element sees it, of a table with so many columns whose last row is the sum of all.
#[inline]
fn seen(concerns: &[Concern], table: &[f64], width: usize, column: usize) -> f64 {
    let all = table[table.len() - width + column];
    let own = concerns.iter().map(|c| f64::from(c.share) * table[c.joint as usize * width + column]);
    own.sum::<f64>() / WHOLE + TUNING.elsewhere * all
}

/// How much the turns of joints concern an element: those of joints that carry it and of their children.
fn concerns(tree: &Tree, influences: &[(u32, f32)]) -> Vec<Concern> {
    let mut out: Vec<(u32, f32)> = Vec::new();
    for &(joint, share) in influences {
        if joint as usize != tree.root {
            add_share(&mut out, joint, share);
        }
        tree.children[joint as usize].iter().for_each(|&child| add_share(&mut out, child as u32, share));
    }
    let concern = |(joint, share): (u32, f32)| Concern {
        joint: joint as u16,
        share: (f64::from(share) * WHOLE).round().min(WHOLE) as u16,
    };
    out.into_iter().map(concern).filter(|concern| concern.share > 0).collect()
}

#[cfg(test)]
#[path = "../../tests/unit/deform_pose_space.rs"]
mod tests;
