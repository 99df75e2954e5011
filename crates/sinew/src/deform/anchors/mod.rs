//! Examples kept at a few triangles, the anchors, and spread over the others.
//!
//! Weber, Sorkine, Lipman and Gotsman 2007, sections 3 and 4: the field an example adds varies slowly over the
//! surface, so its values at a few per cent of the triangles, interpolated harmonically over the graph of the
//! triangles, stand for all. A pose blends the examples at the anchors only and spreads the result with bases
//! made beforehand, of which each triangle keeps the heaviest few.
//!
//! Where this departs from the paper:
//! - neighbours are weighted by the geometry of their edge, not all the same: on meshes of uneven triangles,
//!   positions come out a fifth to a quarter nearer;
//! - the anchors' values are fitted, so that the surface stitched from what they spread to is near to that of
//!   the field, rather than read off at the anchors; fields are rough from triangle to triangle, and a sample is
//!   not a mean;
//! - turns and skews share their anchors: choosing for one in one round and for the other in the next brings
//!   positions no nearer;
//! - all examples share them too, so a pose is spread once, whatever their number. Anchors of its own would bring
//!   each example nearer (by a tenth where all change the whole body, to less than half where each is a muscle
//!   somewhere else), at the price of as many bases and spreads as examples;
//! - anchors are chosen in rounds, each of which puts one anchor into the parts of the surface that still have
//!   the most error, and bases are solved part by part: time grows with the number of triangles.
//!
//! What an example then costs is 18 bytes an anchor, and 4 more for the anchor itself once for all examples.
//! The bases are the same for all and can be made again from the anchors ([`Anchors::of_triangles`]), so files
//! need not hold them; in memory they take 4 bytes a share.

mod bases;
mod cells;
mod choose;
mod dual;
mod fit;
mod options;
mod positions;
mod stored;

pub use options::{AnchorCount, AnchorError, AnchorOptions};
pub use stored::{AnchoredField, Blend};

use glam::{DQuat, Vec3};
use rayon::prelude::*;

use self::bases::{Rows, WHOLE, harmonic_rows};
use self::cells::Cells;
use self::dual::DualGraph;
use self::fit::{Fit, Table};
use self::options::check_width;
use self::positions::{Stitched, improve};
use self::stored::NUMBERS;
use super::ExampleField;
use crate::progress::Progress;

/// An example for which anchors are chosen.
#[derive(Clone, Copy, Debug)]
pub struct AnchorExample<'a> {
    /// What it adds to every triangle.
    pub field: &'a ExampleField,
    /// The rotation of every triangle that this is added to in the example's pose, which decides how errors sum
    /// up to positions. None: the rest pose.
    pub plain: &'a [DQuat],
}

/// Anchor triangles of a mesh, and how values at them spread over all triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchors {
    triangles: Vec<u32>,
    rows: Rows,
}

impl Anchors {
    /// Chooses anchors for examples, and fits each example's values at them.
    ///
    /// Fewer than asked for when they meet the fields exactly. The same for any number of threads.
    ///
    /// # Errors
    /// When the number asked for or a field does not fit the mesh, or `progress` cancels.
    pub fn choose(
        triangles: &[[u32; 3]],
        rest: &[Vec3],
        examples: &[AnchorExample],
        options: &AnchorOptions,
        progress: &dyn Progress,
    ) -> Result<(Self, Vec<AnchoredField>), AnchorError> {
        let count = options.count.of(triangles.len(), examples.len())?;
        check_width(options.per_triangle)?;
        let table = table(triangles.len(), examples)?;
        let graph = DualGraph::new(triangles, rest);
        let anchors = choose::choose(&graph, &table, count, options.per_triangle, progress)?;
        let cells = Cells::new(&graph, &anchors);
        let rows = harmonic_rows(&graph, &cells, &anchors, options.per_triangle)?;
        let fit = Fit::new(&rows, anchors.len(), &graph.areas)?;
        let values = fit.values(&rows, &cells, &table)?;
        let stitched = Stitched::new(triangles, rest)?;
        let kept = examples.par_iter().enumerate().map(|(number, example)| {
            let (field, values) = (columns(&table, number), columns(&values, number));
            let better = improve(&stitched, &rows, &fit, &field, example.plain, values, progress)?;
            Ok(AnchoredField::new(&better))
        });
        let kept = kept.collect::<Result<Vec<_>, AnchorError>>()?;
        Ok((Self { triangles: anchors, rows }, kept))
    }

