//! A body in one frame: bounds and vertices, each computed when first asked for.

use std::cell::Cell;

use glam::{DAffine3, DMat3, DVec3, Mat3A, Vec3, Vec3A};

use super::Place;
use super::body::Body;
use super::bound::{Bound, Node, NodeKind, Region, largest_stretch, sphere};
use super::slab::Beyond;

/// All that moves a body's vertices in one frame, as [`Player`](crate::rig::Player) has it: each bone takes p to
/// `matrix · (p − center) + shift`.
#[derive(Default)]
pub(super) struct Moment {
    bones: Vec<(Mat3A, Vec3A)>,
    coefficients: Vec<f32>,
}

/// What queries had to do since the body was set to its frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bounds brought up to date.
    pub bounds: usize,
    /// Vertices computed.
    pub vertices: usize,
}

/// A place, ready for boxes.
#[derive(Clone, Copy, Default)]
struct Placing {
    matrix: Mat3A,
    shift: Vec3A,
    kind: Kind,
    /// By how much it lengthens at most.
    stretch: f32,
}

/// What a place does.
#[derive(Clone, Copy, Default)]
enum Kind {
    #[default]
    Shift,
    Rigid,
    Any,
}

impl Placing {
    fn new(place: &Place) -> Self {
        let square = place.matrix3.transpose() * place.matrix3;
        let kind = match () {
            () if place.matrix3 == DMat3::IDENTITY => Kind::Shift,
            () if square.abs_diff_eq(DMat3::IDENTITY, 1e-9) => Kind::Rigid,
            () => Kind::Any,
        };
        let matrix = Mat3A::from(place.matrix3.as_mat3());
        Self { matrix, shift: place.translation.as_vec3().into(), kind, stretch: largest_stretch(&matrix) }
    }
}

/// A value and the frame it is of, as [`Posed::set`] counts them.
type Kept<T> = Cell<(u32, T)>;

/// A body in one frame, at a place. Made once and set from frame to frame.
pub struct Posed<'a> {
    pub(super) body: &'a Body<'a>,
    moment: Moment,
    frame: usize,
    placing: Placing,
    place: Place,
    regions: Vec<Kept<Region>>,
    /// What rounding may add to a radius.
    margin: f32,
    count: u32,
    bounds: Vec<Kept<Bound>>,
    vertices: Vec<Kept<Vec3>>,
    /// What queries look at, how often that changed, and which nodes it takes in.
    beyond: Cell<Option<Beyond>>,
    looks: Cell<u32>,
    reaching: Vec<Kept<bool>>,
    work: Cell<Work>,
}

impl Moment {
    /// A frame of a rig at a place; the rest pose where the rig has no frames.
    ///
    /// # Panics
    /// When there are frames, but not this one.
    pub fn set(&mut self, body: &Body, frame: usize, place: &Place) {
        let rig = body.rig;
        let still = [DAffine3::IDENTITY];
        let empty = rig.frame_count() == 0;
        let transforms = if empty { &still[..] } else { rig.frame_transforms(frame) };
        self.bones.clear();
        self.bones.extend(transforms.iter().cycle().take(rig.bones.len()).map(|t| {
            let t = *place * *t;
            (t.matrix3.as_mat3().into(), t.transform_point3(body.center).as_vec3().into())
        }));
        self.coefficients.clear();
        if let Some(c) = rig.corrections.as_ref().filter(|_| !empty) {
            self.coefficients.extend(&c.coefficients[frame * c.rank..(frame + 1) * c.rank]);
        }
    }

    /// At least how far from the origin anything is that goes into a vertex, of a body that reaches so far.
    pub fn far(&self, reach: f32) -> f32 {
        let far = |(matrix, shift): &(Mat3A, Vec3A)| largest_stretch(matrix) * reach + shift.length();
        self.bones.iter().map(far).fold(0.0, f32::max)
    }

    /// Where a vertex is: the arithmetic of [`Player`](crate::rig::Player), so that both get the same bits.
    pub fn vertex(&self, body: &Body, vertex: u32) -> Vec3 {
        let v = vertex as usize;
        let mut place = body.rest[v];
        let rank = self.coefficients.len();
        for (u, q) in body.shapes[v * rank..(v + 1) * rank].iter().zip(&self.coefficients) {
            place += *u * *q;
        }
        let x = Vec3A::from(place);
        let mut sum = Vec3A::ZERO;
        let (bones, weights) = body.rig.weights.of(v);
        for (&bone, &weight) in bones.iter().zip(weights) {
            if weight != 0.0 {
                let (matrix, shift) = self.bones[bone as usize];
                sum += (matrix * x + shift) * weight;
            }
        }
        sum.into()
    }
}

impl<'a> Posed<'a> {
    pub(super) fn new(body: &'a Body<'a>) -> Self {
        let mut posed = Self {
            body,
            moment: Moment::default(),
            frame: 0,
            placing: Placing::default(),
            place: Place::IDENTITY,
            regions: vec![Cell::default(); body.models.len()],
            margin: 0.0,
            count: 0,
            bounds: vec![Cell::default(); body.nodes.len()],
            vertices: vec![Cell::default(); body.rest.len()],
            beyond: Cell::new(None),
            looks: Cell::new(0),
            reaching: vec![Cell::default(); body.nodes.len()],
            work: Cell::default(),
        };
        posed.set(0, &Place::IDENTITY);
        posed
    }

