//! Affine bones as animated nodes.
//!
//! A glTF node turns, scales along its own axes and shifts; it cannot shear. With the singular value
//! decomposition A = U Σ Vᵀ two nodes can: the outer one carries the shift, U and Σ, the inner one, the
//! joint, carries Vᵀ. A decomposition taken frame by frame jumps, because axes may swap, flip and, where
//! stretches agree, point anywhere; viewers interpolate the two rotations apart, so a jump shows between
//! the frames. Each frame's decomposition therefore starts from its neighbour's axes: one-sided Jacobi
//! rotations (Hestenes 1958) make the columns of A V orthogonal, by as little turning as that takes.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use sinew::geometry::polar;

use super::sample::slerp;

/// Columns this near to orthogonal are left alone (cosine of their angle). Below what f32 can store, the
/// axes of equal stretches would only follow rounding noise.
const ORTHOGONAL: f64 = 5e-7;
/// How far a bone's matrices may be from rotations, entry by entry, to be stored as such.
const PURE_ROTATION: f64 = 1e-6;
/// The same for a bone that is known to be rigid.
const RIGID_ROTATION: f64 = 1e-5;

/// Matrices smaller than this are zero in f32.
const NOTHING: f64 = 1e-45;

/// A bone's motion as node properties, one value per key.
#[derive(Clone, Debug)]
pub(super) struct BoneTracks {
    /// Frame of each key, ascending.
    pub keys: Vec<usize>,
    /// Shift of the outer node.
    pub translation: Vec<DVec3>,
    /// Turn of the outer node: U.
    pub rotation: Vec<DQuat>,
    /// Scale of the outer node: Σ; `None` where it is always one.
    pub scale: Option<Vec<DVec3>>,
    /// Turn of the inner node: Vᵀ; `None` where one node is enough.
    pub inner: Option<Vec<DQuat>>,
}

impl BoneTracks {
    /// Tracks of a bone placed at `center`: the joint's world transform is T · translate(center). The axes
    /// of its stretches start near `axes`.
    pub fn new(transforms: &[DAffine3], center: DVec3, rigid: bool, axes: Axes) -> Self {
        let tolerance = if rigid { RIGID_ROTATION } else { PURE_ROTATION };
        if transforms.iter().all(|t| is_rotation(t.matrix3, tolerance)) {
            Self::rigid(transforms, center)
        } else {
            Self::affine(transforms, center, axes)
        }
    }

    /// Tracks of the rotations nearest to the transforms.
    pub fn rigid(transforms: &[DAffine3], center: DVec3) -> Self {
        let mut out = Self::empty();
        let mut last = DQuat::IDENTITY;
        for t in transforms {
            last = match polar(t.matrix3) {
                Some(r) => same_hemisphere(DQuat::from_mat3(&r).normalize(), last),
                None => last,
            };
            out.rotation.push(last);
            out.translation.push(t.transform_point3(center));
        }
        out.keys = (0..out.translation.len()).collect();
        out
    }

    fn affine(transforms: &[DAffine3], center: DVec3, axes: Axes) -> Self {
        let matrices: Vec<DMat3> = transforms.iter().map(|t| t.matrix3).collect();
        let stretches = follow(&matrices, axes.0);
        let follow_turns = |turns: &mut dyn Iterator<Item = DMat3>| -> Vec<DQuat> {
            let mut last = DQuat::IDENTITY;
            turns
                .map(|m| {
                    last = same_hemisphere(DQuat::from_mat3(&m).normalize(), last);
                    last
                })
                .collect()
        };
        let inner = follow_turns(&mut stretches.iter().map(|s| s.v.transpose()));
        Self {
            keys: (0..matrices.len()).collect(),
            translation: transforms.iter().map(|t| t.transform_point3(center)).collect(),
            rotation: follow_turns(&mut stretches.iter().map(|s| s.u)),
            scale: Some(stretches.iter().map(|s| s.sigma).collect()),
            inner: inner.iter().any(|q| *q != DQuat::IDENTITY).then_some(inner),
        }
    }

    fn empty() -> Self {
        Self { keys: Vec::new(), translation: Vec::new(), rotation: Vec::new(), scale: None, inner: None }
    }

