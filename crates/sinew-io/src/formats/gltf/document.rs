//! Building a file: binary data, its views and accessors.

use std::path::Path;

use bytemuck::NoUninit;
use serde_json::{Map, Value, json};

use super::packed::EXTENSIONS;
use crate::containers::glb;
use crate::containers::meshopt::filters::{self, Filter};
use crate::containers::meshopt::{attributes, triangles};
use crate::{Error, Result};

/// What a buffer view is for, as GPUs ask.
#[derive(Clone, Copy)]
pub(super) enum Use {
    Vertices = 34962,
    Indices = 34963,
}

/// Component types by their codes.
#[derive(Clone, Copy)]
pub(super) enum Number {
    I8 = 5120,
    U8 = 5121,
    I16 = 5122,
    U16 = 5123,
    U32 = 5125,
    F32 = 5126,
}

/// A file under construction.
#[derive(Default)]
pub(super) struct Document {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// Where the view that all animation data shares starts.
    open_view: Option<usize>,
    /// Whether views are packed where that makes them smaller.
    pack: bool,
    /// Bytes that packed views unpack to.
    unpacked: usize,
    /// Packed data of animations, which share a view with others of their kind.
    pools: Vec<Pool>,
}

/// Elements of one kind, before they are packed.
struct Pool {
    filter: Filter,
    stride: usize,
    stored: Vec<u8>,
    /// Accessors that have their data here.
    accessors: Vec<usize>,
}

/// Bytes of elements as they are, and what packs them.
struct Packable<'a> {
    bytes: &'a [u8],
    stride: usize,
    stream: Vec<u8>,
    mode: &'static str,
    filter: Filter,
}

/// The shape of an accessor's elements.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    pub number: Number,
    /// `SCALAR`, `VEC3`, …
    pub kind: &'static str,
    pub count: usize,
    pub normalized: bool,
}

impl Elements {
    pub fn floats(kind: &'static str, count: usize) -> Self {
        Self { number: Number::F32, kind, count, normalized: false }
    }
}

impl Document {
    /// Starts a file, whose views are packed where that makes them smaller if `pack` says so.
    pub fn new(pack: bool) -> Self {
        Self { pack, ..Self::default() }
    }

    fn align(&mut self) {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
    }

    /// A buffer view, packed if that is smaller. `padded` elements are longer than what they hold.
    fn packed_view(&mut self, packable: &Packable, purpose: Option<Use>, padded: bool) -> usize {
        let &Packable { bytes, stride, ref stream, mode, filter } = packable;
        self.align();
        let view = if stream.len() >= bytes.len() {
            self.view(bytes, purpose)
        } else {
            let mut packed = json!({
                "buffer": 0,
                "byteOffset": self.bin.len(),
                "byteLength": stream.len(),
                "byteStride": stride,
                "count": bytes.len() / stride,
                "mode": mode,
            });
            if let Some(name) = filter.name() {
                packed["filter"] = json!(name);
            }
            let mut view = json!({
                "buffer": 1,
                "byteOffset": self.unpacked,
                "byteLength": bytes.len(),
                "extensions": { EXTENSIONS[0]: packed },
            });
            if let Some(purpose) = purpose {
                view["target"] = json!(purpose as u32);
            }
            self.bin.extend_from_slice(stream);
            self.align();
            self.unpacked = (self.unpacked + bytes.len()).next_multiple_of(4);
            self.views.push(view);
            self.views.len() - 1
        };
        if padded {
            self.views[view]["byteStride"] = json!(stride);
        }
        view
    }

    /// Elements that are stored through a filter: as they will be read, and filtered.
    fn filtered(
        &mut self,
        filter: Filter,
        stored: &[u8],
        stride: usize,
        purpose: Option<Use>,
        padded: bool,
    ) -> usize {
        let stream = attributes::encode(stored, stride);
        let mut bytes = stored.to_vec();
        filter.undo(&mut bytes, stride);
        let packable = Packable { bytes: &bytes, stride, stream, mode: "ATTRIBUTES", filter };
        self.packed_view(&packable, purpose, padded)
    }

    /// Positions or displacements in steps.
    pub fn steps(&mut self, data: &[[i32; 3]], number: Number) -> usize {
        let bytes: Vec<u8> =
            data.iter().flat_map(|p| [p[0], p[1], p[2], 0]).flat_map(|x| (x as u16).to_le_bytes()).collect();
        let view = self.filtered(Filter::None, &bytes, 8, Some(Use::Vertices), true);
        let elements = Elements { number, kind: "VEC3", count: data.len(), normalized: false };
        let accessor = self.push_accessor(elements, view, 0);
        let floats: Vec<[f32; 3]> = data.iter().map(|p| p.map(|x| x as f32)).collect();
        self.bound(accessor, &floats);
        accessor
    }

