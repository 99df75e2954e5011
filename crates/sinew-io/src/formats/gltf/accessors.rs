//! Typed arrays out of buffers: strides, offsets, normalised integers, sparse changes.
//!
//! Lengths are checked against the buffer before anything is allocated, so a hostile count costs nothing.

use super::read::Gltf;
use super::schema::Accessor;
use crate::{Error, Result};

/// Numbers an accessor without data of its own (all zeros, changed sparsely) may have.
const MOST_IMPLICIT_NUMBERS: usize = 1 << 25;

/// Numbers of one accessor, element after element.
pub(super) struct Floats {
    /// Numbers in one element.
    pub width: usize,
    pub data: Vec<f32>,
}

#[derive(Clone, Copy, PartialEq)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Number {
    fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// `bytes` holds at least `size` bytes.
    fn float(self, bytes: &[u8]) -> f32 {
        match self {
            Self::F32 => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            Self::I8 => f32::from(bytes[0] as i8),
            Self::I16 => f32::from(i16::from_le_bytes([bytes[0], bytes[1]])),
            Self::U8 | Self::U16 | Self::U32 => self.unsigned(bytes) as f32,
        }
    }

    fn unsigned(self, bytes: &[u8]) -> u32 {
        match self {
            Self::U8 | Self::I8 => u32::from(bytes[0]),
            Self::U16 | Self::I16 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            Self::U32 | Self::F32 => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        }
    }

    /// What a normalised integer is divided by.
    fn largest(self) -> f32 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 | Self::F32 => 1.0,
        }
    }
}

/// Numbers in one element of a type; `None` for types Sinew never reads.
fn width(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    })
}

/// A run of elements in a buffer, known to lie inside it.
struct Run<'a> {
    bytes: &'a [u8],
    stride: usize,
}

impl<'a> Run<'a> {
    /// Where the numbers of element `index` start.
    fn element(&self, index: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..]
    }
}

/// An accessor whose data are all there.
struct Checked<'a> {
    accessor: &'a Accessor,
    number: Number,
    /// Numbers in one element.
    width: usize,
    /// `None` where all are zero but for sparse changes.
    run: Option<Run<'a>>,
}

impl Gltf {
    /// Number of elements of an accessor, all of which are there.
    pub(super) fn count(&self, index: usize) -> Result<usize> {
        Ok(self.checked(index)?.accessor.count)
    }

    fn accessor(&self, index: usize) -> Result<&Accessor> {
        self.root.accessors.get(index).ok_or_else(|| self.malformed(format!("there is no accessor {index}")))
    }

    /// The bytes of a buffer view.
    pub(super) fn view_bytes(&self, index: usize) -> Result<&[u8]> {
        if let Some(Some(bytes)) = self.unpacked.get(index) {
            return Ok(bytes);
        }
        let view = self
            .root
            .buffer_views
            .get(index)
            .ok_or_else(|| self.malformed(format!("there is no buffer view {index}")))?;
        let buffer = self
            .buffers
            .get(view.buffer)
            .ok_or_else(|| self.malformed(format!("there is no buffer {}", view.buffer)))?;
        let end = view.byte_offset.checked_add(view.byte_length);
        end.and_then(|end| buffer.get(view.byte_offset..end)).ok_or_else(|| Error::Truncated {
            path: self.source.path().into(),
            what: format!("the bytes of buffer view {index}"),
            needed: (view.byte_offset as u64).saturating_add(view.byte_length as u64),
            available: buffer.len() as u64,
        })
    }

