//! Writing a rig as UsdSkel: a skeleton, its animations, and meshes that are bound to it.
//!
//! The first clip that moves is the animation that the skeleton is bound to; others stand beside it, for programs
//! that let people choose. Corrections are blend shapes (see [`super::shapes_out`]).

use std::io;
use std::path::Path;

use sinew::geometry::{Part, corner_normals};
use sinew::rig::Rig;

use super::bind::BONES;
use super::container;
use super::joints_out::Joints;
use super::mesh_out::{self, Shown, root_of, write_extent, write_head, write_name};
use super::other_prims::SKELETON;
use super::other_prims_out::OtherPrims;
use super::prose::{Identifiers, Prose, identifier, quoted};
use super::shapes_out::Shapes;
use super::timing::FPS;
use crate::scene::WriteReport;
use crate::scene::frames::{JointRig, joint_rig};
use crate::scene::within::within;
use crate::{Result, Target, Warning, save_target};

/// How a rig is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// Name of the topmost prim, and of a mesh without parts. The file's name when empty.
    pub name: String,
    /// Name of the animation of a rig that states no clips. The same as `name` when `None`.
    pub clip: Option<String>,
    /// Store the mesh's shading normals as they are, instead of those of the rig's rest pose. Right when the
    /// rest pose is the one the mesh was read with.
    pub keep_normals: bool,
    /// Meters in one unit of length; 1 when `None`.
    pub meters_per_unit: Option<f64>,
}

/// Writes a rig as a `.usda` file, or as a `.usdz` package with its images.
///
/// ```
/// # use sinew::{progress::Silent, skin};
/// # use sinew_sample::{CreatureOptions, creature};
/// # let small = CreatureOptions { frames: 3, detail: 0.6, ..Default::default() };
/// # let animation = creature(&small);
/// # let options = skin::SkinOptions { bones: Some(6), ..Default::default() };
/// # let rig = skin::skin(&animation, &options, &Silent)?.rig;
/// # let path = std::env::temp_dir().join("sinew-usd-example.usdz");
/// let report = sinew_io::formats::usd::write_rig(&path, &rig, &Default::default())?;
/// let back = sinew_io::formats::usd::open(&path)?.rig(&Default::default())?;
/// assert_eq!(back.rig.bones.len(), rig.bones.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_rig(path: &Path, rig: &Rig, options: &WriteOptions) -> Result<WriteReport> {
    let (bytes, warnings) = save_target(path, |to| put(to, rig, options))?;
    Ok(WriteReport { bytes, warnings })
}

/// The same into any file.
pub(super) fn put(to: &mut Target, rig: &Rig, options: &WriteOptions) -> Result<Vec<Warning>> {
    let path = to.path();
    let mut warnings = Vec::new();
    let name = if options.name.is_empty() { to.stem_or("rig") } else { options.name.clone() };
    let mut joint_rig = joint_rig(path, rig, options.clip.as_ref().unwrap_or(&name), &mut warnings)?;
    let played = joint_rig.clips.iter().position(|clip| rig.moves(clip.frames.clone()));
    joint_rig.put_first(played.unwrap_or(0));
    let rig = &*within(rig, &mut warnings);
    let packaged = container::is_package(path);
    mesh_out::warn(&rig.mesh, packaged, &mut warnings);
    if joint_rig.clips.len() > 1 {
        let first = &joint_rig.clips[0].name;
        warnings.push(Warning::OneClipPlayed(first.clone()));
    }
    let (prim, root) = root_of(&name);
    let skeleton = if rig.armature.is_empty() { SKELETON.into() } else { identifier(&rig.armature) };
    let mut shown = Shown::new(&rig.mesh, &root, &name, &["Looks", &skeleton]);
    let kept = rig.mesh.normals.clone().filter(|_| options.keep_normals);
    shown.normals = Some(kept.unwrap_or_else(|| corner_normals(&rig.mesh, &rig.rest)));
    let meters = options.meters_per_unit.unwrap_or(1.0);
    let names: Vec<String> = rig.bones.iter().map(|b| b.name.clone()).collect();
    let joints = Joints::new(&joint_rig, &names);
    to.note_joints(joints.joints.len());
    OtherPrims::new(rig, &joint_rig.clips[0], meters).warn(&mut warnings);
    let shapes = Shapes::new(rig);
    let writer = Writer { rig, joint_rig, joints, shown, shapes, skeleton, packaged, meters };
    let images = if packaged { mesh_out::images(&rig.mesh) } else { Vec::new() };
    container::write(to, &images, |out| writer.write(&mut Prose::new(out), &prim, &name))?;
    Ok(warnings)
}

struct Writer<'a> {
    rig: &'a Rig,
    joint_rig: JointRig,
    joints: Joints,
    shown: Shown<'a>,
    shapes: Shapes<'a>,
    /// Name of the skeleton's prim.
    skeleton: String,
    packaged: bool,
    meters: f64,
}

/// Facts of prims that are bound to a skeleton.
const BINDING: &str = "SkelBindingAPI";
/// Meshes are bound where they are.
const IDENTITY: &str = "( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )";

