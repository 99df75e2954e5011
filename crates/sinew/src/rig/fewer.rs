//! Weights as engines keep them: the largest few of every vertex.

use super::SkinWeights;

impl SkinWeights {
    /// The `most` largest weights of each vertex, made to sum to one: what a player is left with that keeps no more. Of
    /// equal ones the first stay.
    pub fn largest(&self, most: usize) -> Self {
        if self.per_vertex <= most {
            return self.clone();
        }
        let per_vertex = most.max(1);
        let vertices = self.weights.len() / self.per_vertex;
        let slots = vertices * per_vertex;
        let mut out = Self { per_vertex, bones: vec![0; slots], weights: vec![0.0; slots] };
        let mut kept: Vec<(usize, f64)> = Vec::new();
        for vertex in 0..vertices {
            kept.clear();
            kept.extend(self.influences(vertex));
            kept.sort_by(|a, b| b.1.total_cmp(&a.1));
            kept.truncate(per_vertex);
            let sum: f64 = kept.iter().map(|k| k.1).sum();
            for (slot, &(bone, weight)) in kept.iter().enumerate() {
                out.bones[vertex * per_vertex + slot] = bone as u32;
                out.weights[vertex * per_vertex + slot] = (weight / sum) as f32;
            }
        }
        out
    }

    /// How many vertices have more than `most` weights that are not zero.
    pub fn vertices_above(&self, most: usize) -> usize {
        let count = |weights: &[f32]| weights.iter().filter(|w| **w != 0.0).count();
        self.weights.chunks_exact(self.per_vertex.max(1)).filter(|weights| count(weights) > most).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_stay_and_sum_to_one() {
        let weights = SkinWeights {
            per_vertex: 3,
            bones: vec![4, 2, 7, 1, 0, 0],
            weights: vec![0.5, 0.3, 0.2, 1.0, 0.0, 0.0],
        };
        let two = weights.largest(2);
        assert_eq!((two.per_vertex, &two.bones[..]), (2, &[4, 2, 1, 0][..]));
        assert_eq!(two.weights, [0.625, 0.375, 1.0, 0.0]);
        assert_eq!(weights.largest(3), weights);
        assert_eq!([1, 2, 3].map(|most| weights.vertices_above(most)), [1, 1, 0]);
    }
}
