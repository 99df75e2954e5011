//! The container: a tree of named nodes with values, in binary.
//!
//! A file is a header of 27 bytes (a magic word and the version, 7500), the top nodes one after another, a
//! node of zeros, and a footer. A node is
//!
//! | bytes | what                                                               |
//! | ----- | ------------------------------------------------------------------ |
//! | 8     | where the node ends, from the start of the file                    |
//! | 8     | number of values                                                   |
//! | 8     | bytes that the values take                                         |
//! | 1     | length of the name                                                 |
//! |       | the name, the values, the nodes inside and, after them, 25 zeros   |
//!
//! and a value is a letter and what it says: `C` a truth value, `I` and `L` whole numbers of 32 and 64 bits,
//! `D` a float of 64, `S` and `R` a length and bytes, `i l f d` arrays. An array is its count, whether it is
//! deflated (1) or not (0), the bytes it takes, and those. All numbers are little-endian.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Version of the format: offsets of 64 bits came with this one.
pub(crate) const VERSION: i32 = 7500;

const MAGIC: &[u8] = b"Kaydara FBX Binary  \0\x1a\0";
/// Zeros that end a list of nodes.
const END_OF_LIST: [u8; 25] = [0; 25];
/// Arrays of fewer bytes are not worth deflating.
const DEFLATED_FROM: usize = 128;

/// Readers check a code in the footer that follows from a file's time and identity. So these three belong
/// together and are the same in all files.
pub(crate) const CREATION_TIME: &str = "1970-01-01 10:00:00:000";
pub(crate) const FILE_ID: [u8; 16] = hex(0x28b3_2aeb_b624_ccc2_bfc8_b02a_a92b_fcf1);
const FOOTER_ID: [u8; 16] = hex(0xfabc_ab09_d0c8_d466_b176_fb83_1cf7_267e);
const LAST_WORD: [u8; 16] = hex(0xf85a_8c6a_def5_d97e_ece9_0ce3_758f_290b);

const fn hex(number: u128) -> [u8; 16] {
    number.to_be_bytes()
}

/// One value of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Bool(bool),
    I32(i32),
    I64(i64),
    F64(f64),
    Text(String),
    Raw(Vec<u8>),
    I32s(Vec<i32>),
    I64s(Vec<i64>),
    F32s(Vec<f32>),
    F64s(Vec<f64>),
}

macro_rules! from {
    ($($from:ty => $to:ident),* $(,)?) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$to(value.into())
            }
        })*
    };
}
from!(bool => Bool, i32 => I32, i64 => I64, f64 => F64, &str => Text, String => Text, &[u8] => Raw,
    Vec<i32> => I32s, Vec<i64> => I64s, Vec<f32> => F32s, Vec<f64> => F64s);

/// A node of the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    pub name: &'static str,
    values: Vec<Value>,
    children: Vec<Node>,
    /// Some nodes hold a list even where it is empty.
    list: bool,
}

impl Node {
    /// A node without values.
    pub fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// A node with one value.
    pub fn of(name: &'static str, value: impl Into<Value>) -> Self {
        Self::new(name).with(value)
    }

    /// Adds a value.
    pub fn with(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Adds a node inside.
    pub fn child(mut self, child: Self) -> Self {
        self.push(child);
        self
    }

    /// Adds nodes inside.
    pub fn children(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.list = true;
        self.children.extend(children);
        self
    }

    /// Adds a node inside.
    pub fn push(&mut self, child: Self) {
        self.list = true;
        self.children.push(child);
    }

    fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 24]);
        out.push(self.name.len() as u8);
        out.extend_from_slice(self.name.as_bytes());
        let values = out.len();
        self.values.iter().for_each(|v| v.write(out));
        let taken = out.len() - values;
        if self.list || self.values.is_empty() {
            self.children.iter().for_each(|c| c.write(out));
            out.extend_from_slice(&END_OF_LIST);
        }
        let head = [out.len(), self.values.len(), taken].map(|n| (n as u64).to_le_bytes());
        out[start..start + 24].copy_from_slice(head.as_flattened());
    }
}

