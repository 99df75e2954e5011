//! Spheres and boxes that hold some vertices of a region.
//!
//! The region's model puts vertex v at L c + t + R Σ_i u_i q_i, and is off by no more than ε. Of a node's vertices
//! the middle c̄ of all c is stored with the radius ρ around it, and for each shape the middle ū_i of all u_i
//! with the farthest ρ_i from it. In a frame with the motion L, t, R and the coefficients q they are within the
//! sphere of James and Pai 2004:
//!
//! ```text
//! centre  L c̄ + t + R Σ ū_i q_i
//! radius  ‖L‖ ρ + Σ |q_i| ρ_i + ε
//! ```
//!
//! A sphere around a large piece of surface reaches far beyond it, and bodies that are near lie side by side. So
//! the boxes of large nodes, of which there are few, are kept for every frame. Spheres guard the small pieces: only
//! where one is met are the vertices of its few triangles computed, and boxes fitted to them.

use glam::{Mat3A, Vec3, Vec3A};

/// What a bound needs to know of its vertices.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub region: u32,
    /// c̄ and ρ.
    pub middle: Vec3,
    pub radius: f32,
    /// The farthest that the model is off at any of its vertices.
    pub missed: f32,
    /// Its shapes begin here.
    pub swings: u32,
    pub kind: NodeKind,
    /// Its triangles are `start..end`, in the order of the trees.
    pub start: u32,
    pub end: u32,
    /// Where the second half is; the first follows the node itself. 0 for a leaf.
    pub second: u32,
}

/// Where the bound of a node comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NodeKind {
    /// A large node: from the box that is kept of it under this number.
    Large(u32),
    /// The first small one on the way down: from the region's model.
    Guard,
    /// Below that: from its vertices.
    Fine,
}

/// One shape on a node's vertices: ū_i and ρ_i.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swing {
    pub mean: Vec3,
    pub radius: f32,
}

/// A sphere, or a box and the sphere around it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bound {
    pub center: Vec3A,
    pub radius: f32,
    /// How far it reaches along the axes of the world.
    pub extent: Vec3A,
    /// Unit vectors along the sides of a box that is not along those axes, and how far it reaches along each.
    pub tilted: Option<(Mat3A, Vec3A)>,
}

/// A region in one frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Region {
    pub linear: Mat3A,
    pub turn: Mat3A,
    pub shift: Vec3A,
    /// By how much the linear part lengthens at most, and the other, which is the place's doing.
    pub stretch: f32,
    pub place: f32,
    /// The farthest that the model is off.
    pub missed: f32,
    /// Its coefficients begin here.
    pub coefficients: usize,
}

/// Rounding of a sum of few terms, as a share of it.
const ROUNDING: f32 = 1e-6;

impl Bound {
    /// The box with these sides, seen from its center.
    pub fn upright(center: Vec3A, half: Vec3A) -> Self {
        Self { center, radius: half.length(), extent: half, tilted: None }
    }

    /// The box that reaches so far along axes that are square to each other.
    pub fn tilted(center: Vec3A, axes: Mat3A, half: Vec3A) -> Self {
        let extent =
            (axes.x_axis * half.x).abs() + (axes.y_axis * half.y).abs() + (axes.z_axis * half.z).abs();
        Self { center, radius: half.length(), extent, tilted: Some((axes, half)) }
    }

    /// Whether two bounds may have a point in common: neither their spheres nor any side of their boxes tell them
    /// apart.
    pub fn meets(&self, other: &Self) -> bool {
        let way = other.center - self.center;
        let reach = self.radius + other.radius;
        !way.abs().cmpgt(self.extent + other.extent).any()
            && way.length_squared() <= reach * reach
            && !self.is_apart(other, way)
            && !other.is_apart(self, way)
    }

    /// Whether the other is beyond a side of this box, which is tilted.
    fn is_apart(&self, other: &Self, way: Vec3A) -> bool {
        let Some((axes, half)) = self.tilted else { return false };
        let own = axes.transpose();
        let reach = match other.tilted {
            Some((axes, half)) => {
                let turned = own * axes;
                // A little more than what the one's sides reach along the other's.
                let [x, y, z] = [turned.x_axis, turned.y_axis, turned.z_axis].map(|c| c.abs() + 1e-5);
                x * half.x + y * half.y + z * half.z
            }
            None => {
                let [x, y, z] = [own.x_axis, own.y_axis, own.z_axis].map(|c| c.abs() + 1e-5);
                (x * other.extent.x + y * other.extent.y + z * other.extent.z).min(Vec3A::splat(other.radius))
            }
        };
        (own * way).abs().cmpgt(half + reach).any()
    }

    /// How far it reaches along a unit vector.
    pub fn reach(&self, way: Vec3A) -> f32 {
        let own = match self.tilted {
            Some((axes, half)) => (axes.transpose() * way).abs().dot(half),
            None => way.abs().dot(self.extent),
        };
        self.center.dot(way) + own.min(self.radius)
    }

    /// Grows by a share and a length.
    pub fn grown(self, share: f32, length: f32) -> Self {
        let grow = |v: Vec3A| v * (1.0 + share) + length;
        Self {
            center: self.center,
            radius: self.radius * (1.0 + share) + 2.0 * length,
            extent: grow(self.extent),
            tilted: self.tilted.map(|(axes, half)| (axes, grow(half))),
        }
    }
}

