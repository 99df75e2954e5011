//! Points spread evenly over the rest surface, and weights that fall smoothly with the distance to them.
//!
//! "Skinning Arbitrary Deformations" (SAD: Kavan, McDonnell, Dobbin, Žára and O'Sullivan 2007) takes such
//! points for bones: nothing is assumed about the motion, so that frames may be yet unseen. Distances are
//! measured along edges, so that the two sides of a gap stay apart, and pieces of the mesh that share no
//! edge are joined where they come nearest. Points are vertices: each new one is the vertex farthest from
//! those before; then points move to the middle of what they are nearest to, as long as that brings the
//! surface nearer to its points.
//!
//! A vertex is influenced by its nearest points. Weights reach zero at the distance of the first point that
//! is left out, so that they stay continuous where it changes which points are nearest.

use glam::{DVec3, Vec3};

use crate::geometry::surface::SurfaceGraph;
use crate::rig::SkinWeights;

/// The most rounds in which points move to the middle.
const ROUNDS: usize = 20;

/// Spreads `count` points over the surface and returns their vertices. `None` when there are fewer vertices
/// that belong to a triangle, or none was asked for.
pub fn spread_points(triangles: &[[u32; 3]], rest: &[Vec3], count: usize) -> Option<Vec<u32>> {
    spread(&SurfaceGraph::new(triangles, rest), triangles, rest, count)
}

/// Weights of `points` on every vertex: at most `influences`, from the nearest, summing to one.
///
/// # Panics
/// When there are no points, or no influences.
pub fn smooth_weights(
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    points: &[u32],
    influences: usize,
) -> SkinWeights {
    weights_on(&SurfaceGraph::new(triangles, rest), points, influences)
}

pub(crate) fn spread(
    graph: &SurfaceGraph,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    count: usize,
) -> Option<Vec<u32>> {
    if count == 0 || count > graph.used().count() {
        return None;
    }
    let shares = vertex_areas(triangles, rest);
    let middle = middle_of(graph.used(), rest, &shares);
    let first = nearest_to(middle, graph.used(), rest)?;
    let mut cells = Cells::new(rest.len(), 0.0);
    cells.add_farthest(graph, first, count, |left, distance| {
        left.reduce(|a, b| if distance[b as usize] > distance[a as usize] { b } else { a })
    });
    for _ in 0..ROUNDS {
        let moved = Cells::around(graph, cells.middles(rest, &shares), rest.len());
        if moved.cost(&shares) >= cells.cost(&shares) {
            break;
        }
        cells = moved;
    }
    Some(cells.points)
}

/// Points, and for every vertex the nearest of them.
pub(crate) struct Cells {
    /// Vertices of the points.
    pub points: Vec<u32>,
    /// How far each vertex is from its point.
    pub distance: Vec<f64>,
    /// Which point each vertex is nearest to.
    pub owner: Vec<u32>,
    /// A later point is nearer only if it is so by more than this.
    slack: f64,
}

impl Cells {
    /// No points yet.
    pub fn new(vertices: usize, slack: f64) -> Self {
        let distance = vec![f64::INFINITY; vertices];
        Self { points: Vec::new(), distance, owner: vec![0; vertices], slack }
    }

    fn add(&mut self, graph: &SurfaceGraph, point: u32) {
        let name = self.points.len() as u32;
        graph.spread_from(point, name, self.slack, &mut self.distance, &mut self.owner);
        self.points.push(point);
    }

    fn around(graph: &SurfaceGraph, points: Vec<u32>, vertices: usize) -> Self {
        let mut cells = Self::new(vertices, 0.0);
        points.into_iter().for_each(|p| cells.add(graph, p));
        cells
    }

    /// Adds points until there are `count`, each as far from those before as can be: `choose` takes one of
    /// the vertices left by their distances.
    pub fn add_farthest(
        &mut self,
        graph: &SurfaceGraph,
        first: u32,
        count: usize,
        choose: impl Fn(&mut dyn Iterator<Item = u32>, &[f64]) -> Option<u32>,
    ) {
        let mut taken = vec![false; self.distance.len()];
        let mut next = Some(first);
        while let Some(point) = next {
            self.add(graph, point);
            taken[point as usize] = true;
            if self.points.len() == count {
                break;
            }
            next = choose(&mut graph.used().filter(|&v| !taken[v as usize]), &self.distance);
        }
    }

