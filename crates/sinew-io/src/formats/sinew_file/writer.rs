//! Writing a file from front to back.

use std::io::Write;

use glam::{DAffine3, DVec3};
use sinew::rig::SkinWeights;

use super::{Clip, HeadRef, MAGIC, Motion, VERSION, cargo, kind, mesh, skin};
use crate::containers::records;
use crate::containers::records::Kind;

/// Writes a file as its frames come. It only appends, so that `out` may be a pipe.
///
/// Every frame is handed on at once: whatever has come out by then plays, should the writer be stopped.
pub struct Writer<W: Write> {
    out: W,
    bones: usize,
    rank: usize,
    motion: Motion,
    frames: u64,
    contents: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Writes everything that comes before the frames.
    pub fn new(mut out: W, head: &HeadRef) -> std::io::Result<Self> {
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        records::write(&mut out, kind::MESH, &mesh::put_mesh(head.mesh))?;
        if !head.mesh.materials.is_empty() {
            records::write(&mut out, kind::MATERIALS, &mesh::put_materials(&head.mesh.materials))?;
        }
        for image in &head.mesh.images {
            records::write(&mut out, kind::IMAGE, &mesh::put_image(image))?;
        }
        if !head.mesh.attributes.is_empty() {
            records::write(&mut out, kind::ATTRIBUTES, &cargo::put_attributes(&head.mesh.attributes))?;
        }
        if let Some(sets) = cargo::put_uv_sets(&head.mesh.materials) {
            records::write(&mut out, kind::UV_SETS, &sets)?;
        }
        records::write(&mut out, kind::REST, &skin::put_rest(head.rest))?;
        records::write(&mut out, kind::BONES, &skin::put_bones(head.bones))?;
        if let Some(skeleton) = head.skeleton {
            records::write(&mut out, kind::SKELETON, &skin::put_skeleton(skeleton))?;
            if !skeleton.slides_on.is_empty() {
                records::write(&mut out, kind::SLIDES, &skin::put_slides(skeleton))?;
            }
        }
        if head.bones.iter().any(|bone| bone.axes.is_some()) {
            records::write(&mut out, kind::AXES, &skin::put_axes(head.bones))?;
        }
        records::write(&mut out, kind::WEIGHTS, &skin::put_weights(head.weights))?;
        let corrections = head.corrections.filter(|c| c.rank > 0);
        if let Some(corrections) = corrections {
            records::write(&mut out, kind::CORRECTIONS, &skin::put_corrections(corrections))?;
            if !corrections.names.is_empty() {
                records::write(&mut out, kind::SHAPE_NAMES, &skin::put_names(&corrections.names))?;
            }
        }
        if !head.nodes.is_empty() {
            records::write(&mut out, kind::NODES, &cargo::put_nodes(head.nodes))?;
        }
        if !head.armature.is_empty() {
            records::write(&mut out, kind::ARMATURE, &skin::put_name(head.armature))?;
        }
        if let Some(metres) = head.metres_per_unit {
            records::write(&mut out, kind::UNIT, &metres.to_le_bytes())?;
        }
        records::write(&mut out, kind::CLIP, &skin::put_clip(head.clip))?;
        out.flush()?;
        let (bones, rank, motion) = (head.bones.len(), head.rank(), head.clip.motion);
        Ok(Self { out, bones, rank, motion, frames: 0, contents: Vec::new() })
    }

    /// Appends a frame.
    ///
    /// # Panics
    /// When there is not one transform per bone and one coefficient per correction shape.
    pub fn frame(&mut self, transforms: &[DAffine3], coefficients: &[f32]) -> std::io::Result<()> {
        self.append(kind::FRAME, transforms, coefficients)
    }

    /// Appends a frame that starts from the rest pose to a clip whose others start from the pose before.
    ///
    /// # Panics
    /// When there is not one transform per bone, or the clip is another.
    pub fn key_frame(&mut self, transforms: &[DAffine3]) -> std::io::Result<()> {
        assert_eq!(self.motion, Motion::FromLast, "others start from the pose before");
        self.append(kind::KEY_FRAME, transforms, &[])
    }

    /// Appends weights that take the place of those before from the next frame on.
    ///
    /// # Panics
    /// When the clip's frames start from the rest pose.
    pub fn new_weights(&mut self, weights: &SkinWeights) -> std::io::Result<()> {
        assert_eq!(self.motion, Motion::FromLast, "frames start from the pose before");
        match skin::put_short_weights(weights) {
            Some(short) => records::write(&mut self.out, kind::SHORT_WEIGHTS, &short),
            None => records::write(&mut self.out, kind::WEIGHTS, &skin::put_weights(weights)),
        }
    }

    /// Appends displacements that are added to the pose of the next frame.
    ///
    /// # Panics
    /// When the clip's frames start from the rest pose.
    pub fn moves(&mut self, moves: &[(u32, DVec3)]) -> std::io::Result<()> {
        assert_eq!(self.motion, Motion::FromLast, "frames start from the pose before");
        records::write(&mut self.out, kind::MOVES, &skin::put_moves(moves))
    }

    fn append(&mut self, kind: Kind, transforms: &[DAffine3], coefficients: &[f32]) -> std::io::Result<()> {
        assert_eq!(transforms.len(), self.bones, "one transform per bone");
        assert_eq!(coefficients.len(), self.rank, "one coefficient per correction shape");
        skin::put_frame(self.frames, transforms, coefficients, &mut self.contents);
        records::write(&mut self.out, kind, &self.contents)?;
        self.frames += 1;
        self.out.flush()
    }

    /// How many frames of the clip were written.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Says that the clip is whole, and begins another.
    ///
    /// # Panics
    /// When its transforms act on something else.
    pub fn next_clip(&mut self, clip: &Clip) -> std::io::Result<()> {
        assert_eq!(self.motion, clip.motion, "all clips are of one kind");
        records::write(&mut self.out, kind::MORE, &[])?;
        self.done()?;
        records::write(&mut self.out, kind::CLIP, &skin::put_clip(clip))?;
        self.frames = 0;
        self.out.flush()
    }

    /// Says that the clip is whole, and hands the output back.
    pub fn finish(mut self) -> std::io::Result<W> {
        self.done()?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn done(&mut self) -> std::io::Result<()> {
        records::write(&mut self.out, kind::DONE, &self.frames.to_le_bytes())
    }
}
