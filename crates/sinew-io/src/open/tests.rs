use std::path::PathBuf;

use glam::Vec3;
use sinew::animation::Frames;
use sinew::geometry::Mesh;
use sinew::progress::Silent;
use sinew::rig::{Bone, Rig, SkinWeights};

use super::rest::with_faces;
use super::*;
use crate::formats::gltf::WriteOptions;
use crate::formats::{gltf, mdd, obj, pc2, ply};

fn triangle() -> (Mesh, Vec<Vec3>) {
    (Mesh::from_triangles(3, &[[0, 1, 2]]), vec![Vec3::ZERO, Vec3::X, Vec3::Y])
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn mesh(&self, name: &str, shift: f32) -> PathBuf {
        let (mesh, mut positions) = triangle();
        positions.iter_mut().for_each(|p| p.z += shift);
        let path = self.at(name);
        if name.ends_with("ply") {
            ply::write(&path, &mesh, &positions).unwrap();
        } else {
            obj::write(&path, &mesh, &positions).unwrap();
        }
        path
    }

    fn cache(&self, name: &str, vertices: usize) -> PathBuf {
        let path = self.at(name);
        let pose = |frame: usize, out: &mut [Vec3]| out.fill(Vec3::splat(frame as f32));
        if name.ends_with("mdd") {
            mdd::write(&path, vertices, 4, 30.0, pose).unwrap();
        } else {
            pc2::write(&path, vertices, 4, pose).unwrap();
        }
        path
    }

    /// A rig of two frames, the second one a unit higher, with its mesh stored `size` times as large as
    /// it plays.
    fn rig(&self, name: &str, size: f32) -> PathBuf {
        let (mesh, rest) = triangle();
        let rest: Vec<Vec3> = rest.iter().map(|p| *p * size).collect();
        let down = glam::DAffine3::from_scale(glam::DVec3::splat(1.0 / f64::from(size)));
        let up = glam::DAffine3::from_translation(glam::DVec3::Y) * down;
        let bone = Bone { name: "b".into(), center: glam::DVec3::ZERO, rigid: false, axes: None };
        let weights = SkinWeights::single(3);
        let transforms = vec![down, up];
        let rig = Rig {
            mesh,
            rest,
            weights,
            bones: vec![bone],
            transforms,
            skeleton: None,
            corrections: None,
            fps: 12.0,
            clips: Vec::new(),
            nodes: Vec::new(),
            armature: String::new(),
        };
        gltf::write(&self.at(name), &rig, &WriteOptions::default()).unwrap();
        self.at(name)
    }

    fn error(&self, result: Result<Opened>) -> String {
        result.unwrap_err().to_string().replace(&self.0.path().display().to_string(), "DIR")
    }
}

fn open(inputs: &[PathBuf], options: &OpenOptions) -> Result<Opened> {
    animation(inputs, options, &Silent)
}

fn with_rest(rest: PathBuf) -> OpenOptions {
    OpenOptions { rest: Some(rest.into()), ..OpenOptions::default() }
}

fn heights(frames: &Frames) -> Vec<f32> {
    (0..frames.len()).map(|f| frames.frame(f)[0].z).collect()
}

#[test]
fn caches_take_faces_from_their_mesh() {
    let folder = Folder::new();
    let rest = with_rest(folder.mesh("rest.ply", 0.0));
    for (name, fps) in [("a.pc2", 24.0), ("a.mdd", 30.0)] {
        let opened = open(&[folder.cache(name, 3)], &rest).unwrap();
        assert_eq!(opened.animation.mesh.face_count(), 1);
        assert_eq!(opened.animation.rest, Some(triangle().1));
        assert_eq!((opened.animation.frames.len(), opened.animation.fps), (4, fps));
        assert_eq!(opened.source, format!("{name} on rest.ply"));
        let sizes = [folder.at(name), folder.at("rest.ply")].map(|p| p.metadata().unwrap().len());
        assert_eq!(opened.input_bytes, sizes[0] + sizes[1]);
    }
    let wanted = OpenOptions { fps: Some(60.0), rest_scale: Some(10.0), ..rest };
    let opened = open(&[folder.at("a.mdd")], &wanted).unwrap();
    assert_eq!(opened.animation.fps, 60.0);
    assert_eq!(opened.animation.rest.unwrap()[1], 10.0 * Vec3::X);
}

