//! Characters from files.

use std::path::Path;
use std::sync::{Arc, Mutex};

use sinew::deform::{Example, Pose};
use sinew::progress::Progress;
use sinew_io::Source;
use sinew_io::deform_file::{self, Examples, Setup};

use super::character::{Deforming, NONE, frames_of};
use crate::session::Refusal;
use crate::session::tables::DEFORM;

/// Whether a file holds a posed character, by its name.
pub(crate) fn is_deform(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(DEFORM))
}

/// A character that was read.
pub(in crate::session) struct ReadCharacter {
    pub character: Deforming,
    pub metres_per_unit: Option<f64>,
    pub warnings: Vec<String>,
}

impl ReadCharacter {
    /// Reads and sets up.
    pub fn read(file: &Source, progress: &dyn Progress) -> Result<Self, Refusal> {
        let setup = deform_file::parse(&file.read()?, file.path())?;
        progress.stage("setting up");
        let deformer = setup.deformer(progress)?;
        let Setup { rig, handles, examples, options, metres_per_unit } = setup;
        let mut warnings = Vec::new();
        let rest = Pose::rest(&rig.skeleton.clone().unwrap_or_default(), &rig.joint_places());
        let examples: Vec<(String, Arc<Example>)> = match examples {
            Examples::Shapes(shapes) => shapes.into_iter().map(|(name, e)| (name, Arc::new(e))).collect(),
            Examples::Kept(names, kept) => {
                let name = file.name();
                warnings
                    .push(format!("{name} keeps its examples at anchors: their shapes are what those tell"));
                let shape = |turns| {
                    let pose = Pose { turns, ..rest.clone() };
                    Arc::new(Example { positions: deformer.pose(&pose), pose })
                };
                names.into_iter().zip(kept.examples.into_iter().map(|e| shape(e.turns))).collect()
            }
        };
        let triangles = rig.mesh.triangle_corners(&rig.rest).len().max(1) as f64;
        let anchors = deformer.stored_examples().map(|kept| 100.0 * kept.anchors.len() as f64 / triangles);
        let joint = |vertex: usize| handles.joint(vertex).map_or(NONE, |joint| joint as u32);
        let character = Deforming {
            version: 0,
            joint_of: Arc::new((0..rig.rest.len()).map(joint).collect()),
            painted: true,
            examples,
            anchors,
            pose: Arc::new(vec![[0.0; 3]; rig.bones.len()]),
            sculpted: None,
            shown: frames_of(&rig.rest),
            deformer: Arc::new(Mutex::new(Some(Arc::new(deformer)))),
            options,
            rig: Arc::new(rig),
        };
        Ok(Self { character, metres_per_unit, warnings })
    }
}
