//! Archives made by hand, with what Sinew itself never writes.

mod content;
mod refusals;

use std::io::Cursor;
use std::path::Path;

use glam::{DVec3, Vec3};

use super::header::{Kind, Pod};
use super::out::{Named, Out, Samples, Written};
use super::{Alembic, Animation, ReadOptions, parse};

type Made<'a> = Out<'a, Cursor<Vec<u8>>>;

const MESH: &str = "schema=AbcGeom_PolyMesh_v1";
const CAGE: &str = "schema=AbcGeom_SubD_v1";
const TRANSFORM: &str = "schema=AbcGeom_Xform_v3";

/// A time sampling as archives store it: seconds per cycle, and times.
type Times<'a> = (f64, &'a [f64]);

/// An archive of what `objects` makes, with time samplings from number 1 on.
fn archive(samplings: &[Times], objects: impl FnOnce(&mut Made) -> Vec<Written>) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut out = Out::new(&mut bytes).unwrap();
    let children = objects(&mut out);
    let top = out.object("", "", &[], &children).unwrap().offset();
    let mut times = Vec::new();
    for (cycle, within) in [(1.0, &[0.0][..])].iter().chain(samplings) {
        times.extend(9_u32.to_le_bytes());
        times.extend(cycle.to_le_bytes());
        times.extend((within.len() as u32).to_le_bytes());
        times.extend(within.iter().flat_map(|t| t.to_le_bytes()));
    }
    let four = [0_u32, 10803].map(|n| n.to_le_bytes());
    let entries = [
        out.data([&four[0], &[]]).unwrap(),
        out.data([&four[1], &[]]).unwrap(),
        top,
        out.data([b"_ai_Application=by hand", &[]]).unwrap(),
        out.data([&times, &[]]).unwrap(),
        out.metas().unwrap(),
    ];
    let root = out.group(&entries).unwrap();
    out.finish(root).unwrap();
    bytes.into_inner()
}

fn property(
    out: &mut Made,
    (name, meta): (&str, &str),
    (kind, pod, extent): (Kind, Pod, usize),
    sampling: u32,
    samples: &[Vec<u8>],
) -> Written {
    let mut stored = Samples::default();
    for sample in samples {
        let offset = out.sample(sample).unwrap();
        stored.push(offset);
    }
    out.property(&Named { name, meta, kind, pod, extent, sampling }, &stored).unwrap()
}

fn ints(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

fn doubles(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// A mesh object of one triangle, whose points are given sample by sample.
fn triangle(out: &mut Made, name: &str, schema: &str, sampling: u32, points: &[Vec<u8>]) -> Written {
    with_points(out, name, schema, Pod::F32, sampling, points, &[])
}

fn with_points(
    out: &mut Made,
    name: &str,
    schema: &str,
    pod: Pod,
    sampling: u32,
    points: &[Vec<u8>],
    more: &[&dyn Fn(&mut Made) -> Written],
) -> Written {
    let mut properties = vec![
        property(out, ("P", ""), (Kind::Array, pod, 3), sampling, points),
        property(out, (".faceIndices", ""), (Kind::Array, Pod::I32, 1), 0, &[ints(&[0, 1, 2])]),
        property(out, (".faceCounts", ""), (Kind::Array, Pod::I32, 1), 0, &[ints(&[3])]),
    ];
    properties.extend(more.iter().map(|make| make(out)));
    let geometry = out.compound(".geom", schema, &properties).unwrap();
    out.object(name, schema, &[geometry], &[]).unwrap()
}

/// Three points, moved by `x`.
fn at(x: f32) -> Vec<u8> {
    floats(&[x, 0.0, 0.0, x + 1.0, 0.0, 0.0, x, 1.0, 0.0])
}

fn moved(by: DVec3) -> [Vec3; 3] {
    [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| (p + by).as_vec3())
}

/// A transform object.
fn transform(
    out: &mut Made,
    name: &str,
    ops: &[u8],
    (sampling, vals): (u32, &[Vec<f64>]),
    inherits: bool,
    children: &[Written],
) -> Written {
    let vals: Vec<Vec<u8>> = vals.iter().map(|v| doubles(v)).collect();
    let extent = vals.first().map_or(0, |v| v.len() / 8);
    let properties = [
        property(out, (".inherits", ""), (Kind::Scalar, Pod::Bool, 1), 0, &[vec![inherits.into()]]),
        property(out, (".ops", ""), (Kind::Scalar, Pod::U8, ops.len()), 0, &[ops.to_vec()]),
        property(out, (".vals", ""), (Kind::Scalar, Pod::F64, extent), sampling, &vals),
    ];
    let schema = out.compound(".xform", TRANSFORM, &properties).unwrap();
    out.object(name, TRANSFORM, &[schema], children).unwrap()
}

fn opened(bytes: Vec<u8>) -> Alembic {
    parse(bytes, Path::new("a.abc")).unwrap()
}

fn read(bytes: Vec<u8>) -> Animation {
    opened(bytes).animation(&ReadOptions::default()).unwrap()
}

fn refused(bytes: Vec<u8>) -> String {
    parse(bytes, Path::new("a.abc"))
        .and_then(|file| file.animation(&ReadOptions::default()))
        .map(|_| ())
        .unwrap_err()
        .to_string()
}

fn pose(animation: &Animation, frame: usize) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; animation.mesh.vertex_count];
    animation.pose_into(frame, &mut out).unwrap();
    out
}

const FILM: f64 = 1.0 / 24.0;
