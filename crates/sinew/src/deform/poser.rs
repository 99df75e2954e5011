//! Posing: from the turns of the joints to the places of the vertices.

use std::borrow::Borrow;

use glam::{DMat3, DVec3, Vec3};

use super::anchors::Blend;
use super::binding::Binding;
use super::dirichlet::NONE;
use super::examples::Examples;
use super::field::transformation;
use super::offsets::held_offset;
use super::pose_space::Compared;
use super::tree::Turned;
use super::{Deformer, Pose};
use crate::solve::substitution::Row;

/// Poses a character without allocating. Each thread wants its own. It borrows the character, or shares it: made of an
/// `Arc<Deformer>`, it may be kept anywhere.
pub struct Poser<D> {
    deformer: D,
    scratch: Scratch,
}

/// What is written anew for every pose.
struct Scratch {
    turned: Turned,
    compared: Compared,
    /// Weights of the examples at one element.
    weights: Vec<f32>,
    blended: Vec<Blend>,
    rows: Vec<Row>,
    displaced: Vec<DVec3>,
    gaps: Vec<DVec3>,
}

impl Deformer {
    /// Prepares to pose the character.
    pub fn poser(&self) -> Poser<&Self> {
        Poser::new(self)
    }

    /// The shape of one pose. For many, keep a [`Poser`].
    pub fn pose(&self, pose: &Pose) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; self.vertex_count()];
        self.poser().pose_into(pose, &mut out);
        out
    }
}

impl<D: Borrow<Deformer>> Poser<D> {
    /// Prepares to pose a character: a `&Deformer` or an `Arc<Deformer>`.
    pub fn new(deformer: D) -> Self {
        let Deformer { binding, examples, .. } = deformer.borrow();
        let scratch = Scratch {
            turned: Turned::default(),
            compared: Compared::default(),
            weights: vec![0.0; examples.count],
            blended: vec![[0.0; 9]; examples.correction.len()],
            rows: vec![[0.0; 4]; binding.surface.len()],
            displaced: vec![DVec3::ZERO; binding.stitch.held.len()],
            gaps: vec![DVec3::ZERO; binding.tree.joints.len()],
        };
        Self { deformer, scratch }
    }

    /// Writes the shape of a pose into `out`.
    ///
    /// # Panics
    /// When the pose is of another skeleton or `out` has not as many slots as there are vertices.
    pub fn pose_into(&mut self, pose: &Pose, out: &mut [Vec3]) {
        self.scratch.pose(self.deformer.borrow(), pose, out);
    }
}

impl Scratch {
    fn pose(&mut self, deformer: &Deformer, pose: &Pose, out: &mut [Vec3]) {
        let Deformer { binding, examples, .. } = deformer;
        let joints = binding.tree.joints.len();
        assert_eq!((pose.turns.len(), pose.places.len()), (joints, joints), "a turn and a place per joint");
        assert_eq!(out.len(), binding.surface.point_of.len(), "one slot per vertex");
        self.turned.set(&binding.tree, &binding.blends.pairs, &binding.blends.lines, pose);
        if examples.count > 0 {
            self.compared.set(&self.turned.turns[..joints], &examples.turns);
            examples.correction.blend(&mut self.compared, &mut self.weights, &mut self.blended);
        }
        self.rows.fill([0.0; 4]);
        for triangle in 0..binding.blends.len() {
            let change = self.gradient(deformer, triangle) - DMat3::IDENTITY;
            binding.stitch.add_triangle(triangle, &change, &mut self.rows);
        }
        self.add_links(deformer);
        self.hold(deformer);
        binding.stitch.solve(&self.displaced, &mut self.rows);
        self.measure_gaps(deformer);
        self.finish(deformer, out);
    }

    /// T of a triangle, seen from the root: eq. 4, and what the bend adds.
    #[inline]
    fn gradient(&self, deformer: &Deformer, triangle: usize) -> DMat3 {
        let Deformer { binding, examples, .. } = deformer;
        let (plain, bend) = binding.blends.of(triangle, &self.turned);
        if examples.count == 0 {
            return DMat3::from_quat(plain) * (DMat3::IDENTITY + bend);
        }
        let [x, y, z, skew @ ..] = examples.correction.share(triangle, &self.blended).map(f64::from);
        DMat3::from_quat(plain) * (transformation(DVec3::new(x, y, z), skew) + bend)
    }

    fn add_links(&mut self, deformer: &Deformer) {
        let Deformer { binding, examples, .. } = deformer;
        for (number, link) in binding.links.iter().enumerate() {
            let triangle = link.triangle as usize;
            let change = self.gradient(deformer, triangle) - DMat3::IDENTITY;
            let mut offset = DVec3::ZERO;
            if examples.count > 0 {
                let joint = binding.influences.of(triangle)[0].0 as usize;
                examples.joints.weights(joint, &mut self.compared, &mut self.weights);
                let own = Examples::offset(&examples.links, number, &self.weights);
                offset = binding.blends.of(triangle, &self.turned).0 * own;
            }
            binding.stitch.add_link(number, &change, offset, &mut self.rows);
        }
    }

    /// Displacements of the held points.
    fn hold(&mut self, deformer: &Deformer) {
        let Deformer { binding, examples, .. } = deformer;
        let mut last = NONE;
        for (number, &(point, joint)) in binding.stitch.held.iter().enumerate() {
            let place = binding.surface.place(point);
            let mut held = self.turned.carried(&binding.tree, joint as usize, place) - place;
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

    fn displacement(&self, binding: &Binding, point: u32) -> DVec3 {
        let [x, y, z, _] = self.rows[binding.stitch.slot_of[point as usize] as usize];
        DVec3::new(x, y, z)
    }

    /// How far the handles are from where their joints take them.
    fn measure_gaps(&mut self, deformer: &Deformer) {
        let Deformer { binding, examples, follow } = deformer;
        for joint in 0..self.gaps.len() {
            self.gaps[joint] = DVec3::ZERO;
            let place = |p: u32| binding.surface.place(p) + self.displacement(binding, p);
            let Some((rest, posed)) =
                binding.means(binding.handles.of(joint), place).filter(|_| *follow > 0.0)
            else {
                continue;
            };
            let mut wanted = self.turned.carried(&binding.tree, joint, rest);
            if examples.count > 0 {
                examples.joints.weights(joint, &mut self.compared, &mut self.weights);
                wanted +=
                    self.turned.world[joint] * Examples::offset(&examples.handles, joint, &self.weights);
            }
            self.gaps[joint] = *follow * (wanted - posed);
        }
    }

    /// Closes the gaps and brings the shape to where the root is.
    fn finish(&self, deformer: &Deformer, out: &mut [Vec3]) {
        let Deformer { binding, follow, .. } = deformer;
        let (turn, place) = self.turned.whole;
        let (turn, root) = (DMat3::from_quat(turn), binding.tree.joints[binding.tree.root]);
        let shift = place - turn * root;
        for (out, &point) in out.iter_mut().zip(&binding.surface.point_of) {
            let mut p = binding.surface.place(point) + self.displacement(binding, point);
            if *follow > 0.0 {
                for &(joint, share) in binding.points.of(point as usize) {
                    p += f64::from(share) * self.gaps[joint as usize];
                }
            }
            *out = (turn * p + shift).as_vec3();
        }
    }
}
