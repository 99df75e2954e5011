//! Pictures checked pixel by pixel where the answer is known.

use glam::Vec3;
use sinew::geometry::Mesh;
use sinew_picture::{
    Camera, Coloring, Image, PictureError, PictureOptions, PlotOptions, Seen, Series, Shot, UpAxis,
    heat_color, plot, render, render_by,
};

const RED: Vec3 = Vec3::new(0.8, 0.05, 0.05);
const GREEN: Vec3 = Vec3::new(0.05, 0.8, 0.05);

/// Two large triangles that face +Z, the first at the given height above the second.
fn layers(near: f32) -> (Mesh, Vec<Vec3>) {
    let triangle = |z: f32| [Vec3::new(-3.0, -2.0, z), Vec3::new(3.0, -2.0, z), Vec3::new(0.0, 4.0, z)];
    let positions = [triangle(near), triangle(0.0)].concat();
    (Mesh::from_triangles(6, &[[0, 1, 2], [3, 4, 5]]), positions)
}

fn shot<'a>(mesh: &'a Mesh, positions: &'a [Vec3], coloring: Coloring<'a>) -> Shot<'a> {
    Shot { mesh, positions, triangles: None, coloring, skeleton: None, title: String::new() }
}

fn front() -> PictureOptions {
    let camera = Camera::Orbit { azimuth: 0.0, elevation: 0.0, field_of_view: 30.0 };
    PictureOptions { width: 160, height: 120, camera, ground: false, ..Default::default() }
}

/// Which of red, green and blue is strongest.
fn strongest(pixel: [u8; 4]) -> usize {
    (0..3).max_by_key(|&c| pixel[c]).unwrap()
}

#[test]
fn a_triangle_covers_the_middle_and_not_the_corner() {
    let (mesh, positions) = layers(0.0);
    let image = render(&[shot(&mesh, &positions, Coloring::FaceColors(&[RED, RED]))], &front()).unwrap();
    assert_eq!(strongest(image.pixel(80, 60)), 0);
    let corner = image.pixel(1, 1);
    assert!(corner[..3].iter().all(|&c| c > 200), "{corner:?}");
    assert!(image.pixels.iter().all(|p| p[3] == 255));
}

#[test]
fn what_is_nearer_hides_what_is_farther() {
    let middle = |near: f32| {
        let (mesh, positions) = layers(near);
        let image =
            render(&[shot(&mesh, &positions, Coloring::FaceColors(&[RED, GREEN]))], &front()).unwrap();
        strongest(image.pixel(80, 60))
    };
    assert_eq!(middle(0.5), 0);
    assert_eq!(middle(-0.5), 1);
}

#[test]
fn backs_are_drawn_and_lit_like_fronts() {
    let (mesh, positions) = layers(0.5);
    let turned = Mesh::from_triangles(6, &[[0, 2, 1], [3, 5, 4]]);
    let a = render(&[shot(&mesh, &positions, Coloring::Plain)], &front()).unwrap();
    let b = render(&[shot(&turned, &positions, Coloring::Plain)], &front()).unwrap();
    let (a, b) = (a.pixel(80, 60), b.pixel(80, 60));
    assert!((0..3).all(|c| a[c].abs_diff(b[c]) <= 1), "{a:?} {b:?}");
    assert!(a[0] > 100, "lit from the front: {a:?}");
}

