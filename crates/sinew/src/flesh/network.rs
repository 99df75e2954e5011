//! Points of a body that are simulated, what holds them, and which are tied to which.

use glam::{DVec3, Vec3};

use super::error::FleshError;
use super::tuning::TUNING;
use crate::geometry::Mesh;
use crate::geometry::union_find::{join, root};
use crate::solve::tridiagonal::eigen_rows;

/// How many knots a free vertex follows.
const FOLLOWED: usize = 4;

/// Points of a body: knots first, which are free, then those that are held.
#[derive(Clone, Debug)]
pub(super) struct Network {
    pub vertex_count: usize,
    /// Vertices that move by themselves, ascending.
    pub free: Vec<u32>,
    /// Vertices that are simulated.
    pub knots: Vec<u32>,
    /// Vertices around that are held.
    pub held: Vec<u32>,
    /// Where the points rest.
    pub rest: Vec<DVec3>,
    /// Where the neighbours of each point begin, and where the last end.
    pub starts: Vec<usize>,
    /// The neighbours; whoever has a neighbour is one of its.
    pub neighbours: Vec<u32>,
    /// Masses of the knots, one in the mean or so.
    pub masses: Vec<f64>,
    /// Knots that each free vertex follows, and how much.
    pub followed: Vec<[(u32, f32); FOLLOWED]>,
}

impl Network {
    /// Chooses knots among free vertices and points around them that are held.
    pub fn choose(mesh: &Mesh, rest: &[Vec3], free: Vec<u32>) -> Self {
        let pieces = pieces(mesh, rest.len());
        let is_free = flags(rest.len(), &free);
        let knots = spread(rest, &free, TUNING.most_knots);
        let width = neighbour_distance(rest, &knots);
        let reach = f64::from(width) * TUNING.reach;
        let near = |v: u32| {
            let squared = knots.iter().map(|&k| rest[k as usize].distance_squared(rest[v as usize]));
            f64::from(squared.fold(f32::INFINITY, f32::min)) <= reach * reach
        };
        let of_knots: Vec<bool> =
            flags(rest.len(), &knots.iter().map(|&k| pieces[k as usize]).collect::<Vec<_>>());
        let around: Vec<u32> = (0..rest.len() as u32)
            .filter(|&v| !is_free[v as usize] && of_knots[pieces[v as usize] as usize] && near(v))
            .collect();
        let held = spread(rest, &around, TUNING.most_held);
        Self::new(mesh, rest, free, knots, held, &pieces)
    }

    /// The network of points that were chosen before.
    ///
    /// # Errors
    /// [`FleshError::Stored`] where they are not of this mesh.
    pub fn stored(
        mesh: &Mesh,
        rest: &[Vec3],
        free: Vec<u32>,
        knots: Vec<u32>,
        held: Vec<u32>,
    ) -> Result<Self, FleshError> {
        let most = rest.len() as u32;
        let ascending = free.windows(2).all(|pair| pair[0] < pair[1]);
        let mut all: Vec<u32> = knots.iter().chain(&held).copied().collect();
        all.sort_unstable();
        let once = all.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = free.last().into_iter().chain(&all).all(|&v| v < most);
        let of_free = knots.iter().all(|k| free.binary_search(k).is_ok());
        let held_apart = held.iter().all(|h| free.binary_search(h).is_err());
        let few = knots.len() <= 4 * TUNING.most_knots && held.len() <= 4 * TUNING.most_held;
        if !(ascending && once && inside && of_free && held_apart && few) || knots.is_empty() {
            return Err(FleshError::Stored);
        }
        let pieces = pieces(mesh, rest.len());
        Ok(Self::new(mesh, rest, free, knots, held, &pieces))
    }

