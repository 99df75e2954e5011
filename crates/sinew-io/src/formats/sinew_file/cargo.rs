//! Attributes of the mesh and nodes that move no vertex, as records hold them.

use glam::DAffine3;
use sinew::geometry::{Attribute, AttributeKind, Domain, Material};
use sinew::nodes::{Camera, Lens, Light, LightShape, Node, NodeKind, NodeMotion, Parent};

use crate::containers::fields::{Cursor, Fixed, put_list, put_text};

const KINDS: [AttributeKind; 3] = [AttributeKind::Uv, AttributeKind::Color, AttributeKind::Custom];

pub fn put_attributes(attributes: &[Attribute]) -> Vec<u8> {
    let mut out = Vec::new();
    (attributes.len() as u64).put(&mut out);
    for attribute in attributes {
        put_text(&attribute.name, &mut out);
        let kind = KINDS.iter().position(|kind| *kind == attribute.kind).unwrap_or(2);
        (kind as u8).put(&mut out);
        u8::from(attribute.domain == Domain::Corner).put(&mut out);
        (attribute.width as u32).put(&mut out);
        put_list(&attribute.values, &mut out);
        put_list(&attribute.indices, &mut out);
    }
    out
}

/// The inverse of [`put_attributes`]. Lengths and indices are not checked yet.
pub fn take_attributes(bytes: &[u8]) -> Option<Vec<Attribute>> {
    let mut cursor = Cursor(bytes);
    let attributes = cursor.each(|cursor| {
        Some(Attribute {
            name: cursor.text()?,
            kind: *KINDS.get(usize::from(cursor.value::<u8>()?))?,
            domain: if cursor.flag()? { Domain::Corner } else { Domain::Vertex },
            width: cursor.value::<u32>()? as usize,
            values: cursor.list()?,
            indices: cursor.list()?,
        })
    })?;
    cursor.is_empty().then_some(attributes)
}

/// Which textures of which materials lie on other UVs than the first; nothing where none do.
pub fn put_uv_sets(materials: &[Material]) -> Option<Vec<u8>> {
    let textures = |(number, material): (usize, &Material)| {
        let of = material.textures.iter().enumerate().filter(|(_, texture)| texture.uv_set > 0);
        of.map(|(texture, t)| [number as u32, texture as u32, t.uv_set as u32]).collect::<Vec<_>>()
    };
    let sets: Vec<[u32; 3]> = materials.iter().enumerate().flat_map(textures).collect();
    if sets.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    put_list(&sets, &mut out);
    Some(out)
}

/// The inverse of [`put_uv_sets`]: material, texture and UV set.
pub fn take_uv_sets(bytes: &[u8]) -> Option<Vec<[u32; 3]>> {
    let mut cursor = Cursor(bytes);
    let sets = cursor.list()?;
    cursor.is_empty().then_some(sets)
}

pub fn put_nodes(nodes: &[Node]) -> Vec<u8> {
    let mut out = Vec::new();
    (nodes.len() as u64).put(&mut out);
    for node in nodes {
        put_text(&node.name, &mut out);
        let (kind, number) = match node.parent {
            Parent::Scene => (0_u8, 0),
            Parent::Bone(bone) => (1, bone),
            Parent::Node(other) => (2, other),
        };
        kind.put(&mut out);
        (number as u32).put(&mut out);
        put_kind(&node.kind, &mut out);
        u8::from(!node.motion.is_still()).put(&mut out);
        put_list(node.motion.places(), &mut out);
    }
    out
}

/// The inverse of [`put_nodes`]. Parents and numbers of frames are not checked yet.
pub fn take_nodes(bytes: &[u8]) -> Option<Vec<Node>> {
    let mut cursor = Cursor(bytes);
    let nodes = cursor.each(|cursor| {
        let name = cursor.text()?;
        let (kind, number) = (cursor.value::<u8>()?, cursor.value::<u32>()? as usize);
        let parent = match kind {
            0 => Parent::Scene,
            1 => Parent::Bone(number),
            2 => Parent::Node(number),
            _ => return None,
        };
        let kind = take_kind(cursor)?;
        let moves = cursor.flag()?;
        let places: Vec<DAffine3> = cursor.list()?;
        let motion = match places[..] {
            [place] if !moves => NodeMotion::Still(place),
            _ if moves => NodeMotion::Moving(places),
            _ => return None,
        };
        Some(Node { name, parent, kind, motion })
    })?;
    cursor.is_empty().then_some(nodes)
}

/// A number that may not be there, as none.
fn optional(x: Option<f64>) -> f64 {
    x.unwrap_or(f64::NAN)
}

fn put_kind(kind: &NodeKind, out: &mut Vec<u8>) {
    match kind {
        NodeKind::Empty => 0_u8.put(out),
        NodeKind::Group => 1_u8.put(out),
        NodeKind::Camera(camera) => {
            2_u8.put(out);
            let (flat, size) = match camera.lens {
                Lens::Perspective(angle) => (0_u8, angle),
                Lens::Orthographic(height) => (1, height),
            };
            flat.put(out);
            [size, optional(camera.aspect), camera.near, optional(camera.far)].put(out);
        }
        NodeKind::Light(light) => {
            3_u8.put(out);
            let (shape, sizes) = match light.shape {
                LightShape::Point => (0_u8, [0.0; 2]),
                LightShape::Sun => (1, [0.0; 2]),
                LightShape::Spot { inner, outer } => (2, [inner, outer]),
                LightShape::Area { width, height } => (3, [width, height]),
            };
            shape.put(out);
            sizes.put(out);
            light.color.put(out);
            [light.intensity, optional(light.range)].put(out);
        }
    }
}

fn take_kind(cursor: &mut Cursor) -> Option<NodeKind> {
    let stated = |x: f64| Some(x).filter(|x| !x.is_nan());
    Some(match cursor.value::<u8>()? {
        0 => NodeKind::Empty,
        1 => NodeKind::Group,
        2 => {
            let flat = cursor.flag()?;
            let [size, aspect, near, far] = cursor.value()?;
            let lens = if flat { Lens::Orthographic(size) } else { Lens::Perspective(size) };
            NodeKind::Camera(Camera { lens, aspect: stated(aspect), near, far: stated(far) })
        }
        3 => {
            let shape = cursor.value::<u8>()?;
            let [a, b] = cursor.value()?;
            let shape = match shape {
                0 => LightShape::Point,
                1 => LightShape::Sun,
                2 => LightShape::Spot { inner: a, outer: b },
                3 => LightShape::Area { width: a, height: b },
                _ => return None,
            };
            let color = cursor.value()?;
            let [intensity, range] = cursor.value()?;
            NodeKind::Light(Light { shape, color, intensity, range: stated(range) })
        }
        _ => return None,
    })
}