    /// Sets the body to a frame and a place; to its rest pose where the rig has no frames. This takes time for
    /// each bone and region and for nothing else.
    ///
    /// # Panics
    /// When there are frames, but not this one.
    pub fn set(&mut self, frame: usize, place: &Place) {
        self.moment.set(self.body, frame, place);
        self.frame = frame;
        self.place = *place;
        self.placing = Placing::new(place);
        self.margin = self.margin(place);
        self.work.set(Work::default());
        self.count = self.count.wrapping_add(1);
        if self.count == 0 {
            // Once in four thousand million frames, what was kept is forgotten.
            self.bounds.iter().for_each(|kept| kept.set(Default::default()));
            self.regions.iter().for_each(|kept| kept.set(Default::default()));
            self.vertices.iter().for_each(|kept| kept.set(Default::default()));
            self.count = 1;
        }
    }

    /// At least what rounding, here or where vertices are computed, can move anything by.
    fn margin(&self, place: &Place) -> f32 {
        let far = self.placing.stretch * self.body.far[self.frame] + place.translation.length() as f32;
        let terms = self.body.rig.weights.per_vertex + self.moment.coefficients.len() + 16;
        far * self.body.heaviest * terms as f32 * f32::EPSILON
    }

    /// A region in this frame.
    fn region(&self, number: usize) -> Region {
        let (count, kept) = self.regions[number].get();
        if count == self.count {
            return kept;
        }
        let model = &self.body.models[number];
        let own = &model.frames[self.frame];
        let place = &self.place;
        let linear = Mat3A::from((place.matrix3 * own.linear).as_mat3());
        let found = Region {
            linear,
            turn: (place.matrix3 * own.turn).as_mat3().into(),
            shift: place.transform_point3(own.shift).as_vec3().into(),
            stretch: largest_stretch(&linear),
            place: self.placing.stretch,
            missed: own.missed,
            coefficients: self.frame * model.rank,
        };
        self.regions[number].set((self.count, found));
        found
    }

    /// What queries had to do since then.
    pub fn work(&self) -> Work {
        self.work.get()
    }

    /// The bound of a node.
    pub(super) fn bound(&self, node: u32) -> Bound {
        let (count, kept) = self.bounds[node as usize].get();
        if count == self.count {
            return kept;
        }
        let at = &self.body.nodes[node as usize];
        let found = match at.kind {
            NodeKind::Large(number) => self.by_box(number).grown(1e-5, self.margin),
            NodeKind::Guard => self.by_model(at).grown(1e-5, self.margin),
            NodeKind::Fine => self.by_vertices(at),
        };
        self.bounds[node as usize].set((self.count, found));
        let work = self.work.get();
        self.work.set(Work { bounds: work.bounds + 1, ..work });
        found
    }

    fn by_model(&self, node: &Node) -> Bound {
        let (region, model) = (&self.region(node.region as usize), &self.body.models[node.region as usize]);
        let swings = &self.body.swings[node.swings as usize..node.swings as usize + model.rank];
        let coefficients = &model.coefficients[region.coefficients..region.coefficients + model.rank];
        sphere(node, swings, region, coefficients)
    }

    /// The box of a node's vertices.
    fn by_vertices(&self, node: &Node) -> Bound {
        let corners = self.body.triangles[node.start as usize..node.end as usize].as_flattened().iter();
        let nothing = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        let (min, max) = corners
            .map(|&v| Vec3A::from(self.vertex(v)))
            .fold(nothing, |(min, max), p| (min.min(p), max.max(p)));
        Bound::upright(0.5 * (min + max), 0.5 * (max - min))
            .grown(1e-6, 1e-6 * max.abs().max(min.abs()).max_element())
    }

    /// The bound of a large node: the box that is kept of it, placed.
    fn by_box(&self, kept: u32) -> Bound {
        let [min, max] = self.body.boxes[self.frame * self.body.kept + kept as usize];
        let half = Vec3A::from(0.5 * (max - min));
        let Placing { matrix, shift, kind, .. } = self.placing;
        let center = matrix * Vec3A::from(0.5 * (min + max)) + shift;
        match kind {
            Kind::Shift => Bound::upright(center, half),
            Kind::Rigid => Bound::tilted(center, matrix, half),
            Kind::Any => {
                let extent = (matrix.x_axis * half.x).abs() + (matrix.y_axis * half.y).abs();
                Bound::upright(center, extent + (matrix.z_axis * half.z).abs())
            }
        }
    }

    /// Has queries look only at what reaches so far, or at everything.
    pub(super) fn look(&self, beyond: Option<Beyond>) {
        self.beyond.set(beyond);
        self.looks.set(self.looks.get().wrapping_add(1));
    }

