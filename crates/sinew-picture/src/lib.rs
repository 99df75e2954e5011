//! Pictures for reports: meshes with their bones, weights and errors, and line charts.
//!
//! Everything is drawn on the CPU, so that a server without a GPU can do it, and comes out the same bit
//! for bit whatever the number of threads.
//!
//! | I have                             | I want                        | use                 |
//! | ---------------------------------- | ----------------------------- | ------------------- |
//! | one or several poses               | a picture, side by side       | [`render()`]        |
//! | poses, and another painter         | the same picture by it        | [`render_by`]       |
//! | weights                            | one colour per vertex         | [`weight_colors`]   |
//! | a number of bones or segments      | colours that stay apart       | [`bone_palette`]    |
//! | a rig with a skeleton              | its bones inside of the body  | [`PosedSkeleton`]   |
//! | numbers over frames or sizes       | a line chart                  | [`plot()`]          |
//! | an image                           | the bytes of a PNG file       | [`Image::encode_png`] |
//! | the bytes of a PNG file            | its pixels                    | [`Image::decode_png`] |
//! | images of one size                 | a moving picture              | [`GifWriter`]       |
//!
//! Colours that go in are linear red, green and blue (as in glTF); pixels that come out are sRGB.

mod camera;
mod canvas;
mod color;
mod draw;
mod font;
mod gif;
mod image;
mod label;
mod light;
mod options;
mod plot;
mod posed_skeleton;
mod raster;
mod render;
mod shade;
mod skeleton;
mod surface;

pub use camera::{Camera, UpAxis};
pub use color::{NO_BONE, bone_palette, heat_color, weight_colors};
pub use gif::GifWriter;
pub use image::Image;
pub use options::PictureOptions;
pub use plot::{PlotOptions, Series, plot};
pub use posed_skeleton::{PosedJoint, PosedSkeleton};
pub use render::{Seen, render, render_by};
pub use surface::{CLAY, Coloring, Shot};

/// Why a picture could not be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PictureError {
    /// Bytes that are no PNG file, or the beginning of one.
    #[error("this is no whole PNG file: {0}")]
    NoPng(String),
    /// There is nothing to lay out.
    #[error("a picture needs at least one shot")]
    NoShots,
    /// Zero, or more than can be held.
    #[error(
        "a picture of {width} x {height} pixels cannot be drawn; each side is 1 to {largest} pixels long"
    )]
    Size {
        /// Width asked for.
        width: usize,
        /// Height asked for.
        height: usize,
        /// The longest side there can be.
        largest: usize,
    },
    /// An array does not fit the mesh.
    #[error("shot {shot}: {found} {what} where {expected} belong")]
    Count {
        /// The shot, from 0.
        shot: usize,
        /// Which array, in the plural.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("shot {shot}: triangle {triangle} refers to a vertex that does not exist")]
    NoSuchVertex {
        /// The shot, from 0.
        shot: usize,
        /// The triangle, from 0.
        triangle: usize,
    },
    /// A joint hangs on one that does not exist.
    #[error("shot {shot}: joint {joint} hangs on a joint that does not exist")]
    NoSuchJoint {
        /// The shot, from 0.
        shot: usize,
        /// The joint, from 0.
        joint: usize,
    },
}
