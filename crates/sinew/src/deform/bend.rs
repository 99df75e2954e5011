//! How a bend stretches the surface around it.
//!
//! Where rotations change along a limb, its outside gets longer and its inside shorter. The paper asks every
//! triangle only to turn; the outside then pulls the limb thin. Here a triangle is also asked to stretch as
//! it would on a tube that is bent about its middle line: T = R (1 + Σ_c (l_c × r_c) ∇H_cᵀ), with l_c the
//! turn of joint c, H_c its influence with that of all joints below it, and r_c the way from the middle line
//! to the triangle. The middle line of a joint is the quadratic curve in H_c that lies in the middle of the
//! surface over which H_c changes.
//!
//! Bent so, a tube goes around the corner in an arc, while bones meet in a point: what is beyond the bend comes to lie
//! beside its joint. So the middle line m is taken elsewhere: to where linear blending with the weights H has it,
//! P(H) = (1 − H) m + H M(m), with M what the joint does. That line begins and ends with the bones, whatever they do, and
//! is no shorter than they are, so that no volume is lost on it; the surface stands around it as it stood around m:
//! x = P(H) + exp(H l) (p − m). This adds (P' − exp(H l) m') ∇Hᵀ to T, and P' − m' = (Q − 1) (m − J + H m') + s, with Q the
//! rotation of M, J the joint and s how far M moves J: bones that slide take their surface along. Where the line is
//! shorter on the whole, the limb swells (`swell`).

use glam::{DMat3, DVec3, Vec3};

use super::influences::Lists;
use super::surface::Surface;
use super::swell::{self, MiddleLine};
use super::tree::Tree;
use super::tuning::TUNING;
use crate::geometry::grouped::distinct;
use crate::solve::dense::solve_rows;

/// What one turn does to one triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bend {
    /// From the middle line to the triangle.
    pub from_middle: Vec3,
    /// How the share of the turn changes over the triangle.
    pub change: Vec3,
    /// H in its middle.
    pub share: f32,
    /// The slope m' of the middle line.
    pub along: Vec3,
    /// m − J + H m'.
    pub ahead: Vec3,
}

/// Fields of the joints and their middle lines.
pub(super) struct Bends<'a> {
    surface: &'a Surface,
    /// Of every point the joints that it is carried by or that carry a joint it is carried by, but the root,
    /// and how much.
    below: Lists,
    /// Of every joint the coefficients of 1, H and H².
    middles: Vec<[DVec3; 3]>,
    /// Where the joints are.
    joints: &'a [DVec3],
}

impl<'a> Bends<'a> {
    pub fn new(surface: &'a Surface, tree: &'a Tree, points: &Lists) -> Self {
        let below = Lists::from_lists(points.iter().map(|list| tree.with_ancestors(list)));
        let mut out = Self { surface, below, middles: Vec::new(), joints: &tree.joints };
        out.middles = out.fit_middles(tree.joints.len());
        out
    }

    /// Least squares over all triangles, which count by how much of the field's change they carry.
    fn fit_middles(&self, joints: usize) -> Vec<[DVec3; 3]> {
        let mut systems = vec![([0.0; 9], [DVec3::ZERO; 3]); joints];
        for triangle in 0..self.surface.triangles().len() {
            let corners = self.surface.triangles()[triangle];
            let [a, b, c] = corners.map(|p| self.surface.place(p));
            let (area, middle) = (0.5 * (b - a).cross(c - a).length(), (a + b + c) / 3.0);
            let seen = corners.iter().flat_map(|&p| self.below.of(p as usize)).map(|entry| entry.0);
            for joint in distinct(seen) {
                let (h, slope) = self.field(triangle, joint);
                let weight = area * slope.length();
                let powers = [1.0, h - 0.5, (h - 0.5) * (h - 0.5)];
                let (matrix, right) = &mut systems[joint as usize];
                for i in 0..3 {
                    (0..3).for_each(|j| matrix[3 * i + j] += weight * powers[i] * powers[j]);
                    right[i] += weight * powers[i] * middle;
                }
            }
        }
        let solve = |(mut matrix, right): ([f64; 9], [DVec3; 3])| {
            let whole = matrix[0];
            (1..3).for_each(|i| matrix[4 * i] += TUNING.middle_stiffness * whole);
            let mut columns: [f64; 9] = std::array::from_fn(|i| right[i / 3][i % 3]);
            if !(whole > 0.0 && solve_rows(&mut matrix, 3, &mut columns, 3)) {
                return [DVec3::ZERO; 3];
            }
            std::array::from_fn(|i| DVec3::from_slice(&columns[3 * i..]))
        };
        systems.into_iter().map(solve).collect()
    }

