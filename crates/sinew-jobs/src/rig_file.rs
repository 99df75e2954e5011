//! The file a rig becomes.

use std::path::Path;

use sinew::animation::{ErrorMeasure, Measured, MeshAnimation, compare};
use sinew::geometry::{Similarity, corner_normals};
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew_io::Source;
use sinew_io::formats::gltf;
use sinew_io::formats::sinew_file::{self, Contents, Stored};
use sinew_io::formats::{self, Content, Facts, RigOptions};
use sinew_io::open::{self, Opened};
use sinew_io::scene::{SampleOptions, SampledRig};

use crate::error::{FieldProblem, JobError, Outcome};
use crate::loss::Loss;
use crate::lost;
pub use crate::names::has_extension;
use crate::refusals::FileRefusal;
use crate::report::{ClipReport, clip_reports};
use crate::units;
use crate::warning::{Warning, told};

/// Checks that a rig can be written to a file of this name, before any work.
pub fn check_name(output: &Path, compact: Option<f64>) -> Outcome<()> {
    if formats::to_write(output).is_none_or(|format| !format.writes.rig) {
        let known = formats::ALL.iter().filter(|format| format.writes.rig).flat_map(|format| format.written);
        let known: Vec<String> = known.map(|ending| format!("*.{ending}")).collect();
        return Err(JobError::RigName { path: output.into(), known });
    }
    if compact.is_some() && !has_extension(output, "glb") {
        return Err(JobError::CompactFormat);
    }
    Ok(())
}

/// Checks how much less is to be stored, in percent.
pub fn check_compact(compact: Option<f64>) -> Outcome<()> {
    match compact.filter(|percent| !(*percent > 0.0 && percent.is_finite())) {
        Some(percent) => JobError::field("compact", FieldProblem::NotPositivePercent(percent)),
        None => Ok(()),
    }
}

/// What a file has besides its rig that only some jobs keep: levels of detail and light.
pub fn beside_rig(path: &Path) -> Outcome<Vec<Loss>> {
    if !path.is_file() || open::format(path)? != &formats::GLTF {
        return Ok(Vec::new());
    }
    let file = gltf::open(path)?;
    let levels = file.level_triangles()?.len().saturating_sub(1);
    let light = file.has_light().then_some(Loss::Light);
    Ok((levels > 0).then_some(Loss::Levels(levels)).into_iter().chain(light).collect())
}

/// The same as a warning, of a job that keeps neither.
pub fn left_behind(path: &Path) -> Outcome<Option<Warning>> {
    let lost = beside_rig(path)?;
    Ok((!lost.is_empty()).then(|| Warning::NotKept { path: path.into(), lost }))
}

/// How a rig file is read to have the frames of `animation`.
pub fn sampling(animation: &MeshAnimation) -> SampleOptions {
    match &animation.clips[..] {
        [] => SampleOptions { fps: Some(animation.fps), ..SampleOptions::default() },
        _ => SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() },
    }
}

/// The bytes of a file.
pub struct Encoded {
    /// All of them.
    pub bytes: Vec<u8>,
    /// What could not be stored as it is, or not at all.
    pub warnings: Vec<Warning>,
    /// How many joints it has, of formats in which a bone can take several.
    pub joints: Option<usize>,
}

/// A file that was written.
pub struct Written {
    /// Sizes of files.
    pub bytes: u64,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
    /// How many joints it has, of formats in which a bone can take several.
    pub joints: Option<usize>,
    /// The rig as the file holds it, and how good it is, as a whole and clip by clip, where it differs from the one written.
    pub measured: Option<(Rig, Measured, Vec<ClipReport>)>,
}

/// Writes the rig.
pub fn write(
    path: &Path,
    rig: &Rig,
    opened: &Opened,
    compact: Option<f64>,
    measure: bool,
    progress: &dyn Progress,
) -> Outcome<Written> {
    let Encoded { bytes, warnings, joints } = encode(path, rig, opened, compact)?;
    let measured = if measure {
        let rig = read_back(&bytes, path, opened, opened.animation.frames.len())?;
        let (whole, clips) = measure_clips(&rig, &opened.animation);
        Some((rig, whole, clips))
    } else {
        None
    };
    progress.check()?;
    let bytes = sinew_io::save(path, |out| out.write_all(&bytes))?;
    Ok(Written { bytes, warnings, joints, measured })
}

/// The bytes of the file that a rig becomes, and what could not be stored as it is.
pub fn encode(path: &Path, rig: &Rig, opened: &Opened, compact: Option<f64>) -> Outcome<Encoded> {
    Writing::of(rig, opened).encode(path, rig, compact)
}

