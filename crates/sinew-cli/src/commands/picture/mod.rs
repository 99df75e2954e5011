//! `sinew picture`: poses drawn side by side.

pub mod choice;
mod gpu;
mod paint;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sinew::animation::MeshAnimation;
use sinew::geometry::Mesh;
use sinew::progress::Progress;
use sinew_io::formats::GLTF;
use sinew_io::glb::{self, SampleOptions};
use sinew_io::open::{self, OpenOptions};
use sinew_io::sinew_file::{Contents, Stored};
use sinew_picture::{Camera, PictureOptions, PosedSkeleton, Shot, UpAxis, render};

use crate::console;
use crate::error::{CliError, Outcome};
use crate::pair::{self, Pair, one};
use crate::pictures::{bone_colors, save_png};
use crate::progress::Session;
use crate::target;
use choice::{FrameChoice, size, view};
use paint::{Paint, skeletons};

/// Draw poses of an animation or a rig, side by side
#[derive(Args)]
#[command(after_help = "Examples:
  sinew picture rig.glb --frame 12 --color bones -o bones.png
  sinew picture rig.glb --frame 0,8,16 --color weights --bone 3 -o bone3.png
  sinew picture character.glb --skeleton --frame spread:4 -o skeleton.png
  sinew picture rig.glb --against anim.pc2 --rest rest.obj --color error --frame spread:4 -o error.png
  sinew picture anim.pc2 --rest rest.obj --frame 5 --wireframe --view 90,10 -o side.png
  sinew picture rig.glb --frame spread:4 --gpu -o poses.png")]
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

    /// What colours show [default: materials; error with --against; weights with --bone; plain with
    /// --skeleton]
    #[arg(long, value_enum)]
    color: Option<Color>,

    /// Show the weights of this bone, by name or counted from 0
    #[arg(long, value_name = "NAME|N")]
    bone: Option<String>,

    /// Draw the joints and bones of the rig's skeleton inside of the body
    #[arg(long)]
    skeleton: bool,

    /// Write the names of the joints beside them
    #[arg(long, requires = "skeleton")]
    labels: bool,

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

    /// Have the GPU play and draw the rig; where there is none the CPU does
    #[arg(long)]
    gpu: bool,

    /// Level of detail of a GLB file to draw, counted from 1; 0 is the mesh itself
    #[arg(long, value_name = "N", default_value_t = 0)]
    level: usize,

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
pub enum Up {
    #[default]
    Y,
    Z,
}

impl From<Up> for UpAxis {
    fn from(up: Up) -> Self {
        match up {
            Up::Y => Self::Y,
            Up::Z => Self::Z,
        }
    }
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
    let mut subject = subject(args, color, session)?;
    if args.level > 0 {
        subject.animation.mesh = level(args)?;
    }
    let body = if args.gpu { Some(gpu::body(args, &subject)?) } else { None };
    session.check()?;
    session.stage("drawing");
    let animation = &subject.animation;
    let frames = args.frame.frames(animation.frames.len(), &subject.source)?;
    let paint = Paint::new(&subject, color, args.bone.as_deref(), &frames)?;
    let pose_of_mesh = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
    let triangles = animation.mesh.triangles(pose_of_mesh);
    let face_colors = match (&subject.rig, color) {
        (Some(rig), Color::Bones) => bone_colors(rig.weights(), rig.bones().len(), &triangles),
        _ => Vec::new(),
    };
    let skeletons: Vec<PosedSkeleton> = match &subject.rig {
        Some(Stored::Rig(rig)) if args.skeleton => skeletons(rig, &paint, &frames),
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
            skeleton: skeletons.get(i),
            title: if animation.frames.len() > 1 { format!("frame {frame}") } else { String::new() },
        })
        .collect();
    let mut options = PictureOptions {
        width: args.size.0,
        height: args.size.1,
        columns: args.columns.unwrap_or(4),
        up: args.up.into(),
        wireframe: args.wireframe,
        labels: args.labels,
        ..PictureOptions::default()
    };
    if let Some((around, above)) = args.view {
        options.camera = Camera::Orbit { azimuth: around, elevation: above, field_of_view: 24.0 };
    }
    let by_gpu = body.as_ref().map(|body| gpu::draw(args, body, &frames, &shots, &options));
    let image = match by_gpu {
        Some(Err(CliError::Gpu(error))) => {
            session.warn(&format!("{error}; the CPU draws the picture instead"));
            render(&shots, &options)?
        }
        Some(drawn) => drawn?,
        None => render(&shots, &options)?,
    };
    session.check()?;
    save_png(&args.output, &image)?;
    session.finish();
    if session.quiet {
        return Ok(());
    }
    let (width, height) = (image.width, image.height);
    console::print(&format!("wrote {} ({width}x{height} pixels)\n", args.output.display()))
}

