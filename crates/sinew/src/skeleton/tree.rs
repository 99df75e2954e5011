//! Which bone hangs on which: the spanning tree of pairs that slip least against each other (Kruskal).

use glam::{DMat3, DVec3};

use super::{Parts, TUNING, TreeTuning};
use crate::geometry::union_find::join;
use crate::segment::{NO_BONE, SurfaceSamples, members};

const TUNED: TreeTuning = TUNING.tree;

/// What two bones have to do with each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub bones: [usize; 2],
    /// Where they would be joined, in units.
    pub joint: DVec3,
    /// Middle of where their regions meet or come nearest.
    pub contact: DVec3,
    /// How bad a joint this would be.
    pub cost: f64,
}

/// Links between all pairs of bones. `owner` is the bone whose region each point is in.
pub(super) fn links(samples: &SurfaceSamples, owner: &[u32], parts: &Parts) -> Vec<Link> {
    let bones = parts.bones;
    let mut met = vec![(DVec3::ZERO, 0.0); bones * bones];
    for &[u, v] in &samples.edges {
        let (u, v) = (u as usize, v as usize);
        let (a, b) = (owner[u].min(owner[v]) as usize, owner[u].max(owner[v]) as usize);
        if a != b && owner[u] != NO_BONE && owner[v] != NO_BONE {
            let sum = &mut met[a * bones + b];
            sum.0 += 0.5 * (samples.rest[u] + samples.rest[v]);
            sum.1 += 1.0;
        }
    }
    let members = members(owner, bones);
    let mut links = Vec::new();
    for a in 0..bones {
        for b in a + 1..bones {
            let (sum, total) = met[a * bones + b];
            let found = if total > 0.0 {
                Some((sum / total, 0.0))
            } else {
                nearest_approach(samples, &members[a], &members[b])
            };
            if let Some((contact, gap)) = found {
                links.push(link([a, b], contact, gap, parts));
            }
        }
    }
    links
}

/// Where two regions come nearest and how far they stay apart.
fn nearest_approach(samples: &SurfaceSamples, a: &[u32], b: &[u32]) -> Option<(DVec3, f64)> {
    let n = samples.rest.len();
    let pairs = || a.iter().flat_map(|&i| b.iter().map(move |&j| (i as usize, j as usize)));
    let nearest = pairs().map(|(i, j)| samples.distances[i * n + j]).fold(f32::INFINITY, f32::min);
    if !nearest.is_finite() {
        return None;
    }
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for (i, j) in pairs() {
        let off = (samples.distances[i * n + j] - nearest) / samples.spacing;
        if off < 3.0 {
            let w = f64::from((-off * off).exp());
            sum += 0.5 * (samples.rest[i] + samples.rest[j]) * w;
            total += w;
        }
    }
    Some((sum / total, f64::from((nearest - samples.spacing).max(0.0))))
}

fn link([a, b]: [usize; 2], contact: DVec3, gap: f64, parts: &Parts) -> Link {
    let Parts { bones, transforms, .. } = parts;
    let frames = transforms.len() / bones;
    let apart = |t: usize| {
        let (one, other) = (&transforms[t * bones + a], &transforms[t * bones + b]);
        (one.matrix3 - other.matrix3, other.translation - one.translation)
    };
    let joint = least_slip((0..frames).map(apart), contact);
    let slip: f64 = (0..frames).map(apart).map(|(m, d)| (m * joint - d).length_squared()).sum();
    let slip = slip / frames as f64;
    let cost = (slip + TUNED.pull * joint.distance_squared(contact)).sqrt() + TUNED.gap * gap;
    Link { bones: [a, b], joint, contact, cost }
}

/// Where two parts slip least against each other, held to where they meet. Of each frame how differently they are turned
/// and how much farther the second is shifted.
pub(super) fn least_slip(apart: impl Iterator<Item = (DMat3, DVec3)>, contact: DVec3) -> DVec3 {
    let (mut matrix, mut right, mut frames) = (DMat3::ZERO, DVec3::ZERO, 0.0);
    for (turned, shifted) in apart {
        matrix += turned.transpose() * turned;
        right += turned.transpose() * shifted;
        frames += 1.0;
    }
    let mut joint = contact;
    for _ in 0..4 {
        let off = joint.distance(contact) / TUNED.reach;
        let hold = TUNED.hold * frames * (1.0 + off.powi(4)).min(1e3);
        let held = matrix + DMat3::from_diagonal(DVec3::splat(hold));
        joint = 0.5 * (joint + held.inverse() * (right + contact * hold));
    }
    joint
}

/// The tree of least cost.
pub(super) fn spanning(mut links: Vec<Link>, bones: usize) -> Vec<Link> {
    links.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.bones.cmp(&b.bones)));
    let mut roots: Vec<u32> = (0..bones as u32).collect();
    links.retain(|link| join(&mut roots, link.bones[0] as u32, link.bones[1] as u32));
    links
}

/// Joints in an order in which parents come first, otherwise as they are.
pub(super) fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..parents.len()).filter(|&j| parents[j].is_none()).collect();
    let mut at = 0;
    while at < order.len() {
        let now = order[at];
        order.extend((0..parents.len()).filter(|&j| parents[j] == Some(now)));
        at += 1;
    }
    order
}
