//! Which engines play a rig as it was measured, and how far off it is in those that do not.
//!
//! Every engine keeps so many influences of a vertex, drops the smallest of the others and makes what is left sum to one.
//! Where a rig has more than an engine keeps, it is cut here in the same way, played, and measured.

use std::path::Path;

use sinew::animation::{ErrorMeasure, compare};
use sinew::geometry::Bounds;
use sinew::rig::{Player, Rig};
use sinew_io::formats::{self, FBX, Format, GLTF, USD};

use crate::error::Outcome;
pub use crate::report::{EngineReport, Off, Plays};
use crate::warning::Warning;

/// A difference in percent, of the motion or of the diagonal, that is worth a sentence.
const WORTH_SAYING: f64 = 0.01;

/// A program that plays rigs, and what it keeps of them.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Its name.
    pub name: &'static str,
    /// The most influences on a vertex that it keeps as it comes; `None` for any number.
    pub influences: Option<usize>,
    /// The most that it can be set to keep, where that is more.
    pub settable: Option<usize>,
    /// The most bones of a mesh that it draws in one go; meshes with more are drawn in parts, which costs time and no
    /// vertex its place.
    pub bones_at_once: Option<usize>,
    /// Formats in which it reads skins and their motion.
    pub opens: &'static [&'static Format],
    /// Whether it unpacks `EXT_meshopt_compression`.
    pub unpacks: bool,
}

/// The engines, in the order they are listed. Morph targets and joints are as many as a file has in all of them, as they
/// keep both in textures or compute buffers.
pub static ENGINES: [Engine; 6] = [
    // GLTFLoader reads JOINTS_0 and WEIGHTS_0 alone, and normalises what they hold.
    Engine {
        name: "three.js",
        influences: Some(4),
        settable: None,
        bones_at_once: None,
        opens: &[&GLTF],
        unpacks: true,
    },
    // Reads two sets. It does not normalise them, but dividing by the fourth coordinate comes to the same.
    Engine {
        name: "Babylon.js",
        influences: Some(8),
        settable: None,
        bones_at_once: None,
        opens: &[&GLTF],
        unpacks: true,
    },
    // A vertex group for every joint. glTF-Blender-IO 1460 is about unpacking.
    Engine {
        name: "Blender",
        influences: None,
        settable: None,
        bones_at_once: None,
        opens: &[&GLTF, &FBX, &USD],
        unpacks: false,
    },
    // Version 4: two sets, normalised; version 3 reads one. Refuses files that require what it does not unpack.
    Engine {
        name: "Godot",
        influences: Some(8),
        settable: None,
        bones_at_once: None,
        opens: &[&GLTF, &FBX],
        unpacks: false,
    },
    // Importers of glTF keep four; that of FBX does so unless told otherwise.
    Engine {
        name: "Unity",
        influences: Some(4),
        settable: Some(255),
        bones_at_once: None,
        opens: &[&GLTF, &FBX],
        unpacks: true,
    },
    // More only in the unlimited mode of a mesh.
    Engine {
        name: "Unreal",
        influences: Some(12),
        settable: None,
        bones_at_once: Some(256),
        opens: &[&GLTF, &FBX, &USD],
        unpacks: false,
    },
];

/// What is known of a rig that was written.
pub struct WrittenRig<'a> {
    /// The rig as the file holds it.
    pub rig: &'a Rig,
    /// Its file; without one, it is as if it were a GLB file.
    pub path: Option<&'a Path>,
    /// Whether the file is packed.
    pub packed: bool,
    /// How far off it is.
    pub error: ErrorMeasure,
}

/// All engines, of a rig that `measure` says how far off it would be with other weights. None play `.sinew` files.
///
/// # Errors
/// Those of `measure`.
pub fn engines(
    written: &WrittenRig,
    measure: &dyn Fn(&Rig) -> Outcome<ErrorMeasure>,
) -> Outcome<Vec<EngineReport>> {
    let format = match written.path {
        Some(path) => formats::to_write(path),
        None => Some(&GLTF),
    };
    let Some(format) = format.filter(|format| ENGINES.iter().any(|e| e.opens.contains(format))) else {
        return Ok(Vec::new());
    };
    let mut cut: Vec<(usize, ErrorMeasure)> = Vec::new();
    let mut out = Vec::new();
    for engine in &ENGINES {
        let opens = engine.opens.contains(&format) && (engine.unpacks || !written.packed);
        let weights = &written.rig.weights;
        let vertices_cut = engine.influences.map_or(0, |most| weights.vertices_above(most));
        let (plays, error) = match engine.influences {
            _ if !opens => (Plays::Nothing, None),
            Some(most) if vertices_cut > 0 => {
                let known = cut.iter().find(|(influences, _)| *influences == most).map(|(_, error)| *error);
                let error = match known {
                    Some(error) => error,
                    None => measure(&Rig { weights: weights.largest(most), ..written.rig.clone() })?,
                };
                cut.push((most, error));
                (Plays::FewerInfluences, Some(error))
            }
            _ => (Plays::AsMeasured, Some(written.error)),
        };
        out.push(EngineReport {
            engine: engine.name,
            plays,
            influences: engine.influences,
            vertices_cut,
            parts: engine.bones_at_once.map_or(1, |most| written.rig.bones.len().div_ceil(most)),
            error: error.map(Into::into),
        });
    }
    Ok(out)
}

/// All engines, of a rig that there is no original of: how far what they play is from the rig.
pub fn engines_of(rig: &Rig, path: &Path, packed: bool) -> Vec<EngineReport> {
    let measure = |cut: &Rig| {
        let bounds = Bounds::of(&rig.rest);
        Ok(compare(&Player::new(rig), &Player::new(cut), bounds).error)
    };
    let written = WrittenRig { rig, path: Some(path), packed, error: ErrorMeasure::default() };
    engines(&written, &measure).unwrap_or_default()
}

/// What should be told about engines that do not play a rig as it was measured: one warning for each number of influences.
pub fn advice(engines: &[EngineReport], percent: f64) -> Vec<Warning> {
    let mut said: Vec<Warning> = Vec::new();
    for engine in engines.iter().filter(|e| e.plays == Plays::FewerInfluences) {
        let (Some(most), Some(error)) = (engine.influences, engine.error) else { continue };
        let worth_saying = match error.off() {
            Off::Motion(there) => (there - percent).abs() > WORTH_SAYING,
            Off::Diagonal(most) => most > WORTH_SAYING,
        };
        if !worth_saying {
            continue;
        }
        let same = said.iter_mut().find_map(|warning| match warning {
            Warning::FewerInfluences { engines, most: known, .. } if *known == most => Some(engines),
            _ => None,
        });
        match same {
            Some(engines) => engines.push(engine.engine),
            None => said.push(Warning::FewerInfluences {
                engines: vec![engine.engine],
                most,
                there: error.off(),
                here: percent,
            }),
        }
    }
    said
}