    /// Which properties ever leave what the nodes have at rest, as f32 stores them.
    pub fn moved(&self, center: DVec3) -> Moved {
        let turns = |track: &[DQuat]| track.iter().any(|q| q.as_quat() != glam::Quat::IDENTITY);
        Moved {
            translation: self.translation.iter().any(|t| t.as_vec3() != center.as_vec3()),
            rotation: turns(&self.rotation),
            scale: self.scale.as_ref().is_some_and(|s| s.iter().any(|s| s.as_vec3() != glam::Vec3::ONE)),
            inner: self.inner.as_ref().is_some_and(|t| turns(t)),
        }
    }

    /// World transform of the joint a fraction `t` of the way from key `a` to key `b`, as viewers
    /// interpolate it.
    pub fn between(&self, a: usize, b: usize, t: f64) -> DAffine3 {
        let turn = |track: &[DQuat]| DMat3::from_quat(slerp(track[a], track[b], t));
        let mut matrix3 = turn(&self.rotation);
        if let Some(scale) = &self.scale {
            matrix3 *= DMat3::from_diagonal(scale[a].lerp(scale[b], t));
        }
        if let Some(inner) = &self.inner {
            matrix3 *= turn(inner);
        }
        DAffine3 { matrix3, translation: self.translation[a].lerp(self.translation[b], t) }
    }

    /// Keeps only some keys, given by their places.
    pub fn keep(&mut self, places: &[usize]) {
        fn pick<T: Copy>(track: &mut Vec<T>, places: &[usize]) {
            *track = places.iter().map(|&i| track[i]).collect();
        }
        pick(&mut self.keys, places);
        pick(&mut self.translation, places);
        pick(&mut self.rotation, places);
        self.scale.as_mut().into_iter().for_each(|t| pick(t, places));
        self.inner.as_mut().into_iter().for_each(|t| pick(t, places));
    }
}

/// Properties of a bone's nodes that leave their rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moved {
    pub translation: bool,
    pub rotation: bool,
    pub scale: bool,
    pub inner: bool,
}

impl Moved {
    /// What either moves.
    pub fn or(self, other: Self) -> Self {
        Self {
            translation: self.translation || other.translation,
            rotation: self.rotation || other.rotation,
            scale: self.scale || other.scale,
            inner: self.inner || other.inner,
        }
    }
}

/// Whether every entry of `m` is within `tolerance` of a rotation's: mᵀm is the identity and nothing is
/// mirrored.
pub(super) fn is_rotation(m: DMat3, tolerance: f64) -> bool {
    let off = m.transpose() * m - DMat3::IDENTITY;
    m.determinant() > 0.0 && off.to_cols_array().iter().all(|x| x.abs() <= 2.0 * tolerance)
}

/// q and −q are the same turn, but not halfway to the next key.
fn same_hemisphere(q: DQuat, last: DQuat) -> DQuat {
    if q.dot(last) < 0.0 { -q } else { q }
}

/// A = U Σ Vᵀ with rotations U and V; at most one entry of Σ is negative, where A mirrors.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    u: DMat3,
    sigma: DVec3,
    v: DMat3,
}

impl Default for Stretch {
    fn default() -> Self {
        Self { u: DMat3::IDENTITY, sigma: DVec3::ONE, v: DMat3::IDENTITY }
    }
}

/// Axes that all clips of a bone start from, so that clips can be faded into each other.
#[derive(Clone, Copy)]
pub(super) struct Axes(Stretch);

impl Axes {
    /// Those of the frame in which they are clearest.
    pub fn clearest(transforms: &[DAffine3]) -> Self {
        let matrices: Vec<DMat3> = transforms.iter().map(|t| t.matrix3).collect();
        let start = Stretch::default();
        Self(matrices.get(clearest(&matrices)).map_or(start, |m| start.next(*m)))
    }
}

/// The frame that is stretched least evenly.
fn clearest(matrices: &[DMat3]) -> usize {
    let unevenness = |m: &DMat3| {
        let sigma = Stretch::default().next(*m).sigma.abs();
        if sigma.max_element() > 0.0 { 1.0 - sigma.min_element() / sigma.max_element() } else { 0.0 }
    };
    let mut clearest = (0, 0.0);
    for (frame, m) in matrices.iter().enumerate() {
        let found = unevenness(m);
        if found > clearest.1 {
            clearest = (frame, found);
        }
    }
    clearest.0
}

