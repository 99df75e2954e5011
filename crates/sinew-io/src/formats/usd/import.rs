//! A USD file as a [`Rig`].
//!
//! The rest pose is the meshes as they are in the world at the first frame, those of skeletons as they were
//! when they were bound; a bone is what takes that to where it is in another frame. A skeleton that is turned
//! or scaled as a whole is so at rest already, and its bones only turn.

use glam::{DAffine3, DVec3, Vec3};
use sinew::animation::Clip;
use sinew::geometry::{Mesh, Part};
use sinew::rig::{Blending, Corrections};

use super::bind::Bindings;
use super::file::UsdFile;
use super::hierarchy;
use super::look::Looks;
use super::shapes::BlendShape;
use super::site::StagePrim;
use super::surface::{Surface, join};
use super::timing::Frames;
use super::xform::is_flat;
use crate::scene::assembled::Found;
use crate::scene::names::Names;
use crate::scene::skin::skin_weights;
use crate::scene::{SampleOptions, SampledRig};
use crate::warning::{Remark, Unkept};
use crate::{Error, Result, Warning};

/// Prims that show something but are no meshes.
const OTHER_SHAPES: [&str; 13] = [
    "BasisCurves",
    "Capsule",
    "Cone",
    "Cube",
    "Cylinder",
    "HermiteCurves",
    "NurbsCurves",
    "NurbsPatch",
    "Plane",
    "PointInstancer",
    "Points",
    "Sphere",
    "TetMesh",
];

/// Everything a file shows, ready to be sampled.
pub(super) struct Scene {
    pub surfaces: Vec<Surface>,
    pub bindings: Bindings,
    /// Takes the points of each mesh to the rest pose.
    pub places: Vec<DAffine3>,
    pub clips: Vec<Frames>,
    pub animated: bool,
    pub warnings: Vec<Warning>,
}

impl UsdFile {
    /// Samples one clip, or several one after another, into a rig.
    ///
    /// All meshes that are shown are there, in the order of the file, one part each. Meshes whose points
    /// change over time are no rig: [`UsdFile::animation`] plays them. Where the file asks for dual
    /// quaternions ([`UsdFile::blending`]), playing the rig with them shows what it means. `weld` has no
    /// effect: USD does not split vertices.
    pub fn rig(&self, options: &SampleOptions) -> Result<SampledRig> {
        let scene = self.scene(options)?;
        if let Some(surface) = scene.surfaces.iter().find(|s| s.cached) {
            let path = &self.stage.prims[surface.prim].path;
            let message =
                format!("the points of mesh {path} change over time: it is an animation, not a rig");
            return Err(Error::unsupported(self.path(), message));
        }
        self.sampled(scene)
    }

    /// Meshes and what they follow.
    pub(super) fn scene(&self, options: &SampleOptions) -> Result<Scene> {
        let mut warnings = self.stage.warnings.clone();
        let (clips, animated) = self.frames(&options.clips, options.fps)?;
        let start = clips[0].times[0];
        if options.fps.is_none() {
            warnings.extend(self.lost_times(&clips)?);
        }
        let (meshes, hidden) = self.meshes()?;
        if hidden > 0 {
            warnings.push(Unkept::HiddenMeshes(hidden).into());
        }
        warnings.extend(self.other_shapes());
        let mut surfaces = Vec::new();
        for prim in meshes {
            surfaces.extend(Surface::read(&self.stage, prim, start, &mut warnings)?);
        }
        if surfaces.is_empty() {
            return Err(Error::unsupported(self.path(), "the file shows no meshes with faces"));
        }
        let mut bindings = Bindings::default();
        for surface in &surfaces {
            bindings.add(&self.stage, surface, &mut warnings)?;
        }
        warnings.extend(self.unkept(&bindings).into_iter().map(Warning::NotKept));
        let mut scene = Scene { surfaces, bindings, places: Vec::new(), clips, animated, warnings };
        for (surface, skin) in scene.surfaces.iter().zip(&scene.bindings.skins) {
            let place = match skin {
                Some((s, geom)) => {
                    self.reference(&scene, scene.bindings.skeletons[*s].skeleton.prim)?.1 * *geom
                }
                None => {
                    let mover = self.stage.mover(surface.prim)?.unwrap_or(surface.prim);
                    let (time, _) = self.reference(&scene, mover)?;
                    self.upright() * self.stage.world(surface.prim, time)?
                }
            };
            if !place.is_finite() {
                let path = &self.stage.prims[surface.prim].path;
                return Err(Error::malformed(self.path(), format!("mesh {path} has no finite place")));
            }
            scene.places.push(place);
        }
        Ok(scene)
    }

    /// Says what is no mesh and was left out.
    fn other_shapes(&self) -> Option<Warning> {
        let other = |p: &&StagePrim| OTHER_SHAPES.contains(&p.type_name.as_str());
        let mut found: Vec<&str> =
            self.stage.prims.iter().filter(other).map(|p| p.type_name.as_str()).collect();
        let count = found.len();
        found.sort_unstable();
        found.dedup();
        let kinds = found.into_iter().map(Into::into).collect();
        (count > 0).then_some(Warning::PrimsLeftOut { count, kinds })
    }

