//! Options of `skin --method best`, and the rigs it starts from.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sinew::rig::Rig;
use sinew::skin::{BoneKind, DescentOptions, Initialisation, Method, Skin, SkinOptions, Solve};
use sinew_io::open::Opened;

use crate::console::count;
use crate::error::{CliError, Outcome};
use crate::pair::rig_like;
use crate::rig_file::sampling;

/// Options of method best.
#[derive(Args)]
#[command(next_help_heading = "Method best")]
pub struct BestArgs {
    /// Leave the rest pose as it is, instead of moving each vertex to where the bones serve it best
    #[arg(long)]
    keep_rest: bool,

    /// How smooth weights are over the surface; 0 leaves them as the error wants them. The report says what it
    /// costs
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_negative_numbers = true)]
    smooth: f64,

    /// What bones are made of at first: turns (triangles that turn alike; several are tried), mean-shift, regions
    /// (grown over the surface), points (spread over it), or a rig whose bones, weights and rest pose are improved
    #[arg(long, value_name = "START|RIG", default_value = "turns")]
    start: String,

    /// What may change of the rig that --start names
    #[arg(long, value_enum, value_name = "PART")]
    solve: Option<SolvePart>,

    /// Bones of the starting rig that keep their motion: names or numbers, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    lock_bones: Vec<String>,

    /// Vertices that keep the weights and rest position of the starting rig: a text file with numbers from 0 and
    /// ranges such as 10-20, separated by spaces, commas or lines; # begins a comment
    #[arg(long, value_name = "FILE.txt")]
    lock_vertices: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum SolvePart {
    Weights,
    Transforms,
    Both,
}

/// What of the options depends on files.
pub struct BestJob {
    /// Options of method best.
    pub options: SkinOptions,
    /// The rig to start from.
    pub rig: Option<PathBuf>,
    lock_bones: Vec<String>,
    lock_vertices: Option<PathBuf>,
    /// Whether bones may stretch; `None` does as the starting rig does.
    kind: Option<BoneKind>,
}

impl BestArgs {
    /// The first option given that other methods do not know.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.keep_rest, "--keep-rest"),
            (self.smooth != 1.0, "--smooth"),
            (self.start != "turns", "--start"),
            (self.solve.is_some(), "--solve"),
            (!self.lock_bones.is_empty(), "--lock-bones"),
            (self.lock_vertices.is_some(), "--lock-vertices"),
        ];
        given.iter().find(|(given, _)| *given).map(|(_, name)| *name)
    }

    /// Checks that options go together. `kind` is what was asked for; `options` holds what other methods know too.
    pub fn job(&self, kind: Option<BoneKind>, options: SkinOptions) -> Outcome<BestJob> {
        let path = Path::new(&self.start);
        let (initialisation, rig) = match self.start.parse() {
            Ok(initialisation) => (initialisation, None),
            Err(_) if path.exists() => (Initialisation::default(), Some(path.to_path_buf())),
            Err(unknown) => {
                return CliError::refused(format!(
                    "--start {}: there is no such file; give {} or a rig",
                    self.start,
                    unknown.known.join(", ")
                ));
            }
        };
        if rig.is_none() {
            let needs_rig = [
                (self.solve.is_some(), "--solve"),
                (!self.lock_bones.is_empty(), "--lock-bones"),
                (self.lock_vertices.is_some(), "--lock-vertices"),
            ];
            if let Some((_, name)) = needs_rig.iter().find(|(given, _)| *given) {
                return CliError::refused(format!(
                    "{name} says what stays of a rig: name it with --start RIG.glb"
                ));
            }
        } else if options.bones.is_some() {
            return CliError::refused("--start RIG brings its bones along; leave out --bones");
        }
        let descent = DescentOptions {
            // A rig's rest pose belongs to whoever made it.
            keep_rest: self.keep_rest || rig.is_some(),
            smoothness: self.smooth,
            initialisation,
            solve: match self.solve {
                Some(SolvePart::Weights) => Solve::Weights,
                Some(SolvePart::Transforms) => Solve::Transforms,
                Some(SolvePart::Both) | None => Solve::Both,
            },
            ..DescentOptions::default()
        };
        let options =
            SkinOptions { method: Method::Best(descent), kind: kind.unwrap_or_default(), ..options };
        Ok(BestJob {
            options,
            rig,
            lock_bones: self.lock_bones.clone(),
            lock_vertices: self.lock_vertices.clone(),
            kind,
        })
    }
}

