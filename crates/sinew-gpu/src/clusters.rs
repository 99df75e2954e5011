//! Triangles in small groups that share vertices, so that a workgroup skins each vertex once.

use std::collections::HashMap;

/// The most vertices of a cluster: one for each thread of a workgroup.
pub(crate) const VERTICES: usize = 64;
/// And the most triangles.
pub(crate) const TRIANGLES: usize = 120;

/// A group of triangles that lie together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    /// Its vertices.
    pub vertices: Vec<u32>,
    /// Its triangles, over its own vertices.
    pub triangles: Vec<[u8; 3]>,
}

/// Cuts triangles into clusters. Each begins at the first triangle that is left and takes in the neighbour
/// that brings the fewest new vertices.
pub(crate) fn clusters(indices: &[u32]) -> Vec<Cluster> {
    let triangles: Vec<[u32; 3]> = indices.as_chunks::<3>().0.to_vec();
    let mut around: HashMap<u32, Vec<u32>> = HashMap::new();
    for (number, triangle) in triangles.iter().enumerate() {
        for v in triangle {
            around.entry(*v).or_default().push(number as u32);
        }
    }
    let mut taken = vec![false; triangles.len()];
    let (mut out, mut next) = (Vec::new(), 0);
    let mut cluster = Growing::default();
    loop {
        while next < triangles.len() && taken[next] {
            next += 1;
        }
        let near = cluster.nearest(&triangles, &mut taken);
        let Some(chosen) = near.or((next < triangles.len()).then_some(next as u32)) else { break };
        if !cluster.fits(triangles[chosen as usize]) {
            out.push(std::mem::take(&mut cluster).cluster);
        }
        taken[chosen as usize] = true;
        cluster.add(triangles[chosen as usize], &around);
    }
    if !cluster.cluster.triangles.is_empty() {
        out.push(cluster.cluster);
    }
    out
}

/// A cluster in the making.
#[derive(Default)]
struct Growing {
    cluster: Cluster,
    numbers: HashMap<u32, u8>,
    /// Triangles at its vertices; some may be taken by now.
    front: Vec<u32>,
}

impl Growing {
    fn new_vertices(&self, triangle: [u32; 3]) -> usize {
        triangle.iter().filter(|v| !self.numbers.contains_key(v)).count()
    }

    fn fits(&self, triangle: [u32; 3]) -> bool {
        self.cluster.triangles.len() < TRIANGLES
            && self.cluster.vertices.len() + self.new_vertices(triangle) <= VERTICES
    }

    /// The triangle at its front that brings the fewest new vertices, the oldest of several.
    fn nearest(&mut self, triangles: &[[u32; 3]], taken: &mut [bool]) -> Option<u32> {
        self.front.retain(|t| !taken[*t as usize]);
        self.front.iter().copied().min_by_key(|t| self.new_vertices(triangles[*t as usize]))
    }

    fn add(&mut self, triangle: [u32; 3], around: &HashMap<u32, Vec<u32>>) {
        let corners = triangle.map(|v| {
            *self.numbers.entry(v).or_insert_with(|| {
                self.cluster.vertices.push(v);
                self.front.extend(&around[&v]);
                self.cluster.vertices.len() as u8 - 1
            })
        });
        self.cluster.triangles.push(corners);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_triangle_is_in_one_cluster() {
        // A grid of 20 x 20 squares, and one triangle apart from it.
        let mut indices: Vec<u32> = Vec::new();
        for y in 0..20 {
            for x in 0..20 {
                let at = |dx: u32, dy: u32| (y + dy) * 21 + x + dx;
                indices.extend([at(0, 0), at(1, 0), at(1, 1), at(0, 0), at(1, 1), at(0, 1)]);
            }
        }
        indices.extend([900, 901, 902]);
        let clusters = clusters(&indices);
        let mut found: Vec<[u32; 3]> = Vec::new();
        for cluster in &clusters {
            assert!(cluster.vertices.len() <= VERTICES && cluster.triangles.len() <= TRIANGLES);
            found.extend(cluster.triangles.iter().map(|t| t.map(|v| cluster.vertices[usize::from(v)])));
        }
        let mut given = indices.as_chunks::<3>().0.to_vec();
        found.sort_unstable();
        given.sort_unstable();
        assert_eq!(found, given);
        // 441 vertices need at least 7 clusters; seams between them cost some more.
        assert!(clusters.len() <= 12, "{}", clusters.len());
    }
}
