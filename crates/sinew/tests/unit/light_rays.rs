use super::*;

/// Triangles here and there.
fn soup(count: usize, turn: f32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let place = |i: usize| {
        let x = i as f32 + turn;
        Vec3::new((x * 1.7).sin() + (x * 0.31).cos(), (x * 2.3).cos(), (x * 0.77).sin() * (x * 0.13).cos())
    };
    let triangles = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let near = |i: usize| place(i / 3) + 0.3 * place(i + 50);
    (triangles, (0..3 * count).map(near).collect())
}

#[test]
fn rays_meet_what_they_meet_without_a_tree() {
    for count in [0, 1, 5, 17, 300] {
        let (triangles, pose) = soup(count, 0.0);
        let mut bvh = RayBvh::new(&triangles, &pose);
        for turn in [0.0, 0.4] {
            let (_, pose) = soup(count, turn);
            bvh.fit(&pose);
            let mut met = 0;
            for bundle in 0..50 {
                let place = bundle as f32;
                let from = 2.0 * Vec3A::new((place * 0.9).sin(), (place * 1.3).cos(), (place * 0.41).sin());
                let direction = |ray: usize| {
                    let x = (RAYS * bundle + ray) as f32;
                    let some = Vec3A::new((x * 0.2).cos(), (x * 0.7).sin(), (x * 0.5).cos()).normalize();
                    if ray == 0 { Vec3A::AXES[bundle % 3] } else { some }
                };
                let directions: Bundle =
                    [0, 1, 2].map(|axis| std::array::from_fn(|ray| direction(ray)[axis]));
                // The last is none.
                let reach = |ray: usize| [f32::INFINITY, 1.0, f32::INFINITY][ray % 3];
                let mut reaches: [f32; RAYS] =
                    std::array::from_fn(|ray| if ray + 1 < RAYS { reach(ray) } else { STOPPED });
                let mut alone = reaches;
                bvh.stop(from, &directions, &mut reaches);
                bvh.triangles.iter().for_each(|t| t.stop(from, &directions, &mut alone));
                assert_eq!(reaches, alone, "{count} triangles, bundle {bundle}");
                met += reaches.iter().filter(|reach| **reach == STOPPED).count() - 1;
            }
            assert!(count < 300 || (20..330).contains(&met), "{met} of 350");
        }
    }
}
