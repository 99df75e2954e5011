//! Reading a skeleton.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use glam::DVec3;

use super::skeleton::{Freedom, Skeleton};
use crate::source::Source;
use crate::text::{Lines, Words, name, quoted, real};
use crate::{Error, Result};

/// What the root is called in hierarchies and motions.
pub(super) const ROOT: &str = "root";

/// Reads a file.
pub fn read_asf(source: impl Into<Source>) -> Result<Skeleton> {
    let source = source.into();
    parse_asf(&source.read()?, source.path())
}

/// Reads a file already in memory. `path` is for messages.
pub fn parse_asf(bytes: &[u8], path: &Path) -> Result<Skeleton> {
    let mut file = File {
        path,
        lines: Lines::new(bytes, 1),
        degrees: true,
        length: None,
        root: RootBlock::default(),
        bones: Vec::new(),
        parents: None,
    };
    file.sections()?;
    file.skeleton()
}

/// The `:root` section.
pub(super) struct RootBlock {
    pub order: Vec<Freedom>,
    pub axis: [usize; 3],
    pub position: DVec3,
    pub orientation: [f64; 3],
}

impl Default for RootBlock {
    fn default() -> Self {
        use Freedom::{Shift, Turn};
        let order = vec![Shift(0), Shift(1), Shift(2), Turn(0), Turn(1), Turn(2)];
        Self { order, axis: [0, 1, 2], position: DVec3::ZERO, orientation: [0.0; 3] }
    }
}

/// A bone between `begin` and `end`.
#[derive(Default)]
pub(super) struct Block {
    pub line: usize,
    pub name: Option<String>,
    pub direction: Option<DVec3>,
    pub length: Option<f64>,
    pub axis: Option<([f64; 3], [usize; 3])>,
    pub freedoms: Vec<Freedom>,
}

impl Block {
    pub fn called(&self) -> &str {
        self.name.as_deref().unwrap_or("without a name")
    }
}

/// Which bone each bone hangs on, by name, with the line that says so.
pub(super) type Parents = HashMap<String, (String, usize)>;

/// What a file says, as it is read.
pub(super) struct File<'a> {
    pub path: &'a Path,
    lines: Lines<'a>,
    pub degrees: bool,
    pub length: Option<f64>,
    pub root: RootBlock,
    pub bones: Vec<Block>,
    /// None before the hierarchy.
    pub parents: Option<Parents>,
}

