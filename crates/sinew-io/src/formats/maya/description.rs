//! The XML file of a cache, of which a few attributes are needed: tags are looked for, not a tree.

use std::path::Path;

use crate::{Error, Result};

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Description {
    /// Whether every frame has a file of its own.
    pub file_per_frame: bool,
    /// Ending of the data files.
    pub ending: String,
    /// Time from one frame to the next, in 6000ths of a second.
    pub per_frame: Option<i32>,
    /// First and last time.
    pub range: Option<(i32, i32)>,
    /// Channels of positions.
    pub channels: Vec<String>,
}

/// Whether a file starts like one of these.
pub(super) fn is_description(start: &[u8]) -> bool {
    let tag = b"<Autodesk_Cache_File";
    start.windows(tag.len()).any(|part| part == tag)
}

/// Reads the file.
pub(super) fn parse(text: &str, path: &Path) -> Result<Description> {
    if !is_description(text.as_bytes()) {
        return Err(Error::malformed(
            path,
            "this is not a Maya cache: there is no <Autodesk_Cache_File> in it",
        ));
    }
    let mut found = Description { ending: "mcx".into(), ..Description::default() };
    let mut any = false;
    for tag in text.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        let name = tag.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
        let value = |key: &str| attribute(tag, key);
        match name {
            "cacheType" => {
                any = true;
                found.file_per_frame = value("Type").is_some_and(|kind| kind == "OneFilePerFrame");
                // Maya calls the old format mcc, and its files .mc.
                found.ending = if value("Format").is_some_and(|f| f == "mcx") { "mcx" } else { "mc" }.into();
            }
            "time" => found.range = value("Range").and_then(|range| two(&range)),
            "cacheTimePerFrame" => {
                found.per_frame = value("TimePerFrame").and_then(|t| t.parse().ok()).filter(|t| *t > 0);
            }
            _ if name.starts_with("channel") => {
                let positions = value("ChannelInterpretation").is_none_or(|what| what == "positions");
                found.channels.extend(value("ChannelName").filter(|_| positions));
            }
            _ => {}
        }
    }
    if any { Ok(found) } else { Err(Error::malformed(path, "the file is cut short: it has no cacheType")) }
}

/// The value of an attribute.
fn attribute(tag: &str, key: &str) -> Option<String> {
    let mut from = 0;
    loop {
        let at = from + tag[from..].find(key)?;
        let rest = tag[at + key.len()..].trim_start();
        let alone = tag[..at].ends_with([' ', '\t', '\r', '\n']);
        if let Some(rest) = rest.strip_prefix('=').filter(|_| alone) {
            let rest = rest.trim_start();
            let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'')?;
            let value = rest[1..].split(quote).next()?;
            return Some(plain(value));
        }
        from = at + key.len();
    }
}

/// Text with the few entities that XML always knows.
fn plain(text: &str) -> String {
    let names = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    names.iter().fold(text.to_string(), |text, (name, stands_for)| text.replace(name, stands_for))
}

/// Two numbers with a dash between them, either of which may be negative.
fn two(text: &str) -> Option<(i32, i32)> {
    let dash = 1 + text.get(1..)?.find('-')?;
    Some((text[..dash].trim().parse().ok()?, text[dash + 1..].trim().parse().ok()?))
}
