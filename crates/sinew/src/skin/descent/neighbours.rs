//! Which vertices share an edge.

use crate::geometry::grouped::Lists;

/// Neighbours of every vertex.
pub struct Neighbours(Lists<u32>);

impl Neighbours {
    /// Collects the edges of triangles over `count` vertices. An edge of two triangles counts twice.
    pub fn new(triangles: &[[u32; 3]], count: usize) -> Self {
        let both = |&[a, b, c]: &[u32; 3]| [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)];
        Self(Lists::grouped(count, triangles.iter().flat_map(both)))
    }

    /// Neighbours of one vertex.
    pub fn of(&self, vertex: usize) -> &[u32] {
        self.0.of(vertex)
    }

    /// For each vertex the place in `from` of the vertex fewest edges away; `None` where no edges lead.
    pub fn nearest(&self, from: &[u32]) -> Vec<Option<u32>> {
        let mut nearest = vec![None; self.0.len()];
        let mut queue: std::collections::VecDeque<u32> = from.iter().copied().collect();
        from.iter().enumerate().for_each(|(i, &v)| nearest[v as usize] = Some(i as u32));
        while let Some(v) = queue.pop_front() {
            for &w in self.of(v as usize) {
                if nearest[w as usize].is_none() {
                    nearest[w as usize] = nearest[v as usize];
                    queue.push_back(w);
                }
            }
        }
        nearest
    }
}
