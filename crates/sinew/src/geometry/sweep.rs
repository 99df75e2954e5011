//! Triangles of a polygon of any size in about n log n steps: a sweep from top to bottom cuts it into pieces that are
//! monotone in y, and a stack cuts each of those in one pass (de Berg et al., *Computational Geometry*, chapter 3).
//!
//! Unlike the book's, the sweep takes any polygon. Regions know the two edges between which they lie, so that nothing is
//! looked up but where a corner opens a new one; cuts that would cross each other are left out; and each piece of k
//! corners gives k − 2 triangles whatever its shape. A simple polygon, which may touch itself, is thus cut as it should
//! be, and one that crosses itself is wrong only near there.

use std::iter::successors;

use glam::{DVec2, DVec3, Vec3};

/// Hands triangles to `emit` as [`triangulate_polygon`](super::triangulate_polygon) does, for four corners or more.
pub(super) fn triangulate_by_sweep(polygon: &[u32], positions: &[Vec3], mut emit: impl FnMut(u32, u32, u32)) {
    let n = polygon.len() as u32;
    let mut corners: Vec<(u32, DVec2)> = (0..n).zip(flatten(polygon, positions)).collect();
    // Of corners in one place one behind the other, all but the first are cut off.
    if corners.windows(2).filter(|pair| pair[0].1 != pair[1].1).count() > 1 {
        corners.dedup_by(|again, first| {
            let same = again.1 == first.1;
            if same {
                emit(first.0, again.0, (again.0 + 1) % n);
            }
            same
        });
    }
    let points: Vec<DVec2> = corners.iter().map(|corner| corner.1).collect();
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let sweeps_down = |a: DVec2, b: DVec2| b.y.total_cmp(&a.y).then(a.x.total_cmp(&b.x));
    order.sort_by(|&a, &b| sweeps_down(points[a as usize], points[b as usize]));
    let mut rank = vec![0; order.len()];
    (0..).zip(&order).for_each(|(r, &corner)| rank[corner as usize] = r);

    let mut sweep = Sweep {
        points: &points,
        rank: &rank,
        regions: Vec::new(),
        region_of: vec![0; points.len()],
        line: Line { rows: vec![Vec::new()], order: vec![0], row_of: Vec::new() },
        cuts: Vec::new(),
    };
    order.iter().for_each(|&corner| sweep.pass(corner));
    let last = points.len() as u32 - 1;
    let mut next: Vec<u32> = (1..=last + 1).collect();
    for [from, to] in without_crossings(sweep.cuts, last).into_iter().chain([[0, last]]) {
        let piece: Vec<u32> = successors(Some(from), |&i| (i != to).then(|| next[i as usize])).collect();
        next[from as usize] = to;
        triangulate_monotone(&piece, &points, &rank, |a, b, c| {
            let [a, b, c] = [a, b, c].map(|i| corners[i as usize].0);
            emit(a, b, c);
        });
    }
}

/// The polygon without the coordinate along which it is thinnest, counter-clockwise. No coordinate is rounded, so that
/// what touches in the file still touches.
fn flatten(polygon: &[u32], positions: &[Vec3]) -> Vec<DVec2> {
    let corners: Vec<DVec3> = polygon.iter().map(|&v| positions[v as usize].as_dvec3()).collect();
    let ahead = corners.iter().cycle().skip(1);
    let normal: DVec3 =
        corners.iter().zip(ahead).map(|(&p, &q)| (p - corners[0]).cross(q - corners[0])).sum();
    let along = normal.abs().max_position();
    let (x, y) = ((along + 1) % 3, (along + 2) % 3);
    let (x, y) = if normal[along] < 0.0 { (y, x) } else { (x, y) };
    corners.iter().map(|p| DVec2::new(p[x], p[y])).collect()
}

/// Twice the area of a triangle, negative if its corners run clockwise.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// What of the polygon the sweep line crosses, and the cuts found so far. An edge has the number of the corner that it
/// leaves.
struct Sweep<'a> {
    points: &'a [DVec2],
    /// When the sweep passes each corner.
    rank: &'a [u32],
    regions: Vec<Region>,
    /// The region that each crossed edge bounds.
    region_of: Vec<u32>,
    line: Line,
    cuts: Vec<[u32; 2]>,
}

