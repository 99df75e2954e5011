//! A layer: the prims and properties of one file, whichever way they are stored.
//!
//! Opening a layer finds out what there is. Values stay where they are in the file until they are asked for,
//! so that frames of a large cache are read one by one.

use std::collections::HashMap;
use std::path::PathBuf;

use super::text_values;
use crate::Result;
use crate::containers::bytes::Bytes;
use crate::containers::usdc::CrateFile;

/// Prims a layer may have.
pub(super) const MOST_PRIMS: usize = 1 << 20;
/// Prims may be nested this deep.
pub(super) const DEEPEST: usize = 128;

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Raw {
    /// Its text, from one byte to another.
    Text(usize, usize),
    /// How a binary file represents it.
    Rep(u64),
}

/// What a prim states about being there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Specifier {
    Def,
    #[default]
    Over,
    Class,
}

/// Another prim whose opinions a prim takes over.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Link {
    /// The file; empty for the same one.
    pub asset: String,
    /// The prim; empty for the default one.
    pub prim: String,
    /// Times are multiplied by `scale`, then `offset` is added.
    pub offset: f64,
    pub scale: f64,
}

impl Link {
    /// A prim of the same file.
    pub fn inside(prim: String) -> Self {
        Self { asset: String::new(), prim, offset: 0.0, scale: 1.0 }
    }
}

/// Values at times.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    pub times: Vec<f64>,
    pub values: Vec<Raw>,
}

/// An attribute or a relationship.
#[derive(Clone, Debug, Default)]
pub(super) struct Property {
    /// What kind of values it has, such as `color3f[]`.
    pub type_name: Option<String>,
    pub default: Option<Raw>,
    pub samples: Option<Samples>,
    pub interpolation: Option<String>,
    pub element_size: Option<f64>,
    /// What people are shown as its name.
    pub display_name: Option<String>,
    /// At which weight an in-between shape is shown.
    pub weight: Option<f64>,
    /// Targets of a relationship, or what an attribute is connected to.
    pub targets: Vec<String>,
}

/// A prim as one layer states it.
#[derive(Clone, Debug, Default)]
pub(super) struct Prim {
    pub name: String,
    pub specifier: Specifier,
    pub type_name: String,
    pub inactive: bool,
    pub children: Vec<usize>,
    pub properties: HashMap<String, Property>,
    /// In which order some of them come.
    pub property_order: Vec<String>,
    pub references: Vec<Link>,
    pub payloads: Vec<Link>,
    pub inherits: Vec<String>,
    pub specializes: Vec<String>,
    /// Chosen variants: set and name.
    pub selections: Vec<(String, String)>,
    /// Variants, each a prim that is no child: set, name, prim.
    pub variants: Vec<(String, String, usize)>,
}

impl Prim {
    /// A prim that states nothing yet.
    pub fn named(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// What a layer says about itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub default_prim: Option<String>,
    pub up_axis: Option<String>,
    pub meters_per_unit: Option<f64>,
    pub time_codes_per_second: Option<f64>,
    pub frames_per_second: Option<f64>,
    pub start: Option<f64>,
    pub end: Option<f64>,
    pub sublayers: Vec<Link>,
}

/// Where values are looked up.
pub(super) enum Values {
    /// In text.
    Text(Bytes),
    /// In a binary file.
    Binary(CrateFile),
}

/// One file.
pub(super) struct Layer {
    pub path: PathBuf,
    pub values: Values,
    /// All prims; the first holds the topmost ones.
    pub prims: Vec<Prim>,
    pub facts: Facts,
}

impl Layer {
    /// Bytes of the file.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Text(bytes) => bytes.len(),
            Values::Binary(file) => file.bytes.len(),
        }
    }

    /// A child of a prim.
    pub fn child(&self, prim: usize, name: &str) -> Option<usize> {
        self.prims[prim].children.iter().copied().find(|&c| self.prims[c].name == name)
    }

    /// The prim with an absolute path.
    pub fn find(&self, path: &str) -> Option<usize> {
        path.strip_prefix('/')?
            .split('/')
            .filter(|n| !n.is_empty())
            .try_fold(0, |at, name| self.child(at, name))
    }

    /// A value as numbers: those of vectors, matrices and arrays one after another, quaternions with the real
    /// part first. `None` where the value is blocked or is no number.
    pub fn numbers(&self, raw: Raw) -> Result<Option<Vec<f64>>> {
        match (raw, &self.values) {
            (Raw::Text(start, end), Values::Text(bytes)) => {
                text_values::numbers(bytes, &self.path, start..end)
            }
            (Raw::Rep(rep), Values::Binary(file)) => file.numbers(rep),
            _ => Ok(None),
        }
    }

    /// A value as words: tokens, strings, names of files.
    pub fn words(&self, raw: Raw) -> Result<Vec<String>> {
        match (raw, &self.values) {
            (Raw::Text(start, end), Values::Text(bytes)) => text_values::words(bytes, &self.path, start..end),
            (Raw::Rep(rep), Values::Binary(file)) => file.words(rep),
            _ => Ok(Vec::new()),
        }
    }
}
