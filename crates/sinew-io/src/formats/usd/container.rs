//! Where USD text goes: straight into a `.usda` file, or into a package with images beside it.

use std::io::{self, Write};
use std::path::Path;

use sinew::geometry::Image;

use crate::containers::usdz::PackageWriter;
use crate::{Result, Target};

/// Whether a path names a package.
pub(super) fn is_package(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("usdz"))
}

/// Writes a layer through `fill`, as a package if the path says so.
pub(super) fn write(
    to: &mut Target,
    images: &[(String, &Image)],
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    if !is_package(to.path()) {
        return to.write(|mut out| fill(&mut out));
    }
    let layer = format!("{}.usda", to.stem_or("layer"));
    to.write(|out| {
        let mut package = PackageWriter::new(out);
        package.add(&layer, fill)?;
        for (name, image) in images {
            package.add(name, |out| out.write_all(&image.bytes))?;
        }
        package.finish()
    })
}
