//! What gets lost on the way into a format.

use sinew::animation::Clip;
use sinew::geometry::{Attribute, AttributeKind, Domain, Mesh};
use sinew::nodes::Node;
use sinew::rig::Rig;
use sinew_io::formats::{Facts, Format, Keeps, UnitRule};

use crate::loss::Loss;

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
    /// Whether it is written as a rig.
    pub rig: bool,
    /// What moves no vertex.
    pub nodes: &'a [Node],
    /// Name of the object that holds the bones of a rig that stays one.
    pub armature: &'a str,
    pub facts: &'a Facts,
}

impl<'a> Content<'a> {
    /// Of a rig that stays one.
    pub fn of_rig(rig: &'a Rig, clip: Option<&'a str>, facts: &'a Facts) -> Self {
        Self {
            mesh: &rig.mesh,
            rest: true,
            told_fps: Some(rig.fps),
            clips: &rig.clips,
            clip,
            bones: None,
            frames: rig.frame_count(),
            rig: true,
            nodes: &rig.nodes,
            armature: &rig.armature,
            facts,
        }
    }
}

/// What of it gets lost in a file of this format, and of another that is written with it.
pub fn list(content: &Content, format: &Format, beside: Option<&Format>) -> Vec<Loss> {
    let mesh = content.mesh;
    let kept = |is: fn(&Keeps) -> bool| is(&format.keeps) || beside.is_some_and(|other| is(&other.keeps));
    let mut lost = Vec::new();
    lost.extend(content.bones.filter(|_| !format.writes.rig).map(Loss::Bones));
    if mesh.face_count() > 0 && !format.writes.faces && beside.is_none() {
        lost.push(Loss::Faces(mesh.face_count()));
    }
    if mesh.uvs.is_some() && !kept(|k| k.uvs) {
        lost.push(Loss::Uvs);
    }
    let (first, more) = (kept(|k| k.colors), kept(|k| k.more_colors));
    let mut colors = 0;
    let color_lost = |a: &Attribute| {
        colors += 1;
        !more && (!first || colors > 1 || a.domain == Domain::Corner)
    };
    lost.extend(names(mesh, AttributeKind::Uv, |_| !kept(|k| k.uv_sets)).map(Loss::UvSets));
    lost.extend(names(mesh, AttributeKind::Color, color_lost).map(Loss::Colors));
    lost.extend(names(mesh, AttributeKind::Custom, |_| !kept(|k| k.attributes)).map(Loss::Attributes));
    if mesh.normals.is_some() && !kept(|k| k.normals) {
        lost.push(Loss::Normals);
    }
    if !mesh.materials.is_empty() && !kept(|k| k.materials) {
        lost.push(Loss::Materials(mesh.materials.iter().map(|m| m.name.clone()).collect()));
    }
    if !mesh.images.is_empty() && !kept(|k| k.textures) {
        lost.push(Loss::Textures(mesh.images.len()));
    }
    if !mesh.parts.is_empty() && !kept(|k| k.parts) {
        lost.push(Loss::Parts(mesh.parts.iter().map(|p| p.name.clone()).collect()));
    }
    // Poses that are written one after another have no place for them.
    let kept = content.rig && format.keeps.nodes;
    if !content.nodes.is_empty() && !kept {
        lost.push(Loss::Nodes(content.nodes.iter().map(|node| node.name.clone()).collect()));
    }
    if !content.armature.is_empty() && !format.keeps.nodes {
        lost.push(Loss::Armature(content.armature.into()));
    }
    lost.extend(content.told_fps.filter(|_| content.frames > 1 && !format.keeps.fps).map(Loss::Rate));
    lost.extend(unit(content.facts, format));
    if content.clips.len() > 1 && !format.keeps.clips {
        lost.push(Loss::ClipEnds(content.clips.iter().map(|c| c.name.clone()).collect()));
    } else if let Some(name) = content.clip.filter(|name| !name.is_empty() && !format.keeps.clips) {
        lost.push(Loss::ClipName(name.into()));
    }
    if content.rest && !format.keeps.rest && beside.is_none() {
        lost.push(Loss::Rest);
    }
    lost
}

/// Names of the attributes of a kind that get lost, where any do.
fn names(
    mesh: &Mesh,
    kind: AttributeKind,
    mut is_lost: impl FnMut(&Attribute) -> bool,
) -> Option<Vec<String>> {
    let of_kind = mesh.attributes.iter().filter(|a| a.kind == kind);
    let names: Vec<String> = of_kind.filter(|a| is_lost(a)).map(|a| a.name.clone()).collect();
    (!names.is_empty()).then_some(names)
}

/// The unit, where the format has no place for it. Bare numbers are taken for metres, so that those are not lost.
pub fn unit(facts: &Facts, format: &Format) -> Option<Loss> {
    let metres = facts.metres_per_unit.filter(|metres| *metres != 1.0 && format.unit == UnitRule::Untold);
    metres.map(Loss::Unit)
}
