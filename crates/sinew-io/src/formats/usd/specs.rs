//! Prims and properties of a binary layer, put together from its tables.

use std::path::Path;

use super::layer::{
    DEEPEST, Facts, Layer, Link, MOST_PRIMS, Prim, Property, Raw, Samples, Specifier, Values,
};
use crate::containers::bytes::Bytes;
use crate::containers::usdc::{self, Arc, CrateFile, Element, Parts, PathNode};
use crate::{Error, Result};

/// Fields that all specs together may have; sets of fields are shared.
const MOST_FIELDS: usize = 1 << 25;
/// Properties of a prim whose order is looked at.
const MOST_ORDERED: usize = 1 << 12;

/// What a path is, by its number in the file.
const ATTRIBUTE: i64 = 1;
const PRIM: i64 = 6;
const ROOT: i64 = 7;
const RELATIONSHIP: i64 = 8;
const VARIANT: i64 = 10;

/// Reads what there is in a layer. `path` is for messages.
pub(super) fn read(bytes: Bytes, path: &Path) -> Result<Layer> {
    let (file, parts) = usdc::read(bytes, path)?;
    let (prims, facts) = assemble(&file, &parts)?;
    Ok(Layer { path: path.into(), values: Values::Binary(file), prims, facts })
}

/// All prims, the first holding the topmost, and what the layer says about itself.
fn assemble(file: &CrateFile, parts: &Parts) -> Result<(Vec<Prim>, Facts)> {
    let tables = &file.tables;
    let mut tree = Tree { file, prims: vec![Prim::default()], of_path: vec![None; tables.paths.len()] };
    let mut facts = Facts::default();
    for spec in &parts.specs {
        tree.add(spec.path, spec.kind)?;
    }
    for spec in parts.specs.iter().filter(|s| matches!(s.kind, PRIM | VARIANT)) {
        tree.hang(spec.path)?;
    }
    let mut visited = 0;
    for spec in &parts.specs {
        let set = parts.field_sets.get(spec.fields..).unwrap_or_default();
        let set = set.iter().take_while(|f| **f >= 0).filter_map(|f| parts.fields.get(*f as usize));
        let mut property = Property::default();
        for &(token, rep) in set {
            visited += 1;
            if visited > MOST_FIELDS {
                return Err(Error::unsupported(&file.path, "the file states more than Sinew looks at"));
            }
            visited += property.samples.as_ref().map_or(0, |s| s.times.len()) + property.targets.len();
            let key = tables.token(token);
            match spec.kind {
                ROOT if key == "primChildren" => tree.prim_fact(spec.path, key, rep)?,
                ROOT => layer_fact(file, &mut facts, key, rep)?,
                PRIM | VARIANT => {
                    tree.prim_fact(spec.path, key, rep)?;
                    if key == "propertyOrder" {
                        visited += file.vector_length(rep)?.min(MOST_ORDERED);
                    }
                }
                ATTRIBUTE | RELATIONSHIP => property_fact(file, &mut property, key, rep)?,
                _ => {}
            }
        }
        if matches!(spec.kind, ATTRIBUTE | RELATIONSHIP) {
            tree.put(spec.path, property);
        }
    }
    Ok((tree.prims, facts))
}

struct Tree<'a> {
    file: &'a CrateFile,
    prims: Vec<Prim>,
    /// The prim of each path.
    of_path: Vec<Option<usize>>,
}

