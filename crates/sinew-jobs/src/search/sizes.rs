//! What rigs take as files, told before they are fitted.
//!
//! A file's size is a straight line in the number of bones: made-up rigs whose bones stand still, and some whose bones
//! move, give the line for a kind of bones, a number of influences and of shapes.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use sinew::animation::MeshAnimation;
use sinew::progress::Cancelled;
use sinew::rig::{Bone, Corrections, Rig, SkinWeights};
use sinew::skin::BoneKind;

use super::options::Cost;

/// Bones that move, of the made-up rigs that tell what each takes.
const MOVING: usize = 16;

/// Sizes of an animation's rigs.
pub(super) struct Sizes<'a> {
    animation: &'a MeshAnimation,
    keep_rest: bool,
    cost: &'a dyn Fn(&Rig) -> Result<Cost, Cancelled>,
    /// Influences, rank, bytes.
    still: Vec<(usize, usize, u64)>,
}

impl<'a> Sizes<'a> {
    pub fn new(
        animation: &'a MeshAnimation,
        keep_rest: bool,
        cost: &'a dyn Fn(&Rig) -> Result<Cost, Cancelled>,
    ) -> Self {
        Self { animation, keep_rest, cost, still: Vec::new() }
    }

    /// The size of a rig with so many influences and shapes whose bones never move.
    pub fn still(&mut self, influences: usize, rank: usize) -> Result<u64, Cancelled> {
        if let Some(known) = self.still.iter().find(|s| (s.0, s.1) == (influences, rank)) {
            return Ok(known.2);
        }
        let bytes = (self.cost)(&self.made_up(influences, influences, rank, None))?.bytes;
        self.still.push((influences, rank, bytes));
        Ok(bytes)
    }

    /// What a bone of a kind takes.
    pub fn bone(&self, kind: BoneKind, influences: usize) -> Result<f64, Cancelled> {
        let bytes = |bones| -> Result<f64, Cancelled> {
            Ok((self.cost)(&self.made_up(bones, influences, 0, Some(kind)))?.bytes as f64)
        };
        Ok(((bytes(influences + MOVING)? - bytes(influences)?) / MOVING as f64).max(1.0))
    }

    /// A rig with as many influences on every vertex as there may be, whose bones are of the given kind and move, or stand
    /// still.
    fn made_up(&self, bones: usize, influences: usize, rank: usize, kind: Option<BoneKind>) -> Rig {
        let animation = self.animation;
        let (frames, vertices) = (animation.frames.len(), animation.mesh.vertex_count);
        let mut rest = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0)).to_vec();
        if let Some(p) = rest.first_mut().filter(|_| !self.keep_rest) {
            // Files may hold less where the rest pose is not the one that came with the mesh.
            p.x += 1e-3 * p.x.abs().max(1e-3);
        }
        let first = |v: usize| (v % (bones - influences + 1)) as u32;
        let weights = SkinWeights {
            per_vertex: influences,
            bones: (0..vertices).flat_map(|v| first(v)..first(v) + influences as u32).collect(),
            weights: vec![1.0 / influences as f32; vertices * influences],
        };
        let bone = |i: usize| Bone {
            name: format!("bone_{i:02}"),
            center: rest[0].as_dvec3(),
            rigid: kind != Some(BoneKind::Flexible),
            axes: None,
        };
        let corrections = (rank > 0).then(|| Corrections {
            rank,
            basis: vec![Vec3::splat(1e-3); rank * vertices],
            normals: vec![Vec3::splat(1e-3); rank * vertices],
            coefficients: (0..rank * frames).map(|i| (i % 2) as f32).collect(),
            names: Vec::new(),
        });
        let length = animation.rest_bounds().diagonal();
        let transform = |i: usize| kind.map_or(DAffine3::IDENTITY, |kind| moved(kind, i, length));
        Rig {
            mesh: animation.mesh.clone(),
            weights,
            bones: (0..bones).map(bone).collect(),
            transforms: (0..frames * bones).map(transform).collect(),
            skeleton: None,
            corrections,
            fps: animation.fps,
            clips: animation.clips.clone(),
            rest,
            nodes: Vec::new(),
            armature: String::new(),
        }
    }
}

/// A transform like no other.
fn moved(kind: BoneKind, i: usize, length: f64) -> DAffine3 {
    let wave = |k: usize| ((i * k + k) as f64 * 12.9898).sin();
    let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(wave(1), wave(3), wave(5))));
    let stretch = match kind {
        BoneKind::Rigid => DMat3::IDENTITY,
        BoneKind::Flexible => {
            let stretch = DVec3::new(wave(7), wave(9), wave(11)) * 0.2 + DVec3::ONE;
            let other = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(wave(13), wave(15), wave(17))));
            other.transpose() * DMat3::from_diagonal(stretch) * other
        }
    };
    let translation = DVec3::new(wave(19), wave(21), wave(23)) * 0.1 * length;
    DAffine3 { matrix3: turn * stretch, translation }
}
