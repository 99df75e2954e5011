//! The meshes of a scene: every instance one part, polygons and vertices as they are stored.
//!
//! A mesh is stored in a space of its own. At rest it is where it was bound to its joints, or where its node
//! is when no clip moves anything; it is put there, so that all parts of a rest pose are in one space.

use std::collections::HashMap;

use glam::{DAffine3, DVec3, Vec2, Vec3};
use sinew::geometry::{CornerLayer, Mesh, Part};

use super::attributes::Rest;
use super::carry::{Carrier, bound};
use super::convert::{affine, upright, usable, vector};
use super::dual::Dual;
use super::instances::Instance;
use super::open::Fbx;
use super::sample::Carried;
use crate::scene::hierarchy::BoneSource;
use crate::scene::repairs::Repairs;
use crate::warning::{Counted, count};
use crate::{Result, Warning};

/// Vertices a scene may have once its instances are laid out.
const MOST_VERTICES: usize = 1 << 26;
/// A place this near to that of the file's own numbers is that one, up to rounding.
const SAME_PLACE: f64 = 1e-12;
/// Bindings of a joint that differ by less than this, relative to their size, are one bone. Each mesh has
/// a binding of its own, calculated from other numbers.
const SAME_BINDING: f64 = 1e-6;

/// Squares of normals this near to one are of length one, up to rounding.
const UNIT_LENGTH: f64 = 1e-6;
/// Bindings of a joint that another is compared with.
const MOST_BINDINGS: usize = 16;

/// All instances as one mesh, bound to bones.
#[derive(Default)]
pub(super) struct Meshes {
    pub mesh: Mesh,
    pub rest: Vec<Vec3>,
    /// Where each part is at rest: takes the file's positions to the rest pose.
    pub places: Vec<DAffine3>,
    /// Which bone each part's node is; parts with a point cache have one.
    pub node_bones: Vec<Option<u32>>,
    pub sources: Vec<BoneSource>,
    pub carried: Carried,
    /// Bones of each node.
    of_node: HashMap<usize, Vec<u32>>,
    pub influences: Vec<Vec<(u32, f32)>>,
    pub dual: Dual,
    pub warnings: Vec<Warning>,
    attributes: Rest,
    repairs: Repairs,
    too_few_corners: usize,
}

impl Fbx {
    /// Lays out all instances.
    pub(super) fn meshes(&self, instances: &[Instance], carriers: Vec<Option<Carrier>>) -> Result<Meshes> {
        let mut out = Meshes::default();
        let vertices = instances.iter().map(|i| i.mesh.num_vertices).fold(0, usize::saturating_add);
        let corners = instances.iter().map(|i| i.mesh.num_indices).fold(0, usize::saturating_add);
        if vertices > MOST_VERTICES || corners > 4 * MOST_VERTICES {
            return Err(self.unsupported(format!(
                "the scene has more than {MOST_VERTICES} vertices once all its objects are laid out"
            )));
        }
        out.mesh.face_starts.push(0);
        if instances.iter().any(|i| i.mesh.vertex_uv.exists) {
            out.mesh.uvs = Some(CornerLayer { values: Vec::new(), indices: Vec::new() });
        }
        if instances.iter().any(|i| i.mesh.vertex_normal.exists && !i.mesh.generated_normals) {
            out.mesh.normals = Some(CornerLayer { values: Vec::new(), indices: Vec::new() });
        }
        let upright = DAffine3::from_mat3(upright(&self.scene.settings.axes));
        for (instance, carrier) in instances.iter().zip(carriers) {
            let rest = carrier.as_ref().map_or(DAffine3::IDENTITY, |c| c.at(&self.scene));
            let carrier = carrier.map(|carrier| {
                out.carried.carriers.push(carrier);
                out.carried.carriers.len() - 1
            });
            out.add(instance, &upright, rest, carrier);
        }
        out.mesh.vertex_count = out.rest.len();
        out.mesh.attributes = std::mem::take(&mut out.attributes).finish(&out.mesh);
        let r = &out.repairs;
        let said = [
            (r.not_normalised, Counted::NotNormalised),
            (r.negative, Counted::NegativeWeights),
            (out.too_few_corners, Counted::FewCorners),
        ];
        out.warnings.extend(Warning::counts(said));
        if out.mesh.face_count() == 0 {
            return Err(self.unsupported(self.no_faces()));
        }
        Ok(out)
    }

