//! What `sinew crowd` takes.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use sinew_gpu::{Route, Viewpoint};

use super::super::picture::Up;
use super::super::picture::choice::size;

/// Draw a crowd of rigs on the GPU, or measure how fast that is
///
/// Everyone plays the rig's own motion at a time of their own; who is far away is drawn with fewer triangles:
/// those of the levels that sinew lod put into the file, or such as are made on the way.
/// Rigs whose feet slide over the ground run over it. Works with a software driver too.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew crowd -o herd.png
  sinew crowd horse.glb --count 10000 -o stampede.mp4
  sinew crowd horse.glb dance.glb --count 400 --size 960x540 --frames 48 -o crowd.gif
  sinew crowd horse.glb --count 10000 --bench --report bench.json
  sinew crowd horse.glb elephant.glb --triangles 71500000 --no-lod --bench --report paper.json")]
pub struct CrowdArgs {
    /// Files that hold rigs; sinew info --formats lists the formats [default: the built-in creature]
    #[arg(value_name = "RIG")]
    pub rigs: Vec<PathBuf>,

    /// A picture (.png), a moving one (.gif; .mp4 with ffmpeg on the PATH), a folder of PNG files, or, in a
    /// build with the feature of that name, window: drag to turn, wheel to come nearer, space to pause, Esc
    /// to close
    #[arg(short, long, value_name = "FILE|FOLDER|window", required_unless_present = "bench")]
    pub output: Option<PathBuf>,

    /// How many there are
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4_000_000))]
    pub count: u32,

    /// As many as have so many triangles together, in full detail
    #[arg(long, value_name = "N", conflicts_with = "count")]
    pub triangles: Option<u64>,

    /// How many of each rig there are for each other, such as 2,1 [default: as many of each]
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    pub shares: Vec<f32>,

    /// Who stands where is left to chance: another number, another herd
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "1920x1080", value_parser = size)]
    pub size: (usize, usize),

    /// Frames to draw [default: 1 for .png, until a window is closed, 96 for others, up to 600 with --bench]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub frames: Option<u32>,

    /// Frames per second of what is written
    #[arg(long, value_name = "F", default_value_t = 24.0)]
    pub fps: f64,

    /// The camera's way: degrees around the herd (0 is before it), degrees above the ground, and distance
    /// in sizes of the herd; several with / between them
    #[arg(long, value_name = "AROUND,ABOVE,AWAY/...", allow_hyphen_values = true)]
    pub camera: Option<CameraPath>,

    /// Draw everyone in full detail
    #[arg(long)]
    pub no_lod: bool,

    /// Pixels that those with fewer triangles may be off
    #[arg(long, value_name = "PIXELS", default_value_t = 0.6)]
    pub tolerance: f32,

    /// Whether light that sinew light baked into rigs is shown
    #[arg(long, value_enum, default_value_t)]
    pub light: LightChoice,

    /// Samples of a pixel's edges, 1 or 4
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub samples: u32,

    /// How triangles are drawn [default: the way that should be faster on this GPU]
    #[arg(long, value_enum)]
    pub route: Option<Way>,

    /// Which way is up in the rigs
    #[arg(long, value_enum, default_value_t)]
    pub up: Up,

    /// Clip of the rigs, by name or number
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,

    /// The GPU to use, by a part of its name [default: the fastest]
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,

    /// Measure frames per second, and those of a renderer that sends every vertex each frame
    #[arg(long)]
    pub bench: bool,

    /// Frames that are drawn by sending every vertex; 0 for none
    #[arg(long, value_name = "N", default_value_t = 5, requires = "bench")]
    pub streaming_frames: u32,

    /// Write what was measured as JSON
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
}

/// Whether baked light is shown.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LightChoice {
    /// Where rigs have any
    #[default]
    On,
    /// Everyone is as dark below as guessed from their height
    Off,
}

/// A way of drawing triangles.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// Skinned in the vertex stage
    Draw,
    /// Skinned and drawn by compute shaders
    Compute,
}

impl From<Way> for Route {
    fn from(way: Way) -> Self {
        match way {
            Way::Draw => Self::Draw,
            Way::Compute => Self::Compute,
        }
    }
}

/// Viewpoints, one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraPath(pub Vec<Viewpoint>);

impl FromStr for CameraPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "give degrees around, 0 to 90 degrees above and a distance, such as 20,10,1.5/-30,25,1.2";
        let number = |s: &str| s.trim().parse::<f32>().ok().filter(|x| x.is_finite());
        let point = |text: &str| {
            let numbers: Vec<f32> = text.split(',').map_while(number).collect();
            match numbers[..] {
                [around, above, away]
                    if away > 0.0 && (0.0..=90.0).contains(&above) && text.split(',').count() == 3 =>
                {
                    Ok(Viewpoint { around, above, away })
                }
                _ => Err(wrong().into()),
            }
        };
        text.split('/').map(point).collect::<Result<_, _>>().map(Self)
    }
}
