//! `.deform`: characters that were set up for [`sinew::deform`].
//!
//! Holds what a character is set up from, not the factored systems that come of it: those take a second to
//! make and many times the room. Examples that are kept at anchors are held as that, a few numbers an anchor
//! ([`StoredExamples`](sinew::deform::StoredExamples)); choosing the anchors takes longer than all else.
//!
//! # Layout
//!
//! Little-endian throughout; lists, names and numbers are those of [`.sinew` files](crate::formats::sinew_file).
//!
//! | bytes    | contents                                                                               |
//! | -------- | -------------------------------------------------------------------------------------- |
//! | 8        | `8B 44 45 46 4F 52 4D 0A` ("‹DEFORM", line feed)                                       |
//! | 4        | the version, a u32 (2)                                                                 |
//! | list     | the rig as a `.sinew` file: mesh, rest pose, bones, skeleton and weights, one frame    |
//! | list     | handles: for each vertex its joint (u32), all bits set for none                        |
//! | 8 + 8    | [`keep`](DeformOptions::keep) and [`follow`](DeformOptions::follow) (f64)              |
//! | 1 + 8 + 4 | [`anchors`](DeformOptions::anchors): none (u8 0), a number (1), percent (2) or bytes   |
//! |          | (3); how many (f64); how many a triangle (u32)                                         |
//! | 1 + any  | examples: as shapes (u8 0) or as kept at anchors (1), and then one of these            |
//! | 4        | CRC-32 (as in PNG) of all bytes before                                                 |
//!
//! Examples as shapes:
//!
//! | bytes    | contents                                                                               |
//! | -------- | -------------------------------------------------------------------------------------- |
//! | list     | name; list of turns (3 f64) and list of places (3 f64), one per joint; list of         |
//! |          | positions (3 f32), one per vertex                                                      |
//!
//! Examples as kept at anchors, the fields of [`StoredExamples`](sinew::deform::StoredExamples):
//!
//! | bytes    | contents                                                                               |
//! | -------- | -------------------------------------------------------------------------------------- |
//! | list     | names                                                                                  |
//! | list     | triangles that are anchors (u32)                                                       |
//! | 4        | how many anchors a triangle has (u32)                                                  |
//! | list     | vertices torn apart (2 u32)                                                            |
//! | list     | list of turns (3 f64), one per joint; sizes of steps (9 f32), list of steps (9 i16),   |
//! |          | one per anchor; size of a step (f64), list of steps (3 i16), one per held point or     |
//! |          | none; list of offsets (3 f64), one per tie; list of offsets (3 f64), one per joint     |

mod examples;
mod found;
mod setup;

pub use found::{HandlesFrom, at_rest, find_handles};
pub use setup::{Examples, Setup};

use std::path::Path;

use sinew::deform::anchors::{AnchorCount, AnchorOptions};
use sinew::deform::{DeformOptions, Handles};
use sinew::rig::Rig;

use crate::containers::fields::{Cursor, Fixed, put_list};
use crate::formats::sinew_file::{self, Contents, Label, Stored};
use crate::{Error, Result, Source};

/// What a file starts with.
pub const MAGIC: [u8; 8] = *b"\x8BDEFORM\n";

/// The version this module writes and reads.
pub const VERSION: u32 = 2;

/// Stands for no joint.
const NONE: u32 = u32::MAX;

/// Writes a file; returns its size.
pub fn write(path: &Path, setup: &Setup) -> Result<u64> {
    let bytes = to_bytes(setup);
    crate::save(path, |out| out.write_all(&bytes))
}