impl Tree<'_> {
    fn node(&self, path: usize) -> Option<&PathNode> {
        self.file.tables.paths.get(path)
    }

    /// Makes a prim, if the path is one.
    fn add(&mut self, path: usize, kind: i64) -> Result<()> {
        let Some(node) = self.node(path) else {
            return Err(self.file.malformed(format!("path {path} does not exist")));
        };
        if !matches!(kind, PRIM | VARIANT | ROOT) || self.of_path[path].is_some() {
            return Ok(());
        }
        if kind == ROOT {
            self.of_path[path] = Some(0);
            return Ok(());
        }
        let name = self.file.tables.token(node.token as u64);
        if self.prims.len() >= MOST_PRIMS {
            let message = format!("the file has more than {MOST_PRIMS} prims");
            return Err(Error::unsupported(&self.file.path, message));
        }
        self.of_path[path] = Some(self.prims.len());
        self.prims.push(Prim::named(name));
        Ok(())
    }

    /// Hangs a prim or a variant on the one above it.
    fn hang(&mut self, path: usize) -> Result<()> {
        let (Some(node), Some(prim)) = (self.node(path).cloned(), self.of_path[path]) else { return Ok(()) };
        let Some(parent) = node.parent.and_then(|p| self.of_path[p]) else { return Ok(()) };
        let mut above = std::iter::successors(Some(path), |p| self.node(*p)?.parent);
        if above.nth(DEEPEST).is_some() {
            let message = format!("prims are nested more than {DEEPEST} deep");
            return Err(Error::unsupported(&self.file.path, message));
        }
        if node.element == Element::Variant {
            let choice = self.prims[prim].name.trim_matches(['{', '}']);
            if let Some((set, variant)) = choice.split_once('=') {
                let variant = (set.to_owned(), variant.to_owned(), prim);
                self.prims[parent].variants.push(variant);
            }
        } else {
            self.prims[parent].children.push(prim);
        }
        Ok(())
    }

    fn prim_fact(&mut self, path: usize, key: &str, rep: u64) -> Result<()> {
        let file = self.file;
        let Some(index) = self.of_path[path] else { return Ok(()) };
        let prim = &mut self.prims[index];
        match key {
            "specifier" => {
                prim.specifier = match number(file, rep)? {
                    Some(0.0) => Specifier::Def,
                    Some(2.0) => Specifier::Class,
                    _ => Specifier::Over,
                }
            }
            "typeName" => prim.type_name = word(file, rep)?.unwrap_or_default(),
            "active" => prim.inactive = number(file, rep)? == Some(0.0),
            "references" => prim.references = links(file.arcs(rep)?),
            "payload" => prim.payloads = links(file.arcs(rep)?),
            "inheritPaths" => prim.inherits = file.paths(rep)?,
            "specializes" => prim.specializes = file.paths(rep)?,
            "variantSelection" => prim.selections = file.selections(rep)?,
            "propertyOrder" if file.vector_length(rep)? <= MOST_ORDERED => {
                self.prims[index].property_order = file.words(rep)?;
            }
            // A list of another length says nothing of these children.
            "primChildren" if file.vector_length(rep)? == prim.children.len() => {
                let order = file.words(rep)?;
                let places: std::collections::HashMap<&str, usize> =
                    order.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
                let mut children = std::mem::take(&mut self.prims[index].children);
                children
                    .sort_by_key(|&c| places.get(self.prims[c].name.as_str()).copied().unwrap_or(usize::MAX));
                self.prims[index].children = children;
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives a property to its prim.
    fn put(&mut self, path: usize, property: Property) {
        let Some(node) = self.file.tables.paths.get(path) else { return };
        let Some(prim) = node.parent.and_then(|p| self.of_path[p]) else { return };
        let name = self.file.tables.token(node.token as u64);
        self.prims[prim].properties.insert(name.into(), property);
    }
}

fn number(file: &CrateFile, rep: u64) -> Result<Option<f64>> {
    let numbers = file.numbers(rep)?;
    Ok(numbers.and_then(|n| n.first().copied()).filter(|x| x.is_finite()))
}

fn word(file: &CrateFile, rep: u64) -> Result<Option<String>> {
    Ok(file.words(rep)?.into_iter().next())
}

fn property_fact(file: &CrateFile, property: &mut Property, key: &str, rep: u64) -> Result<()> {
    match key {
        "default" => property.default = Some(Raw::Rep(rep)),
        "timeSamples" => {
            let (times, reps) = file.samples(rep)?;
            property.samples = Some(Samples { times, values: reps.into_iter().map(Raw::Rep).collect() });
        }
        "typeName" => property.type_name = word(file, rep)?,
        "interpolation" => property.interpolation = word(file, rep)?,
        "elementSize" => property.element_size = number(file, rep)?,
        "weight" => property.weight = number(file, rep)?,
        "displayName" => property.display_name = word(file, rep)?,
        "targetPaths" | "connectionPaths" => property.targets = file.paths(rep)?,
        _ => {}
    }
    Ok(())
}

fn layer_fact(file: &CrateFile, facts: &mut Facts, key: &str, rep: u64) -> Result<()> {
    match key {
        "defaultPrim" => facts.default_prim = word(file, rep)?,
        "upAxis" => facts.up_axis = word(file, rep)?,
        "metersPerUnit" => facts.meters_per_unit = number(file, rep)?,
        "timeCodesPerSecond" => facts.time_codes_per_second = number(file, rep)?,
        "framesPerSecond" => facts.frames_per_second = number(file, rep)?,
        "startTimeCode" => facts.start = number(file, rep)?,
        "endTimeCode" => facts.end = number(file, rep)?,
        "subLayers" => {
            let names = file.words(rep)?.into_iter();
            facts.sublayers = names.map(|asset| Link { asset, ..Link::inside(String::new()) }).collect();
        }
        "subLayerOffsets" => {
            for (sublayer, (offset, scale)) in facts.sublayers.iter_mut().zip(file.offsets(rep)?) {
                (sublayer.offset, sublayer.scale) = (offset, scale);
            }
        }
        _ => {}
    }
    Ok(())
}

fn links(arcs: Vec<Arc>) -> Vec<Link> {
    let link = |Arc { asset, prim, offset, scale }| Link { asset, prim, offset, scale };
    arcs.into_iter().map(link).collect()
}
