//! A stage: what is there once references, payloads, inherited classes, variants and sublayers are put
//! together.
//!
//! A prim of the stage is a list of sites, prims of layers, the strongest first; a property is that of the
//! first site which has it. The order is that of USD: what the prim itself says, then what it inherits, its
//! chosen variants, references, payloads, and what it specializes. It departs from USD in one way: deleted
//! items of lists stay.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::assets::Assets;
use super::compose::Composer;
use super::layer::Layer;
use super::site::{Site, StagePrim, absolute};
use crate::source::{Bytes, Source};
use crate::{Result, Warning};

/// Everything a file shows.
pub(super) struct Stage {
    pub layers: Vec<Layer>,
    /// All prims that are defined and active, parents first; the first is the root.
    pub prims: Vec<StagePrim>,
    pub by_path: HashMap<String, usize>,
    pub assets: Assets,
    path: PathBuf,
    /// What was left out, for people.
    pub warnings: Vec<Warning>,
}

impl Stage {
    /// Puts a stage together from the bytes of a file.
    pub fn new(source: &Source, bytes: Bytes) -> Result<Self> {
        let (mut composer, roots) = Composer::new(source, bytes)?;
        let mut prims = vec![StagePrim {
            path: "/".into(),
            name: String::new(),
            type_name: String::new(),
            parent: None,
            children: Vec::new(),
            sites: roots,
        }];
        let mut open = vec![(0, 0)];
        while let Some((parent, depth)) = open.pop() {
            let children = composer.children(&prims[parent], depth)?;
            for child in children {
                let index = prims.len();
                prims[parent].children.push(index);
                open.push((index, depth + 1));
                prims.push(StagePrim { parent: Some(parent), ..child });
            }
        }
        let by_path = prims.iter().enumerate().map(|(i, p)| (p.path.clone(), i)).collect();
        let Composer { layers, assets, path, mut warnings, .. } = composer;
        warnings.dedup();
        Ok(Self { layers, prims, by_path, assets, path, warnings })
    }

    /// The file, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names of all properties of a prim: those whose order is stated in that, then all others by name.
    pub fn property_names(&self, prim: usize) -> Vec<String> {
        let of_site = |site: &Site| &self.layers[site.layer].prims[site.prim].properties;
        let mut names: Vec<String> =
            self.prims[prim].sites.iter().flat_map(|site| of_site(site).keys().cloned()).collect();
        names.sort_unstable();
        names.dedup();
        let order = self.property_order(prim);
        let places: HashMap<&String, usize> = order.iter().enumerate().map(|(at, name)| (name, at)).collect();
        names.sort_by_key(|name| places.get(name).copied().unwrap_or(usize::MAX));
        names
    }

    /// The order of properties that a prim states, if it does.
    pub fn property_order(&self, prim: usize) -> &[String] {
        let stated = |site: &Site| &self.layers[site.layer].prims[site.prim].property_order[..];
        self.prims[prim].sites.iter().map(stated).find(|order| !order.is_empty()).unwrap_or_default()
    }

    /// All prims below one and itself, in the order of the file.
    pub fn below(&self, prim: usize) -> Vec<usize> {
        let (mut found, mut open) = (Vec::new(), vec![prim]);
        while let Some(prim) = open.pop() {
            found.push(prim);
            open.extend(self.prims[prim].children.iter().rev());
        }
        found
    }

    /// The prim that a relationship or a connection of a property points at, and the name of the property
    /// there.
    pub fn target(&self, prim: usize, name: &str) -> Option<(usize, String)> {
        self.targets(prim, name).into_iter().next().flatten()
    }

    /// All of them, with nothing in place of those that do not exist.
    pub fn targets(&self, prim: usize, name: &str) -> Vec<Option<(usize, String)>> {
        let of_site = |site: &Site| &self.layers[site.layer].prims[site.prim].properties;
        let stated = self.prims[prim].sites.iter().find_map(|site| {
            let property = of_site(site).get(name)?;
            (!property.targets.is_empty()).then_some((site, property))
        });
        let Some((site, property)) = stated else { return Vec::new() };
        let found = |target: &String| {
            let own = site.own_path(&self.prims[prim].path);
            let path = site.moved(absolute(&own, target));
            let (path, property) = path.split_once('.').unwrap_or((&path, ""));
            Some((*self.by_path.get(path)?, property.to_owned()))
        };
        property.targets.iter().map(found).collect()
    }

    /// The nearest prim, this one or one above it, for which `found` finds something.
    pub fn inherited<T>(&self, prim: usize, found: impl Fn(usize) -> Option<T>) -> Option<T> {
        let above = std::iter::successors(Some(prim), |p| self.prims[*p].parent);
        above.into_iter().find_map(found)
    }
}
