//! Rigs that fits begin with, and what stays of them, from files.

use std::path::Path;

use sinew::geometry::{Bounds, Similarity};
use sinew::rig::Rig;
use sinew::skin::{MethodName, Skin, Solve};
use sinew_io::Source;
use sinew_io::open::Opened;
use sinew_io::open::units::Agreed;

use super::fit::Fit;
use super::fitting::Given;
use crate::error::Outcome;
use crate::pair::rig_like;
use crate::refusals::{GivenRefusal, RigDiffers};
use crate::rig_file::sampling;
use crate::units::beside;
use crate::warning::{Warning, told};

/// The rig that a fit begins with, brought to the animation's frames, and what should be told about it.
pub(super) fn read(fit: &Fit, opened: &Opened) -> Outcome<(Option<Given>, Vec<Warning>)> {
    let Some(path) = fit.start_rig.as_ref().or(fit.bones_from.as_ref()) else {
        return Ok((None, Vec::new()));
    };
    let animation = &opened.animation;
    let (frames, vertices) = (animation.frames.len(), animation.frames.vertex_count());
    let sampled = rig_like(path, vertices, &sampling(animation))?;
    let (mut rig, mut warnings) = (sampled.rig, told(sampled.warnings));
    let pose = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
    let sizes = [pose, &rig.rest].map(|pose| Bounds::of(pose).diagonal());
    let names = [opened.source.as_str(), &path.display().to_string()];
    if let Some(Agreed { factor, warning }) = beside([&opened.facts, &sampled.facts], names, sizes) {
        rig.change(&Similarity::scaling(factor));
        warnings.push(warning.into());
    }
    let is_sma = fit.method() == MethodName::Sma;
    let differs = |in_frames, found, expected| RigDiffers {
        path: path.clone(),
        in_frames,
        found,
        at_fps: is_sma.then_some(animation.fps),
        source_name: opened.source.clone(),
        expected,
    };
    if rig.rest.len() != vertices {
        return Err(GivenRefusal::Differs(differs(false, rig.rest.len(), vertices)).into());
    }
    let same_frames = rig.frame_count() == frames;
    if !same_frames {
        let differs = differs(true, rig.frame_count(), frames);
        let only_weights = fit.bones_from.is_some() || fit.solve == Some(Solve::Weights);
        if only_weights || !fit.lock_bones.is_empty() {
            return Err(GivenRefusal::Differs(differs).into());
        }
        // Where only transforms are solved, nothing else of it was to be used.
        if fit.solve != Some(Solve::Transforms) {
            warnings.push(Warning::OnlyWeightsUsed(differs));
        }
    }
    let locked_bones = locked_bones(&rig, &fit.lock_bones, path)?;
    let locked_vertices = match &fit.lock_vertices {
        Some(mask) => locked_vertices(mask, vertices)?,
        None => Vec::new(),
    };
    let bones = rig.bones.clone();
    let mut skin = Skin::from(rig);
    if !same_frames {
        skin.transforms.clear();
    }
    Ok((Some(Given { skin, bones, locked_bones, locked_vertices }), warnings))
}

/// Numbers of bones given by name or number.
fn locked_bones(rig: &Rig, names: &[String], path: &Path) -> Result<Vec<usize>, GivenRefusal> {
    let find = |name: &String| {
        let by_name = rig.bones.iter().position(|b| b.name == *name);
        by_name.or_else(|| name.parse().ok().filter(|&i| i < rig.bones.len())).ok_or_else(|| {
            GivenRefusal::NoBone {
                path: path.into(),
                bone: name.clone(),
                last: rig.bones.len() - 1,
                some: rig.bones.iter().take(5).map(|b| b.name.clone()).collect(),
            }
        })
    };
    names.iter().map(find).collect()
}

/// Vertices named in a text file.
fn locked_vertices(path: &Path, count: usize) -> Outcome<Vec<bool>> {
    let bytes = Source::file(path).read()?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|error| GivenRefusal::Unreadable { path: path.into(), error: error.to_string() })?;
    let mut locked = vec![false; count];
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        for word in line.split([' ', '\t', ',']).filter(|w| !w.is_empty()) {
            let ends = match word.split_once('-') {
                Some((first, last)) => first.parse().ok().zip(last.parse().ok()),
                None => word.parse().ok().map(|v: usize| (v, v)),
            };
            match ends {
                Some((first, last)) if first <= last && last < count => locked[first..=last].fill(true),
                _ => {
                    return Err(GivenRefusal::NoVertex {
                        path: path.into(),
                        line: number + 1,
                        word: word.into(),
                        last: count.saturating_sub(1),
                    }
                    .into());
                }
            }
        }
    }
    Ok(locked)
}
