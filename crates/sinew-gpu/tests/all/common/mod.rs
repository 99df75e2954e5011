//! What tests share: a GPU, and rigs that use everything a rig can have.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use sinew::geometry::{Material, Mesh};
use sinew::rig::{Bone, Corrections, Rig, SkinWeights};
use sinew_gpu::{
    Camera, Gpu, GpuError, Herd, HerdOptions, Member, Model, Pixels, RenderOptions, Renderer, Route, Scene,
    Vertices, Viewpoint,
};

/// A GPU, or nothing, and a note, where there is none. Whoever names a driver wants it used.
pub fn gpu() -> Option<Gpu> {
    match Gpu::open(None) {
        Ok(gpu) => Some(gpu),
        Err(GpuError::NoAdapter) if std::env::var_os("VK_ICD_FILENAMES").is_none() => {
            println!("note: not tested, as there is no GPU");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Numbers that look random, between 0 and 1.
pub struct Random(pub u32);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 24)
    }

    pub fn vector(&mut self) -> DVec3 {
        2.0 * DVec3::new(self.unit(), self.unit(), self.unit()) - 1.0
    }
}

/// A ball of `rings` rings, stretched along Z, with a nose that shows where it looks.
pub fn ball(rings: u32) -> (Mesh, Vec<Vec3>) {
    let around = 2 * rings;
    let mut points = Vec::new();
    for ring in 0..=rings {
        for step in 0..around {
            let down = std::f32::consts::PI * ring as f32 / rings as f32;
            let turn = std::f32::consts::TAU * step as f32 / around as f32;
            let p = Vec3::new(down.sin() * turn.sin(), down.cos(), down.sin() * turn.cos());
            let nose = 1.0 + 0.5 * p.z.max(0.0).powi(8);
            points.push(p * Vec3::new(0.4, 0.5, nose));
        }
    }
    let at = |ring: u32, step: u32| ring * around + step % around;
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for step in 0..around {
            let [a, b] = [at(ring, step), at(ring, step + 1)];
            let [c, d] = [at(ring + 1, step), at(ring + 1, step + 1)];
            if ring + 1 < rings {
                triangles.push([a, c, d]);
            }
            if ring > 0 {
                triangles.push([a, d, b]);
            }
        }
    }
    (Mesh::from_triangles(points.len(), &triangles), points)
}

