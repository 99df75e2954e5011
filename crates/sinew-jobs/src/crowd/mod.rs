//! Many rigs on the GPU, as pictures or as a measurement.

mod film;
mod job;
mod models;
mod output;
mod report;
mod window;

use std::path::Path;

use sinew::progress::Progress;
use sinew_gpu::{Gpu, Herd, HerdOptions, Look, Model, RenderOptions, Renderer, Scene, Viewpoint};

use self::film::Film;
use self::job::MOST;
pub use self::job::{BakedLight, CameraStop, CrowdJob};
pub use self::models::LevelSource;
use self::output::Output;
pub use self::report::CrowdReport;
use self::window::Window;
use crate::error::Outcome;
use crate::job::Job;
use crate::refusals::CrowdRefusal;
use crate::streams::Files;
use crate::target;

impl Job for CrowdJob {
    const NAME: &'static str = "crowd";
    type Report = CrowdReport;

    fn validate(&self) -> Outcome<()> {
        self.check()?;
        target::check(&[self.report.as_deref()])?;
        self.file().map(Output::new).transpose()?;
        Ok(())
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        Files::default().read(&mut self.rigs).written(&mut self.output).report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<CrowdReport> {
        let window = self.in_window().then(Window::open).transpose()?;
        let output = self.file().map(Output::new).transpose()?;
        let gpu = Gpu::open(self.adapter.as_deref())?;
        let (models, sources) = models::models(self, progress)?;
        let herd = herd(self, &models)?;
        let way = way(self, &herd);
        progress.check()?;
        progress.stage("sending");
        let options = RenderOptions {
            size: self.size.map(|side| u32::try_from(side).unwrap_or(u32::MAX)),
            samples: self.samples,
            levels: self.lod,
            tolerance: self.tolerance,
            route: self.route,
            look: Look::Plain,
        };
        let mut renderer = Renderer::new(&gpu, Scene::new(&gpu, models, herd)?, options)?;
        if let Some(window) = window {
            window.show(&mut renderer, way[0], self.frames, progress)?;
        }
        let film = Film { renderer: &renderer, way: &way, fps: self.fps };
        if let Some(output) = &output {
            let frames = self.frames.unwrap_or(if output.is_single() { 1 } else { 96 }) as usize;
            output.write(&film, frames, progress)?;
        }
        CrowdReport::new(self, &gpu, &film, sources, progress)
    }
}

fn herd(job: &CrowdJob, models: &[Model]) -> Outcome<Herd> {
    let mut options = HerdOptions { count: job.count as usize, seed: job.seed, shares: job.shares.clone() };
    if let Some(triangles) = job.triangles {
        let share = |model: usize| f64::from(job.shares.get(model).copied().unwrap_or(1.0));
        let all: f64 = models.iter().enumerate().map(|(i, m)| share(i) * m.triangle_count(0) as f64).sum();
        let mean = all / (0..models.len()).map(share).sum::<f64>();
        let count = (triangles as f64 / mean).round().max(1.0);
        if count > f64::from(MOST) {
            return Err(CrowdRefusal::TooMany { triangles, count }.into());
        }
        options.count = count as usize;
    }
    Ok(Herd::scatter(models, &options))
}

/// The camera's way: as asked for, or one that shows the herd from before it.
fn way(job: &CrowdJob, herd: &Herd) -> Vec<Viewpoint> {
    if !job.camera.is_empty() {
        return job.camera.iter().copied().map(Into::into).collect();
    }
    // Few are looked at from farther away than many, in sizes of the herd, so that all of them are seen, and
    // from higher up: who stands before many looks over their heads.
    let few = 1.0 / (herd.members.len() as f32).sqrt();
    [(30.0, 2.2, 1.0), (4.0, 3.4, 1.0), (-26.0, 9.0, 1.08)]
        .map(|(around, above, farther)| Viewpoint {
            around,
            above: above + 8.0 * few,
            away: (1.04 + 3.0 * few) * farther,
        })
        .to_vec()
}
