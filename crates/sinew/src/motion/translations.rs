//! Translations for rotations that come from elsewhere.
//!
//! Follows section 2.4 of "Transplanting and Editing Animations on Skinned Meshes" (Jia, Feng and Yu 2007):
//! one bone is given, the others are where the mesh holds together. Where this departs from it:
//!
//! - The paper asks of every edge between bones to turn half way ([`Translations::Edges`], `half_rotations`). With
//!   weights that pass softly from bone to bone such edges hardly tell how far bones are apart, and limbs
//!   grow or shrink as joints bend. So bones are joined where the rig's own motion shows them to be joined
//!   (`shared_points`), and what is not a joint in that motion is learned from it as well (`residuals`): a rig's own
//!   rotations give back its own translations.
//! - Nothing is solved in a frame. The right side of every equation is a sum of rotations times vectors that
//!   stay the same, so the factored matrix is applied to those vectors once, and a frame is one sum over
//!   pairs of bones, whatever the size of the mesh.
//! - Which bone is fixed does not matter to that: equations only know differences of translations.
//! - Pieces that touch nothing are joined to the bones they stay near to, over the frames of the rig.
//!
//! Turning all rotations turns the result. Linear parts that stretch are welcome wherever rotations are.

use glam::{DMat3, DVec3};

use super::contacts::contacts;
use super::error::TranslationError;
use super::half_rotations::{Halves, add_edges};
use super::residuals::{Memory, learn, moved};
use super::rig_motion::RigMotion;
use super::shared_points::{System, hanging_on_middle, joints, of_skeleton};
use super::tuning::TUNING;
use crate::choices;
use crate::progress::Progress;
use crate::rig::Rig;

choices! {
    /// What tells where bones go.
    #[derive(Default)]
    pub enum Translations: "kind of translations" {
        /// Carried along if the source has the size and place of the rig and the rig has no skeleton, otherwise solved
        /// from its skeleton, or from what its own motion shows.
        #[default]
        Auto = "auto",
            "the skeleton where the rig has one, carried where the source has the rig's size and place, or learned",
        /// Joints of a source carry what lies around them in the shared pose. Good where source and rig have the same
        /// proportions. What is solved all the same is solved as by default.
        Carried = "carried", "joints of the source carry what lies around them",
        /// Solved from joints, and from what else the rig's own motion shows. Gives back the rig's own translations for
        /// its own rotations.
        Learned = "learned", "what the rig's own motion shows",
        /// Bones stay together at points learned from the rig's own motion.
        Joints = "joints", "points at which bones stay together in the rig's own motion",
        /// Edges of the mesh between bones turn half way, as in the paper.
        Edges = "edges", "edges of the mesh between bones turn half way (Jia, Feng and Yu 2007)",
        /// Bones stay together at the joints of the rig's skeleton, exactly.
        Skeleton = "skeleton", "the joints of the rig's skeleton",
    }
}

/// Finds translations of a rig's bones frame by frame. Made once for a rig.
///
/// ```
/// use glam::{DMat3, DVec3};
/// use sinew::motion::{TranslationSolver, Translations};
/// use sinew::{progress::Silent, skin};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 8, detail: 0.6, ..Default::default() });
/// let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
/// let rig = skin::skin(&animation, &options, &Silent)?.rig;
/// let solver = TranslationSolver::new(&rig, Translations::Auto, &Silent)?;
/// let mut translations = vec![DVec3::ZERO; rig.bones.len()];
/// solver.solve(&[DMat3::IDENTITY; 12], (solver.held(), DVec3::X), &mut translations);
/// assert!(translations.iter().all(|t| t.distance(DVec3::X) < 1e-2), "the rest pose, moved along");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TranslationSolver {
    middle: DVec3,
    held: usize,
    parents: Vec<Option<usize>>,
    /// What each bone's linear part adds to each place: bones × bones. Places are where bones carry the
    /// middle.
    moves: Vec<DVec3>,
    halves: Option<Halves>,
    memory: Option<Memory>,
}

