//! Sentences about files and motion as people at a page can use them: with what can be done there.

use sinew::motion::PlanWarning;
use sinew_io::{Error, Warning};
use sinew_jobs::JobError;

/// Why a file was not read or written, with what a page can do about it.
pub fn of_file(error: &Error) -> String {
    match error {
        Error::NoSkeletonBeside { .. } => format!("{error}; choose both together"),
        Error::NeedsMesh { path, meshes } => format!(
            "{}: a point cache holds no faces; the mesh that goes with it is needed too: choose or drop both together \
             (mesh: {meshes})",
            path.display()
        ),
        Error::FrameAmongClips { .. } => {
            format!("{error}; choose the mesh that goes with a point cache as its rest pose")
        }
        Error::CacheNotFrames { path, cache, mesh } => format!(
            "{}: a point cache and its mesh are there, not a sequence of meshes: choose {} and {}",
            path.display(),
            cache.display(),
            mesh.display()
        ),
        error => error.to_string(),
    }
}

/// Why a job was not done.
pub fn of_job(error: &JobError) -> String {
    match error {
        JobError::File(error) => of_file(error),
        error => error.to_string(),
    }
}

/// What there is to know about files, with what a page can do about it.
pub fn warnings(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(|warning| warning.told(&of_file_warning)).collect()
}

fn of_file_warning(warning: &Warning) -> String {
    match warning {
        Warning::StandsAlong { seems, .. } => {
            format!("{warning}; in the Motion panel, Up set to {seems} turns it")
        }
        warning => warning.to_string(),
    }
}

/// What there is to know about a motion on its way onto a rig, with what the panel has for it.
pub fn of_warning(warning: &sinew_jobs::Warning) -> String {
    warning.told(&|warning: &sinew_jobs::Warning| match warning {
        sinew_jobs::Warning::File(warning) => warning.told(&of_file_warning),
        sinew_jobs::Warning::Plan(doubt) => of_doubt(doubt),
        warning => warning.to_string(),
    })
}

fn of_doubt(doubt: &PlanWarning) -> String {
    match doubt {
        PlanWarning::PoorAgreement { apart_percent, angle_degrees } => {
            let limbs =
                angle_degrees.map(|angle| format!(", limbs {angle:.0}° in the mean")).unwrap_or_default();
            format!(
                "{doubt}: joints are {apart_percent:.0} % of the height apart{limbs}; give frames in which both stand \
                 alike, or put joints to bones by hand"
            )
        }
        PlanWarning::FacesElsewhere { degrees } => format!(
            "{doubt}: {degrees:.0}° away from the rig, told by its shape alone; preview it, and say which way the rig \
             faces if that is wrong"
        ),
        PlanWarning::EitherWay { margin_percent } => format!(
            "{doubt}, {margin_percent:.0} % worse; if it walks backwards, say which way the rig faces, or give frames \
             in which both stand alike"
        ),
        PlanWarning::LimbsDiffer { .. } | PlanWarning::LimbsApart { .. } => {
            format!("{doubt}; see below which joint each bone follows, and put right what is wrong")
        }
        doubt => doubt.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use sinew_io::SkeletonProblem;
    use sinew_io::scene::Up;

    use super::*;

    #[test]
    fn remedies_are_those_of_the_page() {
        let file = |name: &str| PathBuf::from(name);
        let cache = Error::NeedsMesh { path: file("a.pc2"), meshes: "OBJ or PLY files".into() };
        assert!(of_file(&cache).ends_with("choose or drop both together (mesh: OBJ or PLY files)"));
        let problem = SkeletonProblem::None;
        let motion = Error::NoSkeletonBeside { path: file("a.amc"), wanted: "a.asf".into(), problem };
        assert!(of_job(&motion.into()).ends_with("it would be called a.asf; choose both together"));
        let folder = Error::CacheNotFrames { path: file("d"), cache: file("d/c.pc2"), mesh: file("d/m.obj") };
        assert!(of_file(&folder).ends_with(": choose d/c.pc2 and d/m.obj"));
        let lying = Warning::StandsAlong { seems: Up::Z, taken: Up::Y }.at("a.bvh");
        let said = warnings(&[lying]);
        assert!(
            said[0].starts_with("a.bvh: the figure seems to stand along z, but y is taken to be up; in the")
        );
    }
}