    /// What is there instead of faces, as a sentence.
    fn no_faces(&self) -> String {
        let scene = &self.scene;
        let others = [
            (scene.nurbs_trim_surfaces.count, "trimmed NURBS surface", "trimmed NURBS surfaces"),
            (
                self.surfaces.failed,
                "NURBS surface of too few or too many points",
                "NURBS surfaces of too few or too many points",
            ),
            (scene.nurbs_curves.count, "NURBS curve", "NURBS curves"),
            (scene.line_curves.count, "line", "lines"),
            (scene.meshes.count, "mesh of points or edges", "meshes of points or edges"),
        ];
        let found = others.iter().filter(|o| o.0 > 0).map(|(n, one, many)| count(*n, one, many));
        let unread = self.unread_geometry().into_iter();
        let unread = unread
            .map(|(kind, n)| format!("{} {kind}", count(n, "object of the kind", "objects of the kind")));
        let found: Vec<String> = found.chain(unread).collect();
        match found.is_empty() {
            true => "the scene has no faces".into(),
            false => {
                format!("the scene has no faces; it has {}, which are not supported", found.join(" and "))
            }
        }
    }
}

impl Meshes {
    /// Adds an instance that is carried on, `rest` where no clip moves anything.
    fn add(&mut self, instance: &Instance, upright: &DAffine3, rest: DAffine3, carrier: Option<usize>) {
        let Instance { node, mesh } = *instance;
        let (first_vertex, first_face) = (self.rest.len(), self.mesh.face_count());
        let place = place(instance, upright, rest);
        let positions = mesh.vertices.iter().map(|p| place.transform_point3(vector(*p)).as_vec3());
        self.rest.extend(positions);
        self.add_corners(instance, &place, first_vertex as u32);
        self.bind(instance, &place, carrier);
        self.dual.add(instance, first_vertex);
        self.mesh.parts.push(Part {
            name: node.element.name.to_string(),
            faces: first_face..self.mesh.face_count(),
            vertices: first_vertex..self.rest.len(),
        });
        self.places.push(place);
    }

    fn add_corners(&mut self, Instance { mesh, .. }: &Instance, place: &DAffine3, first: u32) {
        // What is mirrored on its way is turned inside out, so that its faces look outwards again.
        let mirrored = place.matrix3.determinant() < 0.0;
        let mut corners: Vec<usize> = Vec::new();
        for face in &mesh.faces {
            let (start, count) = (face.index_begin as usize, face.num_indices as usize);
            if count < 3 || start.saturating_add(count) > mesh.vertex_indices.len() {
                self.too_few_corners += 1;
                continue;
            }
            if mirrored {
                corners.extend((start..start + count).rev());
            } else {
                corners.extend(start..start + count);
            }
            self.mesh.face_starts.push((self.mesh.corners.len() + corners.len()) as u32);
        }
        self.mesh.corners.extend(corners.iter().map(|&c| first + mesh.vertex_indices[c]));
        self.attributes.add(mesh, &corners);
        if let Some(layer) = &mut self.mesh.uvs {
            let uv = |v: &ufbx::Vec2| Vec2::new(v.x as f32, (1.0 - v.y) as f32);
            let own = &mesh.vertex_uv;
            add_layer(layer, own.exists.then_some((own.values.as_ref(), own.indices.as_ref())), &corners, uv);
        }
        if let Some(layer) = &mut self.mesh.normals {
            let upright = place.matrix3.inverse().transpose();
            let normal = |n: &ufbx::Vec3| {
                let turned = upright * vector(*n);
                if (turned.length_squared() - 1.0).abs() < UNIT_LENGTH {
                    return turned.as_vec3();
                }
                turned.try_normalize().unwrap_or(DVec3::Z).as_vec3()
            };
            let own = &mesh.vertex_normal;
            add_layer(
                layer,
                own.exists.then_some((own.values.as_ref(), own.indices.as_ref())),
                &corners,
                normal,
            );
        }
    }

