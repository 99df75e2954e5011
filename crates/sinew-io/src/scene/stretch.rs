//! Stretches of a moving matrix: singular value decompositions that follow each other.
//!
//! A decomposition taken frame by frame jumps, because axes may swap, flip and, where stretches agree, point
//! anywhere; viewers interpolate the two rotations apart, so a jump shows between the frames. Each
//! decomposition therefore starts from its neighbour's axes: one-sided Jacobi rotations (Hestenes 1958) make
//! the columns of A V orthogonal, by as little turning as that takes.

use glam::{DAffine3, DMat3, DVec3};

/// Columns this near to orthogonal are left alone (cosine of their angle). Below what f32 can store, the
/// axes of equal stretches would only follow rounding noise.
const ORTHOGONAL: f64 = 5e-7;

/// Matrices smaller than this are zero in f32.
const NOTHING: f64 = 1e-45;

/// A = U Σ Vᵀ with rotations U and V; at most one entry of Σ is negative, where A mirrors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub u: DMat3,
    pub sigma: DVec3,
    pub v: DMat3,
}

impl Default for Stretch {
    fn default() -> Self {
        Self { u: DMat3::IDENTITY, sigma: DVec3::ONE, v: DMat3::IDENTITY }
    }
}

/// Axes that all clips of a bone start from, so that clips can be faded into each other.
#[derive(Clone, Copy)]
pub(crate) struct Axes(pub Stretch);

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

/// Decompositions of all matrices of a motion, each with axes as near to its neighbour's as there are.
///
/// They start where the axes are clearest, and go both ways from there: a bone that begins without any
/// stretch begins with the axes along which it is stretched later.
pub(crate) fn follow(matrices: &[DMat3], start: Stretch) -> Vec<Stretch> {
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
