//! Where the heat of a pose comes from: for every vertex the nearest bones it can see.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::{Body, inwards};
use crate::geometry::closest::closest_on_segment;
use crate::geometry::laplacian::Laplacian;
use crate::geometry::triangle_bvh::PosedBvh;
use crate::progress::{Cancelled, Progress};

/// Bones further away than the nearest by no more than this factor count as equally near.
const EQUALLY_NEAR: f64 = 1.0 + 1e-4;
/// When the nearest bone is hidden, those up to so many times as far may stand in for it. Further ones are
/// not what the vertex hangs on; heat comes to it over the surface.
const FURTHEST: f64 = 4.0;
/// Bones nearer than this share of the body's size heat no more than one that near.
const NEAREST: f64 = 1e-4;
/// Vertices have at least this share of the mean area.
const LEAST_AREA: f64 = 1e-6;
/// The least heat that a piece gets in all, against weights of edges of about one: enough for the system to
/// be solved, too little to matter where there is more.
const LEAST_HEAT: f64 = 1e-3;

/// How strongly each vertex is tied to which bones.
pub struct Sources {
    /// Area times c/d², 0 for vertices that see no bone.
    pub heat: Vec<f64>,
    /// The bones that heat each vertex, in equal parts.
    pub bones: Vec<Vec<u32>>,
}

/// One pose of a body, its bones within it.
struct Pose<'a> {
    body: &'a Body,
    places: &'a [DVec3],
    tree: PosedBvh<'a>,
    /// Which side of each piece's faces is inside.
    sides: Vec<f64>,
    bones: &'a [u32],
    lines: &'a [[DVec3; 2]],
}

impl Sources {
    /// The sources of a pose with the given Laplacian; `heat` is the constant c.
    pub fn new(
        body: &Body,
        positions: &[Vec3],
        laplacian: &Laplacian,
        bones: &[u32],
        lines: &[[DVec3; 2]],
        heat: f64,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let places: Vec<DVec3> = positions.iter().map(|p| p.as_dvec3()).collect();
        let tree = body.tree.posed(&places);
        let sides = inwards::sides(body, &places, &laplacian.areas);
        let pose = Pose { body, places: &places, tree, sides, bones, lines };
        let count = places.len();
        let mut near: Vec<(f64, Vec<u32>)> = (0..count)
            .into_par_iter()
            .map_init(Vec::new, |order, v| {
                progress.check()?;
                Ok(pose.nearest(v, order, true))
            })
            .collect::<Result<_, Cancelled>>()?;
        // Pieces out of sight of all bones, such as a hat or an eye, take what is nearest.
        let mut warm = vec![false; count];
        (0..count).filter(|&v| !near[v].1.is_empty()).for_each(|v| warm[body.piece[v] as usize] = true);
        let mut order = Vec::new();
        for v in (0..count).filter(|&v| !warm[body.piece[v] as usize]) {
            near[v] = pose.nearest(v, &mut order, false);
        }
        let total: f64 = laplacian.areas.iter().sum();
        let (size, least) = match total / count.max(1) as f64 {
            mean if mean > 0.0 => (total, LEAST_AREA * mean),
            // All triangles have collapsed: any area will do.
            _ => (0.0, 1.0),
        };
        let nearest = (NEAREST * NEAREST * size).max(f64::MIN_POSITIVE);
        let flow = |(v, (squared, bones)): (usize, &(f64, Vec<u32>))| match bones.len() {
            0 => 0.0,
            _ => heat * laplacian.areas[v].max(least) / squared.max(nearest),
        };
        let heat = with_least_heat(near.iter().enumerate().map(flow).collect(), &body.piece);
        Ok(Self { heat, bones: near.into_iter().map(|(_, bones)| bones).collect() })
    }
}

/// Scales the heat of pieces that get next to none.
fn with_least_heat(mut heat: Vec<f64>, piece: &[u32]) -> Vec<f64> {
    let mut sums = vec![0.0; heat.len()];
    heat.iter().zip(piece).for_each(|(heat, &p)| sums[p as usize] += heat);
    for (heat, &p) in heat.iter_mut().zip(piece) {
        if sums[p as usize] < LEAST_HEAT {
            *heat *= LEAST_HEAT / sums[p as usize];
        }
    }
    heat
}

impl Pose<'_> {
    /// The nearest bones of a vertex, among those it sees if so asked, and their squared distance.
    fn nearest(&self, v: usize, order: &mut Vec<(f64, u32)>, seen: bool) -> (f64, Vec<u32>) {
        let p = self.places[v];
        order.clear();
        order.extend(
            (0_u32..).zip(self.lines).map(|(i, line)| (p.distance_squared(closest_on_segment(p, *line)), i)),
        );
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut bones = Vec::new();
        let Some(&(least, _)) = order.first() else { return (0.0, bones) };
        let mut found = None;
        let mut limit = least * FURTHEST * FURTHEST;
        for &(squared, line) in order.iter() {
            if squared > limit {
                break;
            }
            let bone = self.bones[line as usize];
            if bones.contains(&bone)
                || seen && !self.sees(v, closest_on_segment(p, self.lines[line as usize]))
            {
                continue;
            }
            bones.push(bone);
            if found.is_none() {
                found = Some(squared);
                limit = squared * EQUALLY_NEAR * EQUALLY_NEAR;
            }
        }
        (found.unwrap_or(0.0), bones)
    }

    /// Whether the way from a vertex to a point starts inwards and does not leave the vertex' piece. Other
    /// pieces do not hide it: a coat is not torn from the body within it.
    fn sees(&self, v: usize, point: DVec3) -> bool {
        let p = self.places[v];
        let piece = self.body.piece[v];
        let counts = |t: &[u32; 3]| !t.contains(&(v as u32)) && self.body.piece[t[0] as usize] == piece;
        let inwards = match self.sides[piece as usize] {
            0.0 => true,
            side => (side > 0.0) == inwards::leads_behind(self.body, self.places, v, point),
        };
        inwards && !self.tree.crosses(p, point, counts)
    }
}
