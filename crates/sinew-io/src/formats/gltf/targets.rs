//! Morph targets by name, and meshes as they show them.

use super::read::Gltf;

impl Gltf {
    /// Names of the morph targets, as most writers state them: those of the first mesh that has any. A target
    /// without a name has an empty one.
    pub fn morph_names(&self) -> Vec<String> {
        let with_targets =
            |mesh: &&super::schema::Mesh| mesh.primitives.iter().any(|p| !p.targets.is_empty());
        let Some(mesh) = self.root.meshes.iter().find(with_targets) else { return Vec::new() };
        let count = mesh.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0);
        let name = |number: usize| {
            let stated = mesh.extras.get("targetNames").and_then(|names| names.get(number)?.as_str());
            stated.unwrap_or_default().to_owned()
        };
        (0..count).map(name).collect()
    }

    /// The name of a morph target; one made of its number where the file has none.
    pub(super) fn target_name(&self, mesh: usize, target: usize) -> String {
        let names = self.root.meshes[mesh].extras.get("targetNames");
        let stated = names.and_then(|names| names.get(target)?.as_str()).filter(|name| !name.is_empty());
        stated.map_or_else(|| format!("shape_{target}"), str::to_owned)
    }

    /// The same file with all meshes showing so much of their morph targets when nothing moves them.
    pub fn with_morphs(mut self, weights: &[f64]) -> Self {
        for node in &mut self.root.nodes {
            node.weights = None;
        }
        for mesh in &mut self.root.meshes {
            let count = mesh.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0);
            mesh.weights = Some(weights.iter().copied().take(count).collect()).filter(|_| count > 0);
        }
        self
    }
}
