//! Where USD text goes: straight into a `.usda` file, or into a package with images beside it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Result, Seek, Write};
use std::path::Path;

use sinew::geometry::Image;

use crate::containers::usdz::PackageWriter;
use crate::{Error, save};

/// Whether a path names a package.
pub(super) fn is_package(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("usdz"))
}

/// Writes a layer through `fill`, as a package if the path says so. Returns the number of bytes.
pub(super) fn write(
    path: &Path,
    images: &[(String, &Image)],
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> crate::Result<u64> {
    if !is_package(path) {
        return save(path, fill);
    }
    // A package states the size of the layer before it, so the layer is made first.
    let mut layer = Summed::beside(path).map_err(Error::io(path))?;
    fill(&mut layer).map_err(Error::io(path))?;
    let (mut file, size, sum) = layer.finish().map_err(Error::io(path))?;
    let stem = path.file_stem().map_or("layer".into(), |s| s.to_string_lossy().into_owned());
    save(path, |out| {
        let mut package = PackageWriter::new(out);
        package.add(&format!("{stem}.usda"), size, sum, &mut file)?;
        for (name, image) in images {
            let sum = crc32fast::hash(&image.bytes);
            package.add(name, image.bytes.len() as u64, sum, &mut &image.bytes[..])?;
        }
        package.finish()
    })
}

/// A temporary file in the folder of another, gone when it is closed.
pub(super) fn scratch(path: &Path) -> Result<File> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::tempfile_in(folder)
}

/// A temporary file whose size and checksum are kept.
struct Summed {
    file: BufWriter<File>,
    size: u64,
    sum: crc32fast::Hasher,
}

impl Summed {
    fn beside(path: &Path) -> Result<Self> {
        Ok(Self { file: BufWriter::new(scratch(path)?), size: 0, sum: crc32fast::Hasher::new() })
    }

    fn finish(self) -> Result<(BufReader<File>, u64, u32)> {
        let mut file = self.file.into_inner().map_err(|e| e.into_error())?;
        file.rewind()?;
        Ok((BufReader::new(file), self.size, self.sum.finalize()))
    }
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let written = self.file.write(bytes)?;
        self.size += written as u64;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}
