//! What is there after a kill: the session in a folder of its own, written a moment after every change.
//!
//! Each server holds a lock in its folder. A folder that nobody holds was left behind by one that has
//! gone, and is offered to the next.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sinew_io::formats::sinew_file;

use crate::lock::{hold, is_left};
use crate::session::{LIST, Offer, Saved, Session, Shape, read_saved};
use crate::sync::{Changes, locked};

/// The file in a folder that its server holds.
const LOCK: &str = "lock";
/// How long it has to be quiet before a session is written.
const QUIET: Duration = Duration::from_millis(700);
/// The longest that it is put off.
const PATIENCE: Duration = Duration::from_secs(5);
/// Sessions that were left behind and are kept.
const MOST_LEFT: usize = 3;

/// A folder that a session is kept in.
pub struct Autosave {
    folder: PathBuf,
    /// Held as long as the server lives.
    _lock: File,
    /// One at a time.
    writing: Mutex<()>,
}

impl Autosave {
    /// Where sessions are kept on this machine, if there is a place for such things.
    pub fn usual_place() -> Option<PathBuf> {
        let home = || std::env::var_os("HOME").or(std::env::var_os("USERPROFILE")).map(PathBuf::from);
        let state =
            std::env::var_os("XDG_STATE_HOME").or(std::env::var_os("LOCALAPPDATA")).map(PathBuf::from);
        let state =
            state.filter(|path| path.is_absolute()).or_else(|| home().map(|h| h.join(".local/state")));
        state.map(|state| state.join("sinew/studio"))
    }

    /// Takes a new folder below `place`, and says what another server left behind there.
    pub fn new(place: &Path) -> std::io::Result<(Self, Option<Offer>)> {
        std::fs::create_dir_all(place)?;
        let offer = left_behind(place);
        let folder = new_folder(place)?;
        let lock = hold(&folder, LOCK)?;
        Ok((Self { folder, _lock: lock, writing: Mutex::default() }, offer))
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the session after changes, as long as it lives.
    pub(crate) fn keep(self: &Arc<Self>, session: &Arc<Mutex<Session>>, changes: Arc<Changes>) {
        let (autosave, session) = (self.clone(), Arc::downgrade(session));
        std::thread::spawn(move || autosave.run(&session, &changes));
    }

    fn run(&self, session: &Weak<Mutex<Session>>, changes: &Changes) {
        let mut seen = 0;
        while let Some(now) = changes.wait(seen, None) {
            seen = now;
            let latest = Instant::now() + PATIENCE;
            loop {
                let quiet = (Instant::now() + QUIET).min(latest);
                let Some(now) = changes.wait(seen, Some(quiet)) else { break };
                let over = now == seen || Instant::now() >= latest;
                seen = now;
                if over {
                    break;
                }
            }
            let Some(session) = session.upgrade() else { break };
            let mut held = locked(&session);
            let (keep, restored) = (held.to_keep(self::now()), held.restored.take());
            drop(held);
            drop(session);
            if self.write(keep)
                && let Some(old) = restored
            {
                // This one is kept in its place. Where the old cannot be removed it is offered again.
                _ = std::fs::remove_dir_all(old);
            }
        }
    }

    /// Writes a session for the last time.
    pub(crate) fn end(&self, session: &Session) {
        let keep = session.to_keep(now());
        let opened = keep.as_ref().map(|(saved, _)| saved.clone());
        self.write(keep);
        // Motions and what else was sent are not gone on with.
        for entry in std::fs::read_dir(self.folder.join("uploads")).into_iter().flatten().flatten() {
            let named = |saved: &Saved| saved.names(&entry.file_name().to_string_lossy());
            if !opened.as_ref().is_some_and(named) {
                _ = std::fs::remove_file(entry.path());
            }
        }
        // A session that nobody changed leaves nothing behind.
        if !self.folder.join(LIST).exists() {
            _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    /// Whether it could be written.
    fn write(&self, keep: Option<(Saved, Vec<(String, Shape)>)>) -> bool {
        let _one = locked(&self.writing);
        let written = self.try_write(keep);
        if let Err(e) = &written {
            eprintln!("the session could not be kept in {}: {e}", self.folder.display());
        }
        written.is_ok()
    }

    /// Writes what is new, then the list that names it, then removes what it no longer names.
    fn try_write(
        &self,
        keep: Option<(Saved, Vec<(String, Shape)>)>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let list = self.folder.join(LIST);
        let Some((saved, shapes)) = keep else {
            if list.exists() {
                std::fs::remove_file(list)?;
            }
            return Ok(());
        };
        for (name, shape) in &shapes {
            let path = self.folder.join(name);
            match shape {
                _ if path.exists() => {}
                Shape::Rig(rig) => _ = sinew_file::write_rig(&path, rig, "")?,
                Shape::Chain(chain, _) => _ = sinew_file::write_chain(&path, chain, "")?,
                Shape::Poses(..) => {}
            }
        }
        let text = serde_json::to_vec_pretty(&saved)?;
        sinew_io::save(&list, |out| out.write_all(&text))?;
        for entry in std::fs::read_dir(&self.folder)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".sinew") && !shapes.iter().any(|(kept, _)| *kept == name) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Makes a folder that no other server has: containers that share a home count processes from the same number,
/// and may start in the same second.
fn new_folder(place: &Path) -> std::io::Result<PathBuf> {
    let name = format!("{}-{}", now(), std::process::id());
    let mut folder = place.join(&name);
    let mut others = 0;
    loop {
        match std::fs::create_dir(&folder) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
                others += 1;
                folder = place.join(format!("{name}-{others}"));
            }
            made => return made.map(|()| folder),
        }
    }
}

/// The newest session that nobody holds. Very old ones go.
fn left_behind(place: &Path) -> Option<Offer> {
    let mut left: Vec<Offer> = Vec::new();
    for entry in std::fs::read_dir(place).ok()?.flatten() {
        let folder = entry.path();
        if !is_left(&folder, LOCK) {
            continue;
        }
        match read_saved(&folder) {
            Ok(saved) => left.push(Offer { name: saved.name, when: saved.when, folder }),
            // Nothing was worth keeping, or the kill came before it was kept.
            Err(_) => _ = std::fs::remove_dir_all(folder),
        }
    }
    left.sort_by_key(|offer| std::cmp::Reverse(offer.when));
    for old in left.iter().skip(MOST_LEFT) {
        _ = std::fs::remove_dir_all(&old.folder);
    }
    left.into_iter().next()
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
