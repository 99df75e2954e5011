//! The joints of a BVH file.

use std::path::Path;

use glam::DVec3;

use crate::scene::names::Names;
use crate::text::{Tokens, integer, name, quoted, real};
use crate::{Error, Result};

/// Most channels a joint may have.
const MOST_CHANNELS: i64 = 6;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Position,
    Rotation,
}

/// One number of a frame.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Channel {
    pub kind: Kind,
    pub axis: usize,
}

impl Channel {
    fn named(word: &[u8]) -> Option<Self> {
        let (&first, rest) = word.split_first()?;
        let axis = b"xyz".iter().position(|axis| *axis == first.to_ascii_lowercase())?;
        let kind = if rest.eq_ignore_ascii_case(b"position") {
            Kind::Position
        } else if rest.eq_ignore_ascii_case(b"rotation") {
            Kind::Rotation
        } else {
            return None;
        };
        Some(Self { kind, axis })
    }
}

/// A joint of the hierarchy.
pub(super) struct Joint {
    pub name: String,
    pub parent: Option<usize>,
    pub offset: DVec3,
    pub tip: Option<DVec3>,
    channels: Option<Vec<Channel>>,
}

impl Joint {
    /// The numbers that move it, in their order.
    pub fn channels(&self) -> &[Channel] {
        self.channels.as_deref().unwrap_or_default()
    }
}

/// A block that is not yet closed.
#[derive(Clone, Copy)]
enum Open {
    Joint(usize),
    /// The end site of a joint.
    End(usize),
}

/// The joints, under construction.
pub(super) struct Hierarchy<'t, 'b, 'p> {
    tokens: &'t mut Tokens<'b>,
    path: &'p Path,
    joints: Vec<Joint>,
    open: Vec<Open>,
    names: Names,
}

impl<'t, 'b, 'p> Hierarchy<'t, 'b, 'p> {
    /// Reads up to and with `MOTION`.
    pub fn read(tokens: &'t mut Tokens<'b>, path: &'p Path) -> Result<Vec<Joint>> {
        if !tokens.next().is_some_and(|word| word.eq_ignore_ascii_case(b"HIERARCHY")) {
            return Err(Error::at_line(path, tokens.line(), "a BVH file starts with the word HIERARCHY"));
        }
        let mut this = Self { tokens, path, joints: Vec::new(), open: Vec::new(), names: Names::default() };
        loop {
            let Some(word) = this.tokens.next() else { return Err(this.cut_off()) };
            match word.to_ascii_uppercase().as_slice() {
                b"ROOT" => this.joint(true)?,
                b"JOINT" => this.joint(false)?,
                b"END" => this.end_site()?,
                b"OFFSET" => this.offset()?,
                b"CHANNELS" => this.channels()?,
                b"}" => this.close()?,
                b"MOTION" => break,
                _ => {
                    let message = format!("{} is no word of a BVH hierarchy", quoted(word));
                    return Err(this.error_or_cut_off(message));
                }
            }
        }
        if let Some(open) = this.open.last() {
            let message = format!("the motion starts before {} is closed with }}", this.in_words(*open));
            return Err(this.error(message));
        }
        if this.joints.is_empty() {
            return Err(this.error("there are no joints before MOTION"));
        }
        if this.joints.iter().all(|joint| joint.channels().is_empty()) {
            return Err(this.error("no joint has channels, so nothing can move"));
        }
        Ok(this.joints)
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::at_line(self.path, self.tokens.line(), message)
    }

    /// Says that the file is cut off where nothing more comes: what is wrong may be half of what belongs.
    fn error_or_cut_off(&mut self, message: impl Into<String>) -> Error {
        let error = self.error(message);
        if self.tokens.next().is_some() { error } else { self.cut_off() }
    }

    fn cut_off(&self) -> Error {
        let place = match self.open.last() {
            Some(open) => format!("within {}", self.in_words(*open)),
            None => "before MOTION".into(),
        };
        self.error(format!("the file is cut off: it ends {place}"))
    }

