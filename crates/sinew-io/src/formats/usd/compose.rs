//! Putting a stage together: which prims of which layers make a prim of the stage.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::assets::Assets;
use super::layer::{DEEPEST, Layer, Link, Specifier};
use super::load;
use super::site::{Site, StagePrim, absolute};
use crate::source::{Bytes, Source};
use crate::{Error, Result, Warning};

/// Prims and sites that a stage may have.
const MOST_SITES: usize = 1 << 19;
/// Sites one prim may have.
const MOST_SITES_OF_ONE: usize = 256;
/// References one after another that a path may go through.
const MOST_MOVES: usize = 32;
/// Files a stage may be made of.
const MOST_LAYERS: usize = 256;

/// Takes layers together.
pub(super) struct Composer {
    pub assets: Assets,
    pub path: PathBuf,
    /// Layers that were asked for, and those that could be read.
    known: HashMap<PathBuf, Option<usize>>,
    pub layers: Vec<Layer>,
    sites: usize,
    pub warnings: Vec<Warning>,
}

impl Composer {
    /// Opens the first layer, or that of a package, and those below it.
    pub fn new(source: &Source, bytes: Bytes) -> Result<(Self, Vec<Site>)> {
        let (assets, bytes, layer_path) = Assets::of(source, bytes)?;
        let first = load::layer(bytes, &layer_path)?;
        let mut composer = Self {
            assets,
            path: source.path().into(),
            known: HashMap::from([(layer_path, Some(0))]),
            layers: vec![first],
            sites: 0,
            warnings: Vec::new(),
        };
        let mut roots = Vec::new();
        composer.sublayers(0, (0.0, 1.0), &mut roots, 0)?;
        Ok((composer, roots))
    }

    /// A layer and those below it, the strongest first.
    fn sublayers(&mut self, layer: usize, time: (f64, f64), out: &mut Vec<Site>, depth: usize) -> Result<()> {
        if depth > DEEPEST || out.len() >= MOST_SITES_OF_ONE {
            return Err(self.too_much());
        }
        out.push(Site { layer, prim: 0, moves: Arc::new([]), offset: time.0, scale: time.1 });
        for arc in self.layers[layer].facts.sublayers.clone() {
            if let Some(below) = self.layer(layer, &arc.asset)? {
                let time = combined(time, &arc);
                self.sublayers(below, time, out, depth + 1)?;
            }
        }
        Ok(())
    }

    /// The layer that another one names.
    fn layer(&mut self, from: usize, asset: &str) -> Result<Option<usize>> {
        if asset.is_empty() {
            return Ok(Some(from));
        }
        let path = Assets::resolve(&self.layers[from].path, asset);
        if let Some(known) = self.known.get(&path) {
            return Ok(*known);
        }
        let bytes = self.assets.get(&path)?;
        let layer = match bytes {
            Some(bytes) => Some(load::layer(bytes, &path)?),
            None => {
                self.warnings.push(Warning::AssetMissing(asset.into()));
                None
            }
        };
        if self.layers.len() >= MOST_LAYERS {
            return Err(self.too_much());
        }
        let index = layer.map(|layer| {
            self.layers.push(layer);
            self.layers.len() - 1
        });
        self.known.insert(path, index);
        Ok(index)
    }

    fn too_much(&self) -> Error {
        let message = "references, layers and prims make more of the file than Sinew puts together";
        Error::unsupported(&self.path, message)
    }

