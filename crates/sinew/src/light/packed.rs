//! Light shapes in a byte a vertex.

use super::{LightShapes, Occlusion};

/// Largest of the numbers a byte counts.
const MOST: f32 = 255.0;

/// Light of all frames: shapes over the vertices in a byte each, and coefficients of every frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Light {
    /// Number of vertices.
    pub vertices: usize,
    /// Vertex after vertex, shape after shape.
    pub shapes: Vec<u8>,
    /// What bytes 0 and 255 of each shape stand for; those between lie evenly between.
    pub ranges: Vec<[f32; 2]>,
    /// Shape after shape, frame after frame.
    pub coefficients: Vec<f32>,
}

/// How far light is from what it stands for, as shares of what that spans over all vertices and frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LightError {
    /// The mean of all differences, whatever their sign.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
}

impl Light {
    /// Rounds shapes to bytes.
    pub fn new(shapes: &LightShapes) -> Self {
        let of = |k: usize| &shapes.shapes[k * shapes.vertices..(k + 1) * shapes.vertices];
        let ranges: Vec<[f32; 2]> = (0..shapes.rank)
            .map(|k| {
                let low = of(k).iter().copied().fold(f32::INFINITY, f32::min);
                [low, of(k).iter().copied().fold(low, f32::max)]
            })
            .collect();
        let bytes = |k: usize| {
            let [low, high] = ranges[k];
            let scale = if high > low { MOST / (high - low) } else { 0.0 };
            of(k).iter().map(move |x| ((x - low) * scale).round() as u8)
        };
        Self {
            vertices: shapes.vertices,
            shapes: (0..shapes.rank).flat_map(bytes).collect(),
            ranges,
            coefficients: shapes.coefficients.clone(),
        }
    }

    /// Number of shapes.
    pub fn rank(&self) -> usize {
        self.ranges.len()
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.coefficients.len() / self.rank().max(1)
    }

    /// Bytes that its numbers take.
    pub fn bytes(&self) -> usize {
        self.shapes.len() + size_of_val(&self.ranges[..]) + size_of_val(&self.coefficients[..])
    }

    /// Writes the light of all vertices in one frame to `out`, each between 0 and 1.
    ///
    /// # Panics
    /// When `out` has another length, or there is no such frame.
    pub fn frame_into(&self, frame: usize, out: &mut [f32]) {
        assert_eq!(out.len(), self.vertices, "one number a vertex");
        out.fill(0.0);
        let coefficients = &self.coefficients[frame * self.rank()..(frame + 1) * self.rank()];
        for (k, (&[low, high], &q)) in self.ranges.iter().zip(coefficients).enumerate() {
            let (step, start) = (q * (high - low) / MOST, q * low);
            let shape = &self.shapes[k * self.vertices..(k + 1) * self.vertices];
            out.iter_mut().zip(shape).for_each(|(sum, byte)| *sum += start + step * f32::from(*byte));
        }
        out.iter_mut().for_each(|x| *x = x.clamp(0.0, 1.0));
    }

    /// How far it is from the light that was looked for.
    ///
    /// # Panics
    /// When that has other vertices or frames.
    pub fn error(&self, light: &Occlusion) -> LightError {
        assert_eq!(
            (self.vertices, self.frame_count()),
            (light.vertices, light.frame_count()),
            "the same frames"
        );
        let mut frame = vec![0.0; self.vertices];
        let (mut sum, mut largest) = (0.0, 0.0_f64);
        for t in 0..light.frame_count() {
            self.frame_into(t, &mut frame);
            for (a, b) in frame.iter().zip(light.frame(t)) {
                let off = f64::from((a - b).abs());
                sum += off;
                largest = largest.max(off);
            }
        }
        let low = light.values.iter().copied().fold(f32::INFINITY, f32::min);
        let span = f64::from(light.values.iter().copied().fold(low, f32::max) - low);
        if span <= 0.0 {
            return LightError::default();
        }
        LightError { mean: sum / (light.values.len() as f64 * span), largest: largest / span }
    }
}