impl BestJob {
    /// A job that solves weights for the bones of a rig.
    pub fn weights_for(rig: PathBuf, options: SkinOptions) -> Self {
        let descent = DescentOptions { keep_rest: true, solve: Solve::Weights, ..DescentOptions::default() };
        let options = SkinOptions { method: Method::Best(descent), ..options };
        Self { options, rig: Some(rig), lock_bones: Vec::new(), lock_vertices: None, kind: None }
    }

    /// Reads the starting rig and what is locked; returns the finished options and what should be told.
    pub fn with_files(&self, opened: &Opened) -> Outcome<(SkinOptions, Vec<String>)> {
        let mut options = self.options.clone();
        let (Some(path), Method::Best(descent)) = (&self.rig, &mut options.method) else {
            return Ok((options, Vec::new()));
        };
        let animation = &opened.animation;
        let sampled = rig_like(path, animation.frames.vertex_count(), &sampling(animation))?;
        let (rig, mut said) = (sampled.rig, sampled.warnings);
        let vertices = animation.frames.vertex_count();
        if rig.rest.len() != vertices {
            return CliError::refused(format!(
                "{}: the rig has {}, but {} has {vertices}",
                path.display(),
                count(rig.rest.len(), "vertex", "vertices"),
                opened.source
            ));
        }
        let same_frames = rig.frame_count() == animation.frames.len();
        if !same_frames {
            let (has, wanted) = (count(rig.frame_count(), "frame", "frames"), animation.frames.len());
            let differs =
                format!("{}: the rig has {has}, but {} has {wanted}", path.display(), opened.source);
            if descent.solve == Solve::Weights || !self.lock_bones.is_empty() {
                return CliError::refused(differs);
            }
            said.push(format!("{differs}; only its weights are used"));
        }
        descent.locked_bones = locked_bones(&rig, &self.lock_bones, path)?;
        if let Some(mask) = &self.lock_vertices {
            descent.locked_vertices = locked_vertices(mask, vertices)?;
        }
        if self.kind.is_none() {
            let rigid = rig.bones.iter().all(|b| b.rigid);
            options.kind = if rigid { BoneKind::Rigid } else { BoneKind::Flexible };
        }
        options.given_bones = Some(rig.bones.clone());
        let mut given = Skin::from(rig);
        if !same_frames {
            given.transforms.clear();
        }
        descent.initialisation = Initialisation::Skin(given);
        Ok((options, said))
    }
}

/// Numbers of bones given by name or number.
fn locked_bones(rig: &Rig, names: &[String], path: &Path) -> Outcome<Vec<usize>> {
    let find = |name: &String| {
        let by_name = rig.bones.iter().position(|b| b.name == *name);
        by_name.or_else(|| name.parse().ok().filter(|&i| i < rig.bones.len())).ok_or_else(|| {
            let last = rig.bones.len() - 1;
            let some: Vec<&str> = rig.bones.iter().take(5).map(|b| b.name.as_str()).collect();
            CliError::Refused(format!(
                "{}: there is no bone {name}; bones have numbers 0 to {last} and names such as {}",
                path.display(),
                some.join(", ")
            ))
        })
    };
    names.iter().map(find).collect()
}

/// Vertices named in a text file.
fn locked_vertices(path: &Path, count: usize) -> Outcome<Vec<bool>> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| CliError::Refused(format!("{}: the file cannot be read: {e}", path.display())))?;
    let mut locked = vec![false; count];
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        for word in line.split([' ', '\t', ',']).filter(|w| !w.is_empty()) {
            let ends = match word.split_once('-') {
                Some((first, last)) => first.parse().ok().zip(last.parse().ok()),
                None => word.parse().ok().map(|v: usize| (v, v)),
            };
            match ends {
                Some((first, last)) if first <= last && last < count => locked[first..=last].fill(true),
                _ => {
                    return CliError::refused(format!(
                        "{}: line {}: {word} is no vertex number or range; vertices have numbers 0 to {}",
                        path.display(),
                        number + 1,
                        count.saturating_sub(1)
                    ));
                }
            }
        }
    }
    Ok(locked)
}
