//! Finds the materials that faces name, and their textures.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use sinew::geometry::{Image, Material, Texture};

use super::{LibraryMaterial, parse};
use crate::Warning;
use crate::error::in_words;
use crate::scene::images::mime_type;
use crate::warning::{Linked, Remark};

type Load<'a> = dyn Fn(&Path) -> io::Result<Vec<u8>> + 'a;

/// Materials ready for a mesh.
#[derive(Default)]
pub(crate) struct Resolved {
    /// One material per name asked for, in that order.
    pub materials: Vec<Material>,
    pub images: Vec<Image>,
    pub warnings: Vec<Warning>,
}

/// Looks `names` up in `libraries`, the arguments of the `mtllib` statements of the OBJ file at `path`.
/// A name that is in none of them gets a plain material.
pub(crate) fn resolve(names: &[String], libraries: &[String], path: &Path, load: &Load) -> Resolved {
    let mut result = Resolved::default();
    let mut known: HashMap<String, (LibraryMaterial, PathBuf)> = HashMap::new();
    for library in libraries {
        for (file, bytes) in load_libraries(library, path, load, &mut result.warnings) {
            let parsed = parse(&bytes, &file);
            result.warnings.extend(parsed.warnings);
            for material in parsed.materials {
                known.entry(material.material.name.clone()).or_insert_with(|| (material, file.clone()));
            }
        }
    }
    let unknown: Vec<&str> = names.iter().filter(|n| !known.contains_key(*n)).map(String::as_str).collect();
    if !unknown.is_empty() {
        let unknown = unknown.into_iter().map(Into::into).collect();
        result.warnings.push(Warning::MaterialsUndefined(unknown).at(path));
    }
    let mut textures = Textures { load, loaded: HashMap::new() };
    for name in names {
        let material = match known.remove(name) {
            Some((material, library)) => textures.attach(material, &library, &mut result),
            None => Material { name: name.clone(), ..Material::default() },
        };
        result.materials.push(material);
    }
    result
}

/// Loads what one `mtllib` statement names: one file whose name may hold blanks, otherwise several.
fn load_libraries(
    argument: &str,
    path: &Path,
    load: &Load,
    warnings: &mut Vec<Warning>,
) -> Vec<(PathBuf, Vec<u8>)> {
    let names: Vec<&str> = argument.split_whitespace().collect();
    let whole = load_beside(path, argument, load);
    if whole.is_ok() || names.len() < 2 {
        return keep_or_warn(whole, Linked::MaterialLibrary, argument, path, warnings).into_iter().collect();
    }
    names
        .into_iter()
        .filter_map(|n| keep_or_warn(load_beside(path, n, load), Linked::MaterialLibrary, n, path, warnings))
        .collect()
}

fn keep_or_warn<T>(
    result: io::Result<T>,
    what: Linked,
    name: &str,
    by: &Path,
    warnings: &mut Vec<Warning>,
) -> Option<T> {
    result
        .map_err(|e| {
            let unread = Warning::Unread { what, name: name.into(), why: in_words(&e) };
            warnings.push(unread.at(by));
        })
        .ok()
}

/// Loads the file that the file at `by` names: at its place relative to `by`, or else right beside it,
/// because exporters write paths of the machine they ran on.
fn load_beside(by: &Path, name: &str, load: &Load) -> io::Result<(PathBuf, Vec<u8>)> {
    let folder = by.parent().unwrap_or(Path::new(""));
    let name = name.replace('\\', "/");
    let there = folder.join(&name);
    let first = match load(&there) {
        Ok(bytes) => return Ok((there, bytes)),
        Err(error) => error,
    };
    let beside = folder.join(name.rsplit('/').next().unwrap_or_default());
    match load(&beside) {
        Ok(bytes) if beside != there => Ok((beside, bytes)),
        _ => Err(first),
    }
}

