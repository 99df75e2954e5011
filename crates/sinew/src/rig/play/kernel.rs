//! The loop that poses vertices, a register of them at a time.
//!
//! The bones of a group are few, and mostly the same: their matrices are blended with one weight a
//! lane, which needs neither gathering nor transposing. One of them, the base, is taken whole and the others
//! as differences from it, which saves the base's weights and products.
//!
//! Helpers are functions, not closures, and arrays are spelled out: what stays a call of its own does not get
//! the wide instructions, and what calls anything has to put all its registers aside before.

use glam::{Vec3, Vec3Swizzles};

use super::groups::{Group, QUAD, Triple};
use super::lanes::{Each, LANES, Lanes, Plain};
#[cfg(target_arch = "x86_64")]
use super::lanes::{Wide, Wider};

/// Three rows of a matrix, each with its part of the shift behind.
pub(super) type Rows = [f32; 12];

/// Vertices that are posed by one task, and what poses them. Per-group arrays are in the order of `groups`.
pub(super) struct Block<'a> {
    pub groups: &'a [Group],
    pub rest: &'a [Triple],
    /// As long as `rest`, or empty: then no normals are asked for.
    pub normals: &'a [Triple],
    /// Corrections: for each group, its basis shapes one after the other.
    pub basis: &'a [Triple],
    /// The same for normals; may be empty.
    pub normal_basis: &'a [Triple],
    pub coefficients: &'a [f32],
    /// Where the frame is: what the palette places is relative to it.
    pub middle: &'a [f32; 3],
    /// Bones and differences of bones in this frame.
    pub palette: &'a [Rows],
    /// Of all blocks: what each group blends in, an entry of the palette each, with one weight a lane.
    pub entries: &'a [u32],
    pub weights: &'a [Each],
}

impl Block<'_> {
    /// Writes positions, and normals where there are any.
    pub fn pose(&self, out: &mut [f32], normals: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma")]
            fn avx2(block: &Block, out: &mut [f32], normals: &mut [f32]) {
                block.pose_with::<Wide>(out, normals);
            }
            #[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
            fn avx512(block: &Block, out: &mut [f32], normals: &mut [f32]) {
                block.pose_with::<Wider>(out, normals);
            }
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                if std::arch::is_x86_feature_detected!("avx512vl") {
                    // SAFETY: the features were just found.
                    return unsafe { avx512(self, out, normals) };
                }
                // SAFETY: the features were just found.
                return unsafe { avx2(self, out, normals) };
            }
        }
        self.pose_with::<Plain>(out, normals);
    }

    #[inline(always)]
    fn pose_with<L: Lanes>(&self, out: &mut [f32], normals: &mut [f32]) {
        if self.normals.is_empty() {
            self.pose_all::<L, false>(out, normals);
        } else {
            self.pose_all::<L, true>(out, normals);
        }
    }

    #[inline(always)]
    fn pose_all<L: Lanes, const NORMALS: bool>(&self, out: &mut [f32], normals: &mut [f32]) {
        let (out, out_rest) = out.as_chunks_mut();
        let (normals, normals_rest) = normals.as_chunks_mut();
        // The last quad of a mesh may be short.
        let mut spare = [[0.0; 3 * QUAD]; 2];
        for (number, group) in self.groups.iter().enumerate() {
            for from in (0..LANES).step_by(L::WIDTH) {
                let quads = &group.quads[from / QUAD..(from + L::WIDTH) / QUAD];
                let m = self.blended::<L>(group, from);
                let p = self.corrected::<L>(number, &self.rest[number], self.basis, from);
                let at = self.middle;
                let [x, y, z] = [moved(m[0], p), moved(m[1], p), moved(m[2], p)];
                let placed = [x.plus(L::all(&at[0])), y.plus(L::all(&at[1])), z.plus(L::all(&at[2]))];
                L::store(placed, quads, out, &mut spare[0]);
                if NORMALS {
                    let n = self.corrected::<L>(number, &self.normals[number], self.normal_basis, from);
                    let n = match group.kind {
                        0 => turned_slope([column(m, 1), column(m, 2), column(m, 0)], n),
                        1 => turned_slope([column(m, 2), column(m, 0), column(m, 1)], n),
                        2 => turned_slope([column(m, 0), column(m, 1), column(m, 2)], n),
                        _ => turned(m, n),
                    };
                    L::store(n, quads, normals, &mut spare[1]);
                }
            }
        }
        out_rest.copy_from_slice(&spare[0][..out_rest.len()]);
        normals_rest.copy_from_slice(&spare[1][..normals_rest.len()]);
    }

    #[inline(always)]
    fn blended<L: Lanes>(&self, group: &Group, from: usize) -> [[L; 4]; 3] {
        let base = &self.palette[group.base as usize];
        let mut m = [L::all(&base[0]); 12];
        for i in 1..12 {
            m[i] = L::all(&base[i]);
        }
        let slots = group.slots();
        for (entry, weights) in self.entries[slots.clone()].iter().zip(&self.weights[slots]) {
            let bone = &self.palette[*entry as usize];
            let weights = L::load(weights, from);
            for i in 0..12 {
                m[i] = L::all(&bone[i]).times_plus(weights, m[i]);
            }
        }
        [[m[0], m[1], m[2], m[3]], [m[4], m[5], m[6], m[7]], [m[8], m[9], m[10], m[11]]]
    }

    /// What the bones move: the rest pose and its corrections.
    #[inline(always)]
    fn corrected<L: Lanes>(&self, number: usize, rest: &Triple, basis: &[Triple], from: usize) -> [L; 3] {
        let mut p = [L::load(&rest[0], from), L::load(&rest[1], from), L::load(&rest[2], from)];
        if basis.is_empty() {
            return p;
        }
        let rank = self.coefficients.len();
        for (shape, q) in basis[number * rank..(number + 1) * rank].iter().zip(self.coefficients) {
            let q = L::all(q);
            for i in 0..3 {
                p[i] = L::load(&shape[i], from).times_plus(q, p[i]);
            }
        }
        p
    }
}

