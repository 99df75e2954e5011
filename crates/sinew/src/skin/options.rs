//! What a skin is asked for: one struct for all methods, checked in one place.

use super::{
    BoneKind, CoreSets, DEFAULT_INFLUENCES, DescentOptions, GivenPart, Initialisation, MethodName, RestPose,
    Skin, SkinError, WeightMethod, WeightOptions,
};
use crate::animation::MeshAnimation;
use crate::rig::Bone;
use crate::segment::DEFAULT_EPSILON;
use crate::solve::bounded::MOST_INFLUENCES;

/// Bones of the methods that need a number and were given none: [`Method::Sad`], [`Method::Fesam`] and
/// [`pose_to_pose`](super::pose_to_pose).
pub const DEFAULT_BONES: usize = 30;
/// Rounds of [`Method::Fesam`] and [`pose_to_pose`](super::pose_to_pose).
pub const DEFAULT_ROUNDS: usize = 15;

/// How bones and weights are found, with what only that way knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// The least error: coordinate descent over bones, weights and rest pose ([`super::Descent`]).
    Best(DescentOptions),
    /// "Skinning Mesh Animations" (James and Twigg 2005).
    Sma(SmaOptions),
    /// "Skinning Arbitrary Deformations" (Kavan et al. 2007): bones spread evenly over the surface, blended
    /// smoothly; it needs to know nothing about the animation.
    Sad,
    /// "Fast and Efficient Skinning of Animated Meshes" (Kavan et al. 2010): bones grown where the motion needs
    /// them, then rounds of weights, transforms and rest pose.
    Fesam {
        /// The most rounds; fewer when none lowers the error any more.
        rounds: usize,
    },
}

impl Default for Method {
    fn default() -> Self {
        Self::Best(DescentOptions::default())
    }
}

impl Method {
    /// A method with its usual options; none for [`MethodName::Pps`], which makes no rig.
    pub fn named(name: MethodName) -> Option<Self> {
        match name {
            MethodName::Best => Some(Self::Best(DescentOptions::default())),
            MethodName::Sma => Some(Self::Sma(SmaOptions::default())),
            MethodName::Sad => Some(Self::Sad),
            MethodName::Fesam => Some(Self::fesam()),
            MethodName::Pps => None,
        }
    }

    /// FESAM with its usual number of rounds.
    pub fn fesam() -> Self {
        Self::Fesam { rounds: DEFAULT_ROUNDS }
    }

    /// Its name.
    pub fn name(&self) -> MethodName {
        match self {
            Self::Best(_) => MethodName::Best,
            Self::Sma(_) => MethodName::Sma,
            Self::Sad => MethodName::Sad,
            Self::Fesam { .. } => MethodName::Fesam,
        }
    }

    /// A skin whose bones are taken over, if the method begins with one.
    pub fn given(&self) -> Option<&Skin> {
        match self {
            Self::Best(DescentOptions { initialisation: Initialisation::Skin(skin), .. }) => Some(skin),
            Self::Sma(sma) => sma.bones_from.as_ref(),
            _ => None,
        }
    }
}

/// What only [`Method::Sma`] knows.
#[derive(Clone, Debug, PartialEq)]
pub struct SmaOptions {
    /// Rotation tolerance ε of the segmentation.
    pub epsilon: f64,
    /// Which triangles bones are fitted to.
    pub core: CoreSets,
    /// How weights are solved.
    pub weights: WeightMethod,
    /// For [`WeightMethod::Nnls`]: weights may fall to −δ (equation 11). 0 keeps them non-negative.
    pub negative_bound: f64,
    /// Bones with known motion, instead of finding them: only weights and corrections are solved. Its own weights do
    /// not count.
    pub bones_from: Option<Skin>,
}

impl Default for SmaOptions {
    fn default() -> Self {
        Self {
            epsilon: DEFAULT_EPSILON,
            core: CoreSets::default(),
            weights: WeightMethod::default(),
            negative_bound: 0.0,
            bones_from: None,
        }
    }
}

impl SmaOptions {
    /// How weights are solved.
    pub(super) fn weight_options(&self, influences: usize) -> WeightOptions {
        WeightOptions { method: self.weights, influences, negative_bound: self.negative_bound }
    }
}

/// Options of [`skin`](super::skin).
#[derive(Clone, Debug, PartialEq)]
pub struct SkinOptions {
    /// How bones and weights are found.
    pub method: Method,
    /// Number of bones. `None` takes as many as about 1.5 percent of error need (best), as the tolerance finds (sma),
    /// [`DEFAULT_BONES`] (sad, fesam), or those of a given skin.
    pub bones: Option<usize>,
    /// Rigid or flexible bones. Those of sad and fesam are flexible.
    pub kind: BoneKind,
    /// The most influences on a vertex, 1 to 16.
    pub influences: usize,
    /// Number of correction shapes.
    pub rank: usize,
    /// Which pose the bones deform at first; with a given skin it is that skin's.
    pub rest_pose: RestPose,
    /// How much each vertex counts, relative to each other, for [`Method::Best`]; empty where all count the same.
    pub importance: Vec<f32>,
    /// Names and places of bones that a given skin brings along.
    pub given_bones: Option<Vec<Bone>>,
}

