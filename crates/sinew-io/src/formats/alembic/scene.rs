//! The tree of objects: transforms, and the meshes that hang on them.

use std::collections::BTreeMap;

use super::header::{Meta, ObjectHeader, Property, indexed_meta, object_headers, properties};
use super::time::{Sampling, samplings};
use super::transform::Transform;
use crate::containers::ogawa::{Group, Ogawa};
use crate::{Error, Result};

/// Objects within objects.
const DEEPEST: usize = 200;
/// Objects and properties that any file may have; more only where its length allows for them. Without a
/// limit, a small file could hold one group that is in itself many times over.
const MOST_OBJECTS: usize = 1 << 16;

/// What an archive holds, without the samples.
pub(super) struct Scene {
    pub file: Ogawa,
    /// Of the archive: who wrote it, and what with.
    pub meta: Meta,
    pub samplings: Vec<Sampling>,
    /// Transforms, parents before children.
    pub nodes: Vec<Node>,
    /// Meshes, in the order of the tree.
    pub meshes: Vec<MeshObject>,
    /// Paths of meshes without points, which are not among them: Blender writes hidden objects so.
    pub pointless: Vec<String>,
    /// How many objects of other kinds there are, by schema.
    pub others: BTreeMap<String, usize>,
}

/// A transform in the tree.
pub(super) struct Node {
    pub name: String,
    pub parent: Option<usize>,
    pub transform: Transform,
    /// Whether something hangs on it that is no transform.
    pub holds: bool,
}

/// A polygon mesh or subdivision surface.
pub(super) struct MeshObject {
    /// Its transform's name where that carries nothing else, otherwise its own.
    pub name: String,
    /// Names from the top of the tree to here, with slashes.
    pub path: String,
    pub node: Option<usize>,
    /// Whether its faces are the cage of a smooth surface.
    pub is_cage: bool,
    /// Properties of its schema.
    pub properties: Vec<Property>,
    /// Names and faces of its face sets.
    pub face_sets: Vec<FaceSet>,
}

pub(super) struct FaceSet {
    pub name: String,
    pub properties: Vec<Property>,
}

/// What an object is, by the schema it states.
#[derive(Clone, Copy, PartialEq)]
enum Schema {
    Transform,
    Polygons,
    Subdivision,
    FaceSet,
    Other,
}

impl Schema {
    fn of(meta: &Meta) -> Self {
        match meta.get("schema").unwrap_or_default() {
            s if s.starts_with("AbcGeom_Xform_v3") => Self::Transform,
            s if s.starts_with("AbcGeom_PolyMesh_v1") => Self::Polygons,
            s if s.starts_with("AbcGeom_SubD_v1") => Self::Subdivision,
            s if s.starts_with("AbcGeom_FaceSet_v1") => Self::FaceSet,
            _ => Self::Other,
        }
    }

    fn is_mesh(self) -> bool {
        matches!(self, Self::Polygons | Self::Subdivision)
    }
}

impl Scene {
    /// Reads an archive's index.
    pub fn read(file: Ogawa) -> Result<Self> {
        let root = file.root()?;
        if root.len < 6 {
            return Err(file.malformed(format!("an archive has six entries, but this one has {}", root.len)));
        }
        let version = file.child_data(root, 0)?;
        if version != [0; 4] {
            let message = "this version of Alembic's layout is not known, only 0";
            return Err(Error::unsupported(file.path(), message));
        }
        let meta = Meta(String::from_utf8_lossy(file.child_data(root, 3)?).into_owned());
        let samplings = samplings(&file, file.child_data(root, 4)?)?;
        let known = indexed_meta(&file, file.child_data(root, 5)?)?;
        let top = file.child_group(root, 2)?;
        let mut walk = Walk {
            file: &file,
            known,
            samplings: samplings.len(),
            top,
            left: MOST_OBJECTS.max(file.bytes().len() / 16),
            nodes: Vec::new(),
            meshes: Vec::new(),
            others: BTreeMap::new(),
        };
        walk.children(top, None, "", 0)?;
        let Walk { nodes, mut meshes, others, .. } = walk;
        // Where none has points, the first that lacks them is what is wrong.
        let mut pointless = Vec::new();
        if meshes.iter().any(MeshObject::has_points) {
            pointless = meshes.iter().filter(|m| !m.has_points()).map(|m| m.path.clone()).collect();
            meshes.retain(MeshObject::has_points);
        }
        Ok(Self { meta, samplings, nodes, meshes, pointless, others, file })
    }

