use std::sync::atomic::{AtomicUsize, Ordering};

use sinew::progress::Silent;

use sinew::geometry::Mesh;

use super::*;
use crate::formats::ply;

struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder of triangles, one file a frame, frame f moved by f along x.
    fn of_triangles(frames: usize) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for f in 0..frames {
            folder.add(&format!("f{f}.obj"), &triangle(f));
        }
        folder
    }

    fn add(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self) -> Result<(StaticMesh, Frames)> {
        read(&list(&self.0.path().into())?, &Silent)
    }

    fn error(&self) -> String {
        self.read().unwrap_err().to_string().replace(&self.0.path().display().to_string(), "DIR")
    }
}

fn triangle(x: usize) -> String {
    format!("v {x} 0 0\nv {x} 1 0\nv {x} 0 1\nvt 0 0\nf 1/1 2/1 3/1\n")
}

#[test]
fn frames_come_in_natural_order() {
    let (first, frames) = Folder::of_triangles(12).read().unwrap();
    assert_eq!((frames.len(), frames.vertex_count()), (12, 3));
    for f in 0..12 {
        assert_eq!(frames.frame(f)[1], Vec3::new(f as f32, 1.0, 0.0));
    }
    assert!(first.mesh.uvs.is_some());
    assert_eq!(first.positions, frames.frame(0));
}

#[test]
fn ply_frames_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = Mesh::from_triangles(3, &[[0, 1, 2]]);
    let pose = |f: usize| vec![Vec3::splat(f as f32); 3];
    for f in 0..3 {
        ply::write(&folder.path().join(format!("{f}.ply")), &mesh, &pose(f)).unwrap();
    }
    let (first, frames) = read(&list(&folder.path().into()).unwrap(), &Silent).unwrap();
    assert_eq!(first.mesh, mesh);
    assert_eq!(frames.frame(2), pose(2));
}

#[test]
fn the_first_frame_that_differs_is_named() {
    let folder = Folder::of_triangles(40);
    folder.add("f30.obj", "v 0 0 0\n");
    folder.add("f7.obj", &(triangle(7) + "v 1 1 1\n"));
    folder.add("f20.obj", "v 0 0 x\n");
    for _ in 0..10 {
        assert_eq!(folder.error(), "DIR/f7.obj: frame 7 has 4 vertices, but the first frame has 3");
    }
    folder.add("f7.obj", &(triangle(7) + "f 1 2 3\n"));
    assert_eq!(folder.error(), "DIR/f7.obj: frame 7 has 2 faces, but the first frame has 1");
    folder.add("f7.obj", &triangle(7).replace("f 1/1 2/1", "f 2/1 1/1"));
    assert_eq!(folder.error(), "DIR/f7.obj: face 0 of frame 7 has other vertices than in the first frame");
    folder.add("f7.obj", &triangle(7));
    assert_eq!(folder.error(), "DIR/f20.obj, line 1: “x” is not a number");
}

#[test]
fn sequences_that_cannot_be_are_refused() {
    let message = |files: &[&str]| {
        let files: Vec<Source> = files.iter().map(Source::file).collect();
        read(&files, &Silent).unwrap_err().to_string()
    };
    assert_eq!(message(&[]), ".: the sequence has no frames");
    assert!(message(&["a.xyz"]).starts_with("a.xyz: the file is no mesh; frames are OBJ, PLY"));
    assert_eq!(
        message(&["a.obj", "b.ply"]),
        "b.ply: the frame is not of the same format as the first, a.obj"
    );
    let folder = Folder::of_triangles(0);
    folder.add("a.obj", "# nothing\n");
    assert_eq!(folder.error(), "DIR/a.obj: there are no vertices in this file");
}

#[test]
fn progress_is_told_and_can_cancel() {
    struct Count {
        calls: AtomicUsize,
        most: usize,
    }
    impl Progress for Count {
        fn advance(&self, share: f64) {
            let calls = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
            assert_eq!(share, (calls + 1) as f64 / 20.0);
        }
        fn cancelled(&self) -> bool {
            self.calls.load(Ordering::SeqCst) >= self.most
        }
    }
    let folder = Folder::of_triangles(20);
    let files = list(&folder.0.path().into()).unwrap();
    let listener = Count { calls: 0.into(), most: usize::MAX };
    read(&files, &listener).unwrap();
    assert_eq!(listener.calls.load(Ordering::SeqCst), 19);
    let listener = Count { calls: 0.into(), most: 3 };
    let error = read(&files, &listener).unwrap_err();
    assert!(
        matches!(error, Error::Io { ref source, .. } if source.kind() == std::io::ErrorKind::Interrupted)
    );
}
