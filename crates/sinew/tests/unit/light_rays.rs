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
            for ray in 0..400 {
                let x = ray as f32;
                let from = 2.0 * Vec3A::new((x * 0.9).sin(), (x * 1.3).cos(), (x * 0.41).sin());
                let mut direction = Vec3A::new((x * 0.2).cos(), (x * 0.7).sin(), (x * 0.5).cos());
                if ray % 10 == 0 {
                    direction = Vec3A::AXES[ray / 10 % 3];
                }
                let direction = direction.normalize();
                let reach = if ray % 3 == 0 { 1.0 } else { f32::INFINITY };
                let all = bvh.triangles.iter().any(|t| t.meets(from, direction, reach));
                assert_eq!(bvh.blocked(from, direction, reach), all, "{count} triangles, ray {ray}");
                met += usize::from(all);
            }
            assert!(count < 300 || (20..380).contains(&met), "{met} of 400");
        }
    }
}
