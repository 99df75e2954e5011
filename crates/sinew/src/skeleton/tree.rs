//! Which bone hangs on which.

use glam::{DAffine3, DMat3, DVec3};

use super::blends::NOBODY;
use super::scene::Scene;

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

/// How strongly a joint is held to where regions meet: the squared slip that a joint as far off as the body is long
/// is worth; and how far off it may be before that grows.
const HOLD: f64 = 0.001;
const REACH: f64 = 0.08;
/// What being off costs, and what a gap between regions costs.
const PULL: f64 = 0.003;
const GAP: f64 = 1.0;

/// Links between all pairs of bones. `owner` is the bone whose region each point is in.
pub(super) fn links(scene: &Scene, owner: &[u32], bones: usize, transforms: &[DAffine3]) -> Vec<Link> {
    let mut met = vec![(DVec3::ZERO, 0.0); bones * bones];
    for &[u, v] in &scene.sketch.edges {
        let (u, v) = (u as usize, v as usize);
        let (a, b) = (owner[u].min(owner[v]) as usize, owner[u].max(owner[v]) as usize);
        if a != b && owner[u] != NOBODY && owner[v] != NOBODY {
            let sum = &mut met[a * bones + b];
            sum.0 += 0.5 * (scene.rest[u] + scene.rest[v]);
            sum.1 += 1.0;
        }
    }
    let mut members = vec![Vec::new(); bones];
    for (v, &bone) in owner.iter().enumerate().filter(|(_, o)| **o != NOBODY) {
        members[bone as usize].push(v);
    }
    let mut links = Vec::new();
    for a in 0..bones {
        for b in a + 1..bones {
            let (sum, total) = met[a * bones + b];
            let found = if total > 0.0 {
                Some((sum / total, 0.0))
            } else {
                nearest_approach(scene, &members[a], &members[b])
            };
            if let Some((contact, gap)) = found {
                links.push(link([a, b], contact, gap, bones, transforms));
            }
        }
    }
    links
}

/// Where two regions come nearest and how far they stay apart.
fn nearest_approach(scene: &Scene, a: &[usize], b: &[usize]) -> Option<(DVec3, f64)> {
    let n = scene.rest.len();
    let pairs = || a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
    let nearest = pairs().map(|(i, j)| scene.distances[i * n + j]).fold(f32::INFINITY, f32::min);
    if !nearest.is_finite() {
        return None;
    }
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for (i, j) in pairs() {
        let off = (scene.distances[i * n + j] - nearest) / scene.spacing;
        if off < 3.0 {
            let w = f64::from((-off * off).exp());
            sum += 0.5 * (scene.rest[i] + scene.rest[j]) * w;
            total += w;
        }
    }
    Some((sum / total, f64::from((nearest - scene.spacing).max(0.0))))
}

fn link([a, b]: [usize; 2], contact: DVec3, gap: f64, bones: usize, transforms: &[DAffine3]) -> Link {
    let frames = transforms.len() / bones;
    let apart = |t: usize| {
        let (one, other) = (&transforms[t * bones + a], &transforms[t * bones + b]);
        (one.matrix3 - other.matrix3, other.translation - one.translation)
    };
    let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for t in 0..frames {
        let (turned, shifted) = apart(t);
        matrix += turned.transpose() * turned;
        right += turned.transpose() * shifted;
    }
    let mut joint = contact;
    for _ in 0..4 {
        let off = joint.distance(contact) / REACH;
        let hold = HOLD * frames as f64 * (1.0 + off.powi(4)).min(1e3);
        let held = matrix + DMat3::from_diagonal(DVec3::splat(hold));
        joint = 0.5 * (joint + held.inverse() * (right + contact * hold));
    }
    let slip: f64 = (0..frames).map(apart).map(|(m, d)| (m * joint - d).length_squared()).sum();
    let slip = slip / frames as f64;
    let cost = (slip + PULL * joint.distance_squared(contact)).sqrt() + GAP * gap;
    Link { bones: [a, b], joint, contact, cost }
}

/// The tree of least cost.
pub(super) fn spanning(links: &[Link], bones: usize) -> Vec<Link> {
    let mut order: Vec<&Link> = links.iter().collect();
    order.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.bones.cmp(&b.bones)));
    let mut group: Vec<usize> = (0..bones).collect();
    let mut tree = Vec::new();
    for link in order {
        let [a, b] = link.bones.map(|b| group[b]);
        if a != b {
            group.iter_mut().filter(|g| **g == a).for_each(|g| *g = b);
            tree.push(*link);
        }
    }
    tree
}
