//! Prims and properties of a binary layer, put together from its tables.

use super::binary::{Element, Parts, PathNode, Tables};
use super::binary_values::{arcs, offsets, paths, samples, selections, vector_length};
use super::layer::{DEEPEST, Facts, Layer, Link, MOST_PRIMS, Prim, Property, Raw, Specifier};
use crate::{Error, Result};

/// Fields that all specs together may have; sets of fields are shared.
const MOST_FIELDS: usize = 1 << 25;

/// What a path is, by its number in the file.
const ATTRIBUTE: i64 = 1;
const PRIM: i64 = 6;
const ROOT: i64 = 7;
const RELATIONSHIP: i64 = 8;
const VARIANT: i64 = 10;

/// All prims, the first holding the topmost, and what the layer says about itself.
pub(super) fn assemble(layer: &Layer, parts: &Parts) -> Result<(Vec<Prim>, Facts)> {
    let Some(tables) = &layer.tables else { return Ok((vec![Prim::default()], Facts::default())) };
    let mut tree =
        Tree { layer, tables, prims: vec![Prim::default()], of_path: vec![None; tables.paths.len()] };
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
                return Err(Error::unsupported(&layer.path, "the file states more than Sinew looks at"));
            }
            visited += property.samples.as_ref().map_or(0, |s| s.times.len()) + property.targets.len();
            let key = tables.token(token);
            match spec.kind {
                ROOT if key == "primChildren" => tree.prim_fact(spec.path, key, rep)?,
                ROOT => layer_fact(layer, &mut facts, key, rep)?,
                PRIM | VARIANT => tree.prim_fact(spec.path, key, rep)?,
                ATTRIBUTE | RELATIONSHIP => property_fact(layer, &mut property, key, rep)?,
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
    layer: &'a Layer,
    tables: &'a Tables,
    prims: Vec<Prim>,
    /// The prim of each path.
    of_path: Vec<Option<usize>>,
}

impl Tree<'_> {
    fn node(&self, path: usize) -> Option<&PathNode> {
        self.tables.paths.get(path)
    }

    /// Makes a prim, if the path is one.
    fn add(&mut self, path: usize, kind: i64) -> Result<()> {
        let Some(node) = self.node(path) else {
            return Err(self.layer.malformed(format!("path {path} does not exist")));
        };
        if !matches!(kind, PRIM | VARIANT | ROOT) || self.of_path[path].is_some() {
            return Ok(());
        }
        if kind == ROOT {
            self.of_path[path] = Some(0);
            return Ok(());
        }
        let name = self.tables.token(node.token as u64);
        if self.prims.len() >= MOST_PRIMS {
            let message = format!("the file has more than {MOST_PRIMS} prims");
            return Err(Error::unsupported(&self.layer.path, message));
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
            return Err(Error::unsupported(&self.layer.path, message));
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
        let layer = self.layer;
        let Some(index) = self.of_path[path] else { return Ok(()) };
        let prim = &mut self.prims[index];
        match key {
            "specifier" => {
                prim.specifier = match number(layer, rep)? {
                    Some(0.0) => Specifier::Def,
                    Some(2.0) => Specifier::Class,
                    _ => Specifier::Over,
                }
            }
            "typeName" => prim.type_name = word(layer, rep)?.unwrap_or_default(),
            "active" => prim.inactive = number(layer, rep)? == Some(0.0),
            "references" => prim.references = arcs(layer, rep)?,
            "payload" => prim.payloads = arcs(layer, rep)?,
            "inheritPaths" => prim.inherits = paths(layer, rep)?,
            "specializes" => prim.specializes = paths(layer, rep)?,
            "variantSelection" => prim.selections = selections(layer, rep)?,
            // A list of another length says nothing of these children.
            "primChildren" if vector_length(layer, rep)? == prim.children.len() => {
                let order = layer.words(Raw::Rep(rep))?;
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
        let Some(node) = self.tables.paths.get(path) else { return };
        let Some(prim) = node.parent.and_then(|p| self.of_path[p]) else { return };
        let name = self.tables.token(node.token as u64);
        self.prims[prim].properties.insert(name.into(), property);
    }
}

fn number(layer: &Layer, rep: u64) -> Result<Option<f64>> {
    let numbers = layer.numbers(Raw::Rep(rep))?;
    Ok(numbers.and_then(|n| n.first().copied()).filter(|x| x.is_finite()))
}

fn word(layer: &Layer, rep: u64) -> Result<Option<String>> {
    Ok(layer.words(Raw::Rep(rep))?.into_iter().next())
}

fn property_fact(layer: &Layer, property: &mut Property, key: &str, rep: u64) -> Result<()> {
    match key {
        "default" => property.default = Some(Raw::Rep(rep)),
        "timeSamples" => property.samples = Some(samples(layer, rep)?),
        "typeName" => property.type_name = word(layer, rep)?,
        "interpolation" => property.interpolation = word(layer, rep)?,
        "elementSize" => property.element_size = number(layer, rep)?,
        "weight" => property.weight = number(layer, rep)?,
        "targetPaths" | "connectionPaths" => property.targets = paths(layer, rep)?,
        _ => {}
    }
    Ok(())
}

fn layer_fact(layer: &Layer, facts: &mut Facts, key: &str, rep: u64) -> Result<()> {
    match key {
        "defaultPrim" => facts.default_prim = word(layer, rep)?,
        "upAxis" => facts.up_axis = word(layer, rep)?,
        "metersPerUnit" => facts.meters_per_unit = number(layer, rep)?,
        "timeCodesPerSecond" => facts.time_codes_per_second = number(layer, rep)?,
        "framesPerSecond" => facts.frames_per_second = number(layer, rep)?,
        "startTimeCode" => facts.start = number(layer, rep)?,
        "endTimeCode" => facts.end = number(layer, rep)?,
        "subLayers" => {
            let names = layer.words(Raw::Rep(rep))?.into_iter();
            facts.sublayers = names.map(|asset| Link { asset, ..Link::inside(String::new()) }).collect();
        }
        "subLayerOffsets" => {
            for (sublayer, (offset, scale)) in facts.sublayers.iter_mut().zip(offsets(layer, rep)?) {
                (sublayer.offset, sublayer.scale) = (offset, scale);
            }
        }
        _ => {}
    }
    Ok(())
}
