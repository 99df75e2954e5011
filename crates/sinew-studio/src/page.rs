//! The page: files that were built in, or those of a folder.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Where the files of the page are.
#[derive(Clone, Debug)]
pub enum Page {
    /// In the program.
    BuiltIn,
    /// In a folder, read each time: for those who work on it.
    Folder(PathBuf),
}

impl Page {
    /// How to get a page where none was built in.
    pub const HOW_TO_GET: &str = "this sinew was built without the studio's page: run npm ci && npm \
                                  run build in web/ and build sinew again, or name a folder that holds the \
                                  page with --page";

    /// The page in the program, if there is one.
    pub fn built_in() -> Option<Self> {
        (!FILES.is_empty()).then_some(Self::BuiltIn)
    }

    /// A file of the page, by its path in the address.
    pub fn file(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        let path = if path == "/" { "index.html" } else { path.trim_start_matches('/') };
        match self {
            Self::BuiltIn => {
                FILES.iter().find(|(name, _)| *name == path).map(|(_, bytes)| Cow::Borrowed(*bytes))
            }
            Self::Folder(folder) => {
                let folder = folder.canonicalize().ok()?;
                let file = folder.join(path).canonicalize().ok()?;
                if !file.starts_with(&folder) {
                    return None;
                }
                std::fs::read(file).ok().map(Cow::Owned)
            }
        }
    }
}

/// What a file is, for browsers.
pub fn media_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or("html") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" | "map" => "application/json",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
