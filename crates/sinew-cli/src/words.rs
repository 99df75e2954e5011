//! What somebody should know, with what the command line can do about it.

use sinew_jobs::Warning;

use crate::console::number;

/// A warning with its remedy.
pub fn warning(warning: &Warning) -> String {
    match warning {
        Warning::NoFaces { .. } => format!("{warning}: --rest FILE brings those of a mesh"),
        Warning::Unit { input, output, .. } => {
            format!("{warning}; --scale {} keeps the size", number(input / output))
        }
        warning => warning.to_string(),
    }
}
