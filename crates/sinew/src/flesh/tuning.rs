//! Numbers of this room that were tuned on data, each with why.

use crate::tuning::tuning;

tuning! {
    /// Simulated flesh: tuned on one character with two clips.
    FleshTuning {
        /// A vertex is free whose root mean square distance between both motions is above this share of the largest. Those
        /// below are held: a simulation has them where the motion does.
        free: f64 = 2e-3,
        /// Neighbours that a point is tied to. Fewer bend too easily: 12 to 40 were tried, 24 was closest on both clips.
        neighbours: usize = 24,
        /// Points that are simulated at most. Steps grow with the square.
        most_knots: usize = 320,
        /// Held points at most.
        most_held: usize = 256,
        /// How far around the knots vertices are held, in distances to the farthest neighbour.
        reach: f64 = 1.0,
        /// Local and global turns a step. Two are not quite enough for fast swings, five are no closer.
        turns: usize = 3,
        /// Stiffnesses tried at first, by factors of two from this one.
        softest: f64 = 0.03,
        /// How many.
        stiffnesses: usize = 9,
        /// Holds tried at first.
        holds: [f64; 2] = [1e-3, 0.1],
        /// Damping at first, relative to the stiffness.
        damping: f64 = 0.01,
        /// Smooth fields of the stiffness, besides one for each region.
        fields: usize = 4,
        /// Most of them.
        most_fields: usize = 10,
        /// Rounds of least squares.
        rounds: usize = 7,
        /// Gain in error, relative, below which rounds end.
        enough: f64 = 3e-3,
        /// What a unit of a field costs, as a share of the energy of the motion.
        prior: f64 = 1e-4,
        /// Step of logarithms for derivatives.
        step: f64 = 0.03,
        /// Frames that are learnt from, at most: those that swing most.
        most_frames: usize = 480,
        /// Steps at the first frame until flesh hangs still.
        settling: usize = 40,
    }
}

/// What is used.
pub const TUNING: FleshTuning = FleshTuning::DEFAULT;

/// Fewest frames of a clip: learnt from one half, tried on the other.
pub(super) const FEWEST_FRAMES: usize = 16;
