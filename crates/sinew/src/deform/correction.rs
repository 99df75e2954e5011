//! What examples add to the triangles, kept whole or at anchors.

use glam::{DQuat, DVec3};

use super::DeformError;
use super::anchors::{AnchorExample, AnchorOptions, AnchoredField, Anchors, Blend};
use super::binding::Binding;
use super::field::ExampleField;
use super::influences::Lists;
use super::pose_space::{Compared, PoseSpace};
use crate::progress::{Cancelled, Progress};

/// What examples add, and how much of it a pose gets.
#[derive(Clone, Debug, Default)]
pub(super) struct Correction {
    /// How much of each example every element gets: of every triangle, or of every anchor.
    space: PoseSpace,
    fields: Fields,
}

#[derive(Clone, Debug)]
enum Fields {
    /// For every triangle what each example adds.
    Whole(Vec<Blend>),
    /// What each example adds at the anchors.
    Anchored(Anchors, Vec<AnchoredField>),
}

impl Default for Fields {
    fn default() -> Self {
        Self::Whole(Vec::new())
    }
}

impl Correction {
    /// Keeps the fields of examples, given the joints' turns example after example, and the plain rotations of
    /// the triangles in the examples' poses.
    pub fn new(
        binding: &Binding,
        turns: &[DVec3],
        fields: &[ExampleField],
        plain: &[Vec<DQuat>],
        anchors: Option<&AnchorOptions>,
        progress: &dyn Progress,
    ) -> Result<Self, DeformError> {
        let triangles = binding.surface.triangles();
        let Some(options) = anchors.filter(|options| !options.count.is_all(triangles.len())) else {
            let of_all = |t: usize| fields.iter().map(move |field| blend_of(field, t));
            let fields = Fields::Whole((0..triangles.len()).flat_map(of_all).collect());
            let space = PoseSpace::new(&binding.tree, &binding.influences, turns, progress)?;
            return Ok(Self { space, fields });
        };
        let examples = fields.iter().zip(plain).map(|(field, plain)| AnchorExample { field, plain });
        let examples: Vec<AnchorExample> = examples.collect();
        let (anchors, values) =
            Anchors::choose(triangles, &binding.surface.rest, &examples, options, progress)?;
        Ok(Self::anchored(binding, turns, anchors, values, progress)?)
    }

    /// What was kept at anchors.
    pub fn anchored(
        binding: &Binding,
        turns: &[DVec3],
        anchors: Anchors,
        values: Vec<AnchoredField>,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let influences = anchors.triangles().iter().map(|&t| binding.influences.of(t as usize).to_vec());
        let space = PoseSpace::new(&binding.tree, &Lists::from_lists(influences), turns, progress)?;
        Ok(Self { space, fields: Fields::Anchored(anchors, values) })
    }

    /// Number of elements that have values of their own.
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// The anchors and what each example adds there, if there are any.
    pub fn anchors(&self) -> Option<(&Anchors, &[AnchoredField])> {
        match &self.fields {
            Fields::Whole(_) => None,
            Fields::Anchored(anchors, values) => Some((anchors, values)),
        }
    }

    /// Bytes that the examples take: what they add, the anchors, and the functions that tell how much of each a
    /// pose gets. Not the bases of the anchors, which do not depend on the examples' number or shapes.
    pub fn bytes(&self) -> usize {
        let kept = match &self.fields {
            Fields::Whole(values) => size_of_val(&values[..]),
            Fields::Anchored(anchors, values) => {
                size_of_val(anchors.triangles()) + values.iter().map(AnchoredField::bytes).sum::<usize>()
            }
        };
        self.space.bytes() + kept
    }

    /// What example `number` of `count` adds to every triangle.
    pub fn field(&self, number: usize, count: usize) -> ExampleField {
        let of_all: Vec<Blend> = match &self.fields {
            Fields::Whole(values) => values.iter().skip(number).step_by(count).copied().collect(),
            Fields::Anchored(anchors, values) => {
                let mut own = vec![[0.0; 9]; anchors.len()];
                own.iter_mut().enumerate().for_each(|(anchor, to)| values[number].add_to(anchor, 1.0, to));
                let mut out = vec![[0.0; 9]; anchors.triangle_count()];
                anchors.spread(&own, &mut out);
                out
            }
        };
        let mut field = ExampleField::none(of_all.len());
        for (triangle, values) in of_all.iter().enumerate() {
            let [x, y, z, skew @ ..] = values.map(f64::from);
            field.turns[triangle] = DVec3::new(x, y, z);
            field.skews[triangle] = skew;
        }
        field
    }

    /// The blend of all examples at every element, in the pose that was compared.
    pub fn blend(&self, pose: &mut Compared, weights: &mut [f32], out: &mut [Blend]) {
        let count = weights.len();
        for (element, out) in out.iter_mut().enumerate() {
            self.space.weights(element, pose, weights);
            *out = [0.0; 9];
            match &self.fields {
                Fields::Whole(values) => {
                    for (weight, value) in weights.iter().zip(&values[element * count..]) {
                        (0..9).for_each(|i| out[i] += weight * value[i]);
                    }
                }
                Fields::Anchored(_, values) => {
                    values.iter().zip(&*weights).for_each(|(v, weight)| v.add_to(element, *weight, out));
                }
            }
        }
    }

    /// What a triangle gets of the blend.
    #[inline]
    pub fn share(&self, triangle: usize, blended: &[Blend]) -> Blend {
        match &self.fields {
            Fields::Whole(_) => blended[triangle],
            Fields::Anchored(anchors, _) => anchors.at(triangle, blended),
        }
    }
}

fn blend_of(field: &ExampleField, triangle: usize) -> Blend {
    let ([x, y, z], s) = (field.turns[triangle].to_array(), field.skews[triangle]);
    [x, y, z, s[0], s[1], s[2], s[3], s[4], s[5]].map(|v| v as f32)
}
