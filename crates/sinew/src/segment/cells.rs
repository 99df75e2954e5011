//! Cells of points on a surface: for every vertex the nearest point along the edges (a geodesic Voronoi diagram).

use glam::{DVec3, Vec3};

use crate::geometry::grouped::members;
use crate::geometry::surface::SurfaceGraph;
use crate::progress::{Cancelled, Progress};

/// Points, and for every vertex the nearest of them.
pub struct Cells {
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

    /// The cells of given points.
    pub fn around(
        graph: &SurfaceGraph,
        points: Vec<u32>,
        vertices: usize,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let mut cells = Self::new(vertices, 0.0);
        for point in points {
            progress.check()?;
            cells.add(graph, point);
        }
        Ok(cells)
    }

    /// Adds points until there are `count`, each as far from those before as can be: `choose` takes one of
    /// the vertices left by their distances.
    pub fn add_farthest(
        &mut self,
        graph: &SurfaceGraph,
        first: Option<u32>,
        count: usize,
        choose: impl Fn(&mut dyn Iterator<Item = u32>, &[f64]) -> Option<u32>,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let mut taken = vec![false; self.distance.len()];
        let mut next = first;
        while let Some(point) = next {
            progress.check()?;
            progress.advance(self.points.len() as f64 / count as f64);
            self.add(graph, point);
            taken[point as usize] = true;
            if self.points.len() == count {
                break;
            }
            next = choose(&mut graph.used().filter(|&v| !taken[v as usize]), &self.distance);
        }
        Ok(())
    }

    /// For each point the vertex in the middle of its cell.
    pub fn middles(&self, rest: &[Vec3], shares: &[f64]) -> Vec<u32> {
        let middle = |(list, &point): (&Vec<u32>, &u32)| {
            let counting = || list.iter().copied().filter(|&v| shares[v as usize] > 0.0);
            nearest_to(middle_of(counting(), rest, shares), counting(), rest).unwrap_or(point)
        };
        members(&self.owner, self.points.len()).iter().zip(&self.points).map(middle).collect()
    }

    /// Squared distance to the nearest point over the whole surface.
    pub fn cost(&self, shares: &[f64]) -> f64 {
        self.distance.iter().zip(shares).map(|(d, share)| share * d * d).sum()
    }
}

/// The middle of some vertices, each counting its share.
pub fn middle_of(vertices: impl Iterator<Item = u32>, rest: &[Vec3], shares: &[f64]) -> DVec3 {
    let (sum, total) = vertices.fold((DVec3::ZERO, 0.0), |(sum, total), v| {
        let share = shares[v as usize];
        (sum + rest[v as usize].as_dvec3() * share, total + share)
    });
    if total > 0.0 { sum / total } else { DVec3::ZERO }
}

/// The vertex nearest to a place, the first of equals.
pub fn nearest_to(place: DVec3, vertices: impl Iterator<Item = u32>, rest: &[Vec3]) -> Option<u32> {
    let distance = |v: u32| rest[v as usize].as_dvec3().distance_squared(place);
    vertices.reduce(|a, b| if distance(b) < distance(a) { b } else { a })
}