impl<'a> File<'a> {
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::at_line(self.path, self.lines.line().max(1), message)
    }

    /// The next line with anything but a comment on it.
    fn line(&mut self) -> Option<&'a [u8]> {
        loop {
            let text = self.lines.next_filled()?.1.trim_ascii();
            if !text.starts_with(b"#") {
                return Some(text);
            }
        }
    }

    fn sections(&mut self) -> Result<()> {
        let mut next = self.line();
        while let Some(text) = next {
            let keyword = Words::new(text).next().unwrap_or_default().to_ascii_lowercase();
            next = match keyword.as_slice() {
                b":units" => self.statements(Self::unit)?,
                b":root" => self.statements(Self::root)?,
                b":bonedata" => self.bone_data()?,
                b":hierarchy" => self.hierarchy()?,
                // Version, name, documentation, skin: nothing that moves.
                [b':', ..] => self.statements(|_, _, _| Ok(()))?,
                _ => return Err(self.error(format!("{} stands where a :section belongs", quoted(text)))),
            };
        }
        Ok(())
    }

    /// Hands each line up to the next section to `take`; returns the line of that section.
    fn statements(
        &mut self,
        take: impl Fn(&mut Self, &[u8], Words<'a>) -> Result<()>,
    ) -> Result<Option<&'a [u8]>> {
        while let Some(text) = self.line() {
            if text.starts_with(b":") {
                return Ok(Some(text));
            }
            let mut words = Words::new(text);
            let keyword = words.next().unwrap_or_default().to_ascii_lowercase();
            take(self, &keyword, words)?;
        }
        Ok(None)
    }

    fn unit(&mut self, keyword: &[u8], mut words: Words<'a>) -> Result<()> {
        match keyword {
            b"length" => {
                let [length] = self.numbers(&mut words, "a length")?;
                self.length = Some(length).filter(|length| *length > 0.0);
            }
            b"angle" => self.degrees = self.is_degrees(words.next())?,
            _ => {}
        }
        Ok(())
    }

    fn is_degrees(&self, word: Option<&[u8]>) -> Result<bool> {
        match word.map(<[u8]>::to_ascii_lowercase) {
            Some(word) if word.starts_with(b"deg") => Ok(true),
            Some(word) if word.starts_with(b"rad") => Ok(false),
            _ => Err(self.error("angles are in deg or rad")),
        }
    }

    fn root(&mut self, keyword: &[u8], mut words: Words<'a>) -> Result<()> {
        match keyword {
            b"order" => self.root.order = self.freedoms(words)?,
            b"axis" => self.root.axis = self.axes(words.next())?,
            b"position" => self.root.position = self.numbers(&mut words, "a position")?.into(),
            b"orientation" => self.root.orientation = self.numbers(&mut words, "an orientation")?,
            _ => {}
        }
        Ok(())
    }

    fn numbers<const N: usize>(&self, words: &mut Words<'a>, what: &str) -> Result<[f64; N]> {
        let mut out = [0.0; N];
        for (found, x) in out.iter_mut().enumerate() {
            let short = || self.error(format!("{what} needs {N} numbers, and {found} are here"));
            *x = real(words.next().ok_or_else(short)?).map_err(|e| self.error(e))?;
        }
        Ok(out)
    }

    fn freedoms(&self, words: Words<'a>) -> Result<Vec<Freedom>> {
        let mut out = Vec::new();
        for word in words {
            let freedom = Freedom::named(word)
                .ok_or_else(|| self.error(format!("{} is no degree of freedom", quoted(word))))?;
            if out.contains(&freedom) {
                return Err(self.error(format!("the degree of freedom {} comes twice", quoted(word))));
            }
            out.push(freedom);
        }
        Ok(out)
    }

    fn axes(&self, word: Option<&[u8]>) -> Result<[usize; 3]> {
        let axis = |letter: &u8| b"xyz".iter().position(|axis| *axis == letter.to_ascii_lowercase());
        let found: Option<Vec<usize>> = word.unwrap_or_default().iter().map(axis).collect();
        match found.as_deref() {
            Some(&[a, b, c]) if a != b && b != c && a != c => Ok([a, b, c]),
            _ => Err(self.error(format!("{} is no order of axes", quoted(word.unwrap_or_default())))),
        }
    }

    fn bone_data(&mut self) -> Result<Option<&'a [u8]>> {
        let mut open: Option<Block> = None;
        while let Some(text) = self.line() {
            if text.starts_with(b":") && open.is_none() {
                return Ok(Some(text));
            }
            let mut words = Words::new(text);
            let keyword = words.next().unwrap_or_default().to_ascii_lowercase();
            match (keyword.as_slice(), &mut open) {
                (b"begin", None) => open = Some(Block { line: self.lines.line(), ..Block::default() }),
                (b"end", block @ Some(_)) => self.bones.extend(block.take()),
                (_, Some(block)) => self.bone(block, &keyword, words)?,
                _ => return Err(self.error(format!("{} stands where begin belongs", quoted(text)))),
            }
        }
        match open {
            Some(block) => {
                Err(self.error(format!("the file is cut off: it ends within bone {}", block.called())))
            }
            None => Ok(None),
        }
    }

    fn bone(&self, block: &mut Block, keyword: &[u8], mut words: Words<'a>) -> Result<()> {
        match keyword {
            b"name" => {
                let word = words.next().ok_or_else(|| self.error("a bone without a name"))?;
                block.name = Some(name(word));
            }
            b"direction" => block.direction = Some(self.numbers(&mut words, "a direction")?.into()),
            b"length" => block.length = Some(self.numbers::<1>(&mut words, "a length")?[0]),
            b"axis" => {
                let angles = self.numbers(&mut words, "an axis")?;
                block.axis = Some((angles, self.axes(words.next())?));
            }
            b"dof" => block.freedoms = self.freedoms(words)?,
            b"begin" => {
                return Err(self.error(format!("bone {} has no end before the next begins", block.called())));
            }
            // Numbers, limits, masses: nothing that moves.
            _ => {}
        }
        Ok(())
    }

    fn hierarchy(&mut self) -> Result<Option<&'a [u8]>> {
        let names: HashSet<String> = self.bones.iter().map(|bone| bone.called().into()).collect();
        let known = |file: &Self, bone: &str| {
            let quoted = quoted(bone.as_bytes());
            let unknown = || file.error(format!("the hierarchy names {quoted}, which :bonedata does not"));
            (bone == ROOT || names.contains(bone)).then_some(()).ok_or_else(unknown)
        };
        let (mut parents, mut next) = (Parents::new(), None);
        while let Some(text) = self.line() {
            if text.starts_with(b":") {
                next = Some(text);
                break;
            }
            let mut words = Words::new(text).map(name);
            let Some(parent) = words.next() else { continue };
            if parent == "begin" || parent == "end" {
                continue;
            }
            known(self, &parent)?;
            for child in words {
                known(self, &child)?;
                let line = self.lines.line();
                if let Some((other, _)) = parents.insert(child.clone(), (parent.clone(), line)) {
                    return Err(self.error(format!("bone {child} hangs on both {other} and {parent}")));
                }
            }
        }
        self.parents = Some(parents);
        Ok(next)
    }
}
