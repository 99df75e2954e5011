//! The character as one object: set up once, posed again and again.

use glam::{DMat3, DVec3, Vec3};

use super::anchors::{AnchorOptions, Anchors, Blend};
use super::bend::Bends;
use super::blends::Blends;
use super::dirichlet::NONE;
use super::examples::{Distinct, Example, Examples};
use super::field::{ExampleField, transformation};
use super::influences::{Influences, Lists};
use super::space::Compared;
use super::stitch::Stitch;
use super::surface::{Link, Surface};
use super::tree::{Tree, Turned};
use super::{DeformError, Handles, Pose};
use crate::geometry::substitution::Row;
use crate::geometry::{Bounds, Mesh};
use crate::rig::Skeleton;

/// A mesh in its rest pose with the skeleton inside it.
#[derive(Clone, Copy, Debug)]
pub struct Character<'a> {
    /// Faces.
    pub mesh: &'a Mesh,
    /// The rest pose.
    pub rest: &'a [Vec3],
    /// The joint tree.
    pub skeleton: &'a Skeleton,
    /// Where the joints are in the rest pose.
    pub joints: &'a [DVec3],
}

/// Options of [`Deformer::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct DeformOptions {
    /// Cut-off of the joints' influences on a triangle, above 0 and at most 1: only the largest are kept that
    /// make this share.
    pub keep: f64,
    /// How far limbs follow their bones where stitching leaves them beside, 0 to 1. At 0 only gradients
    /// count, as in the paper; at 1 the middle of every handle is where its joint takes it.
    pub follow: f64,
    /// Keeps what examples add at a few triangles instead of all. Smaller, and faster with several examples;
    /// examples are then nearly met, not exactly. With all triangles as anchors they are kept whole.
    pub anchors: Option<AnchorOptions>,
}

impl Default for DeformOptions {
    fn default() -> Self {
        Self { keep: 0.95, follow: 0.0, anchors: None }
    }
}

/// All that deforms a character without examples.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub tree: Tree,
    pub surface: Surface,
    pub diagonal: f64,
    /// Joints of each triangle.
    pub influences: Lists,
    /// Joints of each point.
    pub points: Lists,
    pub blends: Blends,
    pub links: Vec<Link>,
    pub stitch: Stitch,
    /// Points in handles, joint after joint, and where each joint's start.
    handle_points: Vec<u32>,
    handle_starts: Vec<u32>,
}

/// A character, ready to be posed.
#[derive(Clone, Debug)]
pub struct Deformer {
    pub(super) frame: Frame,
    pub(super) examples: Examples,
    follow: f64,
}

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

impl Frame {
    fn new(
        character: &Character,
        handles: &Handles,
        shapes: &[&[Vec3]],
        keep: f64,
    ) -> Result<Self, DeformError> {
        let triangles = character.mesh.triangles(character.rest);
        let surface = Surface::new(&triangles, character.rest, shapes);
        if surface.triangles().is_empty() {
            return Err(DeformError::NoTriangles);
        }
        let mut joint_of = vec![NONE; surface.len()];
        // Where vertices of several handles are one point, the first has it.
        for (&point, &joint) in surface.point_of.iter().zip(&handles.joint_of).rev() {
            if joint != NONE {
                joint_of[point as usize] = joint;
            }
        }
        let has_handle: Vec<bool> = joint_of.iter().map(|&joint| joint != NONE).collect();
        if !has_handle.contains(&true) {
            return Err(DeformError::NoHandles);
        }
        let tree = Tree::new(character.skeleton, character.joints);
        let links = surface.links(&has_handle);
        let influences = Influences::new(&surface, &joint_of, &links, keep)?;
        let mut blends = Blends::new(&tree, influences.triangles.iter());
        blends.set_bends(&Bends::new(&surface, &tree, &influences.points), tree.joints.len());
        let stitch = Stitch::new(&surface, &tree, &joint_of, &links)?;
        let mut handle_points: Vec<u32> =
            (0..surface.len() as u32).filter(|&p| has_handle[p as usize]).collect();
        handle_points.sort_by_key(|&p| joint_of[p as usize]);
        let start = |joint: u32| handle_points.partition_point(|&p| joint_of[p as usize] < joint) as u32;
        let handle_starts = (0..=tree.joints.len() as u32).map(start).collect();
        let diagonal = Bounds::of(character.rest).diagonal();
        let (influences, points) = (influences.triangles, influences.points);
        Ok(Self {
            tree,
            surface,
            diagonal,
            influences,
            points,
            blends,
            links,
            stitch,
            handle_points,
            handle_starts,
        })
    }

