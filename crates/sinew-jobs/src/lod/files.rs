//! Levels of bones: a rig with fewer of them each, in files of their own.
//!
//! That is how engines take them: Unreal and Unity read a level from a file, and by its name know which it is. Levels that
//! share one file would have to share its skin, and a skin has all joints or is another.

use std::path::{Path, PathBuf};
use std::time::Instant;

use sinew::lod::{BoneLevel, Level, LodOptions, Measurer, fewer_bones, simplify};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_picture::{Coloring, PictureOptions, Shot, render};

use super::job::{LodJob, Read};
use super::ladder::{ladder, short_of};
use super::report::{LevelReport, LodReport, LodSeconds};
use crate::engines::{advice, engines_of};
use crate::error::{JobError, Outcome};
use crate::loss::Loss;
use crate::pictures::{bone_colors, save_png};
use crate::poses::is_folder;
use crate::refusals::LodRefusal;
use crate::report::peak_memory;
use crate::rig_file::{Encoded, beside_rig, encode_rig};
use crate::streams::is_output;
use crate::target::Staged;
use crate::units::Units;
use crate::warning::{Warning, told};
use crate::words::count;

/// Refuses what cannot be files of their own.
pub(super) fn check(job: &LodJob) -> Outcome<()> {
    if job.bones.is_empty() {
        return match job.format {
            None => Ok(()),
            Some(_) => Err(LodRefusal::FormatOfOne.into()),
        };
    }
    if !is_folder(&job.output) || is_output(&job.output) {
        return Err(LodRefusal::NotAFolder(job.output.clone()).into());
    }
    let (levels, bones) = (job.levels.len(), job.bones.len());
    match levels == 0 || levels == bones {
        true => Ok(()),
        false => Err(LodRefusal::Unpaired { levels, bones }.into()),
    }
}

/// A level that is to be written.
struct Coarse {
    /// With all vertices.
    whole: Rig,
    /// Its own surface, where it has fewer triangles.
    surface: Option<Level>,
}

impl Coarse {
    /// The rig that is written.
    fn rig(&self) -> Rig {
        match &self.surface {
            Some(surface) => surface.rig(&self.whole),
            None => self.whole.clone(),
        }
    }
}

