//! What the library can read, write and do: tables that a page lists its choices from.

use serde::Serialize;
use sinew::choice::Choice;
use sinew::motion::{Facing, Plant};
use sinew::segment::{SkeletonSegmenter, StartSegmenter};
use sinew::skin::{BoneKind, MOST_INFLUENCES, MethodName};
use sinew_io::formats::{self, Format, Holds};
use sinew_jobs::search::MOST_RANK;

use super::Shape;
use super::fit::MOST_BONES;

/// What a page lists its choices from. The same as long as a server lives.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Tables {
    /// Files that can be opened.
    files: Vec<FileKind>,
    /// What versions can be saved as, best first; each version says which of them it can be.
    saves: Vec<SaveFormat>,
    /// How rigs are fitted.
    methods: Vec<Word>,
    /// What bones may do.
    bone_kinds: Vec<Word>,
    /// What the bones of a fit are made of at first, the usual one first.
    starts: Vec<Word>,
    /// What the parts of a skeleton come from, the usual one first.
    segmenters: Vec<Word>,
    /// Which way a rig may face, the usual one first.
    facings: Vec<Word>,
    /// What may become of feet that stand in a motion, the usual one first.
    plants: Vec<Word>,
    /// The most bones that can be asked for.
    most_bones: usize,
    /// The most influences on a vertex that can be asked for.
    most_influences: usize,
    /// The most correction shapes that can be asked for.
    most_rank: usize,
}

/// Files of a format.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FileKind {
    /// What they are called in lists.
    labels: &'static [&'static str],
    /// Endings, in small letters, without the dot.
    endings: &'static [&'static str],
    /// Whether they hold something to look at.
    opens: bool,
    /// Whether they hold joints that move.
    motion: bool,
    /// Whether they hold points alone, and a mesh goes with them.
    needs_mesh: bool,
    /// Whether they are the mesh that goes with points.
    rest: bool,
}

/// Something that versions can be saved as.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct SaveFormat {
    ending: &'static str,
    label: String,
    /// What files of it do not hold.
    loses: Option<String>,
    /// Whether less can be stored where nobody sees it.
    compact: bool,
}

/// A choice by its word.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Word {
    name: &'static str,
    /// What it means, in a line.
    about: &'static str,
}

/// The ending of files that hold a posed character.
pub(super) const DEFORM: &str = "deform";

/// Files that hold a posed character.
const CHARACTER: FileKind = FileKind {
    labels: &["Deform"],
    endings: &[DEFORM],
    opens: true,
    motion: false,
    needs_mesh: false,
    rest: false,
};

impl Tables {
    /// As the library has them.
    pub fn of_library() -> Self {
        let character = SaveFormat {
            ending: DEFORM,
            label: "Deform: handles and examples".into(),
            loses: None,
            compact: false,
        };
        let (rigs, others): (Vec<&Format>, Vec<&Format>) =
            formats::ALL.iter().partition(|format| format.writes.rig);
        let written = rigs.into_iter().chain(others);
        let written =
            written.flat_map(|format| format.written.iter().map(|ending| save_format(format, ending)));
        Self {
            files: formats::ALL.iter().map(|format| file_kind(format)).chain([CHARACTER]).collect(),
            saves: [character].into_iter().chain(written).collect(),
            methods: words::<MethodName>(),
            bone_kinds: words::<BoneKind>(),
            starts: words::<StartSegmenter>(),
            segmenters: words::<SkeletonSegmenter>(),
            facings: words::<Facing>(),
            plants: words::<Plant>(),
            most_bones: MOST_BONES,
            most_influences: MOST_INFLUENCES,
            most_rank: MOST_RANK,
        }
    }
}

fn words<C: Choice>() -> Vec<Word> {
    C::all().map(|choice| Word { name: choice.name(), about: choice.about() }).collect()
}

fn file_kind(format: &Format) -> FileKind {
    FileKind {
        labels: format.labels,
        endings: format.endings,
        opens: !format.reads.is_motion(),
        motion: format.reads.joints,
        needs_mesh: format.reads.is_cache(),
        // The first pose of other animations is seldom the one that points are told from.
        rest: format.reads.is_frame() || format == &formats::GLTF,
    }
}

