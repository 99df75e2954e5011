//! Playing a rig: positions and normals against sums done one vertex at a time in double precision.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use proptest::prelude::*;
use sinew::geometry::{Bounds, Mesh, vertex_normals};
use sinew::rig::{Bone, Corrections, Player, Rig, SkinWeights, Skinner};

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    /// In -1 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// What a rig is made of.
#[derive(Clone, Copy, Debug)]
struct Recipe {
    vertices: usize,
    bones: usize,
    per_vertex: usize,
    rank: usize,
    /// Whether weights sum to one.
    whole: bool,
    seed: u64,
}

const FRAMES: usize = 3;

/// A strip of triangles with any weights, moved anyhow; the last frame mirrors it.
fn rig(recipe: Recipe, away: DVec3) -> Rig {
    let Recipe { vertices, bones, per_vertex, rank, whole, seed } = recipe;
    let mut numbers = Numbers(seed);
    let rest: Vec<Vec3> = (0..vertices).map(|_| (numbers.point() + away).as_vec3()).collect();
    let mut mesh = Mesh { vertex_count: vertices, ..Mesh::default() };
    for v in 2..vertices as u32 {
        mesh.push_face(&[v - 2, v - 1, v]);
    }
    let mut weights = SkinWeights { per_vertex, ..SkinWeights::default() };
    for _ in 0..vertices {
        let some: Vec<f64> = (0..per_vertex).map(|_| numbers.next().max(0.0)).collect();
        let sum = if whole { some.iter().sum::<f64>() } else { 1.0 };
        for (slot, w) in some.into_iter().enumerate() {
            // A vertex without any weight follows the first of its bones.
            let w = if sum > 0.0 { w / sum } else { f64::from(u8::from(slot == 0)) };
            weights.bones.push(((numbers.next().abs() * bones as f64) as u32).min(bones as u32 - 1));
            weights.weights.push(w as f32);
        }
    }
    let mut transforms = Vec::new();
    for frame in 0..FRAMES {
        for _ in 0..bones {
            let turn = DQuat::from_axis_angle(numbers.point().normalize(), 0.5 * numbers.next());
            let stretch = DVec3::ONE + 0.3 * numbers.point();
            let stretch = if frame + 1 == FRAMES { -stretch } else { stretch };
            let about = DAffine3::from_translation(away);
            let at = DAffine3::from_scale_rotation_translation(stretch, turn, numbers.point());
            transforms.push(about * at * about.inverse());
        }
    }
    let corrections = (rank > 0).then(|| Corrections {
        rank,
        basis: (0..rank * vertices).map(|_| 0.1 * numbers.point().as_vec3()).collect(),
        normals: (0..rank * vertices).map(|_| 0.1 * numbers.point().as_vec3()).collect(),
        coefficients: (0..rank * FRAMES).map(|_| numbers.next() as f32).collect(),
        names: Vec::new(),
    });
    let bone = |b: usize| Bone { name: b.to_string(), center: DVec3::ZERO, rigid: false, axes: None };
    let bones = (0..bones).map(bone).collect();
    Rig {
        mesh,
        rest,
        weights,
        bones,
        transforms,
        skeleton: None,
        corrections,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// Position and unit normal of one vertex, by the book.
fn by_the_book(rig: &Rig, normal: Vec3, frame: usize, vertex: usize) -> (DVec3, DVec3) {
    let (mut p, mut n) = (rig.rest[vertex].as_dvec3(), normal.as_dvec3());
    if let Some(c) = &rig.corrections {
        for shape in 0..c.rank {
            let q = f64::from(c.coefficients[frame * c.rank + shape]);
            p += q * c.basis[shape * rig.rest.len() + vertex].as_dvec3();
            n += q * c.normals[shape * rig.rest.len() + vertex].as_dvec3();
        }
    }
    let (bones, weights) = rig.weights.of(vertex);
    let (mut matrix, mut place) = (DMat3::ZERO, DVec3::ZERO);
    for (&bone, &w) in bones.iter().zip(weights) {
        let t = rig.frame_transforms(frame)[bone as usize];
        matrix += t.matrix3 * f64::from(w);
        place += t.transform_point3(p) * f64::from(w);
    }
    (place, (matrix.inverse().transpose() * n).normalize())
}

fn rest_normals(rig: &Rig) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; rig.rest.len()];
    vertex_normals(&rig.mesh.triangles(&rig.rest), &rig.rest, &mut normals);
    normals
}

