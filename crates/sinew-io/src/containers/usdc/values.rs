//! Values of a file.
//!
//! Of the eight bytes of a value, the top bits say whether it is an array, whether it is itself in the lower
//! six bytes, and whether it is compressed; then comes its type, and the six bytes, which are otherwise its
//! place in the file.

use super::blocks::from_half;
use super::cursor::Cursor;
use super::file::CrateFile;
use crate::Result;

const ARRAY: u64 = 1 << 63;
const INLINED: u64 = 1 << 62;
const COMPRESSED: u64 = 1 << 61;
const PAYLOAD: u64 = (1 << 48) - 1;

/// Arrays shorter than this are never compressed.
const SHORTEST_COMPRESSED: usize = 16;

/// Types of values, by their numbers in the file.
mod kind {
    pub const STRING: u8 = 10;
    pub const TOKEN: u8 = 11;
    pub const ASSET: u8 = 12;
    pub const TOKEN_VECTOR: u8 = 41;
    pub const SPECIFIER: u8 = 42;
    pub const TIME_SAMPLES: u8 = 46;
    pub const PAYLOAD: u8 = 47;
    pub const DOUBLE_VECTOR: u8 = 48;
    pub const STRING_VECTOR: u8 = 50;
    pub const PATH_LIST: u8 = 34;
    pub const REFERENCE_LIST: u8 = 35;
    pub const PAYLOAD_LIST: u8 = 55;
    pub const SELECTIONS: u8 = 45;
    pub const OFFSETS: u8 = 49;
    pub const TIME_CODE: u8 = 56;
}

/// A reference or payload: a file, empty for the same one, a prim, empty for the default one, and how times change.
pub(crate) struct Arc {
    pub asset: String,
    pub prim: String,
    pub offset: f64,
    pub scale: f64,
}

/// How the numbers of a type are stored.
#[derive(Clone, Copy, PartialEq)]
enum Number {
    U8,
    I32,
    U32,
    I64,
    U64,
    Half,
    Float,
    Double,
}

