//! Light over a mesh that moves.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use sinew::animation::Frames;
use sinew::light::{
    Factoring, Light, LightShapes, Occlusion, OcclusionError, OcclusionOptions, ambient_occlusion,
};
use sinew::progress::{Progress, Silent};
use sinew_sample::{CreatureOptions, creature};

type Soup = (Vec<[u32; 3]>, Vec<Vec3>);

/// A square that faces `normal`, its middle at `middle`, in so many cells a side.
fn square(middle: Vec3, normal: Vec3, size: f32, cells: usize) -> Soup {
    let (x, y) = normal.any_orthonormal_pair();
    let x = if x.cross(y).dot(normal) < 0.0 { -x } else { x };
    let side = cells + 1;
    let place = |i: usize| {
        let [u, v] = [i % side, i / side].map(|k| (k as f32 / cells as f32 - 0.5) * size);
        middle + x * u + y * v
    };
    let at = |u: usize, v: usize| (v * side + u) as u32;
    let cell = |i: usize| {
        let (u, v) = (i % cells, i / cells);
        [[at(u, v), at(u + 1, v), at(u + 1, v + 1)], [at(u, v), at(u + 1, v + 1), at(u, v + 1)]]
    };
    ((0..cells * cells).flat_map(cell).collect(), (0..side * side).map(place).collect())
}

fn together(parts: &[Soup]) -> Soup {
    let mut whole: Soup = Default::default();
    for (triangles, places) in parts {
        let first = whole.1.len() as u32;
        whole.0.extend(triangles.iter().map(|t| t.map(|v| v + first)));
        whole.1.extend(places);
    }
    whole
}

fn frames(poses: &[Vec<Vec3>]) -> Frames {
    let flat: Vec<f32> = poses.iter().flatten().flat_map(|p| p.to_array()).collect();
    Frames::new(flat, poses.len(), poses[0].len())
}

fn looked(soup: &Soup, rays: usize) -> Vec<f32> {
    let options = OcclusionOptions { rays, ..OcclusionOptions::default() };
    let seen = ambient_occlusion(&soup.0, None, &frames(std::slice::from_ref(&soup.1)), &options, &Silent);
    seen.unwrap().values
}

/// The vertex of `soup` nearest to a place.
fn nearest(soup: &Soup, place: Vec3) -> usize {
    let far = |v: &usize| soup.1[*v].distance(place);
    (0..soup.1.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap()
}

#[test]
fn a_floor_alone_is_open_and_one_beside_a_wall_half_so() {
    let floor = square(Vec3::ZERO, Vec3::Y, 2.0, 10);
    assert!(looked(&floor, 64).iter().all(|x| *x == 1.0));
    // Seen from its middle, a wall that stands there hides half of the sky if it is high.
    let wall = square(Vec3::new(0.001, 500.0, 0.0), Vec3::NEG_X, 1000.0, 1);
    let corner = together(&[floor, wall]);
    let seen = looked(&corner, 1024);
    let half = seen[nearest(&corner, Vec3::ZERO)];
    assert!((half - 0.5).abs() < 0.02, "{half}");
    // A wall as high as it is far hides what is below 45° on its side: (1 − 1/√2) / 2 of the light.
    let low = together(&[
        square(Vec3::ZERO, Vec3::Y, 2.0, 10),
        square(Vec3::new(1.0, 1.0 - 20.0, 0.0), Vec3::NEG_X, 40.0, 1),
    ]);
    let some = looked(&low, 4096)[nearest(&low, Vec3::ZERO)];
    let expected = 0.5 + 0.5 * (1.0_f32 / 2.0_f32.sqrt());
    assert!((some - expected).abs() < 0.01, "{some}, not {expected}");
}

#[test]
fn inside_of_a_box_nothing_is_seen() {
    let sides: Vec<Soup> = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z]
        .map(|n| square(-n, n, 2.0, 4))
        .into();
    let inwards = together(&sides);
    let seen = looked(&inwards, 64);
    // Where sides meet, what is outside begins.
    let within = |p: &Vec3| p.abs().to_array().iter().filter(|x| **x > 0.99).count() == 1;
    let inside: Vec<usize> = (0..seen.len()).filter(|v| within(&inwards.1[*v])).collect();
    assert_eq!(inside.len(), 6 * 9);
    assert!(inside.iter().all(|v| seen[*v] == 0.0));
    let outwards: Soup = (inwards.0.iter().map(|[a, b, c]| [*a, *c, *b]).collect(), inwards.1);
    assert!(looked(&outwards, 64).iter().all(|x| *x == 1.0));
}

