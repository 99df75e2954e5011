//! A format of one's own: OFF meshes, as an entry like those of the table.
//!
//!     cargo run --release -p sinew-io --example format
//!
//! Within Sinew an entry becomes known to everything by a line in `formats::ALL`. Outside it is used as here: by
//! itself.

use glam::Vec3;
use sinew::geometry::Mesh;
use sinew_io::formats::{Content, Document, Format, Holds, Keeps, UnitRule, Writer};
use sinew_io::{Error, Result, Source, StaticMesh, Target, Warning};

/// Geomview's object file format: a word, three counts, vertices, faces.
static OFF: Format = Format {
    name: "OFF mesh",
    article: "an",
    labels: &["OFF"],
    endings: &["off"],
    written: &["off"],
    reads: Holds::MESH,
    writes: Holds::MESH,
    keeps: Keeps::NOTHING,
    sampled: false,
    unit: UnitRule::Untold,
    notes: "text",
    signature: |start| start.bytes.starts_with(b"OFF"),
    shape: |_| false,
    document: open,
    writer: &OffWriter,
};

/// A file, parsed when it is opened.
struct Off {
    source: Source,
    mesh: StaticMesh,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    let bytes = source.read()?;
    let mesh = std::str::from_utf8(&bytes).ok().and_then(parse);
    let broken = || Error::malformed(source.path(), "the file is no OFF mesh, or is cut short");
    Ok(Box::new(Off { source: source.clone(), mesh: mesh.ok_or_else(broken)? }))
}

impl Document for Off {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &OFF
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        Ok(self.mesh.clone())
    }
}

struct OffWriter;

impl Writer for OffWriter {
    fn mesh(&self, to: &mut Target, mesh: &Mesh, positions: &[Vec3]) -> Result<Vec<Warning>> {
        to.write(|out| {
            writeln!(out, "OFF\n{} {} 0", positions.len(), mesh.face_count())?;
            positions.iter().try_for_each(|p| writeln!(out, "{} {} {}", p.x, p.y, p.z))?;
            (0..mesh.face_count()).map(|f| mesh.face(f)).try_for_each(|face| {
                write!(out, "{}", face.len())?;
                face.iter().try_for_each(|v| write!(out, " {v}"))?;
                writeln!(out)
            })
        })?;
        Ok(Vec::new())
    }
}

fn parse(text: &str) -> Option<StaticMesh> {
    let mut words = text.strip_prefix("OFF")?.split_ascii_whitespace();
    let mut count = || words.next()?.parse::<usize>().ok();
    let (vertices, faces, _) = (count()?, count()?, count()?);
    let mut number = || words.next()?.parse::<f32>().ok();
    let mut positions = Vec::new();
    for _ in 0..vertices {
        positions.push(Vec3::new(number()?, number()?, number()?));
    }
    let mut corners: Vec<Vec<u32>> = Vec::new();
    for _ in 0..faces {
        let count = words.next()?.parse::<usize>().ok()?;
        let face: Option<Vec<u32>> = words.by_ref().take(count).map(|word| word.parse().ok()).collect();
        corners
            .push(face.filter(|face| face.len() == count && face.iter().all(|&v| (v as usize) < vertices))?);
    }
    Some(StaticMesh { mesh: Mesh::from_faces(vertices, &corners), positions, ..StaticMesh::default() })
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 1.0]];
    let positions = positions.map(Vec3::from);
    let faces: [&[u32]; 5] = [&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]];
    let pyramid = Mesh::from_faces(5, &faces);
    let path = std::env::temp_dir().join(format!("sinew-{}.off", std::process::id()));
    let written = OFF.save(&path, Content::Mesh(&pyramid, &positions))?;
    let read = OFF.open(&Source::file(&path)).and_then(|file| file.mesh(None));
    std::fs::remove_file(&path)?;
    let read = read?;
    assert_eq!((read.positions, read.mesh), (positions.to_vec(), pyramid));
    println!("{}: {} bytes written and read again", OFF.one(), written.bytes);
    Ok(())
}
