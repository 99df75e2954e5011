//! Bones, weights, corrections, clips and frames as records hold them.

use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::rig::{Bone, Corrections, Moves, ShapeName, Skeleton, SkinWeights};

use super::{Clip, Frame, Motion};
use crate::containers::fields::{Cursor, Fixed, put_list, put_text};

/// Stands for a number of frames that nobody knew.
const UNKNOWN: u64 = u64::MAX;

pub fn put_rest(rest: &[Vec3]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + rest.len() * Vec3::SIZE);
    put_list(rest, &mut out);
    out
}

/// The inverse of [`put_rest`].
pub fn take_rest(bytes: &[u8]) -> Option<Vec<Vec3>> {
    let mut cursor = Cursor(bytes);
    let rest = cursor.list()?;
    cursor.is_empty().then_some(rest)
}

pub fn put_bones(bones: &[Bone]) -> Vec<u8> {
    let mut out = Vec::new();
    (bones.len() as u64).put(&mut out);
    for bone in bones {
        put_text(&bone.name, &mut out);
        bone.center.put(&mut out);
        u8::from(bone.rigid).put(&mut out);
    }
    out
}

/// The inverse of [`put_bones`].
pub fn take_bones(bytes: &[u8]) -> Option<Vec<Bone>> {
    let mut cursor = Cursor(bytes);
    let bones = cursor.each(|cursor| {
        Some(Bone { name: cursor.text()?, center: cursor.value()?, rigid: cursor.flag()?, axes: None })
    })?;
    cursor.is_empty().then_some(bones)
}

/// Stands for the parent of a root.
const NO_PARENT: u32 = u32::MAX;

pub fn put_skeleton(skeleton: &Skeleton) -> Vec<u8> {
    let mut out = Vec::new();
    put_list(&numbered(&skeleton.parents), &mut out);
    out
}

fn numbered(joints: &[Option<usize>]) -> Vec<u32> {
    joints.iter().map(|joint| joint.map_or(NO_PARENT, |joint| joint as u32)).collect()
}

/// The inverse of [`put_skeleton`].
pub fn take_skeleton(bytes: &[u8]) -> Option<Skeleton> {
    let mut cursor = Cursor(bytes);
    let parents: Vec<u32> = cursor.list()?;
    let parents = parents.into_iter().map(|p| (p != NO_PARENT).then_some(p as usize)).collect();
    cursor.is_empty().then_some(Skeleton::new(parents))
}

pub fn put_weights(weights: &SkinWeights) -> Vec<u8> {
    let mut out = Vec::with_capacity(20 + 8 * weights.bones.len());
    (weights.per_vertex as u32).put(&mut out);
    put_list(&weights.bones, &mut out);
    put_list(&weights.weights, &mut out);
    out
}

/// The inverse of [`put_weights`].
pub fn take_weights(bytes: &[u8]) -> Option<SkinWeights> {
    let mut cursor = Cursor(bytes);
    let per_vertex = cursor.value::<u32>()? as usize;
    let weights = SkinWeights { per_vertex, bones: cursor.list()?, weights: cursor.list()? };
    cursor.is_empty().then_some(weights)
}

/// Bytes of the contents of weights with so many slots.
pub fn weights_size(slots: usize) -> u64 {
    (u32::SIZE + 2 * u64::SIZE + slots * (u32::SIZE + f32::SIZE)) as u64
}

/// What weights are counted in where they are written in short.
const SHORT: f32 = 65535.0;

/// The same with fewer bytes, where nothing is lost by it.
pub fn put_short_weights(weights: &SkinWeights) -> Option<Vec<u8>> {
    let bones: Option<Vec<u8>> = weights.bones.iter().map(|&b| b.try_into().ok()).collect();
    let short = |w: f32| {
        // Numbers that do not fit are rounded to the nearest that does, and then differ.
        let counted = (w * SHORT).round() as u16;
        (f32::from(counted) / SHORT == w).then_some(counted)
    };
    let counted: Option<Vec<u16>> = weights.weights.iter().map(|&w| short(w)).collect();
    let mut out = Vec::with_capacity(20 + 3 * weights.bones.len());
    (weights.per_vertex as u32).put(&mut out);
    put_list(&bones?, &mut out);
    put_list(&counted?, &mut out);
    Some(out)
}

/// The inverse of [`put_short_weights`].
pub fn take_short_weights(bytes: &[u8]) -> Option<SkinWeights> {
    let mut cursor = Cursor(bytes);
    let per_vertex = cursor.value::<u32>()? as usize;
    let bones = cursor.list::<u8>()?.into_iter().map(u32::from).collect();
    let weights = cursor.list::<u16>()?.into_iter().map(|w| f32::from(w) / SHORT).collect();
    cursor.is_empty().then_some(SkinWeights { per_vertex, bones, weights })
}