    /// The children of a prim that are defined and active.
    pub fn children(&mut self, parent: &StagePrim, depth: usize) -> Result<Vec<StagePrim>> {
        if depth > DEEPEST {
            return Err(self.too_much());
        }
        let mut names: Vec<String> = Vec::new();
        let mut found: HashMap<String, Vec<Site>> = HashMap::new();
        for site in &parent.sites {
            for &prim in &self.layers[site.layer].prims[site.prim].children {
                let name = &self.layers[site.layer].prims[prim].name;
                let sites = found.entry(name.clone()).or_insert_with(|| {
                    names.push(name.clone());
                    Vec::new()
                });
                sites.push(Site { prim, ..site.clone() });
            }
        }
        let mut children = Vec::new();
        for name in names {
            let path = format!("{}/{name}", if parent.path == "/" { "" } else { &parent.path });
            let mut out = Expanded { path: path.clone(), sites: Vec::new(), selections: HashMap::new() };
            for site in found.remove(&name).unwrap_or_default() {
                self.expand(site, &mut out, 0)?;
            }
            let prim = |site: &Site| &self.layers[site.layer].prims[site.prim];
            // A class is there to be inherited from, not to be seen; an `over` needs something to be over.
            let defined = out.sites.iter().map(|s| prim(s).specifier).find(|s| *s != Specifier::Over);
            let active = !out.sites.iter().any(|s| prim(s).inactive);
            if defined != Some(Specifier::Def) || !active {
                continue;
            }
            let types = out.sites.iter().map(|s| &prim(s).type_name);
            let type_name = types.into_iter().find(|t| !t.is_empty()).cloned().unwrap_or_default();
            children.push(StagePrim {
                path,
                name,
                type_name,
                parent: None,
                children: Vec::new(),
                sites: out.sites,
            });
        }
        Ok(children)
    }

    /// A site and all that it takes over.
    fn expand(&mut self, site: Site, out: &mut Expanded, depth: usize) -> Result<()> {
        self.sites += 1;
        if depth > DEEPEST || self.sites > MOST_SITES || out.sites.len() >= MOST_SITES_OF_ONE {
            return Err(self.too_much());
        }
        // What comes again, stronger or as a loop of references, says nothing new.
        if out.sites.iter().any(|s| (s.layer, s.prim) == (site.layer, site.prim)) {
            return Ok(());
        }
        out.sites.push(site.clone());
        let prim = &self.layers[site.layer].prims[site.prim];
        let (inherits, variants) = (prim.inherits.clone(), prim.variants.clone());
        let links: Vec<Link> = prim.references.iter().chain(&prim.payloads).cloned().collect();
        let specializes = prim.specializes.clone();
        for (set, variant) in prim.selections.clone() {
            out.selections.entry(set).or_insert(variant);
        }
        for path in inherits {
            self.follow(&site, &Link::inside(path), out, depth)?;
        }
        for (set, variant, index) in variants {
            if out.selections.get(&set) == Some(&variant) {
                self.expand(Site { prim: index, ..site.clone() }, out, depth + 1)?;
            }
        }
        for link in &links {
            self.follow(&site, link, out, depth)?;
        }
        for path in specializes {
            self.follow(&site, &Link::inside(path), out, depth)?;
        }
        Ok(())
    }

    fn follow(&mut self, site: &Site, arc: &Link, out: &mut Expanded, depth: usize) -> Result<()> {
        let Some(layer) = self.layer(site.layer, &arc.asset)? else { return Ok(()) };
        let own = site.own_path(&out.path);
        let target = match (&arc.prim[..], &self.layers[layer].facts.default_prim) {
            ("", Some(default)) => format!("/{}", default.trim_start_matches('/')),
            ("", None) => {
                self.warnings.push(Warning::NoDefaultPrim(arc.asset.clone()));
                return Ok(());
            }
            (path, _) => absolute(&own, path),
        };
        let Some(prim) = self.layers[layer].find(&target) else {
            self.warnings.push(Warning::NoTarget { target, by: own });
            return Ok(());
        };
        if site.moves.len() >= MOST_MOVES {
            return Err(self.too_much());
        }
        let mut moves = vec![(target, own)];
        moves.extend(site.moves.iter().cloned());
        let (offset, scale) = combined((site.offset, site.scale), arc);
        self.expand(Site { layer, prim, moves: moves.into(), offset, scale }, out, depth + 1)
    }
}

/// Sites of one prim, found so far.
struct Expanded {
    path: String,
    sites: Vec<Site>,
    selections: HashMap<String, String>,
}

/// Times that go through two changes.
fn combined((offset, scale): (f64, f64), arc: &Link) -> (f64, f64) {
    let inner = if arc.scale != 0.0 && arc.scale.is_finite() { arc.scale } else { 1.0 };
    let shift = if arc.offset.is_finite() { arc.offset } else { 0.0 };
    (shift * scale + offset, inner * scale)
}
