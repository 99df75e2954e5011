//! Documents: opened once, from files or bytes, and never beyond what may be opened.

use std::path::{Path, PathBuf};

use glam::Vec3;
use sinew::animation::Clip;
use sinew::geometry::{Image, Material, Mesh, Part, TextureSlot};
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew_io::formats::{self, Content, Document, Facts, PoseSet, RigOptions};
use sinew_io::motion::{MotionOptions, open_motion};
use sinew_io::open::{self, OpenOptions};
use sinew_io::scene::SampleOptions;
use sinew_io::source::{Access, Limits, Source};
use sinew_io::{Error, Result};

use crate::common::{lively, rig};

/// Files of all formats that are written, of one rig, and their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let rig = rig(4, lively);
    let at = |name: &str| folder.join(name);
    for name in ["a.glb", "a.sinew", "a.fbx", "a.usda", "a.usdz"] {
        formats::to_write(&at(name))
            .unwrap()
            .save(&at(name), Content::Rig(&rig, &RigOptions::default()))
            .unwrap();
    }
    for name in ["b.obj", "b.ply"] {
        formats::to_write(&at(name)).unwrap().save(&at(name), Content::Mesh(&rig.mesh, &rig.rest)).unwrap();
    }
    let set = PoseSet {
        mesh: &rig.mesh,
        rest: None,
        frames: 4,
        fps: 24.0,
        clips: &[],
        clip: None,
        facts: &Facts::default(),
    };
    for name in ["c.pc2", "c.mdd", "c.npz", "c.npy", "c.abc"] {
        let mut pose = |frame: usize, out: &mut [Vec3]| {
            out.copy_from_slice(&rig.pose(frame));
            Ok(())
        };
        formats::to_write(&at(name)).unwrap().save(&at(name), Content::Poses(&set, &mut pose)).unwrap();
    }
    let clip = Clip { name: "walk".into(), frames: 0..4, fps: 24.0 };
    formats::BVH.save(&at("d.bvh"), Content::Joints(&rig, &clip)).unwrap();
    let mut found: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

/// Everything that a document answers, in a form that can be compared.
fn answers(document: &dyn Document) -> String {
    let options = OpenOptions::default();
    let said = |what: Result<String>| what.unwrap_or_else(|error| error.to_string());
    let rig = |rig: Rig| format!("{:?} {:?} {:?}", rig.rest, rig.transforms, rig.mesh);
    [
        said(document.holds().map(|holds| format!("{holds:?}"))),
        said(document.facts().map(|facts| format!("{facts:?}"))),
        said(document.clips().map(|clips| format!("{clips:?}"))),
        said(document.mesh(None).map(|mesh| format!("{mesh:?}"))),
        said(document.rig(&SampleOptions::default()).map(|sampled| rig(sampled.rig))),
        said(document.joints(&MotionOptions::default()).map(|joints| format!("{:?}", joints.motion))),
        said(
            document
                .animation(&options, &Silent)
                .map(|opened| format!("{:?}", opened.animation.frames.flat())),
        ),
    ]
    .join("\n")
}

#[test]
fn memory_gets_the_bytes_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut rig = rig(4, lively);
    // A library of materials and an image lie beside an OBJ file.
    let png = b"\x89PNG\r\n\x1a\n".to_vec();
    rig.mesh.images = vec![Image { name: "skin".into(), mime_type: "image/png".into(), bytes: png.clone() }];
    rig.mesh.materials = vec![Material {
        name: "skin".into(),
        textures: vec![sinew::geometry::Texture::new(TextureSlot::BaseColor, 0)],
        ..Material::default()
    }];
    rig.mesh.face_materials = vec![0; rig.mesh.face_count()];
    // Two parts, which a USD cache keeps apart while poses come in.
    rig.mesh.parts = vec![
        Part { name: "a".into(), faces: 0..10, vertices: 0..12 },
        Part { name: "b".into(), faces: 12..22, vertices: 12..24 },
    ];
    let kept: Vec<Vec<u32>> =
        (0..22).filter(|f| !(10..12).contains(f)).map(|f| rig.mesh.face(f).to_vec()).collect();
    let bare = Mesh::from_faces(24, &kept);
    (rig.mesh.face_starts, rig.mesh.corners) = (bare.face_starts, bare.corners);
    (rig.mesh.parts[1].faces, rig.mesh.face_materials) = (10..20, vec![0; 20]);
    let clip = Clip { name: "walk".into(), frames: 0..4, fps: 24.0 };
    let facts = Facts::default();
    let (mesh, clips) = (&rig.mesh, []);
    let set = PoseSet { mesh, rest: None, frames: 4, fps: 24.0, clips: &clips, clip: None, facts: &facts };
    let mut written = 0;
    for format in formats::ALL {
        for ending in format.written {
            let path = folder.path().join(format!("a.{ending}"));
            let mut pose = |frame: usize, out: &mut [Vec3]| {
                out.copy_from_slice(&rig.pose(frame));
                Ok(())
            };
            let mut again = pose;
            let options = RigOptions::default();
            for poses in [false, true] {
                let content = |next| match () {
                    () if poses && format.writes.poses => Some(Content::Poses(&set, next)),
                    () if poses => None,
                    () if format.writes.rig => Some(Content::Rig(&rig, &options)),
                    () if format.writes.is_motion() => Some(Content::Joints(&rig, &clip)),
                    () if format.writes.is_frame() => Some(Content::Mesh(&rig.mesh, &rig.rest)),
                    () => None,
                };
                let Some(to_disk) = content(&mut pose) else { continue };
                let bytes = format.save(&path, to_disk).unwrap().bytes;
                let Some(to_memory) = content(&mut again) else { continue };
                let (file, _) = format.to_bytes(Path::new(&format!("a.{ending}")), to_memory).unwrap();
                assert!(file.bytes == std::fs::read(&path).unwrap(), "{ending}");
                let beside: usize = file.beside.iter().map(|(_, bytes)| bytes.len()).sum();
                assert_eq!(bytes, (file.bytes.len() + beside) as u64, "{ending}");
                for (name, bytes) in &file.beside {
                    assert_eq!(bytes, &std::fs::read(folder.path().join(name)).unwrap(), "{name}");
                }
                assert_eq!(file.beside.len(), if *ending == "obj" { 2 } else { 0 });
                written += 1;
            }
        }
    }
    assert!(written > 12, "{written}");
}