#[test]
fn neighbouring_triangles_leave_no_gap() {
    // A fan of thin triangles around a point that is on no grid.
    let middle = Vec3::new(0.0317, 0.0713, 0.0);
    let rim = (0..97).map(|i| {
        let a = i as f32 / 97.0 * std::f32::consts::TAU;
        Vec3::new(a.cos(), a.sin(), 0.0)
    });
    let positions: Vec<Vec3> = std::iter::once(middle).chain(rim).collect();
    let triangles: Vec<[u32; 3]> = (0..97).map(|i| [0, 1 + i, 1 + (i + 1) % 97]).collect();
    let mesh = Mesh::from_triangles(98, &triangles);
    let options = PictureOptions { background: [Vec3::ZERO; 2], supersampling: 1, ..front() };
    let colors = vec![GREEN; 97];
    let image = render(&[shot(&mesh, &positions, Coloring::FaceColors(&colors))], &options).unwrap();
    let radius = 40.0_f32;
    for y in 0..120 {
        for x in 0..160 {
            if (x as f32 - 80.0).hypot(y as f32 - 60.0) < radius {
                assert!(image.pixel(x, y)[1] > 60, "a hole at {x}, {y}: {:?}", image.pixel(x, y));
            }
        }
    }
}

#[test]
fn scales_show_the_colours_of_their_ends() {
    let (mesh, positions) = layers(0.0);
    let values = [0.0, 1.0, 2.0, 3.0, f32::NAN, 5.0];
    let coloring = Coloring::Scalar { values: &values, range: (0.0, 5.0), label: "error" };
    let options = PictureOptions { width: 400, height: 300, ..front() };
    let image = render(&[shot(&mesh, &positions, coloring)], &options).unwrap();
    let close = |a: [u8; 4], linear: Vec3| {
        let encode = |x: f32| if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
        let b = linear.to_array().map(|c| (255.0 * encode(c)) as u8);
        (0..3).all(|c| a[c].abs_diff(b[c]) <= 2)
    };
    // Somewhere a row runs through the whole scale from its first colour to its last, in order.
    let found = (0..image.height).any(|y| {
        let at = |color: Vec3| (200..400).find(|&x| close(image.pixel(x, y), color));
        match [0.0, 0.5, 1.0].map(|t| at(heat_color(t))) {
            [Some(low), Some(middle), Some(high)] => low < middle && middle < high,
            _ => false,
        }
    });
    assert!(found);
}

#[test]
fn any_number_of_threads_gives_the_same_pixels() {
    let creature = sinew_sample::creature(&sinew_sample::CreatureOptions {
        frames: 1,
        detail: 0.6,
        ..Default::default()
    });
    let shots = [shot(&creature.mesh, creature.frames.frame(0), Coloring::Materials)];
    let options = PictureOptions { width: 230, height: 170, wireframe: true, ..Default::default() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render(&shots, &options).unwrap())
    };
    let one = with(1);
    assert_eq!(one, with(4));
    assert!(one.pixels.iter().any(|p| p[0] > p[2].saturating_add(60)), "the crest is orange");
}

#[test]
fn shots_share_one_camera_in_a_grid() {
    let (mesh, positions) = layers(0.0);
    let small: Vec<Vec3> = positions.iter().map(|p| *p * 0.25).collect();
    let colors = [RED, RED];
    let shots = [
        shot(&mesh, &positions, Coloring::FaceColors(&colors)),
        shot(&mesh, &small, Coloring::FaceColors(&colors)),
        shot(&mesh, &positions, Coloring::FaceColors(&colors)),
    ];
    let image = render(&shots, &PictureOptions { columns: 2, ..front() }).unwrap();
    assert_eq!((image.width, image.height), (320, 240));
    let red = |x0: usize, y0: usize| {
        let inside = |x: usize, y: usize| image.pixel(x0 + x, y0 + y)[1] < 120;
        (0..160).flat_map(|x| (0..120).map(move |y| (x, y))).filter(|&(x, y)| inside(x, y)).count()
    };
    let (large, little) = (red(0, 0), red(160, 0));
    assert_eq!(large, red(0, 120));
    assert!((12..20).contains(&(large / little)), "{large} {little}");
    assert_eq!(red(160, 120), 0, "the last cell is empty");
}

