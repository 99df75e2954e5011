//! `.deform` files of flesh: what a body learnt from its own motion ([`sinew::flesh`]).
//!
//! Holds the body as it rests and the numbers of its flesh; what is simulated is found anew from these. A character with
//! joints is in another kind of `.deform` file ([`crate::deform_file`]); they differ in what they start with.
//!
//! # Layout
//!
//! Little-endian throughout; lists are those of [`.sinew` files](crate::formats::sinew_file).
//!
//! | bytes     | contents                                                                              |
//! | --------- | ------------------------------------------------------------------------------------- |
//! | 8         | `8B 46 4C 45 53 48 20 0A` ("‹FLESH", space, line feed)                                |
//! | 4         | the version, a u32 (1)                                                                |
//! | list      | the body as a `.sinew` file: mesh and rest pose, one still bone, one frame            |
//! | 8         | steps a second (f64)                                                                  |
//! | 3 lists   | vertices that move by themselves; those of them that are simulated; those held (u32)  |
//! | list      | stiffness at the simulated and then the held vertices (f64)                           |
//! | 8 + 8 + 8 | hold, damping, share that is shown (f64)                                              |
//! | 1         | what cells keep: the rest pose (u8 0) or the moved one (1)                            |
//! | 4         | CRC-32 (as in PNG) of all bytes before                                                |

use std::path::Path;

use glam::{DAffine3, Vec3};
use sinew::flesh::{CellShape, Flesh, StoredFlesh};
use sinew::geometry::Mesh;
use sinew::rig::{Rig, SkinWeights};

use crate::containers::fields::{Cursor, Fixed, put_list};
use crate::formats::sinew_file::{self, Contents, Label, Stored};
use crate::source::Source;
use crate::{Error, Result};

/// What a file starts with.
pub const MAGIC: [u8; 8] = *b"\x8BFLESH \n";

/// The version this module writes and reads.
pub const VERSION: u32 = 1;

/// A body and its flesh.
pub struct FleshBody {
    /// Faces, UVs, materials.
    pub mesh: Mesh,
    /// The body as it rests.
    pub rest: Vec<Vec3>,
    /// What of it moves by itself, and how.
    pub flesh: Flesh,
    /// Metres of a unit, where that is known.
    pub metres_per_unit: Option<f64>,
}

/// Whether a file holds flesh, as far as its first bytes tell.
///
/// # Errors
/// A file that cannot be read.
pub fn is_flesh(path: &Path) -> Result<bool> {
    Ok(Source::file(path).start(MAGIC.len())? == MAGIC)
}

/// Writes a file; returns its size.
///
/// # Errors
/// A place that cannot be written to.
pub fn write(path: &Path, body: &FleshBody) -> Result<u64> {
    let bytes = to_bytes(body);
    crate::save(path, |out| out.write_all(&bytes))
}

/// The bytes of a file.
pub fn to_bytes(body: &FleshBody) -> Vec<u8> {
    let stored = body.flesh.stored();
    let mut out = MAGIC.to_vec();
    VERSION.put(&mut out);
    let label = Label { metres_per_unit: body.metres_per_unit, ..Label::default() };
    put_list(&sinew_file::rig_to_bytes(&still_rig(body, stored.fps), label), &mut out);
    stored.fps.put(&mut out);
    [&stored.free, &stored.knots, &stored.held].iter().for_each(|list| put_list(list, &mut out));
    put_list(&stored.stiffness, &mut out);
    [stored.hold, stored.damping, stored.gain].iter().for_each(|x| x.put(&mut out));
    u8::from(stored.shape == CellShape::Moved).put(&mut out);
    crc32fast::hash(&out).put(&mut out);
    out
}

/// The body as a rig of one bone that stands still.
fn still_rig(body: &FleshBody, fps: f64) -> Rig {
    let weights = SkinWeights::from_sparse(&vec![vec![(0, 1.0)]; body.rest.len()], 1, 1);
    let rig = weights
        .and_then(|w| Rig::new(body.mesh.clone(), body.rest.clone(), w, vec![DAffine3::IDENTITY], 1, fps));
    rig.expect("a mesh that was read or checked, and a bone that stands still")
}

/// Reads a file.
///
/// # Errors
/// A file that cannot be read, or that is none of these.
pub fn read(path: &Path) -> Result<FleshBody> {
    parse(&Source::file(path).read()?, path)
}

/// Reads a file's bytes; `path` is for messages.
///
/// # Errors
/// Bytes that are none of these, or damaged.
pub fn parse(bytes: &[u8], path: &Path) -> Result<FleshBody> {
    let malformed = |message: &str| Error::malformed(path, message);
    let Some(rest) = bytes.strip_prefix(&MAGIC) else {
        return Err(malformed("this file holds no flesh that was learnt"));
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
    let stored = stored(&mut cursor).ok_or_else(cut)?;
    if !cursor.is_empty() {
        return Err(malformed("something follows the file's contents"));
    }
    let Contents { stored: Stored::Rig(rig), facts, .. } = sinew_file::parse(&rig, path)? else {
        return Err(malformed("the file holds no body"));
    };
    let flesh = Flesh::from_stored(&rig.mesh, &rig.rest, stored).map_err(|e| malformed(&e.to_string()))?;
    Ok(FleshBody { mesh: rig.mesh, rest: rig.rest, flesh, metres_per_unit: facts.metres_per_unit })
}

fn stored(cursor: &mut Cursor) -> Option<StoredFlesh> {
    Some(StoredFlesh {
        fps: cursor.value()?,
        free: cursor.list()?,
        knots: cursor.list()?,
        held: cursor.list()?,
        stiffness: cursor.list()?,
        hold: cursor.value()?,
        damping: cursor.value()?,
        gain: cursor.value()?,
        shape: match cursor.value::<u8>()? {
            0 => CellShape::Rest,
            1 => CellShape::Moved,
            _ => return None,
        },
    })
}
