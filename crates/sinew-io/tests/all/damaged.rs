//! Every reader against damage of every kind: files that are cut, bits that are flipped, numbers beyond all bounds.
//! Whatever is read holds together, all else is answered with a sentence, and no file of these sizes makes a reader
//! ask for more memory than the fuzzers allow it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::Vec3;
use sinew_io::formats::{self, Content, Facts, PoseSet};
use sinew_io::motion::MotionOptions;
use sinew_io::open::{self, OpenOptions};
use sinew_io::{Result, deform_file, open_motion};
use sinew_sample::{CreatureOptions, creature};

/// The most that may be held while a file is read.
const MOST_MEMORY: usize = 1 << 30;
/// Flipped bits, and absurd numbers, that are tried of each file; of long ones fewer.
const FLIPS: usize = 300;
const NUMBERS: usize = 200;
const LONG: usize = 1 << 16;

/// Counts what is held.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all work is done by the system's allocator; only sizes are counted beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What is to become of files that are cut.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    /// All but those that miss only padding at their end are refused.
    Refused,
    /// What is there may be read: lines of text, frames that are whole.
    Read,
}

/// A whole file of some format, and the one that it needs beside it.
struct Case {
    name: &'static str,
    bytes: Vec<u8>,
    beside: Option<(&'static str, Vec<u8>)>,
    cut: Cut,
}

impl Case {
    fn tries(&self, most: usize) -> usize {
        if self.bytes.len() > LONG { most / 10 } else { most }
    }
}

/// Seeds of the fuzzers, which have a bit of all that their formats can hold.
macro_rules! seed {
    ($path:literal, $cut:ident) => {
        Case {
            name: $path,
            bytes: include_bytes!(concat!("../../../../fuzz/seeds/", $path)).to_vec(),
            beside: None,
            cut: Cut::$cut,
        }
    };
    ($path:literal, $cut:ident, $beside:literal) => {
        Case {
            beside: Some(($beside, include_bytes!(concat!("../../../../fuzz/seeds/", $beside)).to_vec())),
            ..seed!($path, $cut)
        }
    };
}

const DESCRIPTION: &str = "<?xml version=\"1.0\"?>\n<Autodesk_Cache_File>\n  <cacheType Type=\"OneFile\" \
     Format=\"mcx\"/>\n  <time Range=\"0-250\"/>\n  <cacheTimePerFrame TimePerFrame=\"250\"/>\n  <Channels>\n    \
     <channel0 ChannelName=\"bodyShape\" ChannelType=\"FloatVectorArray\" \
     ChannelInterpretation=\"positions\"/>\n  </Channels>\n</Autodesk_Cache_File>\n";

fn seeds() -> Vec<Case> {
    let cache = include_bytes!("../../../../fuzz/seeds/maya_cache/two.mcx").to_vec();
    let description = Case {
        name: "maya_cache/two.xml",
        bytes: DESCRIPTION.into(),
        beside: Some(("maya_cache/two.mcx", cache)),
        cut: Cut::Read,
    };
    vec![
        description,
        seed!("alembic/own.abc", Refused),
        seed!("alembic/scene.abc", Refused),
        seed!("amc/arm.amc", Read, "asf/arm.asf"),
        seed!("asf/arm.asf", Read),
        seed!("bvh/arm.bvh", Read),
        seed!("deform_file/kept.deform", Refused),
        seed!("deform_file/shapes.deform", Refused),
        seed!("fbx/flexible.fbx", Refused),
        Case {
            beside: Some(("three.pc2", include_bytes!("../../../../fuzz/seeds/pc2/two.pc2").to_vec())),
            ..seed!("fbx/text.fbx", Read)
        },
        seed!("fbx/tree.fbx", Refused),
        seed!("glb/compact.glb", Refused),
        seed!("glb/flexible.glb", Refused),
        seed!("glb/foreign.gltf", Refused),
        seed!("glb/rigid.glb", Refused),
        seed!("glb/tree.glb", Refused),
        seed!("maya_cache/two.mc", Refused),
        seed!("maya_cache/two.mcx", Refused),
        seed!("mdd/two.mdd", Refused),
        seed!("numpy/deflated.npz", Refused),
        seed!("numpy/poses.npy", Refused),
        seed!("numpy/stored.npz", Refused),
        seed!("obj/all.obj", Read),
        seed!("pc2/two.pc2", Refused),
        seed!("ply/big.ply", Refused),
        seed!("ply/little.ply", Refused),
        seed!("ply/text.ply", Read),
        seed!("sinew_file/chain.sinew", Read),
        seed!("sinew_file/clips.sinew", Read),
        seed!("sinew_file/rig.sinew", Read),
        seed!("sinew_file/tree.sinew", Read),
        seed!("stl/square.stl", Refused),
        seed!("stl/text.stl", Read),
        seed!("usd/small.usda", Refused),
        seed!("usd/small.usdc", Refused),
        seed!("usd/small.usdz", Refused),
    ]
}

/// A creature in every format of poses that is written.
fn written() -> Vec<Case> {
    let animation = creature(&CreatureOptions { frames: 3, detail: 0.6, ..Default::default() });
    let folder = tempfile::tempdir().unwrap();
    let facts = Facts::default();
    let set = PoseSet {
        mesh: &animation.mesh,
        rest: animation.rest.as_deref(),
        frames: 3,
        fps: 24.0,
        clips: &[],
        clip: None,
        facts: &facts,
    };
    let names = ["own/a.abc", "own/a.mdd", "own/a.npy", "own/a.npz", "own/a.pc2", "own/a.usda", "own/a.usdz"];
    let case = |name: &'static str| {
        let path = folder.path().join(Path::new(name).file_name().unwrap());
        let format = formats::to_write(&path).unwrap();
        let mut next = |frame: usize, out: &mut [Vec3]| {
            out.copy_from_slice(animation.frames.frame(frame));
            Ok(())
        };
        format.save(&path, Content::Poses(&set, &mut next)).unwrap();
        Case { name, bytes: std::fs::read(path).unwrap(), beside: None, cut: Cut::Refused }
    };
    names.map(case).into()
}