/// What a file needs to know of a rig that is not in the rig: where it is kept in memory, to be written later.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Writing {
    /// The name of its clip, if it states none.
    pub clip: Option<String>,
    /// As in [`RigOptions`].
    pub keep_normals: bool,
    /// What is known of its numbers.
    pub facts: Facts,
}

impl Writing {
    /// Of a rig that was made of an animation.
    pub fn of(rig: &Rig, opened: &Opened) -> Self {
        let animation = &opened.animation;
        let mesh_pose = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
        // Shading normals were modelled for the pose that came with the mesh and fit no other.
        let keep_normals = rig.rest == mesh_pose;
        Self { clip: opened.clip.clone(), keep_normals, facts: opened.facts.clone() }
    }

    /// The bytes of the file that the rig becomes, and what could not be stored as it is.
    ///
    /// # Errors
    /// When no rig is written to files of that name.
    pub fn encode(&self, path: &Path, rig: &Rig, compact: Option<f64>) -> Outcome<Encoded> {
        if has_extension(path, "sinew") && rig.mesh.normals.is_some() && !self.keep_normals {
            let mut rig = rig.clone();
            rig.mesh.normals = Some(corner_normals(&rig.mesh, &rig.rest));
            return encode_rig(path, &rig, self.clip.as_deref(), true, compact, &self.facts);
        }
        encode_rig(path, rig, self.clip.as_deref(), self.keep_normals, compact, &self.facts)
    }
}

/// The same for a rig on its own, with the name of its clip if it states none, and what is known of its numbers.
/// `keep_normals` as in [`RigOptions`].
pub fn encode_rig(
    path: &Path,
    rig: &Rig,
    clip: Option<&str>,
    keep_normals: bool,
    compact: Option<f64>,
    facts: &Facts,
) -> Outcome<Encoded> {
    check_name(path, compact)?;
    let format = formats::to_write(path).ok_or_else(|| FileRefusal::NoName(path.into()))?;
    let options = RigOptions { clip, keep_normals, compact, facts: facts.clone(), ..RigOptions::default() };
    let (file, warnings) = format.to_bytes(path, Content::Rig(rig, &options))?;
    let lost = lost::list(&lost::Content::of_rig(rig, clip, facts), format, None);
    let mut warnings = told(warnings);
    if !lost.is_empty() {
        warnings.push(Warning::NotKept { path: path.into(), lost });
    }
    Ok(Encoded { bytes: file.bytes, warnings, joints: file.joints })
}

/// The bytes of the file that a rig becomes which was read from a file itself, with one clip of that name.
pub fn encode_alone(path: &Path, rig: &Rig, clip: &str, facts: &Facts) -> Outcome<Encoded> {
    encode_rig(path, rig, Some(clip).filter(|clip| !clip.is_empty()), true, None, facts)
}

/// The rig in a file as a reader sees it, sampled like the animation that was opened and in its unit. It has to have as
/// many frames and vertices as went into it.
pub fn read_back(bytes: &[u8], path: &Path, opened: &Opened, frames: usize) -> Outcome<Rig> {
    let animation = &opened.animation;
    let (mut rig, facts) = if has_extension(path, "sinew") {
        let Contents { stored, facts, .. } = sinew_file::parse(bytes, path)?;
        match stored {
            Stored::Rig(rig) => (rig, facts),
            Stored::Chain(_) => return Err(JobError::NoRig),
        }
    } else {
        let SampledRig { rig, facts, .. } = open::rig(Source::bytes(path, bytes), &sampling(animation))?;
        (rig, facts)
    };
    rig.change(&Similarity::scaling(units::factor([&opened.facts, &facts])));
    let vertices = animation.frames.vertex_count();
    if rig.frame_count() != frames || rig.rest.len() != vertices {
        let (found, wanted) = ([rig.frame_count(), rig.rest.len()], [frames, vertices]);
        return Err(FileRefusal::WrittenOtherwise { path: path.into(), found, wanted }.into());
    }
    Ok(rig)
}

/// The error of a file as a reader sees it, rounding and dropped keys included.
pub fn measure_file(bytes: &[u8], path: &Path, opened: &Opened) -> Outcome<(Measured, Vec<ClipReport>)> {
    let rig = read_back(bytes, path, opened, opened.animation.frames.len())?;
    Ok(measure_clips(&rig, &opened.animation))
}

/// How good a rig of as many frames and vertices as the animation is, as a whole and clip by clip.
pub fn measure_clips(rig: &Rig, animation: &MeshAnimation) -> (Measured, Vec<ClipReport>) {
    let player = Player::new(rig);
    (compare(animation, &player, animation.rest_bounds()), clip_reports(animation, &player))
}

/// The error of a rig of as many frames and vertices as the animation.
pub fn measure_rig(rig: &Rig, animation: &MeshAnimation) -> ErrorMeasure {
    compare(animation, &Player::new(rig), animation.rest_bounds()).error
}
