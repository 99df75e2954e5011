//! What is drawn, as it is read from files.

use std::path::Path;

use sinew::animation::MeshAnimation;
use sinew::geometry::{Bounds, Mesh};
use sinew::progress::Progress;
use sinew::rig::Bone;
use sinew_io::Source;
use sinew_io::formats::sinew_file::{Contents, Stored};
use sinew_io::formats::{GLTF, Said, gltf};
use sinew_io::open::{self, OpenOptions};
use sinew_io::scene::SampleOptions;

use super::job::{PictureColor, PictureJob};
use crate::error::Outcome;
use crate::pair::{self, Pair, one};
use crate::refusals::PictureRefusal;

/// What is drawn: poses, and what colours need to know.
pub struct Subject {
    pub animation: MeshAnimation,
    pub source: String,
    pub rig: Option<Stored>,
    /// The animation that errors are measured from, and its diagonal.
    pub original: Option<(MeshAnimation, f64)>,
}

/// The level of detail asked for, which is over the vertices of the whole.
pub fn level(job: &PictureJob) -> Outcome<Mesh> {
    let none = |count: usize| {
        let file = job.file.clone();
        Err(PictureRefusal::NoLevel { file, level: job.level, levels: count }.into())
    };
    if !job.file.is_file() || open::format(&job.file)? != &GLTF {
        return none(0);
    }
    let mut levels = gltf::open(&job.file)?.rig_and_levels(&job.sampling())?.1;
    if job.level > levels.len() {
        return none(levels.len());
    }
    Ok(levels.swap_remove(job.level - 1).mesh)
}

/// Reads what is drawn.
pub fn subject(job: &PictureJob, color: PictureColor, progress: &dyn Progress) -> Outcome<Subject> {
    let options =
        OpenOptions { fps: job.fps, clips: job.clip.iter().cloned().collect(), ..OpenOptions::default() };
    if let (PictureColor::Error, Some(against)) = (color, &job.against) {
        return measured(job, against, &options, progress);
    }
    let options = OpenOptions { rest: job.rest.as_ref().map(Source::from), ..options };
    let opened = open::animation(&one(&job.file), &options, progress)?;
    let rig = rig(job, color, opened.animation.frames.len())?;
    Ok(Subject { animation: opened.animation, source: opened.source, rig, original: None })
}

/// The rig, where colours or bones are those of one.
fn rig(job: &PictureJob, color: PictureColor, frames: usize) -> Outcome<Option<Stored>> {
    let sampling = job.sampling();
    if job.skeleton {
        return with_skeleton(&job.file, &sampling, frames).map(Some);
    }
    let needed = matches!(color, PictureColor::Bones | PictureColor::Weights);
    Ok(if needed { Some(open::rig_or_chain(&job.file, &sampling)?.stored) } else { None })
}

/// The rig of a file that is known to hold `frames` poses.
fn with_skeleton(path: &Path, sampling: &SampleOptions, frames: usize) -> Outcome<Stored> {
    let none = || Err(PictureRefusal::NoSkeleton(path.into()).into());
    if path.is_dir() {
        return none();
    }
    match open::rig_or_chain(path, sampling) {
        Ok(Contents { stored: Stored::Rig(rig), .. }) if rig.skeleton.is_some() => {
            if rig.frame_count() == frames {
                return Ok(Stored::Rig(rig));
            }
            let skeleton = rig.frame_count();
            Err(PictureRefusal::SkeletonFrames { file: path.into(), skeleton, body: frames }.into())
        }
        Ok(_) | Err(sinew_io::Error::Unsupported { .. }) => none(),
        Err(error) => Err(error.into()),
    }
}

/// The file, and the animation it is measured from. Either may be a cache: the rest mesh has the faces.
fn measured(
    job: &PictureJob,
    against: &Path,
    options: &OpenOptions,
    progress: &dyn Progress,
) -> Outcome<Subject> {
    let Pair { original, mut approximation, .. } =
        pair::open([against, &job.file], options, &Said::default(), progress)?;
    let mut diagonal = original.animation.rest_bounds().diagonal();
    if let Some(path) = &job.rest {
        let positions = pair::rest_positions(path, &approximation)?;
        diagonal = Bounds::of(&positions).diagonal();
        if approximation.animation.mesh.face_count() == 0 {
            approximation.animation.mesh = open::rest(path, Some(positions.len()))?.mesh;
            approximation.animation.rest = Some(positions);
        }
    }
    if approximation.animation.mesh.face_count() == 0 {
        if original.animation.mesh.face_count() == 0 {
            return Err(PictureRefusal::NoFaces(approximation.source).into());
        }
        approximation.animation.mesh = original.animation.mesh.clone();
    }
    Ok(Subject {
        rig: rig(job, PictureColor::Error, approximation.animation.frames.len())?,
        animation: approximation.animation,
        source: approximation.source,
        original: Some((original.animation, diagonal)),
    })
}

/// The number of a bone that is asked for by name or number. A name that reads like a number is a name.
pub fn bone(bones: &[Bone], wanted: &str, source: &str) -> Outcome<usize> {
    let by_name = bones.iter().position(|bone| bone.name == wanted);
    let by_number = || wanted.parse().ok().filter(|number| *number < bones.len());
    if let Some(number) = by_name.or_else(by_number) {
        return Ok(number);
    }
    Err(PictureRefusal::NoBone {
        source_name: source.into(),
        wanted: wanted.into(),
        bones: bones.iter().map(|bone| bone.name.clone()).collect(),
    }
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bones_are_found_by_name_and_by_number() {
        let named =
            |name: &str| Bone { name: name.into(), center: glam::DVec3::ZERO, rigid: true, axes: None };
        let bones = ["root", "limb1_1", "0"].map(named);
        let found = |wanted: &str| bone(&bones, wanted, "rig.glb").map_err(|e| e.to_string());
        assert_eq!(found("limb1_1"), Ok(1));
        assert_eq!(found("2"), Ok(2));
        assert_eq!(found("0"), Ok(2), "names come first");
        assert_eq!(
            found("Root").unwrap_err(),
            "rig.glb: there is no bone Root; the bones are 0 to 2: root, limb1_1, 0"
        );
        assert!(found("3").is_err() && found("-1").is_err() && found("").is_err());
    }
}
