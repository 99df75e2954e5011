//! Baked light on the GPU, against the light as it is played.

use crate::common::{Random, alone, differing, gpu, on_gpu, options, routes, swaying_rig, wild_rig};
use sinew::light::Light;
use sinew::lod::{Detail, LodOptions, simplify};
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew_gpu::{
    Camera, Gpu, GpuError, Herd, HerdOptions, Model, ModelOptions, Pixels, RenderOptions, Renderer, Route,
    Scene, Streamer, Viewpoint,
};

/// Light of any numbers, some of it beyond 0 and 1.
fn light(rig: &Rig, rank: usize) -> Light {
    let mut random = Random(11);
    let vertices = rig.rest.len();
    Light {
        vertices,
        shapes: (0..rank * vertices).map(|_| (256.0 * random.unit()) as u8).collect(),
        ranges: (0..rank).map(|_| [-random.unit() as f32, random.unit() as f32]).collect(),
        coefficients: (0..rank * rig.frame_count()).map(|_| (2.0 * random.unit() - 0.6) as f32).collect(),
    }
}

/// Light that is the same everywhere.
fn even(rig: &Rig, value: f32) -> Light {
    Light {
        vertices: rig.rest.len(),
        shapes: vec![255; rig.rest.len()],
        ranges: vec![[0.0, 1.0]],
        coefficients: vec![value; rig.frame_count()],
    }
}

#[test]
fn light_is_as_it_is_played() {
    let Some(gpu) = gpu() else { return };
    let rig = wild_rig();
    let model = Model::new(&rig, &[], &ModelOptions::default()).unwrap();
    let bare = on_gpu(&gpu, &model, 2.0);
    assert!(bare.light.iter().all(|x| *x < 0.0), "there is none");
    for rank in [1, 4, 6, 16] {
        let light = light(&rig, rank);
        let lit = model.clone().with_light(&light).unwrap();
        let played = |frame: usize| {
            let mut of_rig = vec![0.0; rig.rest.len()];
            light.frame_into(frame, &mut of_rig);
            lit.vertices.iter().map(|v| of_rig[v.source as usize]).collect::<Vec<f32>>()
        };
        let mut between = 0;
        for frame in 0..rig.frame_count() {
            let found = on_gpu(&gpu, &lit, frame as f32);
            let expected = played(frame);
            assert_eq!(found.light.len(), expected.len());
            for (a, b) in found.light.iter().zip(&expected) {
                assert!((a - b).abs() <= 1e-5, "rank {rank}, frame {frame}: {a} for {b}");
            }
            between += expected.iter().filter(|x| (0.01..0.99).contains(*x)).count();
        }
        assert!(between > 100, "rank {rank}: hardly any light is in between");
        // Bones and corrections stand where they stood.
        assert_eq!(on_gpu(&gpu, &lit, 2.0).positions, bare.positions);
    }
}

#[test]
fn between_frames_light_goes_straight() {
    let Some(gpu) = gpu() else { return };
    let rig = swaying_rig(8, [1.0; 4]);
    let steps = (0..rig.frame_count()).map(|frame| frame as f32 / 16.0).collect();
    let model = Model::new(&rig, &[], &ModelOptions::default()).unwrap();
    let lit = model.with_light(&Light { coefficients: steps, ..even(&rig, 0.0) }).unwrap();
    let found = on_gpu(&gpu, &lit, 2.25).light;
    assert!(found.iter().all(|x| (x - 2.25 / 16.0).abs() < 1e-5), "{}", found[0]);
}

fn brightness(picture: &Pixels) -> f64 {
    picture.pixels.iter().map(|p| p[..3].iter().map(|x| f64::from(*x)).sum::<f64>()).sum()
}

