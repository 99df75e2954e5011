//! The fit itself, on data in memory: which call of the library a [`Fit`] asks for.

use sinew::animation::MeshAnimation;
use sinew::progress::{Cancelled, Progress};
use sinew::rig::{Bone, PoseChain, Rig};
use sinew::skin::{
    BoneKind, DEFAULT_BONES, DEFAULT_INFLUENCES, DEFAULT_ROUNDS, DescentOptions, Initialisation, Method,
    MethodName, Norm, PoseToPoseOptions, Skin, SkinOptions, Skinned, SmaOptions, Solve, pose_to_pose, skin,
};
use sinew_io::open::Opened;

use super::fit::{Fit, FitGoal, NormChoice};
use crate::refusals::{FitError, SkinRefusal};
use crate::search::{Candidate, Cost, SearchOptions, Searched, search};

/// A rig that is begun with, and what stays of it.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Its skin; without transforms where its frames are not those of the animation.
    pub skin: Skin,
    /// Its bones.
    pub bones: Vec<Bone>,
    /// Bones that keep their motion.
    pub locked_bones: Vec<usize>,
    /// Vertices that keep their weights and rest position, one entry a vertex; empty for none.
    pub locked_vertices: Vec<bool>,
}

/// What a fit takes along besides the animation.
#[derive(Clone, Debug, Default)]
pub struct Brought {
    /// The rig that the fields name, if they do.
    pub rig: Option<Given>,
    /// How much each vertex counts; empty where all count the same.
    pub importance: Vec<f32>,
}

/// What a fit made.
#[derive(Clone, Debug)]
pub enum Fitted {
    /// A rig.
    Rig {
        /// The rig, and how good it is.
        skinned: Box<Skinned>,
        /// Rigs that were tried for a goal, the smallest first; empty without one.
        candidates: Vec<Candidate>,
        /// What was told of rigs with more and more bones on the way; empty without a goal.
        curve: Vec<Candidate>,
    },
    /// Bones that lead from pose to pose.
    Chain(Box<Skinned<PoseChain>>),
}

impl Fit {
    /// What the library is asked for, of methods that make rigs.
    pub fn skin_options(&self, given: Option<Given>) -> SkinOptions {
        let mut kind = self.kind;
        if let Some(given) = given.as_ref().filter(|_| self.method() == MethodName::Best)
            && (kind.is_none() || self.bones_from.is_some())
        {
            let rigid = given.bones.iter().all(|bone| bone.rigid);
            kind = Some(if rigid { BoneKind::Rigid } else { BoneKind::Flexible });
        }
        let given_bones = given.as_ref().map(|given| given.bones.clone());
        let method = match self.method() {
            MethodName::Sma => Method::Sma(self.sma_options(given)),
            MethodName::Sad => Method::Sad,
            MethodName::Fesam => Method::Fesam { rounds: self.rounds.unwrap_or(DEFAULT_ROUNDS) },
            _ => Method::Best(self.descent_options(given)),
        };
        SkinOptions {
            method,
            bones: self.bones,
            kind: kind.unwrap_or_default(),
            influences: self.influences.unwrap_or(DEFAULT_INFLUENCES),
            rank: self.rank.unwrap_or(0),
            rest_pose: self.rest_pose.0,
            given_bones,
            ..SkinOptions::default()
        }
    }

    fn sma_options(&self, given: Option<Given>) -> SmaOptions {
        let usual = SmaOptions::default();
        SmaOptions {
            epsilon: self.epsilon.unwrap_or(usual.epsilon),
            core: self.core.unwrap_or(usual.core),
            weights: self.weights.unwrap_or(usual.weights),
            negative_bound: self.min_weight.unwrap_or(usual.negative_bound),
            bones_from: given.map(|given| given.skin),
        }
    }

