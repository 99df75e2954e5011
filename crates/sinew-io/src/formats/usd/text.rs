//! Text layers (`.usda`): prims, properties and metadata. Values are stepped over and read when asked for.

use std::path::Path;

use super::layer::{
    DEEPEST, Facts, Layer, Link, MOST_PRIMS, Prim, Property, Raw, Samples, Specifier, Values,
};
use super::scan::Scanner;
use crate::containers::bytes::Bytes;
use crate::{Error, Result};

/// What a text layer starts with.
pub(super) const MAGIC: &[u8] = b"#usda ";

/// Words that may stand before a list.
const LIST_EDITS: [&str; 5] = ["prepend", "append", "add", "delete", "reorder"];

/// Reads what there is in a layer.
pub(super) fn read(bytes: Bytes, path: &Path) -> Result<Layer> {
    let mut reader = Reader {
        text: Scanner { bytes: bytes.all(), at: MAGIC.len(), path },
        prims: vec![Prim::default()],
        facts: Facts::default(),
    };
    // The rest of the first line is the version.
    while reader.text.bytes.get(reader.text.at).is_some_and(|b| *b != b'\n') {
        reader.text.at += 1;
    }
    if reader.text.eat(b'(') {
        reader.metadata(Owner::Layer)?;
    }
    while reader.text.peek().is_some() {
        reader.statement(0, 0)?;
    }
    let (prims, facts) = (reader.prims, reader.facts);
    Ok(Layer { path: path.into(), values: Values::Text(bytes), prims, facts })
}

/// What metadata is of.
enum Owner<'a> {
    Layer,
    Prim(usize),
    Property(&'a mut Property),
}

struct Reader<'a> {
    text: Scanner<'a>,
    prims: Vec<Prim>,
    facts: Facts,
}