/// The bytes of a file.
pub fn to_bytes(setup: &Setup) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    VERSION.put(&mut out);
    let label = Label { metres_per_unit: setup.metres_per_unit, ..Label::default() };
    put_list(&sinew_file::rig_to_bytes(&setup.rig, label), &mut out);
    let joint = |v: usize| setup.handles.joint(v).map_or(NONE, |joint| joint as u32);
    put_list(&(0..setup.handles.vertex_count()).map(joint).collect::<Vec<u32>>(), &mut out);
    setup.options.keep.put(&mut out);
    setup.options.follow.put(&mut out);
    let (kind, count, width) = match setup.options.anchors {
        None => (0_u8, 0.0, 0),
        Some(AnchorOptions { count, per_triangle }) => match count {
            AnchorCount::Number(count) => (1, count as f64, per_triangle),
            AnchorCount::Percent(percent) => (2, percent, per_triangle),
            AnchorCount::Bytes(bytes) => (3, bytes as f64, per_triangle),
        },
    };
    kind.put(&mut out);
    count.put(&mut out);
    (width as u32).put(&mut out);
    examples::put(&setup.examples, &mut out);
    crc32fast::hash(&out).put(&mut out);
    out
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Setup> {
    parse(&Source::file(path).read()?, path)
}

/// Reads a file's bytes; `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Setup> {
    let malformed = |message: &str| Error::malformed(path, message);
    let Some(rest) = bytes.strip_prefix(&MAGIC) else {
        return Err(malformed("this is no .deform file; sinew deform setup writes them"));
    };
    let cut = || malformed("the file is cut short or damaged");
    let (body, sum) = rest.split_last_chunk::<4>().ok_or_else(cut)?;
    let mut cursor = Cursor(body);
    let version: u32 = cursor.value().ok_or_else(cut)?;
    if version != VERSION {
        let message = format!("the file is of version {version}, and this Sinew reads version {VERSION}");
        return Err(Error::unsupported(path, message));
    }
    if crc32fast::hash(&bytes[..bytes.len() - 4]) != u32::from_le_bytes(*sum) {
        return Err(cut());
    }
    let rig = cursor.list::<u8>().ok_or_else(cut)?;
    let handles = cursor.list::<u32>().ok_or_else(cut)?;
    let (keep, follow) = cursor.value::<f64>().zip(cursor.value::<f64>()).ok_or_else(cut)?;
    let anchors = anchors(&mut cursor).ok_or_else(cut)?;
    let examples = examples::take(&mut cursor).ok_or_else(cut)?;
    if !cursor.is_empty() {
        return Err(malformed("something follows the file's contents"));
    }
    let Contents { stored, facts, .. } = sinew_file::parse(&rig, path)?;
    let Stored::Rig(rig) = stored else {
        return Err(malformed("the file holds no rig"));
    };
    if rig.skeleton.is_none() {
        return Err(malformed("the rig in the file has no skeleton"));
    }
    if !(keep > 0.0 && keep <= 1.0 && (0.0..=1.0).contains(&follow)) {
        return Err(malformed("options are out of their range"));
    }
    let handles = self::handles(&rig, &handles).ok_or_else(|| malformed("the handles do not fit the rig"))?;
    let options = DeformOptions { keep, follow, anchors };
    Ok(Setup { rig, handles, examples, options, metres_per_unit: facts.metres_per_unit })
}

fn anchors(cursor: &mut Cursor) -> Option<Option<AnchorOptions>> {
    let (kind, count, width) = (cursor.value::<u8>()?, cursor.value::<f64>()?, cursor.value::<u32>()?);
    let whole = (0.0..1e15).contains(&count).then_some(count as usize);
    let count = match kind {
        0 => return Some(None),
        1 => AnchorCount::Number(whole?),
        2 => AnchorCount::Percent(count),
        3 => AnchorCount::Bytes(whole?),
        _ => return None,
    };
    Some(Some(AnchorOptions { count, per_triangle: width as usize }))
}

/// Handles from the joint of each vertex.
fn handles(rig: &Rig, joint_of: &[u32]) -> Option<Handles> {
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); rig.bones.len()];
    for (vertex, &joint) in (0..).zip(joint_of).filter(|(_, joint)| **joint != NONE) {
        lists.get_mut(joint as usize)?.push(vertex);
    }
    let lists: Vec<Option<Vec<u32>>> =
        lists.into_iter().map(|list| Some(list).filter(|list| !list.is_empty())).collect();
    (joint_of.len() == rig.rest.len()).then(|| Handles::from_lists(joint_of.len(), &lists).ok()).flatten()
}
