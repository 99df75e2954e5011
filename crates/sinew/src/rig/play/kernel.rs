//! The loop that poses vertices, eight at a time.
//!
//! The bones of eight vertices are few, and mostly the same: their matrices are blended with one weight a
//! lane, which needs neither gathering nor transposing. One of them, the base, is taken whole and the others
//! as differences from it, which saves the base's weights and products.
//!
//! Helpers are functions, not closures, and arrays are spelled out: what stays a call of its own does not get
//! the wide instructions.

use super::groups::{Group, Triple};
#[cfg(target_arch = "x86_64")]
use super::lanes::wide::Wide;
use super::lanes::{Eight, Lanes, Plain};

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
    pub weights: &'a [Eight],
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
            // The same width, but numbers are spread over the lanes while they are loaded.
            #[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
            fn avx512(block: &Block, out: &mut [f32], normals: &mut [f32]) {
                block.pose_with::<Wide>(out, normals);
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
        for (number, (group, rest)) in self.groups.iter().zip(self.rest).enumerate() {
            let m = self.blended::<L>(group);
            let p = self.corrected::<L>(number, rest, self.basis);
            let at = self.middle;
            let [x, y, z] = [moved(m[0], p), moved(m[1], p), moved(m[2], p)];
            let placed = [x.plus(L::all(&at[0])), y.plus(L::all(&at[1])), z.plus(L::all(&at[2]))];
            store(placed, group.place, out);
            if NORMALS {
                let n = self.corrected::<L>(number, &self.normals[number], self.normal_basis);
                store(turned(m, n), group.place, normals);
            }
        }
    }

    #[inline(always)]
    fn blended<L: Lanes>(&self, group: &Group) -> [[L; 4]; 3] {
        let base = &self.palette[group.base as usize];
        let mut m = [L::all(&base[0]); 12];
        for i in 1..12 {
            m[i] = L::all(&base[i]);
        }
        let slots = group.slots();
        for (entry, weights) in self.entries[slots.clone()].iter().zip(&self.weights[slots]) {
            let bone = &self.palette[*entry as usize];
            let weights = L::load(weights);
            for i in 0..12 {
                m[i] = L::all(&bone[i]).times_plus(weights, m[i]);
            }
        }
        [[m[0], m[1], m[2], m[3]], [m[4], m[5], m[6], m[7]], [m[8], m[9], m[10], m[11]]]
    }

    /// What the bones move: the rest pose and its corrections.
    #[inline(always)]
    fn corrected<L: Lanes>(&self, number: usize, rest: &Triple, basis: &[Triple]) -> [L; 3] {
        let mut p = [L::load(&rest[0]), L::load(&rest[1]), L::load(&rest[2])];
        if basis.is_empty() {
            return p;
        }
        let rank = self.coefficients.len();
        for (shape, q) in basis[number * rank..(number + 1) * rank].iter().zip(self.coefficients) {
            let q = L::all(q);
            for i in 0..3 {
                p[i] = L::load(&shape[i]).times_plus(q, p[i]);
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

/// Unit normals after a matrix: its cofactors turn them as its inverse transpose would. Where it mirrors, the
/// surface is inside out, and its normals with it.
#[inline(always)]
fn turned<L: Lanes>([x, y, z]: [[L; 4]; 3], n: [L; 3]) -> [L; 3] {
    let yz = cross(y, z);
    let sign = dot([x[0], x[1], x[2]], yz);
    let n = [dot(yz, n), dot(cross(z, x), n), dot(cross(x, y), n)];
    let squared = dot(n, n);
    let unit = squared.inverse_root().with_sign_of(sign);
    [n[0].times(unit), n[1].times(unit), n[2].times(unit)]
}

#[inline(always)]
fn cross<L: Lanes>(a: [L; 4], b: [L; 4]) -> [L; 3] {
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

#[inline(always)]
fn store<L: Lanes>(points: [L; 3], place: u32, out: &mut [f32]) {
    let out = &mut out[24 * place as usize..];
    if let Some(all) = out.first_chunk_mut() {
        return L::store(points, all);
    }
    // The last few vertices of a mesh.
    let mut all = [0.0; 24];
    L::store(points, &mut all);
    out.copy_from_slice(&all[..out.len()]);
}