    /// The rotations of a pose.
    pub fn turned(&self, pose: &Pose) -> Turned {
        let mut turned = Turned::default();
        turned.set(&self.tree, &self.blends, pose);
        turned
    }

    /// The points of a joint's handle.
    pub fn handle(&self, joint: usize) -> &[u32] {
        &self.handle_points[self.handle_starts[joint] as usize..self.handle_starts[joint + 1] as usize]
    }

    /// The mean of points in the rest pose and in another, if there are any.
    pub fn means(&self, points: &[u32], place: impl Fn(u32) -> DVec3) -> Option<(DVec3, DVec3)> {
        let count = points.len() as f64;
        let rest: DVec3 = points.iter().map(|&p| self.surface.place(p)).sum();
        let posed: DVec3 = points.iter().map(|&p| place(p)).sum();
        (count > 0.0).then(|| (rest / count, posed / count))
    }
}

impl Deformer {
    /// Sets a character up.
    ///
    /// # Panics
    /// When options are out of their range.
    pub fn new(
        character: &Character,
        handles: &Handles,
        examples: &[Example],
        options: &DeformOptions,
    ) -> Result<Self, DeformError> {
        assert!(options.keep > 0.0 && options.keep <= 1.0, "a share of the influences");
        assert!((0.0..=1.0).contains(&options.follow), "a share of the way");
        super::check::check(character, handles, examples)?;
        let shapes: Vec<&[Vec3]> = examples.iter().map(|example| &example.positions[..]).collect();
        let frame = Frame::new(character, handles, &shapes, options.keep)?;
        let distinct = Distinct::new(&frame, examples)?;
        let examples = Examples::new(&frame, &distinct, options.anchors.as_ref())?;
        Ok(Self { frame, examples, follow: options.follow })
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.frame.surface.point_of.len()
    }

    /// Number of joints.
    pub fn joint_count(&self) -> usize {
        self.frame.tree.joints.len()
    }

    /// Number of examples; those of one pose are one.
    pub fn example_count(&self) -> usize {
        self.examples.count
    }

    /// The triangles that are deformed, over points: vertices at one place are one point, and triangles that
    /// name a point twice are left out.
    pub fn triangles(&self) -> &[[u32; 3]] {
        self.frame.surface.triangles()
    }

    /// Where the points are in the rest pose.
    pub fn points(&self) -> &[Vec3] {
        &self.frame.surface.rest
    }

    /// Joints and influences of one of [`Self::triangles`], the largest first; they sum to one.
    pub fn influences(&self, triangle: usize) -> &[(u32, f32)] {
        self.frame.influences.of(triangle)
    }

    /// Joints and influences of a vertex, the largest first; they sum to one.
    pub fn vertex_influences(&self, vertex: usize) -> &[(u32, f32)] {
        self.frame.points.of(self.frame.surface.point_of[vertex] as usize)
    }

    /// What each example adds to the plain result.
    pub fn example_fields(&self) -> Vec<ExampleField> {
        (0..self.examples.count).map(|e| self.examples.correction.field(e, self.examples.count)).collect()
    }

    /// The anchors at which examples are kept, if they are.
    pub fn anchors(&self) -> Option<&Anchors> {
        self.examples.correction.anchors()
    }

    /// Bytes that the examples take, with all that is kept for them. The bases of anchors are not counted
    /// ([`Anchors::basis_bytes`]): the mesh and the anchors decide them, and files need not hold them.
    pub fn example_bytes(&self) -> usize {
        self.examples.bytes()
    }

    /// Entries of the factored Poisson system, which is what most of the memory goes to.
    pub fn factor_entries(&self) -> usize {
        self.frame.stitch.factor_len()
    }

    /// Prepares to pose the character.
    pub fn poser(&self) -> Poser<'_> {
        Poser {
            deformer: self,
            turned: Turned::default(),
            compared: Compared::default(),
            weights: vec![0.0; self.examples.count],
            blended: vec![[0.0; 9]; self.examples.correction.len()],
            rows: vec![[0.0; 4]; self.frame.stitch.slots()],
            displaced: vec![DVec3::ZERO; self.frame.stitch.held.len()],
            gaps: vec![DVec3::ZERO; self.joint_count()],
        }
    }

    /// The shape of one pose. For many, keep a [`Poser`].
    pub fn pose(&self, pose: &Pose) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; self.vertex_count()];
        self.poser().pose_into(pose, &mut out);
        out
    }
}

impl Poser<'_> {
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
                let own = examples.held.of(number, &self.weights);
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
