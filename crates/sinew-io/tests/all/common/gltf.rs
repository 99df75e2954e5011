//! Small glTF files, as other programs write them.

use std::path::Path;

use glam::Vec3;
use serde_json::{Value, json};
use sinew::rig::Rig;
use sinew_io::Error;
use sinew_io::formats::gltf::parse_alone;
use sinew_io::scene::{SampleOptions, SampledRig};

/// A glTF file under construction, its buffer as a data URI.
pub struct File {
    pub json: Value,
    pub bytes: Vec<u8>,
}

impl File {
    /// One triangle under one node.
    pub fn triangle() -> Self {
        let mut file = Self { json: json!({ "asset": { "version": "2.0" } }), bytes: Vec::new() };
        let position = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        file.json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": position } }] }]);
        file.json["nodes"] = json!([{ "mesh": 0 }]);
        file
    }

    pub fn push(&mut self, list: &str, value: Value) -> usize {
        if self.json[list].is_null() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    pub fn view(&mut self, bytes: &[u8]) -> usize {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() }))
    }

    pub fn accessor(&mut self, kind: &str, code: u32, bytes: &[u8], count: usize) -> usize {
        let view = self.view(bytes);
        self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": code, "count": count, "type": kind }),
        )
    }

    pub fn floats(&mut self, kind: &str, data: &[f32]) -> usize {
        let width = match kind {
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => 1,
        };
        let bytes: Vec<u8> = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(kind, 5126, &bytes, data.len() / width)
    }

    pub fn animate(&mut self, path: &str, interpolation: &str, times: &[f32], kind: &str, values: &[f32]) {
        let (input, output) = (self.floats("SCALAR", times), self.floats(kind, values));
        self.json["animations"] = json!([{
            "name": "clip",
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": path } }],
            "samplers": [{ "input": input, "output": output, "interpolation": interpolation }],
        }]);
    }

    pub fn text(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        let uri = format!("data:application/octet-stream;base64,{}", base64(&self.bytes));
        json["buffers"] = json!([{ "uri": uri, "byteLength": self.bytes.len() }]);
        json.to_string().into_bytes()
    }

    pub fn sampled(&self, options: &SampleOptions) -> Result<SampledRig, Error> {
        parse_alone(&self.text(), Path::new("test.gltf"))?.rig(options)
    }

    pub fn rig(&self) -> Rig {
        self.sampled(&SampleOptions { fps: Some(4.0), ..Default::default() }).unwrap().rig
    }

    pub fn error(&self) -> String {
        self.sampled(&SampleOptions::default()).unwrap_err().to_string()
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |b, i| b << 8 | u32::from(*three.get(i).unwrap_or(&0)));
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize] as char;
            out.push(if i <= three.len() { letter } else { '=' });
        }
    }
    out
}

pub fn close(a: Vec3, b: Vec3) -> bool {
    a.distance(b) < 1e-5
}