/// Makes, measures and writes all levels.
pub(super) fn perform(job: &LodJob, begun: Instant, progress: &dyn Progress) -> Outcome<LodReport> {
    let seconds = || begun.elapsed().as_secs_f64();
    let staged = Staged::new(&job.output)?;
    let Read { rig, facts, clip, mut warnings, .. } = job.read(progress)?;
    warnings.extend(lost(job, &rig)?);
    let read = seconds();
    let refuse = |error| JobError::lod(job.rig.display(), error);
    progress.stage("bones");
    let found = fewer_bones(&rig, &job.bones, progress).map_err(refuse)?;
    let surfaces = if job.levels.is_empty() {
        vec![None; found.len()]
    } else {
        progress.stage("simplifying");
        let options = LodOptions { poses: job.poses, ..LodOptions::default() };
        let details = ladder(&rig, &job.levels);
        let levels = simplify(&rig, &details, &options, progress).map_err(refuse)?;
        warnings.extend(details.iter().zip(&levels).filter_map(|(wanted, level)| short_of(wanted, level)));
        levels.into_iter().map(Some).collect()
    };
    let simplified = seconds();
    progress.stage("measuring");
    let measurer = Measurer::new(&rig).map_err(refuse)?;
    let triangles = rig.mesh.triangles(&rig.rest).len();
    let mut reports = vec![LevelReport::full(triangles, rig.bones.len())];
    reports[0].bytes = std::fs::metadata(&job.rig).map_or(0, |file| file.len());
    let mut coarse = Vec::with_capacity(found.len());
    for ((BoneLevel { rig: whole, error }, surface), &asked) in
        found.into_iter().zip(surfaces).zip(&job.bones)
    {
        progress.check()?;
        let left = whole.bones.len();
        warnings.extend((left > asked).then_some(Warning::BonesLeft { asked, left }));
        reports.push(match &surface {
            None => LevelReport::of_bones(triangles, left, &error),
            Some(level) => {
                let error = measurer.measure_on(level, &whole, progress).map_err(refuse)?;
                LevelReport::new(level, left, error)
            }
        });
        coarse.push(Coarse { whole, surface });
    }
    let measured = seconds();
    progress.stage("writing");
    let ending = job.format.unwrap_or_default();
    let stem = job.rig.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let (mut engines, mut file_joints, mut bytes) = (Vec::new(), rig.bones.len(), 0);
    for (number, (level, report)) in coarse.iter().zip(&mut reports[1..]).enumerate() {
        progress.check()?;
        let name = format!("{stem}_LOD{}.{ending}", number + 1);
        let (path, rig) = (staged.path().join(&name), level.rig());
        let file = encode_rig(&path, &rig, clip.as_deref(), true, None, &facts)?;
        let Encoded { bytes: content, warnings: said, joints } = file;
        report.bytes =
            sinew_io::save(&path, |out| out.write_all(&content)).map_err(|e| staged.told(e.into()))?;
        report.file = Some(job.output.join(&name));
        bytes += report.bytes;
        if number == 0 {
            // Levels differ in nothing that engines or formats drop.
            file_joints = joints.unwrap_or(rig.bones.len());
            engines = engines_of(&rig, &path, false);
            warnings.extend(told(said));
        }
    }
    staged.commit()?;
    if let Some(path) = &job.picture {
        draw(path, &rig, &coarse)?;
    }
    warnings.extend(advice(&engines, 0.0));
    let named = PathBuf::from("level").with_extension(ending.to_string());
    let units = Units::of_file(&facts, Some(&named));
    warnings.extend(units.doubt(job.scale));
    let seconds =
        LodSeconds { read, simplify: simplified - read, measure: measured - simplified, total: seconds() };
    Ok(LodReport {
        rig: job.rig.display().to_string(),
        frames: rig.frame_count(),
        vertices: rig.rest.len(),
        bones: rig.bones.len(),
        levels: reports,
        file_joints,
        engines,
        units,
        seconds,
        bytes,
        peak_memory: peak_memory(),
        warnings,
    })
}

/// What does not come along.
fn lost(job: &LodJob, rig: &Rig) -> Outcome<Option<Warning>> {
    let mut lost = beside_rig(&job.rig)?;
    if rig.skeleton.is_none() && rig.rank() > 0 {
        lost.push(Loss::Corrections(rig.rank()));
    }
    Ok((!lost.is_empty()).then(|| Warning::NotKept { path: job.rig.clone(), lost }))
}

/// Draws the whole rig and all levels in the middle of the motion, triangles in the colours of their bones.
fn draw(path: &Path, rig: &Rig, coarse: &[Coarse]) -> Outcome<()> {
    let rigs: Vec<Rig> = std::iter::once(rig.clone()).chain(coarse.iter().map(Coarse::rig)).collect();
    let drawn: Vec<_> = rigs
        .iter()
        .map(|rig| {
            let triangles = rig.mesh.triangles(&rig.rest);
            let colors = bone_colors(&rig.weights, rig.bones.len(), &triangles);
            (rig.pose(rig.frame_count() / 2), triangles, colors)
        })
        .collect();
    let shots: Vec<Shot> = rigs
        .iter()
        .zip(&drawn)
        .map(|(rig, (positions, triangles, colors))| Shot {
            mesh: &rig.mesh,
            positions,
            triangles: Some(triangles),
            coloring: Coloring::FaceColors(colors),
            skeleton: None,
            title: format!(
                "{}, {}",
                count(rig.bones.len(), "bone", "bones"),
                count(triangles.len(), "triangle", "triangles")
            ),
        })
        .collect();
    save_png(path, &render(&shots, &PictureOptions::default())?)
}
