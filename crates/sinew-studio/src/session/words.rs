//! Sentences about files as people at a page can use them: with what can be done there.

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
    let say = |warning: &Warning| match warning {
        Warning::StandsAlong { seems, .. } => {
            format!("{warning}; in the Motion panel, Up set to {seems} turns it")
        }
        warning => warning.to_string(),
    };
    warnings.iter().map(|warning| warning.told(&say)).collect()
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