#[test]
fn what_was_opened_needs_its_file_no_more() {
    let folder = tempfile::tempdir().unwrap();
    for path in files(folder.path()) {
        let expected = answers(&*open::document(&path).unwrap());
        // Of caches that are larger than memory, poses stay in the file; so do the frames of a .sinew file.
        let ending = path.extension().unwrap().to_str().unwrap();
        if matches!(ending, "pc2" | "mdd" | "npz" | "npy" | "sinew") {
            continue;
        }
        let document = open::document(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(answers(&*document) == expected, "{}", path.display());
    }
}

#[test]
fn facts_come_with_whatever_was_read() {
    let folder = tempfile::tempdir().unwrap();
    for path in files(folder.path()) {
        let document = open::document(&path).unwrap();
        let facts = document.facts().unwrap();
        let holds = document.holds().unwrap();
        if holds.poses {
            assert_eq!(document.animation(&OpenOptions::default(), &Silent).unwrap().facts, facts);
            assert_eq!(document.stream(&OpenOptions::default()).unwrap().facts, facts);
        }
        if holds.rig {
            assert_eq!(document.rig(&SampleOptions::default()).unwrap().facts, facts);
            assert_eq!(document.joints(&MotionOptions::default()).unwrap().facts, facts);
        }
    }
}

#[test]
fn bytes_are_read_like_files() {
    let folder = tempfile::tempdir().unwrap();
    for path in files(folder.path()) {
        let bytes = Source::bytes(path.clone(), std::fs::read(&path).unwrap());
        let expected = answers(&*open::document(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        assert!(answers(&*open::document(&bytes).unwrap()) == expected, "{}", path.display());
    }
    // Whatever is over documents takes them as well, and a name tells what bytes do not.
    let mesh = Source::bytes("standard input.obj", *b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let opened = open::animation(std::slice::from_ref(&mesh), &OpenOptions::default(), &Silent).unwrap();
    assert_eq!((opened.source.as_str(), opened.input_bytes), ("standard input.obj", 32));
    assert_eq!(open::rest(&mesh, None).unwrap().positions.len(), 3);
    assert!(matches!(open_motion(&mesh, &MotionOptions::default()), Err(Error::Unsupported { .. })));
}

/// Two folders; the files of one name a file of the other in every way there is.
struct Two {
    inside: tempfile::TempDir,
    outside: tempfile::TempDir,
}

impl Two {
    fn new() -> Self {
        let two = Self { inside: tempfile::tempdir().unwrap(), outside: tempfile::tempdir().unwrap() };
        let there = |name: &str| two.outside.path().join(name);
        std::fs::write(there("secret.mtl"), "newmtl secret\nKd 1 0 0\n").unwrap();
        std::fs::write(there("secret.bin"), [0; 36]).unwrap();
        let layer = "#usda 1.0\n(defaultPrim = \"m\")\ndef Mesh \"m\" {\nint[] faceVertexCounts = [3]\n\
                     int[] faceVertexIndices = [0, 1, 2]\npoint3f[] points = [(0,0,0),(1,0,0),(0,1,0)]\n}\n";
        std::fs::write(there("secret.usda"), layer).unwrap();
        two
    }

    /// A file of the inside that has `NAME` where it names `secret` of the outside.
    fn file(&self, name: &str, text: &str, secret: &str) -> PathBuf {
        let path = self.inside.path().join(name);
        let up = format!("../{}/{secret}", self.outside.path().file_name().unwrap().to_str().unwrap());
        std::fs::write(&path, text.replace("NAME", &up)).unwrap();
        path
    }

    fn access(&self) -> Access {
        Access::within(&[self.inside.path()])
    }
}

const OBJ: &str = "mtllib NAME\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl secret\nf 1 2 3\n";

#[test]
fn nothing_outside_the_folders_is_opened_on_any_thread() {
    let two = Two::new();
    let obj = two.file("a.obj", OBJ, "secret.mtl");
    let gltf = two.file(
        "a.gltf",
        r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"NAME","byteLength":36}],
            "bufferViews":[{"buffer":0,"byteLength":36}],
            "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],
            "scenes":[{"nodes":[0]}],"scene":0}"#,
        "secret.bin",
    );
    let usd = two.file("a.usda", "#usda 1.0\ndef \"x\" (references = @NAME@) {}\n", "secret.usda");
    let red = |source: Source| {
        let mesh = open::rest(source, None).unwrap().mesh;
        mesh.materials[0].base_color[..3] == [1.0, 0.0, 0.0]
    };
    // With access all of them are read.
    assert!(red(Source::file(&obj)));
    assert!(open::rig(&gltf, &SampleOptions::default()).is_ok());
    assert!(open::rig(&usd, &SampleOptions::default()).is_ok());
    let within = |path: &Path| Source::file(path).with_access(two.access());
    let refused = || {
        assert!(!red(within(&obj)));
        assert!(open::rig(within(&gltf), &SampleOptions::default()).is_err());
        assert!(open::rig(within(&usd), &SampleOptions::default()).is_err());
        // Nor is a file itself, by whatever name.
        let far = two.outside.path().join("secret.usda");
        let named = [far.clone(), obj.with_file_name("..").join(far.strip_prefix("/").unwrap())];
        for path in named {
            assert!(matches!(open::document(within(&path)), Err(Error::Io { .. })), "{}", path.display());
        }
    };
    refused();
    std::thread::scope(|scope| scope.spawn(refused).join().unwrap());
    rayon::scope(|scope| (0..8).for_each(|_| scope.spawn(|_| refused())));
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_else() {
    let two = Two::new();
    let inside = |name: &str| two.inside.path().join(name);
    std::fs::write(inside("a.obj"), OBJ.replace("NAME", "link.mtl")).unwrap();
    std::os::unix::fs::symlink(two.outside.path().join("secret.mtl"), inside("link.mtl")).unwrap();
    let source = Source::file(inside("a.obj")).with_access(two.access());
    let mesh = open::rest(source.clone(), None).unwrap();
    assert!(
        mesh.warnings.iter().any(|warning| warning.to_string().contains("link.mtl")),
        "{:?}",
        mesh.warnings
    );
    assert_ne!(mesh.mesh.materials[0].base_color[..3], [1.0, 0.0, 0.0]);
    // A sequence with a frame from elsewhere is refused, not cut short; so is a folder elsewhere.
    std::fs::write(two.outside.path().join("b.obj"), OBJ).unwrap();
    std::os::unix::fs::symlink(two.outside.path().join("b.obj"), inside("b.obj")).unwrap();
    for folder in [two.inside.path(), two.outside.path()] {
        let folder = Source::file(folder).with_access(two.access());
        let error = open::animation(&[folder], &OpenOptions::default(), &Silent).unwrap_err().to_string();
        assert!(error.contains("may not be read from here"), "{error}");
    }
}

#[test]
fn bytes_lead_nowhere_unless_told() {
    let two = Two::new();
    let path = two.file("a.obj", OBJ, "secret.mtl");
    let bytes = Source::bytes(path.clone(), std::fs::read(&path).unwrap());
    let mesh = open::rest(bytes.clone(), None).unwrap();
    assert!(!mesh.warnings.is_empty());
    let opened = open::rest(bytes.with_access(Access::everything()), None).unwrap();
    assert!(opened.warnings.is_empty(), "{:?}", opened.warnings);
}

#[test]
fn limits_are_those_of_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let bones = rig(4, lively);
    formats::GLTF.save(&path, Content::Rig(&bones, &RigOptions::default())).unwrap();
    let few = Limits { transforms: 10, ..Limits::default() };
    let source = Source::file(&path).with_limits(few);
    let error = open::rig(source, &SampleOptions::default()).unwrap_err().to_string();
    assert!(error.contains("more than Sinew samples"), "{error}");
    assert!(open::rig(&path, &SampleOptions::default()).is_ok());
}
