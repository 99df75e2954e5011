//! Bones inside of bodies, checked at pixels where the answer is known.

use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::geometry::Mesh;
use sinew::rig::{Bone, Rig, Skeleton, SkinWeights};
use sinew_picture::{
    Camera, Coloring, Image, PictureError, PictureOptions, PosedJoint, PosedSkeleton, Shot, bone_palette,
    render,
};

const RED: Vec3 = Vec3::new(0.7, 0.02, 0.02);
const GREEN: Vec3 = Vec3::new(0.02, 0.7, 0.02);
const SIZE: usize = 240;

/// Two large triangles that face +Z, one before and one behind the origin.
fn body() -> (Mesh, Vec<Vec3>) {
    let triangle = |z: f32| [Vec3::new(-3.0, -2.0, z), Vec3::new(3.0, -2.0, z), Vec3::new(0.0, 4.0, z)];
    (Mesh::from_triangles(6, &[[0, 1, 2], [3, 4, 5]]), [triangle(0.5), triangle(-0.5)].concat())
}

/// Looks along −Z at the origin.
fn front() -> PictureOptions {
    let camera = Camera::LookAt { eye: Vec3::new(0.0, 0.0, 14.0), target: Vec3::ZERO, field_of_view: 30.0 };
    PictureOptions { width: SIZE, height: SIZE, camera, ground: false, ..Default::default() }
}

/// The pixel of a place under [`front`].
fn seen_at(p: Vec3) -> (usize, usize) {
    let focal = 0.5 * SIZE as f32 / 15.0_f32.to_radians().tan() / (14.0 - p.z);
    let half = 0.5 * SIZE as f32;
    ((half + focal * p.x) as usize, (half - focal * p.y) as usize)
}

fn pixel(image: &Image, p: Vec3) -> [u8; 4] {
    let (x, y) = seen_at(p);
    image.pixel(x, y)
}

fn joint(place: Vec3, parent: Option<usize>, color: Vec3) -> PosedJoint {
    PosedJoint { name: "joint".into(), place, parent, end: None, color }
}

/// A bone from each first place to each second.
fn bones(ends: &[(Vec3, Vec3, Vec3)]) -> PosedSkeleton {
    let pair = |(i, (a, b, color)): (usize, &(Vec3, Vec3, Vec3))| {
        [joint(*a, None, *color), joint(*b, Some(2 * i), *color)]
    };
    PosedSkeleton { joints: ends.iter().enumerate().flat_map(pair).collect() }
}

fn draw(skeleton: Option<&PosedSkeleton>, options: &PictureOptions) -> Image {
    let (mesh, positions) = body();
    let shot = Shot {
        mesh: &mesh,
        positions: &positions,
        triangles: None,
        coloring: Coloring::Plain,
        skeleton,
        title: String::new(),
    };
    render(&[shot], options).unwrap()
}

/// How much redder than green a pixel is.
fn redness(p: [u8; 4]) -> i32 {
    i32::from(p[0]) - i32::from(p[1])
}

/// Whether a pixel is as grey as clay.
fn is_grey(p: [u8; 4]) -> bool {
    p[..3].iter().max().unwrap() - p[..3].iter().min().unwrap() < 20
}

#[test]
fn bones_show_through_the_body() {
    let (a, b, end) = (Vec3::new(-0.8, -0.6, 0.0), Vec3::new(0.5, 0.7, 0.2), Vec3::new(0.9, -0.3, 0.1));
    let mut skeleton = bones(&[(a, b, RED)]);
    skeleton.joints[1].color = GREEN;
    skeleton.joints[1].end = Some(end);
    let image = draw(Some(&skeleton), &front());
    assert!(redness(pixel(&image, a)) > 60, "{:?}", pixel(&image, a));
    assert!(redness(pixel(&image, b)) < -60, "{:?}", pixel(&image, b));
    // A bone has the colour of the joint it turns about.
    assert!(redness(pixel(&image, a.lerp(b, 0.3))) > 60);
    assert!(redness(pixel(&image, b.lerp(end, 0.3))) < -60);
    // Beside bones there is the body, paler than without any, yet darker than what is behind it.
    let beside = Vec3::new(-0.6, 0.6, 0.5);
    let (glass, whole) = (pixel(&image, beside), pixel(&draw(None, &front()), beside));
    assert!(is_grey(glass) && is_grey(whole), "{glass:?} {whole:?}");
    assert!(glass[0] > whole[0] + 10 && glass[0] + 10 < image.pixel(2, 2)[0], "{glass:?} {whole:?}");
}