/// Decompositions of all frames, each with axes as near to its neighbour's as there are.
///
/// They start where the axes are clearest, and go both ways from there: a bone that begins without any
/// stretch begins with the axes along which it is stretched later.
fn follow(matrices: &[DMat3], start: Stretch) -> Vec<Stretch> {
    let clearest = clearest(matrices);
    let mut out = vec![start; matrices.len()];
    let mut last = start;
    for frame in clearest..matrices.len() {
        last = last.next(matrices[frame]);
        out[frame] = last;
    }
    let mut last = out.get(clearest).copied().unwrap_or(start);
    for frame in (0..clearest).rev() {
        last = last.next(matrices[frame]);
        out[frame] = last;
    }
    out
}

impl Stretch {
    /// Decomposes a neighbouring frame's matrix with axes as near to this frame's as there are.
    fn next(&self, a: DMat3) -> Self {
        let size = a.to_cols_array().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        if size < NOTHING {
            return Self { sigma: DVec3::ZERO, ..*self };
        }
        let (columns, v) = orthogonal_columns(a * (1.0 / size), self.v);
        let (columns, v) = nearest_axes(columns, v, self.v);
        let lengths = columns.map(DVec3::length);
        let mut u = self.complete(columns, lengths);
        let mut sigma = DVec3::from_array(lengths) * size;
        if u[0].cross(u[1]).dot(u[2]) < 0.0 {
            let mirrored = self.mirrored_axis(sigma);
            sigma[mirrored] = -sigma[mirrored];
            u[mirrored] = -u[mirrored];
        }
        Self { u: DMat3::from_cols(u[0], u[1], u[2]), sigma, v }
    }

    /// The axis that carries the minus sign: the one that did so in the last frame, else the shortest.
    fn mirrored_axis(&self, sigma: DVec3) -> usize {
        let shortest = sigma.abs().min_position();
        (0..3).find(|&i| self.sigma[i] < 0.0).unwrap_or(shortest)
    }

    /// Orthonormal directions of the columns, the longest first to be trusted; directions of columns
    /// without length come from the last frame's U.
    fn complete(&self, columns: [DVec3; 3], lengths: [f64; 3]) -> [DVec3; 3] {
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
        let [first, second, third] = order;
        let mut u = [DVec3::ZERO; 3];
        u[first] = columns[first] / lengths[first];
        let across = |w: DVec3| w - u[first] * w.dot(u[first]);
        let candidates = [columns[second], self.u.col(second), self.u.col(third), self.u.col(first)];
        let direction = candidates.into_iter().find_map(|w| {
            let w = across(w);
            (w.length() > 1e-12).then(|| w.normalize())
        });
        u[second] = direction.unwrap_or_else(|| u[first].any_orthonormal_vector());
        // A column without length takes the side that makes a rotation of the three.
        let right = u[first].cross(u[second]);
        let even = (first + 1) % 3 == second;
        let hint =
            if lengths[third] > 1e-12 { columns[third] } else { right * if even { 1.0 } else { -1.0 } };
        u[third] = if right.dot(hint) < 0.0 { -right } else { right };
        u
    }
}

/// Turns V, starting from `v`, until the columns of A V are orthogonal.
fn orthogonal_columns(a: DMat3, v: DMat3) -> ([DVec3; 3], DMat3) {
    let mut columns = (a * v).to_cols_array_2d().map(DVec3::from_array);
    let mut axes = v.to_cols_array_2d().map(DVec3::from_array);
    for _ in 0..32 {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (alpha, beta) = (columns[p].length_squared(), columns[q].length_squared());
            let gamma = columns[p].dot(columns[q]);
            if gamma.abs() <= ORTHOGONAL * (alpha * beta).sqrt() || gamma.abs() < 1e-30 {
                continue;
            }
            turned = true;
            let zeta = (beta - alpha) / (2.0 * gamma);
            let tangent = 1.0_f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
            let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
            let sine = cosine * tangent;
            for pair in [&mut columns, &mut axes] {
                let (x, y) = (pair[p], pair[q]);
                pair[p] = x * cosine - y * sine;
                pair[q] = x * sine + y * cosine;
            }
        }
        if !turned {
            break;
        }
    }
    (columns, DMat3::from_cols(axes[0], axes[1], axes[2]))
}