/// A stretch of the sweep line inside the polygon.
struct Region {
    /// The edges at its west and east ends.
    ends: [u32; 2],
    /// The last corner passed on its boundary: all of the stretch sees it.
    helper: u32,
    /// Whether two regions met there, so that a cut must go on from it.
    met: bool,
}

impl Sweep<'_> {
    /// Moves the line over a corner.
    fn pass(&mut self, corner: u32) {
        let n = self.rank.len() as u32;
        let [before, after] = [(corner + n - 1) % n, (corner + 1) % n];
        let below = |neighbour: u32| self.rank[neighbour as usize] > self.rank[corner as usize];
        match (below(before), below(after)) {
            (true, true) => self.open(corner, before, after),
            (false, false) => self.close(corner, before),
            (true, false) => self.follow(corner, corner, before),
            (false, true) => self.follow(corner, before, corner),
        }
    }

    /// Two edges begin: a region between them, or they part the one around them.
    fn open(&mut self, corner: u32, before: u32, after: u32) {
        let convex = turn(self.at(before), self.at(corner), self.at(after)) > 0.0;
        let (west, east) = if convex { (corner, before) } else { (before, corner) };
        // A corner that touches an edge is on the side of it that its angle asks for.
        let beyond = |edge, inside| {
            let side = self.side(edge, corner);
            side > 0.0 || side == 0.0 && inside != convex
        };
        let mut place = self.line.find(|region| beyond(self.regions[region as usize].ends[1], false));
        let around = self.line.get(place).filter(|&r| beyond(self.regions[r as usize].ends[0], true));
        let mut ends = [west, east];
        if let Some(around) = around {
            self.reach(around, corner, true);
            ends = [east, self.regions[around as usize].ends[1]];
            self.bound(around, 1, west);
            place.1 += 1;
        }
        let new = self.regions.len() as u32;
        self.regions.push(Region { ends, helper: corner, met: false });
        (0..2).for_each(|end| self.bound(new, end, ends[end]));
        self.line.insert(place, new);
    }

    /// Two edges end: and with them the region between them, or else those on either side of them meet.
    fn close(&mut self, corner: u32, before: u32) {
        let [west, east] = [corner, before].map(|edge| self.region_of[edge as usize]);
        self.reach(west, corner, false);
        if west != east {
            self.reach(east, corner, false);
            let [a, b] = self.regions[east as usize].ends;
            self.follow(corner, corner, if a == before { b } else { a });
            self.regions[west as usize].met = true;
        }
        self.line.remove(east);
    }

    /// One edge goes on as another.
    fn follow(&mut self, corner: u32, old: u32, new: u32) {
        let region = self.region_of[old as usize];
        self.reach(region, corner, false);
        let east = self.regions[region as usize].ends[1] == old;
        self.bound(region, usize::from(east), new);
    }

    /// The boundary of a region goes on at a corner: a cut to its helper where one is needed.
    fn reach(&mut self, region: u32, corner: u32, parted: bool) {
        let Region { helper, met, .. } = &mut self.regions[region as usize];
        if *met || parted {
            self.cuts.push([corner.min(*helper), corner.max(*helper)]);
        }
        (*helper, *met) = (corner, false);
    }

    fn bound(&mut self, region: u32, end: usize, edge: u32) {
        self.regions[region as usize].ends[end] = edge;
        self.region_of[edge as usize] = region;
    }

    fn at(&self, corner: u32) -> DVec2 {
        self.points[corner as usize]
    }

    /// Positive where a corner lies east of an edge, negative where west.
    fn side(&self, edge: u32, corner: u32) -> f64 {
        let [a, b] = [edge, (edge + 1) % self.rank.len() as u32];
        let side = turn(self.at(a), self.at(b), self.at(corner));
        if self.rank[a as usize] < self.rank[b as usize] { side } else { -side }
    }
}

