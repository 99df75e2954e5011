//! `sinew picture`: poses drawn side by side.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use glam::Vec3;
use sinew::animation::MeshAnimation;
use sinew::progress::Progress;
use sinew_io::glb::SampleOptions;
use sinew_io::open::{self, OpenOptions};
use sinew_io::sinew_file::Stored;
use sinew_picture::{Camera, Coloring, PictureOptions, Shot, UpAxis, bone_palette, render, weight_colors};

use crate::error::{CliError, Outcome};
use crate::pair::{self, Pair, one};
use crate::pictures::{DISTANCE_LABEL, bone_colors, distances, save_png, scale_end, spread, weights_of_bone};
use crate::progress::Session;
use crate::target;

/// Draw poses of an animation or a rig, side by side
#[derive(Args)]
#[command(after_help = "Examples:
  sinew picture rig.glb --frame 12 --color bones -o bones.png
  sinew picture rig.glb --frame 0,8,16 --color weights --bone 3 -o bone3.png
  sinew picture rig.glb --against anim.pc2 --rest rest.obj --color error --frame spread:4 -o error.png
  sinew picture anim.pc2 --rest rest.obj --frame 5 --wireframe --view 90,10 -o side.png")]
pub struct PictureArgs {
    /// An animation or a rig: anything that `skin` takes
    file: PathBuf,

    /// The picture to write
    #[arg(short, long, value_name = "FILE.png")]
    output: PathBuf,

    /// The mesh that goes with a point cache
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Frames to draw, counted from 0: one, several, or spread:K for K spread over all
    #[arg(long, value_name = "N|N,N,N|spread:K", default_value = "0")]
    frame: FrameChoice,

    /// What colours show [default: materials; error with --against; weights with --bone]
    #[arg(long, value_enum)]
    color: Option<Color>,

    /// Show the weights of this bone, counted from 0
    #[arg(long, value_name = "N")]
    bone: Option<usize>,

    /// The animation that errors are measured from
    #[arg(long, value_name = "ANIM")]
    against: Option<PathBuf>,

    /// Pixels of each pose
    #[arg(long, value_name = "WxH", default_value = "900x640", value_parser = size)]
    size: (usize, usize),

    /// Where to look from: degrees around and above; 0,0 is from +Z, 90,0 from +X
    #[arg(long, value_name = "AZIMUTH,ELEVATION", allow_hyphen_values = true, value_parser = view)]
    view: Option<(f32, f32)>,

    /// Which way is up in the data
    #[arg(long, value_enum, default_value_t)]
    up: Up,

    /// Draw the edges of faces
    #[arg(long)]
    wireframe: bool,

    /// Poses in a row [default: all up to 4]
    #[arg(long, value_name = "N")]
    columns: Option<usize>,

    /// Clip of a GLB or .sinew file, by name or number
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Frames per second to sample a GLB file at
    #[arg(long, value_name = "F")]
    fps: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    /// Clay
    Plain,
    /// The mesh's own colours
    Materials,
    /// Every triangle in the colour of its strongest bone
    Bones,
    /// The bones' colours, mixed by weight
    Weights,
    /// Distance from the animation given with --against
    Error,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Up {
    #[default]
    Y,
    Z,
}

/// Which frames are drawn.
#[derive(Clone, Debug, PartialEq)]
enum FrameChoice {
    These(Vec<usize>),
    Spread(usize),
}

impl FromStr for FrameChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |_| "give a frame (12), several (0,12,24) or spread:4".to_string();
        if let Some(count) = text.strip_prefix("all-").unwrap_or(text).strip_prefix("spread:") {
            return count.parse().map(Self::Spread).map_err(wrong);
        }
        text.split(',').map(|n| n.trim().parse()).collect::<Result<_, _>>().map(Self::These).map_err(wrong)
    }
}

impl FrameChoice {
    fn frames(&self, total: usize, source: &str) -> Outcome<Vec<usize>> {
        match self {
            Self::Spread(count) => Ok(spread(total, *count)),
            Self::These(frames) => match frames.iter().find(|f| **f >= total) {
                None => Ok(frames.clone()),
                Some(f) => CliError::refused(format!(
                    "{source}: there is no frame {f}; the frames are 0 to {}",
                    total.saturating_sub(1)
                )),
            },
        }
    }
}