    /// Where a prim is in the world in the first frame in which it is not flat, and when that is.
    pub(super) fn reference(&self, scene: &Scene, prim: usize) -> Result<(f64, DAffine3)> {
        let first = scene.clips[0].times[0];
        let all = scene.clips.iter().flat_map(|c| &c.times);
        // What never moves is looked at once.
        let tried = if self.stage.mover(prim)?.is_some() { usize::MAX } else { 1 };
        for &time in all.take(tried) {
            let world = self.upright() * self.stage.world(prim, time)?;
            if world.is_finite() && !is_flat(&world) {
                return Ok((time, world));
            }
        }
        Ok((first, DAffine3::IDENTITY))
    }

    pub(super) fn sampled(&self, mut scene: Scene) -> Result<SampledRig> {
        let mut mesh = self.mesh(&mut scene)?;
        let rest: Vec<Vec3> = self.rest(&scene);
        let weights = skin_weights(scene.bindings.rows.iter().map(Vec::as_slice));
        let transforms = self.transforms(&scene)?;
        let corrections = self.corrections(&mut scene, rest.len())?;
        let bones = self.bones(&scene, &transforms, &weights, &rest);
        if self.blending()? == Blending::Dual {
            scene.warnings.push(Remark::PlaysDual.into());
        }
        mesh.vertex_count = rest.len();
        let (clips, animated) = (stated_clips(&scene.clips), scene.animated);
        let found = Found { mesh, rest, weights, bones, transforms, corrections, clips, animated };
        let mut sampled = found.sampled(self.path(), self.facts()?, |rig| {
            Ok((self.other_prims(&mut scene, rig)?, self.armature_name(&scene)))
        })?;
        let places = self.joint_places(&scene)?;
        scene.warnings.extend(hierarchy::hang_together(&scene.bindings, &places, &mut sampled.rig));
        sampled.warnings = scene.warnings;
        Ok(sampled)
    }

    /// Faces, UVs, normals, materials and parts.
    pub(super) fn mesh(&self, scene: &mut Scene) -> Result<Mesh> {
        let turned: Vec<bool> = scene.places.iter().map(|p| p.matrix3.determinant() < 0.0).collect();
        for (surface, place) in scene.surfaces.iter_mut().zip(&scene.places) {
            let Some(normals) = &mut surface.normals else { continue };
            let upright = if is_flat(place) { place.matrix3 } else { place.matrix3.inverse().transpose() };
            if place.matrix3 == glam::DMat3::IDENTITY {
                continue;
            }
            for n in &mut normals.values {
                *n = (upright * *n).normalize_or(DVec3::Y);
            }
        }
        let mut mesh = join(&scene.surfaces, &turned);
        Looks::apply(&self.stage, &scene.surfaces, &mut mesh, &mut scene.warnings)?;
        let (mut faces, mut vertices) = (0, 0);
        let mut names = Names::default();
        for surface in &scene.surfaces {
            let name = names.unique(self.stage.name(surface.prim));
            let (f, v) = (faces + surface.faces.len(), vertices + surface.points.len());
            mesh.parts.push(Part { name, faces: faces..f, vertices: vertices..v });
            (faces, vertices) = (f, v);
        }
        Ok(mesh)
    }

    /// The points of all meshes at rest.
    pub(super) fn rest(&self, scene: &Scene) -> Vec<Vec3> {
        let placed = scene.surfaces.iter().zip(&scene.places);
        placed.flat_map(|(s, place)| s.points.iter().map(|p| place.transform_point3(*p).as_vec3())).collect()
    }

    /// Blend shapes as corrections: those of one name and animation that all meshes share are one.
    fn corrections(&self, scene: &mut Scene, vertices: usize) -> Result<Option<Corrections>> {
        let mut columns = super::columns::Columns::new(vertices);
        let mut start = 0;
        for (i, surface) in scene.surfaces.iter().enumerate() {
            let prim = surface.prim;
            let range = start..start + surface.points.len();
            start = range.end;
            let names = self.stage.words(prim, "skel:blendShapes")?;
            let targets = self.stage.targets(prim, "skel:blendShapeTargets");
            let skeleton = self.stage.skeleton_of(prim);
            let animation = self.stage.animation_of(skeleton.unwrap_or(prim));
            for (name, target) in names.into_iter().zip(targets) {
                let Some((target, _)) = target else { continue };
                if columns.size().saturating_add(vertices) > self.limits.displacements {
                    let message = "the blend shapes need more memory than Sinew gives them";
                    return Err(Error::unsupported(self.path(), message));
                }
                let shape = BlendShape::read(&self.stage, target, name, surface.points.len())?;
                columns.add(shape, animation, range.clone(), &scene.places[i]);
            }
        }
        let frames: usize = scene.clips.iter().map(|c| c.times.len()).sum();
        if columns.len().saturating_mul(frames) > self.limits.displacements {
            let message =
                format!("{} blend shapes in {frames} frames are more than Sinew keeps", columns.len());
            return Err(Error::unsupported(self.path(), message));
        }
        columns.finish(&self.stage, &scene.clips)
    }
}

pub(super) fn stated_clips(frames: &[Frames]) -> Vec<Clip> {
    let mut first = 0;
    let clip = |f: &Frames| {
        let range = first..first + f.times.len();
        first = range.end;
        Clip { name: f.name.clone(), frames: range, fps: f.fps }
    };
    frames.iter().map(clip).collect()
}