/// Regions from west to east, in rows of bounded length, so that no more than a row is moved for each that comes or goes.
struct Line {
    rows: Vec<Vec<u32>>,
    /// The rows in use, from west to east.
    order: Vec<u32>,
    /// The row of each region.
    row_of: Vec<u32>,
}

impl Line {
    const LONGEST: usize = 256;

    /// Where the regions that lie `west` of something end: which row in order, where in it.
    fn find(&self, west: impl Fn(u32) -> bool) -> (usize, usize) {
        let row = |&row: &u32| &self.rows[row as usize];
        let place = self.order.partition_point(|r| row(r).last().is_none_or(|&last| west(last)));
        let last = self.order.len() - 1;
        (place.min(last), row(&self.order[place.min(last)]).partition_point(|&region| west(region)))
    }

    fn get(&self, (row, place): (usize, usize)) -> Option<u32> {
        self.rows[self.order[row] as usize].get(place).copied()
    }

    /// Puts a region that was not there before at a place.
    fn insert(&mut self, (place, within): (usize, usize), region: u32) {
        let row = self.order[place];
        self.rows[row as usize].insert(within, region);
        self.row_of.push(row);
        if self.rows[row as usize].len() > Self::LONGEST {
            let half = self.rows[row as usize].split_off(Self::LONGEST / 2);
            let new = self.rows.len() as u32;
            half.iter().for_each(|&region| self.row_of[region as usize] = new);
            self.rows.push(half);
            self.order.insert(place + 1, new);
        }
    }

    fn remove(&mut self, region: u32) {
        let row = self.row_of[region as usize];
        self.rows[row as usize].retain(|&other| other != region);
        if self.rows[row as usize].is_empty() && self.order.len() > 1 {
            self.order.retain(|&other| other != row);
        }
    }
}

/// Cuts between corners that do not follow each other and that cross none before them, inner ones first.
fn without_crossings(mut cuts: Vec<[u32; 2]>, last: u32) -> Vec<[u32; 2]> {
    cuts.retain(|&[from, to]| to - from > 1 && to - from < last);
    cuts.sort_by_key(|&[from, to]| (from, std::cmp::Reverse(to)));
    cuts.dedup();
    let mut around: Vec<[u32; 2]> = Vec::new();
    cuts.retain(|&[from, to]| {
        while around.pop_if(|outer| outer[1] <= from).is_some() {}
        let inside = around.last().is_none_or(|outer| to <= outer[1]);
        if inside {
            around.push([from, to]);
        }
        inside
    });
    cuts.sort_by_key(|&[from, to]| to - from);
    cuts
}

/// Cuts a piece whose corners go down on the west side and up on the east side. `rank` says which corner comes first from
/// the top.
fn triangulate_monotone(piece: &[u32], points: &[DVec2], rank: &[u32], mut emit: impl FnMut(u32, u32, u32)) {
    let top = (0..piece.len()).min_by_key(|&i| rank[piece[i] as usize]).unwrap_or(0);
    let corner = |i: usize| piece[(top + i) % piece.len()];
    let comes = |i: usize| rank[corner(i) as usize];
    let (mut down, mut up) = (1, piece.len() - 1);
    // Corners of one side, from the top, that no triangle has cut off yet.
    let (mut open, mut of_west) = (vec![corner(0)], true);
    while down <= up {
        let last = down == up;
        let west = comes(down) < comes(up);
        let next = corner(if west { down } else { up });
        (down, up) = if west { (down + 1, up) } else { (down, up - 1) };
        let mut triangle = |a: u32, b: u32| if of_west { emit(a, b, next) } else { emit(a, next, b) };
        if west != of_west || last {
            open.windows(2).for_each(|pair| triangle(pair[0], pair[1]));
            open.drain(..open.len() - 1);
        }
        while let [.., a, b] = open[..] {
            let area = turn(points[a as usize], points[b as usize], points[next as usize]);
            if area == 0.0 || (area > 0.0) != west {
                break;
            }
            triangle(a, b);
            open.pop();
        }
        open.push(next);
        of_west = west;
    }
}