/// Reads all that a file holds, and the first poses of it. What comes back holds together.
fn read(path: &Path) -> Result<()> {
    if path.extension().is_some_and(|e| e == "deform") {
        assert_eq!(deform_file::read(path)?.rig.validate(), Ok(()));
        return Ok(());
    }
    let format = open::format(path)?;
    let _ = open::facts(path);
    if format.reads.joints {
        let motion = open_motion(path, &MotionOptions::default());
        if format.is_motion() {
            motion?;
            return Ok(());
        }
    }
    if format.reads.is_frame() {
        let read = open::rest(path, None)?;
        assert_eq!(read.mesh.validate(), Ok(()));
        assert_eq!(read.positions.len(), read.mesh.vertex_count);
        return Ok(());
    }
    let mut stream = open::poses(path, &OpenOptions::default())?;
    assert_eq!(stream.mesh.validate(), Ok(()));
    assert!(stream.fps > 0.0 && stream.fps.is_finite());
    let mut pose = vec![Vec3::ZERO; stream.vertex_count()];
    for _ in 0..4 {
        if !stream.next_into(&mut pose)? {
            break;
        }
    }
    Ok(())
}

/// A folder in which one file after the other is damaged.
struct Lab(tempfile::TempDir);

impl Lab {
    fn new(case: &Case) -> Self {
        let folder = tempfile::tempdir().unwrap();
        if let Some((name, bytes)) = &case.beside {
            std::fs::write(folder.path().join(Path::new(name).file_name().unwrap()), bytes).unwrap();
        }
        Self(folder)
    }

    /// Whether the file is read; otherwise it gets a sentence.
    fn reads(&self, case: &Case, bytes: &[u8], damage: &str) -> bool {
        let path = self.0.path().join(Path::new(case.name).file_name().unwrap());
        std::fs::write(&path, bytes).unwrap();
        PEAK.store(HELD.load(Ordering::Relaxed), Ordering::Relaxed);
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&path)));
        let peak = PEAK.load(Ordering::Relaxed);
        assert!(peak <= MOST_MEMORY, "{}, {damage}: {peak} bytes were held", case.name);
        match outcome {
            Err(_) => panic!("{}, {damage}: the reader panicked", case.name),
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                let sentence = error.to_string();
                let whole =
                    sentence.contains(&*self.0.path().to_string_lossy()) && sentence.lines().count() == 1;
                assert!(whole, "{}, {damage}: {sentence:?}", case.name);
                false
            }
        }
    }
}

/// Numbers that are the same every time.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

fn cut(case: &Case, lab: &Lab) {
    assert!(lab.reads(case, &case.bytes, "nothing"), "{} as it is", case.name);
    for part in 0..64 {
        let end = case.bytes.len() * part / 64;
        let read = lab.reads(case, &case.bytes[..end], &format!("{part}/64 of it"));
        // The last bytes of some formats say nothing that is needed.
        if case.cut == Cut::Refused && case.bytes.len() - end > 256 {
            assert!(!read, "{}: {part}/64 of it were taken for the whole", case.name);
        }
    }
}

fn flip(case: &Case, lab: &Lab, random: &mut Seeded) {
    for _ in 0..case.tries(FLIPS) {
        let mut bytes = case.bytes.clone();
        let (at, bit) = (random.below(bytes.len()), random.below(8));
        bytes[at] ^= 1 << bit;
        lab.reads(case, &bytes, &format!("bit {bit} of byte {at} flipped"));
    }
}

/// Words of binary files, and numbers of text.
fn exaggerate(case: &Case, lab: &Lab, random: &mut Seeded) {
    for _ in 0..case.tries(NUMBERS) {
        let mut bytes = case.bytes.clone();
        let at = random.below(bytes.len());
        let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            let number: &[u8] =
                [&b"99999999999999999999"[..], b"2147483647", b"4294967296", b"-7"][random.below(4)];
            bytes.splice(at..at + digits, number.iter().copied());
        } else {
            let word = [u64::MAX, 1 << 62, 0x7fff_ffff_7fff_ffff, 0x0100_0000_0100_0000][random.below(4)];
            let width = [2, 4, 8][random.below(3)].min(bytes.len() - at);
            let word = if random.below(2) == 0 { word.to_le_bytes() } else { word.to_be_bytes() };
            bytes[at..at + width].copy_from_slice(&word[..width]);
        }
        lab.reads(case, &bytes, &format!("an absurd number at byte {at}"));
    }
}

/// One test, since what is held is counted for the whole process.
#[test]
fn no_damage_brings_a_reader_down() {
    let mut random = Seeded(5);
    for case in seeds().iter().chain(&written()) {
        let lab = Lab::new(case);
        cut(case, &lab);
        flip(case, &lab, &mut random);
        exaggerate(case, &lab, &mut random);
    }
}

#[test]
fn all_formats_are_tried() {
    let tried: Vec<String> =
        seeds().iter().map(|c| c.name.rsplit('.').next().unwrap_or_default().to_owned()).collect();
    for ending in formats::ALL.iter().flat_map(|f| f.endings).filter(|e| **e != "usd") {
        assert!(tried.iter().any(|t| t == ending), "{ending}");
    }
}
