//! Samples of properties, and the numbers in them.

use glam::{DAffine3, DVec3, Vec3};
use half::f16;

use super::header::{Kind, Pod, Property};
use crate::Result;
use crate::containers::ogawa::Ogawa;

/// Before the numbers of each sample stands a digest of them.
pub(super) const DIGEST: usize = 16;

impl Property {
    /// Which of the stored samples stands for sample `index`: those before the first change and after the
    /// last are stored once.
    pub fn stored(&self, index: usize) -> usize {
        match (self.first_changed, self.last_changed) {
            (0, 0) => 0,
            (first, _) if index < first => 0,
            (first, last) => index.min(last) - first + 1,
        }
    }

    /// Number of samples that are stored.
    pub fn stored_count(&self) -> usize {
        if self.samples == 0 { 0 } else { self.stored(self.samples - 1) + 1 }
    }

    /// Offset of a stored sample: two with the same are the same.
    pub fn offset(&self, file: &Ogawa, stored: usize) -> Result<u64> {
        let step = if self.kind == Kind::Array { 2 } else { 1 };
        file.child(self.group, step * stored)
    }

    /// The numbers of a stored sample.
    pub fn numbers<'a>(&self, file: &'a Ogawa, stored: usize) -> Result<Numbers<'a>> {
        let block = file.data(self.offset(file, stored)?)?;
        // Samples without numbers are not stored at all.
        let bytes = match block.len() {
            0 => block,
            _ => block.get(DIGEST..).ok_or_else(|| {
                let length = block.len();
                file.malformed(format!("a sample of property {} is only {length} bytes long", self.name))
            })?,
        };
        Ok(Numbers { pod: self.pod, bytes })
    }
}

/// Numbers as they are stored.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    pub pod: Pod,
    pub bytes: &'a [u8],
}

impl Numbers<'_> {
    /// How many there are, where their kind has a size.
    pub fn len(&self) -> usize {
        self.pod.size().map_or(0, |size| self.bytes.len() / size)
    }

    /// Whole numbers of any kind; `None` when they are of another.
    pub fn integers(&self) -> Option<Vec<i64>> {
        fn each<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> i64) -> Option<Vec<i64>> {
            Some(bytes.as_chunks().0.iter().map(|b| number(*b)).collect())
        }
        let bytes = self.bytes;
        match self.pod {
            Pod::Bool | Pod::U8 => each(bytes, |b| u8::from_le_bytes(b).into()),
            Pod::I8 => each(bytes, |b| i8::from_le_bytes(b).into()),
            Pod::U16 => each(bytes, |b| u16::from_le_bytes(b).into()),
            Pod::I16 => each(bytes, |b| i16::from_le_bytes(b).into()),
            Pod::U32 => each(bytes, |b| u32::from_le_bytes(b).into()),
            Pod::I32 => each(bytes, |b| i32::from_le_bytes(b).into()),
            Pod::I64 => each(bytes, i64::from_le_bytes),
            // Beyond the range of what is counted here.
            Pod::U64 => each(bytes, |b| i64::try_from(u64::from_le_bytes(b)).unwrap_or(i64::MAX)),
            _ => None,
        }
    }

    /// Real numbers of any size; `None` when they are of another kind.
    pub fn reals(&self) -> Option<Vec<f64>> {
        match self.pod {
            Pod::F16 => {
                Some(self.bytes.as_chunks().0.iter().map(|b| f16::from_le_bytes(*b).into()).collect())
            }
            Pod::F32 => {
                Some(self.bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b).into()).collect())
            }
            Pod::F64 => Some(self.bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()),
            _ => None,
        }
    }

    /// The text of a sample of one.
    pub fn text(&self) -> Option<String> {
        let end = self.bytes.iter().position(|b| *b == 0).unwrap_or(self.bytes.len());
        (self.pod == Pod::Text).then(|| String::from_utf8_lossy(&self.bytes[..end]).into_owned())
    }

    /// Points, each carried by `place` where one is given. As many as `out` has places for.
    pub fn points_into(&self, place: Option<&DAffine3>, out: &mut [Vec3]) {
        match (self.pod, place) {
            (Pod::F32, None) if cfg!(target_endian = "little") => {
                let to: &mut [u8] = bytemuck::cast_slice_mut(out);
                to.copy_from_slice(&self.bytes[..to.len()]);
            }
            (Pod::F16, _) => each_point(self.bytes, out, place, |b| f16::from_le_bytes(b).into()),
            (Pod::F64, _) => each_point(self.bytes, out, place, f64::from_le_bytes),
            _ => each_point(self.bytes, out, place, |b| f32::from_le_bytes(b).into()),
        }
    }

    /// Points between these and others of the same kind and number: `weight` of the others.
    pub fn blend_into(&self, other: &Self, weight: f64, place: Option<&DAffine3>, out: &mut [Vec3]) {
        let place = place.copied().unwrap_or(DAffine3::IDENTITY);
        let pair = [self.bytes, other.bytes];
        match self.pod {
            Pod::F16 => each_blend(pair, weight, &place, out, |b| f16::from_le_bytes(b).into()),
            Pod::F64 => each_blend(pair, weight, &place, out, f64::from_le_bytes),
            _ => each_blend(pair, weight, &place, out, |b| f32::from_le_bytes(b).into()),
        }
    }
}

fn each_blend<const N: usize>(
    [a, b]: [&[u8]; 2],
    weight: f64,
    place: &DAffine3,
    out: &mut [Vec3],
    number: impl Fn([u8; N]) -> f64,
) {
    let [a, b] = [a, b].map(|bytes| bytes.as_chunks::<N>().0.as_chunks::<3>().0);
    let point = |p: &[[u8; N]; 3]| DVec3::from_array(p.map(&number));
    for (to, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *to = place.transform_point3(point(a).lerp(point(b), weight)).as_vec3();
    }
}

fn each_point<const N: usize>(
    bytes: &[u8],
    out: &mut [Vec3],
    place: Option<&DAffine3>,
    number: impl Fn([u8; N]) -> f64,
) {
    let points = bytes.as_chunks::<N>().0.as_chunks::<3>().0;
    match place {
        None => {
            out.iter_mut().zip(points).for_each(|(to, p)| *to = DVec3::from_array(p.map(&number)).as_vec3())
        }
        Some(place) => out.iter_mut().zip(points).for_each(|(to, p)| {
            *to = place.transform_point3(DVec3::from_array(p.map(&number))).as_vec3();
        }),
    }
}

impl Pod {
    /// Bytes of a number; texts have none.
    pub fn size(self) -> Option<usize> {
        match self {
            Self::Bool | Self::U8 | Self::I8 => Some(1),
            Self::U16 | Self::I16 | Self::F16 => Some(2),
            Self::U32 | Self::I32 | Self::F32 => Some(4),
            Self::U64 | Self::I64 | Self::F64 => Some(8),
            Self::Text | Self::WideText => None,
        }
    }

    pub fn is_real(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }
}
