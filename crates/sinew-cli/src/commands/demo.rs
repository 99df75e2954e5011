//! `sinew demo`: the whole way on the built-in creature, with pictures.

use std::path::PathBuf;

use clap::Args;
use glam::Vec3;
use sinew::progress::Progress;
use sinew_jobs::pictures::{
    DISTANCE_LABEL, bone_colors, distances, plot_errors, save_png, scale_end, spread,
};
use sinew_jobs::skin::{Done, Fit, SkinJob};
use sinew_jobs::source::Source;
use sinew_jobs::target::{self, Staged};
use sinew_picture::{Coloring, Image, PictureOptions, Shot, bone_palette, render, weight_colors};
use sinew_sample::{CreatureOptions, creature};

use super::sample::{CACHE, REST, write_cache};
use super::skin;
use crate::console::{Table, count, print};
use crate::error::Outcome;
use crate::progress::Session;
use crate::report::write_json;

/// Make a sample creature, skin it, and show the result in pictures
#[derive(Args)]
#[command(after_help = "Example:
  sinew demo
  sinew demo -o /tmp/creature --detail 2 --bones 40")]
pub struct DemoArgs {
    /// The folder to write
    #[arg(short, long, value_name = "FOLDER", default_value = "sinew-demo")]
    output: PathBuf,

    /// Number of bones
    #[arg(long, value_name = "N", default_value_t = 28)]
    bones: usize,

    /// Frames in the creature's walk
    #[arg(long, default_value_t = 48, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    frames: u32,

    /// How fine the creature's mesh is, 0.6 to 8
    #[arg(long, value_name = "D", default_value_t = 1.0)]
    detail: f64,

    /// Write the report here too
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

const RIG: &str = "creature.glb";
const REPORT: &str = "report.json";

/// Runs the command.
pub fn run(args: &DemoArgs, session: &Session) -> Outcome<()> {
    target::check(&[args.report.as_deref()])?;
    let staged = Staged::new(&args.output)?;
    session.stage("growing");
    let options =
        CreatureOptions { frames: args.frames as usize, detail: args.detail, ..CreatureOptions::default() };
    write_cache(&staged, &creature(&options))?;
    session.check()?;
    let job = SkinJob {
        source: Source {
            inputs: vec![staged.path().join(CACHE)],
            rest: Some(staged.path().join(REST)),
            ..Source::default()
        },
        fit: Fit { bones: Some(args.bones), ..Fit::default() },
        output: Some(staged.path().join(RIG)),
        ..SkinJob::default()
    };
    let done = job.make_rig(session)?;
    write_json(&staged.path().join(REPORT), &done.report)?;

    session.stage("drawing");
    let gallery = Gallery::new(&done);
    let save = |name: &str, image: Image| -> Outcome<()> {
        session.check()?;
        Ok(save_png(&staged.path().join(name), &image).map_err(|e| staged.told(e))?)
    };
    save("picture.png", gallery.overview()?)?;
    session.advance(0.4);
    save("side-by-side.png", gallery.side_by_side()?)?;
    session.advance(0.6);
    save("bones.png", gallery.bones()?)?;
    save("error.png", gallery.errors()?)?;
    save("error-per-frame.png", plot_errors(&done.report.error_per_frame)?)?;
    session.check()?;
    staged.commit()?;
    if let Some(path) = &args.report {
        write_json(path, &done.report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&summary(args, &done)) }
}

fn summary(args: &DemoArgs, done: &Done) -> String {
    let at = |name: &str| args.output.join(name).display().to_string();
    let mut files = Table::default();
    for (name, what) in [
        (RIG, "the rig: drop it into Blender, or any glTF viewer"),
        ("picture.png", "original above, rig below"),
        ("side-by-side.png", "the same, each with its own materials"),
        ("bones.png", "which bone moves what, and how weights blend"),
        ("error.png", "where the rig differs from the original"),
        ("error-per-frame.png", "and when"),
        (REPORT, "the numbers above, for programs"),
        (REST, "what went in: the rest mesh,"),
        (CACHE, "and its animation as a point cache"),
    ] {
        files.row(&at(name), what);
    }
    let mut next = Table::default();
    next.row("closer", format!("sinew skin {} --rest {} --rank 8 -o closer.glb", at(CACHE), at(REST)));
    next.row("your own", "sinew skin anim.pc2 --rest rest.obj -o rig.glb");
    next.row("", "sinew skin frames/ -o rig.glb");
    format!("{}\n{}\nNext:\n{}", skin::table(&done.report).text(), files.text(), next.text())
}

/// Everything the pictures show, prepared once.
struct Gallery<'a> {
    done: &'a Done,
    triangles: Vec<[u32; 3]>,
    bone_colors: Vec<Vec3>,
    frames: Vec<usize>,
    /// The rig's pose in each of `frames`.
    poses: Vec<Vec<Vec3>>,
}

