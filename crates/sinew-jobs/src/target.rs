//! Where results go: checked before the work, filled after it.

use std::path::{Path, PathBuf};

use sinew_io::PartFolder;

use crate::error::{JobError, Outcome};
use crate::streams::{is_input, is_output};

/// Checks that all of these files could be written and are not the same, before long work is begun.
pub fn check(files: &[Option<&Path>]) -> Outcome<()> {
    let named: Vec<&Path> = files.iter().flatten().copied().filter(|path| !is_output(path)).collect();
    for (i, path) in named.iter().enumerate() {
        if named[..i].iter().any(|other| place(other) == place(path)) {
            return Err(JobError::SameTarget((*path).into()));
        }
        sinew_io::check_target(path)?;
    }
    Ok(())
}

/// Checks that none of these files would be written over one that is read.
pub fn check_apart<'a>(
    written: impl IntoIterator<Item = &'a Path>,
    read: impl IntoIterator<Item = &'a Path>,
) -> Outcome<()> {
    let read: Vec<PathBuf> = read.into_iter().filter(|path| !is_input(path)).map(place).collect();
    match written.into_iter().find(|path| !is_output(path) && read.contains(&place(path))) {
        None => Ok(()),
        Some(path) => Err(JobError::OverInput(path.into())),
    }
}

/// A name for a file that two ways of writing its path share, whether it is there already or not.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.into())
}

/// A folder that is filled beside its target and moved there when whole.
pub struct Staged {
    target: PathBuf,
    staging: PartFolder,
}

impl Staged {
    /// Begins a folder; `target` may exist.
    pub fn new(target: &Path) -> Outcome<Self> {
        let refuse = |e: std::io::Error| JobError::File(sinew_io::Error::io(target)(e));
        if target.exists() && !target.is_dir() {
            return Err(JobError::NotAFolder(target.into()));
        }
        // Beside the target, so that moving is renaming: inside it when it is there, else in the nearest
        // folder above that is.
        let parent = target.ancestors().find(|p| p.is_dir()).unwrap_or(Path::new("."));
        let staging = PartFolder::new(parent).map_err(refuse)?;
        Ok(Self { target: target.into(), staging })
    }

    /// Where files are written until the folder is whole.
    pub fn path(&self) -> &Path {
        self.staging.path()
    }

    /// The folder that they go to.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// What went wrong with one of its files, told of the place that the file was to go to.
    pub fn told(&self, error: JobError) -> JobError {
        let JobError::File(sinew_io::Error::Io { path, source }) = error else { return error };
        let path = path.strip_prefix(self.path()).map(|name| self.target.join(name)).unwrap_or(path);
        JobError::File(sinew_io::Error::Io { path, source })
    }

    /// Moves all files to the target, where files of the same names are replaced.
    pub fn commit(self) -> Outcome<()> {
        let refuse = |e: std::io::Error| JobError::File(sinew_io::Error::io(&self.target)(e));
        std::fs::create_dir_all(&self.target).map_err(refuse)?;
        for name in self.staging.names().map_err(refuse)? {
            let (whole, target) = (self.staging.path().join(&name), self.target.join(&name));
            if whole.is_dir() {
                std::fs::rename(whole, target).map_err(refuse)?;
            } else {
                sinew_io::put(&whole, &target)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_comes_whole_or_not_at_all() {
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("a/b");
        drop(Staged::new(&target).unwrap());
        assert!(names(around.path()).is_empty());
        let staged = Staged::new(&target).unwrap();
        std::fs::write(staged.path().join("x"), "1").unwrap();
        assert!(!target.exists());
        staged.commit().unwrap();
        assert_eq!(names(&target), ["x"]);
        assert_eq!(names(around.path()), ["a"]);
    }

    #[test]
    fn errors_name_the_place_that_files_go_to() {
        let around = tempfile::tempdir().unwrap();
        let target = around.path().join("frames");
        let staged = Staged::new(&target).unwrap();
        let full = |path: &Path| {
            let source = std::io::ErrorKind::StorageFull.into();
            staged.told(sinew_io::Error::Io { path: path.into(), source }.into()).to_string()
        };
        let wanted = format!("{}: the disk is full", target.join("a.obj").display());
        assert_eq!(full(&staged.path().join("a.obj")), wanted);
        assert_eq!(full(Path::new("b.obj")), "b.obj: the disk is full");
    }

    #[test]
    fn files_are_told_apart_however_they_are_named() {
        let around = tempfile::tempdir().unwrap();
        let [a, same, b] = ["a", "./a", "b"].map(|name| around.path().join(name));
        let detour = around.path().join("..").join(around.path().file_name().unwrap()).join("a");
        for other in [&same, &detour] {
            assert!(check(&[Some(&a), None, Some(other)]).is_err());
            assert!(check_apart([&*b, other], [&*a]).is_err());
        }
        std::fs::write(&a, "1").unwrap();
        assert!(check(&[Some(&a), Some(&detour)]).is_err());
        assert!(check(&[Some(&a), Some(&b)]).is_ok());
        assert!(check_apart([&*b], [&*a]).is_ok());
    }

    #[test]
    fn a_folder_that_is_there_keeps_its_other_files() {
        let target = tempfile::tempdir().unwrap();
        std::fs::write(target.path().join("old"), "1").unwrap();
        let staged = Staged::new(target.path()).unwrap();
        std::fs::write(staged.path().join("new"), "2").unwrap();
        staged.commit().unwrap();
        assert_eq!(names(target.path()), ["new", "old"]);
        assert!(Staged::new(&target.path().join("old")).is_err());
    }
}
