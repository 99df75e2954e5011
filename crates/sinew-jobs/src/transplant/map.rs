//! Maps: which joint each bone follows, as a file that a person can edit.

use std::fmt::Write;
use std::path::Path;

use sinew::motion::{Confidence, Mapping, MatchReason, Motion, Plan};
use sinew::rig::Rig;
use sinew_io::map_file;

use crate::error::{JobError, Outcome};
use crate::words::number;

/// Reads a map.
pub(super) fn read(path: &Path, rig: &Rig, motion: &Motion) -> Outcome<Mapping> {
    let map = map_file::read(path)?;
    let pairs = map.iter().map(|(bone, joint)| (bone.as_str(), joint.as_deref()));
    Mapping::from_names(rig, motion, pairs).map_err(|error| JobError::Mapping { path: path.into(), error })
}

/// A map with comments that tell what it means.
pub(super) fn text(source: &str, onto: &str, rig: &Rig, motion: &Motion, plan: &Plan) -> String {
    let [source, onto] = [source, onto].map(|path| path.replace(char::is_control, " "));
    let mut out = format!(
        "# Which joint of {source} each bone of {onto} follows, for sinew transplant --map.\n\
         # Left is a bone, right a joint. Several bones may follow one joint. A bone with \"\", or without\n\
         # a line, goes with the bone it hangs on. Behind each line is why Sinew chose it.\n\n[bones]\n"
    );
    let lines: Vec<String> = (0..rig.bones.len())
        .map(|bone| {
            let joint = plan.mapping.joints[bone].map(|joint| motion.joints[joint].name.as_str());
            map_file::line(&rig.bones[bone].name, joint)
        })
        .collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    for (line, why) in lines.iter().zip(&plan.reasons) {
        _ = writeln!(out, "{line:<width$}  # {}", reason(why));
    }
    let used: Vec<usize> = plan.mapping.joints.iter().flatten().copied().collect();
    let free: Vec<&str> = (0..motion.joints.len())
        .filter(|joint| !used.contains(joint))
        .map(|joint| motion.joints[joint].name.as_str())
        .collect();
    if !free.is_empty() {
        out += "\n# Joints that no bone follows:\n";
        free.iter().for_each(|name| _ = writeln!(out, "#   {}", name.replace(char::is_control, " ")));
    }
    out
}

/// How sure a choice is, in words.
pub(super) fn reason(reason: &MatchReason) -> String {
    let sure = match reason.confidence() {
        Confidence::Sure => "sure",
        Confidence::Likely => "likely",
        Confidence::Guess => "a guess",
    };
    match reason {
        MatchReason::Name => format!("{sure}: of the same name"),
        MatchReason::Body => format!("{sure}: the same part of the body"),
        MatchReason::Path(percent) => {
            format!("{sure}: moves alike, {} % of the height apart", number(*percent))
        }
        MatchReason::Position(percent) => {
            format!("{sure}: nearest, {} % of the height away", number(*percent))
        }
        MatchReason::Shared(percent) => format!(
            "{sure}: nearest, {} % of the height away, but another joint of the limb is free",
            number(*percent)
        ),
        MatchReason::Stretched(percent) => {
            format!("{sure}: nearest, {} % of the height away, but of quite another length", number(*percent))
        }
        _ => "nothing speaks for a joint".into(),
    }
}
