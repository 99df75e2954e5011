//! Which triangles become anchors.

use glam::Vec3;

use super::bases::harmonic_rows;
use super::cells::Cells;
use super::dual::DualGraph;
use super::fit::{Fit, Table, residual};
use super::options::AnchorError;
use crate::progress::Progress;

/// One of so many anchors is there from the beginning, spread evenly.
const SEEDS: usize = 3;
/// A round adds at most this share of the anchors there are.
const GROWTH: f64 = 0.25;
/// How often what is left is averaged with the neighbours before the worst triangle is looked for.
const SMOOTHINGS: usize = 4;

/// At most `count` triangles, in ascending order, from which the field can be spread well.
///
/// Greedy as in the paper's section 3, but: a round takes many triangles, at most one in each cell; the cells
/// are those with the most error left in them, Σ area |d′ − d|², after the best values for the anchors so far,
/// rather than those with the single worst triangle; and in a cell it is the triangle that is worst after its
/// error was averaged with its neighbours'. Single triangles that stick out of the field say little about what
/// a smooth basis around them can gain.
pub(super) fn choose(
    graph: &DualGraph,
    field: &Table,
    count: usize,
    width: usize,
    progress: &dyn Progress,
) -> Result<Vec<u32>, AnchorError> {
    let mut anchors = spread_evenly(&graph.centres, count.div_ceil(SEEDS));
    let mut taken = vec![false; graph.len()];
    anchors.iter().for_each(|&t| taken[t as usize] = true);
    while anchors.len() < count {
        progress.check()?;
        progress.advance(anchors.len() as f64 / count as f64);
        let cells = Cells::new(graph, &anchors);
        let rows = harmonic_rows(graph, &cells, &anchors, width)?;
        let values = Fit::new(&rows, anchors.len(), &graph.areas)?.values(&rows, &cells, field)?;
        let left = residual(&rows, &values, field);
        let room = ((GROWTH * anchors.len() as f64).ceil() as usize).min(count - anchors.len());
        let more = worst(graph, &cells, &left, &taken, room);
        if more.is_empty() {
            break;
        }
        more.iter().for_each(|&t| taken[t as usize] = true);
        anchors.extend(more);
    }
    anchors.sort_unstable();
    Ok(anchors)
}

/// The worst triangle of each of the `room` cells with the most error.
fn worst(graph: &DualGraph, cells: &Cells, left: &Table, taken: &[bool], room: usize) -> Vec<u32> {
    let size = |numbers: &[f64]| numbers.iter().map(|x| x * x).sum::<f64>();
    let mut of_cell: Vec<(f64, u32)> = (0..cells.len() as u32)
        .map(|a| {
            let error = |&t: &u32| graph.areas[t as usize] * size(left.of(t as usize));
            (cells.members(a).iter().map(error).sum(), a)
        })
        .filter(|cell: &(f64, u32)| cell.0 > 0.0)
        .collect();
    of_cell.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut smooth = left.clone();
    for _ in 0..SMOOTHINGS {
        smooth = averaged(graph, &smooth);
    }
    let in_cell = |&(_, a): &(f64, u32)| {
        let free = cells.members(a).iter().filter(|&&t| !taken[t as usize]);
        let by_size = |x: &&u32, y: &&u32| {
            size(smooth.of(**x as usize)).total_cmp(&size(smooth.of(**y as usize))).then(y.cmp(x))
        };
        free.max_by(by_size).copied()
    };
    of_cell.iter().filter_map(in_cell).take(room).collect()
}

/// Every triangle's numbers averaged with its neighbours', by area.
fn averaged(graph: &DualGraph, table: &Table) -> Table {
    let mut out = table.clone();
    for (t, to) in out.numbers.chunks_exact_mut(table.width).enumerate() {
        let mut sum = graph.areas[t];
        to.iter_mut().for_each(|x| *x *= sum);
        for &(next, _) in graph.neighbours(t as u32) {
            let area = graph.areas[next as usize];
            sum += area;
            to.iter_mut().zip(table.of(next as usize)).for_each(|(to, x)| *to += area * x);
        }
        // Collapsed triangles among themselves are left alone by the error too.
        to.iter_mut().for_each(|x| *x /= sum.max(f64::MIN_POSITIVE));
    }
    out
}

/// Points far from each other: first the one farthest from their middle, then always the one farthest from
/// all before.
fn spread_evenly(points: &[Vec3], count: usize) -> Vec<u32> {
    let middle = points.iter().map(|p| p.as_dvec3()).sum::<glam::DVec3>() / points.len().max(1) as f64;
    let mut distance: Vec<f32> = points.iter().map(|p| p.distance_squared(middle.as_vec3())).collect();
    let mut found = Vec::new();
    while found.len() < count {
        let by_distance = |a: &usize, b: &usize| distance[*a].total_cmp(&distance[*b]).then(b.cmp(a));
        let Some(far) = (0..points.len()).max_by(by_distance).filter(|&far| distance[far] >= 0.0) else {
            break;
        };
        if found.is_empty() {
            distance.fill(f32::INFINITY);
        }
        found.push(far as u32);
        distance.iter_mut().zip(points).for_each(|(d, p)| *d = d.min(p.distance_squared(points[far])));
        // No point comes twice, not even where several are at one place.
        distance[far] = -1.0;
    }
    found
}