#[test]
fn a_nearer_bone_hides_a_farther_one() {
    let crossing = |z: f32| {
        let across = (Vec3::new(-1.0, 0.0, z), Vec3::new(1.0, 0.0, z), RED);
        let upright = (Vec3::new(-0.6, -0.9, 0.0), Vec3::new(-0.6, 0.9, 0.0), GREEN);
        // In either order of drawing.
        let images = [[across, upright], [upright, across]].map(|b| draw(Some(&bones(&b)), &front()));
        images.map(|image| redness(pixel(&image, Vec3::new(-0.6, 0.0, 0.0))))
    };
    assert!(crossing(0.3).iter().all(|&r| r > 40), "{:?}", crossing(0.3));
    assert!(crossing(-0.3).iter().all(|&r| r < -40), "{:?}", crossing(-0.3));
}

#[test]
fn only_bones_inside_of_the_body_are_veiled() {
    let upright = |z: f32| bones(&[(Vec3::new(0.0, -0.5, z), Vec3::new(0.0, 0.8, z), RED)]);
    let at = |z: f32| pixel(&draw(Some(&upright(z)), &front()), Vec3::new(0.0, -0.5, z));
    let (before, inside, behind) = (at(0.8), at(0.3), at(-0.8));
    assert!(redness(before) > redness(inside), "{before:?} {inside:?}");
    assert!(redness(inside) > 60 && redness(behind) > 60, "{inside:?} {behind:?}");
}

#[test]
fn bones_have_a_dark_line_around_them() {
    let skeleton = bones(&[(Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0), GREEN)]);
    let image = draw(Some(&skeleton), &front());
    let (x, y) = seen_at(Vec3::new(0.0, -0.6, 0.0));
    let darkest = |columns: std::ops::Range<usize>| columns.map(|x| image.pixel(x, y)[1]).min().unwrap();
    assert!(darkest(x - 12..x) < 110 && darkest(x..x + 12) < 110);
    assert!(image.pixel(x, y)[1] > 130, "{:?}", image.pixel(x, y));
}

#[test]
fn shots_without_bones_stay_as_they_are() {
    let (mesh, positions) = body();
    let skeleton = bones(&[(Vec3::ZERO, Vec3::Y, RED)]);
    let shot = |skeleton| Shot {
        mesh: &mesh,
        positions: &positions,
        triangles: None,
        coloring: Coloring::Plain,
        skeleton,
        title: String::new(),
    };
    let both = render(&[shot(Some(&skeleton)), shot(None)], &front()).unwrap();
    let cell = |first: usize| -> Vec<[u8; 4]> {
        both.pixels.chunks(both.width).flat_map(|row| &row[first..first + SIZE]).copied().collect()
    };
    assert_eq!(cell(0), draw(Some(&skeleton), &front()).pixels);
    assert_eq!(cell(SIZE), draw(None, &front()).pixels);
}