impl Value {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bool(b) => out.extend_from_slice(&[b'C', u8::from(*b)]),
            Self::I32(n) => plain(out, b'I', &n.to_le_bytes()),
            Self::I64(n) => plain(out, b'L', &n.to_le_bytes()),
            Self::F64(x) => plain(out, b'D', &x.to_le_bytes()),
            Self::Text(text) => sized(out, b'S', text.as_bytes()),
            Self::Raw(bytes) => sized(out, b'R', bytes),
            Self::I32s(all) => array(out, b'i', all.iter().map(|n| n.to_le_bytes())),
            Self::I64s(all) => array(out, b'l', all.iter().map(|n| n.to_le_bytes())),
            Self::F32s(all) => array(out, b'f', all.iter().map(|x| x.to_le_bytes())),
            Self::F64s(all) => array(out, b'd', all.iter().map(|x| x.to_le_bytes())),
        }
    }
}

fn plain(out: &mut Vec<u8>, letter: u8, bytes: &[u8]) {
    out.push(letter);
    out.extend_from_slice(bytes);
}

fn sized(out: &mut Vec<u8>, letter: u8, bytes: &[u8]) {
    plain(out, letter, &(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn array<const N: usize>(out: &mut Vec<u8>, letter: u8, values: impl ExactSizeIterator<Item = [u8; N]>) {
    let count = values.len();
    let bytes: Vec<u8> = values.flatten().collect();
    let deflated = if bytes.len() < DEFLATED_FROM { None } else { deflated(&bytes) };
    let (encoding, stored) = match &deflated {
        Some(deflated) if deflated.len() < bytes.len() => (1, deflated),
        _ => (0, &bytes),
    };
    out.push(letter);
    let head = [count as u32, encoding, stored.len() as u32].map(u32::to_le_bytes);
    out.extend_from_slice(head.as_flattened());
    out.extend_from_slice(stored);
}

fn deflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// The bytes of a file with these top nodes.
pub(crate) fn file(nodes: &[Node]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&VERSION.to_le_bytes());
    nodes.iter().for_each(|n| n.write(&mut out));
    out.extend_from_slice(&END_OF_LIST);
    out.extend_from_slice(&FOOTER_ID);
    out.extend_from_slice(&[0; 4]);
    // Up to the next sixteenth byte, and by sixteen where there is nothing to fill.
    let filled = (out.len() / 16 + 1) * 16;
    out.resize(filled, 0);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&[0; 120]);
    out.extend_from_slice(&LAST_WORD);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_say_where_they_end() {
        let bytes = file(&[Node::of("A", 7).child(Node::of("Bc", "text"))]);
        assert_eq!(&bytes[..27], b"Kaydara FBX Binary  \0\x1a\0\x4c\x1d\0\0");
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let (outer, inner) = (27, 27 + 24 + 1 + 1 + 5);
        assert_eq!([number(outer + 8), number(outer + 16), bytes[outer + 24] as usize], [1, 5, 1]);
        assert_eq!([number(inner + 8), number(inner + 16), bytes[inner + 24] as usize], [1, 9, 2]);
        assert_eq!(number(inner), inner + 24 + 1 + 2 + 9);
        assert_eq!(number(outer), number(inner) + 25);
        assert_eq!(&bytes[number(outer)..number(outer) + 25], &END_OF_LIST);
        assert_eq!(bytes.len() % 16, (4 + 120 + 16) % 16);
    }

    #[test]
    fn long_arrays_are_deflated_and_short_ones_are_not() {
        let mut short = Vec::new();
        Value::from(vec![1_i32, -2]).write(&mut short);
        assert_eq!(short, b"i\x02\0\0\0\0\0\0\0\x08\0\0\0\x01\0\0\0\xfe\xff\xff\xff");
        let mut long = Vec::new();
        Value::from(vec![0.5_f64; 1000]).write(&mut long);
        assert_eq!(&long[..9], b"d\xe8\x03\0\0\x01\0\0\0");
        assert!(long.len() < 200);
    }
}