impl Number {
    fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::Half => 2,
            Self::I32 | Self::U32 | Self::Float => 4,
            Self::I64 | Self::U64 | Self::Double => 8,
        }
    }

    fn read(self, b: &[u8]) -> f64 {
        match (self, b) {
            (Self::U8, [a]) => f64::from(*a),
            (Self::Half, &[a, b]) => from_half(u16::from_le_bytes([a, b])),
            (Self::I32, &[a, b, c, d]) => f64::from(i32::from_le_bytes([a, b, c, d])),
            (Self::U32, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
            (Self::Float, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            _ => {
                let bytes = b.try_into().unwrap_or_default();
                match self {
                    Self::I64 => i64::from_le_bytes(bytes) as f64,
                    Self::U64 => u64::from_le_bytes(bytes) as f64,
                    _ => f64::from_le_bytes(bytes),
                }
            }
        }
    }
}

/// Numbers of a type, how many each value has, and along one side of a matrix.
struct Shape {
    number: Number,
    width: usize,
    side: usize,
    quaternion: bool,
}

fn shape(kind: u8) -> Option<Shape> {
    use Number::{Double, Float, Half, I32, I64, U8, U32, U64};
    let plain = |number, width| Some(Shape { number, width, side: 0, quaternion: false });
    let matrix = |side| Some(Shape { number: Double, width: side * side, side, quaternion: false });
    let quaternion = |number| Some(Shape { number, width: 4, side: 0, quaternion: true });
    match kind {
        1 | 2 => plain(U8, 1),
        3 | kind::SPECIFIER => plain(I32, 1),
        4 => plain(U32, 1),
        5 => plain(I64, 1),
        6 => plain(U64, 1),
        7 => plain(Half, 1),
        8 => plain(Float, 1),
        9 | kind::DOUBLE_VECTOR | kind::TIME_CODE => plain(Double, 1),
        13..=15 => matrix(usize::from(kind) - 11),
        16 => quaternion(Double),
        17 => quaternion(Float),
        18 => quaternion(Half),
        19..=30 => {
            let number = [Double, Float, Half, I32][usize::from(kind - 19) % 4];
            plain(number, 2 + usize::from(kind - 19) / 4)
        }
        _ => None,
    }
}

fn kind_of(rep: u64) -> u8 {
    (rep >> 48) as u8
}

impl CrateFile {
    /// A value as numbers; `None` where it is none.
    pub fn numbers(&self, rep: u64) -> Result<Option<Vec<f64>>> {
        let Some(shape) = shape(kind_of(rep)) else { return Ok(None) };
        if rep & ARRAY == 0 && rep & INLINED != 0 {
            return Ok(Some(inlined(&shape, rep & PAYLOAD)));
        }
        let mut cursor = Cursor::new(self, rep & PAYLOAD);
        let count = if kind_of(rep) == kind::DOUBLE_VECTOR {
            cursor.count(8)?
        } else if rep & ARRAY == 0 {
            1
        } else if rep & PAYLOAD == 0 {
            return Ok(Some(Vec::new()));
        } else {
            array_length(&mut cursor)?
        };
        if rep & COMPRESSED != 0 && count >= SHORTEST_COMPRESSED {
            return compressed(&mut cursor, shape.number, count).map(Some);
        }
        let size = shape.number.size();
        let bytes = cursor.bytes(count.saturating_mul(shape.width).saturating_mul(size))?;
        let mut numbers: Vec<f64> = bytes.chunks_exact(size).map(|b| shape.number.read(b)).collect();
        if shape.quaternion {
            // The file has the real part last.
            numbers.chunks_exact_mut(4).for_each(|q| q.rotate_right(1));
        }
        Ok(Some(numbers))
    }

    /// A value as words; none where it has none.
    pub fn words(&self, rep: u64) -> Result<Vec<String>> {
        let tables = &self.tables;
        let (kind, payload) = (kind_of(rep), rep & PAYLOAD);
        let strings = matches!(kind, kind::STRING | kind::STRING_VECTOR);
        let word = |index: u64| if strings { tables.string(index) } else { tables.token(index) }.to_owned();
        let mut cursor = Cursor::new(self, payload);
        let count = match kind {
            kind::STRING | kind::TOKEN | kind::ASSET if rep & ARRAY == 0 => return Ok(vec![word(payload)]),
            kind::STRING | kind::TOKEN | kind::ASSET if payload == 0 => 0,
            kind::STRING | kind::TOKEN | kind::ASSET => array_length(&mut cursor)?,
            kind::TOKEN_VECTOR | kind::STRING_VECTOR => cursor.count(4)?,
            _ => 0,
        };
        let bytes = cursor.bytes(count.saturating_mul(4))?;
        Ok(bytes.chunks_exact(4).map(|b| word(Number::U32.read(b) as u64)).collect())
    }

    /// How many words a list has.
    pub fn vector_length(&self, rep: u64) -> Result<usize> {
        if kind_of(rep) != kind::TOKEN_VECTOR {
            return Ok(0);
        }
        Cursor::new(self, rep & PAYLOAD).count(4)
    }

    /// Times and values at them. The place of the times and that of the values are stated one after the other.
    pub fn samples(&self, rep: u64) -> Result<(Vec<f64>, Vec<u64>)> {
        if kind_of(rep) != kind::TIME_SAMPLES {
            return Err(self.malformed("time samples are stored as something else"));
        }
        let mut cursor = Cursor::new(self, rep & PAYLOAD);
        cursor.jump()?;
        let times = cursor.u64()?;
        let times = self.numbers(times)?.unwrap_or_default();
        cursor.jump()?;
        let count = cursor.count(8)?;
        let values = cursor.bytes(8 * count)?;
        let rising = times.windows(2).all(|w| w[0] < w[1]) && times.iter().all(|t| t.is_finite());
        if times.len() != count || !rising {
            return Err(
                self.malformed(format!("{count} time samples have {} times, or no order", times.len()))
            );
        }
        let rep = |b: &[u8]| u64::from_le_bytes(b.try_into().unwrap_or_default());
        Ok((times, values.chunks_exact(8).map(rep).collect()))
    }

    /// A list of paths.
    pub fn paths(&self, rep: u64) -> Result<Vec<String>> {
        let tables = &self.tables;
        if kind_of(rep) != kind::PATH_LIST {
            return Ok(Vec::new());
        }
        list(&mut Cursor::new(self, rep & PAYLOAD), 4, |c| Ok(tables.path(u64::from(c.u32()?))))
    }

    /// References or payloads.
    pub fn arcs(&self, rep: u64) -> Result<Vec<Arc>> {
        let mut cursor = Cursor::new(self, rep & PAYLOAD);
        match kind_of(rep) {
            kind::REFERENCE_LIST => list(&mut cursor, 32, |c| {
                let arc = arc(c, true)?;
                // Notes on the reference: a name and a value each, which may lie elsewhere.
                for _ in 0..c.count(4)? {
                    c.u32()?;
                    c.jump()?;
                    c.u64()?;
                }
                Ok(arc)
            }),
            kind::PAYLOAD_LIST => list(&mut cursor, 8, |c| arc(c, has_offset(c.file))),
            kind::PAYLOAD => arc(&mut cursor, has_offset(self)).map(|arc| vec![arc]),
            _ => Ok(Vec::new()),
        }
    }

    /// Chosen variants.
    pub fn selections(&self, rep: u64) -> Result<Vec<(String, String)>> {
        let tables = &self.tables;
        if kind_of(rep) != kind::SELECTIONS {
            return Ok(Vec::new());
        }
        let mut cursor = Cursor::new(self, rep & PAYLOAD);
        let word = |c: &mut Cursor| Ok(tables.string(u64::from(c.u32()?)).to_owned());
        (0..cursor.count(8)?).map(|_| Ok((word(&mut cursor)?, word(&mut cursor)?))).collect()
    }

    /// How the times of each sublayer are changed: offset and scale.
    pub fn offsets(&self, rep: u64) -> Result<Vec<(f64, f64)>> {
        if kind_of(rep) != kind::OFFSETS {
            return Ok(Vec::new());
        }
        let mut cursor = Cursor::new(self, rep & PAYLOAD);
        (0..cursor.count(16)?).map(|_| Ok((cursor.f64()?, cursor.f64()?))).collect()
    }
}

/// A value that is in its own eight bytes: four bytes of it, or one for each number of a vector, or one for
/// each number on the diagonal of a matrix.
fn inlined(shape: &Shape, payload: u64) -> Vec<f64> {
    let low = payload as u32;
    let byte = |i: usize| f64::from((payload >> (8 * i)) as i8);
    if shape.side > 0 {
        let entry =
            |i: usize| if i.is_multiple_of(shape.side + 1) { byte(i / (shape.side + 1)) } else { 0.0 };
        return (0..shape.width).map(entry).collect();
    }
    if shape.width > 1 {
        return (0..shape.width).map(byte).collect();
    }
    vec![match shape.number {
        Number::U8 => f64::from(low as u8),
        Number::Half => from_half(low as u16),
        Number::U32 | Number::U64 => f64::from(low),
        Number::I32 | Number::I64 => f64::from(low as i32),
        Number::Float | Number::Double => f64::from(f32::from_bits(low)),
    }]
}

fn array_length(cursor: &mut Cursor) -> Result<usize> {
    let version = cursor.file.tables.version;
    if version < [0, 5, 0] {
        // Arrays had a rank once.
        cursor.u32()?;
    }
    let length = if version < [0, 7, 0] { u64::from(cursor.u32()?) } else { cursor.u64()? };
    usize::try_from(length)
        .map_err(|_| cursor.file.malformed(format!("an array is said to have {length} items")))
}

fn compressed(cursor: &mut Cursor, number: Number, count: usize) -> Result<Vec<f64>> {
    match number {
        Number::I32 => Ok(cursor.integers(count, false)?.iter().map(|i| *i as f64).collect()),
        Number::U32 => Ok(cursor.integers(count, false)?.iter().map(|i| f64::from(*i as u32)).collect()),
        Number::I64 => Ok(cursor.integers(count, true)?.iter().map(|i| *i as f64).collect()),
        Number::U64 => Ok(cursor.integers(count, true)?.iter().map(|i| *i as u64 as f64).collect()),
        Number::Half | Number::Float | Number::Double => match cursor.u8()? {
            b'i' => Ok(cursor.integers(count, false)?.iter().map(|i| *i as f64).collect()),
            b't' => {
                let size = cursor.u32()? as usize;
                let bytes = cursor.bytes(size.saturating_mul(number.size()))?;
                let table: Vec<f64> = bytes.chunks_exact(number.size()).map(|b| number.read(b)).collect();
                let places = cursor.integers(count, false)?;
                let found = places.iter().map(|i| table.get(*i as u32 as usize).copied());
                let numbers: Option<Vec<f64>> = found.collect();
                numbers.ok_or_else(|| cursor.file.malformed("an array's table of numbers is damaged"))
            }
            _ => Err(cursor.file.malformed("an array is compressed in a way that Sinew does not know")),
        },
        Number::U8 => Err(cursor.file.malformed("an array of bytes is said to be compressed")),
    }
}

/// Items of an edited list that are there in the end: those stated, put before or put after.
fn list<T>(
    cursor: &mut Cursor,
    size: usize,
    mut item: impl FnMut(&mut Cursor) -> Result<T>,
) -> Result<Vec<T>> {
    const EXPLICIT: u8 = 2;
    const ADDED: u8 = 4;
    const PREPENDED: u8 = 32;
    const APPENDED: u8 = 64;
    let edits = cursor.u8()?;
    let mut items = Vec::new();
    // What is removed or reordered comes last and is left out.
    for edit in [EXPLICIT, ADDED, PREPENDED, APPENDED] {
        if edits & edit != 0 {
            for _ in 0..cursor.count(size)? {
                items.push(item(cursor)?);
            }
        }
    }
    Ok(items)
}

/// Whether payloads change times: from version 0.8 on they can.
fn has_offset(file: &CrateFile) -> bool {
    file.tables.version >= [0, 8, 0]
}

fn arc(cursor: &mut Cursor, offset: bool) -> Result<Arc> {
    let (asset, prim) = (u64::from(cursor.u32()?), u64::from(cursor.u32()?));
    let (offset, scale) = if offset { (cursor.f64()?, cursor.f64()?) } else { (0.0, 1.0) };
    let tables = &cursor.file.tables;
    let prim = Some(tables.path(prim)).filter(|p| p != "/").unwrap_or_default();
    Ok(Arc { asset: tables.string(asset).into(), prim, offset, scale })
}
