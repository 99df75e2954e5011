//! The point of a surface that is nearest to a given one.

use glam::DVec3;

use super::sight::PosedTree;

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

impl PosedTree<'_> {
    /// The squared distance from the surface and the triangle it is to, as the tree counts them. A good guess
    /// of the triangle saves time. Infinite without triangles.
    pub fn nearest(&self, p: DVec3, guess: usize) -> (f64, usize) {
        let to = |t: usize| match self.tree.triangles.get(t) {
            Some(corners) => {
                closest_on_triangle(p, corners.map(|v| self.positions[v as usize])).distance_squared(p)
            }
            None => f64::INFINITY,
        };
        let mut best = (to(guess), guess);
        let mut waiting = vec![0_usize];
        while let Some(at) = waiting.pop() {
            let Some(node) = self.tree.nodes.get(at) else { break };
            if self.box_distance(at, p) >= best.0 {
                continue;
            }
            if node.second == 0 {
                for t in node.start as usize..node.end as usize {
                    let distance = to(t);
                    if distance < best.0 {
                        best = (distance, t);
                    }
                }
                continue;
            }
            let halves = [at + 1, node.second as usize];
            let far_first = self.box_distance(halves[0], p) < self.box_distance(halves[1], p);
            // The last one in is the first one out.
            waiting.extend(if far_first { [halves[1], halves[0]] } else { halves });
        }
        best
    }

    fn box_distance(&self, at: usize, p: DVec3) -> f64 {
        let [min, max] = self.boxes[at];
        (min - p).max(p - max).max(DVec3::ZERO).length_squared()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sight::TriangleTree;
    use super::*;

    fn point() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn no_point_of_a_triangle_is_nearer(p in point(), a in point(), b in point(), c in point()) {
            let nearest = closest_on_triangle(p, [a, b, c]).distance(p);
            let mut least = f64::INFINITY;
            for i in 0..=40 {
                for j in 0..=40 - i {
                    let q = a + (b - a) * (f64::from(i) / 40.0) + (c - a) * (f64::from(j) / 40.0);
                    least = least.min(q.distance(p));
                }
            }
            prop_assert!(nearest <= least + 1e-12);
            prop_assert!(least - nearest < 0.1, "{} found, but {} is there", nearest, least);
        }

        #[test]
        fn the_tree_finds_the_nearest_of_all(
            points in prop::collection::vec(point(), 30),
            corners in prop::collection::vec((0..30_u32, 0..30_u32, 0..30_u32), 1..60),
            p in point(),
            guess in 0..80_usize,
        ) {
            let triangles: Vec<[u32; 3]> = corners.iter().map(|&(a, b, c)| [a, b, c]).collect();
            let tree = TriangleTree::new(&triangles, &points);
            let found = tree.posed(&points).nearest(p, guess).0;
            let distance = |t: &[u32; 3]| {
                closest_on_triangle(p, t.map(|v| points[v as usize])).distance_squared(p)
            };
            let least = triangles.iter().map(distance).fold(f64::INFINITY, f64::min);
            // The tree sorts triangles, and rounding may differ with the order of corners by nothing else.
            prop_assert_eq!(found, least);
        }
    }
}
