//! The point of a triangle that is nearest to a given one.

use glam::DVec3;

/// The point of the line from `a` to `b` nearest to `p`.
pub(crate) fn closest_on_segment(p: DVec3, [a, b]: [DVec3; 2]) -> DVec3 {
    let along = b - a;
    let squared = along.length_squared();
    if squared > 0.0 { a + along * ((p - a).dot(along) / squared).clamp(0.0, 1.0) } else { a }
}

/// The point of a triangle nearest to `p`: at a corner, on an edge, or inside (after Ericson 2005).
pub(crate) fn closest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    let (to_c, to_b) = (d4 - d3, d5 - d6);
    if va <= 0.0 && to_c >= 0.0 && to_b >= 0.0 && to_c + to_b > 0.0 {
        return b + (c - b) * (to_c / (to_c + to_b));
    }
    let sum = va + vb + vc;
    if sum == 0.0 {
        // A triangle without area: its corners are all that is left.
        return [a, b, c]
            .into_iter()
            .min_by(|x, y| x.distance_squared(p).total_cmp(&y.distance_squared(p)))
            .unwrap_or(a);
    }
    a + ab * (vb / sum) + ac * (vc / sum)
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_closest.rs"]
mod tests;
