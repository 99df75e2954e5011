//! Reading the tables of a file.

use std::path::Path;

use super::blocks::unpack;
use super::cursor::Cursor;
use super::file::{CrateFile, Element, MAGIC, PathNode, Tables};
use crate::containers::bytes::Bytes;
use crate::{Error, Result};

/// One section of the file.
struct Section {
    name: Vec<u8>,
    start: u64,
}

/// Fields of a prim or a property: names and values.
pub(crate) struct Spec {
    pub path: usize,
    pub fields: usize,
    pub kind: i64,
}

/// The tables that only matter while the prims are put together.
pub(crate) struct Parts {
    /// Token and value of each field.
    pub fields: Vec<(u64, u64)>,
    pub field_sets: Vec<i64>,
    pub specs: Vec<Spec>,
}

/// Reads the tables. `path` is for messages.
pub(crate) fn read(bytes: Bytes, path: &Path) -> Result<(CrateFile, Parts)> {
    let mut file = CrateFile { path: path.into(), bytes, tables: Tables::default() };
    let mut cursor = Cursor::new(&file, MAGIC.len() as u64);
    let version = [cursor.u8()?, cursor.u8()?, cursor.u8()?];
    if version[0] != 0 || version[1] < 4 {
        let [a, b, c] = version;
        let message = format!("the file is of version {a}.{b}.{c}; Sinew reads those from 0.4 to 0.x");
        return Err(Error::unsupported(path, message));
    }
    cursor.at = 16;
    let table = cursor.u64()?;
    let mut cursor = Cursor::new(&file, table);
    let count = cursor.count(32)?;
    let mut sections = Vec::new();
    for _ in 0..count {
        let name = cursor.bytes(16)?.split(|b| *b == 0).next().unwrap_or_default().to_vec();
        sections.push(Section { name, start: cursor.u64()? });
        cursor.u64()?;
    }
    let section = |name: &str| {
        let found = sections.iter().find(|s| s.name == name.as_bytes());
        found
            .map(|s| Cursor::new(&file, s.start))
            .ok_or_else(|| file.malformed(format!("section {name} is missing")))
    };
    let mut tables =
        Tables { version, tokens: tokens(section("TOKENS")?)?, strings: Vec::new(), paths: Vec::new() };
    let mut strings = section("STRINGS")?;
    for _ in 0..strings.count(4)? {
        tables.strings.push(strings.u32()?);
    }
    tables.paths = paths(section("PATHS")?, &tables.tokens)?;
    let parts = Parts {
        fields: fields(section("FIELDS")?)?,
        field_sets: field_sets(section("FIELDSETS")?)?,
        specs: read_specs(section("SPECS")?)?,
    };
    file.tables = tables;
    Ok((file, parts))
}

fn tokens(mut cursor: Cursor) -> Result<Vec<String>> {
    let count = cursor.packed_count()?;
    let size = usize::try_from(cursor.u64()?).unwrap_or(usize::MAX);
    let block = cursor.block()?;
    let text = unpack(block, size).ok_or_else(|| cursor.file.malformed("its words are damaged"))?;
    let mut words = text.split(|b| *b == 0);
    let tokens: Vec<String> =
        words.by_ref().take(count).map(|w| String::from_utf8_lossy(w).into_owned()).collect();
    if tokens.len() < count {
        return Err(cursor.file.malformed(format!("it has {} of {count} words", tokens.len())));
    }
    Ok(tokens)
}

fn fields(mut cursor: Cursor) -> Result<Vec<(u64, u64)>> {
    let count = cursor.packed_count()?;
    let tokens = cursor.integers(count, false)?;
    let block = cursor.block()?;
    let reps = unpack(block, count.saturating_mul(8)).filter(|r| r.len() == 8 * count);
    let reps = reps.ok_or_else(|| cursor.file.malformed("its fields are damaged"))?;
    let rep = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    Ok(tokens.iter().zip(reps.chunks_exact(8)).map(|(t, r)| (u64::from(*t as u32), rep(r))).collect())
}

fn field_sets(mut cursor: Cursor) -> Result<Vec<i64>> {
    let count = cursor.packed_count()?;
    cursor.integers(count, false)
}

fn read_specs(mut cursor: Cursor) -> Result<Vec<Spec>> {
    let count = cursor.packed_count()?;
    let paths = cursor.integers(count, false)?;
    let fields = cursor.integers(count, false)?;
    let kinds = cursor.integers(count, false)?;
    let spec = |((path, fields), kind): ((&i64, &i64), &i64)| Spec {
        path: *path as u32 as usize,
        fields: *fields as u32 as usize,
        kind: *kind,
    };
    Ok(paths.iter().zip(&fields).zip(&kinds).map(spec).collect())
}

/// The tree of paths. It is stored depth first: each element says whether a child follows it and how far off
/// its next sibling is.
fn paths(mut cursor: Cursor, words: &[String]) -> Result<Vec<PathNode>> {
    let count = cursor.packed_count()?;
    let encoded = cursor.packed_count()?;
    let indices = cursor.integers(encoded, false)?;
    let tokens = cursor.integers(encoded, false)?;
    let jumps = cursor.integers(encoded, false)?;
    let damaged = || cursor.file.malformed("its tree of paths is damaged");
    if count > encoded.saturating_add(1) {
        return Err(damaged());
    }
    let nothing = PathNode { parent: None, token: 0, element: Element::Other };
    let mut paths = vec![nothing; count];
    let mut seen = vec![false; encoded];
    let mut known = vec![false; count];
    let mut open: Vec<(usize, Option<usize>)> = if encoded > 0 { vec![(0, None)] } else { Vec::new() };
    while let Some((mut at, mut parent)) = open.pop() {
        loop {
            let first = seen.get_mut(at).ok_or_else(damaged)?;
            if std::mem::replace(first, true) {
                return Err(damaged());
            }
            let path = usize::try_from(indices[at]).ok().filter(|p| *p < count).ok_or_else(damaged)?;
            // Each path once, and below one that is there already: the tree has no loops.
            if std::mem::replace(&mut known[path], true) {
                return Err(damaged());
            }
            let token = tokens[at].unsigned_abs() as usize;
            let element = match tokens[at] {
                ..0 => Element::Property,
                _ => match words.get(token).and_then(|word| word.chars().next()) {
                    Some('{') => Element::Variant,
                    Some('[') | None => Element::Other,
                    Some(_) => Element::Prim,
                },
            };
            paths[path] = PathNode { parent, token, element };
            let (child, sibling) = (jumps[at] > 0 || jumps[at] == -1, jumps[at] >= 0);
            if child && sibling {
                open.push((at.saturating_add(jumps[at] as usize), parent));
            }
            if child {
                parent = Some(path);
            } else if !sibling {
                break;
            }
            at += 1;
        }
    }
    Ok(paths)
}
