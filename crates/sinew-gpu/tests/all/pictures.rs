//! Pictures of crowds, against things that share no code with the GPU.

use crate::common::{alone, differing, gpu, options, routes, swaying_rig, wild_rig};
use glam::Vec3;
use sinew::lod::{Detail, LodOptions, simplify};
use sinew::progress::Silent;
use sinew::rig::{Player, Rig};
use sinew_gpu::{
    Camera, Gpu, GpuError, Herd, HerdOptions, Member, Model, ModelOptions, Pixels, RenderOptions, Renderer,
    Route, Scene, Streamer, Viewpoint,
};
use sinew_picture::{Coloring, PictureOptions, Shot, UpAxis, render};

const MAGENTA: [f32; 4] = [1.0, 0.0, 1.0, 1.0];

fn model(rings: u32, color: [f32; 4]) -> Model {
    let rig = swaying_rig(rings, color);
    let details = [Detail::Triangles(300), Detail::Triangles(90)];
    let levels = simplify(&rig, &details, &LodOptions::default(), &Silent).unwrap();
    Model::new(&rig, &levels, &ModelOptions::default()).unwrap()
}

fn crowd<'a>(
    gpu: &'a Gpu,
    models: &[Model],
    count: usize,
    seed: u64,
    options: RenderOptions,
) -> Renderer<'a> {
    let herd = Herd::scatter(models, &HerdOptions { count, seed, shares: vec![2.0, 1.0] });
    Renderer::new(gpu, Scene::new(gpu, models.to_vec(), herd).unwrap(), options).unwrap()
}

fn view(renderer: &Renderer, around: f32, away: f32) -> Camera {
    Camera::around(renderer.scene().herd(), Viewpoint { around, above: 14.0, away })
}

#[test]
fn a_body_covers_what_the_cpu_says_it_covers() {
    let Some(gpu) = gpu() else { return };
    let (rig, model) = (swaying_rig(24, MAGENTA), model(24, MAGENTA));
    let (frame, size) = (2, [320_u32, 240]);
    let herd = alone(&model, frame as f32);
    let camera = Camera::around(&herd, Viewpoint { around: 35.0, above: 20.0, away: 3.0 });
    let mut pose = vec![Vec3::ZERO; rig.rest.len()];
    Player::new(&rig).pose_into(frame, &mut pose);
    let place = &model.placement[frame];
    let placed: Vec<Vec3> = pose.iter().map(|p| place.transform_point3(p.as_dvec3()).as_vec3()).collect();
    let shot = Shot {
        mesh: &rig.mesh,
        positions: &placed,
        triangles: None,
        coloring: Coloring::Plain,
        skeleton: None,
        title: String::new(),
    };
    let green = Vec3::new(0.0, 1.0, 0.0);
    let by_cpu = render(
        &[shot],
        &PictureOptions {
            width: size[0] as usize,
            height: size[1] as usize,
            camera: sinew_picture::Camera::LookAt {
                eye: camera.eye,
                target: camera.target,
                field_of_view: camera.field_of_view,
            },
            up: UpAxis::Y,
            background: [green; 2],
            ground: false,
            ..PictureOptions::default()
        },
    )
    .unwrap();
    let expected: Vec<bool> = by_cpu.pixels.iter().map(|p| p[1] < 240 || p[0] > 40).collect();
    let area = expected.iter().filter(|covered| **covered).count();
    assert!(area > 2000, "{area}");
    for route in routes(&gpu, &model) {
        let scene = Scene::new(&gpu, vec![model.clone()], herd.clone()).unwrap();
        let renderer = Renderer::new(&gpu, scene, options(size, route)).unwrap();
        let picture = renderer.picture(&camera, 0.0).unwrap();
        let covered = picture.pixels.iter().map(|p| u16::from(p[1]) * 5 < 4 * u16::from(p[0].min(p[2])));
        let wrong = covered.zip(&expected).filter(|(found, expected)| found != *expected).count();
        // Pixels on the rim are partly covered.
        assert!(wrong * 50 < area, "{route:?}: {wrong} of {area}");
    }
}