/// Texture files, each loaded once.
struct Textures<'a> {
    load: &'a Load<'a>,
    /// Image number by library and name; `None` for those that could not be used.
    loaded: HashMap<(PathBuf, String), Option<usize>>,
}

impl Textures<'_> {
    /// The material with its textures in `result.images`.
    fn attach(&mut self, material: LibraryMaterial, library: &Path, result: &mut Resolved) -> Material {
        let LibraryMaterial { mut material, maps } = material;
        for (slot, file) in maps {
            let key = (library.to_path_buf(), file);
            let image = match self.loaded.get(&key) {
                Some(image) => *image,
                None => {
                    let image = load_image(library, &key.1, self.load, result);
                    self.loaded.insert(key, image);
                    image
                }
            };
            material.textures.extend(image.map(|image| Texture::new(slot, image)));
        }
        material
    }
}

fn load_image(library: &Path, file: &str, load: &Load, result: &mut Resolved) -> Option<usize> {
    let loaded = load_beside(library, file, load);
    let (path, bytes) = keep_or_warn(loaded, Linked::Texture, file, library, &mut result.warnings)?;
    let Some(mime_type) = mime_type(&bytes) else {
        result.warnings.push(Warning::from(Remark::TextureKind).at(path));
        return None;
    };
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    result.images.push(Image { name, mime_type: mime_type.into(), bytes });
    Some(result.images.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    /// Resolves `names` against files that exist only here.
    fn resolved(names: &[&str], libraries: &[&str], files: &[(&str, &[u8])]) -> Resolved {
        let load = |path: &Path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| io::Error::other("not there"))
        };
        let owned = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        resolve(&owned(names), &owned(libraries), Path::new("d/a.obj"), &load)
    }

    #[test]
    fn textures_are_found_beside_the_library_and_shared() {
        let mtl = b"newmtl a\nmap_Kd C:\\work\\tex.png\nnewmtl b\nmap_Kd C:\\work\\tex.png\nnewmtl c\n";
        let r = resolved(&["b", "a"], &["sub/m 1.mtl"], &[("d/sub/m 1.mtl", mtl), ("d/sub/tex.png", PNG)]);
        assert_eq!(r.warnings, Vec::<crate::Warning>::new());
        assert_eq!(r.materials.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(r.images.len(), 1);
        assert_eq!((r.images[0].name.as_str(), r.images[0].mime_type.as_str()), ("tex", "image/png"));
        assert!(
            r.materials
                .iter()
                .all(|m| m.textures == [Texture::new(sinew::geometry::TextureSlot::BaseColor, 0)])
        );
    }

    #[test]
    fn several_libraries_stand_on_one_line() {
        let files: [(&str, &[u8]); 2] = [("d/a.mtl", b"newmtl a\nPm 1"), ("d/b.mtl", b"newmtl b\nPm 0.5")];
        let r = resolved(&["a", "b"], &["a.mtl  b.mtl"], &files);
        assert_eq!(r.warnings, Vec::<crate::Warning>::new());
        assert_eq!((r.materials[0].metallic, r.materials[1].metallic), (1.0, 0.5));
    }

    #[test]
    fn what_is_missing_is_a_warning() {
        let files: [(&str, &[u8]); 2] =
            [("d/m.mtl", b"newmtl a\nmap_Kd t.png\nmap_Ke t.tga"), ("d/t.tga", b"x")];
        let r = resolved(&["a", "other"], &["m.mtl", "n.mtl"], &files);
        assert_eq!(
            crate::warning::sentences(&r.warnings),
            [
                "d/a.obj: the material library “n.mtl” could not be read: not there",
                "d/a.obj: no material library defines other; a plain one stands in",
                "d/m.mtl: the texture “t.png” could not be read: not there",
                "d/t.tga: the texture is neither PNG nor JPEG and is left out",
            ]
        );
        assert_eq!(r.materials.len(), 2);
        assert!(r.materials[0].textures.is_empty());
    }
}