#[test]
fn all_ways_of_drawing_show_the_same_light() {
    let Some(gpu) = gpu() else { return };
    let rig = swaying_rig(16, [0.6, 0.5, 0.4, 1.0]);
    let levels = simplify(&rig, &[Detail::Triangles(120)], &LodOptions::default(), &Silent).unwrap();
    let model = Model::new(&rig, &levels, &ModelOptions::default()).unwrap();
    let draw = |gpu: &Gpu, model: &Model, options: RenderOptions| -> [Pixels; 2] {
        let scene = Scene::new(gpu, vec![model.clone()], alone(model, 3.0)).unwrap();
        let renderer = Renderer::new(gpu, scene, options).unwrap();
        let view = Viewpoint { around: 30.0, above: 20.0, away: 2.5 };
        let camera = Camera::around(renderer.scene().herd(), view);
        let streamed = Streamer::new(&renderer).unwrap().picture(&camera, 0.0).unwrap();
        [renderer.picture(&camera, 0.0).unwrap(), streamed]
    };
    let full = |route| RenderOptions { levels: false, ..options([160, 120], route) };
    let dark = model.clone().with_light(&even(&rig, 0.1)).unwrap();
    let spots = model.clone().with_light(&light(&rig, 5)).unwrap();
    let [plain, _] = draw(&gpu, &model, full(Route::Draw));
    for lit in [&dark, &spots] {
        let [picture, streamed] = draw(&gpu, lit, full(Route::Draw));
        assert!(differing(&plain, &picture) > 0.05, "light makes no difference");
        let share = differing(&picture, &streamed);
        assert!(share < 0.002, "streaming: {share}");
        if routes(&gpu, lit).contains(&Route::Compute) {
            let share = differing(&picture, &draw(&gpu, lit, full(Route::Compute))[0]);
            assert!(share < 0.03, "compute: {share}");
        }
        // The coarser level is over the same vertices, and lit as they are.
        let coarse = RenderOptions { tolerance: 1e6, ..options([160, 120], Route::Draw) };
        let [coarser, _] = draw(&gpu, lit, coarse);
        assert!((brightness(&coarser) / brightness(&picture) - 1.0).abs() < 0.02);
    }
    let [bright, _] = draw(&gpu, &model.with_light(&even(&rig, 1.0)).unwrap(), full(Route::Draw));
    let [dim, _] = draw(&gpu, &dark, full(Route::Draw));
    assert!(brightness(&dim) < 0.97 * brightness(&bright));
}

#[test]
fn lit_and_unlit_are_streamed_together() {
    let Some(gpu) = gpu() else { return };
    // Odd numbers of vertices, so that nobody's begin at a round place.
    let rig = swaying_rig(7, [0.6, 0.5, 0.4, 1.0]);
    let mut torn = rig.clone();
    torn.mesh = sinew::geometry::Mesh::from_triangles(rig.rest.len(), &rig.mesh.triangles(&rig.rest)[3..]);
    let bare = Model::new(&torn, &[], &ModelOptions::default()).unwrap();
    let lit = Model::new(&rig, &[], &ModelOptions::default()).unwrap().with_light(&light(&rig, 3)).unwrap();
    let models = vec![lit, bare];
    let herd = Herd::scatter(&models, &HerdOptions { count: 12, ..HerdOptions::default() });
    let full = RenderOptions { levels: false, ..options([160, 120], Route::Draw) };
    let renderer = Renderer::new(&gpu, Scene::new(&gpu, models, herd).unwrap(), full).unwrap();
    let view = Viewpoint { around: 30.0, above: 20.0, away: 2.0 };
    let camera = Camera::around(renderer.scene().herd(), view);
    let streamed = Streamer::new(&renderer).unwrap().picture(&camera, 0.2).unwrap();
    let share = differing(&renderer.picture(&camera, 0.2).unwrap(), &streamed);
    assert!(share < 0.002, "{share}");
}

#[test]
fn light_of_another_rig_is_refused() {
    let rig = swaying_rig(8, [1.0; 4]);
    let model = Model::new(&rig, &[], &ModelOptions::default()).unwrap();
    let good = light(&rig, 3);
    let fewer_frames = Light { coefficients: good.coefficients[3..].to_vec(), ..good.clone() };
    let fewer_vertices = Light { vertices: 10, shapes: vec![0; 30], ..good.clone() };
    let torn = Light { shapes: good.shapes[1..].to_vec(), ..good.clone() };
    for wrong in [fewer_frames, fewer_vertices, torn, Light::default()] {
        assert_eq!(model.clone().with_light(&wrong).err(), Some(GpuError::OtherLight));
    }
    assert!(model.with_light(&good).is_ok());
}
