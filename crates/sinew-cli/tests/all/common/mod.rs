//! Running the command in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use glam::Vec3;
use serde_json::Value;

/// A temporary folder in which `sinew` runs.
pub struct Lab(tempfile::TempDir);

impl Lab {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A lab with a small walking creature in `creature/`.
    pub fn with_creature() -> Self {
        let lab = Self::new();
        lab.ok("sample creature --frames 8 --detail 0.6 -o creature");
        lab
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the command; arguments are parted by blanks.
    pub fn run(&self, arguments: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    /// Runs the command, which has to succeed, and returns what it prints.
    pub fn ok(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "sinew {arguments}\n{error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the command, which has to fail with one sentence and exit code 2, and returns the sentence.
    pub fn refused(&self, arguments: &str) -> String {
        let before = self.files();
        let output = self.run(&format!("{arguments} --quiet"));
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "sinew {arguments}\n{error}");
        assert!(output.stdout.is_empty());
        assert_eq!(self.files(), before, "sinew {arguments} left files");
        let sentence = error.strip_prefix("error: ").unwrap_or_else(|| panic!("no sentence: {error}"));
        assert_eq!(sentence.trim_end().lines().count(), 1, "{error}");
        sentence.trim_end().into()
    }

    /// All files, with folders within.
    pub fn files(&self) -> Vec<PathBuf> {
        fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, out);
                }
                out.push(path);
            }
        }
        let mut files = Vec::new();
        walk(self.0.path(), &mut files);
        files.sort();
        files
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.at(name)).unwrap()).unwrap()
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.at(name), contents).unwrap();
    }

    /// Writes a point cache of the given poses.
    pub fn cache(&self, name: &str, poses: &[Vec<Vec3>]) {
        sinew_io::formats::pc2::write(&self.at(name), poses[0].len(), poses.len(), |frame, out| {
            out.copy_from_slice(&poses[frame]);
        })
        .unwrap();
    }
}

/// An OBJ file of a strip of `count` quads along x, in the xy plane.
pub fn strip(count: usize) -> String {
    let mut text: String =
        strip_pose(count, 0.0).iter().map(|p| format!("v {} {} {}\n", p.x, p.y, p.z)).collect();
    for i in 0..count {
        let a = 2 * i + 1;
        text += &format!("f {} {} {} {}\n", a, a + 2, a + 3, a + 1);
    }
    text
}

/// The strip's vertices, its far end lifted by a bend.
pub fn strip_pose(count: usize, bend: f32) -> Vec<Vec3> {
    let lift = |x: f32| bend * (x - 0.5 * count as f32).max(0.0);
    (0..=count).flat_map(|i| [0.0, 1.0].map(|y| Vec3::new(i as f32, y, lift(i as f32)))).collect()
}