#[test]
fn caches_that_do_not_fit_are_refused_by_name() {
    let folder = Folder::new();
    let cache = folder.cache("a.pc2", 5);
    assert_eq!(
        folder.error(open(std::slice::from_ref(&cache), &OpenOptions::default())),
        format!(
            "DIR/a.pc2: a point cache holds no faces; the mesh that goes with it is needed too ({})",
            with_faces()
        )
    );
    let rest = with_rest(folder.mesh("rest.obj", 0.0));
    assert_eq!(
        folder.error(open(std::slice::from_ref(&cache), &rest)),
        "DIR/rest.obj: the mesh has 3 vertices, but each frame of a.pc2 has 5"
    );
    assert_eq!(
        folder.error(open(std::slice::from_ref(&cache), &with_rest(cache.clone()))),
        format!("DIR/a.pc2: a PC2 point cache holds no faces; a rest mesh is {}", with_faces())
    );
    let scaled = OpenOptions { rest_scale: Some(-1.0), ..with_rest(folder.at("rest.obj")) };
    let fitting = folder.cache("b.pc2", 3);
    assert!(folder.error(open(&[fitting], &scaled)).contains("cannot be scaled by -1"));
}

#[test]
fn a_cache_alone_has_motion_but_no_faces() {
    let folder = Folder::new();
    let opened = motion(&[folder.cache("a.pc2", 5)], &OpenOptions::default(), &Silent).unwrap();
    assert_eq!((opened.animation.mesh.face_count(), opened.animation.mesh.vertex_count), (0, 5));
    assert_eq!(opened.animation.mesh.validate(), Ok(()));
}

#[test]
fn meshes_are_frames_in_natural_order() {
    let folder = Folder::new();
    let files = [("f10.obj", 10.0), ("f9.obj", 9.0), ("f1.obj", 1.0)].map(|(n, z)| folder.mesh(n, z));
    let several = open(&files, &OpenOptions::default()).unwrap();
    assert_eq!(heights(&several.animation.frames), [1.0, 9.0, 10.0]);
    assert_eq!(several.source, "3 files, f1.obj to f10.obj");
    let pattern = open(&[folder.at("f*.obj")], &OpenOptions::default()).unwrap();
    assert_eq!(heights(&pattern.animation.frames), [1.0, 9.0, 10.0]);
    let one = open(&files[..1], &OpenOptions::default()).unwrap();
    assert_eq!(heights(&one.animation.frames), [10.0]);
    let mixed = [files[0].clone(), folder.cache("a.pc2", 3)];
    assert_eq!(
        folder.error(open(&mixed, &OpenOptions::default())),
        "DIR/f10.obj: one mesh is a frame, but DIR/a.pc2 is a clip: the frames of a clip are named by their \
         folder or a pattern"
    );
}

#[test]
fn several_inputs_are_clips_of_one_animation() {
    let folder = Folder::new();
    let rest = with_rest(folder.mesh("rest.obj", 0.0));
    std::fs::create_dir(folder.at("jump")).unwrap();
    for (name, height) in [("jump/f2.obj", 20.0), ("jump/f1.obj", 10.0)] {
        folder.mesh(name, height);
    }
    let inputs = [folder.cache("walk.pc2", 3), folder.at("jump"), folder.cache("run.mdd", 3)];
    let opened = open(&inputs, &rest).unwrap();
    let clips: Vec<_> =
        opened.animation.clips.iter().map(|c| (c.name.as_str(), c.frames.clone(), c.fps)).collect();
    assert_eq!(clips, [("walk", 0..4, 24.0), ("jump", 4..6, 24.0), ("run", 6..10, 30.0)]);
    assert_eq!(heights(&opened.animation.frames), [0.0, 1.0, 2.0, 3.0, 10.0, 20.0, 0.0, 1.0, 2.0, 3.0]);
    assert_eq!(opened.source, "3 clips, walk.pc2 to run.mdd on rest.obj");
    let asked = OpenOptions { fps: Some(60.0), ..rest };
    assert!(open(&inputs, &asked).unwrap().animation.clips().iter().all(|c| c.fps == 60.0));
    // Without a rest mesh the folder's faces serve the caches as well.
    assert_eq!(open(&inputs, &OpenOptions::default()).unwrap().animation.mesh.face_count(), 1);
}

#[test]
fn inputs_that_disagree_say_by_how_much() {
    let folder = Folder::new();
    let pose = |_: usize, out: &mut [Vec3]| out.copy_from_slice(&triangle().1);
    mdd::write(&folder.at("walk.mdd"), 3, 4, 24.0, pose).unwrap();
    mdd::write(&folder.at("run.mdd"), 3, 4, 30.0, pose).unwrap();
    let rest = with_rest(folder.mesh("rest.obj", 0.0));
    let opened = open(&[folder.at("walk.mdd"), folder.at("run.mdd")], &rest).unwrap();
    assert_eq!(
        crate::warning::sentences(&opened.warnings),
        ["walk.mdd has 24 frames a second and run.mdd has 30, 1.25 times as many"]
    );
}