pub fn put_moves(moves: &[(u32, DVec3)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(moves_size(moves.len()) as usize);
    put_list(&moves.iter().map(|m| m.0).collect::<Vec<u32>>(), &mut out);
    put_list(&moves.iter().map(|m| m.1).collect::<Vec<DVec3>>(), &mut out);
    out
}

/// The inverse of [`put_moves`].
pub fn take_moves(bytes: &[u8]) -> Option<Moves> {
    let mut cursor = Cursor(bytes);
    let (vertices, by): (Vec<u32>, Vec<DVec3>) = (cursor.list()?, cursor.list()?);
    (cursor.is_empty() && vertices.len() == by.len()).then(|| vertices.into_iter().zip(by).collect())
}

/// Bytes of the contents of moves of so many vertices.
pub fn moves_size(vertices: usize) -> u64 {
    (2 * u64::SIZE + vertices * (u32::SIZE + DVec3::SIZE)) as u64
}

/// Shapes only: coefficients are in the frames.
pub fn put_corrections(corrections: &Corrections) -> Vec<u8> {
    let mut out = Vec::new();
    (corrections.rank as u32).put(&mut out);
    put_list(&corrections.basis, &mut out);
    put_list(&corrections.normals, &mut out);
    out
}

/// The inverse of [`put_corrections`].
pub fn take_corrections(bytes: &[u8]) -> Option<Corrections> {
    let mut cursor = Cursor(bytes);
    let rank = cursor.value::<u32>()? as usize;
    let (basis, normals) = (cursor.list()?, cursor.list()?);
    let (coefficients, names) = (Vec::new(), Vec::new());
    (cursor.is_empty() && rank > 0).then_some(Corrections { rank, basis, normals, coefficients, names })
}

/// Axes of bones that have some; a turn of no length for others.
pub fn put_axes(bones: &[Bone]) -> Vec<u8> {
    let of_bone = |bone: &Bone| bone.axes.map_or([0.0; 4], |axes| axes.to_array());
    let mut out = Vec::with_capacity(u64::SIZE + 4 * f64::SIZE * bones.len());
    put_list(&bones.iter().flat_map(of_bone).collect::<Vec<f64>>(), &mut out);
    out
}

/// The inverse of [`put_axes`].
pub fn take_axes(bytes: &[u8]) -> Option<Vec<Option<DQuat>>> {
    let mut cursor = Cursor(bytes);
    let numbers: Vec<f64> = cursor.list()?;
    let whole = cursor.is_empty() && numbers.len().is_multiple_of(4) && numbers.iter().all(|x| x.is_finite());
    let of_bone = |axes: &[f64]| Some(DQuat::from_slice(axes)).filter(|axes| axes.is_normalized());
    whole.then(|| numbers.chunks_exact(4).map(of_bone).collect())
}

pub fn put_slides(skeleton: &Skeleton) -> Vec<u8> {
    let mut out = Vec::new();
    put_list(&numbered(&skeleton.slides_on), &mut out);
    out
}

/// The inverse of [`put_slides`].
pub fn take_slides(bytes: &[u8]) -> Option<Vec<Option<usize>>> {
    Some(take_skeleton(bytes)?.parents)
}

pub fn put_names(names: &[ShapeName]) -> Vec<u8> {
    let mut out = Vec::new();
    for known in names {
        put_text(&known.name, &mut out);
        known.at_rest.put(&mut out);
    }
    out
}

/// The inverse of [`put_names`].
pub fn take_names(bytes: &[u8]) -> Option<Vec<ShapeName>> {
    let mut cursor = Cursor(bytes);
    let mut names = Vec::new();
    while !cursor.is_empty() {
        names.push(ShapeName { name: cursor.text()?, at_rest: cursor.value()? });
    }
    names.iter().all(|known: &ShapeName| known.at_rest.is_finite()).then_some(names)
}

pub fn put_name(name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    put_text(name, &mut out);
    out
}

/// The inverse of [`put_name`].
pub fn take_name(bytes: &[u8]) -> Option<String> {
    let mut cursor = Cursor(bytes);
    let name = cursor.text()?;
    cursor.is_empty().then_some(name)
}

pub fn put_clip(clip: &Clip) -> Vec<u8> {
    let mut out = Vec::new();
    u8::from(clip.motion == Motion::FromLast).put(&mut out);
    clip.fps.put(&mut out);
    put_text(&clip.name, &mut out);
    clip.frames.unwrap_or(UNKNOWN).put(&mut out);
    out
}

/// The inverse of [`put_clip`].
pub fn take_clip(bytes: &[u8]) -> Option<Clip> {
    let mut cursor = Cursor(bytes);
    let motion = if cursor.flag()? { Motion::FromLast } else { Motion::FromRest };
    let (fps, name, frames) = (cursor.value()?, cursor.text()?, cursor.value()?);
    cursor.is_empty().then_some(Clip { name, fps, motion, frames: (frames != UNKNOWN).then_some(frames) })
}

/// Bytes of a frame's contents.
pub fn frame_size(bones: usize, rank: usize) -> u64 {
    (u64::SIZE + bones * DAffine3::SIZE + rank * f32::SIZE) as u64
}

/// Replaces `out` by the contents of a frame.
pub fn put_frame(number: u64, transforms: &[DAffine3], coefficients: &[f32], out: &mut Vec<u8>) {
    out.clear();
    number.put(out);
    transforms.iter().for_each(|t| t.put(out));
    coefficients.iter().for_each(|c| c.put(out));
}

/// The inverse of [`put_frame`], into what a frame already has room for. Returns its number.
pub fn take_frame(bytes: &[u8], bones: usize, frame: &mut Frame) -> Option<u64> {
    let mut cursor = Cursor(bytes);
    let number = cursor.value()?;
    frame.transforms.clear();
    for _ in 0..bones {
        frame.transforms.push(cursor.value()?);
    }
    frame.coefficients.clear();
    while !cursor.is_empty() {
        frame.coefficients.push(cursor.value()?);
    }
    Some(number)
}