#[test]
fn all_ways_of_drawing_show_the_same() {
    let Some(gpu) = gpu() else { return };
    let models = [model(16, MAGENTA), model(10, [0.2, 0.5, 0.1, 1.0])];
    let full = |route| RenderOptions { levels: false, ..options([320, 180], route) };
    let drawn = crowd(&gpu, &models, 60, 3, full(Route::Draw));
    let camera = view(&drawn, 25.0, 1.6);
    let picture = drawn.picture(&camera, 0.4).unwrap();
    assert!(picture.pixels.iter().all(|p| p[3] == 255));
    let streamed = Streamer::new(&drawn).unwrap().picture(&camera, 0.4).unwrap();
    let share = differing(&picture, &streamed);
    assert!(share < 0.002, "streaming: {share}");
    if routes(&gpu, &models[0]).contains(&Route::Compute) {
        let computed = crowd(&gpu, &models, 60, 3, full(Route::Compute));
        let share = differing(&picture, &computed.picture(&camera, 0.4).unwrap());
        // Four samples on a grid are not where four samples of the ordinary way are.
        assert!(share < 0.03, "compute: {share}");
    }
    let off = drawn.largest_difference(&camera, 0.4).unwrap().unwrap();
    assert!(off.vertices <= 1e-5 && off.light.is_none(), "{off:?}");
    let away = Camera { target: 2.0 * camera.eye - camera.target, ..camera };
    assert_eq!(drawn.largest_difference(&away, 0.4).unwrap(), None);
    let later = drawn.picture(&camera, 0.5).unwrap();
    assert!(differing(&picture, &later) > 0.005, "nothing moved");
}

#[test]
fn all_ways_of_drawing_apply_corrections() {
    let Some(gpu) = gpu() else { return };
    let mut rig = wild_rig();
    let corrections = rig.corrections.as_mut().unwrap();
    corrections.basis.iter_mut().for_each(|u| *u *= 3.0);
    let plain = Rig { corrections: None, ..rig.clone() };
    let [with, without] = [&rig, &plain].map(|rig| Model::new(rig, &[], &ModelOptions::default()).unwrap());
    let draw = |model: &Model, route: Route| {
        let scene = Scene::new(&gpu, vec![model.clone()], alone(model, 2.0)).unwrap();
        let renderer = Renderer::new(&gpu, scene, options([200, 150], route)).unwrap();
        // The same camera for both, whatever corrections do to the size.
        let camera = Camera { eye: Vec3::new(2.0, 1.6, 3.0), target: 0.7 * Vec3::Y, field_of_view: 40.0 };
        let streamed = Streamer::new(&renderer).unwrap().picture(&camera, 0.0).unwrap();
        [renderer.picture(&camera, 0.0).unwrap(), streamed]
    };
    let [picture, streamed] = draw(&with, Route::Draw);
    let share = differing(&picture, &streamed);
    assert!(share < 0.005, "streaming: {share}");
    assert!(differing(&picture, &draw(&without, Route::Draw)[0]) > 0.05, "corrections make no difference");
    if routes(&gpu, &with).contains(&Route::Compute) {
        let share = differing(&picture, &draw(&with, Route::Compute)[0]);
        assert!(share < 0.05, "compute: {share}");
    }
}

/// Share of pixels that are of the colour that bodies have here and nothing else has.
fn magenta(picture: &Pixels) -> f64 {
    let is = |p: &&[u8; 4]| u16::from(p[1]) * 5 < 4 * u16::from(p[0].min(p[2]));
    picture.pixels.iter().filter(is).count() as f64 / picture.pixels.len() as f64
}