    fn descent_options(&self, given: Option<Given>) -> DescentOptions {
        let usual = DescentOptions::default();
        let (initialisation, locked_bones, locked_vertices) = match given {
            Some(Given { skin, locked_bones, locked_vertices, .. }) => {
                (Initialisation::Skin(skin), locked_bones, locked_vertices)
            }
            None => (Initialisation::Segments(self.start.unwrap_or_default()), Vec::new(), Vec::new()),
        };
        DescentOptions {
            // A rig's rest pose belongs to whoever made it.
            keep_rest: self.keep_rest || self.is_from_rig(),
            smoothness: self.smooth.unwrap_or(usual.smoothness),
            effort: self.effort.unwrap_or(usual.effort),
            norm: self.norm.map_or(usual.norm, |norm| norm.0),
            sparse: self.sparse.map(|percent| percent / 100.0),
            initialisation,
            solve: match self.bones_from {
                Some(_) => Solve::Weights,
                None => self.solve.unwrap_or(usual.solve),
            },
            locked_bones,
            locked_vertices,
        }
    }

    /// What the library is asked for from pose to pose: FESAM, looking ahead.
    pub fn chain_options(&self) -> PoseToPoseOptions {
        PoseToPoseOptions {
            bones: self.bones.unwrap_or(DEFAULT_BONES),
            influences: self.influences.unwrap_or(DEFAULT_INFLUENCES),
            rest_pose: self.rest_pose.0,
            rounds: self.rounds.unwrap_or(DEFAULT_ROUNDS),
            ..PoseToPoseOptions::default()
        }
    }

    /// What is searched for where there is a goal; what is not given is tried.
    pub fn search_options(&self, goal: FitGoal) -> SearchOptions {
        let all = SearchOptions::new(goal.into());
        SearchOptions {
            kinds: self.kind.map_or(all.kinds, |kind| vec![kind]),
            influences: self.influences.map_or(all.influences, |most| vec![most]),
            rank: self.rank,
            skin: self.skin_options(None),
            ..all
        }
    }

    /// Fits a rig to an animation. `cost` says what a rig's file takes
    /// and how far it is off, for goals.
    ///
    /// # Errors
    /// What is wrong with the animation or the choices, that no rig meets the goal, or [`FitError::Cancelled`].
    pub fn run(
        &self,
        animation: &MeshAnimation,
        brought: Brought,
        cost: &dyn Fn(&Rig) -> Result<Cost, Cancelled>,
        progress: &dyn Progress,
    ) -> Result<Fitted, FitError> {
        if self.method() == MethodName::Pps {
            if animation.clips.len() > 1 {
                return Err(FitError::SeveralClips { clips: animation.clips.len() });
            }
            let chain = pose_to_pose(animation, &self.chain_options(), progress)?;
            return Ok(Fitted::Chain(Box::new(chain)));
        }
        if let Some(goal) = self.goal {
            let all = self.search_options(goal);
            let options =
                SearchOptions { skin: SkinOptions { importance: brought.importance, ..all.skin }, ..all };
            let Searched { skinned, candidates, curve } = search(animation, &options, cost, progress)?;
            return Ok(Fitted::Rig { skinned: Box::new(skinned), candidates, curve });
        }
        let options = SkinOptions { importance: brought.importance, ..self.skin_options(brought.rig) };
        let skinned = skin(animation, &options, progress)?;
        Ok(Fitted::Rig { skinned: Box::new(skinned), candidates: Vec::new(), curve: Vec::new() })
    }
}

impl Fit {
    /// What is fitted to an animation: a goal of the largest error is one of percent there, and the largest errors are
    /// what is lowered for it, unless another norm is named.
    ///
    /// # Errors
    /// [`SkinRefusal::NoUnit`].
    pub fn to(&self, opened: &Opened) -> Result<Self, SkinRefusal> {
        let Some(FitGoal::Largest(largest)) = self.goal else { return Ok(self.clone()) };
        let goal = Some(FitGoal::Largest(largest.in_percent(opened)?));
        Ok(Self { goal, norm: self.norm.or(Some(NormChoice(Norm::MAX))), ..self.clone() })
    }
}
