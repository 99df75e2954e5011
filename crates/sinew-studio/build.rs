//! Puts the page into the program where it was built: the files of `web/dist` or, in a package of this crate, where there is no
//! such folder, those of `page`. Fetches nothing.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (web, packed) = (here.join("../../web"), here.join("page"));
    let dist = if web.is_dir() { web.join("dist") } else { packed };
    println!("cargo:rerun-if-changed=build.rs");
    // A folder that is not there would count as changed at every build.
    if let Some(watched) = [&dist, &web].into_iter().find(|folder| folder.is_dir()) {
        println!("cargo:rerun-if-changed={}", watched.display());
    }
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        gather(&dist, &mut files);
    }
    files.sort();
    let mut text = String::from("/// The page's files, by their paths in it.\n");
    text += "static FILES: &[(&str, &[u8])] = &[\n";
    for file in &files {
        let name = file.strip_prefix(&dist).unwrap_or(file).to_string_lossy().replace('\\', "/");
        _ = writeln!(text, "    ({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    text += "];\n";
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    std::fs::write(out.join("page.rs"), text).expect("the build folder can be written to");
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, files);
        } else {
            files.push(path);
        }
    }
}