#[test]
fn what_is_behind_the_camera_is_cut_off() {
    // A floor that runs under the camera and far behind it.
    let positions = [Vec3::new(-50.0, -1.0, 50.0), Vec3::new(50.0, -1.0, 50.0), Vec3::new(0.0, -1.0, -50.0)];
    let mesh = Mesh::from_triangles(3, &[[0, 1, 2]]);
    let camera = Camera::LookAt { eye: Vec3::ZERO, target: Vec3::new(0.0, -0.2, -1.0), field_of_view: 60.0 };
    let colors = [GREEN];
    let image = render(
        &[shot(&mesh, &positions, Coloring::FaceColors(&colors))],
        &PictureOptions { camera, ..front() },
    )
    .unwrap();
    assert_eq!(strongest(image.pixel(80, 110)), 1, "the floor below");
    assert!(image.pixel(80, 5)[0] > 200, "nothing above");
}

#[test]
fn z_up_data_can_be_shown_upright() {
    let (mesh, positions) = layers(0.3);
    let lying: Vec<Vec3> = positions.iter().map(|p| Vec3::new(p.x, -p.z, p.y)).collect();
    let a = render(&[shot(&mesh, &positions, Coloring::Plain)], &front()).unwrap();
    let b = render(&[shot(&mesh, &lying, Coloring::Plain)], &PictureOptions { up: UpAxis::Z, ..front() })
        .unwrap();
    assert_eq!(a, b);
}

#[test]
fn odd_meshes_draw_without_a_panic() {
    let empty = Mesh::default();
    let blank = render(&[shot(&empty, &[], Coloring::Plain)], &front()).unwrap();
    let (mesh, mut positions) = layers(0.5);
    positions[0] = Vec3::splat(f32::NAN);
    positions[3] = Vec3::splat(f32::INFINITY);
    let broken =
        render(&[shot(&mesh, &positions, Coloring::Materials)], &PictureOptions { ground: true, ..front() });
    assert_eq!(broken.unwrap(), blank, "nothing whole is left");
    for p in [vec![Vec3::ONE; 6], vec![Vec3::ZERO; 6], layers(1.0).1.iter().map(|p| *p * 1e30).collect()] {
        render(&[shot(&mesh, &p, Coloring::Plain)], &PictureOptions { ground: true, ..front() }).unwrap();
    }
    let tiny = PictureOptions { width: 1, height: 1, ground: true, ..front() };
    render(&[shot(&mesh, &layers(0.5).1, Coloring::Plain)], &tiny).unwrap();
}

#[test]
fn far_from_the_origin_looks_the_same() {
    let (mesh, positions) = layers(0.5);
    let far: Vec<Vec3> = positions.iter().map(|p| *p + Vec3::new(1024.0, -2048.0, 512.0)).collect();
    let a = render(&[shot(&mesh, &positions, Coloring::Plain)], &front()).unwrap();
    let b = render(&[shot(&mesh, &far, Coloring::Plain)], &front()).unwrap();
    let most = a.pixels.iter().zip(&b.pixels).map(|(a, b)| a[1].abs_diff(b[1])).max();
    assert!(most <= Some(3), "{most:?}");
}

#[test]
fn contradictions_are_refused() {
    let (mesh, positions) = layers(0.5);
    let refuse = |shots: &[Shot], options: &PictureOptions| render(shots, options).unwrap_err();
    assert_eq!(refuse(&[], &front()), PictureError::NoShots);
    for (width, height) in [(0, 10), (10, 0), (usize::MAX, 10), (20_000, 10), (10, usize::MAX / 2)] {
        let shots = [shot(&mesh, &positions, Coloring::Plain), shot(&mesh, &positions, Coloring::Plain)];
        let error = refuse(&shots, &PictureOptions { width, height, ..front() });
        assert!(matches!(error, PictureError::Size { .. }), "{width} x {height}: {error:?}");
    }
    let count = |what, found, expected| PictureError::Count { shot: 0, what, found, expected };
    assert_eq!(refuse(&[shot(&mesh, &positions[1..], Coloring::Plain)], &front()), count("positions", 5, 6));
    let colors = [RED; 5];
    assert_eq!(
        refuse(&[shot(&mesh, &positions, Coloring::VertexColors(&colors))], &front()),
        count("vertex colours", 5, 6)
    );
    assert_eq!(
        refuse(&[shot(&mesh, &positions, Coloring::FaceColors(&colors))], &front()),
        count("triangle colours", 5, 2)
    );
    let triangles = [[0, 1, 2], [0, 1, 6]];
    let named = Shot { triangles: Some(&triangles), ..shot(&mesh, &positions, Coloring::Plain) };
    assert_eq!(refuse(&[named], &front()), PictureError::NoSuchVertex { shot: 0, triangle: 1 });
}

