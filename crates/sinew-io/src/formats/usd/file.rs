//! An open USD file, and what is in it.

use std::path::Path;
use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};
use sinew::rig::Blending;

use super::binary;
use super::stage::Stage;
use super::timing::Clip;
use crate::Result;
use crate::containers::bytes::Bytes;
use crate::containers::usdz;
use crate::scene::{Facts, Up};

/// Meters in one unit of length where a file does not say: that is what OpenUSD takes.
const METERS_UNSAID: f64 = 0.01;
/// What there is to know of such a file.
const UNIT_UNSAID: &str = "the file does not say how long a unit is; USD takes it for a centimetre";

/// A file whose prims are known; values are read when they are needed. Clones share all of it.
#[derive(Clone)]
pub struct UsdFile {
    pub(super) stage: Arc<Stage>,
    kind: Kind,
}

/// How a file is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Binary.
    Binary,
    /// A package.
    Package,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// How it is stored.
    pub kind: Kind,
    /// Meshes that are shown.
    pub meshes: usize,
    /// Their points.
    pub vertices: usize,
    /// Meshes whose points change over time.
    pub cached_meshes: usize,
    /// Skeletons.
    pub skeletons: usize,
    /// Joints of all skeletons.
    pub joints: usize,
    /// Blend shapes.
    pub blend_shapes: usize,
    /// Clips.
    pub clips: Vec<Clip>,
    /// Time codes in a second.
    pub time_codes_per_second: f64,
    /// The axis that points up in the file, `'Y'` or `'Z'`.
    pub up_axis: char,
    /// Meters in one unit of length; a centimetre where the file does not say.
    pub meters_per_unit: f64,
    /// What was left out, for people.
    pub warnings: Vec<String>,
}

/// Opens a file. Files it refers to are looked for beside it.
///
/// ```
/// # let folder = std::env::temp_dir().join("sinew-usd-example");
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("triangle.usda");
/// # std::fs::write(&path, "#usda 1.0\ndef Mesh \"m\" { int[] faceVertexCounts = [3]\n\
/// #     int[] faceVertexIndices = [0, 1, 2]\n point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)] }")?;
/// let file = sinew_io::formats::usd::open(&path)?;
/// println!("{} vertices", file.info()?.vertices);
/// let sampled = file.rig(&Default::default())?;
/// assert_eq!(sampled.rig.rest.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(path: &Path) -> Result<UsdFile> {
    UsdFile::new(Bytes::map(path)?, path, false)
}

/// The same from bytes in memory; other files are not looked for. `path` is for messages.
pub fn parse_alone(bytes: &[u8], path: &Path) -> Result<UsdFile> {
    UsdFile::new(Bytes::owned(bytes.to_vec()), path, true)
}

impl UsdFile {
    fn new(bytes: Bytes, path: &Path, alone: bool) -> Result<Self> {
        let kind = match bytes.all() {
            b if b.starts_with(usdz::MAGIC) => Kind::Package,
            b if b.starts_with(binary::MAGIC) => Kind::Binary,
            _ => Kind::Text,
        };
        Ok(Self { stage: Arc::new(Stage::new(bytes, path, alone)?), kind })
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        self.stage.path()
    }