fn size(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "give width x height in pixels, such as 900x640".to_string();
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    Ok((width.trim().parse().map_err(|_| wrong())?, height.trim().parse().map_err(|_| wrong())?))
}

fn view(text: &str) -> Result<(f32, f32), String> {
    let wrong = || "give two angles in degrees, such as 30,15".to_string();
    let (around, above) = text.split_once(',').ok_or_else(wrong)?;
    let angle = |s: &str| s.trim().parse::<f32>().ok().filter(|x| x.is_finite()).ok_or_else(wrong);
    Ok((angle(around)?, angle(above)?))
}

/// What is drawn: poses, and what colours need to know.
struct Subject {
    animation: MeshAnimation,
    source: String,
    rig: Option<Stored>,
    /// The animation that errors are measured from, and its diagonal.
    original: Option<(MeshAnimation, f64)>,
}

/// Runs the command.
pub fn run(args: &PictureArgs, session: &Session) -> Outcome<()> {
    let color = color(args)?;
    if !args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        return CliError::refused(format!(
            "{}: pictures are written as PNG; name the file *.png",
            args.output.display()
        ));
    }
    target::check(&[Some(&args.output)])?;
    session.stage("reading");
    let subject = subject(args, color, session)?;
    session.check()?;
    session.stage("drawing");
    let animation = &subject.animation;
    let frames = args.frame.frames(animation.frames.len(), &subject.source)?;
    let paint = Paint::new(&subject, color, args.bone, &frames)?;
    let pose_of_mesh = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
    let triangles = animation.mesh.triangles(pose_of_mesh);
    let face_colors = match (&subject.rig, color) {
        (Some(rig), Color::Bones) => bone_colors(rig.weights(), rig.bones().len(), &triangles),
        _ => Vec::new(),
    };
    let shots: Vec<Shot> = frames
        .iter()
        .enumerate()
        .map(|(i, &frame)| Shot {
            mesh: &animation.mesh,
            positions: animation.frames.frame(frame),
            triangles: matches!(paint, Paint::Bones).then_some(&triangles[..]),
            coloring: paint.coloring(i, &face_colors),
            title: if animation.frames.len() > 1 { format!("frame {frame}") } else { String::new() },
        })
        .collect();
    let mut options = PictureOptions {
        width: args.size.0,
        height: args.size.1,
        columns: args.columns.unwrap_or(4),
        up: match args.up {
            Up::Y => UpAxis::Y,
            Up::Z => UpAxis::Z,
        },
        wireframe: args.wireframe,
        ..PictureOptions::default()
    };
    if let Some((around, above)) = args.view {
        options.camera = Camera::Orbit { azimuth: around, elevation: above, field_of_view: 24.0 };
    }
    let image = render(&shots, &options)?;
    session.check()?;
    save_png(&args.output, &image)
}

/// The colouring asked for, or the one that the other options mean.
fn color(args: &PictureArgs) -> Outcome<Color> {
    let color = args.color.unwrap_or(match (&args.against, args.bone) {
        (Some(_), _) => Color::Error,
        (None, Some(_)) => Color::Weights,
        (None, None) => Color::Materials,
    });
    if color == Color::Error && args.against.is_none() {
        return CliError::refused("--color error needs the original animation: give it with --against ANIM");
    }
    if args.bone.is_some() && color != Color::Weights {
        return CliError::refused("--bone shows the weights of one bone and goes only with --color weights");
    }
    Ok(color)
}

fn subject(args: &PictureArgs, color: Color, session: &Session) -> Outcome<Subject> {
    let options =
        OpenOptions { fps: args.fps, clips: args.clip.iter().cloned().collect(), ..OpenOptions::default() };
    if let (Color::Error, Some(against)) = (color, &args.against) {
        return measured(args, against, &options, session);
    }
    let options = OpenOptions { rest: args.rest.clone(), ..options };
    let opened = open::animation(&one(&args.file), &options, session)?;
    let needs_rig = matches!(color, Color::Bones | Color::Weights);
    let sampling = SampleOptions { clips: args.clip.iter().cloned().collect(), fps: args.fps, weld: None };
    let rig = if needs_rig { Some(open::rig_or_chain(&args.file, &sampling)?.stored) } else { None };
    Ok(Subject { animation: opened.animation, source: opened.source, rig, original: None })
}