impl Reader<'_> {
    /// A prim, a property or a set of variants within `prim`.
    fn statement(&mut self, prim: usize, depth: usize) -> Result<()> {
        let mut word = self.text.word();
        let edit = LIST_EDITS.contains(&word).then_some(word);
        if edit.is_some() {
            word = self.text.word();
        }
        match word {
            "def" => self.prim(prim, depth, Specifier::Def),
            "over" => self.prim(prim, depth, Specifier::Over),
            "class" => self.prim(prim, depth, Specifier::Class),
            "variantSet" => self.variant_set(prim, depth),
            // The order of names.
            "properties" if edit == Some("reorder") => {
                self.text.expect(b'=')?;
                self.prims[prim].property_order = self.list(|reader| reader.text.string())?;
                Ok(())
            }
            "nameChildren" | "properties" | "rootPrims" => {
                self.text.expect(b'=')?;
                self.text.skip_value().map(drop)
            }
            "" if self.text.peek().is_none() => Err(self.text.cut_short()),
            "" => Err(self.text.error("expected a prim or a property")),
            _ if prim == 0 => Err(self.text.error(format!("expected def, over or class, found {word}"))),
            _ => self.property(prim, word, edit),
        }
    }

    fn prim(&mut self, parent: usize, depth: usize, specifier: Specifier) -> Result<()> {
        let type_name = if self.text.at_string() { "" } else { self.text.word() };
        let name = self.text.string()?;
        let index = self.new_prim(&name, depth)?;
        self.prims[index].specifier = specifier;
        self.prims[index].type_name = type_name.into();
        self.prims[parent].children.push(index);
        if self.text.eat(b'(') {
            self.metadata(Owner::Prim(index))?;
        }
        self.body(index, depth + 1)
    }

    fn new_prim(&mut self, name: &str, depth: usize) -> Result<usize> {
        if depth > DEEPEST {
            return Err(self.text.error(format!("prims are nested more than {DEEPEST} deep")));
        }
        if self.prims.len() >= MOST_PRIMS {
            return Err(Error::unsupported(
                self.text.path,
                format!("the file has more than {MOST_PRIMS} prims"),
            ));
        }
        self.prims.push(Prim::named(name));
        Ok(self.prims.len() - 1)
    }

    fn body(&mut self, prim: usize, depth: usize) -> Result<()> {
        self.text.expect(b'{')?;
        loop {
            match self.text.peek() {
                Some(b'}') => {
                    self.text.at += 1;
                    return Ok(());
                }
                Some(b';') => self.text.at += 1,
                _ => self.statement(prim, depth)?,
            }
        }
    }

    fn variant_set(&mut self, prim: usize, depth: usize) -> Result<()> {
        let set = self.text.string()?;
        self.text.expect(b'=')?;
        self.text.expect(b'{')?;
        while !self.text.eat(b'}') {
            let variant = self.text.string()?;
            let index = self.new_prim(&self.prims[prim].name.clone(), depth)?;
            if self.text.eat(b'(') {
                self.metadata(Owner::Prim(index))?;
            }
            self.body(index, depth + 1)?;
            self.prims[prim].variants.push((set.clone(), variant, index));
        }
        Ok(())
    }

    fn property(&mut self, prim: usize, first: &str, edit: Option<&str>) -> Result<()> {
        let mut word = first;
        while matches!(word, "custom" | "uniform" | "varying" | "config") {
            word = self.text.word();
        }
        // `word` is the type; what follows is the name, with what is stated of it after a dot.
        let full = self.text.word();
        if full.is_empty() {
            return Err(match self.text.peek() {
                None => self.text.cut_short(),
                Some(_) => self.text.error(format!("{word} is followed by no name")),
            });
        }
        let (name, what) = full.rsplit_once('.').unwrap_or((full, ""));
        let mut property = self.prims[prim].properties.remove(name).unwrap_or_default();
        let removed = matches!(edit, Some("delete" | "reorder"));
        // Only that of primvars is ever asked for.
        if name.starts_with("primvars:") {
            property.type_name = Some(word.into());
        }
        let stated = self.text.eat(b'=');
        if stated && (word == "rel" || what == "connect") {
            let targets = self.targets()?;
            if !removed {
                property.targets.extend(targets);
            }
        } else if stated && what == "timeSamples" {
            property.samples = Some(self.samples()?);
        } else if stated && matches!(what, "" | "default") {
            let (start, end) = self.text.skip_value()?;
            property.default = Some(Raw::Text(start, end));
        } else if stated {
            self.text.skip_value()?;
        }
        if self.text.eat(b'(') {
            self.metadata(Owner::Property(&mut property))?;
        }
        self.prims[prim].properties.insert(name.into(), property);
        Ok(())
    }

    fn samples(&mut self) -> Result<Samples> {
        let mut samples = Samples::default();
        self.text.expect(b'{')?;
        while !self.text.eat(b'}') {
            let mut word = self.text.word();
            // The colon is a letter of names.
            if let Some(colon) = word.find(':') {
                self.text.at -= word.len() - colon;
                word = &word[..colon];
            }
            let time: f64 = word.parse().map_err(|_| match self.text.peek() {
                None => self.text.cut_short(),
                Some(_) => self.text.error(format!("expected a time, found {word:?}")),
            })?;
            self.text.expect(b':')?;
            let (start, end) = self.text.skip_value()?;
            if !time.is_finite() || samples.times.last().is_some_and(|last| *last >= time) {
                return Err(self.text.error(format!("time {time} does not come after the one before it")));
            }
            samples.times.push(time);
            samples.values.push(Raw::Text(start, end));
            self.text.eat(b',');
        }
        Ok(samples)
    }

    /// One item or a list of them.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        if !self.text.eat(b'[') {
            if self.text.peek() == Some(b'N') && self.text.word() == "None" {
                return Ok(Vec::new());
            }
            return Ok(vec![item(self)?]);
        }
        let mut items = Vec::new();
        while !self.text.eat(b']') {
            items.push(item(self)?);
            self.text.eat(b',');
        }
        Ok(items)
    }

    fn targets(&mut self) -> Result<Vec<String>> {
        self.list(|reader| reader.text.target())
    }

    /// A file, a prim in it, or both, and how times are changed.
    fn arc(&mut self) -> Result<Link> {
        let mut arc = Link::inside(String::new());
        if self.text.peek() == Some(b'@') {
            arc.asset = self.text.asset()?;
            if self.text.peek() == Some(b'<') {
                arc.prim = self.text.target()?;
            }
        } else {
            arc.prim = self.text.target()?;
        }
        if self.text.eat(b'(') {
            while !self.text.eat(b')') {
                let key = self.text.word();
                // customData has its type before it.
                let key = if key == "dictionary" { self.text.word() } else { key };
                self.text.expect(b'=')?;
                let value = self.number()?;
                match (key, value) {
                    ("offset", Some(value)) => arc.offset = value,
                    ("scale", Some(value)) => arc.scale = value,
                    _ => {}
                }
                self.text.eat(b';');
                self.text.eat(b',');
            }
        }
        Ok(arc)
    }

    /// A value, as a number where it is one.
    fn number(&mut self) -> Result<Option<f64>> {
        let (start, end) = self.text.skip_value()?;
        let text = std::str::from_utf8(&self.text.bytes[start..end]).unwrap_or_default();
        Ok(text.parse().ok().filter(|x: &f64| x.is_finite()))
    }

    /// A value, as a string where it is one.
    fn text_value(&mut self) -> Result<Option<String>> {
        if self.text.at_string() {
            self.text.string().map(Some)
        } else {
            self.text.skip_value().map(|_| None)
        }
    }

    /// What stands in the round brackets after a prim or a property. The opening one is gone.
    fn metadata(&mut self, mut owner: Owner) -> Result<()> {
        while !self.text.eat(b')') {
            if self.text.eat(b';') || self.text.eat(b',') {
                continue;
            }
            // A comment.
            if self.text.at_string() {
                self.text.string()?;
                continue;
            }
            let mut key = self.text.word();
            let removed = matches!(key, "delete" | "reorder");
            if LIST_EDITS.contains(&key) {
                key = self.text.word();
            }
            if key.is_empty() {
                return Err(match self.text.peek() {
                    None => self.text.cut_short(),
                    Some(_) => self.text.error("expected the name of a fact"),
                });
            }
            self.text.expect(b'=')?;
            match &mut owner {
                _ if removed && matches!(key, "references" | "payload") => _ = self.list(Self::arc)?,
                _ if removed => _ = self.text.skip_value()?,
                Owner::Layer => self.layer_fact(key)?,
                Owner::Prim(prim) => self.prim_fact(*prim, key)?,
                Owner::Property(property) => match key {
                    "interpolation" => property.interpolation = self.text_value()?,
                    "elementSize" => property.element_size = self.number()?,
                    "weight" => property.weight = self.number()?,
                    "displayName" => property.display_name = self.text_value()?,
                    _ => _ = self.text.skip_value()?,
                },
            }
        }
        Ok(())
    }

    fn layer_fact(&mut self, key: &str) -> Result<()> {
        match key {
            "defaultPrim" => self.facts.default_prim = self.text_value()?,
            "upAxis" => self.facts.up_axis = self.text_value()?,
            "metersPerUnit" => self.facts.meters_per_unit = self.number()?,
            "timeCodesPerSecond" => self.facts.time_codes_per_second = self.number()?,
            "framesPerSecond" => self.facts.frames_per_second = self.number()?,
            "startTimeCode" => self.facts.start = self.number()?,
            "endTimeCode" => self.facts.end = self.number()?,
            "subLayers" => self.facts.sublayers = self.list(Self::arc)?,
            _ => _ = self.text.skip_value()?,
        }
        Ok(())
    }

    fn prim_fact(&mut self, prim: usize, key: &str) -> Result<()> {
        match key {
            "references" => {
                let arcs = self.list(Self::arc)?;
                self.prims[prim].references.extend(arcs);
            }
            "payload" => {
                let arcs = self.list(Self::arc)?;
                self.prims[prim].payloads.extend(arcs);
            }
            "inherits" => {
                let paths = self.targets()?;
                self.prims[prim].inherits.extend(paths);
            }
            "specializes" => {
                let paths = self.targets()?;
                self.prims[prim].specializes.extend(paths);
            }
            "active" => {
                let (start, end) = self.text.skip_value()?;
                self.prims[prim].inactive = matches!(&self.text.bytes[start..end], b"false" | b"0");
            }
            "variants" => {
                self.text.expect(b'{')?;
                while !self.text.eat(b'}') {
                    if self.text.word() != "string" {
                        return Err(self.text.error("expected the name of a chosen variant"));
                    }
                    let set =
                        if self.text.at_string() { self.text.string()? } else { self.text.word().into() };
                    self.text.expect(b'=')?;
                    let variant = self.text.string()?;
                    self.prims[prim].selections.push((set, variant));
                    self.text.eat(b';');
                }
            }
            _ => _ = self.text.skip_value()?,
        }
        Ok(())
    }
}