/// A rig whose bones turn, stretch and shear, with eight influences and correction shapes, far from the origin.
pub fn wild_rig() -> Rig {
    let mut random = Random(7);
    let (mesh, rest) = ball(12);
    let far = Vec3::new(300.0, -40.0, 120.0);
    let rest: Vec<Vec3> = rest.iter().map(|p| *p + far).collect();
    let (n, bones, frames, rank) = (rest.len(), 11, 6, 5);
    let mut weights = SkinWeights { per_vertex: 8, ..SkinWeights::default() };
    for vertex in 0..n {
        let used = 1 + vertex % 8;
        let mut of_vertex: Vec<f64> = (0..used).map(|_| random.unit() + 0.05).collect();
        let sum: f64 = of_vertex.iter().sum();
        of_vertex.sort_by(|a, b| b.total_cmp(a));
        of_vertex.resize(8, 0.0);
        weights.weights.extend(of_vertex.iter().map(|w| (w / sum) as f32));
        let first = (random.unit() * 11.0) as u32;
        weights.bones.extend((0..8).map(|i| if i < used as u32 { (first + i) % 11 } else { 0 }));
    }
    let center = far.as_dvec3();
    let transform = |random: &mut Random| {
        let turn = DMat3::from_axis_angle(random.vector().normalize(), 0.7 * random.unit());
        let shear = DMat3::from_cols(random.vector(), random.vector(), random.vector()) * 0.15;
        let matrix = turn * (DMat3::IDENTITY + shear);
        let shift = 0.2 * random.vector() + center - matrix * center;
        DAffine3 { matrix3: matrix, translation: shift }
    };
    let corrections = Corrections {
        rank,
        basis: (0..rank * n).map(|_| (0.05 * random.vector()).as_vec3()).collect(),
        normals: (0..rank * n).map(|_| (0.1 * random.vector()).as_vec3()).collect(),
        coefficients: (0..rank * frames).map(|_| (2.0 * random.unit() - 1.0) as f32).collect(),
        names: Vec::new(),
    };
    Rig {
        mesh,
        rest,
        weights,
        bones: (0..bones).map(|b| Bone { name: format!("b{b}"), center, rigid: false, axes: None }).collect(),
        transforms: (0..bones * frames).map(|_| transform(&mut random)).collect(),
        skeleton: None,
        corrections: Some(corrections),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// A ball of one colour that sways, on two bones.
pub fn swaying_rig(rings: u32, color: [f32; 4]) -> Rig {
    let (mut mesh, rest) = ball(rings);
    mesh.face_materials = vec![0; mesh.face_count()];
    mesh.materials = vec![Material { base_color: color, ..Material::default() }];
    let front = |p: &Vec3| 0.5 + 0.5 * p.z.clamp(-1.0, 1.0);
    let frames = 8;
    let transforms = (0..frames).flat_map(|frame| {
        let angle = 0.5 * (std::f64::consts::TAU * frame as f64 / frames as f64).sin();
        [0.0, angle].map(DAffine3::from_rotation_y)
    });
    let bone = |name: &str| Bone { name: name.into(), center: DVec3::ZERO, rigid: true, axes: None };
    Rig {
        weights: SkinWeights {
            per_vertex: 2,
            bones: rest.iter().flat_map(|p| if front(p) >= 0.5 { [1, 0] } else { [0, 1] }).collect(),
            weights: (rest.iter().map(front))
                .flat_map(|w| if w >= 0.5 { [w, 1.0 - w] } else { [1.0 - w, w] })
                .collect(),
        },
        mesh,
        rest,
        bones: vec![bone("back"), bone("front")],
        transforms: transforms.collect(),
        skeleton: None,
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// A herd of one that stands where its model does, at a frame.
pub fn alone(model: &Model, frame: f32) -> Herd {
    let mut herd =
        Herd::scatter(std::slice::from_ref(model), &HerdOptions { count: 1, ..HerdOptions::default() });
    herd.members[0] = Member { turn: 0.0, scale: 1.0, first_frame: frame, rate: 1.0, ..herd.members[0] };
    herd
}

/// Vertices of a model on the GPU, at a time counted in frames.
pub fn on_gpu(gpu: &Gpu, model: &Model, time: f32) -> Vertices {
    let scene = Scene::new(gpu, vec![model.clone()], alone(model, time)).unwrap();
    let options = RenderOptions { size: [64, 64], ..RenderOptions::default() };
    let renderer = Renderer::new(gpu, scene, options).unwrap();
    let view = Viewpoint { around: 20.0, above: 20.0, away: 4.0 };
    renderer.picture(&Camera::around(renderer.scene().herd(), view), 0.0).unwrap();
    renderer.vertices_of(0).unwrap()
}

pub fn options(size: [u32; 2], route: Route) -> RenderOptions {
    RenderOptions { size, route: Some(route), ..RenderOptions::default() }
}

/// All ways of drawing that this GPU has.
pub fn routes(gpu: &Gpu, model: &Model) -> Vec<Route> {
    let possible = |route: &Route| {
        let scene = Scene::new(gpu, vec![model.clone()], alone(model, 0.0)).unwrap();
        match Renderer::new(gpu, scene, options([16, 16], *route)) {
            Ok(_) => true,
            Err(GpuError::NoCompute { .. }) => false,
            Err(error) => panic!("{error}"),
        }
    };
    [Route::Draw, Route::Compute].into_iter().filter(possible).collect()
}

/// Share of pixels of two pictures that differ by more than an eye would see.
pub fn differing(a: &Pixels, b: &Pixels) -> f64 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let differ = |(p, q): &(&[u8; 4], &[u8; 4])| p.iter().zip(*q).any(|(x, y)| x.abs_diff(*y) > 24);
    a.pixels.iter().zip(&b.pixels).filter(differ).count() as f64 / a.pixels.len() as f64
}