    /// Whether a node reaches as far as queries look.
    pub(super) fn reaches(&self, node: u32) -> bool {
        let Some(Beyond { way, from }) = self.beyond.get() else { return true };
        let (look, kept) = self.reaching[node as usize].get();
        if look == self.looks.get() {
            return kept;
        }
        let reaches = self.bound(node).reach(way) >= from;
        self.reaching[node as usize].set((self.looks.get(), reaches));
        reaches
    }

    /// Where a vertex is.
    pub fn vertex(&self, vertex: u32) -> Vec3 {
        let (count, kept) = self.vertices[vertex as usize].get();
        if count == self.count {
            return kept;
        }
        let found = self.moment.vertex(self.body, vertex);
        self.vertices[vertex as usize].set((self.count, found));
        let work = self.work.get();
        self.work.set(Work { vertices: work.vertices + 1, ..work });
        found
    }

    /// Corners of a triangle, as the trees count them.
    pub(super) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.body.triangles[triangle as usize].map(|v| self.vertex(v).as_dvec3())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Mesh;
    use crate::rig::{Bone, Corrections, Rig, SkinWeights};

    /// A ribbon of triangles over random places, on bones that do anything, with weights of any sign.
    fn ribbon(
        places: &[[f32; 3]],
        weights: &[[f32; 3]],
        bones: &[[f64; 12]; 3],
        shapes: &[[f32; 3]],
        coefficient: f32,
        sums_to: f32,
    ) -> Rig {
        let n = places.len();
        let triangles: Vec<[u32; 3]> = (2..n as u32).map(|v| [v - 2, v - 1, v]).collect();
        let bone = |b: usize| Bone { name: format!("bone_{b}"), center: DVec3::ZERO, rigid: false };
        let transform = |m: &[f64; 12]| DAffine3 {
            matrix3: DMat3::from_cols_slice(&m[..9]),
            translation: DVec3::from_slice(&m[9..]) * 20.0,
        };
        let weight = |v: usize| {
            let own = weights[v % weights.len()];
            [own[0], own[1], sums_to - own[0] - own[1]]
        };
        Rig {
            mesh: Mesh::from_triangles(n, &triangles),
            rest: places.iter().copied().map(Vec3::from_array).collect(),
            weights: SkinWeights {
                per_vertex: 3,
                bones: (0..n).flat_map(|v| [v as u32 % 3, (v as u32 + 1) % 3, (v as u32 + 2) % 3]).collect(),
                weights: (0..n).flat_map(weight).collect(),
            },
            bones: (0..3).map(bone).collect(),
            transforms: bones.iter().map(transform).collect(),
            skeleton: None,
            corrections: Some(Corrections {
                rank: 1,
                basis: (0..n).map(|v| Vec3::from_array(shapes[v % shapes.len()])).collect(),
                normals: Vec::new(),
                coefficients: vec![coefficient],
            }),
            fps: 24.0,
            clips: Vec::new(),
        }
    }

    proptest! {
        #[test]
        fn every_bound_holds_its_vertices(
            places in prop::collection::vec(prop::array::uniform3(-2.0..2.0_f32), 3..40),
            weights in prop::collection::vec(prop::array::uniform3(-0.5..1.0_f32), 1..40),
            bones in prop::array::uniform3(prop::array::uniform12(-1.5..1.5_f64)),
            shapes in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 1..40),
            coefficient in -3.0..3.0_f32,
            sums_to in 0.9..1.1_f32,
        ) {
            let rig = ribbon(&places, &weights, &bones, &shapes, coefficient, sums_to);
            let body = Body::new(&rig).unwrap();
            let posed = body.posed();
            let pose = rig.pose(0);
            for (number, node) in body.nodes.iter().enumerate() {
                let bound = posed.bound(number as u32);
                for &v in body.triangles[node.start as usize..node.end as usize].as_flattened() {
                    let at = posed.vertex(v);
                    prop_assert_eq!(at, pose[v as usize], "the player has the same bits");
                    let way = Vec3A::from(at) - bound.center;
                    prop_assert!(way.length() <= bound.radius, "{} beyond {:?}", way.length(), bound);
                    prop_assert!(way.abs().cmple(bound.extent).all(), "{} beyond {:?}", way, bound);
                }
            }
        }
    }

    #[test]
    fn one_bone_without_corrections_moves_the_bound_and_no_more() {
        let places: Vec<[f32; 3]> = (0..30).map(|i| [i as f32 * 0.1, (i % 2) as f32 * 0.1, 0.0]).collect();
        let mut rig = ribbon(&places, &[[1.0, 0.0, 0.0]], &[[0.0; 12]; 3], &[[0.0; 3]], 0.0, 1.0);
        rig.weights = SkinWeights::single(30);
        rig.transforms = vec![DAffine3::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), 1.0); 3];
        let body = Body::new(&rig).unwrap();
        let posed = body.posed();
        let guards = body.nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::Guard);
        for (number, node) in guards {
            let radius = posed.bound(number as u32).radius;
            assert!(radius < 1.001 * node.radius + 1e-4, "{radius} after {}", node.radius);
        }
    }
}
