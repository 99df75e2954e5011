//! How fast a crowd is drawn.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use wgpu::{BufferUsages, PollType};

use crate::camera::Camera;
use crate::device::GpuError;
use crate::renderer::Renderer;
use crate::scene::DRAW_WORDS;

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Frames that were drawn.
    pub frames: usize,
    /// Time they took, until the GPU had finished the last.
    pub seconds: f64,
    /// Triangles of a frame, on average: those of everyone who is seen.
    pub triangles_per_frame: f64,
    /// Members seen in a frame, on average.
    pub seen: f64,
    /// Bytes that were sent for each frame.
    pub bytes_per_frame: u64,
}

impl Measured {
    /// Frames per second.
    pub fn fps(&self) -> f64 {
        self.frames as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }

    /// Triangles per second.
    pub fn triangles_per_second(&self) -> f64 {
        self.triangles_per_frame * self.fps()
    }
}

/// Frames that the GPU may have waiting: enough to keep it busy, few enough to stop soon.
const IN_FLIGHT: usize = 3;
/// Frames drawn before the clock starts.
const WARM_UP: usize = 5;

impl Renderer<'_> {
    /// Draws up to `most` frames for up to so long, and reads none of them back. `at` tells the camera and
    /// the time of each, counted from 0.
    pub fn measure(
        &self,
        most: usize,
        longest: Duration,
        at: &dyn Fn(usize) -> (Camera, f64),
    ) -> Result<Measured, GpuError> {
        for _ in 0..WARM_UP.min(most) {
            let (camera, seconds) = at(0);
            self.submit(&camera, seconds);
        }
        self.gpu.finish()?;
        // The GPU notes what it chose to draw, frame by frame; that is read when the clock has stopped.
        let size = (self.scene.draws.len() * DRAW_WORDS * 4) as u64;
        let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let notes = self.gpu.buffer("notes", size * most as u64, usage)?;
        let mut waiting = VecDeque::new();
        let mut frames = 0;
        let start = Instant::now();
        while frames < most && (frames == 0 || start.elapsed() < longest) {
            let (camera, seconds) = at(frames);
            self.send_frame(&camera, seconds);
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            self.encode(&mut encoder);
            encoder.copy_buffer_to_buffer(&self.scene.arguments, 0, &notes, size * frames as u64, size);
            waiting.push_back(self.gpu.queue.submit([encoder.finish()]));
            frames += 1;
            if waiting.len() > IN_FLIGHT {
                let wait = PollType::Wait { submission_index: waiting.pop_front(), timeout: None };
                self.gpu.device.poll(wait).map_err(|e| GpuError::Lost(e.to_string()))?;
                self.gpu.check()?;
            }
        }
        self.gpu.finish()?;
        let seconds = start.elapsed().as_secs_f64();
        let notes: Vec<u32> = bytemuck::pod_collect_to_vec(&self.gpu.read(&notes, size * frames as u64)?);
        let (mut triangles, mut seen) = (0_u64, 0_u64);
        for draw in notes.chunks_exact(DRAW_WORDS) {
            triangles += u64::from(draw[0] / 3) * u64::from(draw[1]);
            seen += u64::from(draw[1]);
        }
        Ok(Measured {
            frames,
            seconds,
            triangles_per_frame: triangles as f64 / frames as f64,
            seen: seen as f64 / frames as f64,
            bytes_per_frame: self.bytes_per_frame(),
        })
    }
}
