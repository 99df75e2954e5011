//! What a `.deform` file holds.

use glam::DVec3;
use sinew::deform::{Character, DeformOptions, Deformer, Example, Handles, StoredExamples};
use sinew::progress::Progress;
use sinew::rig::{Rig, Skeleton};

/// A character with everything it is set up from.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Mesh, rest pose, bones, their skeleton and weights.
    pub rig: Rig,
    /// Which vertices follow one joint alone.
    pub handles: Handles,
    /// Its examples.
    pub examples: Examples,
    /// How it is set up.
    pub options: DeformOptions,
    /// How many metres a unit is, where that is known.
    pub metres_per_unit: Option<f64>,
}

/// Examples of a character.
#[derive(Clone, Debug, PartialEq)]
pub enum Examples {
    /// Shapes by name.
    Shapes(Vec<(String, Example)>),
    /// Names of shapes, and what is kept of them at anchors.
    Kept(Vec<String>, StoredExamples),
}

impl Setup {
    /// Where the joints are in the rest pose.
    pub fn joints(&self) -> Vec<DVec3> {
        self.rig.joint_places()
    }

    /// The joint tree; empty for a rig without, which no file holds.
    pub fn skeleton(&self) -> Skeleton {
        self.rig.skeleton.clone().unwrap_or_default()
    }

    /// Sets the character up.
    ///
    /// # Errors
    /// As [`Deformer::new`].
    pub fn deformer(
        &self,
        progress: &dyn Progress,
    ) -> std::result::Result<Deformer, sinew::deform::DeformError> {
        let (skeleton, joints) = (self.skeleton(), self.joints());
        let character =
            Character { mesh: &self.rig.mesh, rest: &self.rig.rest, skeleton: &skeleton, joints: &joints };
        match &self.examples {
            Examples::Shapes(shapes) => {
                let examples: Vec<Example> = shapes.iter().map(|(_, example)| example.clone()).collect();
                Deformer::new(&character, &self.handles, &examples, &self.options, progress)
            }
            Examples::Kept(_, kept) => {
                Deformer::with_stored(&character, &self.handles, kept, &self.options, progress)
            }
        }
    }

    /// The same with the examples as `deformer`, which was made of it, keeps them at anchors, if it does: far
    /// smaller, and faster to set up.
    pub fn kept_by(self, deformer: &Deformer) -> Self {
        let Some(kept) = deformer.stored_examples() else { return self };
        Self { examples: Examples::Kept(self.example_names(), kept), ..self }
    }

    /// Names of the examples, in the order they were given in.
    pub fn example_names(&self) -> Vec<String> {
        match &self.examples {
            Examples::Shapes(shapes) => shapes.iter().map(|(name, _)| name.clone()).collect(),
            Examples::Kept(names, _) => names.clone(),
        }
    }
}
