//! Poses of a rig whose bones are not blended linearly. The rig is in memory as a whole.

use std::time::Instant;

use glam::Vec3;
use sinew::deform::signed_volume;
use sinew::geometry::Bounds;
use sinew::progress::Progress;
use sinew::rig::{BlendPlayer, Player, Rig};
use sinew_io::formats::PoseSet;
use sinew_io::open;
use sinew_io::scene::SampledRig;

use super::{BakeJob, BakeReport, Volume};
use crate::error::Outcome;
use crate::lost;
use crate::poses::{Target, save_poses};
use crate::rig_file::beside_rig;
use crate::units::Units;
use crate::warning::told;

impl BakeJob {
    /// Plays the rig pose by pose.
    pub(super) fn play_blended(
        &self,
        to: &Target,
        begun: Instant,
        progress: &dyn Progress,
    ) -> Outcome<BakeReport> {
        let SampledRig { rig, warnings, clip, facts, .. } =
            open::rig(&self.rig, &self.sampling())?.said(&self.said());
        let frames = self.frames_of(rig.frame_count())?;
        let read = begun.elapsed();
        progress.check()?;
        progress.stage("writing");
        let player = BlendPlayer::new(&rig, self.blend);
        let mut volumes = Volumes::new(&rig);
        let next = |frame: usize, out: &mut [Vec3]| -> Outcome<()> {
            progress.check()?;
            progress.advance(frame as f64 / frames as f64);
            player.pose_into(self.from + frame, out);
            volumes.add(self.from + frame, out);
            Ok(())
        };
        let set = PoseSet {
            mesh: &rig.mesh,
            rest: Some(&rig.rest),
            frames,
            fps: rig.fps,
            clips: if self.is_whole() { &rig.clips } else { &[] },
            clip: clip.as_deref(),
            facts: &facts,
        };
        let written = save_poses(&self.output, to, &set, progress, next)?;
        self.write_rest(&rig.mesh, &rig.rest)?;
        let content = lost::Content { rig: false, ..lost::Content::of_rig(&rig, clip.as_deref(), &facts) };
        let lost = lost::list(&content, to.format(), self.rest_format()?);
        Ok(BakeReport {
            lost: [lost, beside_rig(&self.rig)?].concat(),
            clip,
            frames,
            vertices: rig.rest.len(),
            bones: rig.bones.len(),
            fps: rig.fps,
            volume: volumes.told(),
            units: Units::new(&facts, to.format()),
            ..BakeReport::new(self, written, told(warnings), read, begun)
        })
    }
}

/// Surfaces that enclose less than this share of the cube over their diagonal are sheets.
const SHEET: f64 = 1e-6;

/// Measures what poses enclose, blended linearly and otherwise.
struct Volumes<'a> {
    linear: Player<&'a Rig>,
    triangles: Vec<[u32; 3]>,
    rest: f64,
    pose: Vec<Vec3>,
    /// Frame, volume when blended linearly, and as it is, over that of the rest pose.
    found: Vec<(usize, f64, f64)>,
}

impl<'a> Volumes<'a> {
    fn new(rig: &'a Rig) -> Self {
        let mut triangles = rig.mesh.triangles(&rig.rest);
        let rest = signed_volume(&triangles, &rig.rest);
        if rest.abs() < SHEET * Bounds::of(&rig.rest).diagonal().powi(3) {
            triangles.clear();
        }
        let pose = vec![Vec3::ZERO; rig.rest.len()];
        Self { linear: Player::new(rig), triangles, rest, pose, found: Vec::new() }
    }

    fn add(&mut self, frame: usize, blended: &[Vec3]) {
        if self.triangles.is_empty() {
            return;
        }
        self.linear.pose_into(frame, &mut self.pose);
        let share = |pose: &[Vec3]| signed_volume(&self.triangles, pose) / self.rest;
        self.found.push((frame, share(&self.pose), share(blended)));
    }

    /// Where the two differ most.
    fn told(&self) -> Option<Volume> {
        let gain = |(_, linear, blended): &(usize, f64, f64)| (blended - linear).abs();
        let &(frame, linear, blended) = self.found.iter().max_by(|a, b| gain(a).total_cmp(&gain(b)))?;
        let mean = |of: fn(&(usize, f64, f64)) -> f64| {
            100.0 * self.found.iter().map(of).sum::<f64>() / self.found.len() as f64
        };
        Some(Volume {
            frame,
            linear: 100.0 * linear,
            blended: 100.0 * blended,
            mean_linear: mean(|f| f.1),
            mean_blended: mean(|f| f.2),
        })
    }
}