    /// Gives all vertices of an instance their influences.
    fn bind(&mut self, Instance { node, mesh }: &Instance, place: &DAffine3, carrier: Option<usize>) {
        let back = place.inverse();
        let of_node = affine(&node.geometry_to_node) * back;
        let skin = (mesh.skin_deformers.count > 0).then(|| &mesh.skin_deformers[0]);
        let Some(skin) = skin.filter(|s| s.clusters.count > 0) else {
            let bone = self.bone(node, of_node, None);
            self.influences.extend((0..mesh.num_vertices).map(|_| vec![(bone, 1.0)]));
            return self.node_bones.push(Some(bone));
        };
        self.doubt(mesh, &node.element.name);
        let mut joints = Vec::with_capacity(skin.clusters.count);
        for cluster in &skin.clusters {
            let joint = cluster.bone_node.as_ref().map(|n| n.as_ref());
            joints.push(joint.map(|j| self.bone(j, affine(&cluster.geometry_to_bone) * back, carrier)));
        }
        // What no joint moves stays with the node.
        let mut otherwise = None;
        for vertex in 0..mesh.num_vertices {
            let mut row = row(skin, vertex, &joints);
            if !row.iter().any(|r| r.1 > 0.0) {
                row.clear();
                let bone = *otherwise.get_or_insert_with(|| self.bone(node, of_node, None));
                row.push((bone, 1.0));
            }
            self.repairs.clean(&mut row, 0);
            self.influences.push(row);
        }
        self.node_bones.push(otherwise);
    }

    fn doubt(&mut self, mesh: &ufbx::Mesh, name: &str) {
        if mesh.skin_deformers.count > 1 {
            self.warnings.push(Warning::SeveralSkins(name.into()));
        }
    }

    /// The bone of a node that is bound by `inverse` and carried on.
    fn bone(&mut self, node: &ufbx::Node, inverse: DAffine3, carrier: Option<usize>) -> u32 {
        let node = node.element.typed_id as usize;
        let bones = self.of_node.entry(node).or_default();
        let of_bone = &self.carried.of_bone;
        let alike = |b: &&u32| {
            of_bone[**b as usize] == carrier && same(&self.sources[**b as usize].inverse, &inverse)
        };
        if let Some(&known) = bones.iter().rev().take(MOST_BINDINGS).find(alike) {
            return known;
        }
        bones.push(self.sources.len() as u32);
        self.sources.push(BoneSource { node, inverse });
        self.carried.of_bone.push(carrier);
        self.sources.len() as u32 - 1
    }
}

/// The influences of a vertex.
fn row(skin: &ufbx::SkinDeformer, vertex: usize, joints: &[Option<u32>]) -> Vec<(u32, f32)> {
    let Some(v) = skin.vertices.get(vertex) else { return Vec::new() };
    let start = v.weight_begin as usize;
    let weights = skin.weights.get(start..start.saturating_add(v.num_weights as usize)).unwrap_or_default();
    let bone = |w: &ufbx::SkinWeight| Some(((*joints.get(w.cluster_index as usize)?)?, w.weight as f32));
    weights.iter().filter(|w| w.weight.is_finite()).filter_map(bone).collect()
}

fn same(a: &DAffine3, b: &DAffine3) -> bool {
    let (a, b) = (a.to_cols_array(), b.to_cols_array());
    let size = a.iter().fold(1.0_f64, |s, x| s.max(x.abs()));
    a.iter().zip(&b).all(|(x, y)| (x - y).abs() <= SAME_BINDING * size)
}

/// Where an instance is at rest: where its first joint bound it, carried on, or else where its node is.
fn place(Instance { node, mesh }: &Instance, upright: &DAffine3, carry: DAffine3) -> DAffine3 {
    let bound = bound(mesh);
    let candidates = [bound.map(|b| carry * b), bound, Some(affine(&node.geometry_to_world))];
    let place = candidates.into_iter().flatten().find(usable).map_or(*upright, |place| *upright * place);
    if place.abs_diff_eq(*upright, SAME_PLACE) { *upright } else { place }
}

/// Adds the values of some corners of an instance to a layer; a first value of zero where it has none.
fn add_layer<S, T: Copy + Default>(
    layer: &mut CornerLayer<T>,
    own: Option<(&[S], &[u32])>,
    corners: &[usize],
    convert: impl Fn(&S) -> T,
) {
    let first = layer.values.len() as u32;
    match own.filter(|(values, _)| !values.is_empty()) {
        Some((values, indices)) => {
            layer.values.extend(values.iter().map(convert));
            let last = values.len() as u32 - 1;
            let index = |&c: &usize| first + indices.get(c).copied().unwrap_or(0).min(last);
            layer.indices.extend(corners.iter().map(index));
        }
        None => {
            layer.values.push(T::default());
            layer.indices.extend(corners.iter().map(|_| first));
        }
    }
}