/// One coordinate of points after a matrix.
#[inline(always)]
fn moved<L: Lanes>([a, b, c, shift]: [L; 4], p: [L; 3]) -> L {
    a.times_plus(p[0], b.times_plus(p[1], c.times_plus(p[2], shift)))
}

/// How steep a slope may be.
const STEEPEST: f32 = 8.0;

/// The kinds of some normals, a bit each: the axes over which they are no steeper slopes than that.
pub(super) fn kinds(normals: &[Vec3]) -> u8 {
    let suits = |axis: usize, n: &Vec3| n[axis] != 0.0 && n[axis].abs() * STEEPEST >= n.abs().max_element();
    let all_suit = |axis: usize| normals.iter().all(|n| suits(axis, n));
    (0..3).map(|axis| u8::from(all_suit(axis)) << axis).sum()
}

/// A normal as a group of one kind wants it: as a slope over its axis or, where it has none, as it is. The slope
/// has the axis as the last, in the order x y z: the other two numbers over the last, and the last's sign.
pub(super) fn in_kind(normal: Vec3, kind: u8) -> Vec3 {
    let n = match kind {
        0 => normal.yzx(),
        1 => normal.zxy(),
        2 => normal,
        _ => return normal,
    };
    Vec3::new(n.x / n.z, n.y / n.z, n.z.signum())
}

/// The same as [`turned`], of normals given by their slopes `u` and `v`, with half as many products: two
/// tangents of the surface are (1, 0, −u) and (0, 1, −v), and what a matrix makes of them spans the surface
/// after it. `a`, `b` and `c` are the columns of the matrix, the axis's last.
#[inline(always)]
fn turned_slope<L: Lanes>([a, b, c]: [[L; 3]; 3], [u, v, sign]: [L; 3]) -> [L; 3] {
    let a = [c[0].less_times(u, a[0]), c[1].less_times(u, a[1]), c[2].less_times(u, a[2])];
    let b = [c[0].less_times(v, b[0]), c[1].less_times(v, b[1]), c[2].less_times(v, b[2])];
    let n = cross(a, b);
    let unit = dot(n, n).inverse_root().with_sign_of(dot(n, c)).times(sign);
    [n[0].times(unit), n[1].times(unit), n[2].times(unit)]
}

#[inline(always)]
fn column<L: Lanes>([x, y, z]: [[L; 4]; 3], i: usize) -> [L; 3] {
    [x[i], y[i], z[i]]
}

/// Unit normals after a matrix: its cofactors turn them as its inverse transpose would. Where it mirrors, the
/// surface is inside out, and its normals with it.
#[inline(always)]
fn turned<L: Lanes>([x, y, z]: [[L; 4]; 3], n: [L; 3]) -> [L; 3] {
    let [x, y, z] = [[x[0], x[1], x[2]], [y[0], y[1], y[2]], [z[0], z[1], z[2]]];
    let yz = cross(y, z);
    let sign = dot(x, yz);
    let n = [dot(yz, n), dot(cross(z, x), n), dot(cross(x, y), n)];
    let squared = dot(n, n);
    let unit = squared.inverse_root().with_sign_of(sign);
    [n[0].times(unit), n[1].times(unit), n[2].times(unit)]
}

#[inline(always)]
fn cross<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [
        a[1].times_minus(b[2], a[2].times(b[1])),
        a[2].times_minus(b[0], a[0].times(b[2])),
        a[0].times_minus(b[1], a[1].times(b[0])),
    ]
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0].times_plus(b[0], a[1].times_plus(b[1], a[2].times(b[2])))
}
