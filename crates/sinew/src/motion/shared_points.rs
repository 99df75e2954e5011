//! Points that two bones share, learned from the rig's own motion, and the translations that keep them
//! together.
//!
//! If bones a and b are joined at c, then M_a c + t_a = M_b c + t_b in every frame. For each two bones the c
//! is found that comes nearest to that, a 3×3 system; how far it slips in spite of that tells how much the
//! pair is to be trusted. A pair whose bones never turn against each other says nothing about c; then it is
//! where the bones touch.

use glam::{DMat3, DVec3};

use super::contacts::Contact;
use super::error::TranslationError;
use super::rig_motion::RigMotion;
use super::tuning::{TUNING, TranslationTuning};
use crate::geometry::union_find::join;
use crate::progress::{Cancelled, Progress, map_in_parallel};
use crate::rig::Skeleton;
use crate::skeleton::rooted;
use crate::solve::dense::{cholesky, cholesky_solve_rows};

/// A point that two bones share.
#[derive(Clone, Copy)]
pub(super) struct Joint {
    pub bones: [usize; 2],
    /// Relative to the middle of the rest pose.
    pub at: DVec3,
    /// Squared slip, in units of the diagonal.
    pub slip: f64,
}

impl Joint {
    /// How much the joint counts beside others: twice the slip, a sixteenth of the weight, so that a bone
    /// hangs on the neighbours that it moves with and hardly on the others.
    fn weight(&self) -> f64 {
        1.0 / (self.slip * self.slip)
    }
}

/// The joints of all pairs of bones.
pub(super) fn joints(
    own: &RigMotion,
    contacts: &[Contact],
    progress: &dyn Progress,
) -> Result<Vec<Joint>, Cancelled> {
    map_in_parallel(progress, contacts.len(), |i| joint(own, &contacts[i]))
}

fn joint(own: &RigMotion, contact: &Contact) -> Joint {
    let TranslationTuning { hold_contact, far_contact, least_slip, .. } = TUNING.translations;
    let [a, b] = contact.bones;
    let from = contact.at - own.middle;
    let poses = own.len() as f64;
    let steps = || {
        (0..own.len()).map(|pose| {
            let (m, q) = (own.turns_of(pose), own.places_of(pose));
            (m[a] - m[b], q[b] - q[a])
        })
    };
    let mut matrix = DMat3::from_diagonal(DVec3::splat(hold_contact * poses));
    let mut right = from * (hold_contact * poses);
    for (turn, step) in steps() {
        matrix += turn.transpose() * turn;
        right += turn.transpose() * step;
    }
    let at = matrix.inverse() * right;
    let slip: f64 = steps().map(|(turn, step)| (turn * at - step).length_squared()).sum::<f64>() / poses;
    let far = far_contact * contact.apart;
    let squared = (slip + hold_contact * at.distance_squared(from) + far * far) / (own.unit * own.unit);
    Joint { bones: [a, b], at, slip: squared + least_slip * least_slip }
}

/// The joints of a skeleton. A further root is joined to the tree of the first where it slips least.
pub(super) fn of_skeleton(
    skeleton: &Skeleton,
    centers: &[DVec3],
    own: &RigMotion,
    all: Vec<Joint>,
) -> Vec<Joint> {
    let joint = |(bone, parent)| Joint { bones: [parent, bone], at: centers[bone] - own.middle, slip: 1.0 };
    let mut joints: Vec<Joint> = skeleton.links().map(joint).collect();
    let ends = joints.iter().map(|joint| joint.bones).collect();
    joints.extend(tree_joints(own.bones, all, ends).into_iter().map(|joint| Joint { slip: 1.0, ..joint }));
    joints
}

/// The joints that tie all bones to one tree, least slip first, beside given ones.
fn tree_joints(bones: usize, mut all: Vec<Joint>, given: Vec<[usize; 2]>) -> Vec<Joint> {
    let mut roots: Vec<u32> = (0..bones as u32).collect();
    let mut tie = |[a, b]: [usize; 2]| join(&mut roots, a as u32, b as u32);
    given.into_iter().for_each(|pair| _ = tie(pair));
    all.sort_by(|a, b| a.slip.total_cmp(&b.slip).then(a.bones.cmp(&b.bones)));
    all.retain(|joint| tie(joint.bones));
    all
}