/// The file, and the animation it is measured from. Either may be a cache: `--rest` has the faces.
fn measured(
    args: &PictureArgs,
    against: &std::path::Path,
    options: &OpenOptions,
    session: &Session,
) -> Outcome<Subject> {
    let Pair { original, mut approximation } = pair::open([against, &args.file], options, session)?;
    let mut diagonal = original.animation.rest_bounds().diagonal();
    if let Some(path) = &args.rest {
        let positions = pair::rest_positions(path, &approximation)?;
        diagonal = sinew::geometry::Bounds::of(&positions).diagonal();
        if approximation.animation.mesh.face_count() == 0 {
            approximation.animation.mesh = open::rest(path, Some(positions.len()))?.mesh;
            approximation.animation.rest = Some(positions);
        }
    }
    if approximation.animation.mesh.face_count() == 0 {
        if original.animation.mesh.face_count() == 0 {
            return CliError::refused(format!(
                "{} holds no faces to draw; give the mesh that goes with it with --rest FILE",
                approximation.source
            ));
        }
        approximation.animation.mesh = original.animation.mesh.clone();
    }
    Ok(Subject {
        animation: approximation.animation,
        source: approximation.source,
        rig: None,
        original: Some((original.animation, diagonal)),
    })
}

/// Colours, held while shots refer to them.
enum Paint {
    Plain,
    Materials,
    Bones,
    Vertices(Vec<Vec3>),
    /// Numbers of each shot, or the same for all, with the end of their scale.
    Numbers(Vec<Vec<f32>>, f32, String),
}

impl Paint {
    fn new(subject: &Subject, color: Color, bone: Option<usize>, frames: &[usize]) -> Outcome<Self> {
        Ok(match (color, &subject.rig, &subject.original) {
            (Color::Bones, Some(_), _) => Self::Bones,
            (Color::Weights, Some(rig), _) => match bone {
                None => Self::Vertices(weight_colors(rig.weights(), &bone_palette(rig.bones().len()))),
                Some(bone) => Self::one_bone(rig, bone, &subject.source)?,
            },
            (Color::Error, _, Some((original, diagonal))) => {
                let of = |&f: &usize| {
                    distances(subject.animation.frames.frame(f), original.frames.frame(f), *diagonal)
                };
                let values: Vec<Vec<f32>> = frames.iter().map(of).collect();
                let end = scale_end(&values);
                Self::Numbers(values, end, DISTANCE_LABEL.into())
            }
            (Color::Plain, ..) => Self::Plain,
            _ => Self::Materials,
        })
    }

    fn one_bone(rig: &Stored, bone: usize, source: &str) -> Outcome<Self> {
        let Some(known) = rig.bones().get(bone) else {
            return CliError::refused(format!(
                "{source}: there is no bone {bone}; the bones are 0 to {}",
                rig.bones().len().saturating_sub(1)
            ));
        };
        let values = weights_of_bone(rig.weights(), rig.rest().len(), bone);
        Ok(Self::Numbers(vec![values], 1.0, format!("weight of {}", known.name)))
    }

    fn coloring<'a>(&'a self, shot: usize, face_colors: &'a [Vec3]) -> Coloring<'a> {
        match self {
            Self::Plain => Coloring::Plain,
            Self::Materials => Coloring::Materials,
            Self::Bones => Coloring::FaceColors(face_colors),
            Self::Vertices(colors) => Coloring::VertexColors(colors),
            Self::Numbers(values, end, label) => {
                Coloring::Scalar { values: values.get(shot).unwrap_or(&values[0]), range: (0.0, *end), label }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_sizes_and_views_are_understood() {
        assert_eq!("7".parse(), Ok(FrameChoice::These(vec![7])));
        assert_eq!("0, 3,5".parse(), Ok(FrameChoice::These(vec![0, 3, 5])));
        assert_eq!("spread:4".parse(), Ok(FrameChoice::Spread(4)));
        assert_eq!("all-spread:4".parse(), Ok(FrameChoice::Spread(4)));
        assert!("x".parse::<FrameChoice>().is_err());
        assert_eq!(size("640x480"), Ok((640, 480)));
        assert!(size("640").is_err() && size("-1x5").is_err());
        assert_eq!(view("-30,12.5"), Ok((-30.0, 12.5)));
        assert!(view("nan,0").is_err());
    }
}