/// How the file becomes a rig.
fn sampling(args: &PictureArgs) -> SampleOptions {
    SampleOptions { clips: args.clip.iter().cloned().collect(), fps: args.fps, weld: None }
}

/// The level of detail asked for, which is over the vertices of the whole.
fn level(args: &PictureArgs) -> Outcome<Mesh> {
    let none = |count: usize| {
        CliError::refused(format!(
            "{}: there is no level {}; the file has {}, and sinew lod RIG --triangles 50% -o lods.glb makes some",
            args.file.display(),
            args.level,
            console::count(count, "level of detail", "levels of detail")
        ))
    };
    if !args.file.is_file() || open::format(&args.file)? != &GLTF {
        return none(0);
    }
    let mut levels = glb::open(&args.file)?.rig_and_levels(&sampling(args))?.1;
    if args.level > levels.len() {
        return none(levels.len());
    }
    Ok(levels.swap_remove(args.level - 1).mesh)
}

/// The colouring asked for, or the one that the other options mean.
fn color(args: &PictureArgs) -> Outcome<Color> {
    let color = args.color.unwrap_or(match (&args.against, &args.bone) {
        (Some(_), _) => Color::Error,
        (None, Some(_)) => Color::Weights,
        (None, None) if args.skeleton => Color::Plain,
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
    let rig = rig(args, color, opened.animation.frames.len())?;
    Ok(Subject { animation: opened.animation, source: opened.source, rig, original: None })
}

/// The rig, where colours or bones are those of one.
fn rig(args: &PictureArgs, color: Color, frames: usize) -> Outcome<Option<Stored>> {
    let sampling = sampling(args);
    if args.skeleton {
        return with_skeleton(&args.file, &sampling, frames).map(Some);
    }
    let needed = matches!(color, Color::Bones | Color::Weights);
    Ok(if needed { Some(open::rig_or_chain(&args.file, &sampling)?.stored) } else { None })
}

/// The rig of a file that is known to hold `frames` poses.
fn with_skeleton(path: &Path, sampling: &SampleOptions, frames: usize) -> Outcome<Stored> {
    let none = || {
        CliError::refused(format!(
            "{}: there is no skeleton to draw; sinew skeleton ANIM -o character.glb makes a rig that has one",
            path.display()
        ))
    };
    if path.is_dir() {
        return none();
    }
    match open::rig_or_chain(path, sampling) {
        Ok(Contents { stored: Stored::Rig(rig), .. }) if rig.skeleton.is_some() => {
            if rig.frame_count() == frames {
                return Ok(Stored::Rig(rig));
            }
            CliError::refused(format!(
                "{}: the skeleton moves for {} frames and the body for {frames}",
                path.display(),
                rig.frame_count()
            ))
        }
        Ok(_) | Err(sinew_io::Error::Unsupported { .. }) => none(),
        Err(error) => Err(error.into()),
    }
}

/// The file, and the animation it is measured from. Either may be a cache: `--rest` has the faces.
fn measured(
    args: &PictureArgs,
    against: &Path,
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
        rig: rig(args, Color::Error, approximation.animation.frames.len())?,
        animation: approximation.animation,
        source: approximation.source,
        original: Some((original.animation, diagonal)),
    })
}
