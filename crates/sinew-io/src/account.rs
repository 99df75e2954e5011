//! Which files a piece of work reads and writes, for those who want to know whether it has to be done again.
//!
//! A file leads to others (buffers, images, layers, materials), so that names in a job are not all of what it reads. There is
//! one account a process, as readers are many and run on several threads: whoever keeps it does one piece of work at a
//! time. Without one nothing is noted.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;

/// What tells, without reading it, that a file is likely to be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// In bytes.
    pub size: u64,
    /// When it last changed, in nanoseconds since 1970; 0 where the system does not tell.
    pub modified: u64,
}

impl Stamp {
    /// That of a file.
    ///
    /// # Errors
    /// What the system says about it.
    pub fn of(path: &Path) -> io::Result<Self> {
        let about = std::fs::metadata(path)?;
        let modified = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        Ok(Self { size: about.len(), modified })
    }
}

/// Files that were read and written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// What was opened, with its stamp before it was first read; none of what is not there.
    pub read: BTreeMap<PathBuf, Option<Stamp>>,
    /// What was put in its place.
    pub written: BTreeSet<PathBuf>,
}

static ACCOUNT: Mutex<Option<Account>> = Mutex::new(None);

fn account() -> MutexGuard<'static, Option<Account>> {
    ACCOUNT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps account of what `work` reads and writes.
pub fn of<T>(work: impl FnOnce() -> T) -> (T, Account) {
    *account() = Some(Account::default());
    let done = work();
    (done, account().take().unwrap_or_default())
}

/// Notes a file that is about to be read.
pub(crate) fn reads(path: &Path) {
    if let Some(account) = account().as_mut()
        && !account.read.contains_key(path)
    {
        account.read.insert(path.into(), Stamp::of(path).ok());
    }
}

/// Notes a file that is about to be put in its place.
pub(crate) fn writes(path: &Path) {
    if let Some(account) = account().as_mut() {
        account.written.insert(path.into());
    }
}
