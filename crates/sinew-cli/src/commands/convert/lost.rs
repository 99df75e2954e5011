//! What a format cannot hold.

use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew_io::formats::{Format, Keeps};

use crate::console::{count, number};

/// What there is besides positions.
pub struct Content<'a> {
    pub mesh: &'a Mesh,
    /// Whether there is a rest pose that is not just the first frame.
    pub rest: bool,
    /// The frame rate, where the input tells it.
    pub told_fps: Option<f64>,
    pub clips: &'a [Clip],
    /// Name of a single clip.
    pub clip: Option<&'a str>,
    /// Bones of a rig that is played.
    pub bones: Option<usize>,
    pub frames: usize,
}

/// What of it gets lost in a file of this format, and of another that is written with it.
pub fn list(content: &Content, format: &Format, beside: Option<&Format>) -> Vec<String> {
    let mesh = content.mesh;
    let kept = |is: fn(&Keeps) -> bool| is(&format.keeps) || beside.is_some_and(|other| is(&other.keeps));
    let mut lost = Vec::new();
    if let Some(bones) = content.bones.filter(|_| !format.writes.rig) {
        lost.push(format!(
            "{} and the weights of the skin: the rig is played",
            count(bones, "bone", "bones")
        ));
    }
    if mesh.face_count() > 0 && !format.writes.faces && beside.is_none() {
        lost.push(format!("{}: --rest-out FILE writes the mesh", count(mesh.face_count(), "face", "faces")));
    }
    if mesh.uvs.is_some() && !kept(|k| k.uvs) {
        lost.push("UVs".into());
    }
    if mesh.normals.is_some() && !kept(|k| k.normals) {
        lost.push("shading normals, and with them which edges are hard".into());
    }
    if !mesh.materials.is_empty() && !kept(|k| k.materials) {
        let names: Vec<&str> = mesh.materials.iter().map(|m| m.name.as_str()).collect();
        lost.push(format!("{} ({})", count(names.len(), "material", "materials"), shortened(&names)));
    }
    if !mesh.images.is_empty() && !kept(|k| k.textures) {
        lost.push(count(mesh.images.len(), "texture", "textures"));
    }
    if !mesh.parts.is_empty() && !kept(|k| k.parts) {
        let names: Vec<&str> = mesh.parts.iter().map(|p| p.name.as_str()).collect();
        lost.push(format!("names of {} ({})", count(names.len(), "part", "parts"), shortened(&names)));
    }
    if let Some(fps) = content.told_fps.filter(|_| content.frames > 1 && !format.keeps.fps) {
        lost.push(format!("the frame rate, {} a second", number(fps)));
    }
    if content.clips.len() > 1 && !format.keeps.clips {
        let names: Vec<&str> = content.clips.iter().map(|c| c.name.as_str()).collect();
        lost.push(format!(
            "where {} end ({}): they follow one another",
            count(names.len(), "clip", "clips"),
            shortened(&names)
        ));
    } else if let Some(name) = content.clip.filter(|name| !name.is_empty() && !format.keeps.clips) {
        lost.push(format!("the name of the clip, {name}"));
    }
    if content.rest && !format.keeps.rest && beside.is_none() {
        lost.push("the rest pose: --rest-out FILE writes it".into());
    }
    lost
}

/// A few names of many.
fn shortened(names: &[&str]) -> String {
    const MOST: usize = 5;
    let first = names[..names.len().min(MOST)].join(", ");
    if names.len() > MOST { format!("{first} and {} more", names.len() - MOST) } else { first }
}
