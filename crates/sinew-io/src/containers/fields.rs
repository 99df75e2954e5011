//! Numbers, lists and text as records hold them.

use glam::{DAffine3, DMat3, DVec3, Vec2, Vec3};

/// Something of a fixed number of bytes.
pub trait Fixed: Sized {
    const SIZE: usize;
    fn put(&self, out: &mut Vec<u8>);
    /// `bytes` is `SIZE` long.
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($kind:ty),*) => {$(
        impl Fixed for $kind {
            const SIZE: usize = size_of::<$kind>();
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &[u8]) -> Self {
                let mut raw = [0; size_of::<$kind>()];
                raw.copy_from_slice(bytes);
                <$kind>::from_le_bytes(raw)
            }
        }
    )*};
}

number!(u8, u16, u32, u64, i16, f32, f64);

impl<T: Fixed, const N: usize> Fixed for [T; N] {
    const SIZE: usize = N * T::SIZE;
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|x| x.put(out));
    }
    fn take(bytes: &[u8]) -> Self {
        std::array::from_fn(|i| T::take(&bytes[i * T::SIZE..(i + 1) * T::SIZE]))
    }
}

macro_rules! vector {
    ($($kind:ty = $parts:ty),*) => {$(
        impl Fixed for $kind {
            const SIZE: usize = <$parts as Fixed>::SIZE;
            fn put(&self, out: &mut Vec<u8>) {
                self.to_array().put(out);
            }
            fn take(bytes: &[u8]) -> Self {
                Self::from_array(<$parts as Fixed>::take(bytes))
            }
        }
    )*};
}

vector!(Vec2 = [f32; 2], Vec3 = [f32; 3], DVec3 = [f64; 3]);

impl Fixed for DAffine3 {
    const SIZE: usize = 96;
    fn put(&self, out: &mut Vec<u8>) {
        self.to_cols_array().put(out);
    }
    fn take(bytes: &[u8]) -> Self {
        let cols = <[f64; 12]>::take(bytes);
        let column = |i: usize| DVec3::new(cols[3 * i], cols[3 * i + 1], cols[3 * i + 2]);
        Self { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
    }
}

/// Appends a list.
pub fn put_list<T: Fixed>(list: &[T], out: &mut Vec<u8>) {
    (list.len() as u64).put(out);
    list.iter().for_each(|x| x.put(out));
}

/// Appends a name.
pub fn put_text(text: &str, out: &mut Vec<u8>) {
    put_list(text.as_bytes(), out);
}

/// Goes through the contents of a record. `None` where they end too early.
pub struct Cursor<'a>(pub &'a [u8]);

impl<'a> Cursor<'a> {
    pub fn value<T: Fixed>(&mut self) -> Option<T> {
        self.slice(T::SIZE).map(T::take)
    }

    pub fn list<T: Fixed>(&mut self) -> Option<Vec<T>> {
        let count = self.count()?;
        let bytes = self.slice(count.checked_mul(T::SIZE)?)?;
        Some(bytes.chunks_exact(T::SIZE).map(T::take).collect())
    }

    pub fn text(&mut self) -> Option<String> {
        let count = self.count()?;
        String::from_utf8(self.slice(count)?.to_vec()).ok()
    }

    /// The count of a list, whose entries follow.
    pub fn count(&mut self) -> Option<usize> {
        self.value::<u64>()?.try_into().ok()
    }

    /// A list whose entries have no fixed size: nothing is set aside for entries that may not be there.
    pub fn each<T>(&mut self, mut entry: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count()?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(entry(self)?);
        }
        Some(list)
    }

    pub fn flag(&mut self) -> Option<bool> {
        match self.value::<u8>()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(head)
    }

    /// Whether all was taken.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