fn colored_columns(image: &Image, test: impl Fn([u8; 4]) -> bool) -> Vec<usize> {
    (0..image.width).filter(|&x| (0..image.height).any(|y| test(image.pixel(x, y)))).collect()
}

#[test]
fn charts_draw_their_lines_from_left_to_right() {
    let points = (0..60).map(|i| (f64::from(i), 2.0 + f64::from(i % 7))).collect();
    let series = [Series { name: String::new(), points }];
    let image = plot(&series, &PlotOptions { width: 400, height: 300, ..Default::default() }).unwrap();
    let columns = colored_columns(&image, |p| p[2] > 140 && p[0] < 60);
    assert!(columns.len() > 300, "{}", columns.len());
    assert!(columns.windows(2).all(|w| w[1] == w[0] + 1), "the line has a gap");
}

#[test]
fn a_larger_value_is_higher_and_a_hole_in_the_data_is_a_hole_in_the_line() {
    let mut points: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), f64::from(i))).collect();
    for p in &mut points[40..60] {
        p.1 = f64::NAN;
    }
    let image = plot(
        &[Series { name: String::new(), points }],
        &PlotOptions { width: 400, height: 300, ..Default::default() },
    )
    .unwrap();
    let blue = |p: [u8; 4]| p[2] > 140 && p[0] < 60;
    let columns = colored_columns(&image, blue);
    assert_eq!(columns.windows(2).filter(|w| w[1] > w[0] + 20).count(), 1);
    let row = |x: usize| (0..image.height).find(|&y| blue(image.pixel(x, y))).unwrap();
    assert!(row(columns[0]) > row(columns[columns.len() - 1]) + 100);
}

#[test]
fn odd_charts_draw_without_a_panic() {
    let one = |points: Vec<(f64, f64)>| [Series { name: "one".into(), points }];
    let data = [
        vec![],
        vec![(0.0, 0.0)],
        vec![(3.0, 7.0); 4],
        vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)],
        vec![(0.0, -5.0), (1.0, 1e-300), (2.0, 1e300)],
        vec![(0.0, 1e-320), (1e300, 1e-310)],
        vec![(-1e300, -1e300), (1e300, 1e300)],
    ];
    for points in data {
        for log_y in [false, true] {
            for (width, height) in [(1, 1), (300, 200)] {
                let options = PlotOptions { width, height, log_y, title: "odd".into(), ..Default::default() };
                plot(&one(points.clone()), &options).unwrap();
            }
        }
    }
    assert!(plot(&[], &PlotOptions { width: 0, ..Default::default() }).is_err());
    assert!(plot(&[], &PlotOptions::default()).is_ok());
}

