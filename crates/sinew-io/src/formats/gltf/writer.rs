//! A file that is being written.

use glam::{DAffine3, DMat4};
use serde_json::Value;
use sinew::rig::Rig;

use super::document::Document;
use super::packing::Packing;
use crate::Warning;
use crate::scene::names::Names;

/// What all that writes into a file shares.
pub(super) struct Writer<'a> {
    pub rig: &'a Rig,
    pub name: String,
    pub document: Document,
    pub packing: Option<Packing>,
    pub nodes: Vec<Value>,
    pub names: Names,
    /// Names of the bones' nodes: before meshes, as clips and other programs know bones by theirs.
    pub bone_names: Vec<String>,
    pub warnings: Vec<Warning>,
}

impl Writer<'_> {
    /// An inverse bind matrix, for positions as they are stored.
    pub fn bind_matrix(&self, inverse: DAffine3) -> [f32; 16] {
        let unpacked = self.packing.map_or(inverse, |packing| inverse * packing.unpack());
        DMat4::from(unpacked).as_mat4().to_cols_array()
    }
}