impl<'a> Gallery<'a> {
    fn new(done: &'a Done) -> Self {
        let triangles = done.rig.mesh.triangles(&done.rig.rest);
        let bone_colors = bone_colors(&done.rig.weights, done.rig.bones.len(), &triangles);
        // The walk's loop holds two strides: four frames of the first show all of it.
        let total = done.animation.frames.len();
        let frames = spread(total.div_ceil(2), 4);
        let poses = frames.iter().map(|&f| done.rig.pose(f)).collect();
        Self { done, triangles, bone_colors, frames, poses }
    }

    fn shot<'b>(&'b self, positions: &'b [Vec3], coloring: Coloring<'b>, title: String) -> Shot<'b> {
        let triangles = Some(&self.triangles[..]);
        Shot { mesh: &self.done.rig.mesh, positions, triangles, coloring, skeleton: None, title }
    }

    /// The original above, the rig in its bones' colours below.
    fn overview(&self) -> Outcome<Image> {
        let frames = &self.done.animation.frames;
        let mut shots: Vec<Shot> = self
            .frames
            .iter()
            .map(|&f| Shot {
                triangles: None,
                ..self.shot(frames.frame(f), Coloring::Materials, format!("original, frame {f}"))
            })
            .collect();
        let title = format!("rig, {}", count(self.done.rig.bones.len(), "bone", "bones"));
        shots.extend(
            self.poses
                .iter()
                .map(|pose| self.shot(pose, Coloring::FaceColors(&self.bone_colors), title.clone())),
        );
        let options = PictureOptions {
            width: 480,
            height: 400,
            columns: self.frames.len(),
            ..PictureOptions::default()
        };
        Ok(render(&shots, &options)?)
    }

    /// Original and rig in the mesh's own colours.
    fn side_by_side(&self) -> Outcome<Image> {
        let mut shots = Vec::new();
        for (&f, pose) in self.frames.iter().zip(&self.poses).rev().take(2).rev() {
            let original = self.done.animation.frames.frame(f);
            for (who, positions) in [("original", original), ("rig", pose)] {
                let shot = self.shot(positions, Coloring::Materials, format!("{who}, frame {f}"));
                shots.push(Shot { triangles: None, ..shot });
            }
        }
        Ok(render(
            &shots,
            &PictureOptions { width: 760, height: 600, columns: 2, ..PictureOptions::default() },
        )?)
    }

    /// The rest pose by bones and by weights.
    fn bones(&self) -> Outcome<Image> {
        let rig = &self.done.rig;
        let mixed = weight_colors(&rig.weights, &bone_palette(rig.bones.len()));
        let shots = [
            self.shot(&rig.rest, Coloring::FaceColors(&self.bone_colors), "strongest bone".into()),
            self.shot(&rig.rest, Coloring::VertexColors(&mixed), "weights, blended".into()),
        ];
        Ok(render(&shots, &PictureOptions { width: 900, height: 700, ..PictureOptions::default() })?)
    }

    /// Distance from the original, the worst frame last.
    fn errors(&self) -> Outcome<Image> {
        let animation = &self.done.animation;
        let diagonal = animation.rest_bounds().diagonal();
        let worst = self.done.report.error.max_frame;
        let mut frames = self.frames.clone();
        frames.truncate(2);
        frames.push(worst);
        let poses: Vec<Vec<Vec3>> = frames.iter().map(|&f| self.done.rig.pose(f)).collect();
        let values: Vec<Vec<f32>> = frames
            .iter()
            .zip(&poses)
            .map(|(&f, pose)| distances(pose, animation.frames.frame(f), diagonal))
            .collect();
        let range = (0.0, scale_end(&values));
        let shots: Vec<Shot> = frames
            .iter()
            .zip(poses.iter().zip(&values))
            .map(|(&f, (pose, values))| {
                let coloring = Coloring::Scalar { values, range, label: DISTANCE_LABEL };
                let title = if f == worst { format!("frame {f}, the worst") } else { format!("frame {f}") };
                self.shot(pose, coloring, title)
            })
            .collect();
        Ok(render(&shots, &PictureOptions { width: 640, height: 560, ..PictureOptions::default() })?)
    }
}
