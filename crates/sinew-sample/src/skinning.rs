//! How flesh follows bone.
//!
//! Every vertex turns by the mean rotation of its bones about a point inside the limb, so that limbs keep
//! their thickness where they bend. On top come things that no bones do: breath, thighs that swell when
//! the knee bends, a belly that lags behind, a tail tip that quivers. A fit of plain bones therefore has
//! an honest error.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3, Vec3};
use rayon::prelude::*;

use crate::gait::Moment;
use crate::shape::Body;
use crate::skeleton::{AXIS, Bone, LEGS, along, axis_length, nearest_on_axis};

/// How far, in metres, a bone reaches beyond the distance of the nearest one.
const REACH: f64 = 0.13;
/// Rounds of smoothing of the weights over the surface.
const SMOOTHING: usize = 6;

/// What moves one vertex of the body.
#[derive(Clone)]
pub(super) struct Tie {
    /// Bones and their weights, which sum to one.
    weights: Vec<(usize, f64)>,
    /// The point inside the limb that it turns about.
    center: DVec3,
    normal: DVec3,
    /// How much it takes part in breathing, in the lag of the belly, in the quiver of the tail, and in
    /// the swelling of each thigh.
    breath: f64,
    lag: f64,
    quiver: f64,
    thighs: [f64; 4],
}

/// Ties each vertex of the body to its bones.
pub(super) fn tie(body: &Body, bones: &[Bone], positions: &[DVec3], around: &[Vec<u32>]) -> Vec<Tie> {
    let mut dense: Vec<Vec<f64>> = positions.par_iter().map(|&p| weights_at(body, bones.len(), p)).collect();
    for _ in 0..SMOOTHING {
        let old = dense.clone();
        for (v, row) in dense.iter_mut().enumerate() {
            for (b, w) in row.iter_mut().enumerate() {
                let sum: f64 = around[v].iter().map(|&n| old[n as usize][b]).sum();
                *w = 0.5 * old[v][b] + 0.5 * sum / around[v].len() as f64;
            }
        }
    }
    positions.iter().zip(&dense).map(|(&p, row)| tie_one(body, bones, p, row)).collect()
}

/// Weights that fall from the nearest bone's to nothing over [`REACH`].
fn weights_at(body: &Body, bone_count: usize, p: DVec3) -> Vec<f64> {
    let mut distance = vec![f64::INFINITY; bone_count];
    for c in &body.capsules {
        distance[c.bone] = distance[c.bone].min(c.distance(p));
    }
    let nearest = distance.iter().copied().fold(f64::INFINITY, f64::min);
    let mut out: Vec<f64> = distance.iter().map(|d| (1.0 - (d - nearest) / REACH).max(0.0).powi(3)).collect();
    let sum: f64 = out.iter().sum();
    for w in &mut out {
        *w /= sum;
    }
    out
}

fn tie_one(body: &Body, bones: &[Bone], p: DVec3, row: &[f64]) -> Tie {
    let mut weights: Vec<(usize, f64)> = row.iter().copied().enumerate().filter(|&(_, w)| w > 1e-4).collect();
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let sum: f64 = weights.iter().map(|w| w.1).sum();
    let mut center = DVec3::ZERO;
    for (bone, w) in &mut weights {
        *w /= sum;
        let Bone { head, tail, .. } = bones[*bone];
        center += *w * head.lerp(tail, along(head, tail, p));
    }
    let bump = |at: DVec3, radius: f64| (-(p - at).length_squared() / (radius * radius)).exp();
    let place = nearest_on_axis(p);
    Tie {
        weights,
        center,
        normal: body.normal(p),
        breath: bump(DVec3::new(0.0, 0.55, 0.02), 0.30),
        lag: bump(DVec3::new(0.0, 0.36, -0.03), 0.22),
        quiver: if p.z < AXIS[9].z {
            ((place.length / axis_length() - 0.6) / 0.4).max(0.0).powi(2)
        } else {
            0.0
        },
        thighs: std::array::from_fn(|i| {
            let [hip, knee, ..] = LEGS[i].joints.map(|j| LEGS[i].mirror(j));
            let bulge = hip.lerp(knee, 0.45) + DVec3::new(0.10 * LEGS[i].side, 0.0, 0.07 * LEGS[i].knee);
            bump(bulge, 0.11)
        }),
    }
}

/// The tie of a separate piece: that of the body's vertex nearest to `anchor`. All of the piece follows
/// it as one.
pub(super) fn anchor(positions: &[DVec3], ties: &[Tie], at: DVec3) -> Tie {
    let distance = |i: usize| positions[i].distance_squared(at);
    let nearest = (0..positions.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    ties[nearest.unwrap_or(0)].clone()
}

/// All vertices at one moment. `ties` has as many entries as `rest`.
pub(super) fn pose(rest: &[DVec3], ties: &[&Tie], moment: &Moment) -> Vec<Vec3> {
    let turns: Vec<DQuat> = moment.bones.iter().map(|t| DQuat::from_mat3(&t.matrix3)).collect();
    let place = |(&p, tie): (&DVec3, &&Tie)| tie.follow(p + tie.flesh(moment), moment, &turns).as_vec3();
    rest.par_iter().zip(ties).with_min_len(256).map(place).collect()
}

impl Tie {
    /// How the flesh is displaced before bones move it.
    fn flesh(&self, moment: &Moment) -> DVec3 {
        let t = TAU * moment.time;
        let swell: f64 = self.thighs.iter().zip(moment.knees).map(|(m, knee)| m * knee.max(0.0)).sum();
        let breath = 0.013 * self.breath * (t - 0.6).sin();
        let lag = 0.012 * self.lag * (4.0 * t - 2.2).sin();
        let quiver = 0.022 * self.quiver * (6.0 * t - 9.0 * self.quiver).sin();
        (breath + 0.030 * swell) * self.normal + lag * DVec3::Y + quiver * DVec3::X
    }

    fn follow(&self, p: DVec3, moment: &Moment, turns: &[DQuat]) -> DVec3 {
        let first = turns[self.weights[0].0];
        let (mut rotation, mut center) = (DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DVec3::ZERO);
        for &(bone, w) in &self.weights {
            // Both signs of a quaternion are the same rotation: take the one on the first bone's side.
            let sign = if turns[bone].dot(first) < 0.0 { -w } else { w };
            rotation += turns[bone] * sign;
            center += w * moment.bones[bone].transform_point3(self.center);
        }
        center + rotation.normalize() * (p - self.center)
    }

    /// Where plain linear blending of the same bones would put the vertex.
    #[cfg(test)]
    pub fn linear(&self, p: DVec3, moment: &Moment) -> DVec3 {
        self.weights.iter().map(|&(bone, w)| w * moment.bones[bone].transform_point3(p)).sum()
    }
}
