//! What is known of a job that was run: one small file each, in the batch's own folder.
//!
//! A job is done if its record says so, by this very program, of files that are still the same, and if what it wrote is
//! still there. The program is known by the bytes of its file: one that was built anew may give other results, whatever its version
//! says. Files are the same whose size and time of change are, else whose bytes are: ten thousand jobs are looked
//! through without reading a file, and a copy of a project with other times is known as well.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sinew_io::account::{Account, Stamp};
use sinew_io::{Source, sequence};

use super::rows::Facts;
use super::work::Work;
use crate::error::Outcome;

/// Of Sinew.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A job that was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What ran it; see [`program`].
    program: String,
    /// What was done.
    work: serde_json::Value,
    /// Files that it read.
    read: Vec<Known>,
    /// Files that it looked for and that were not there: a library of materials that comes late changes what is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    missing: Vec<PathBuf>,
    /// Folders and patterns of frames that it read, and what they held.
    listed: Vec<Listed>,
    /// Files that it wrote.
    written: Vec<Known>,
    /// What came of it.
    pub facts: Facts,
}

/// A file as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Known {
    path: PathBuf,
    size: u64,
    modified: u64,
    /// Of its bytes; none for reports, which hold times and differ with every run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

/// Frames that a folder or a pattern stood for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Listed {
    path: PathBuf,
    /// Of their names.
    sha256: String,
}

/// What tells one program from another: its version, and the digest of the file with its code.
///
/// # Errors
/// Where that file cannot be read.
pub fn program(code: &Path) -> std::io::Result<String> {
    Ok(format!("{VERSION} {}", digest(code)?))
}

/// Digests of files that were taken already, by their stamps: many jobs read the same rest mesh.
pub type Digests = BTreeMap<PathBuf, (Stamp, String)>;

/// Where the record of a job is: below `folder`, by its content.
pub fn place(folder: &Path, work: &Work) -> PathBuf {
    let key = hex(&Sha256::digest(work.canonical()));
    folder.join("records").join(&key[..2]).join(key).with_extension("json")
}

impl Record {
    /// Reads the record of a job, if there is one, whatever program ran it.
    pub fn at(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// Whether this program ran it.
    pub fn is_by(&self, program: &str) -> bool {
        self.program == program
    }

    /// That of a job that was done. Fails where an input changed meanwhile.
    pub fn done(
        work: &mut Work,
        account: &Account,
        facts: Facts,
        program: &str,
        digests: &mut Digests,
    ) -> std::io::Result<Self> {
        let value = crate::any::as_json(work);
        let files = work.files();
        let report = files.report_path();
        let mut written: Vec<&Path> = account.written.iter().map(PathBuf::as_path).collect();
        written.extend(files.that_are_written());
        written.extend(report);
        written.sort_unstable();
        written.dedup();
        written.retain(|path| path.is_file());
        let (mut read, mut missing) = (Vec::new(), Vec::new());
        let mut inputs: BTreeMap<&Path, Option<Stamp>> =
            account.read.iter().map(|(path, stamp)| (path.as_path(), *stamp)).collect();
        for path in files.that_are_read().filter(|path| path.is_file()) {
            inputs.entry(path).or_insert(Some(Stamp::of(path)?));
        }
        for (path, stamp) in inputs {
            let Some(stamp) = stamp else {
                if !path.exists() {
                    missing.push(path.into());
                }
                continue;
            };
            // What the job read again of its own, and what it put somewhere for a while.
            if written.contains(&path) || !path.is_file() {
                continue;
            }
            let known = Known::new(path, true, digests)?;
            if known.stamp() != stamp {
                return Err(std::io::Error::other(format!("{} changed while it was read", path.display())));
            }
            read.push(known);
        }
        let listed = files.that_are_read().filter(|path| !path.is_file());
        let listed = listed.filter_map(|path| Some(Listed { path: path.into(), sha256: listing(path)? }));
        let listed = listed.collect();
        let written = written.into_iter().map(|path| Known::new(path, Some(path) != report, digests));
        let written: std::io::Result<Vec<Known>> = written.collect();
        Ok(Self { program: program.into(), work: value, read, missing, listed, written: written?, facts })
    }

    /// That of a job that failed: it is told in summaries, and tried again.
    pub fn failed(work: &Work, facts: Facts, program: &str) -> Self {
        let (read, missing, listed, written) = Default::default();
        Self {
            program: program.into(),
            work: crate::any::as_json(work),
            read,
            missing,
            listed,
            written,
            facts,
        }
    }

    /// Whether what was done is still what would be done. Stamps are renewed where only they changed; says whether any was.
    pub fn still_holds(&mut self) -> Option<bool> {
        if self.facts.sentence.is_some() {
            return None;
        }
        let mut renewed = false;
        for known in self.read.iter_mut().chain(&mut self.written) {
            renewed |= known.still_holds()?;
        }
        if self.missing.iter().any(|path| path.exists()) {
            return None;
        }
        let same = self.listed.iter().all(|listed| listing(&listed.path).as_ref() == Some(&listed.sha256));
        same.then_some(renewed)
    }

    /// Writes it beside its place and renames it.
    ///
    /// # Errors
    /// Where the folder cannot be written to.
    pub fn save(&self, path: &Path) -> Outcome<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(sinew_io::Error::io(folder))?;
        }
        let text = serde_json::to_string(self).unwrap_or_default();
        sinew_io::save(path, |out| out.write_all(text.as_bytes()))?;
        Ok(())
    }

    /// Bytes of all that was written.
    pub fn bytes_written(&self) -> u64 {
        self.written.iter().map(|known| known.size).sum()
    }

    /// The files that were written.
    pub fn files_written(&self) -> impl Iterator<Item = &Path> {
        self.written.iter().map(|known| known.path.as_path())
    }
}

impl Known {
    fn new(path: &Path, digested: bool, digests: &mut Digests) -> std::io::Result<Self> {
        let stamp = Stamp::of(path)?;
        let known =
            digests.get(path).filter(|(of, _)| digested && *of == stamp).map(|(_, digest)| digest.clone());
        let sha256 = match (known, digested) {
            (None, true) => {
                let digest = digest(path)?;
                digests.insert(path.into(), (stamp, digest.clone()));
                Some(digest)
            }
            (known, _) => known,
        };
        Ok(Self { path: path.into(), size: stamp.size, modified: stamp.modified, sha256 })
    }

    fn stamp(&self) -> Stamp {
        Stamp { size: self.size, modified: self.modified }
    }

    /// None where it does not, and otherwise whether its time was renewed.
    fn still_holds(&mut self) -> Option<bool> {
        let stamp = Stamp::of(&self.path).ok()?;
        let Some(sha256) = &self.sha256 else { return Some(false) };
        if stamp == self.stamp() {
            return Some(false);
        }
        let same = stamp.size == self.size && digest(&self.path).ok()? == *sha256;
        self.modified = stamp.modified;
        same.then_some(true)
    }
}

/// The digest of a file's bytes.
fn digest(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&digest.finalize())),
            count => digest.update(&buffer[..count]),
        }
    }
}

/// The digest of the names of all frames that a folder or a pattern stands for.
fn listing(path: &Path) -> Option<String> {
    let mut digest = Sha256::new();
    for frame in sequence::list(&Source::from(path)).ok()? {
        digest.update(frame.path().as_os_str().as_encoded_bytes());
        digest.update([0]);
    }
    Some(hex(&digest.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