#[test]
fn what_is_out_of_reach_is_not_in_the_way() {
    let soup = together(&[
        square(Vec3::ZERO, Vec3::Y, 1.0, 2),
        square(Vec3::new(0.0, 2.0, 0.0), Vec3::NEG_Y, 1.0, 2),
    ]);
    let seen = |reach: f64| {
        let options = OcclusionOptions { rays: 256, reach };
        let frames = frames(std::slice::from_ref(&soup.1));
        ambient_occlusion(&soup.0, None, &frames, &options, &Silent).unwrap().values[4]
    };
    assert!(seen(f64::INFINITY) < 0.97);
    assert_eq!(seen(0.5), 1.0);
}

#[test]
fn split_vertices_share_their_light() {
    let whole = creature(&CreatureOptions { frames: 1, detail: 0.4, ..CreatureOptions::default() });
    let pose = whole.frames.frame(0);
    let triangles = whole.mesh.triangles(pose);
    // Every triangle by itself.
    let places: Vec<Vec3> = triangles.iter().flatten().map(|v| pose[*v as usize]).collect();
    let apart: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mut first = vec![u32::MAX; pose.len()];
    let mut points = Vec::new();
    for (corner, v) in triangles.iter().flatten().enumerate() {
        let known = &mut first[*v as usize];
        *known = (*known).min(corner as u32);
        points.push(*known);
    }
    let options = OcclusionOptions { rays: 32, ..OcclusionOptions::default() };
    let together = ambient_occlusion(&triangles, None, &whole.frames, &options, &Silent).unwrap().values;
    let split =
        ambient_occlusion(&apart, Some(&points), &frames(&[places]), &options, &Silent).unwrap().values;
    for (corner, v) in triangles.iter().flatten().enumerate() {
        assert_eq!(split[corner], together[*v as usize]);
    }
}

#[test]
fn a_turned_body_keeps_its_light_whatever_the_number_of_threads() {
    let animation = creature(&CreatureOptions { frames: 2, detail: 0.5, ..CreatureOptions::default() });
    let triangles = animation.mesh.triangles(animation.frames.frame(0));
    let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 1.0);
    let turned: Vec<Vec3> = animation.frames.frame(1).iter().map(|p| turn * *p + Vec3::splat(3.0)).collect();
    let poses = frames(&[animation.frames.frame(1).to_vec(), turned]);
    let options = OcclusionOptions { rays: 64, ..OcclusionOptions::default() };
    let run = || ambient_occlusion(&triangles, None, &poses, &options, &Silent).unwrap();
    let seen = run();
    let off: f32 = seen.frame(0).iter().zip(seen.frame(1)).map(|(a, b)| (a - b).abs()).sum();
    assert!(off / (seen.vertices as f32) < 2e-3, "{}", off / seen.vertices as f32);
    assert!(seen.values.iter().any(|x| *x < 0.5) && seen.values.iter().any(|x| *x > 0.9));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(run), seen);
}

#[test]
fn looking_can_be_stopped() {
    struct Stop;
    impl Progress for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let soup = square(Vec3::ZERO, Vec3::Y, 2.0, 2);
    let poses = frames(&[soup.1]);
    assert!(
        ambient_occlusion(&soup.0, None, &poses, &OcclusionOptions::default(), &Stop)
            == Err(OcclusionError::Cancelled)
    );
}

/// Light that is a sum of `rank` lights that come and go.
fn mixed(vertices: usize, frames: usize, rank: usize) -> Occlusion {
    let shape = |k: usize, v: usize| ((v * (k + 2)) as f32 * 0.37).sin().max(0.0);
    let strength = |k: usize, t: usize| (0.3 * (t * (k + 1)) as f32).cos().max(0.0) / rank as f32;
    let value = |v: usize, t: usize| (0..rank).map(|k| shape(k, v) * strength(k, t)).sum::<f32>();
    let values =
        (0..frames).flat_map(|t| (0..vertices).map(move |v| (v, t))).map(|(v, t)| value(v, t)).collect();
    Occlusion { vertices, values }
}