    fn new(
        mesh: &Mesh,
        rest: &[Vec3],
        free: Vec<u32>,
        knots: Vec<u32>,
        held: Vec<u32>,
        pieces: &[u32],
    ) -> Self {
        let vertices: Vec<u32> = knots.iter().chain(&held).copied().collect();
        let points: Vec<DVec3> = vertices.iter().map(|&v| rest[v as usize].as_dvec3()).collect();
        let piece: Vec<u32> = vertices.iter().map(|&v| pieces[v as usize]).collect();
        let (starts, neighbours) = ties(&points, &piece, knots.len());
        let followed = follow(rest, &free, &knots, pieces);
        let masses = masses(mesh, rest, &free, &followed, knots.len());
        Self {
            vertex_count: rest.len(),
            free,
            knots,
            held,
            rest: points,
            starts,
            neighbours,
            masses,
            followed,
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Neighbours of a point, each with its place in the list of all.
    pub fn around(&self, point: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        (self.starts[point]..self.starts[point + 1]).map(|at| (at, self.neighbours[at] as usize))
    }

    /// Positions of the points among those of all vertices.
    pub fn points_of(&self, pose: &[Vec3], out: &mut [DVec3]) {
        for (point, &v) in out.iter_mut().zip(self.knots.iter().chain(&self.held)) {
            *point = pose[v as usize].as_dvec3();
        }
    }

    /// Smooth fields over all points, of unit root mean square over the knots: the lowest modes of the body's graph, held where
    /// it is held. The first ones tell how far from the hold a point is, and which region it is of.
    pub fn fields(&self) -> Vec<Vec<f64>> {
        let n = self.knots.len();
        let mut laplacian = vec![0.0; n * n];
        let mut regions: Vec<u32> = (0..n as u32).collect();
        for i in 0..n {
            for (_, j) in self.around(i) {
                laplacian[i * n + i] += 1.0;
                if j < n {
                    laplacian[i * n + j] -= 1.0;
                    join(&mut regions, i as u32, j as u32);
                }
            }
        }
        let regions = (0..n as u32).filter(|&i| root(&mut regions, i) == i).count();
        let count = (TUNING.fields + regions).min(TUNING.most_fields).min(n);
        let (_, rows) = eigen_rows(laplacian, n);
        let nearest = |p: usize| -> usize {
            let apart = |k: &usize| self.rest[*k].distance_squared(self.rest[p]);
            (0..n).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0)
        };
        let of_held: Vec<usize> = (n..self.len()).map(nearest).collect();
        let scale = (n as f64).sqrt();
        // Eigenvalues are sorted from the largest down.
        let rows = rows.chunks_exact(n).rev().take(count);
        rows.map(|row| (0..n).chain(of_held.iter().copied()).map(|k| scale * row[k]).collect()).collect()
    }
}

fn flags(count: usize, list: &[u32]) -> Vec<bool> {
    let mut flags = vec![false; count];
    list.iter().for_each(|&v| flags[v as usize] = true);
    flags
}

/// Which connected piece each vertex is of.
fn pieces(mesh: &Mesh, vertex_count: usize) -> Vec<u32> {
    let mut roots: Vec<u32> = (0..vertex_count as u32).collect();
    for face in 0..mesh.face_count() {
        let corners = mesh.face(face);
        corners.windows(2).for_each(|pair| {
            join(&mut roots, pair[0], pair[1]);
        });
    }
    (0..vertex_count as u32).map(|v| root(&mut roots, v)).collect()
}

/// At most `most` of the vertices, each as far from those before as can be; all of them where they are no more.
fn spread(rest: &[Vec3], vertices: &[u32], most: usize) -> Vec<u32> {
    if vertices.len() <= most {
        return vertices.to_vec();
    }
    let mut apart = vec![f32::INFINITY; vertices.len()];
    let mut chosen = vec![0];
    while chosen.len() < most {
        let last = rest[vertices[chosen[chosen.len() - 1]] as usize];
        let mut farthest = 0;
        for (i, &v) in vertices.iter().enumerate() {
            apart[i] = apart[i].min(rest[v as usize].distance_squared(last));
            if apart[i] > apart[farthest] {
                farthest = i;
            }
        }
        chosen.push(farthest);
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|i| vertices[i]).collect()
}

/// The largest distance of a knot to the last of its neighbours, were all of them knots.
fn neighbour_distance(rest: &[Vec3], knots: &[u32]) -> f32 {
    let last = |&k: &u32| {
        let here = rest[k as usize];
        let mut squared: Vec<f32> = knots.iter().map(|&o| rest[o as usize].distance_squared(here)).collect();
        let at = TUNING.neighbours.min(squared.len() - 1);
        *squared.select_nth_unstable_by(at, f32::total_cmp).1
    };
    knots.iter().map(last).fold(0.0, f32::max).sqrt()
}

/// Ties each point to its nearest of the same piece, or of any where nothing holds the piece.
fn ties(points: &[DVec3], piece: &[u32], knots: usize) -> (Vec<usize>, Vec<u32>) {
    let held: Vec<u32> = piece[knots..].to_vec();
    let loose: Vec<bool> = piece.iter().map(|piece| !held.contains(piece)).collect();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut near: Vec<(f64, u32)> = Vec::new();
    for i in 0..points.len() {
        near.clear();
        let others = (0..points.len()).filter(|&j| j != i && (piece[i] == piece[j] || loose[i] || loose[j]));
        near.extend(others.map(|j| (points[i].distance_squared(points[j]), j as u32)));
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(TUNING.neighbours);
        pairs.extend(near.iter().flat_map(|&(_, j)| [(i as u32, j), (j, i as u32)]));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let starts = (0..=points.len()).map(|i| pairs.partition_point(|pair| (pair.0 as usize) < i)).collect();
    (starts, pairs.into_iter().map(|pair| pair.1).collect())
}

/// The nearest knots of each free vertex, of its own piece where that has any, by the inverse of the squared distance.
fn follow(rest: &[Vec3], free: &[u32], knots: &[u32], pieces: &[u32]) -> Vec<[(u32, f32); FOLLOWED]> {
    let one = |&v: &u32| {
        let here = rest[v as usize];
        let own = knots.iter().any(|&k| pieces[k as usize] == pieces[v as usize]);
        let mut near = [(f32::INFINITY, 0_u32); FOLLOWED];
        for (number, &k) in (0..).zip(knots) {
            let apart = rest[k as usize].distance_squared(here);
            if apart < near[FOLLOWED - 1].0 && (!own || pieces[k as usize] == pieces[v as usize]) {
                near[FOLLOWED - 1] = (apart, number);
                near.sort_by(|a, b| a.0.total_cmp(&b.0));
            }
        }
        // A vertex that is a knot follows itself alone.
        let weight =
            |apart: f32| if near[0].0 > 0.0 { 1.0 / apart } else { f32::from(u8::from(apart == 0.0)) };
        let sum: f32 = near.iter().map(|n| weight(n.0)).sum();
        near.map(|(apart, knot)| (knot, weight(apart) / sum))
    };
    free.iter().map(one).collect()
}

/// Masses of knots from the surface that follows them. The root of it: half-way between alike, and by surface, was closest to
/// bodies that are simulated as a whole.
fn masses(
    mesh: &Mesh,
    rest: &[Vec3],
    free: &[u32],
    followed: &[[(u32, f32); FOLLOWED]],
    knots: usize,
) -> Vec<f64> {
    let mut areas = vec![0.0_f64; rest.len()];
    for [a, b, c] in mesh.triangles(rest) {
        let [p, q, r] = [a, b, c].map(|v| rest[v as usize].as_dvec3());
        let area = (q - p).cross(r - p).length() / 6.0;
        [a, b, c].iter().for_each(|&v| areas[v as usize] += area);
    }
    let mut masses = vec![0.0; knots];
    for (&v, followed) in free.iter().zip(followed) {
        followed
            .iter()
            .for_each(|&(knot, share)| masses[knot as usize] += f64::from(share) * areas[v as usize]);
    }
    let mean = masses.iter().sum::<f64>() / knots as f64;
    // A point without surface still has to be moved by something.
    masses.iter().map(|m| if mean > 0.0 { (m / mean).sqrt().max(0.1) } else { 1.0 }).collect()
}
