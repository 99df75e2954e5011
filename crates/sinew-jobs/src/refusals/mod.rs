//! Why jobs are refused, one enum a job: closed, with data, in the names of the fields. Doors say the remedy in their own
//! words.

mod bake;
mod batch;
mod collide;
mod convert;
mod crowd;
mod edit;
mod files;
mod info;
mod lod;
mod picture;
mod skeleton;
mod skin;
mod standard;
mod stream;

pub use bake::BakeRefusal;
pub use batch::{BatchRefusal, Gone};
pub use collide::CollideRefusal;
pub use convert::{Content, ConvertRefusal, Takes};
pub use crowd::CrowdRefusal;
pub(crate) use crowd::FASTEST_GIF;
pub use edit::EditRefusal;
pub use files::FileRefusal;
pub use info::InfoRefusal;
pub use lod::LodRefusal;
pub use picture::PictureRefusal;
pub use skeleton::SkeletonRefusal;
pub use skin::{
    FitError, FitRefusal, GivenRefusal, ImportanceRefusal, RigDiffers, ShapeRefusal, SkinRefusal,
};
pub use standard::StandardRefusal;
pub use stream::StreamRefusal;