/// The largest difference of shapes as they are from what they stand for.
fn off(shapes: &LightShapes, light: &Occlusion) -> f32 {
    let at = |v: usize, t: usize| -> f32 {
        (0..shapes.rank)
            .map(|k| shapes.shapes[k * shapes.vertices + v] * shapes.coefficients[t * shapes.rank + k])
            .sum()
    };
    let frames = light.frame_count();
    let all = (0..frames).flat_map(|t| (0..light.vertices).map(move |v| (v, t)));
    all.map(|(v, t)| (at(v, t) - light.frame(t)[v]).abs()).fold(0.0, f32::max)
}

#[test]
fn few_lights_are_told_apart() {
    let light = mixed(300, 20, 3);
    let exact = LightShapes::new(&light, 3, Factoring::Singular, &Silent).unwrap();
    assert!(off(&exact, &light) < 1e-5);
    assert!(off(&LightShapes::new(&light, 2, Factoring::Singular, &Silent).unwrap(), &light) > 0.02);
    let positive = LightShapes::new(&light, 3, Factoring::Nonnegative, &Silent).unwrap();
    assert!(positive.shapes.iter().chain(&positive.coefficients).all(|x| *x >= 0.0));
    assert!(off(&positive, &light) < 0.1, "{}", off(&positive, &light));
    let all = LightShapes::new(&light, 99, Factoring::Singular, &Silent).unwrap();
    assert_eq!(all.rank, 20, "at most as many as frames");
    assert!(off(&all, &light) < 1e-5);
}

#[test]
fn more_shapes_are_nearer_and_bytes_are_enough() {
    let animation = creature(&CreatureOptions { frames: 12, detail: 0.5, ..CreatureOptions::default() });
    let triangles = animation.mesh.triangles(animation.frames.frame(0));
    let options = OcclusionOptions { rays: 64, ..OcclusionOptions::default() };
    let seen = ambient_occlusion(&triangles, None, &animation.frames, &options, &Silent).unwrap();
    let mean = |rank: usize, factoring| {
        Light::new(&LightShapes::new(&seen, rank, factoring, &Silent).unwrap()).error(&seen).mean
    };
    let by_rank: Vec<f64> = [1, 2, 4, 8].map(|rank| mean(rank, Factoring::Singular)).into();
    assert!(by_rank.windows(2).all(|pair| pair[1] < pair[0]), "{by_rank:?}");
    assert!(by_rank[2] < 0.02, "{by_rank:?}");
    let positive = mean(4, Factoring::Nonnegative);
    assert!(positive < 2.0 * by_rank[2], "{positive} after {by_rank:?}");
    let light = Light::new(&LightShapes::new(&seen, 4, Factoring::Singular, &Silent).unwrap());
    assert_eq!((light.rank(), light.frame_count(), light.shapes.len()), (4, 12, 4 * seen.vertices));
    assert!(light.bytes() < 4 * seen.vertices + 1000);
}

proptest! {
    #[test]
    fn any_light_is_kept_within_its_bounds(
        values in prop::collection::vec(0.0_f32..1.0, 24),
        rank in 1_usize..6,
        positive in any::<bool>(),
    ) {
        let light = Occlusion { vertices: 6, values };
        let factoring = if positive { Factoring::Nonnegative } else { Factoring::Singular };
        let packed = Light::new(&LightShapes::new(&light, rank, factoring, &Silent).unwrap());
        prop_assert_eq!(packed.rank(), rank.min(4));
        let mut frame = vec![0.0; 6];
        for t in 0..4 {
            packed.frame_into(t, &mut frame);
            prop_assert!(frame.iter().all(|x| (0.0..=1.0).contains(x)));
        }
        if rank >= 4 && !positive {
            prop_assert!(packed.error(&light).largest < 0.05, "{:?}", packed.error(&light));
        }
    }
}