#[test]
fn any_number_of_threads_gives_the_same_bones() {
    let ring = (0..40).map(|i| {
        let a = i as f32 * 0.7;
        joint(Vec3::new(a.cos(), a.sin(), 0.4 * (3.0 * a).sin()), (i > 0).then_some(i / 2), RED)
    });
    let skeleton = PosedSkeleton { joints: ring.collect() };
    let options = PictureOptions { labels: true, ground: true, wireframe: true, ..front() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| draw(Some(&skeleton), &options))
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn all_joints_are_in_the_picture() {
    let place = Vec3::new(9.0, 0.0, 0.0);
    let skeleton = bones(&[(Vec3::ZERO, place, RED)]);
    let camera = Camera::Orbit { azimuth: 0.0, elevation: 0.0, field_of_view: 30.0 };
    let image = draw(Some(&skeleton), &PictureOptions { camera, ..front() });
    let red = |x: usize| (0..SIZE).any(|y| redness(image.pixel(x, y)) > 60);
    let columns: Vec<usize> = (0..SIZE).filter(|&x| red(x)).collect();
    let (first, last) = (columns[0], columns[columns.len() - 1]);
    assert!(last - first > SIZE / 2 && last + 2 < SIZE, "{first} to {last}");
}

#[test]
fn names_stand_beside_their_joints_and_not_on_them() {
    let places = [Vec3::new(-0.4, 0.0, 0.0), Vec3::new(-0.3, 0.05, 0.0), Vec3::new(0.6, -0.5, 0.0)];
    let mut skeleton = PosedSkeleton { joints: places.map(|p| joint(p, None, RED)).to_vec() };
    let options = PictureOptions { labels: true, ..front() };
    let (plain, named) = (draw(Some(&skeleton), &front()), draw(Some(&skeleton), &options));
    assert_ne!(plain, named);
    for p in places {
        assert_eq!(pixel(&plain, p), pixel(&named, p));
    }
    skeleton.joints.iter_mut().for_each(|j| j.name.clear());
    assert_eq!(draw(Some(&skeleton), &options), plain, "nothing to write");
}

#[test]
fn odd_skeletons_draw_without_a_panic() {
    let options = PictureOptions { labels: true, ..front() };
    let empty = draw(Some(&PosedSkeleton::default()), &options);
    let lost = bones(&[(Vec3::NAN, Vec3::INFINITY, RED)]);
    assert_eq!(draw(Some(&lost), &options), empty, "joints at no place are not drawn");
    let behind = bones(&[(Vec3::new(0.0, 0.0, 20.0), Vec3::new(1.0, 0.0, 30.0), RED)]);
    assert_eq!(draw(Some(&behind), &options), empty, "nor is what is behind the camera");
    let across = bones(&[(Vec3::ZERO, Vec3::new(0.0, 0.0, 30.0), RED)]);
    for odd in [across, bones(&[(Vec3::ONE, Vec3::ONE, RED)]), bones(&[(Vec3::ZERO, Vec3::splat(1e30), RED)])]
    {
        draw(Some(&odd), &options);
        let camera = Camera::default();
        draw(Some(&odd), &PictureOptions { camera, ground: true, ..options.clone() });
        draw(Some(&odd), &PictureOptions { width: 1, height: 1, ..options.clone() });
    }
}

#[test]
fn a_joint_on_nothing_is_refused() {
    let (mesh, positions) = body();
    let skeleton = PosedSkeleton { joints: vec![joint(Vec3::ZERO, Some(1), RED)] };
    let shot = Shot {
        mesh: &mesh,
        positions: &positions,
        triangles: None,
        coloring: Coloring::Plain,
        skeleton: Some(&skeleton),
        title: String::new(),
    };
    assert_eq!(render(&[shot], &front()), Err(PictureError::NoSuchJoint { shot: 0, joint: 0 }));
}

/// Two bones along X that meet at 2: the first moves the vertices at 0 and 2, the second those at 3 and 5.
/// In the second frame the second has turned upwards.
fn elbow() -> Rig {
    let turned = DAffine3::from_translation(2.0 * DVec3::X)
        * DAffine3::from_quat(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2))
        * DAffine3::from_translation(-2.0 * DVec3::X);
    let bone = |name: &str, x: f64| Bone { name: name.into(), center: x * DVec3::X, rigid: true, axes: None };
    let rig = Rig {
        mesh: Mesh::from_triangles(4, &[[0, 1, 2], [1, 2, 3]]),
        rest: [0.0, 2.0, 3.0, 5.0].map(|x| x * Vec3::X).to_vec(),
        weights: SkinWeights { per_vertex: 1, bones: vec![0, 0, 1, 1], weights: vec![1.0; 4] },
        bones: vec![bone("upper", 0.0), bone("lower", 2.0)],
        transforms: vec![DAffine3::IDENTITY, DAffine3::IDENTITY, DAffine3::IDENTITY, turned],
        skeleton: Some(Skeleton::new(vec![None, Some(0)])),
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    };
    rig.validate().unwrap();
    rig
}

#[test]
fn the_skeleton_of_a_rig_moves_with_its_bones() {
    let (rig, palette) = (elbow(), bone_palette(2));
    let near = |a: Vec3, b: Vec3| a.distance(b) < 1e-5;
    for (frame, end) in [(0, 4.0 * Vec3::X), (1, Vec3::new(2.0, 2.0, 0.0))] {
        let joints = PosedSkeleton::of_rig(&rig, frame, &palette).unwrap().joints;
        assert_eq!(joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["upper", "lower"]);
        assert_eq!(joints.iter().map(|j| j.parent).collect::<Vec<_>>(), [None, Some(0)]);
        assert_eq!(joints.iter().map(|j| j.color).collect::<Vec<_>>(), palette);
        assert!(near(joints[0].place, Vec3::ZERO) && near(joints[1].place, 2.0 * Vec3::X));
        // Only a joint without children needs a bone of its own, to the middle of what it moves.
        assert_eq!(joints[0].end, None);
        assert!(near(joints[1].end.unwrap(), end), "frame {frame}: {joints:?}");
    }
    assert_eq!(PosedSkeleton::of_rig(&Rig { skeleton: None, ..rig }, 0, &palette), None);
}
