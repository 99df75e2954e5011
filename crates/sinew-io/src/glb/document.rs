//! Building a file: binary data, its views and accessors.

use std::path::Path;

use bytemuck::NoUninit;
use serde_json::{Map, Value, json};

use super::container;
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
    U8 = 5121,
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
    fn align(&mut self) {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
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
        let view = self.view(bytemuck::cast_slice(data), Some(purpose));
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
        let view = self.view(bytemuck::cast_slice(data), None);
        self.push_accessor(Elements::floats("MAT4", data.len()), view, 0)
    }

    /// Floats in the one view that all animation data shares; it is closed by [`Document::finish`], so no
    /// other view may follow.
    pub fn shared(&mut self, data: &[f32], kind: &'static str, width: usize) -> usize {
        self.align();
        let start = *self.open_view.get_or_insert(self.bin.len());
        let offset = self.bin.len() - start;
        self.bin.extend_from_slice(bytemuck::cast_slice(data));
        self.push_accessor(Elements::floats(kind, data.len() / width), self.views.len(), offset)
    }

    /// Joins the binary data with the rest of the JSON.
    pub fn finish(mut self, mut root: Map<String, Value>, path: &Path) -> Result<Vec<u8>> {
        if let Some(start) = self.open_view {
            let length = self.bin.len() - start;
            self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length }));
        }
        self.align();
        root.insert("buffers".into(), json!([{ "byteLength": self.bin.len() }]));
        root.insert("bufferViews".into(), Value::Array(self.views));
        root.insert("accessors".into(), Value::Array(self.accessors));
        let json = Value::Object(root).to_string();
        container::join(json.as_bytes(), &self.bin).ok_or_else(|| {
            Error::unsupported(path, "the rig needs more than the 4 GiB that a GLB file can hold")
        })
    }
}