impl Writer<'_> {
    fn write(&self, prose: &mut Prose, prim: &str, name: &str) -> io::Result<()> {
        let first = &self.joint_rig.clips[0];
        let last = first.frames.len().saturating_sub(1) as f64;
        write_head(prose, prim, (first.fps, last), self.meters)?;
        let facts = [format!("prepend apiSchemas = [\"{BINDING}\"]")];
        prose.prim(&format!("def SkelRoot {}", quoted(prim)), &facts, |prose| {
            write_name(prose, prim, name)?;
            prose.line(format!("rel skel:skeleton = <{}/{}>", self.shown.root, self.skeleton))?;
            self.shown.write_looks(prose, self.packaged)?;
            self.skeleton(prose)?;
            for (prim, part) in &self.shown.parts {
                self.part(prose, prim, part)?;
            }
            let others = OtherPrims::new(self.rig, first, self.meters);
            others.write(prose, &mut self.shown.taken.clone())
        })
    }

    fn skeleton(&self, prose: &mut Prose) -> io::Result<()> {
        let mut names = Identifiers::default();
        let clips: Vec<String> = self.joint_rig.clips.iter().map(|c| names.unique(&c.name)).collect();
        let facts = [format!("prepend apiSchemas = [\"{BINDING}\"]")];
        let joints = &self.joints.joints;
        prose.prim(&format!("def Skeleton {}", quoted(&self.skeleton)), &facts, |prose| {
            if !self.rig.armature.is_empty() {
                write_name(prose, &self.skeleton, &self.rig.armature)?;
            }
            let (root, prim) = (&self.shown.root, &self.skeleton);
            prose.line(format!("rel skel:animationSource = <{root}/{prim}/{}>", clips[0]))?;
            prose.array("uniform token[] joints", joints.iter().map(|j| j.path.clone()), &[])?;
            prose.array("uniform token[] jointNames", joints.iter().map(|j| j.name.clone()), &[])?;
            prose.array("uniform matrix4d[] bindTransforms", joints.iter().map(|j| j.bind), &[])?;
            prose.array("uniform matrix4d[] restTransforms", joints.iter().map(|j| j.rest), &[])?;
            let bones = self.joints.of_bone.iter().map(|&j| joints[j].path.clone());
            prose.array(&format!("custom uniform token[] {BONES}"), bones, &[])?;
            for (clip, prim) in clips.iter().enumerate() {
                prose.prim(&format!("def SkelAnimation {}", quoted(prim)), &[], |p| {
                    self.clip(p, prim, clip)
                })?;
            }
            Ok(())
        })
    }

    fn clip(&self, prose: &mut Prose, prim: &str, index: usize) -> io::Result<()> {
        let clip = &self.joint_rig.clips[index];
        let stage_fps = self.joint_rig.clips[0].fps;
        write_name(prose, prim, &clip.name)?;
        if clip.fps != stage_fps {
            prose.line(format!("custom double {FPS} = {}", clip.fps))?;
        }
        let joints = &self.joints.joints;
        prose.array("uniform token[] joints", joints.iter().map(|j| j.path.clone()), &[])?;
        // Time codes go at the rate of the first clip.
        let time = |frame: usize| frame as f64 * stage_fps / clip.fps;
        let frames =
            || (0..clip.frames.len()).map(|f| (time(f), self.joints.frame(&self.joint_rig, index, f)));
        prose.samples("float3[] translations", frames().map(|(t, f)| (t, f.into_iter().map(|j| j.0))))?;
        prose.samples("quatf[] rotations", frames().map(|(t, f)| (t, f.into_iter().map(|j| j.1))))?;
        // Half floats as text are those of single floats.
        prose.samples("half3[] scales", frames().map(|(t, f)| (t, f.into_iter().map(|j| j.2))))?;
        if self.shapes.is_empty() {
            return Ok(());
        }
        prose.array("uniform token[] blendShapes", self.shapes.names(), &[])?;
        let weights = (0..clip.frames.len()).map(|f| (time(f), self.shapes.weights(clip.frames.start + f)));
        prose.samples("float[] blendShapeWeights", weights)
    }

    fn part(&self, prose: &mut Prose, prim: &str, part: &Part) -> io::Result<()> {
        let facts = self.shown.facts(part, &[BINDING]);
        prose.prim(&format!("def Mesh {}", quoted(prim)), &facts, |prose| {
            let points = self.shapes.base(&self.rig.rest, part);
            write_extent(prose, &points)?;
            prose.array("point3f[] points", points.iter().copied(), &[])?;
            self.shown.write_faces(prose, prim, part)?;
            prose.line(format!("rel skel:skeleton = <{}/{}>", self.shown.root, self.skeleton))?;
            prose.line(format!("matrix4d primvars:skel:geomBindTransform = {IDENTITY}"))?;
            self.influences(prose, part)?;
            self.shapes.write(prose, &format!("{}/{prim}", self.shown.root), part)
        })
    }

    fn influences(&self, prose: &mut Prose, part: &Part) -> io::Result<()> {
        let all = &self.joint_rig.influences;
        // No more slots than the part's vertices use.
        let used = |v: usize| {
            let weights = &all.weights[v * all.slots..(v + 1) * all.slots];
            weights.iter().rposition(|w| *w != 0.0).map_or(1, |last| last + 1)
        };
        let each = part.vertices.clone().map(used).max().unwrap_or(1);
        let slots = || part.vertices.clone().flat_map(move |v| v * all.slots..v * all.slots + each);
        let size = format!("elementSize = {each}");
        let facts = [size.as_str(), "interpolation = \"vertex\""];
        let joint = |slot: usize| self.joints.of_bone[usize::from(all.joints[slot])] as u32;
        prose.array("int[] primvars:skel:jointIndices", slots().map(joint), &facts)?;
        prose.array("float[] primvars:skel:jointWeights", slots().map(|s| all.weights[s]), &facts)
    }
}