fn save_format(format: &Format, ending: &'static str) -> SaveFormat {
    let name = if format.written.len() > 1 { ending.to_uppercase() } else { format.labels[0].into() };
    let label = format!("{name}: {}", what(format, ending));
    SaveFormat { ending, label, loses: loses(format, ending), compact: format == &formats::GLTF }
}

/// What is written, or who reads it, in a few words.
fn what(format: &Format, ending: &str) -> &'static str {
    match format.writes {
        _ if format == &formats::GLTF => "engines, browsers",
        _ if format == &formats::SINEW => "every number as solved",
        _ if format == &formats::FBX => "Maya, Unreal, Unity",
        _ if ending == "usdz" => "USD in one file",
        _ if format == &formats::USD => "USD as text",
        holds if holds.rig => "bones and weights",
        holds if holds.is_cache() => "positions alone",
        holds if holds.is_frame() => "mesh in the first frame",
        holds if holds.is_motion() => "joints and their motion",
        _ => "mesh and positions",
    }
}

/// What is lost, if anything is.
fn loses(format: &Format, ending: &str) -> Option<String> {
    let Holds { rig, poses, faces, .. } = format.writes;
    if format.writes.is_motion() {
        let sentence =
            "The mesh, its weights and corrections are lost: joints and their motion are what stays.";
        return Some(sentence.into());
    }
    let keeps = format.keeps;
    // Of several endings, that of packages holds files beside the scene.
    let images = keeps.textures && (format != &formats::USD || ending == "usdz");
    let lost = [
        (!poses && !rig, "motion"),
        (!faces, "faces"),
        (!rig, "bones"),
        (!rig, "weights"),
        (!rig, "corrections"),
        (!keeps.uvs, "UVs"),
        (!keeps.materials, "materials"),
        (keeps.materials && !images, "images of textures"),
    ];
    let lost: Vec<&str> = lost.into_iter().filter(|(is, _)| *is).map(|(_, what)| what).collect();
    let (last, before) = lost.split_last()?;
    let list = if before.is_empty() { (*last).into() } else { format!("{} and {last}", before.join(", ")) };
    let why = match format.writes {
        holds if holds.is_cache() => ": keep the mesh beside it to open it again",
        holds if holds.is_frame() => ": one pose is stored",
        _ if rig => "",
        _ => ": every pose is stored",
    };
    let (first, rest) = list.split_at(1);
    Some(format!("{}{rest} are lost{why}.", first.to_uppercase()))
}

/// Whether a shape can be written as files of a format.
pub(super) fn can_hold(format: &Format, shape: &Shape) -> bool {
    let Holds { rig, poses, .. } = format.writes;
    match shape {
        Shape::Rig(of) => {
            rig || poses || format.writes.is_frame() || (format.writes.is_motion() && of.skeleton.is_some())
        }
        Shape::Chain(..) => format == &formats::SINEW || poses || format.writes.is_frame(),
        Shape::Poses(..) => poses || format.writes.is_frame(),
    }
}

/// Endings of files that a shape can be written as.
pub(super) fn endings(shape: &Shape) -> Vec<&'static str> {
    let character = matches!(shape, Shape::Poses(..)).then_some(DEFORM);
    let formats = formats::ALL.iter().filter(|format| can_hold(format, shape));
    character.into_iter().chain(formats.flat_map(|format| format.written).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_follow_from_what_formats_keep() {
        let said = |format: &Format, ending: &str| loses(format, ending).unwrap_or_default();
        assert_eq!(said(&formats::GLTF, "glb"), "");
        assert_eq!(said(&formats::USD, "usda"), "Images of textures are lost.");
        assert_eq!(said(&formats::USD, "usdz"), "");
        assert_eq!(
            said(&formats::ALEMBIC, "abc"),
            "Bones, weights, corrections and images of textures are lost: every pose is stored."
        );
        assert_eq!(
            said(&formats::PC2, "pc2"),
            "Faces, bones, weights, corrections, UVs and materials are lost: keep the mesh beside it to open it again."
        );
        assert_eq!(
            said(&formats::OBJ, "obj"),
            "Motion, bones, weights and corrections are lost: one pose is stored."
        );
    }
}