    /// Unit normals of few bits.
    pub fn unit_vectors(&mut self, data: &[[f32; 3]], bits: u32) -> usize {
        let stored: Vec<u8> =
            data.iter().flat_map(|n| filters::octahedral(*n, bits)).map(|x| x as i8 as u8).collect();
        let view = self.filtered(Filter::Octahedral, &stored, 4, Some(Use::Vertices), true);
        self.push_accessor(
            Elements { number: Number::I8, kind: "VEC3", count: data.len(), normalized: true },
            view,
            0,
        )
    }

    /// Changes of unit normals in 127ths.
    pub fn small_vectors(&mut self, data: &[[f32; 3]]) -> usize {
        let part = |x: f32| (x * 127.0).round().clamp(-127.0, 127.0) as i8 as u8;
        let stored: Vec<u8> = data.iter().flat_map(|v| [part(v[0]), part(v[1]), part(v[2]), 0]).collect();
        let view = self.filtered(Filter::None, &stored, 4, Some(Use::Vertices), true);
        self.push_accessor(
            Elements { number: Number::I8, kind: "VEC3", count: data.len(), normalized: true },
            view,
            0,
        )
    }

    /// Data of an animation: into a view with all of their kind.
    fn pooled(&mut self, filter: Filter, stride: usize, stored: &[u8], elements: Elements) -> usize {
        let same = |pool: &Pool| pool.filter == filter && pool.stride == stride;
        let place = self.pools.iter().position(same).unwrap_or_else(|| {
            self.pools.push(Pool { filter, stride, stored: Vec::new(), accessors: Vec::new() });
            self.pools.len() - 1
        });
        // Which view it is becomes known when all of its data are there.
        let accessor = self.push_accessor(elements, 0, self.pools[place].stored.len());
        self.pools[place].stored.extend_from_slice(stored);
        self.pools[place].accessors.push(accessor);
        accessor
    }

    fn pack_pools(&mut self) {
        for Pool { filter, stride, stored, accessors } in std::mem::take(&mut self.pools) {
            let view = self.filtered(filter, &stored, stride, None, false);
            for accessor in accessors {
                self.accessors[accessor]["bufferView"] = json!(view);
            }
        }
    }

    /// Rotations of few bits, for animations.
    pub fn turns(&mut self, data: &[[f32; 4]], bits: u32) -> usize {
        let stored: Vec<u8> =
            data.iter().flat_map(|q| filters::quaternion(*q, bits)).flat_map(i16::to_le_bytes).collect();
        let elements = Elements { number: Number::I16, kind: "VEC4", count: data.len(), normalized: true };
        self.pooled(Filter::Quaternion, 8, &stored, elements)
    }

    /// Floats in steps, for animations. So many of them as `together` says follow each other like one element.
    pub fn fixed(&mut self, data: &[f32], step: f32, elements: Elements, together: usize) -> usize {
        let stored: Vec<u8> =
            filters::exponential(data, step).into_iter().flat_map(u32::to_le_bytes).collect();
        let stride = if together <= 64 { 4 * together } else { 4 };
        self.pooled(Filter::Exponential, stride, &stored, elements)
    }

    /// Data that are packed as they are, where they can be.
    fn plain_view(&mut self, bytes: &[u8], count: usize, purpose: Option<Use>) -> usize {
        let stride = bytes.len() / count.max(1);
        let stream = match purpose {
            _ if !self.pack || bytes.is_empty() => None,
            Some(Use::Indices) => pack_triangles(bytes, stride),
            _ if attributes::is_stride(stride) => Some((attributes::encode(bytes, stride), None)),
            _ => None,
        };
        match stream {
            None => self.view(bytes, purpose),
            Some((stream, turned)) => {
                let mode = if turned.is_some() { "TRIANGLES" } else { "ATTRIBUTES" };
                let bytes = turned.as_deref().unwrap_or(bytes);
                self.packed_view(
                    &Packable { bytes, stride, stream, mode, filter: Filter::None },
                    purpose,
                    false,
                )
            }
        }
    }

