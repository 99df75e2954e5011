//! Why jobs are refused, each with what can be done about it here.

use sinew_io::Error;
use sinew_jobs::refusals::{
    BakeRefusal, BatchRefusal, CollideRefusal, ConvertRefusal, CrowdRefusal, FitError, FitRefusal,
    LodRefusal, PictureRefusal, SkinRefusal, StreamRefusal, Takes,
};
use sinew_jobs::search::SearchError;

use super::flag::flag;
use crate::console::{count, number, size};

/// Why a rig is not played so.
pub fn bake(refusal: &BakeRefusal) -> String {
    match refusal {
        BakeRefusal::SomeFramesOfRig => "rigs are written whole; --from and --frames are for poses".into(),
        BakeRefusal::BlendedRig => "rigs are blended linearly; --blend is for poses".into(),
        refusal => refusal.to_string(),
    }
}

/// Why there is no list of jobs.
pub fn batch(refusal: &BatchRefusal) -> String {
    match refusal {
        BatchRefusal::TableAlone(_) => {
            format!("{refusal}: --template JOB.json, with {{gaps}} named like its columns")
        }
        BatchRefusal::ListWithTemplate(_) => {
            format!("{refusal}; leave out --template, or name a table *.csv")
        }
        BatchRefusal::NoFolder => format!("{refusal} with --folder"),
        refusal => refusal.to_string(),
    }
}

/// Why contacts are not looked for so.
pub fn collide(refusal: &CollideRefusal) -> String {
    match refusal {
        CollideRefusal::Alone => "give a second rig, or --self for one that touches itself".into(),
        refusal => refusal.to_string(),
    }
}

/// Why a file does not become another so.
pub fn convert(refusal: &ConvertRefusal) -> String {
    match refusal {
        ConvertRefusal::NotGlb => "--compact and --pack are for GLB files".into(),
        ConvertRefusal::RestOfJoints => {
            "--rest-out writes a mesh, and there is none in a file of joints".into()
        }
        ConvertRefusal::NeedsRig { input, output, .. } => {
            format!("{refusal}; sinew skin {} -o {} makes one", input.display(), output.display())
        }
        ConvertRefusal::NoWay { takes: Takes::Mesh, .. } => {
            format!("{refusal}; --rest FILE and a folder give it faces")
        }
        refusal => refusal.to_string(),
    }
}

/// What else there is than a window.
const ELSE: &str = "name a file (*.png, *.gif, *.mp4) or a folder, or ./window";

/// Why there is no such crowd.
pub fn crowd(refusal: &CrowdRefusal) -> String {
    match refusal {
        CrowdRefusal::Shares { .. }
        | CrowdRefusal::Samples(_)
        | CrowdRefusal::Tolerance(_)
        | CrowdRefusal::Camera
        | CrowdRefusal::TooMany { .. } => format!("--{refusal}"),
        CrowdRefusal::NoWindows => format!(
            "{refusal}; one that does is made by cargo build --release --features window, else {ELSE}"
        ),
        CrowdRefusal::NoScreen(_) => format!("{refusal}; else {ELSE}"),
        refusal => refusal.to_string(),
    }
}

/// Why a file was not read or written.
pub fn file(error: &Error) -> String {
    match error {
        Error::NeedsMesh { path, meshes } => format!(
            "{}: a point cache holds no faces; the mesh that goes with it is needed too (--rest FILE: {meshes})",
            path.display()
        ),
        Error::CacheNotFrames { path, cache, mesh } => format!(
            "{}: a point cache and its mesh are there, not a sequence of meshes: name them as {} --rest {}",
            path.display(),
            cache.display(),
            mesh.display()
        ),
        Error::FrameAmongClips { path, clip } => format!(
            "{}: one mesh is a frame, but {} is a clip: name the frames of a clip by their folder or a pattern, and \
             the mesh that goes with point caches with --rest",
            path.display(),
            clip.display()
        ),
        Error::NegativeWeight { .. } => format!("{error}, or fit them with `--weights nnls`"),
        Error::NoSkeletonBeside { .. } => format!("{error} (--asf FILE names another)"),
        error => error.to_string(),
    }
}

/// Why a rig does not get such levels.
pub fn lod(refusal: &LodRefusal) -> String {
    match refusal {
        LodRefusal::NotAFolder(_) => format!("{refusal}, such as -o lods/"),
        LodRefusal::FormatOfOne => {
            "--format is for levels of bones (--bones), which are files of their own".into()
        }
        refusal => refusal.to_string(),
    }
}

/// Choices about a fit that do not go together.
pub fn fit(refusal: &FitRefusal) -> String {
    match refusal {
        FitRefusal::Unknown { method, field, with, because } => {
            let why = because.map(|field| format!(" ({} asks for it)", flag(field))).unwrap_or_default();
            format!("--method {method}{why} knows no {}; it goes with --method {with}", flag(field))
        }
        FitRefusal::BonesFromWith(field) => {
            format!("--bones-from and {} do not go together; use --start", flag(field))
        }
        FitRefusal::NeedsRig(field) => {
            format!("{} says what stays of a rig: name it with --start RIG.glb", flag(field))
        }
        FitRefusal::RigBringsBones("start_rig") => {
            "--start RIG brings its bones along; leave out --bones".into()
        }
        FitRefusal::RigBringsBones(field) => {
            format!("{} brings its bones along; leave out --bones", flag(field))
        }
        FitRefusal::GoalWithRig(field) => format!(
            "{} searches for bones and influences, which a given rig brings along; leave out the rig",
            flag(field)
        ),
        FitRefusal::NoShapes => "--method pps has no correction shapes; leave out --rank".into(),
        refusal => refusal.to_string(),
    }
}