#[test]
fn what_reaches_through_the_near_plane_is_cut() {
    let Some(gpu) = gpu() else { return };
    // Few triangles, so that many of those around the camera reach behind it.
    let model = Model::new(&swaying_rig(6, MAGENTA), &[], &ModelOptions::default()).unwrap();
    if !routes(&gpu, &model).contains(&Route::Compute) {
        return;
    }
    let mut pose = vec![Vec3::ZERO; model.vertices.len()];
    model.pose_into(0.0, &mut pose, None);
    let top = pose.iter().copied().reduce(|a, b| if b.y > a.y { b } else { a }).unwrap();
    for closed in [true, false] {
        let model = Model { closed, ..model.clone() };
        let renderers = [Route::Draw, Route::Compute].map(|route| {
            let scene = Scene::new(&gpu, vec![model.clone()], alone(&model, 0.0)).unwrap();
            Renderer::new(&gpu, scene, options([160, 120], route)).unwrap()
        });
        for ahead in [Vec3::Z, Vec3::new(0.8, -0.2, 0.4), Vec3::new(-0.3, -0.9, 0.3)] {
            for above in [-0.03, 0.005, 0.03] {
                let eye = top + above * Vec3::Y;
                let camera = Camera { eye, target: eye + ahead - 0.35 * Vec3::Y, field_of_view: 70.0 };
                let [drawn, computed] = renderers.each_ref().map(|r| r.picture(&camera, 0.0).unwrap());
                let (share, seen) = (differing(&drawn, &computed), magenta(&drawn));
                assert!(share < 0.02, "{share} differ, {seen} covered, {above} above, towards {ahead}");
                assert!(above < 0.02 || seen > 0.2, "{seen} covered, {above} above, towards {ahead}");
            }
        }
    }
}

#[test]
fn among_the_animals_all_ways_show_the_same() {
    let Some(gpu) = gpu() else { return };
    let models = [model(12, MAGENTA)];
    if !routes(&gpu, &models[0]).contains(&Route::Compute) {
        return;
    }
    let [drawn, computed] =
        [Route::Draw, Route::Compute].map(|route| crowd(&gpu, &models, 80, 4, options([320, 180], route)));
    for number in [0, 7, 19] {
        let member = drawn.scene().herd().members[number];
        let eye = member.place + Vec3::new(0.25, 0.6, -0.3);
        let camera = Camera { eye, target: eye + Vec3::new(0.5, -0.15, 1.0), field_of_view: 60.0 };
        let [a, b] = [&drawn, &computed].map(|renderer| renderer.picture(&camera, 0.3).unwrap());
        let share = differing(&a, &b);
        assert!(
            share < 0.03 && magenta(&a) > 0.2,
            "beside {number}: {share} differ, {} covered",
            magenta(&a)
        );
    }
}

#[test]
fn a_seed_is_a_picture() {
    let Some(gpu) = gpu() else { return };
    let models = [model(16, MAGENTA)];
    for route in routes(&gpu, &models[0]) {
        let draw = |seed: u64| {
            let renderer = crowd(&gpu, &models, 40, seed, options([200, 120], route));
            renderer.picture(&view(&renderer, 0.0, 1.6), 0.2).unwrap()
        };
        assert_eq!(draw(5), draw(5), "{route:?}");
        assert!(differing(&draw(5), &draw(6)) > 0.02, "{route:?}");
    }
}

/// Who is seen and at which level, by the corners of the picture and distances, in double precision. None
/// where it is too close to call.
fn by_cpu(camera: &Camera, model: &Model, member: &Member, options: &RenderOptions) -> Option<Option<usize>> {
    let [width, height] = options.size.map(f64::from);
    let focal = f64::from(camera.focal(options.size[1]));
    let turned = glam::Quat::from_rotation_y(member.turn) * model.ball.0;
    let middle = (member.place + member.scale * turned).as_dvec3();
    let radius = f64::from(model.ball.1 * member.scale);
    let [right, up, forward] = camera.axes().map(|axis| axis.as_dvec3());
    let away = middle - camera.eye.as_dvec3();
    let (x, y, z) = (away.dot(right), away.dot(up), away.dot(forward));
    // Distance from each side of what is seen, inwards.
    let side = |across: f64, slope: f64| (z * slope - across.abs()) / (1.0 + slope * slope).sqrt();
    let inside = side(x, 0.5 * width / focal).min(side(y, 0.5 * height / focal)).min(z);
    if (inside + radius).abs() < 0.05 * radius {
        return None;
    }
    if inside < -radius {
        return Some(None);
    }
    let distance = (away.length() - radius).max(1e-3 * radius);
    let mut chosen = 0;
    for (number, level) in model.levels.iter().enumerate().skip(1) {
        let pixels = f64::from(level.error * member.scale) * focal / distance;
        if (pixels / f64::from(options.tolerance) - 1.0).abs() < 1e-4 {
            return None;
        }
        if pixels <= f64::from(options.tolerance) {
            chosen = number;
        }
    }
    Some(Some(chosen))
}

