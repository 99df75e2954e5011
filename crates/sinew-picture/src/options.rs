//! How a picture is taken.

use glam::Vec3;

use crate::camera::{Camera, UpAxis};
use crate::color::from_hex;

/// How a picture is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureOptions {
    /// Pixels across each shot.
    pub width: usize,
    /// Pixels down each shot.
    pub height: usize,
    /// Shots side by side; 0 puts all in one row.
    pub columns: usize,
    /// The camera, the same for all shots but for following what travels far.
    pub camera: Camera,
    /// Which way is up in the data.
    pub up: UpAxis,
    /// Linear colours behind the mesh, at the upper and the lower edge.
    pub background: [Vec3; 2],
    /// Whether there is a floor, at the lowest point of all shots, to throw shadows on.
    pub ground: bool,
    /// Whether light is kept off by what is in its way: most of the time of a small picture.
    pub shadows: bool,
    /// Samples along each side of a pixel, 1 to 8.
    pub supersampling: usize,
    /// Whether the edges of faces are drawn.
    pub wireframe: bool,
    /// Whether the joints of skeletons have their names beside them.
    pub labels: bool,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            width: 1200,
            height: 800,
            columns: 0,
            camera: Camera::default(),
            up: UpAxis::Y,
            background: [from_hex(0xe9_ed_f2), from_hex(0xf7_f8_fa)],
            ground: true,
            shadows: true,
            supersampling: 3,
            wireframe: false,
            labels: false,
        }
    }
}
