//! Displacements of the rest pose that look in the frames as if the surface had carried them.
//!
//! A blended transform says how places near each other move, but how the surface turns at a vertex also
//! depends on how weights change around it. Bones that stretch, and rest poses that were fitted along with
//! them, make the difference large; where bones fold a vertex' place nearly flat, a displacement pulled back
//! from one frame becomes a spike in others. So a displacement is stored as the one that the blended
//! transforms of all its frames together take nearest to where the surface of each would turn it.

use std::ops::RangeInclusive;

use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::half_rotations::rotation;
use super::tuning::TUNING;
use crate::animation::PoseSource;
use crate::geometry::normals_of;
use crate::progress::{Cancelled, Progress};
use crate::rig::{Player, Rig, blended};
use crate::solve::procrustes::{outer, polar};

/// A displacement that was sculpted.
pub(super) struct Displaced {
    pub vertex: usize,
    /// As seen in the pose that was sculpted.
    pub wanted: DVec3,
    /// The same in the rest pose, for what the frames do not tell.
    pub usual: DVec3,
}

/// A vertex with what turns it.
struct Place<'a> {
    displaced: &'a Displaced,
    neighbours: Vec<u32>,
    /// Σ MᵀM and Σ Mᵀ R d over the frames, with M the blended matrix and R the rotation of the surface.
    square: DMat3,
    side: DVec3,
}

/// A pose of the whole mesh.
struct Surface {
    places: Vec<Vec3>,
    normals: Vec<Vec3>,
}

/// What to add to the rest pose so that `frames` of `rig` look as if their surface had carried displacements
/// that were sculpted in the pose `from`.
pub(super) fn with_surface(
    rig: &Rig,
    from: &[Vec3],
    displaced: &[Displaced],
    frames: RangeInclusive<usize>,
    progress: &dyn Progress,
) -> Result<Vec<DVec3>, Cancelled> {
    let triangles = rig.mesh.triangles(&rig.rest);
    let surface = |places: Vec<Vec3>| Surface { normals: normals_of(&triangles, &places), places };
    let mut places = around(&triangles, displaced, rig.rest.len());
    let from = surface(from.to_vec());
    let player = Player::new(rig);
    let (first, count) = (*frames.start(), frames.clone().count());
    for frame in frames {
        progress.check()?;
        progress.advance((frame - first) as f64 / count as f64);
        let pose = surface(player.pose(frame));
        places.par_iter_mut().with_min_len(64).for_each(|place| {
            let Displaced { vertex, wanted, usual } = *place.displaced;
            let matrix = blended(&rig.weights, rig.frame_transforms(frame), vertex).matrix3;
            let turned = match place.turn(&from, &pose) {
                Some(turn) => turn * wanted,
                None => rotation(&matrix) * usual,
            };
            place.square += matrix.transpose() * matrix;
            place.side += matrix.transpose() * turned;
        });
    }
    Ok(places.iter().map(Place::displacement).collect())
}

/// Vertices with their neighbours.
fn around<'a>(triangles: &[[u32; 3]], displaced: &'a [Displaced], vertices: usize) -> Vec<Place<'a>> {
    let mut number = vec![usize::MAX; vertices];
    let place =
        |displaced| Place { displaced, neighbours: Vec::new(), square: DMat3::ZERO, side: DVec3::ZERO };
    let mut places: Vec<Place> = displaced.iter().map(place).collect();
    displaced.iter().enumerate().for_each(|(i, displaced)| number[displaced.vertex] = i);
    for &[a, b, c] in triangles {
        for [v, next, last] in [[a, b, c], [b, c, a], [c, a, b]] {
            if let Some(place) = places.get_mut(number[v as usize]) {
                place.neighbours.extend([next, last]);
            }
        }
    }
    places
}

impl Place<'_> {
    /// How the surface here turns from one pose to another: the rotation of the edges and of the normal,
    /// which counts as much as they do.
    fn turn(&self, from: &Surface, to: &Surface) -> Option<DMat3> {
        let vertex = self.displaced.vertex;
        let edge = |pose: &Surface, v: u32| (pose.places[v as usize] - pose.places[vertex]).as_dvec3();
        let normal = |pose: &Surface| pose.normals[vertex].as_dvec3();
        let (mut product, mut size) = (DMat3::ZERO, 0.0);
        for &v in &self.neighbours {
            let (a, b) = (edge(from, v), edge(to, v));
            product += outer(b, a);
            size += a.length() * b.length();
        }
        polar(product + outer(normal(to), normal(from)) * size)
    }

    fn displacement(&self) -> DVec3 {
        let size = self.square.x_axis.x + self.square.y_axis.y + self.square.z_axis.z;
        let usual = self.displaced.usual;
        if size <= 0.0 {
            return usual;
        }
        let ridge = TUNING.edits.displacement_ridge * size / 3.0;
        (self.square + DMat3::from_diagonal(DVec3::splat(ridge))).inverse() * (self.side + usual * ridge)
    }
}