    /// A buffer view of its own.
    pub fn view(&mut self, bytes: &[u8], purpose: Option<Use>) -> usize {
        debug_assert!(self.open_view.is_none(), "the shared view is the last one");
        self.align();
        let mut view = json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() });
        if let Some(purpose) = purpose {
            view["target"] = json!(purpose as u32);
        }
        self.bin.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    fn push_accessor(&mut self, elements: Elements, view: usize, offset: usize) -> usize {
        let mut accessor = json!({
            "bufferView": view,
            "componentType": elements.number as u32,
            "count": elements.count,
            "type": elements.kind,
        });
        if offset > 0 {
            accessor["byteOffset"] = json!(offset);
        }
        if elements.normalized {
            accessor["normalized"] = json!(true);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// An accessor with a view of its own.
    pub fn array<T: NoUninit>(&mut self, data: &[T], elements: Elements, purpose: Use) -> usize {
        let view = self.plain_view(bytemuck::cast_slice(data), elements.count, Some(purpose));
        self.push_accessor(elements, view, 0)
    }

    /// Positions, or displacements of them, which must come with their bounds.
    pub fn positions(&mut self, data: &[[f32; 3]]) -> usize {
        let accessor = self.array(data, Elements::floats("VEC3", data.len()), Use::Vertices);
        self.bound(accessor, data);
        accessor
    }

    /// Key times, which must come with their bounds.
    pub fn times(&mut self, data: &[f32]) -> usize {
        let accessor = self.shared(data, "SCALAR", 1);
        self.bound(accessor, bytemuck::cast_slice::<f32, [f32; 1]>(data));
        accessor
    }

    /// Key times in steps.
    pub fn rounded_times(&mut self, data: &[f32], step: f32) -> usize {
        let accessor = self.fixed(data, step, Elements::floats("SCALAR", data.len()), 1);
        let rounded: Vec<[f32; 1]> = filters::exponential(data, step)
            .into_iter()
            .map(|word| [filters::from_exponential(word)])
            .collect();
        self.bound(accessor, &rounded);
        accessor
    }

    fn bound<const N: usize>(&mut self, accessor: usize, data: &[[f32; N]]) {
        let extreme = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            let first = data.first().copied().unwrap_or([0.0; N]);
            data.iter().fold(first, |m, p| std::array::from_fn(|i| pick(m[i], p[i]))).to_vec()
        };
        self.accessors[accessor]["min"] = json!(extreme(f32::min));
        self.accessors[accessor]["max"] = json!(extreme(f32::max));
    }

    /// 4×4 matrices; validators want them in a view of their own.
    pub fn matrices(&mut self, data: &[[f32; 16]]) -> usize {
        let view = self.plain_view(bytemuck::cast_slice(data), data.len(), None);
        self.push_accessor(Elements::floats("MAT4", data.len()), view, 0)
    }

    /// Floats in the one view that all animation data shares; it is closed by [`Document::finish`], so no
    /// other view may follow.
    pub fn shared(&mut self, data: &[f32], kind: &'static str, width: usize) -> usize {
        if self.pack {
            let elements = Elements::floats(kind, data.len() / width);
            return self.pooled(Filter::None, 4 * width, bytemuck::cast_slice(data), elements);
        }
        self.align();
        let start = *self.open_view.get_or_insert(self.bin.len());
        let offset = self.bin.len() - start;
        self.bin.extend_from_slice(bytemuck::cast_slice(data));
        self.push_accessor(Elements::floats(kind, data.len() / width), self.views.len(), offset)
    }

    /// Joins the binary data with the rest of the JSON.
    pub fn finish(mut self, mut root: Map<String, Value>, path: &Path) -> Result<Vec<u8>> {
        self.pack_pools();
        if let Some(start) = self.open_view {
            let length = self.bin.len() - start;
            self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length }));
        }
        self.align();
        let mut buffers = vec![json!({ "byteLength": self.bin.len() })];
        if self.unpacked > 0 {
            // Readers unpack everything that is said to lie in it.
            let stands_in = json!({ EXTENSIONS[0]: { "fallback": true } });
            buffers.push(json!({ "byteLength": self.unpacked, "extensions": stands_in }));
        }
        root.insert("buffers".into(), Value::Array(buffers));
        root.insert("bufferViews".into(), Value::Array(self.views));
        root.insert("accessors".into(), Value::Array(self.accessors));
        let json = Value::Object(root).to_string();
        glb::join(json.as_bytes(), &self.bin).ok_or_else(|| {
            Error::unsupported(path, "the rig needs more than the 4 GiB that a GLB file can hold")
        })
    }
}

/// Corners of triangles packed, and the same corners as they are when unpacked.
fn pack_triangles(bytes: &[u8], stride: usize) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let indices: Vec<u32> = match stride {
        2 => bytes.as_chunks().0.iter().map(|b| u32::from(u16::from_le_bytes(*b))).collect(),
        4 => bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect(),
        _ => return None,
    };
    let stream = triangles::encode(&indices);
    let back = triangles::decode(&stream, indices.len())?;
    let bytes = match stride {
        2 => back.iter().flat_map(|i| (*i as u16).to_le_bytes()).collect(),
        _ => back.iter().flat_map(|i| i.to_le_bytes()).collect(),
    };
    Some((stream, Some(bytes)))
}