/// The 24 turns of a cube onto itself, as (column taken, sign) for each axis.
fn cube_turns() -> impl Iterator<Item = [(usize, f64); 3]> {
    const EVEN: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
    const ODD: [[usize; 3]; 3] = [[0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let signs = |bits: usize| std::array::from_fn(|i| if bits >> i & 1 == 1 { -1.0 } else { 1.0 });
    let orders = EVEN.into_iter().map(|o| (o, 0)).chain(ODD.into_iter().map(|o| (o, 1)));
    orders.flat_map(move |(order, parity)| {
        (0..8_usize).filter(move |bits| bits.count_ones() % 2 == parity).map(move |bits| {
            let sign: [f64; 3] = signs(bits);
            std::array::from_fn(|i| (order[i], sign[i]))
        })
    })
}

/// Names and flips the axes so that V turns as little as possible from `last`.
fn nearest_axes(columns: [DVec3; 3], v: DMat3, last: DMat3) -> ([DVec3; 3], DMat3) {
    let agreement = |turn: &[(usize, f64); 3]| -> f64 {
        turn.iter().enumerate().map(|(i, &(from, sign))| sign * v.col(from).dot(last.col(i))).sum()
    };
    // The first turn is none at all: only a better one replaces it.
    let mut best = [(0, 1.0), (1, 1.0), (2, 1.0)];
    for turn in cube_turns() {
        if agreement(&turn) > agreement(&best) + 1e-9 {
            best = turn;
        }
    }
    let pick = |from: &dyn Fn(usize) -> DVec3| best.map(|(i, sign)| from(i) * sign);
    let axes = pick(&|i| v.col(i));
    (pick(&|i| columns[i]), DMat3::from_cols(axes[0], axes[1], axes[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::EulerRot;
    use proptest::prelude::*;

    fn distance(a: DMat3, b: DMat3) -> f64 {
        (a - b).to_cols_array().iter().fold(0.0, |s: f64, x| s.max(x.abs()))
    }

    fn turn(x: f64, y: f64, z: f64) -> DMat3 {
        DMat3::from_quat(DQuat::from_euler(EulerRot::XYZ, x, y, z))
    }

    fn tracks(motion: impl Fn(f64) -> DMat3, frames: usize) -> BoneTracks {
        let transforms: Vec<DAffine3> = (0..frames)
            .map(|f| DAffine3 { matrix3: motion(f as f64), translation: DVec3::new(f as f64, 0.0, 0.0) })
            .collect();
        let axes = Axes::clearest(&transforms);
        BoneTracks::new(&transforms, DVec3::new(1.0, 2.0, 3.0), false, axes)
    }

    /// Largest deviation from `motion` at the keys and halfway between them.
    fn deviation(motion: impl Fn(f64) -> DMat3, frames: usize) -> (f64, f64) {
        let tracks = tracks(&motion, frames);
        (0..frames - 1).fold((0.0, 0.0), |(at, between): (f64, f64), f| {
            let here = distance(tracks.between(f, f + 1, 0.0).matrix3, motion(f as f64));
            let half = distance(tracks.between(f, f + 1, 0.5).matrix3, motion(f as f64 + 0.5));
            (at.max(here), between.max(half))
        })
    }

    /// A rotation of about four degrees a frame times a symmetric stretch.
    fn turning(stretch: impl Fn(f64) -> DMat3) -> impl Fn(f64) -> DMat3 {
        move |f| turn(0.05 * f, 0.04 * f + 0.1 * (0.2 * f).sin(), -0.03 * f) * stretch(f)
    }

    fn along(axes: DMat3, sigma: DVec3) -> DMat3 {
        axes * DMat3::from_diagonal(sigma) * axes.transpose()
    }

    #[test]
    fn turning_and_stretching_bones_interpolate_well() {
        // The stretch axes turn too, by about one degree a frame.
        let motion = turning(|f| {
            let sigma = DVec3::new(1.4 + 0.2 * (0.1 * f).sin(), 1.0, 0.7 + 0.1 * (0.15 * f).cos());
            along(turn(0.01 * f, 0.4, 0.015 * f), sigma)
        });
        let (at, between) = deviation(motion, 120);
        assert!(at < 1e-6 && between < 2e-3, "{at} {between}");
    }

    #[test]
    fn nearly_rigid_bones_interpolate_well() {
        for size in [1e-3, 1e-5, 1e-7, 1e-9] {
            let motion = turning(|f| {
                let sigma = DVec3::ONE + size * DVec3::new((0.1 * f).sin(), (0.07 * f).cos(), 0.3);
                along(turn(0.3, 0.02 * f, 0.1), sigma)
            });
            let (at, between) = deviation(motion, 120);
            assert!(at < 1e-6 && between < 5e-3, "{size}: {at} {between}");
        }
    }

    #[test]
    fn a_repeated_stretch_does_not_spin() {
        // A bone that lengthens along one axis and keeps its round cross-section.
        let axis = turn(0.4, -0.7, 0.2);
        let motion = turning(|f| {
            let thin = 1.0 - 0.1 * (0.1 * f).sin();
            along(axis, DVec3::new(1.0 + 0.3 * (0.1 * f).sin(), thin, thin))
        });
        let (at, between) = deviation(motion, 120);
        assert!(at < 1e-6 && between < 2e-3, "{at} {between}");
        let uniform = turning(|f| DMat3::IDENTITY * (1.0 + 0.01 * f));
        assert!(tracks(&uniform, 40).inner.is_none());
        assert!(deviation(uniform, 40).1 < 2e-3);
    }

    #[test]
    fn rotations_need_one_node_and_no_scale() {
        let tracks = tracks(turning(|_| DMat3::IDENTITY), 60);
        assert!(tracks.scale.is_none() && tracks.inner.is_none());
        assert!(tracks.rotation.windows(2).all(|w| w[0].dot(w[1]) > 0.9));
    }

    #[test]
    fn mirrored_bones_stay_mirrored_along_one_axis() {
        let motion = turning(|f| {
            let sigma = DVec3::new(1.0 + 0.05 * (0.3 * f).sin(), 1.0 + 0.05 * (0.2 * f).cos(), -1.0);
            DMat3::from_diagonal(sigma)
        });
        let (at, between) = deviation(motion, 100);
        assert!(at < 1e-6 && between < 5e-3, "{at} {between}");
    }

    #[test]
    fn flat_bones_are_finite_and_exact() {
        let flat = [
            DMat3::ZERO,
            DMat3::from_cols(DVec3::X, DVec3::X, DVec3::X),
            turn(1.0, 2.0, 0.5) * DMat3::from_diagonal(DVec3::new(2.0, 1.0, 0.0)) * turn(0.3, 0.1, 0.9),
            DMat3::from_diagonal(DVec3::new(1.0, 0.0, 0.0)),
            DMat3::from_diagonal(DVec3::new(1e-300, 0.0, 1e-308)),
            DMat3::from_diagonal(DVec3::splat(-1.0)),
            DMat3::IDENTITY,
        ];
        let (at, _) = deviation(|f| flat[(f as usize) % flat.len()], 3 * flat.len());
        assert!(at < 1e-6, "{at}");
        let tracks = tracks(|f| flat[(f as usize) % flat.len()], 3 * flat.len());
        assert!(tracks.rotation.iter().all(|q| (q.length() - 1.0).abs() < 1e-9));
    }

    proptest! {
        #[test]
        fn any_affine_motion_is_exact_at_its_keys(
            entries in prop::collection::vec(prop::array::uniform9(-3.0..3.0_f64), 1..6),
        ) {
            let matrices: Vec<DMat3> = entries.iter().map(DMat3::from_cols_array).collect();
            let tracks = tracks(|f| matrices[f as usize], matrices.len());
            for (f, m) in matrices.iter().enumerate() {
                prop_assert!(distance(tracks.between(f, f, 0.0).matrix3, *m) < 1e-5);
            }
        }
    }
}