/// Why no rig was fitted, with what can be done.
pub fn no_rig(error: &FitError) -> String {
    match error {
        FitError::SeveralClips { clips } => format!(
            "--method pps leads from each pose to the next in one clip, and these are {clips}; give one, or choose \
             another method"
        ),
        FitError::Search(SearchError::OutOfReach { percent, best }) => format!(
            "no rig that was tried keeps {} %; the closest, with {} and {}, is {} % off in {}",
            number(*percent),
            count(best.bones, "bone", "bones"),
            count(best.rank, "correction shape", "correction shapes"),
            number(best.error),
            size(best.bytes)
        ),
        FitError::Search(SearchError::FartherOff { percent, best }) => format!(
            "no rig that was tried keeps every vertex within {} % of the diagonal; in the closest, with {} and {}, one \
             is {} % off, in {}",
            number(*percent),
            count(best.bones, "bone", "bones"),
            count(best.rank, "correction shape", "correction shapes"),
            number(best.error),
            size(best.bytes)
        ),
        FitError::Search(SearchError::MeshTooLarge { budget, mesh }) => format!(
            "no rig fits into {}: the mesh alone takes {}; --compact makes it smaller, and so does a mesh with fewer \
             vertices",
            size(*budget),
            size(*mesh)
        ),
        FitError::Search(SearchError::TooLarge { budget, smallest }) => format!(
            "no rig that was tried fits into {}; the smallest, with {}, takes {}",
            size(*budget),
            count(smallest.bones, "bone", "bones"),
            size(smallest.bytes)
        ),
        error => error.to_string(),
    }
}

/// Why something is not drawn so.
pub fn picture(refusal: &PictureRefusal) -> String {
    match refusal {
        PictureRefusal::ErrorOfNothing => {
            "--color error needs the original animation: give it with --against ANIM".into()
        }
        PictureRefusal::BoneWithoutWeights => {
            "--bone shows the weights of one bone and goes only with --color weights".into()
        }
        PictureRefusal::OnlyOnCpu => format!("--{refusal}"),
        PictureRefusal::NoLevel { .. } => {
            format!("{refusal}, and sinew lod RIG --triangles 50% -o lods.glb makes some")
        }
        PictureRefusal::NoSkeleton(_) => {
            format!("{refusal}; sinew skeleton ANIM -o character.glb makes a rig that has one")
        }
        PictureRefusal::NoFaces(_) => {
            format!("{refusal}; give the mesh that goes with it with --rest FILE")
        }
        refusal => refusal.to_string(),
    }
}

/// Why an animation is not skinned so, with what can be done.
pub fn skin(refusal: &SkinRefusal) -> String {
    match refusal {
        SkinRefusal::PlotWithoutGoal => {
            "--plot draws what --target-error, --max-error or --budget tried; give one of them".into()
        }
        SkinRefusal::NegativeWeights { field } => format!(
            "{} negative weights, which glTF cannot store; write -o FILE.sinew, which can, or use --weights nnls with \
             --min-weight 0, or leave out -o and give --report FILE.json to measure without a file",
            flag(field)
        ),
        SkinRefusal::ChainFile(_) => {
            format!("{refusal}, or leave out -o and give --report FILE.json to measure without one")
        }
        SkinRefusal::AllFramesNeeded { source_name, bytes, memory } => format!(
            "{source_name}: its frames take {}, more than the working set of {}; goals, given rigs \
             without --solve transforms, and other methods than best and sma need them all at once: --memory {}MB",
            size(*bytes),
            size(*memory),
            bytes.div_ceil(1_000_000)
        ),
        SkinRefusal::MemoryTooSmall { source_name, vertices, memory, least } => format!(
            "{source_name}: a fit of {vertices} vertices takes more than the working set of {}; --memory {}MB is \
             enough",
            size(*memory),
            least.div_ceil(1_000_000)
        ),
        refusal => refusal.to_string(),
    }
}

/// Why there is no stream, or how it ended.
pub fn stream(refusal: &StreamRefusal) -> String {
    match refusal {
        StreamRefusal::Clips { source_name, clips } => format!(
            "{source_name}: these are {clips} clips, and a stream is one: name one input, or choose with --clip NAME"
        ),
        StreamRefusal::NoRest => {
            "--rest-pose file takes the pose of the rest mesh, but there is none; give --rest FILE".into()
        }
        StreamRefusal::Stopped { output, frames } => {
            let frames = count(*frames, "frame", "frames");
            format!("interrupted; {} holds the first {frames}", output.display())
        }
        refusal => refusal.to_string(),
    }
}