/// Middle and radius of a sphere around points; the middle moves towards the farthest, less and less (Bădoiu and
/// Clarkson 2003).
pub(super) fn sphere_around(places: &[Vec3]) -> (Vec3, f32) {
    const STEPS: usize = 16;
    let nothing = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (low, high) = places.iter().fold(nothing, |(low, high), p| (low.min(*p), high.max(*p)));
    let mut middle = 0.5 * (low + high);
    let farthest = |from: Vec3| {
        let distance = |p: &Vec3| p.distance_squared(from);
        places.iter().fold(from, |far, p| if distance(p) > distance(&far) { *p } else { far })
    };
    let mut best = (middle, farthest(middle).distance(middle));
    for step in 0..STEPS {
        middle += (farthest(middle) - middle) / (step + 2) as f32;
        let radius = farthest(middle).distance(middle);
        if radius < best.1 {
            best = (middle, radius);
        }
    }
    (best.0, best.1 * (1.0 + ROUNDING))
}

/// The sphere of a node in one frame. Rounding is not in it yet.
pub(super) fn sphere(node: &Node, swings: &[Swing], region: &Region, coefficients: &[f32]) -> Bound {
    let (mut swung, mut off) = (Vec3A::ZERO, node.missed.min(region.missed));
    for (swing, &q) in swings.iter().zip(coefficients) {
        swung += Vec3A::from(swing.mean) * q;
        off += swing.radius * q.abs();
    }
    let center = region.linear * Vec3A::from(node.middle) + region.turn * swung + region.shift;
    let radius = region.stretch * node.radius + region.place * off;
    Bound { center, radius, extent: Vec3A::splat(radius), tilted: None }
}

/// At least the largest factor by which a matrix lengthens anything: from the trace of its square and what is
/// beyond that.
pub(super) fn largest_stretch(m: &Mat3A) -> f32 {
    let columns = [m.x_axis, m.y_axis, m.z_axis];
    let dot = |i: usize, j: usize| columns[i].dot(columns[j]);
    let mean = (dot(0, 0) + dot(1, 1) + dot(2, 2)) / 3.0;
    let diagonal = [0, 1, 2].map(|i| (dot(i, i) - mean).powi(2)).iter().sum::<f32>();
    let beside = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| dot(i, j).powi(2)).iter().sum::<f32>();
    // No eigenvalue of a symmetric matrix without trace is more than √(2/3) of its norm.
    const SHARE: f32 = 0.816_497;
    (mean + SHARE * (diagonal + 2.0 * beside).sqrt()).sqrt() * (1.0 + ROUNDING)
}

#[cfg(test)]
mod tests {
    use glam::{Mat3, Quat};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rotations_stretch_by_one() {
        let turn = Mat3A::from_quat(Quat::from_rotation_x(1.1) * Quat::from_rotation_z(0.3));
        assert!((largest_stretch(&turn) - 1.0).abs() < 1e-3);
    }

    proptest! {
        #[test]
        fn nothing_is_stretched_more(
            entries in prop::array::uniform9(-2.0..2.0_f32),
            way in prop::array::uniform3(-1.0..1.0_f32),
        ) {
            let m = Mat3A::from(Mat3::from_cols_array(&entries));
            let way = Vec3A::from_array(way);
            let most = largest_stretch(&m);
            prop_assert!((m * way).length() <= most * way.length() * 1.00001);
            // And it is no idle bound.
            let norm = [m.x_axis, m.y_axis, m.z_axis].iter().map(|c| c.length()).fold(0.0, f32::max);
            prop_assert!(most <= 1.8 * norm);
        }

        #[test]
        fn spheres_hold_their_points(
            places in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 1..20),
        ) {
            let places: Vec<Vec3> = places.into_iter().map(Vec3::from_array).collect();
            let (middle, radius) = sphere_around(&places);
            prop_assert!(places.iter().all(|p| p.distance(middle) <= radius));
        }

        #[test]
        fn bounds_that_are_told_apart_share_no_point(
            centers in prop::array::uniform2(prop::array::uniform3(-1.5..1.5_f32)),
            halves in prop::array::uniform2(prop::array::uniform3(0.0..1.0_f32)),
            turns in prop::array::uniform2(prop::array::uniform3(-2.0..2.0_f32)),
            tilts in prop::array::uniform2(any::<bool>()),
            spots in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 40),
        ) {
            let axes = |k: usize| match tilts[k] {
                true => Mat3A::from_quat(Quat::from_scaled_axis(Vec3::from_array(turns[k]))),
                false => Mat3A::IDENTITY,
            };
            let [a, b] = [0, 1].map(|k| {
                let (center, half) = (Vec3A::from_array(centers[k]), Vec3A::from_array(halves[k]));
                if tilts[k] { Bound::tilted(center, axes(k), half) } else { Bound::upright(center, half) }
            });
            // Points of the one that are in the other as well.
            let [half_a, half_b] = halves.map(Vec3A::from_array);
            let shared = spots.iter().any(|spot| {
                let p = a.center + axes(0) * (Vec3A::from_array(*spot) * half_a);
                (axes(1).transpose() * (p - b.center)).abs().cmple(half_b).all()
            });
            prop_assert!(!shared || (a.meets(&b) && b.meets(&a)));
            let apart = Bound { center: a.center + Vec3A::X * (a.radius + b.radius + 0.1), ..b };
            prop_assert!(!a.meets(&apart));
        }
    }
}
