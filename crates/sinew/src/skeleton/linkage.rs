//! A part between two others that was missed.
//!
//! A thigh of which nearly all vertices follow hip and shin alike can go unnoticed; then the shin hangs on the hip
//! and no joint between the two holds still on both. Yet a point of the hip and a point of the shin keep their
//! distance: the ends of the missed part. They are found by Gauss-Newton steps on the spread of that distance.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::{LinkageTuning, TUNING};
use crate::solve::dense::solve_rows;
use crate::solve::symmetric_eigen3;

const TUNED: LinkageTuning = TUNING.linkage;
const STEPS: usize = 20;

pub(super) struct Linkage {
    /// The end on the one part and the end on the other, in the rest pose.
    pub near: DVec3,
    pub far: DVec3,
    /// Turn of the part between in each frame, against the first of the two.
    pub turns: Vec<DMat3>,
}

/// The linkage between two parts, of which `transforms` carry the second relative to the first.
pub(super) fn between(transforms: &[DAffine3], contact: DVec3) -> Option<Linkage> {
    let best = tried(transforms)
        .iter()
        .filter_map(|axis| descend(transforms, contact, contact + *axis * TUNED.tried))
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (_, near, far) = best;
    let rest = (far - near).try_normalize()?;
    let turns = transforms
        .iter()
        .map(|t| {
            let now = (t.transform_point3(far) - near).normalize_or(rest);
            DMat3::from_quat(DQuat::from_rotation_arc(rest, now))
        })
        .collect();
    Some(Linkage { near, far, turns })
}

/// Directions to try, three axes both ways: those that the turns between the two parts move most and least, so that they
/// turn along with the body.
fn tried(transforms: &[DAffine3]) -> [DVec3; 6] {
    let mut turned = DMat3::ZERO;
    for t in transforms {
        let off = t.matrix3 - DMat3::IDENTITY;
        turned += off.transpose() * off;
    }
    let (_, axes) = symmetric_eigen3(turned);
    let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis];
    [x, y, z, -x, -y, -z]
}

/// Lowers the spread from given ends. Returns the cost and the ends.
fn descend(transforms: &[DAffine3], contact: DVec3, far: DVec3) -> Option<(f64, DVec3, DVec3)> {
    let count = transforms.len() as f64;
    let (mut near, mut far) = (contact * 2.0 - far, far);
    let cost_of = |near: DVec3, far: DVec3| {
        let lengths: Vec<f64> = transforms.iter().map(|t| t.transform_point3(far).distance(near)).collect();
        let mean = lengths.iter().sum::<f64>() / count;
        let spread = lengths.iter().map(|l| (l - mean) * (l - mean)).sum::<f64>() / count;
        (spread + TUNED.hold * (near.distance_squared(contact) + far.distance_squared(contact)), mean)
    };
    let (mut cost, mut mean) = cost_of(near, far);
    let mut damping = 1e-4;
    for _ in 0..STEPS {
        let mut matrix = [0.0; 49];
        let mut right = [0.0; 7];
        for t in transforms {
            let off = t.transform_point3(far) - near;
            let length = off.length();
            let along = off / length.max(1e-9);
            let back = t.matrix3.transpose() * along;
            let row = [-along.x, -along.y, -along.z, back.x, back.y, back.z, -1.0];
            for i in 0..7 {
                right[i] -= row[i] * (length - mean) / count;
                (0..7).for_each(|j| matrix[i * 7 + j] += row[i] * row[j] / count);
            }
        }
        let pulls = [contact - near, contact - far];
        for i in 0..6 {
            matrix[i * 8] += TUNED.hold + damping;
            right[i] += TUNED.hold * pulls[i / 3][i % 3];
        }
        matrix[48] += 1e-9;
        if !solve_rows(&mut matrix, 7, &mut right, 1) {
            return None;
        }
        let next = (near + DVec3::from_slice(&right[..3]), far + DVec3::from_slice(&right[3..6]));
        let now = cost_of(next.0, next.1);
        if now.0 < cost {
            let gained = cost - now.0;
            (near, far) = next;
            (cost, mean) = now;
            damping *= 0.3;
            if gained < 1e-4 * cost {
                break;
            }
        } else {
            damping *= 10.0;
        }
    }
    Some((cost, near, far))
}
