//! How much memory there is, and how much a job takes.

use std::path::Path;

use sinew_io::open;
use sinew_io::scene::OpenOptions;

use super::work::Work;
use crate::any::AnyJob;
use crate::skin::DEFAULT_MEMORY;

/// Bytes of a vertex in one pose.
const POINT: u64 = 12;
/// What any job takes beside its poses: the program, its buffers, a rig.
const BASE: u64 = 64_000_000;
/// Poses are held once, and once more on the way in or out; what a fit of them takes is less.
const COPIES: u64 = 2;
/// Meshes as text become about so many times as large.
const MESH: u64 = 4;
/// Bytes of a vertex while shots are added up and solved: frames that go by, sums, equations.
const OF_SUMS: u64 = 4000;
/// The share of what is free that jobs may take unless said otherwise.
const SHARE: f64 = 0.8;

/// Bytes that a job takes at most, by the size of what it reads: frames times vertices times 12 bytes, twice. Skinning keeps
/// to its own working set.
pub fn taken(work: &mut Work) -> u64 {
    let bound = match work {
        Work::Job(job) => match &**job {
            AnyJob::Skin(job) => COPIES * job.memory.unwrap_or(DEFAULT_MEMORY),
            _ => u64::MAX,
        },
        Work::Sums(_) | Work::Solve(_) => OF_SUMS.saturating_mul(vertices(work)),
    };
    let files = work.files();
    let read: u64 = files.that_are_read().map(poses).fold(0, u64::saturating_add);
    read.saturating_mul(COPIES).min(bound).saturating_add(BASE)
}

/// The working set of skinning that takes no more than these bytes.
pub fn working_set(bytes: u64) -> u64 {
    (bytes.saturating_sub(BASE) / COPIES).max(1)
}

/// Vertices of the first file that says how many there are.
fn vertices(work: &mut Work) -> u64 {
    let files = work.files();
    let known = files.that_are_read().find_map(|path| open::poses(path, &OpenOptions::default()).ok());
    known.map_or(0, |stream| stream.vertex_count() as u64)
}

/// Bytes of the poses of a file, a folder or a pattern. What cannot be read takes nothing: the job will say so.
fn poses(path: &Path) -> u64 {
    let length = std::fs::metadata(path).map_or(0, |about| about.len());
    if path.is_file() {
        match open::format(path) {
            Ok(format) if format.reads.poses || format.reads.rig => {}
            Ok(_) => return length.saturating_mul(MESH),
            Err(_) => return length,
        }
    }
    match open::poses(path, &OpenOptions::default()) {
        Ok(stream) => {
            let frames = stream.frame_count.unwrap_or(1) as u64;
            POINT.saturating_mul(stream.vertex_count() as u64).saturating_mul(frames).max(length)
        }
        Err(_) => length,
    }
}

/// Bytes that jobs may take where nothing is said: most of what is free on this machine, and in the group of processes that
/// this one is in. None where the system does not tell.
pub fn free() -> Option<u64> {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let about = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = about.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = 1024 * line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    let group = "/sys/fs/cgroup/memory";
    let most = number(&format!("{group}.max")).or_else(|| number(&format!("{group}/memory.limit_in_bytes")));
    let used = number(&format!("{group}.current")).unwrap_or(0);
    let free = most.map_or(free, |most| free.min(most.saturating_sub(used)));
    Some((free as f64 * SHARE) as u64)
}

/// Bytes that a process holds just now. None where the system does not tell.
pub fn held(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(1024 * line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?)
}

/// Offers this process first where the system has no memory left, rather than the one that keeps the list.
pub fn offer_first() {
    // Where there is no such file, the system has its own way of choosing.
    let _ = std::fs::write("/proc/self/oom_score_adj", "500");
}
