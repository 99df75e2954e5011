//! Rigs played on the GPU: crowds of them, with levels of detail, to pictures.
//!
//! Bones of all frames are sent once. Each frame a compute pass finds who is seen, how finely each is to be
//! drawn, and where everyone's bones are at their own time; vertices are skinned where they are drawn. After
//! "Skinning Mesh Animations" (James and Twigg 2005), section 7.
//!
//! | I have                      | I want                           | use                       |
//! | --------------------------- | -------------------------------- | ------------------------- |
//! | a computer                  | its GPU                          | [`Gpu::open`]             |
//! | a rig, coarser levels of it | something that can be drawn      | [`Model::new`]            |
//! | a model, light baked over it | the same, lit                   | [`Model::with_light`]     |
//! | models                      | many of them on a plain          | [`Herd::scatter`]         |
//! | models and a herd           | them on the GPU                  | [`Scene::new`]            |
//! | a scene, a camera           | a picture                        | [`Renderer::picture`]     |
//! | a renderer                  | to look around in a window       | `Window::show`            |
//! | a renderer                  | vertices as the GPU skins them   | [`Renderer::vertices_of`] |
//! | a rig                       | its poses as the GPU skins them  | [`GpuPlayer`]             |
//! | a renderer                  | how fast it is                   | [`Renderer::measure`]     |
//! | a renderer                  | the same by sending all vertices | [`Streamer`]              |
//!
//! `Window` is there with the feature `window`, which is off unless it is asked for.

mod camera;
mod clusters;
mod device;
mod gait;
mod herd;
mod lit;
mod map;
mod measure;
mod model;
mod model_light;
mod options;
mod pipelines;
mod player;
mod pose;
mod raster;
mod renderer;
mod scene;
mod skin;
mod stream;
mod target;
#[cfg(feature = "window")]
mod window;

pub use camera::{Camera, Viewpoint};
pub use clusters::Cluster;
pub use device::{Gpu, GpuError};
pub use gait::Gait;
pub use herd::{Herd, HerdOptions, Member};
pub use measure::Measured;
pub use model::{MAX_LEVELS, Model, ModelLevel, ModelOptions, ModelVertex};
pub use model_light::ModelLight;
pub use options::{RenderOptions, Route};
pub use pipelines::Look;
pub use player::GpuPlayer;
pub use renderer::Renderer;
pub use scene::Scene;
pub use skin::{Difference, Vertices};
pub use stream::Streamer;
pub use target::Pixels;
#[cfg(feature = "window")]
pub use window::Window;
