//! Prims of a stage, and the prims of layers that they are made of.

use std::sync::Arc;

/// A prim of a layer, as seen from the stage.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub layer: usize,
    pub prim: usize,
    /// Paths that start with the first go to the second, one step after the other.
    pub moves: Arc<[(String, String)]>,
    /// Times of the layer are multiplied by `scale`, then `offset` is added.
    pub offset: f64,
    pub scale: f64,
}

/// A prim of the stage.
pub(super) struct StagePrim {
    pub path: String,
    pub name: String,
    pub type_name: String,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub sites: Vec<Site>,
}

/// A path that may be relative, as an absolute one.
pub(super) fn absolute(from: &str, target: &str) -> String {
    if target.starts_with('/') {
        return target.into();
    }
    let mut parts: Vec<&str> = from.split('/').filter(|p| !p.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// `path` with its start replaced; nothing where it starts with something else.
fn replaced(path: &str, from: &str, to: &str) -> Option<String> {
    let rest = if from == "/" { path } else { path.strip_prefix(from)? };
    let whole = rest.is_empty() || rest.starts_with(['/', '.']);
    whole.then(|| format!("{}{rest}", if to == "/" { "" } else { to }))
}

impl Site {
    /// A path of the layer as one of the stage.
    pub fn moved(&self, mut path: String) -> String {
        for (from, to) in self.moves.iter() {
            path = replaced(&path, from, to).unwrap_or(path);
        }
        path
    }

    /// A path of the stage as one of the layer.
    pub fn own_path(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for (from, to) in self.moves.iter().rev() {
            path = replaced(&path, to, from).unwrap_or(path);
        }
        path
    }

    /// When the layer's `time` is on the stage.
    pub fn stage_time(&self, time: f64) -> f64 {
        time * self.scale + self.offset
    }
}