    /// A joint's field in the middle of a triangle, and how it changes over it.
    fn field(&self, triangle: usize, joint: u32) -> (f64, DVec3) {
        let corners = self.surface.triangles()[triangle];
        let values = corners.map(|p| {
            let own = self.below.of(p as usize).iter().find(|entry| entry.0 == joint);
            own.map_or(0.0, |entry| f64::from(entry.1))
        });
        let mean = values.iter().sum::<f64>() / 3.0;
        let [a, b, c] = corners.map(|p| self.surface.place(p));
        let normal = (b - a).cross(c - a);
        let squared = normal.length_squared();
        if squared <= f64::MIN_POSITIVE {
            return (mean, DVec3::ZERO);
        }
        let around = values[0] * (c - b) + values[1] * (a - c) + values[2] * (b - a);
        (mean, normal.cross(around) / squared)
    }

    /// The middle line around a joint.
    pub fn line(&self, joint: u32) -> MiddleLine {
        let joint = joint as usize;
        MiddleLine { coefficients: self.middles[joint], joint: self.joints[joint] }
    }

    /// What the turn of a joint does to a triangle.
    pub fn of_joint(&self, triangle: usize, joint: u32) -> Bend {
        let (h, slope) = self.field(triangle, joint);
        let corners = self.surface.triangles()[triangle];
        let place = corners.iter().map(|&p| self.surface.place(p)).sum::<DVec3>() / 3.0;
        let line = self.line(joint);
        let (middle, along) = line.at(h);
        Bend {
            from_middle: (place - middle).as_vec3(),
            change: slope.as_vec3(),
            share: h as f32,
            along: along.as_vec3(),
            ahead: line.ahead(h).as_vec3(),
        }
    }
}

impl Bend {
    /// Adds (l × r) ∇Hᵀ to `sum`, as far as [`Tuning::most_stretch`](super::Tuning::most_stretch) allows, and what
    /// swelling by σ adds.
    #[inline]
    pub fn add(&self, turn: DVec3, swelling: f64, sum: &mut DMat3) {
        let [from_middle, change, along] = [self.from_middle, self.change, self.along].map(|v| v.as_dvec3());
        let mut way = turn.cross(from_middle);
        if swelling > 0.0 {
            // Inside the bend the surface is folded already and only gets broader.
            let (side, outside) = (turn.normalize_or_zero(), from_middle.dot(along.cross(turn)) >= 0.0);
            let widened = |v: DVec3| if outside { v } else { side * side.dot(v) };
            let h = f64::from(self.share);
            let (share, slope) = (swelling * swell::share(h), swelling * swell::share_change(h));
            way += share * turn.cross(widened(from_middle));
            add_product(slope * widened(from_middle) - share * widened(along), change, sum);
            *sum += share * DMat3::from_cols(widened(DVec3::X), widened(DVec3::Y), widened(DVec3::Z));
        }
        let stretch = way.dot(change).abs();
        let most = TUNING.most_stretch;
        let way = if stretch > most { way * (most / stretch) } else { way };
        add_product(way, change, sum);
    }
}

/// Adds a bᵀ.
#[inline]
pub(super) fn add_product(a: DVec3, b: DVec3, sum: &mut DMat3) {
    sum.x_axis += a * b.x;
    sum.y_axis += a * b.y;
    sum.z_axis += a * b.z;
}
