//! Writing USD text.

use std::fmt::Display;
use std::io::{Result, Write};

use glam::{DAffine3, DQuat, DVec3, Vec2, Vec3};

/// Text with blocks that are indented.
pub(super) struct Prose<'a> {
    out: &'a mut dyn Write,
    depth: usize,
}

/// Something that is written as one value.
pub(super) trait Item {
    fn write(&self, out: &mut dyn Write) -> Result<()>;
}

impl Item for Vec3 {
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "({}, {}, {})", self.x, self.y, self.z)
    }
}

impl Item for DVec3 {
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        self.as_vec3().write(out)
    }
}

impl Item for Vec2 {
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "({}, {})", self.x, self.y)
    }
}

impl Item for DQuat {
    /// The real part first, in single precision.
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let q = self.as_quat();
        write!(out, "({}, {}, {}, {})", q.w, q.x, q.y, q.z)
    }
}

impl Item for DAffine3 {
    /// For row vectors, row after row.
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let m = self.matrix3;
        let row = |v: DVec3, w: u8| format!("({}, {}, {}, {w})", v.x, v.y, v.z);
        let rows = [row(m.x_axis, 0), row(m.y_axis, 0), row(m.z_axis, 0), row(self.translation, 1)];
        write!(out, "( {} )", rows.join(", "))
    }
}

impl Item for f32 {
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "{self}")
    }
}

impl Item for u32 {
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "{self}")
    }
}

impl Item for String {
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "{}", quoted(self))
    }
}

impl<'a> Prose<'a> {
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self { out, depth: 0 }
    }

    /// The same text, already some blocks deep.
    pub fn deep(out: &'a mut dyn Write, depth: usize) -> Self {
        Self { out, depth }
    }

    /// What the text goes to.
    pub fn out(&mut self) -> &mut dyn Write {
        self.out
    }

    /// One line.
    pub fn line(&mut self, text: impl Display) -> Result<()> {
        writeln!(self.out, "{:1$}{text}", "", 4 * self.depth)
    }

    /// A prim: its first line, facts in round brackets if any, then what it holds.
    pub fn prim(
        &mut self,
        head: &str,
        facts: &[String],
        body: impl FnOnce(&mut Prose) -> Result<()>,
    ) -> Result<()> {
        if facts.is_empty() {
            self.line(head)?;
        } else {
            self.line(format!("{head} ("))?;
            for fact in facts {
                self.line(format!("    {fact}"))?;
            }
            self.line(")")?;
        }
        self.line("{")?;
        self.depth += 1;
        body(self)?;
        self.depth -= 1;
        self.line("}")
    }

    /// An array, with facts about it if any.
    pub fn array<T: Item>(
        &mut self,
        head: &str,
        items: impl IntoIterator<Item = T>,
        facts: &[&str],
    ) -> Result<()> {
        write!(self.out, "{:1$}{head} = ", "", 4 * self.depth)?;
        list(self.out, items)?;
        if facts.is_empty() {
            return writeln!(self.out);
        }
        writeln!(self.out, " (")?;
        for fact in facts {
            self.line(format!("    {fact}"))?;
        }
        self.line(")")
    }

    /// Arrays at times.
    pub fn samples<T: Item, I: IntoIterator<Item = T>>(
        &mut self,
        head: &str,
        samples: impl IntoIterator<Item = (f64, I)>,
    ) -> Result<()> {
        self.line(format!("{head}.timeSamples = {{"))?;
        for (time, items) in samples {
            self.sample(time, items)?;
        }
        self.line("}")
    }

    /// One of them.
    pub fn sample<T: Item>(&mut self, time: f64, items: impl IntoIterator<Item = T>) -> Result<()> {
        write!(self.out, "{:1$}{time}: ", "", 4 * self.depth + 4)?;
        list(self.out, items)?;
        writeln!(self.out, ",")
    }
}

fn list<T: Item>(out: &mut dyn Write, items: impl IntoIterator<Item = T>) -> Result<()> {
    out.write_all(b"[")?;
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.write_all(b", ")?;
        }
        item.write(out)?;
    }
    out.write_all(b"]")
}

/// Text in quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}

/// A name as prims and joints may have it: letters, digits and `_`, not a digit first.
pub(super) fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut out: String = name.chars().map(plain).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}

/// Hands out each identifier once.
#[derive(Clone, Default)]
pub(super) struct Identifiers {
    taken: std::collections::HashSet<String>,
}

impl Identifiers {
    /// An identifier for a name; with a number where another has it.
    pub fn unique(&mut self, name: &str) -> String {
        let first = identifier(name);
        let mut found = first.clone();
        let mut number = 0;
        while !self.taken.insert(found.clone()) {
            number += 1;
            found = format!("{first}_{number}");
        }
        found
    }
}