    fn run(
        &self,
        view: usize,
        offset: usize,
        number: Number,
        width: usize,
        count: usize,
        what: &str,
    ) -> Result<Run<'_>> {
        let bytes = self.view_bytes(view)?;
        let item = number.size() * width;
        let stride = self.root.buffer_views[view].byte_stride.unwrap_or(item);
        if stride < item {
            return Err(
                self.malformed(format!("{what} has a stride of {stride} bytes for {item} bytes of data"))
            );
        }
        let needed = (count.saturating_sub(1))
            .checked_mul(stride)
            .and_then(|n| n.checked_add(if count == 0 { 0 } else { item }))
            .and_then(|n| n.checked_add(offset));
        match needed {
            Some(needed) if needed <= bytes.len() => Ok(Run { bytes: &bytes[offset..], stride }),
            _ => Err(Error::Truncated {
                path: self.source.path().into(),
                what: format!("{count} elements of {what}"),
                needed: needed.map_or(u64::MAX, |n| n as u64),
                available: bytes.len() as u64,
            }),
        }
    }

    /// An accessor with everything about it checked.
    fn checked(&self, index: usize) -> Result<Checked<'_>> {
        let a = self.accessor(index)?;
        let what = format!("accessor {index}");
        let number = Number::from_code(a.component_type).ok_or_else(|| {
            self.malformed(format!("{what} has the unknown component type {}", a.component_type))
        })?;
        let width = width(&a.kind).ok_or_else(|| {
            self.malformed(format!("{what} has the unexpected type {:?}", shortened(&a.kind)))
        })?;
        let run = match a.buffer_view {
            Some(view) => Some(self.run(view, a.byte_offset, number, width, a.count, &what)?),
            None if a.count > MOST_IMPLICIT_NUMBERS / width => {
                return Err(self.malformed(format!("{what} has {} elements but no data", a.count)));
            }
            None => None,
        };
        Ok(Checked { accessor: a, number, width, run })
    }

    /// Calls `store` with each position and value that the accessor changes sparsely.
    fn sparse_values<'a>(
        &'a self,
        index: usize,
        accessor: &Accessor,
        number: Number,
        width: usize,
        mut store: impl FnMut(usize, &'a [u8]),
    ) -> Result<()> {
        let Some(sparse) = &accessor.sparse else { return Ok(()) };
        let what = format!("accessor {index}'s sparse changes");
        let places = Number::from_code(sparse.indices.component_type)
            .filter(|n| matches!(n, Number::U8 | Number::U16 | Number::U32))
            .ok_or_else(|| self.malformed(format!("{what} have indices of an unknown type")))?;
        let (i, v) = (&sparse.indices, &sparse.values);
        let indices = self.run(i.buffer_view, i.byte_offset, places, 1, sparse.count, &what)?;
        let values = self.run(v.buffer_view, v.byte_offset, number, width, sparse.count, &what)?;
        for k in 0..sparse.count {
            let place = places.unsigned(indices.element(k)) as usize;
            if place >= accessor.count {
                return Err(self.malformed(format!("{what} reach element {place} of {}", accessor.count)));
            }
            store(place, values.element(k));
        }
        Ok(())
    }

    /// All numbers of an accessor, each through `convert`.
    fn numbers<T: Copy + Default>(
        &self,
        index: usize,
        checked: &Checked,
        convert: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>> {
        let Checked { accessor, number, width, run } = checked;
        let mut data = vec![T::default(); accessor.count * width];
        let fill = |out: &mut [T], bytes: &[u8]| {
            for (x, b) in out.iter_mut().zip(bytes.chunks_exact(number.size())) {
                *x = convert(b);
            }
        };
        if let Some(run) = run {
            for (i, out) in data.chunks_exact_mut(*width).enumerate() {
                fill(out, run.element(i));
            }
        }
        self.sparse_values(index, accessor, *number, *width, |i, bytes| {
            fill(&mut data[i * width..(i + 1) * width], bytes);
        })?;
        Ok(data)
    }

    /// An accessor of the given type (`VEC3`, say) as floats; normalised integers become fractions, plain
    /// ones whole numbers. Every number is finite.
    pub(super) fn floats(&self, index: usize, kind: &str) -> Result<Floats> {
        let checked = self.checked(index)?;
        let Checked { accessor: a, number, width, .. } = checked;
        if a.kind != kind {
            return Err(self.malformed(format!("accessor {index} has type {}, not {kind}", a.kind)));
        }
        let divisor = if a.normalized { number.largest() } else { 1.0 };
        let convert = |bytes: &[u8]| {
            let value = number.float(bytes) / divisor;
            // Normalised signed integers have one value below −1.
            if a.normalized { value.max(-1.0) } else { value }
        };
        let data = self.numbers(index, &checked, convert)?;
        if let Some(bad) = data.iter().position(|x| !x.is_finite()) {
            let element = bad / width;
            return Err(
                self.malformed(format!("element {element} of accessor {index} is not a finite number"))
            );
        }
        Ok(Floats { width, data })
    }

    /// An accessor of the given type as unsigned integers.
    pub(super) fn integers(&self, index: usize, kind: &str) -> Result<Vec<u32>> {
        let checked = self.checked(index)?;
        let Checked { accessor: a, number, .. } = checked;
        if a.kind != kind || !matches!(number, Number::U8 | Number::U16 | Number::U32) {
            return Err(self.malformed(format!("accessor {index} is not an unsigned integer {kind}")));
        }
        self.numbers(index, &checked, |bytes| number.unsigned(bytes))
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(20).collect()
}
