//! What is done towards a shared skin once it is learnt: sums of some shots, and the skin of all sums.

use std::path::{Path, PathBuf};

use glam::{DAffine3, Vec3};
use serde::{Deserialize, Serialize};
use sinew::animation::Frames;
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew::skin::{DescentOptions, FrameSolver, SkinSums, SumsOptions};
use sinew_io::formats::sinew_file::{self, Label};
use sinew_io::open;
use sinew_io::scene::{PoseStream, SampleOptions, SampledRig};

use crate::error::Outcome;
use crate::source::Source;
use crate::units;

/// Frames that go by together.
const TOGETHER: usize = 32;

/// What the frames of some shots come to, for a skin that is learnt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SumUp {
    /// How shots are read.
    pub source: Source,
    /// The inputs of each.
    pub shots: Vec<Vec<PathBuf>>,
    /// The skin.
    pub skin: PathBuf,
    /// Numbers of eight bytes, the least significant first.
    pub output: PathBuf,
}

/// The skin that sums of all shots make of one that was learnt from some.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SolveSkin {
    /// Sums, in the order in which they are added.
    pub sums: Vec<PathBuf>,
    /// The skin.
    pub skin: PathBuf,
    /// How smooth weights are.
    pub smooth: Option<f64>,
    /// Leaves the rest pose as it is.
    pub keep_rest: bool,
    /// The rig, in its rest pose.
    pub output: PathBuf,
}

impl SumUp {
    /// Sums up. A shot that cannot be read, or is of another mesh, is left to its own job, which says why.
    pub fn run(&self, progress: &dyn Progress) -> Outcome<()> {
        let SampledRig { rig, facts, .. } = open::rig(&self.skin, &SampleOptions::default())?;
        let (solver, mut sums) = (FrameSolver::of(&rig), SkinSums::new(&rig));
        for shot in &self.shots {
            let Ok(stream) = open::stream(shot, &self.source.options()) else { continue };
            if stream.vertex_count() == rig.rest.len() {
                let factor = units::factor([&facts, &stream.facts]);
                add(&mut sums, (&rig, &solver), stream, factor as f32, progress)?;
            }
        }
        let bytes: Vec<u8> = sums.values().iter().flat_map(|value| value.to_le_bytes()).collect();
        sinew_io::save(&self.output, |out| out.write_all(&bytes))?;
        Ok(())
    }
}

/// Adds the frames of a shot as far as it can be read, `factor` times as large.
fn add(
    sums: &mut SkinSums,
    (rig, solver): (&Rig, &FrameSolver),
    mut stream: PoseStream,
    factor: f32,
    progress: &dyn Progress,
) -> Outcome<()> {
    loop {
        let mut poses: Vec<Vec<Vec3>> = Vec::new();
        let mut pose = vec![Vec3::ZERO; rig.rest.len()];
        while poses.len() < TOGETHER && stream.next_into(&mut pose).unwrap_or(false) {
            if pose.iter().all(|p| p.is_finite()) {
                poses.push(pose.iter().map(|p| *p * factor).collect());
            }
        }
        progress.check()?;
        if poses.is_empty() {
            return Ok(());
        }
        sums.add(rig, solver, &Frames::from_poses(&poses));
    }
}

impl SolveSkin {
    /// Solves the skin.
    pub fn run(&self, progress: &dyn Progress) -> Outcome<()> {
        let SampledRig { mut rig, facts, .. } = open::rig(&self.skin, &SampleOptions::default())?;
        let mut sums = SkinSums::new(&rig);
        for path in &self.sums {
            progress.check()?;
            if !sums.add_values(&values(path)?) {
                return Err(sinew_io::Error::malformed(path, "holds no sums of this skin").into());
            }
        }
        let smoothness = self.smooth.unwrap_or(DescentOptions::default().smoothness);
        sums.solve(&mut rig, SumsOptions { smoothness, keep_rest: self.keep_rest });
        // Motion is of each shot; a file of a rig holds some.
        rig.transforms = vec![DAffine3::IDENTITY; rig.bones.len()];
        rig.clips.clear();
        rig.nodes.clear();
        let label = Label { metres_per_unit: facts.metres_per_unit, ..Label::default() };
        sinew_file::write_rig(&self.output, &rig, label)?;
        Ok(())
    }
}

fn values(path: &Path) -> Outcome<Vec<f64>> {
    let bytes = std::fs::read(path).map_err(sinew_io::Error::io(path))?;
    let value = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
    Ok(bytes.chunks(size_of::<f64>()).map(value).collect())
}
