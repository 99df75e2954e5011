//! Influences of a vertex, made what they should be.

/// What had to be repaired, and how often.
#[derive(Default)]
pub(crate) struct Repairs {
    pub not_normalised: usize,
    pub without_weights: usize,
    pub negative: usize,
    pub not_triangles: usize,
}

impl Repairs {
    /// Makes one vertex's influences what they should be: each bone once, none negative, normalised, largest
    /// first; all of `otherwise` where there are none.
    pub fn clean(&mut self, row: &mut Vec<(u32, f32)>, otherwise: u32) {
        self.negative += usize::from(row.iter().any(|r| r.1 < 0.0));
        row.retain(|r| r.1 > 0.0);
        row.sort_by_key(|r| r.0);
        row.dedup_by(|from, into| {
            let same = from.0 == into.0;
            into.1 += if same { from.1 } else { 0.0 };
            same
        });
        row.sort_by(|a, b| b.1.total_cmp(&a.1));
        let sum: f64 = row.iter().map(|r| f64::from(r.1)).sum();
        if row.is_empty() {
            self.without_weights += 1;
            row.push((otherwise, 1.0));
        } else if (sum - 1.0).abs() > 2e-6 {
            self.not_normalised += usize::from((sum - 1.0).abs() > 1e-3);
            row.iter_mut().for_each(|r| r.1 = (f64::from(r.1) / sum) as f32);
        }
    }
}
