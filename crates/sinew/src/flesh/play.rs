//! Other motion with flesh that was learnt.

use glam::{DVec3, Vec3};

use super::error::FleshError;
use super::network::Network;
use super::parameters::{CellShape, Parameters};
use super::resample::between;
use super::simulate::{State, System};
use crate::animation::Frames;
use crate::geometry::Mesh;
use crate::progress::Progress;

/// Flesh that was learnt: what of a mesh moves by itself, and how.
#[derive(Clone, Debug)]
pub struct Flesh {
    /// Steps a second.
    pub(super) fps: f64,
    pub(super) network: Network,
    pub(super) parameters: Parameters,
    /// The share of what is simulated that is shown.
    pub(super) gain: f64,
}

/// The numbers of a [`Flesh`], for files: what cannot be found from the mesh alone.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredFlesh {
    /// Steps a second.
    pub fps: f64,
    /// Vertices that move by themselves, in ascending order.
    pub free: Vec<u32>,
    /// Those of them that are simulated.
    pub knots: Vec<u32>,
    /// Vertices around them that go with the motion.
    pub held: Vec<u32>,
    /// Stiffness at each of the knots and then of the held vertices.
    pub stiffness: Vec<f64>,
    /// How firmly knots are held to where the motion has them.
    pub hold: f64,
    /// Damping, relative to the stiffness.
    pub damping: f64,
    /// What cells of neighbours keep.
    pub shape: CellShape,
    /// The share of what is simulated that is shown.
    pub gain: f64,
}

impl Flesh {
    /// The numbers of it, for files.
    pub fn stored(&self) -> StoredFlesh {
        StoredFlesh {
            fps: self.fps,
            free: self.network.free.clone(),
            knots: self.network.knots.clone(),
            held: self.network.held.clone(),
            stiffness: self.parameters.stiffness.clone(),
            hold: self.parameters.hold,
            damping: self.parameters.damping,
            shape: self.parameters.shape,
            gain: self.gain,
        }
    }

    /// The flesh of a mesh from its numbers.
    ///
    /// # Errors
    /// [`FleshError::Stored`] where they do not fit.
    pub fn from_stored(mesh: &Mesh, rest: &[Vec3], stored: StoredFlesh) -> Result<Self, FleshError> {
        let StoredFlesh { fps, free, knots, held, stiffness, hold, damping, shape, gain } = stored;
        let positive = |x: f64| x > 0.0 && x < 1e9;
        let numbers = stiffness.iter().chain([&fps, &hold, &damping]).all(|x| positive(*x));
        if !numbers || !(0.0..=1.0).contains(&gain) || stiffness.len() != knots.len() + held.len() {
            return Err(FleshError::Stored);
        }
        let network = Network::stored(mesh, rest, free, knots, held)?;
        Ok(Self { fps, network, parameters: Parameters { stiffness, hold, damping, shape }, gain })
    }

    /// How many vertices the body has.
    pub fn vertex_count(&self) -> usize {
        self.network.vertex_count
    }

    /// Vertices that move by themselves.
    pub fn free(&self) -> &[u32] {
        &self.network.free
    }

    /// Motion with flesh: frames of one clip, `fps` a second, as they are without. Flesh hangs still before the first.
    ///
    /// # Errors
    /// Another number of vertices, a frame rate that is none, a coordinate that is no number, or that the listener cancelled.
    pub fn moved(&self, frames: &Frames, fps: f64, progress: &dyn Progress) -> Result<Frames, FleshError> {
        self.check(frames, fps)?;
        let mut out = frames.flat().to_vec();
        if frames.is_empty() {
            return Ok(Frames::new(out, 0, frames.vertex_count()));
        }
        let system = System::new(&self.network, &self.parameters).ok_or(FleshError::Stored)?;
        let points = |frame: usize, out: &mut [DVec3]| self.network.points_of(frames.frame(frame), out);
        let mut moved = vec![DVec3::ZERO; self.network.len()];
        points(0, &mut moved);
        let mut state = system.at_rest(&moved);
        // What knots move by themselves at the last step and at the one before.
        let displaced = |state: &State| -> Vec<DVec3> {
            state.displacements().take(self.network.knots.len()).map(|d| self.gain * d).collect()
        };
        let mut now = displaced(&state);
        let mut before = now.clone();
        // Frames that are as long as steps need none between.
        let steps_a_frame = if (self.fps / fps - 1.0).abs() < 1e-6 { 1.0 } else { self.fps / fps };
        let mut steps = 0_usize;
        let width = 3 * frames.vertex_count();
        for (frame, pose) in out.chunks_exact_mut(width.max(1)).enumerate() {
            progress.check()?;
            progress.advance(frame as f64 / frames.len() as f64);
            let time = frame as f64 * steps_a_frame;
            while (steps as f64) < time - 1e-9 {
                steps += 1;
                between(frames.len(), steps as f64 / steps_a_frame, points, &mut moved);
                system.step(&mut state, &moved);
                before = std::mem::replace(&mut now, displaced(&state));
            }
            let share = 1.0 - (steps as f64 - time);
            let shown: Vec<DVec3> = before.iter().zip(&now).map(|(a, b)| a.lerp(*b, share)).collect();
            self.add(&shown, bytemuck::cast_slice_mut(pose));
        }
        Ok(Frames::new(out, frames.len(), frames.vertex_count()))
    }

    fn check(&self, frames: &Frames, fps: f64) -> Result<(), FleshError> {
        let (found, expected) = (frames.vertex_count(), self.network.vertex_count);
        if found != expected {
            return Err(FleshError::Vertices { found, expected });
        }
        if !(fps > 0.0 && fps.is_finite()) {
            return Err(FleshError::FrameRate { found: fps });
        }
        frames
            .first_not_finite()
            .map_or(Ok(()), |(frame, vertex)| Err(FleshError::NotFinite { frame, vertex }))
    }

    /// Adds to a pose what free vertices move by themselves, as the knots do that they follow.
    fn add(&self, knots: &[DVec3], pose: &mut [Vec3]) {
        for (&v, followed) in self.network.free.iter().zip(&self.network.followed) {
            let displacement: DVec3 = followed.iter().map(|&(k, w)| f64::from(w) * knots[k as usize]).sum();
            pose[v as usize] += displacement.as_vec3();
        }
    }
}