impl Default for SkinOptions {
    fn default() -> Self {
        Self {
            method: Method::default(),
            bones: None,
            kind: BoneKind::default(),
            influences: DEFAULT_INFLUENCES,
            rank: 0,
            rest_pose: RestPose::default(),
            importance: Vec::new(),
            given_bones: None,
        }
    }
}

impl SkinOptions {
    /// The usual options of a method.
    pub fn of(method: Method) -> Self {
        Self { method, ..Self::default() }
    }

    /// The usual options of sma.
    pub fn sma() -> Self {
        Self::of(Method::Sma(SmaOptions::default()))
    }

    /// Checks all that can be wrong before any work; whether there can be so many bones shows once the rest pose is
    /// known.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate(&self, animation: &MeshAnimation) -> Result<(), SkinError> {
        check_influences(self.influences)?;
        let unfit = |x: f64| !(x >= 0.0 && x.is_finite());
        match &self.method {
            Method::Best(best) if unfit(best.smoothness) => {
                return Err(SkinError::Smoothness(best.smoothness));
            }
            Method::Best(best) if best.sparse.is_some_and(|share| !(0.0..1.0).contains(&share)) => {
                return Err(SkinError::Sparse(best.sparse.unwrap_or_default()));
            }
            Method::Sma(sma) if unfit(sma.epsilon) || sma.epsilon == 0.0 => {
                return Err(SkinError::Epsilon(sma.epsilon));
            }
            Method::Sma(sma) if unfit(sma.negative_bound) => {
                return Err(SkinError::NegativeBound(sma.negative_bound));
            }
            method if self.kind == BoneKind::Rigid && !method.name().has_rigid_bones() => {
                return Err(SkinError::NoRigidBones { method: method.name() });
            }
            _ => {}
        }
        self.check_importance(animation.mesh.vertex_count)?;
        match self.method.given() {
            Some(given) => self.check_given(given, animation),
            None => self.rest_pose.positions(animation).map(|_| ()),
        }
    }

    fn check_importance(&self, vertices: usize) -> Result<(), SkinError> {
        let found = self.importance.len();
        if found == 0 {
            return Ok(());
        }
        if !matches!(self.method, Method::Best(_)) {
            return Err(SkinError::NoImportance { method: self.method.name() });
        }
        if found != vertices {
            return Err(SkinError::ImportanceCount { found, expected: vertices });
        }
        let wrong = |x: &f32| !(*x >= 0.0 && x.is_finite());
        match self.importance.iter().position(wrong) {
            Some(vertex) => Err(SkinError::Importance { vertex, value: self.importance[vertex] }),
            None if self.importance.iter().all(|x| *x == 0.0) => Err(SkinError::NothingImportant),
            None => Ok(()),
        }
    }

    fn check_given(&self, given: &Skin, animation: &MeshAnimation) -> Result<(), SkinError> {
        let wrong = |what, found, expected| Err(SkinError::Given { what, found, expected });
        let (frames, vertices) = (animation.frames.len(), animation.mesh.vertex_count);
        let needs_motion = given.weights.per_vertex == 0 || matches!(self.method, Method::Sma(_));
        if given.bones == 0 || (given.transforms.is_empty() && needs_motion) {
            return wrong(GivenPart::UsableBones, 0, 1);
        }
        if !given.transforms.is_empty() && given.transforms.len() != frames * given.bones {
            return wrong(GivenPart::Frames, given.transforms.len() / given.bones, frames);
        }
        if given.rest.len() != vertices {
            return wrong(GivenPart::Vertices, given.rest.len(), vertices);
        }
        let per_vertex = given.weights.per_vertex;
        if given.weights.weights.len() != per_vertex * vertices {
            return wrong(GivenPart::Vertices, given.weights.weights.len() / per_vertex.max(1), vertices);
        }
        match &self.given_bones {
            Some(names) if names.len() != given.bones => wrong(GivenPart::Names, names.len(), given.bones),
            _ => Ok(()),
        }
    }
}

/// Refuses numbers of influences that no vertex can have.
pub(super) fn check_influences(asked: usize) -> Result<(), SkinError> {
    if (1..=MOST_INFLUENCES).contains(&asked) { Ok(()) } else { Err(SkinError::InfluenceCount { asked }) }
}