#[test]
fn clips_are_named_after_what_tells_them_apart() {
    let folder = Folder::new();
    let rest = with_rest(folder.mesh("rest.obj", 0.0));
    for name in ["walk", "run"] {
        std::fs::create_dir(folder.at(name)).unwrap();
    }
    folder.mesh("hop_1.obj", 0.0);
    let inputs = [
        folder.cache("walk/anim.pc2", 3),
        folder.cache("run/anim.pc2", 3),
        folder.at("hop_*.obj"),
        folder.cache("run.pc2", 3),
    ];
    let opened = open(&inputs, &rest).unwrap();
    let names: Vec<_> = opened.animation.clips.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["walk", "run", "hop", "run.1"]);
}

#[test]
fn clips_of_different_meshes_are_refused_by_name() {
    let folder = Folder::new();
    let rest = with_rest(folder.mesh("rest.obj", 0.0));
    let caches = [folder.cache("walk.pc2", 3), folder.cache("run.pc2", 5)];
    assert_eq!(
        folder.error(open(&caches, &rest)),
        "DIR/run.pc2: each frame has 5 vertices, but DIR/walk.pc2 has 3; clips of one skin are of the same mesh"
    );
    std::fs::create_dir(folder.at("turned")).unwrap();
    let (_, positions) = triangle();
    obj::write(&folder.at("turned/f.obj"), &Mesh::from_triangles(3, &[[0, 2, 1]]), &positions).unwrap();
    let meshes = [folder.rig("rig.glb", 1.0), folder.at("turned")];
    assert_eq!(
        folder.error(open(&meshes, &OpenOptions::default())),
        "DIR/turned: the faces are not those of DIR/rig.glb; clips of one skin are of the same mesh"
    );
    assert!(folder.error(open(&caches, &OpenOptions::default())).contains("a point cache holds no faces"));
}

#[test]
fn rigs_are_played() {
    let folder = Folder::new();
    let opened = open(&[folder.rig("rig.glb", 1.0)], &OpenOptions::default()).unwrap();
    assert_eq!((opened.animation.frames.len(), opened.animation.fps), (2, 12.0));
    assert_eq!(opened.animation.frames.frame(1)[1], Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(opened.animation.rest, Some(triangle().1));
    let rest = open(&[folder.cache("a.pc2", 3)], &with_rest(folder.at("rig.glb"))).unwrap();
    assert_eq!(rest.animation.rest, Some(triangle().1));
    let error = rig(folder.at("a.pc2"), &SampleOptions::default()).unwrap_err().to_string();
    assert!(error.contains("a PC2 point cache holds no rig; GLB, glTF"), "{error}");
}

#[test]
fn a_mesh_that_its_bones_scale_is_no_rest_pose() {
    let folder = Folder::new();
    let opened = open(&[folder.rig("rig.glb", 100.0)], &OpenOptions::default()).unwrap();
    assert_eq!(opened.animation.rest, None);
    assert_eq!(opened.warnings.len(), 1);
    assert_eq!(opened.animation.validate(), Ok(()));
}

#[test]
fn several_inputs_are_streamed_as_they_are_opened() {
    let folder = Folder::new();
    let rest = Some(folder.mesh("rest.obj", 0.0));
    let inputs = [folder.cache("walk.pc2", 3), folder.cache("run.mdd", 3), folder.cache("jump.pc2", 3)];
    let options = OpenOptions { rest: rest.map(Source::from), ..OpenOptions::default() };
    let opened = animation(&inputs, &options, &Silent).unwrap();
    let streamed = stream(&inputs, &options).unwrap();
    assert_eq!((streamed.frame_count, &streamed.clips), (Some(12), &opened.animation.clips));
    assert_eq!((&streamed.source, streamed.input_bytes), (&opened.source, opened.input_bytes));
    assert_eq!((streamed.fps, streamed.assumed_fps), (opened.animation.fps, opened.assumed_fps));
    let streamed = chosen_poses::<Error>(streamed, &[0, 3, 5, 9, 11], |_, _| Ok(())).unwrap().animation;
    assert_eq!((&streamed.mesh, &streamed.rest), (&opened.animation.mesh, &opened.animation.rest));
    for (kept, frame) in [0, 3, 5, 9, 11].into_iter().enumerate() {
        assert_eq!(streamed.frames.frame(kept), opened.animation.frames.frame(frame));
    }
    let clips: Vec<_> = streamed.clips.iter().map(|c| (c.name.as_str(), c.frames.clone())).collect();
    assert_eq!(clips, [("walk", 0..2), ("run", 2..3), ("jump", 3..5)]);
    let other = [inputs[0].clone(), folder.cache("other.pc2", 4)];
    let said = |error: Error| error.to_string();
    let whole = animation(&other, &options, &Silent).map(|_| ()).map_err(said);
    assert_eq!(stream(&other, &options).map(|_| ()).map_err(said), whole);
    assert!(whole.is_err());
}
