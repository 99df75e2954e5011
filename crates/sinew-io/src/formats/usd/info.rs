//! What is in a file, told without reading frames.

use super::file::{Kind, UsdFile};
use super::query::Between;
use super::timing::Clip;
use crate::scene::{Facts, Up};
use crate::{Result, Warning};

/// Meters in one unit of length where a file does not say: that is what OpenUSD takes.
const METERS_UNSAID: f64 = 0.01;
/// What there is to know of such a file.
const UNIT_UNSAID: &str = "the file does not say how long a unit is; USD takes it for a centimetre";

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
    pub warnings: Vec<Warning>,
}

impl UsdFile {
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
            meters_per_unit: self.meters_said().unwrap_or(METERS_UNSAID),
            warnings: stage.warnings.clone(),
        })
    }

    /// What the file says about its numbers.
    pub fn facts(&self) -> Result<Facts> {
        let clips = self.clips()?;
        let clip = clips.first();
        let seconds = |time: f64| time / self.time_codes_per_second();
        let said = self.meters_said();
        Ok(Facts {
            up: Some(if self.is_z_up() { Up::Z } else { Up::Y }),
            left_handed: Some(false),
            metres_per_unit: Some(said.unwrap_or(METERS_UNSAID)),
            fps: clip.map(|c| c.fps),
            times: clip.map(|c| (seconds(c.start), seconds(c.end))),
            notes: said.is_none().then(|| UNIT_UNSAID.into()).into_iter().collect(),
            ..Facts::default()
        })
    }

    /// Meters in one unit of length, where the file says. Nonsense counts as nothing said.
    fn meters_said(&self) -> Option<f64> {
        self.stage.layers[0].facts.meters_per_unit.filter(|m| *m > 0.0 && m.is_finite())
    }

    fn point_count(&self, mesh: usize) -> Result<usize> {
        let first = self.stage.times(mesh, "points").first().copied().unwrap_or(0.0);
        let points = self.stage.at(mesh, "points", first, Between::Held)?;
        Ok(points.map_or(0, |p| p.len() / 3))
    }
}
