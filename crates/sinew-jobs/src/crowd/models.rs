//! Rigs of a crowd, from files or made up, with their levels of detail and their light.

use std::path::Path;

use serde::Serialize;
use sinew::geometry::{Bounds, Similarity};
use sinew::light::Light;
use sinew::lod::{Level, LodError, LodOptions, Measurer};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew::skin::{SkinOptions, skin};
use sinew_gpu::{GpuError, MAX_LEVELS, Model, ModelOptions};
use sinew_io::formats::Facts;
use sinew_io::open;
use sinew_io::scene::{SampleOptions, SampledRig};
use sinew_sample::{CreatureOptions, creature};

use super::job::{BakedLight, CrowdJob};
use crate::error::{JobError, Outcome};
use crate::lod;
use crate::refusals::CrowdRefusal;
use crate::units;
use crate::warning::Warning;
use sinew_picture::UpAxis;

/// Rigs larger or smaller than the first by more than this, in its unit where files tell theirs, come in others all the same
/// and are brought to its size.
const OTHER_UNITS: f64 = 4.0;

/// Where the levels of a rig are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LevelSource {
    /// The file has them.
    File,
    /// They were made for the crowd.
    Simplified,
    /// There are none.
    None,
}

/// What is known of a rig of the crowd besides what is drawn.
pub struct Source {
    pub levels: LevelSource,
    /// Shapes of its baked light, 0 where it has none.
    pub light: usize,
    /// What was found amiss.
    pub warnings: Vec<Warning>,
}

/// A rig as it was read.
struct Subject {
    name: String,
    rig: Rig,
    /// Those of the file, finer ones first.
    levels: Vec<Level>,
    light: Option<Light>,
    warnings: Vec<Warning>,
    /// What is known of its numbers.
    facts: Facts,
}

/// All rigs, ready to be drawn.
pub fn models(job: &CrowdJob, progress: &dyn Progress) -> Outcome<(Vec<Model>, Vec<Source>)> {
    progress.stage("reading");
    let options = SampleOptions { clips: job.clip.iter().cloned().collect(), ..SampleOptions::default() };
    let mut subjects: Vec<Subject> = match job.rigs.is_empty() {
        true => vec![sample(progress)?],
        false => job.rigs.iter().map(|path| read(path, &options)).collect::<Outcome<_>>()?,
    };
    let facts = subjects[0].facts.clone();
    for subject in &mut subjects {
        subject.rig.change(&Similarity::scaling(units::factor([&facts, &subject.facts])));
    }
    progress.stage("simplifying");
    let first = Bounds::of(&subjects[0].rig.rest).diagonal();
    subjects.into_iter().map(|subject| model(job, subject, first, progress)).collect()
}

fn read(path: &Path, options: &SampleOptions) -> Outcome<Subject> {
    let (SampledRig { rig, warnings, light, facts, .. }, levels) = open::rig_and_levels(path, options)?;
    let name = path.display().to_string();
    let warnings = warnings
        .into_iter()
        .map(|w| Warning::Of { name: name.clone(), warning: Box::new(w.into()) })
        .collect();
    Ok(Subject { name, rig, levels, light, warnings, facts })
}

/// The built-in creature with bones.
fn sample(progress: &dyn Progress) -> Outcome<Subject> {
    let animation = creature(&CreatureOptions::default());
    let options = SkinOptions { bones: Some(28), ..SkinOptions::default() };
    let name = "the creature".to_string();
    let skinned = skin(&animation, &options, progress);
    let rig = skinned.map_err(|error| JobError::Skin { source_name: name.clone(), error })?.rig;
    let facts = Facts::default();
    Ok(Subject { name, rig, levels: Vec::new(), light: None, warnings: Vec::new(), facts })
}

/// One rig ready to be drawn beside others, the first of which has a diagonal of `first`.
fn model(job: &CrowdJob, subject: Subject, first: f64, progress: &dyn Progress) -> Outcome<(Model, Source)> {
    let Subject { name, rig, levels: stored, light, mut warnings, .. } = subject;
    let (levels, levels_from) = match (job.lod, stored.is_empty()) {
        (false, _) => (Ok(Vec::new()), LevelSource::None),
        (true, false) => (with_errors(&rig, stored, progress), LevelSource::File),
        (true, true) => (simplified(&rig, progress), LevelSource::Simplified),
    };
    let mut levels = levels.map_err(|error| JobError::lod(&name, error))?;
    // Where no more edges can go, levels are as fine as the one before.
    levels.dedup_by_key(|level| level.triangle_count());
    let ratio = first / Bounds::of(&rig.rest).diagonal();
    let other = ratio.is_finite() && !(1.0 / OTHER_UNITS..=OTHER_UNITS).contains(&ratio);
    let options = ModelOptions { z_up: job.up == UpAxis::Z, scale: if other { ratio } else { 1.0 } };
    let mut model = Model::new(&rig, &levels, &options).map_err(|e| match e {
        GpuError::Nobody => JobError::from(CrowdRefusal::Nobody(name.clone())),
        e => e.into(),
    })?;
    let light = light.filter(|_| job.light == BakedLight::On);
    if let Some(light) = &light {
        model = model.with_light(light)?;
    }
    if levels.len() >= MAX_LEVELS {
        let warning = Box::new(Warning::FinestLevels { most: MAX_LEVELS - 1 });
        warnings.push(Warning::Of { name, warning });
    }
    Ok((model, Source { levels: levels_from, light: light.map_or(0, |l| l.rank()), warnings }))
}

/// Levels made for the crowd.
fn simplified(rig: &Rig, progress: &dyn Progress) -> Result<Vec<Level>, LodError> {
    let found = lod::levels(rig, &lod::usual_levels(rig), &LodOptions::default(), progress)?;
    Ok(found.into_iter().map(|(_, level)| level).collect())
}

/// Levels of a file. Those that do not say how far off they are are measured; empty ones are left out.
fn with_errors(rig: &Rig, mut levels: Vec<Level>, progress: &dyn Progress) -> Result<Vec<Level>, LodError> {
    levels.retain(|level| level.triangle_count() > 0);
    let full = rig.mesh.triangles(&rig.rest).len();
    if levels.iter().any(|level| is_unknown(level, full)) {
        let measurer = Measurer::new(rig)?;
        for level in levels.iter_mut().filter(|level| is_unknown(level, full)) {
            level.error = measurer.measure(level, progress)?.max / 100.0;
        }
    }
    Ok(levels)
}

/// Whether a level cannot be as exact as it says.
fn is_unknown(level: &Level, full: usize) -> bool {
    level.error == 0.0 && level.triangle_count() < full
}