    /// What is in the file. Frames are not read.
    pub fn info(&self) -> Result<Info> {
        let stage = &self.stage;
        let of_type = |name: &'static str| {
            stage.prims.iter().enumerate().filter(move |(_, p)| p.type_name == name).map(|(i, _)| i)
        };
        let meshes = self.meshes()?.0;
        let mut vertices = 0;
        for &mesh in &meshes {
            vertices += self.point_count(mesh)?;
        }
        let mut joints = 0;
        for skeleton in of_type("Skeleton") {
            joints += stage.words(skeleton, "joints")?.len();
        }
        Ok(Info {
            kind: self.kind,
            meshes: meshes.len(),
            vertices,
            cached_meshes: meshes.iter().filter(|m| stage.varies(**m, "points")).count(),
            skeletons: of_type("Skeleton").count(),
            joints,
            blend_shapes: of_type("BlendShape").count(),
            clips: self.clips()?,
            time_codes_per_second: self.time_codes_per_second(),
            up_axis: if self.is_z_up() { 'Z' } else { 'Y' },
            meters_per_unit: self.meters_per_unit(),
            warnings: stage.warnings.clone(),
        })
    }

    /// What the file says about its numbers.
    pub fn facts(&self) -> Result<Facts> {
        let clips = self.clips()?;
        let clip = clips.first();
        let seconds = |time: f64| time / self.time_codes_per_second();
        let said = self.stage.layers[0].facts.meters_per_unit;
        Ok(Facts {
            up: Some(if self.is_z_up() { Up::Z } else { Up::Y }),
            left_handed: Some(false),
            metres_per_unit: Some(self.meters_per_unit()),
            fps: clip.map(|c| c.fps),
            times: clip.map(|c| (seconds(c.start), seconds(c.end))),
            notes: said.is_none().then(|| UNIT_UNSAID.into()).into_iter().collect(),
            ..Facts::default()
        })
    }

    /// Meters in one unit of length. Nonsense counts as nothing said.
    fn meters_per_unit(&self) -> f64 {
        let said = self.stage.layers[0].facts.meters_per_unit;
        said.filter(|m| *m > 0.0 && m.is_finite()).unwrap_or(METERS_UNSAID)
    }

    fn point_count(&self, mesh: usize) -> Result<usize> {
        let first = self.stage.times(mesh, "points").first().copied().unwrap_or(0.0);
        let points = self.stage.at(mesh, "points", first, super::query::Between::Held)?;
        Ok(points.map_or(0, |p| p.len() / 3))
    }

    /// Meshes that are shown, in the order of the file, and how many are not.
    pub(super) fn meshes(&self) -> Result<(Vec<usize>, usize)> {
        let (stage, mut shown, mut hidden) = (&self.stage, Vec::new(), 0);
        for prim in stage.below(0).into_iter().filter(|&p| stage.prims[p].type_name == "Mesh") {
            let mut seen = true;
            let above = std::iter::successors(Some(prim), |p| stage.prims[*p].parent);
            for prim in above {
                let invisible = stage.word(prim, "visibility")?.as_deref() == Some("invisible");
                let aside = matches!(stage.word(prim, "purpose")?.as_deref(), Some("guide" | "proxy"));
                seen &= !(invisible || aside);
            }
            if seen { shown.push(prim) } else { hidden += 1 }
        }
        Ok((shown, hidden))
    }

    fn is_z_up(&self) -> bool {
        self.stage.layers[0].facts.up_axis.as_deref().is_some_and(|a| a.eq_ignore_ascii_case("z"))
    }

    /// From the file's axes to Sinew's, which have y up.
    pub(super) fn upright(&self) -> DAffine3 {
        if self.is_z_up() {
            DAffine3::from_mat3(DMat3::from_cols(DVec3::X, DVec3::NEG_Z, DVec3::Y))
        } else {
            DAffine3::IDENTITY
        }
    }

    /// How the file asks for vertices of several joints to be placed: by dual quaternions where all its
    /// skinned meshes say so.
    pub fn blending(&self) -> Result<Blending> {
        let stage = &self.stage;
        let mut found = None;
        for mesh in self.meshes()?.0 {
            if stage.skeleton_of(mesh).is_none() {
                continue;
            }
            let names = ["primvars:skel:skinningMethod", "skel:skinningMethod"];
            let stated = stage.inherited(mesh, |p| names.iter().find(|n| stage.has(p, n)).map(|n| (p, *n)));
            let method = stated.map(|(prim, name)| stage.word(prim, name)).transpose()?.flatten();
            let dual = method.as_deref() == Some("dualQuaternion");
            found = Some(found.unwrap_or(true) && dual);
        }
        Ok(if found == Some(true) { Blending::Dual } else { Blending::Linear })
    }

    /// A name for what has none: that of the default prim, or of the file.
    pub(super) fn name(&self) -> String {
        let stem = || self.path().file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        self.stage.layers[0].facts.default_prim.clone().unwrap_or_else(stem)
    }
}
