//! The header of an array: what its values are.

use std::io::Read;
use std::path::Path;

use crate::{Error, Result};

/// Headers are a line or two.
const LONGEST_HEADER: usize = 1 << 16;
/// Nothing that Sinew reads has more.
const MOST_DIMENSIONS: usize = 8;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    F4,
    F8,
    /// A whole number: so many bytes, and whether it has a sign.
    Whole(usize, bool),
}

impl Kind {
    /// Bytes of a value.
    pub fn bytes(self) -> usize {
        match self {
            Self::F4 => 4,
            Self::F8 => 8,
            Self::Whole(bytes, _) => bytes,
        }
    }

    pub fn is_float(self) -> bool {
        !matches!(self, Self::Whole(..))
    }
}

/// An array without its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Array {
    pub kind: Kind,
    pub shape: Vec<usize>,
    /// Bytes before the values.
    pub header: usize,
}

impl Array {
    /// Reads the header. Values of other kinds than those above, or in another order, get a sentence; `what` is
    /// the file or the array.
    pub fn read(reader: &mut impl Read, what: &str, path: &Path) -> Result<Self> {
        let cut = |_| Error::malformed(path, format!("{what} is cut short in its header"));
        let mut start = [0; 8];
        reader.read_exact(&mut start).map_err(cut)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err(Error::malformed(path, format!("{what} does not start like a NumPy array")));
        }
        let (length, before) = match start[6] {
            1 => {
                let mut bytes = [0; 2];
                reader.read_exact(&mut bytes).map_err(cut)?;
                (usize::from(u16::from_le_bytes(bytes)), 10)
            }
            2 | 3 => {
                let mut bytes = [0; 4];
                reader.read_exact(&mut bytes).map_err(cut)?;
                (u32::from_le_bytes(bytes) as usize, 12)
            }
            other => {
                let message = format!("{what} is of version {other}, and only 1 to 3 are known");
                return Err(Error::unsupported(path, message));
            }
        };
        if length > LONGEST_HEADER {
            return Err(Error::malformed(path, format!("{what} says its header has {length} bytes")));
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).map_err(cut)?;
        let text = String::from_utf8_lossy(&text);
        Self::parse(&text, before + length).map_err(|why| Error::unsupported(path, format!("{what}: {why}")))
    }

    fn parse(text: &str, header: usize) -> std::result::Result<Self, String> {
        let after = |key: &str| text.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
        let (Some(descr), Some(order), Some(shape)) =
            (after("descr"), after("fortran_order"), after("shape"))
        else {
            return Err("the header does not tell type, order and shape".into());
        };
        let descr = descr.strip_prefix('\'').and_then(|rest| rest.split('\'').next()).unwrap_or_default();
        let kind = match descr {
            "<f4" => Kind::F4,
            "<f8" => Kind::F8,
            "|i1" => Kind::Whole(1, true),
            "|u1" => Kind::Whole(1, false),
            "<i2" => Kind::Whole(2, true),
            "<u2" => Kind::Whole(2, false),
            "<i4" => Kind::Whole(4, true),
            "<u4" => Kind::Whole(4, false),
            "<i8" => Kind::Whole(8, true),
            "<u8" => Kind::Whole(8, false),
            other => {
                return Err(format!(
                    "values of the type {other} are not read; floats of 4 or 8 bytes are, little-endian, as \
                     array.astype('<f4') makes them"
                ));
            }
        };
        if !order.starts_with("False") {
            return Err(
                "values are in Fortran order; numpy.ascontiguousarray(array) brings them into C order".into(),
            );
        }
        let inside = shape.strip_prefix('(').and_then(|rest| rest.split(')').next());
        let sides = inside.unwrap_or("?").split(',').map(str::trim).filter(|side| !side.is_empty());
        let shape: Option<Vec<usize>> = sides.map(|side| side.trim_end_matches('L').parse().ok()).collect();
        match shape {
            Some(shape) if shape.len() <= MOST_DIMENSIONS => Ok(Self { kind, shape, header }),
            _ => Err("the shape in the header cannot be read".into()),
        }
    }

    /// Number of values; none where that is more than can be.
    pub fn count(&self) -> Option<usize> {
        self.shape.iter().try_fold(1_usize, |all, side| all.checked_mul(*side))
    }

    /// Bytes of all values.
    pub fn bytes(&self) -> Option<u64> {
        (self.count()? as u64).checked_mul(self.kind.bytes() as u64)
    }

    /// Frames and vertices, where these are poses, or one pose.
    pub fn poses(&self) -> Option<(usize, usize)> {
        match self.shape[..] {
            [frames, vertices, 3] if self.kind.is_float() => Some((frames, vertices)),
            [vertices, 3] if self.kind.is_float() => Some((1, vertices)),
            _ => None,
        }
    }

    /// The shape as people write it.
    pub fn in_words(&self) -> String {
        let sides: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        if sides.is_empty() { "one value".into() } else { sides.join(" x ") }
    }
}

/// The header of an array, as long as it takes for the values to start at a multiple of 64 bytes.
pub(super) fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let mut sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    // A tuple of one ends in a comma; longer ones need none.
    sides.truncate(sides.trim_end_matches([',', ' ']).len());
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sides}{comma}), }}");
    let padded = (10 + text.len() + 1).next_multiple_of(64);
    text.extend(std::iter::repeat_n(' ', padded - 10 - text.len() - 1));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}
