//! What a file holds that is not read.

use std::collections::BTreeSet;

use super::bind::Bindings;
use super::file::UsdFile;
use crate::warning::Unkept;

/// What attributes begin with that people gave to prims.
const CUSTOM: &str = "userProperties:";
/// What those begin with that Blender gives to everything, to know it again.
const OF_BLENDER: &str = "blender";

impl UsdFile {
    /// All that is not read of a file with these skeletons.
    pub(super) fn unkept(&self, bindings: &Bindings) -> Vec<Unkept> {
        let mut found = Vec::new();
        let names: BTreeSet<String> =
            (0..self.stage.prims.len()).flat_map(|prim| self.stage.property_names(prim)).collect();
        let custom = names.iter().filter_map(|name| name.strip_prefix(CUSTOM));
        let custom: Vec<String> =
            custom.filter(|name| !name.starts_with(OF_BLENDER)).map(Into::into).collect();
        if !custom.is_empty() {
            found.push(Unkept::CustomProperties(custom));
        }
        if bindings.skeletons.len() > 1 {
            let name = |bound: &super::bind::Bound| self.stage.name(bound.skeleton.prim);
            found.push(Unkept::Armatures(bindings.skeletons.iter().map(name).collect()));
        }
        found
    }
}
