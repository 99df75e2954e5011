//! Quadratic forms of (x, y, z, 1): what pairs of rigid bones do outside the reduced coordinates.

use glam::{DMat3, DVec3, Vec3};

/// Which two of (x, y, z, 1) each entry of a form is of.
const ENTRIES: [[usize; 2]; 10] =
    [[0, 0], [1, 1], [2, 2], [3, 3], [0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];

/// x², y², z², 1, xy, xz, yz, x, y, z: what a quadratic form of (x, y, z, 1) is a sum of.
#[inline]
pub fn monomials(p: Vec3) -> [f64; 10] {
    let h = p.as_dvec3().extend(1.0).to_array();
    ENTRIES.map(|[i, j]| h[i] * h[j])
}

/// The value of a form at a position with the given monomials.
pub fn value(a: &[f64; 10], b: &[f64; 10]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Half the second derivatives of a quadratic form.
pub fn half_hessian(form: &[f64; 10]) -> DMat3 {
    let (xy, xz, yz) = (form[4] / 2.0, form[5] / 2.0, form[6] / 2.0);
    DMat3::from_cols_array(&[form[0], xy, xz, xy, form[1], yz, xz, yz, form[2]])
}

/// Half the gradient of a quadratic form.
pub fn half_gradient(form: &[f64; 10], p: Vec3) -> DVec3 {
    let [x, y, z] = p.as_dvec3().to_array();
    DVec3::new(
        form[0] * x + (form[4] * y + form[5] * z + form[7]) / 2.0,
        form[1] * y + (form[4] * x + form[6] * z + form[8]) / 2.0,
        form[2] * z + (form[5] * x + form[6] * y + form[9]) / 2.0,
    )
}

/// The quadratic form of (x, y, z, 1) with given products, laid out as [`monomials`].
#[inline]
pub fn from_products(product: impl Fn(usize, usize) -> f64) -> [f64; 10] {
    ENTRIES.map(|[i, j]| if i == j { product(i, j) } else { product(i, j) + product(j, i) })
}
