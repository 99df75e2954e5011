//! Which ways from a vertex lead into its body.

use glam::DVec3;

use super::Body;

/// Pieces that enclose less than this share of their area to the power 3/2 (a ball 0.09) have no inside.
const LEAST_VOLUME: f64 = 1e-3;
/// Triangles count as equally near to a way when their cosines differ by no more than this.
const SAME: f64 = 1e-9;

/// 1 for the pieces that enclose what their faces turn their backs to, −1 for those that are turned inside
/// out, 0 for those that enclose next to nothing; at the vertices that name the pieces.
pub fn sides(body: &Body, places: &[DVec3], areas: &[f64]) -> Vec<f64> {
    let count = places.len();
    let (mut middle, mut members, mut area) = (vec![DVec3::ZERO; count], vec![0.0; count], vec![0.0; count]);
    for (v, &piece) in body.piece.iter().enumerate() {
        middle[piece as usize] += places[v];
        members[piece as usize] += 1.0;
        area[piece as usize] += areas[v];
    }
    let mut volume = vec![0.0; count];
    for corners in body.pattern.triangles() {
        let piece = body.piece[corners[0] as usize] as usize;
        let [a, b, c] = corners.map(|v| places[v as usize]);
        volume[piece] += (a - middle[piece] / members[piece]).dot((b - a).cross(c - a)) / 6.0;
    }
    let side = |(volume, area): (&f64, &f64)| match volume.abs() > LEAST_VOLUME * area * area.sqrt() {
        true => volume.signum(),
        false => 0.0,
    };
    volume.iter().zip(&area).map(side).collect()
}

/// Whether the way from vertex `v` to a point starts behind the faces around it.
///
/// The side of a surface is told by the triangle nearest to the point, by both where that is an edge, and by
/// all, weighted by their angles, where it is the vertex (Bærentzen and Aanæs 2005).
pub fn leads_behind(body: &Body, places: &[DVec3], v: usize, to: DVec3) -> bool {
    let p = places[v];
    let Some(way) = (to - p).try_normalize() else { return true };
    let (mut best, mut normal) = (0.0, DVec3::ZERO);
    let mut at_vertex = DVec3::ZERO;
    for corners in body.around(v) {
        let at = corners.iter().position(|&c| c as usize == v).unwrap_or(0);
        let sides = [1, 2].map(|k| (places[corners[(at + k) % 3] as usize] - p).try_normalize());
        let [Some(a), Some(b)] = sides else { continue };
        let Some(n) = a.cross(b).try_normalize() else { continue };
        at_vertex += a.angle_between(b) * n;
        let flat = way - way.dot(n) * n;
        let within = a.cross(flat).dot(n) >= 0.0 && flat.cross(b).dot(n) >= 0.0;
        let nearness = if within { flat.length() } else { way.dot(a).max(way.dot(b)) };
        if nearness > best + SAME {
            (best, normal) = (nearness, n);
        } else if nearness > best - SAME {
            normal += n;
        }
    }
    way.dot(if best > SAME { normal } else { at_vertex }) <= 0.0
}