#[test]
fn what_travels_far_is_followed() {
    let (mesh, here) = layers(0.0);
    let dark = |positions: &[Vec<Vec3>]| -> Vec<usize> {
        let shots: Vec<Shot> = positions.iter().map(|p| shot(&mesh, p, Coloring::Plain)).collect();
        let image = render(&shots, &front()).unwrap();
        let cell =
            |i: usize| image.pixels.chunks(image.width).flat_map(move |row| &row[160 * i..160 * (i + 1)]);
        (0..shots.len()).map(|i| cell(i).filter(|p| p[0] < 200).count()).collect()
    };
    let alone = dark(std::slice::from_ref(&here))[0];
    let moved = |by: Vec3| -> Vec<Vec3> { here.iter().map(|p| *p + by).collect() };
    // Near by, both are seen from one place; far away, each as large as alone.
    let near = dark(&[here.clone(), moved(4.0 * Vec3::Y)]);
    assert!(near.iter().all(|n| *n < alone * 9 / 10), "{near:?} of {alone}");
    let far = dark(&[here.clone(), moved(Vec3::new(500.0, 20.0, -300.0))]);
    assert!(far.iter().all(|n| n.abs_diff(alone) < alone / 20), "{far:?} of {alone}");
}

#[test]
fn another_painter_is_told_where_the_camera_stands() {
    // A lopsided body far from the origin, standing along Z, travelling so far that the camera goes along.
    let corner = |i: u32| Vec3::new((i & 1) as f32, 2.0 * (i >> 1 & 1) as f32, 3.0 * (i >> 2) as f32);
    let body: Vec<Vec3> = (0..8).map(|i| corner(i) + Vec3::new(40.0, -7.0, 3.0)).collect();
    let away: Vec<Vec3> = body.iter().map(|p| *p + Vec3::new(30.0, 5.0, 0.0)).collect();
    let mesh = Mesh::from_triangles(8, &[[0, 1, 5], [0, 5, 4], [1, 3, 7], [1, 7, 5], [4, 5, 7], [2, 6, 7]]);
    for coloring in [Coloring::Plain, Coloring::Scalar { values: &[0.5; 8], range: (0.0, 1.0), label: "x" }] {
        let shots = [&body, &away].map(|positions| shot(&mesh, positions, coloring));
        let options =
            PictureOptions { width: 160, height: 120, up: UpAxis::Z, ground: false, ..Default::default() };
        let expected = render(&shots, &options).unwrap();
        let found = render_by(&shots, &options, &mut |seen: &Seen| -> Result<Image, PictureError> {
            // What is looked at is in the middle of a picture from there: cut the shot out of a taller one.
            let off = (seen.row - 60.0).round() as isize;
            let tall = 120 + 2 * off.unsigned_abs();
            let slope = (0.5 * seen.field_of_view).to_radians().tan() * tall as f32 / 120.0;
            let field_of_view = 2.0 * slope.atan().to_degrees();
            let camera = Camera::LookAt { eye: seen.eye, target: seen.target, field_of_view };
            let larger = PictureOptions { height: tall, camera, ..options.clone() };
            let bare = Shot { coloring: Coloring::Plain, ..shots[seen.shot].clone() };
            let colored = if matches!(coloring, Coloring::Plain) { bare } else { shots[seen.shot].clone() };
            let image = render(&[colored], &larger)?;
            let above = if off < 0 { 2 * off.unsigned_abs() } else { 0 };
            Ok(Image {
                width: 160,
                height: 120,
                pixels: image.pixels[160 * above..160 * (above + 120)].to_vec(),
            })
        })
        .unwrap();
        let body_pixels = expected.pixels.iter().filter(|p| p[2] < 200).count();
        let differ = |(a, b): &(&[u8; 4], &[u8; 4])| (0..3).any(|c| a[c].abs_diff(b[c]) > 40);
        let off = expected.pixels.iter().zip(&found.pixels).filter(differ).count();
        // Rows are whole there, and scales stand elsewhere.
        assert!(body_pixels > 2000 && off * 12 < body_pixels, "{off} of {body_pixels}");
    }
    let shots = [shot(&mesh, &body, Coloring::Plain)];
    let wrong = render_by(&shots, &front(), &mut |_: &Seen| Image::new(3, 3, [0; 4]));
    assert!(matches!(wrong, Err(PictureError::Size { width: 3, .. })), "{wrong:?}");
}