/// Largest distance of positions, and of normals where the matrix says clearly how they turn.
fn farthest(rig: &Rig) -> (f64, f64) {
    let player = Player::with_normals(rig);
    let bare = Player::new(rig);
    let rest = rest_normals(rig);
    let n = rig.rest.len();
    let [mut pose, mut alone, mut normals] = [vec![Vec3::ZERO; n], vec![Vec3::ZERO; n], vec![Vec3::ZERO; n]];
    let mut worst = (0.0_f64, 0.0_f64);
    for frame in 0..rig.frame_count() {
        player.pose_and_normals_into(frame, &mut pose, &mut normals);
        bare.pose_into(frame, &mut alone);
        assert_eq!(pose, alone, "positions do not depend on normals");
        for vertex in 0..n {
            let (p, normal) = by_the_book(rig, rest[vertex], frame, vertex);
            worst.0 = worst.0.max(pose[vertex].as_dvec3().distance(p));
            let (bones, weights) = rig.weights.of(vertex);
            let blended = bones.iter().zip(weights).fold(DMat3::ZERO, |sum, (b, w)| {
                sum + rig.frame_transforms(frame)[*b as usize].matrix3 * f64::from(*w)
            });
            if blended.determinant().abs() > 0.05 {
                worst.1 = worst.1.max(normals[vertex].as_dvec3().distance(normal));
            }
        }
    }
    worst
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn positions_and_normals_are_the_sums_they_stand_for(
        vertices in 3_usize..100,
        bones in 1_usize..12,
        per_vertex in 1_usize..7,
        rank in 0_usize..4,
        whole in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let (off, turned) = farthest(&rig(Recipe { vertices, bones, per_vertex, rank, whole, seed }, DVec3::ZERO));
        prop_assert!(off < 5e-6, "positions off by {off}");
        prop_assert!(turned < 1e-4, "normals off by {turned}");
    }
}

const MANY: Recipe = Recipe { vertices: 5001, bones: 25, per_vertex: 4, rank: 2, whole: true, seed: 7 };

#[test]
fn a_kilometre_away_it_plays_as_exactly() {
    let rig = rig(MANY, DVec3::new(1e5, -3e4, 2e4));
    let away = f64::from(Bounds::of(&rig.rest).max.abs().max_element());
    let (off, _) = farthest(&rig);
    // A position there is rounded by half of this much on each axis when it is stored.
    assert!(off < away * f64::from(f32::EPSILON), "{off}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let rig = rig(MANY, DVec3::ZERO);
    let player = Player::with_normals(&rig);
    let play = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let [mut pose, mut normals] = [vec![Vec3::ZERO; MANY.vertices], vec![Vec3::ZERO; MANY.vertices]];
        pool.install(|| player.pose_and_normals_into(1, &mut pose, &mut normals));
        (pose, normals)
    };
    let once = play(1);
    assert_eq!(once, play(2));
    assert_eq!(once, play(5));
}

#[test]
fn bones_may_be_anywhere() {
    let rig = rig(Recipe { rank: 0, ..MANY }, DVec3::ZERO);
    let skinner = Skinner::new(&rig);
    let shift = DVec3::new(1.0, 2.0, 3.0);
    let mut pose = vec![Vec3::ZERO; MANY.vertices];
    skinner.pose_into(&vec![DAffine3::from_translation(shift); MANY.bones], &[], &mut pose);
    for (p, rest) in pose.iter().zip(&rig.rest) {
        assert!(p.as_dvec3().distance(rest.as_dvec3() + shift) < 1e-6);
    }
}

#[test]
fn no_vertices_are_no_trouble() {
    let none = Rig {
        mesh: Mesh { face_starts: vec![0], ..Mesh::default() },
        rest: Vec::new(),
        weights: SkinWeights { per_vertex: 4, ..SkinWeights::default() },
        corrections: None,
        ..rig(Recipe { vertices: 3, rank: 0, ..MANY }, DVec3::ZERO)
    };
    Player::with_normals(&none).pose_and_normals_into(0, &mut [], &mut []);
}
