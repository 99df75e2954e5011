//! The sentences of warnings.

use std::fmt;

use super::Warning;
use super::words::{count as of, length, listed, rounded, shown};

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At { .. } | Self::Of { .. } => f.write_str(&self.told(&ToString::to_string)),
            Self::Remark(remark) => remark.fmt(f),
            Self::NotKept(unkept) => write!(f, "not kept: {unkept}"),
            Self::Count { count, of } => write!(f, "{count} {}", of.of(*count)),
            Self::ClipTaken { taken, still, clips } => {
                let clips = clips.map_or_else(|| "several".into(), |clips| clips.to_string());
                write!(f, "the file has {clips} clips and {} was taken", shown(taken))?;
                match &still[..] {
                    [] => Ok(()),
                    still => write!(f, ", the first in which anything moves, after {}", listed(still)),
                }
            }
            Self::NothingMoves { names, clips } => match &names[..] {
                [one] if *clips == 1 => {
                    write!(f, "nothing moves in {}, the only clip of the file", shown(one))
                }
                all if all.len() == *clips => {
                    write!(f, "nothing moves in any of the file's {clips} clips: {}", listed(all))
                }
                some => write!(f, "nothing moves in {}", listed(some)),
            },
            Self::NothingMovesIn(source) => write!(f, "nothing moves in {source}"),
            Self::StandsAlong { seems, taken } => {
                write!(f, "the figure seems to stand along {seems}, but {taken} is taken to be up")
            }
            Self::BoneStill(bone) => write!(f, "no frame moves bone {bone}, which could move"),
            Self::BoneStretches(bone) => write!(f, "bone {bone} changes its length, which is left out"),
            Self::TreeLost(bone) => write!(
                f,
                "joint {bone} stretches, so that all joints are read side by side, without the tree that they are in"
            ),
            Self::JointsStray { percent } => write!(
                f,
                "joints leave their parents by up to {percent:.2} % of the size; the file holds turns only"
            ),
            Self::UpDiffers { names: [a, b], up: [m, n] } => {
                write!(f, "{m} is up in {a} and {n} in {b}; both are turned so that y is")
            }
            Self::HandsDiffer { names: [a, b], left_handed } => {
                let [m, n] = left_handed.map(|left| if left { "left-handed" } else { "right-handed" });
                write!(f, "{a} is {m} and {b} is {n}")
            }
            Self::RatesDiffer { names: [a, b], fps: [m, n] } => write!(
                f,
                "{a} has {} frames a second and {b} has {}, {} times as many",
                rounded(*m),
                rounded(*n),
                rounded(n / m)
            ),
            Self::UnitsDiffer { names: [a, b], metres: [m, n], scaled } => {
                write!(f, "a unit is {} in {a} and {} in {b}, ", length(*m), length(*n))?;
                f.write_str(match scaled {
                    true => "which is scaled to match",
                    false => "but they are of one size as they stand, and taken so",
                })
            }
            Self::NoRate { name, value } => write!(f, "{name} is {value}, which is no frame rate"),
            Self::FirstFrame { number } => write!(
                f,
                "the first frame is number {} in the file; here frames are counted from 0, and the number is not kept",
                rounded(*number)
            ),
            Self::AttributesWidened { names, width } => write!(
                f,
                "{} {} {width} numbers a vertex, filled up with zeros: Blender mixes up attributes of a file's own that \
                 are not equally wide",
                listed(names),
                if names.len() == 1 { "has" } else { "have" }
            ),
            Self::OpenShutter { samples } => write!(
                f,
                "{samples} samples belong to each frame, of an open shutter; poses are those at the frames"
            ),
            Self::NoBeat { fps } => {
                write!(f, "the samples' times follow no beat; poses were taken at {fps:.3} a second")
            }
            Self::Channels(names) => write!(
                f,
                "the cache has {} channels, which follow one another: {}",
                names.len(),
                names.join(", ")
            ),
            Self::Ended { damaged, frames, all, clip } => {
                match damaged {
                    true => write!(f, "the file is damaged after frame {frames}; ")?,
                    false => f.write_str("the file is cut short; ")?,
                }
                let clip = clip.as_ref().map(|clip| format!(" of clip {clip}")).unwrap_or_default();
                match (*frames, *all) {
                    (n, Some(all)) if all >= n => {
                        write!(f, "{n} of {all} frames{clip} are whole and played")
                    }
                    (1, _) => write!(f, "1 frame{clip} is whole and played"),
                    (n, _) => write!(f, "{n} frames{clip} are whole and played"),
                }
            }
            Self::Statement { detail } => f.write_str(detail),
            Self::Unread { what, name, why } => write!(f, "the {what} “{name}” could not be read: {why}"),
            Self::MaterialsUndefined(names) => {
                write!(f, "no material library defines {}; a plain one stands in", names.join(", "))
            }
            Self::MaterialUnknown(name) => write!(f, "material {name} is of a kind Sinew does not know"),
            Self::TextureMissing(name) => {
                write!(f, "the texture “{name}” is not in the file and not beside it")
            }
            Self::TextureKind(name) => {
                write!(f, "the texture “{name}” is neither PNG nor JPEG and is left out")
            }
            Self::ImageMissing(name) => write!(f, "image {name} was not found and left out"),
            Self::ImageKind(name) => write!(f, "image {name} is neither PNG nor JPEG and was left out"),
            Self::ImageLeftOut { image, why } => write!(f, "image {image} was left out: {why}"),
            Self::LayerLeftOut { layer, why } => write!(f, "its {layer} are left out: {why}"),
            Self::LayerNotFinite { layer, vertex } => {
                write!(f, "the {layer} are left out, because those of vertex {vertex} are not finite")
            }
            Self::AttributesLeftOut(names) => write!(f, "its attributes {} are left out", names.join(", ")),
            Self::ExtensionsPassedOver(names) => write!(
                f,
                "the file requires {}, which Sinew passes over: shapes and motion do not depend on it",
                names.join(", ")
            ),
            Self::ObjectsOfKind { count, kind } => {
                let objects = of(*count, "object of the kind", "objects of the kind");
                write!(f, "{objects} {kind} {} left out", if *count == 1 { "was" } else { "were" })
            }
            Self::NoMeshes(kinds) => {
                let kinds: Vec<String> =
                    kinds.iter().map(|(kind, count)| format!("{count} of {kind}")).collect();
                write!(f, "objects that are no meshes are left out: {}", kinds.join(", "))
            }
            Self::PrimsLeftOut { count, kinds } => {
                let prims = of(*count, "prim that is no mesh was", "prims that are no meshes were");
                write!(f, "{prims} left out: {}", kinds.join(", "))
            }
            Self::Blinks(name) => write!(f, "{name} is hidden at times; it is always there"),
            Self::SeveralSkins(name) => write!(f, "{name} has several skins; only the first was read"),
            Self::SkinAndCache(name) => {
                write!(f, "{name} has a skin and a point cache; the cache was left out")
            }
            Self::CacheUnread { name, why } => write!(f, "{name} does not follow its point cache: {why}"),
            Self::LinearNotDual { name, others, percent } => {
                match others {
                    0 => write!(f, "{name} asks")?,
                    more => write!(f, "{name} and {} ask", of(*more, "other", "others"))?,
                }
                write!(
                    f,
                    " for dual quaternion skinning, and the rig is linear: it is up to {percent:.2} % of the size from \
                     what the file shows"
                )
            }
            Self::PointsChange(mesh) => {
                write!(f, "the points of mesh {mesh} change over time; its joints were left out")
            }
            Self::AssetMissing(asset) => {
                write!(f, "{asset}, which the file refers to, was not found and left out")
            }
            Self::NoDefaultPrim(asset) => write!(f, "{asset} has no default prim and was left out"),
            Self::NoTarget { target, by } => write!(f, "{target}, which {by} refers to, does not exist"),
            Self::NoBindPose(path) => write!(f, "skeleton {path} has no bind pose; its rest pose is taken"),
            Self::NoSkeleton(mesh) => {
                write!(f, "mesh {mesh} has weights of joints, but its skeleton does not exist")
            }
            Self::LooseVertices { count, mesh } => {
                let vertices = of(*count, "vertex", "vertices");
                let they =
                    if *count == 1 { "has no weights; it follows" } else { "have no weights; they follow" };
                write!(f, "{vertices} of mesh {mesh} {they} its first joint")
            }
            Self::Sheared { count, format } => write!(
                f,
                "{}, which {format} cannot: only turns and scales are kept",
                of(*count, "node that holds no vertices shears", "nodes that hold no vertices shear")
            ),
            Self::AreaUnsized { name, size: [width, height] } => write!(
                f,
                "the light {name:?} shines from an area of {width} by {height}; FBX does not say how large one is"
            ),
            Self::LightRanges { count, format } => {
                let lights = of(*count, "light reaches", "lights reach");
                write!(f, "{lights} only so far, which {format} cannot hold")
            }
            Self::AreaLight(name) => write!(
                f,
                "the light {name:?} shines from an area, which glTF cannot hold: Sinew reads it again, others find an empty"
            ),
            Self::LightLeftOut { format } => {
                write!(f, "light over the vertices is left out: {format} has no place for it")
            }
            Self::NotMadeSmaller { format } => write!(f, "{format} files are not made smaller than they are"),
            Self::OneClipPlayed(first) => write!(
                f,
                "a USD skeleton plays one animation: it plays {first}; the others are in the file beside it"
            ),
        }
    }
}