    /// For each point the vertex in the middle of its cell.
    fn middles(&self, rest: &[Vec3], shares: &[f64]) -> Vec<u32> {
        let mut members = vec![Vec::new(); self.points.len()];
        for (v, &owner) in self.owner.iter().enumerate().filter(|(v, _)| shares[*v] > 0.0) {
            members[owner as usize].push(v as u32);
        }
        members
            .iter()
            .zip(&self.points)
            .map(|(list, &point)| {
                let middle = middle_of(list.iter().copied(), rest, shares);
                nearest_to(middle, list.iter().copied(), rest).unwrap_or(point)
            })
            .collect()
    }

    /// Squared distance to the nearest point over the whole surface.
    fn cost(&self, shares: &[f64]) -> f64 {
        self.distance.iter().zip(shares).map(|(d, share)| share * d * d).sum()
    }
}

/// A third of each triangle's area for each of its corners.
pub(crate) fn vertex_areas(triangles: &[[u32; 3]], rest: &[Vec3]) -> Vec<f64> {
    let mut areas = vec![0.0; rest.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| rest[v as usize].as_dvec3());
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|&v| areas[v as usize] += third);
    }
    areas
}

pub(crate) fn middle_of(vertices: impl Iterator<Item = u32>, rest: &[Vec3], shares: &[f64]) -> DVec3 {
    let (sum, total) = vertices.fold((DVec3::ZERO, 0.0), |(sum, total), v| {
        let share = shares[v as usize];
        (sum + rest[v as usize].as_dvec3() * share, total + share)
    });
    if total > 0.0 { sum / total } else { DVec3::ZERO }
}

fn nearest_to(place: DVec3, vertices: impl Iterator<Item = u32>, rest: &[Vec3]) -> Option<u32> {
    let distance = |v: u32| rest[v as usize].as_dvec3().distance_squared(place);
    vertices.reduce(|a, b| if distance(b) < distance(a) { b } else { a })
}

pub(crate) fn weights_on(graph: &SurfaceGraph, points: &[u32], influences: usize) -> SkinWeights {
    assert!(!points.is_empty() && influences > 0, "points and influences");
    let k = influences.min(points.len());
    let nearest = graph.nearest_sources(points, k + 1);
    let found = nearest.len().min(k + 1).min(points.len());
    let mut weights = SkinWeights { per_vertex: k, ..SkinWeights::default() };
    for list in nearest.chunks_exact(found) {
        // Where every point has influence, none has to fade out: the reach is beyond the farthest.
        let reach = if found > k { list[k].0 } else { 1.5 * list[found - 1].0 };
        let fade = |d: f64| if reach > 0.0 { (1.0 - d / reach).max(0.0).powi(2) } else { 1.0 };
        let sum: f64 = list[..k].iter().map(|n| fade(n.0)).sum();
        for &(distance, point) in &list[..k] {
            // Points all at the same distance share alike.
            let weight = if sum > 0.0 { fade(distance) / sum } else { 1.0 / k as f64 } as f32;
            weights.weights.push(weight);
            weights.bones.push(if weight == 0.0 { 0 } else { point });
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of squares, `long` by one.
    fn strip(long: usize) -> (Vec<[u32; 3]>, Vec<Vec3>) {
        let p = (0..=long).flat_map(|x| [0, 1].map(|y| Vec3::new(x as f32, y as f32, 0.0))).collect();
        let t = (0..long as u32).flat_map(|i| {
            let a = 2 * i;
            [[a, a + 2, a + 3], [a, a + 3, a + 1]]
        });
        (t.collect(), p)
    }

    #[test]
    fn points_lie_evenly_on_a_strip() {
        let (triangles, p) = strip(60);
        let mut x: Vec<f32> =
            spread_points(&triangles, &p, 6).unwrap().iter().map(|&v| p[v as usize].x).collect();
        x.sort_by(f32::total_cmp);
        for (i, x) in x.iter().enumerate() {
            assert!((x - (5.0 + 10.0 * i as f32)).abs() <= 3.0, "point {i} is at {x}");
        }
    }

    #[test]
    fn weights_change_little_from_vertex_to_vertex() {
        let (triangles, p) = strip(200);
        let points = spread_points(&triangles, &p, 9).unwrap();
        let weights = smooth_weights(&triangles, &p, &points, 3);
        let dense = |v: usize| {
            let mut row = [0.0; 9];
            let (bones, w) = weights.of(v);
            bones.iter().zip(w).for_each(|(&b, &w)| row[b as usize] += w);
            row
        };
        for v in 0..p.len() - 2 {
            let step: f32 = dense(v).iter().zip(dense(v + 2)).map(|(a, b)| (a - b).abs()).sum();
            assert!(step < 0.2, "{step} at {v}");
        }
    }
}
