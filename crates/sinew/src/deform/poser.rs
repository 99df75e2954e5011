//! Posing: from the turns of the joints to the places of the vertices.

use glam::{DMat3, DVec3, Vec3};

use super::anchors::Blend;
use super::dirichlet::NONE;
use super::examples::Examples;
use super::field::transformation;
use super::offsets::held_offset;
use super::space::Compared;
use super::tree::Turned;
use super::{Deformer, Pose};
use crate::geometry::substitution::Row;

/// Poses a character without allocating. Each thread wants its own.
pub struct Poser<'a> {
    deformer: &'a Deformer,
    turned: Turned,
    compared: Compared,
    /// Weights of the examples at one element.
    weights: Vec<f32>,
    blended: Vec<Blend>,
    rows: Vec<Row>,
    displaced: Vec<DVec3>,
    gaps: Vec<DVec3>,
}

impl<'a> Poser<'a> {
    pub(super) fn new(deformer: &'a Deformer) -> Self {
        let Deformer { frame, examples, .. } = deformer;
        Self {
            deformer,
            turned: Turned::default(),
            compared: Compared::default(),
            weights: vec![0.0; examples.count],
            blended: vec![[0.0; 9]; examples.correction.len()],
            rows: vec![[0.0; 4]; frame.stitch.slots()],
            displaced: vec![DVec3::ZERO; frame.stitch.held.len()],
            gaps: vec![DVec3::ZERO; frame.tree.joints.len()],
        }
    }

    /// Writes the shape of a pose into `out`.
    ///
    /// # Panics
    /// When the pose is of another skeleton or `out` has not as many slots as there are vertices.
    pub fn pose_into(&mut self, pose: &Pose, out: &mut [Vec3]) {
        let Deformer { frame, examples, .. } = self.deformer;
        let joints = frame.tree.joints.len();
        assert_eq!((pose.turns.len(), pose.places.len()), (joints, joints), "a turn and a place per joint");
        assert_eq!(out.len(), frame.surface.point_of.len(), "one slot per vertex");
        self.turned.set(&frame.tree, &frame.blends, pose);
        if examples.count > 0 {
            self.compared.set(&self.turned.turns[..joints], &examples.turns);
            examples.correction.blend(&mut self.compared, &mut self.weights, &mut self.blended);
        }
        self.rows.fill([0.0; 4]);
        for triangle in 0..frame.blends.len() {
            let change = self.gradient(triangle) - DMat3::IDENTITY;
            frame.stitch.add_triangle(triangle, &change, &mut self.rows);
        }
        self.add_links();
        self.hold();
        frame.stitch.solve(&self.displaced, &mut self.rows);
        self.measure_gaps();
        self.finish(out);
    }

    /// T of a triangle, seen from the root: eq. 4, and what the bend adds.
    #[inline]
    fn gradient(&self, triangle: usize) -> DMat3 {
        let Deformer { frame, examples, .. } = self.deformer;
        let (plain, bend) = frame.blends.of(triangle, &self.turned);
        if examples.count == 0 {
            return DMat3::from_quat(plain) * (DMat3::IDENTITY + bend);
        }
        let [x, y, z, skew @ ..] = examples.correction.share(triangle, &self.blended).map(f64::from);
        DMat3::from_quat(plain) * (transformation(DVec3::new(x, y, z), skew) + bend)
    }

    fn add_links(&mut self) {
        let Deformer { frame, examples, .. } = self.deformer;
        for (number, link) in frame.links.iter().enumerate() {
            let triangle = link.triangle as usize;
            let change = self.gradient(triangle) - DMat3::IDENTITY;
            let mut offset = DVec3::ZERO;
            if examples.count > 0 {
                let joint = frame.influences.of(triangle)[0].0 as usize;
                examples.joints.weights(joint, &mut self.compared, &mut self.weights);
                let own = Examples::offset(&examples.links, number, &self.weights);
                offset = frame.blends.of(triangle, &self.turned).0 * own;
            }
            frame.stitch.add_link(number, &change, offset, &mut self.rows);
        }
    }

    /// Displacements of the held points.
    fn hold(&mut self) {
        let Deformer { frame, examples, .. } = self.deformer;
        let mut last = NONE;
        for (number, &(point, joint)) in frame.stitch.held.iter().enumerate() {
            let place = frame.surface.place(point);
            let mut held = self.turned.carried(&frame.tree, joint as usize, place) - place;
            if examples.count > 0 {
                if joint != last {
                    examples.joints.weights(joint as usize, &mut self.compared, &mut self.weights);
                    last = joint;
                }
                let own = held_offset(&examples.held, number, &self.weights);
                held += self.turned.world[joint as usize] * own;
            }
            self.displaced[number] = held;
        }
    }

    fn displacement(&self, point: u32) -> DVec3 {
        let [x, y, z, _] = self.rows[self.deformer.frame.stitch.slot_of[point as usize] as usize];
        DVec3::new(x, y, z)
    }

    /// How far the handles are from where their joints take them.
    fn measure_gaps(&mut self) {
        let Deformer { frame, examples, follow } = self.deformer;
        for joint in 0..self.gaps.len() {
            self.gaps[joint] = DVec3::ZERO;
            let place = |p: u32| frame.surface.place(p) + self.displacement(p);
            let Some((rest, posed)) = frame.means(frame.handle(joint), place).filter(|_| *follow > 0.0)
            else {
                continue;
            };
            let mut wanted = self.turned.carried(&frame.tree, joint, rest);
            if examples.count > 0 {
                examples.joints.weights(joint, &mut self.compared, &mut self.weights);
                wanted +=
                    self.turned.world[joint] * Examples::offset(&examples.handles, joint, &self.weights);
            }
            self.gaps[joint] = *follow * (wanted - posed);
        }
    }

    /// Closes the gaps and brings the shape to where the root is.
    fn finish(&self, out: &mut [Vec3]) {
        let Deformer { frame, follow, .. } = self.deformer;
        let (turn, place) = self.turned.whole;
        let (turn, root) = (DMat3::from_quat(turn), frame.tree.joints[frame.tree.root]);
        let shift = place - turn * root;
        for (out, &point) in out.iter_mut().zip(&frame.surface.point_of) {
            let mut p = frame.surface.place(point) + self.displacement(point);
            if *follow > 0.0 {
                for &(joint, share) in frame.points.of(point as usize) {
                    p += f64::from(share) * self.gaps[joint as usize];
                }
            }
            *out = (turn * p + shift).as_vec3();
        }
    }
}