impl TranslationSolver {
    /// Sums up the mesh, learns from the rig's motion and factors. The corrections of the rig play no part.
    ///
    /// # Errors
    /// When the rig is not sound, has no skeleton although that was asked for, does not determine its translations, or
    /// the listener cancels.
    pub fn new(
        rig: &Rig,
        translations: Translations,
        progress: &dyn Progress,
    ) -> Result<Self, TranslationError> {
        rig.validate()?;
        rig.check_finite()?;
        let model = match (translations, &rig.skeleton) {
            (Translations::Auto | Translations::Carried, Some(_)) => Translations::Skeleton,
            (Translations::Auto | Translations::Carried, None) => Translations::Learned,
            (said, _) => said,
        };
        let main = rig.weights.main_bones(rig.rest.len());
        let edges = rig.edges();
        let own = RigMotion::new(rig);
        let contacts = contacts(rig, &edges, &main, &progress.part(0.0, 0.3))?;
        let joints = joints(&own, &contacts, &progress.part(0.3, 0.5))?;
        let (parents, held) = match (model, &rig.skeleton) {
            (Translations::Skeleton, None) => return Err(TranslationError::NoSkeleton),
            (Translations::Skeleton, Some(skeleton)) => {
                (skeleton.parents.clone(), skeleton.roots().next().unwrap_or(0))
            }
            _ => hanging_on_middle(&own, &joints),
        };
        let mut system = System::new(own.bones);
        let mut halves = None;
        match (model, &rig.skeleton) {
            (Translations::Skeleton, Some(skeleton)) => {
                system.add_joints(&of_skeleton(skeleton, &rig.joint_places(), &own, joints), 1.0);
            }
            (Translations::Edges, _) => {
                let mut beside = System::new(own.bones);
                beside.add_joints(&joints, 1.0);
                halves = Some(add_edges(&mut system, rig, &edges, &main, own.middle));
                let size = if system.size() > 0.0 { system.size() } else { 1.0 };
                system.add_joints(
                    &joints,
                    TUNING.translations.beside_edges * size / beside.size().max(f64::MIN_POSITIVE),
                );
            }
            _ => system.add_joints(&joints, 1.0),
        }
        let mut moves = system.solve(held, halves.as_mut().map_or(&mut [], |h: &mut Halves| &mut h.sums))?;
        let memory = match model {
            Translations::Learned => Some(learn(&own, held, &mut moves, &progress.part(0.5, 1.0))?),
            _ => None,
        };
        Ok(Self { middle: own.middle, held, parents, moves, halves, memory })
    }

    /// Number of bones.
    pub fn bones(&self) -> usize {
        self.parents.len()
    }

    /// The bone to fix where nothing speaks for another: the root of the skeleton, or the bone in the middle
    /// of what hangs together.
    pub fn held(&self) -> usize {
        self.held
    }

    /// The bone that each bone hangs on: its parent in the skeleton, or the way to the held bone over joints
    /// that slip least.
    pub fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    /// The translations that go with `rotations` of all bones (rest pose to posed), given the translation of
    /// one bone.
    ///
    /// # Panics
    /// When there is not one rotation and one slot per bone, or the fixed bone is not there.
    pub fn solve(&self, rotations: &[DMat3], fixed: (usize, DVec3), out: &mut [DVec3]) {
        assert_eq!(rotations.len(), self.bones(), "one rotation per bone");
        assert_eq!(out.len(), self.bones(), "one translation per bone");
        moved(&self.moves, rotations, out);
        if let Some(halves) = &self.halves {
            halves.add(rotations, out);
        }
        if let Some(memory) = &self.memory {
            memory.add(rotations, out);
        }
        let (bone, translation) = fixed;
        let along = rotations[bone] * self.middle + translation - out[bone];
        out.iter_mut().zip(rotations).for_each(|(out, turn)| *out += along - *turn * self.middle);
        // What was given is given back to the last bit.
        out[bone] = translation;
    }

    /// What changes of the bones' linear parts add to the translations if `fixed` is shifted by as much as
    /// given: the linear part of [`solve`](Self::solve) alone. No changes add exactly nothing.
    pub(super) fn shifts(&self, changes: &[(usize, DMat3)], fixed: (usize, DVec3), out: &mut [DVec3]) {
        let n = self.bones();
        let change = |bone: usize| changes.iter().find(|(b, _)| *b == bone).map_or(DMat3::ZERO, |(_, m)| *m);
        for (bone, out) in out.iter_mut().enumerate() {
            *out = changes.iter().map(|&(k, turn)| turn * self.moves[bone * n + k]).sum();
        }
        let (bone, shift) = fixed;
        let along = change(bone) * self.middle + shift - out[bone];
        out.iter_mut().for_each(|out| *out += along);
        changes.iter().for_each(|&(k, turn)| out[k] -= turn * self.middle);
        out[bone] = shift;
    }
}
