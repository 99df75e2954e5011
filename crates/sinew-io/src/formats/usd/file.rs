//! An open USD file, and what is in it.

use std::path::Path;
use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};
use sinew::rig::Blending;

use super::stage::Stage;
use crate::Result;
use crate::containers::{usdc, usdz};
use crate::source::{Limits, Source};

/// A file whose prims are known; values are read when they are needed. Clones share all of it.
#[derive(Clone)]
pub struct UsdFile {
    pub(super) stage: Arc<Stage>,
    pub(super) kind: Kind,
    pub(super) limits: Limits,
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
pub fn open(source: impl Into<Source>) -> Result<UsdFile> {
    let source = source.into();
    let bytes = source.map()?;
    let kind = match &bytes[..] {
        b if b.starts_with(usdz::MAGIC) => Kind::Package,
        b if b.starts_with(usdc::MAGIC) => Kind::Binary,
        _ => Kind::Text,
    };
    Ok(UsdFile { stage: Arc::new(Stage::new(&source, bytes)?), kind, limits: *source.limits() })
}

/// The same from bytes in memory; other files are not looked for. `path` is for messages.
pub fn parse_alone(bytes: &[u8], path: &Path) -> Result<UsdFile> {
    open(Source::bytes(path, bytes))
}

impl UsdFile {
    /// The file's path.
    pub fn path(&self) -> &Path {
        self.stage.path()
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

    pub(super) fn is_z_up(&self) -> bool {
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
