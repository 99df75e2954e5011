//! k-means over rows of numbers, without chance: the first centre is the row nearest to the mean, each next the row farthest from
//! those before.

use crate::progress::{Cancelled, Progress};

/// The most rounds; a handful is usual.
const ROUNDS: usize = 100;

/// Sorts rows of `width` numbers into `count` clusters, none of them empty, by their distances.
///
/// # Panics
/// When there are fewer rows than clusters.
pub fn cluster(
    rows: &[f64],
    width: usize,
    count: usize,
    progress: &dyn Progress,
) -> Result<Vec<u32>, Cancelled> {
    let rows: Vec<&[f64]> = rows.chunks_exact(width.max(1)).collect();
    assert!(count <= rows.len(), "a row for each cluster");
    let mut centres = start(&rows, count, progress)?;
    let mut cluster_of = Vec::new();
    for _ in 0..ROUNDS {
        progress.check()?;
        let mut next = nearest(&rows, &centres);
        fill_empty(&rows, &mut centres, &mut next);
        if next == cluster_of {
            break;
        }
        cluster_of = next;
        for (c, centre) in centres.iter_mut().enumerate() {
            *centre = mean(rows.iter().zip(&cluster_of).filter(|(_, of)| **of == c as u32).map(|(r, _)| *r));
        }
    }
    Ok(cluster_of)
}

fn start(rows: &[&[f64]], count: usize, progress: &dyn Progress) -> Result<Vec<Vec<f64>>, Cancelled> {
    let middle = mean(rows.iter().copied());
    let from_middle: Vec<f64> = rows.iter().map(|row| -square(row, &middle)).collect();
    let Some(first) = largest(&from_middle) else { return Ok(Vec::new()) };
    let mut centres = vec![rows[first].to_vec()];
    let mut distance: Vec<f64> = rows.iter().map(|row| square(row, rows[first])).collect();
    while centres.len() < count {
        progress.check()?;
        let Some(next) = largest(&distance) else { break };
        for (d, row) in distance.iter_mut().zip(rows) {
            *d = d.min(square(row, rows[next]));
        }
        // Rows that are all the same are taken in turn.
        distance[next] = -1.0;
        centres.push(rows[next].to_vec());
    }
    Ok(centres)
}

fn nearest(rows: &[&[f64]], centres: &[Vec<f64>]) -> Vec<u32> {
    let one = |row: &&[f64]| {
        let distances: Vec<f64> = centres.iter().map(|centre| -square(row, centre)).collect();
        largest(&distances).unwrap_or(0) as u32
    };
    rows.iter().map(one).collect()
}

/// Moves the row farthest from its centre, out of a cluster of several, to each cluster without a row.
fn fill_empty(rows: &[&[f64]], centres: &mut [Vec<f64>], cluster_of: &mut [u32]) {
    let mut sizes = vec![0; centres.len()];
    cluster_of.iter().for_each(|&c| sizes[c as usize] += 1);
    for empty in 0..centres.len() {
        if sizes[empty] > 0 {
            continue;
        }
        let distance = |(row, &c): (&&[f64], &u32)| match sizes[c as usize] {
            1 => -1.0,
            _ => square(row, &centres[c as usize]),
        };
        let distances: Vec<f64> = rows.iter().zip(&*cluster_of).map(distance).collect();
        let Some(moved) = largest(&distances) else { return };
        sizes[cluster_of[moved] as usize] -= 1;
        sizes[empty] = 1;
        cluster_of[moved] = empty as u32;
        centres[empty] = rows[moved].to_vec();
    }
}

fn mean<'a>(rows: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let mut sum = Vec::new();
    let mut count = 0.0;
    for row in rows {
        sum.resize(row.len(), 0.0);
        sum.iter_mut().zip(row).for_each(|(s, x)| *s += x);
        count += 1.0;
    }
    sum.iter_mut().for_each(|s| *s /= count);
    sum
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Index of the largest number, the first of equals.
fn largest(numbers: &[f64]) -> Option<usize> {
    (0..numbers.len()).reduce(|a, b| if numbers[b] > numbers[a] { b } else { a })
}

#[cfg(test)]
#[path = "../../../tests/unit/segment_spectral_row_kmeans.rs"]
mod tests;