#[test]
fn who_is_seen_and_how_finely_is_as_the_cpu_says() {
    let Some(gpu) = gpu() else { return };
    let models = [model(16, MAGENTA), model(20, [0.5; 4])];
    let options = RenderOptions { tolerance: 0.2, ..options([320, 180], Route::Draw) };
    let renderer = crowd(&gpu, &models, 500, 11, options);
    let (mut unseen, mut per_level) = (0, [0_usize; 3]);
    for (around, away) in [(0.0, 0.3), (70.0, 0.9), (200.0, 2.5)] {
        let camera = view(&renderer, around, away);
        renderer.picture(&camera, 0.0).unwrap();
        let seen = renderer.seen().unwrap();
        for (number, member) in renderer.scene().herd().members.iter().enumerate() {
            let lists = &seen[member.model];
            let found: Vec<usize> =
                (0..lists.len()).filter(|l| lists[*l].contains(&(number as u32))).collect();
            assert!(found.len() <= 1, "member {number} is in several lists");
            let Some(expected) = by_cpu(&camera, &models[member.model], member, &options) else { continue };
            assert_eq!(found.first().copied(), expected, "member {number} from {around}, {away}");
            match expected {
                Some(level) => per_level[level] += 1,
                None => unseen += 1,
            }
        }
        let total: usize = seen.iter().flatten().map(Vec::len).sum();
        assert!(total <= 500);
    }
    assert!(unseen > 100 && per_level.iter().all(|n| *n > 20), "{unseen} {per_level:?}");
}

#[test]
fn what_cannot_be_drawn_gets_a_sentence() {
    let Some(gpu) = gpu() else { return };
    let model = model(10, MAGENTA);
    let scene = || Scene::new(&gpu, vec![model.clone()], alone(&model, 0.0)).unwrap();
    for size in [[0, 10], [10, 0], [10, 1 << 20]] {
        let result = Renderer::new(&gpu, scene(), RenderOptions { size, ..RenderOptions::default() });
        assert!(matches!(result.err(), Some(GpuError::Size { .. })), "{size:?}");
    }
    let nobody = Herd { members: Vec::new(), ..alone(&model, 0.0) };
    assert_eq!(Scene::new(&gpu, vec![model.clone()], nobody).err(), Some(GpuError::Nobody));
    let missing = Gpu::open(Some("no such GPU")).err().unwrap();
    assert!(missing.to_string().contains("no such GPU"), "{missing}");
}

#[test]
fn a_rig_over_the_limit_of_a_small_gpu_gets_a_sentence() {
    let Some(_) = gpu() else { return };
    let small = Gpu::open_within(None, 16 << 10).unwrap();
    let model = model(24, MAGENTA);
    let herd = alone(&model, 0.0);
    let error = Scene::new(&small, vec![model.clone()], herd.clone()).err().unwrap();
    assert!(matches!(error, GpuError::TooLarge { limit: 16_384, .. }), "{error}");
    let said = error.to_string();
    assert!(said.contains("the vertices of all rigs") && said.contains("16384"), "{said}");
    // The GPU is as good as before, and what fits is drawn.
    let other = Gpu::open_within(None, 8 << 20).unwrap();
    let scene = Scene::new(&other, vec![model], herd).unwrap();
    assert!(Renderer::new(&other, scene, options([32, 32], Route::Draw)).is_ok());
    assert_eq!(small.check(), Ok(()));
}

#[test]
fn more_than_fits_a_buffer_gets_a_sentence() {
    let Some(gpu) = gpu() else { return };
    let mut model = model(10, MAGENTA);
    // A thousand bones take 48 kB for each instance.
    model.bones = 1000;
    model.poses = vec![[0.0; 4]; model.frames * model.pose_size()];
    let mut herd = alone(&model, 0.0);
    herd.members = vec![herd.members[0]; 400_000];
    let error = Scene::new(&gpu, vec![model], herd).err().unwrap();
    assert!(matches!(error, GpuError::TooLarge { what: "the bones of all instances", .. }), "{error}");
}