    fn in_words(&self, open: Open) -> String {
        match open {
            Open::Joint(joint) => format!("joint {}", self.joints[joint].name),
            Open::End(joint) => format!("the end of joint {}", self.joints[joint].name),
        }
    }

    /// The innermost joint, or its end.
    fn innermost(&self, word: &str) -> Result<Open> {
        self.open.last().copied().ok_or_else(|| self.error(format!("{word} belongs inside of a joint")))
    }

    fn word(&mut self) -> Result<&'b [u8]> {
        self.tokens.next().ok_or_else(|| self.cut_off())
    }

    fn brace(&mut self) -> Result<()> {
        let word = self.word()?;
        if word == b"{" {
            Ok(())
        } else {
            Err(self.error(format!("{} stands where {{ belongs", quoted(word))))
        }
    }

    fn joint(&mut self, root: bool) -> Result<()> {
        let parent = match (root, self.open.last()) {
            (true, None) => None,
            (false, Some(Open::Joint(parent))) => Some(*parent),
            (true, Some(_)) => return Err(self.error("a ROOT hangs on nothing, but this one is in a joint")),
            (false, None) => return Err(self.error("a JOINT hangs on another, but this one is in none")),
            (false, Some(Open::End(_))) => return Err(self.error("nothing hangs on the end of a joint")),
        };
        // Names may have blanks in them.
        let line = self.tokens.rest_of_line();
        let (called, opened) = match line.strip_suffix(b"{") {
            Some(called) => (called.trim_ascii(), true),
            None => (line, false),
        };
        if called.is_empty() {
            return Err(self.error_or_cut_off("a joint without a name"));
        }
        let name = self.names.unique(name(called));
        self.open.push(Open::Joint(self.joints.len()));
        self.joints.push(Joint { name, parent, offset: DVec3::ZERO, tip: None, channels: None });
        if opened { Ok(()) } else { self.brace() }
    }

    fn end_site(&mut self) -> Result<()> {
        let Open::Joint(joint) = self.innermost("End Site")? else {
            return Err(self.error("nothing hangs on the end of a joint"));
        };
        let opened = self.tokens.rest_of_line().ends_with(b"{");
        self.open.push(Open::End(joint));
        if opened { Ok(()) } else { self.brace() }
    }

    fn offset(&mut self) -> Result<()> {
        let mut offset = [0.0; 3];
        for x in &mut offset {
            let word = self.word()?;
            *x = real(word).map_err(|e| self.error(e))?;
        }
        let offset = DVec3::from_array(offset);
        match self.innermost("OFFSET")? {
            Open::Joint(joint) => self.joints[joint].offset = offset,
            Open::End(joint) => self.joints[joint].tip = Some(offset),
        }
        Ok(())
    }

    fn channels(&mut self) -> Result<()> {
        let Open::Joint(joint) = self.innermost("CHANNELS")? else {
            return Err(self.error("the end of a joint has no channels"));
        };
        let who = self.joints[joint].name.clone();
        if self.joints[joint].channels.is_some() {
            return Err(self.error(format!("joint {who} has its channels twice")));
        }
        let word = self.word()?;
        let count = integer(word).map_err(|e| self.error(e))?;
        if !(0..=MOST_CHANNELS).contains(&count) {
            let message = format!("joint {who} has {count} channels, and six is the most there are");
            return Err(self.error(message));
        }
        let mut channels = Vec::new();
        for named in 0..count {
            let word = self.word()?;
            let Some(channel) = Channel::named(word) else {
                let message = format!(
                    "joint {who} is to have {count} channels, but after {named} comes {}",
                    quoted(word)
                );
                return Err(self.error_or_cut_off(message));
            };
            if channels.contains(&channel) {
                return Err(self.error(format!("joint {who} has the channel {} twice", quoted(word))));
            }
            channels.push(channel);
        }
        if self.tokens.peek_on_line().is_some_and(|word| Channel::named(word).is_some()) {
            return Err(self.error(format!("joint {who} is to have {count} channels, but names more")));
        }
        self.joints[joint].channels = Some(channels);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        match self.open.pop() {
            Some(_) => Ok(()),
            None => Err(self.error("a } without the { that goes with it")),
        }
    }
}