    /// Names of transforms that nothing hangs on but others.
    pub fn empties(&self) -> Vec<String> {
        let mut holds: Vec<bool> = self.nodes.iter().map(|node| node.holds).collect();
        // Parents come before children.
        for (number, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent.filter(|_| holds[number]) {
                holds[parent] = true;
            }
        }
        self.nodes.iter().zip(holds).filter(|(_, holds)| !holds).map(|(node, _)| node.name.clone()).collect()
    }

    /// Whether colours are as screens show them. Otherwise they are linear.
    pub fn colors_are_shown(&self) -> bool {
        self.is_ours() || self.meta.get("_ai_Application").is_some_and(|a| a.starts_with("Blender"))
    }

    /// Whether Sinew wrote the file.
    pub fn is_ours(&self) -> bool {
        self.meta.get("_ai_Application").is_some_and(|a| a.starts_with(super::APPLICATION))
    }
}

struct Walk<'a> {
    file: &'a Ogawa,
    known: Vec<Meta>,
    samplings: usize,
    top: Group,
    left: usize,
    nodes: Vec<Node>,
    meshes: Vec<MeshObject>,
    others: BTreeMap<String, usize>,
}

impl Walk<'_> {
    /// Children of an object: their headers and groups.
    fn headers(&mut self, object: Group) -> Result<Vec<(ObjectHeader, Group)>> {
        let Some(bytes) = self.file.last_data(object)? else { return Ok(Vec::new()) };
        let headers = object_headers(self.file, bytes, &self.known)?;
        self.spend(headers.len())?;
        // The first entry is the properties, the last the headers.
        if headers.len() + 2 > object.len && !headers.is_empty() {
            return Err(self.file.malformed("an object has headers of more children than it holds"));
        }
        let numbered = headers.into_iter().enumerate();
        numbered.map(|(i, h)| Ok((h, self.file.child_group(object, i + 1)?))).collect()
    }

    fn spend(&mut self, count: usize) -> Result<()> {
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            let message = "the archive has more objects and properties than a file of its length can";
            self.file.malformed(message)
        })?;
        Ok(())
    }

    fn children(&mut self, object: Group, node: Option<usize>, path: &str, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            let message = format!("objects are nested more than {DEEPEST} deep");
            return Err(Error::unsupported(self.file.path(), message));
        }
        let headers = self.headers(object)?;
        let meshes = headers.iter().filter(|(h, _)| Schema::of(&h.meta).is_mesh()).count();
        for (header, group) in headers {
            // A mesh alone in its transform goes by the name of that: it is what people gave it.
            let alone = node.filter(|_| meshes == 1).map(|n| self.nodes[n].name.clone());
            let path = format!("{path}/{}", header.name);
            self.object(&header, group, alone, (node, &path, depth))?;
        }
        Ok(())
    }

    fn object(
        &mut self,
        header: &ObjectHeader,
        group: Group,
        alone: Option<String>,
        (node, path, depth): (Option<usize>, &str, usize),
    ) -> Result<()> {
        if header.meta.get("isInstance") == Some("1") {
            return self.instance(header, group, alone, (node, path, depth));
        }
        let schema = Schema::of(&header.meta);
        if schema != Schema::Transform
            && let Some(node) = node
        {
            self.nodes[node].holds = true;
        }
        match schema {
            Schema::Transform => {
                let properties = self.schema(group, ".xform")?;
                let transform = Transform::read(self.file, properties, path)?;
                let parent = node;
                self.nodes.push(Node { name: header.name.clone(), parent, transform, holds: false });
                self.children(group, Some(self.nodes.len() - 1), path, depth + 1)
            }
            kind if kind.is_mesh() => {
                let name = alone.unwrap_or_else(|| header.name.clone());
                let properties = self.schema(group, ".geom")?;
                let is_cage = kind == Schema::Subdivision;
                let face_sets = self.face_sets(group)?;
                let path = path.into();
                self.meshes.push(MeshObject { name, path, node, is_cage, properties, face_sets });
                Ok(())
            }
            _ => {
                if let Some(schema) = header.meta.get("schema") {
                    *self.others.entry(schema.into()).or_default() += 1;
                }
                self.children(group, node, path, depth + 1)
            }
        }
    }

    /// An object that only names another, which stands in its place.
    fn instance(
        &mut self,
        header: &ObjectHeader,
        group: Group,
        alone: Option<String>,
        (node, path, depth): (Option<usize>, &str, usize),
    ) -> Result<()> {
        let own = self.properties(self.file.child_group(group, 0)?)?;
        let source = own.iter().find(|p| p.name == ".instanceSource" && p.samples > 0);
        let source = source.map(|p| p.numbers(self.file, 0)).transpose()?.and_then(|n| n.text());
        let named = source.unwrap_or_default();
        let Some((meta, group)) = self.find(&named)? else {
            let message = format!("{path} is an instance of {named:?}, which is not there");
            return Err(self.file.malformed(message));
        };
        // Two that hold each other are caught by their depth.
        if format!("{path}/").starts_with(&format!("{named}/")) || depth >= DEEPEST {
            return Err(self.file.malformed(format!("{path} is an instance within itself")));
        }
        let header = ObjectHeader { name: header.name.clone(), meta };
        self.object(&header, group, alone, (node, path, depth + 1))
    }

    /// The object of a path.
    fn find(&mut self, path: &str) -> Result<Option<(Meta, Group)>> {
        let mut found = None;
        let mut group = self.top;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let Some((header, child)) = self.headers(group)?.into_iter().find(|(h, _)| h.name == name) else {
                return Ok(None);
            };
            group = child;
            found = Some((header.meta, child));
        }
        Ok(found)
    }

    fn properties(&mut self, compound: Group) -> Result<Vec<Property>> {
        let found = properties(self.file, compound, &self.known)?;
        self.spend(found.len())?;
        if let Some(lost) = found.iter().find(|p| p.sampling >= self.samplings && p.samples > 0) {
            let message = format!(
                "property {} is sampled at times {}, but there are only {}",
                lost.name, lost.sampling, self.samplings
            );
            return Err(self.file.malformed(message));
        }
        Ok(found)
    }

    /// Properties of the compound that holds an object's schema. Those within compounds follow theirs,
    /// with its name before their own.
    fn schema(&mut self, object: Group, name: &str) -> Result<Vec<Property>> {
        let top = self.properties(self.file.child_group(object, 0)?)?;
        let Some(schema) = top.into_iter().find(|p| p.name == name) else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        for property in self.properties(schema.group)? {
            let within = self.within(&property)?;
            out.push(property);
            for inner in within {
                let deeper = self.within(&inner)?;
                out.push(inner);
                out.extend(deeper);
            }
        }
        Ok(out)
    }

    fn within(&mut self, compound: &Property) -> Result<Vec<Property>> {
        if compound.kind != super::header::Kind::Compound {
            return Ok(Vec::new());
        }
        let mut found = self.properties(compound.group)?;
        found.iter_mut().for_each(|p| p.name = format!("{}/{}", compound.name, p.name));
        Ok(found)
    }

    fn face_sets(&mut self, mesh: Group) -> Result<Vec<FaceSet>> {
        let mut out = Vec::new();
        for (header, group) in self.headers(mesh)? {
            if Schema::of(&header.meta) == Schema::FaceSet {
                out.push(FaceSet { name: header.name, properties: self.schema(group, ".faceset")? });
            }
        }
        Ok(out)
    }
}
