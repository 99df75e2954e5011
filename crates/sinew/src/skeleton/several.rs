//! Several bodies in one mesh.
//!
//! Pieces of a surface that touch are one body, and so are those that stay near each other: a helmet floats over its head.
//! What is left apart and is large is a body of its own.

use super::{SeveralTuning, TUNING};
use crate::geometry::union_find::{join, root};
use crate::segment::SurfaceSamples;

const TUNED: SeveralTuning = TUNING.several;

/// How many bodies there are.
pub(super) fn bodies(samples: &SurfaceSamples) -> usize {
    let n = samples.rest.len();
    let mut roots: Vec<u32> = (0..n as u32).collect();
    for &[a, b, c] in samples.motion().triangles {
        join(&mut roots, a, b);
        join(&mut roots, b, c);
    }
    let near = TUNED.near.max(TUNED.near_points * samples.spacing);
    for a in 0..n {
        for (b, far) in samples.distances[a * n..(a + 1) * n].iter().enumerate().take(a) {
            if *far < near {
                join(&mut roots, a as u32, b as u32);
            }
        }
    }
    let mut sizes = vec![0_usize; n];
    (0..n as u32).for_each(|v| sizes[root(&mut roots, v) as usize] += 1);
    sizes.iter().filter(|size| **size as f64 >= TUNED.least * n as f64).count().max(1)
}