    /// Anchors at the given triangles, in ascending order: the same as when they were chosen with as many
    /// anchors per triangle.
    ///
    /// # Errors
    /// When these are not some of the triangles, in ascending order.
    pub fn of_triangles(
        triangles: &[[u32; 3]],
        rest: &[Vec3],
        anchors: Vec<u32>,
        per_triangle: usize,
    ) -> Result<Self, AnchorError> {
        check_width(per_triangle)?;
        AnchorCount::Number(anchors.len()).of(triangles.len(), 1)?;
        let fits =
            |i: usize| (anchors[i] as usize) < triangles.len() && (i == 0 || anchors[i - 1] < anchors[i]);
        if let Some(anchor) = (0..anchors.len()).find(|&i| !fits(i)) {
            return Err(AnchorError::BadAnchor { anchor, triangle: anchors[anchor] });
        }
        let graph = DualGraph::new(triangles, rest);
        let rows = harmonic_rows(&graph, &Cells::new(&graph, &anchors), &anchors, per_triangle)?;
        Ok(Self { triangles: anchors, rows })
    }

    /// The triangles that are anchors, in ascending order.
    pub fn triangles(&self) -> &[u32] {
        &self.triangles
    }

    /// Number of anchors.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there are none: never.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Number of triangles of the mesh.
    pub fn triangle_count(&self) -> usize {
        self.rows.shares.len() / self.rows.width
    }

    /// Anchors of each triangle.
    pub fn per_triangle(&self) -> usize {
        self.rows.width
    }

    /// What one triangle gets of values of the anchors.
    #[inline]
    pub fn at(&self, triangle: usize, values: &[Blend]) -> Blend {
        let width = self.rows.width;
        let mut sum = [0.0; NUMBERS];
        for share in &self.rows.shares[triangle * width..(triangle + 1) * width] {
            let (weight, value) = (f32::from(share.weight), &values[share.anchor as usize]);
            (0..NUMBERS).for_each(|k| sum[k] += weight * value[k]);
        }
        sum.map(|x| x * (1.0 / WHOLE as f32))
    }

    /// Spreads values of the anchors over all triangles.
    ///
    /// # Panics
    /// When there are not as many values as anchors and as many places as triangles.
    pub fn spread(&self, values: &[Blend], out: &mut [Blend]) {
        assert_eq!(values.len(), self.len(), "one value per anchor");
        assert_eq!(out.len() * self.rows.width, self.rows.shares.len(), "one place per triangle");
        out.iter_mut().enumerate().for_each(|(triangle, to)| *to = self.at(triangle, values));
    }
}

/// The numbers of all examples side by side for each triangle.
fn table(triangles: usize, examples: &[AnchorExample]) -> Result<Table, AnchorError> {
    let width = NUMBERS * examples.len();
    let mut numbers = vec![0.0; triangles * width];
    for (example, AnchorExample { field, plain }) in examples.iter().enumerate() {
        let plain = if plain.is_empty() { triangles } else { plain.len() };
        if let Some(found) =
            [field.turns.len(), field.skews.len(), plain].into_iter().find(|&n| n != triangles)
        {
            return Err(AnchorError::WrongLength { example, found, triangles });
        }
        for (t, to) in numbers.chunks_exact_mut(width).enumerate() {
            let to = &mut to[NUMBERS * example..NUMBERS * (example + 1)];
            to[..3].copy_from_slice(&field.turns[t].to_array());
            to[3..].copy_from_slice(&field.skews[t]);
            if !to.iter().all(|x| x.is_finite()) {
                return Err(AnchorError::NotFinite { example, triangle: t });
            }
        }
    }
    Ok(Table { width, numbers })
}

/// The numbers of one example.
fn columns(table: &Table, example: usize) -> Table {
    let of_example = |row: &[f64]| row[NUMBERS * example..NUMBERS * (example + 1)].to_vec();
    Table { width: NUMBERS, numbers: table.numbers.chunks_exact(table.width).flat_map(of_example).collect() }
}