/// The bone that each bone hangs on if the one in the middle is held, and that one.
pub(super) fn hanging_on_middle(own: &RigMotion, all: &[Joint]) -> (Vec<Option<usize>>, usize) {
    let held = middle_bone(&hanging(own.bones, all.to_vec(), 0), &own.masses);
    (hanging(own.bones, all.to_vec(), held), held)
}

/// The bone that each bone hangs on if `root` is held: the tree of least slip.
fn hanging(bones: usize, all: Vec<Joint>, root: usize) -> Vec<Option<usize>> {
    let links: Vec<[usize; 2]> = tree_joints(bones, all, Vec::new()).iter().map(|j| j.bones).collect();
    rooted(&links, bones, root)
}

/// The bone in the middle of a tree: cut off there, no branch carries more than half of the surface. Bones at
/// the ends, a head or a hoof, move most when they are held and something between turns.
fn middle_bone(parents: &[Option<usize>], masses: &[f64]) -> usize {
    let mut carried = vec![0.0; parents.len()];
    for (bone, mass) in masses.iter().enumerate() {
        std::iter::successors(Some(bone), |&bone| parents[bone]).for_each(|above| carried[above] += mass);
    }
    let half = 0.5 * masses.iter().sum::<f64>();
    // The farthest from the root of those that carry more than half: they lie on one way down.
    let heavy = (0..parents.len()).filter(|&bone| carried[bone] > half);
    let root = parents.iter().position(Option::is_none).unwrap_or(0);
    heavy.min_by(|&a, &b| carried[a].total_cmp(&carried[b])).unwrap_or(root)
}

/// Normal equations for places q of the bones: matrix · q = Σ_k M_k right_k, where only differences of places
/// matter.
pub(super) struct System {
    pub bones: usize,
    /// bones × bones.
    pub matrix: Vec<f64>,
    /// What each bone k adds to the right side of each row: bones × bones.
    pub right: Vec<DVec3>,
}

impl System {
    pub fn new(bones: usize) -> Self {
        Self { bones, matrix: vec![0.0; bones * bones], right: vec![DVec3::ZERO; bones * bones] }
    }

    /// Adds q_b − q_a = (M_a − M_b) c for each joint, all weights times `scale`.
    pub fn add_joints(&mut self, joints: &[Joint], scale: f64) {
        let n = self.bones;
        for joint in joints {
            let ([a, b], w) = (joint.bones, scale * joint.weight());
            for (row, sign) in [(a, -w), (b, w)] {
                self.matrix[row * n + row] += w;
                self.matrix[row * n + a + b - row] -= w;
                self.right[row * n + a] += joint.at * sign;
                self.right[row * n + b] -= joint.at * sign;
            }
        }
    }

    /// Mean of the diagonal.
    pub fn size(&self) -> f64 {
        (0..self.bones).map(|i| self.matrix[i * self.bones + i]).sum::<f64>() / self.bones as f64
    }

    /// Solves for all that is on the right at once, columns of vectors `further` included, with the place of `held` at
    /// zero: what each bone's turn adds to each place.
    pub fn solve(mut self, held: usize, further: &mut [DVec3]) -> Result<Vec<DVec3>, TranslationError> {
        let n = self.bones;
        // Only differences matter, so any weight that ties one place to zero leaves the rest as it was.
        self.matrix[held * n + held] += self.size().max(f64::MIN_POSITIVE);
        if !cholesky(&mut self.matrix, n) {
            return Err(TranslationError::Undetermined);
        }
        for columns in [&mut self.right[..], further].into_iter().filter(|columns| columns.len() >= n) {
            let width = 3 * columns.len() / n;
            cholesky_solve_rows(&self.matrix, n, bytemuck::cast_slice_mut(columns), width);
        }
        Ok(self.right)
    }
}
