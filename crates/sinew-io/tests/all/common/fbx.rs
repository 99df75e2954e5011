//! FBX files of text, as other programs write them.

use std::fmt::Write;
use std::path::Path;

use glam::{DAffine3, DMat4, Vec3};
use sinew_io::formats::fbx::{Animation, Fbx, parse_alone};
use sinew_io::scene::SampleOptions;

/// Ticks of a frame, of which there are 24 a second.
const FRAME: f64 = 46_186_158_000.0 / 24.0;

/// A file under construction.
#[derive(Default)]
pub struct Scene {
    /// The program that wrote it.
    pub program: String,
    /// The exporter that wrote it.
    pub creator: String,
    /// Layers that were made, for whoever adds to them.
    pub animations: Vec<i64>,
    objects: String,
    connections: String,
    last: i64,
}

/// A property of three numbers.
pub type Property<'a> = (&'a str, [f64; 3]);

impl Scene {
    pub fn of(program: &str) -> Self {
        Self {
            program: program.into(),
            creator: "FBX SDK/FBX Plugins version 2020.3".into(),
            ..Self::default()
        }
    }

    /// Adds an object and returns its number.
    pub fn object(&mut self, list: &str, class: &str, name: &str, kind: &str, body: &str) -> i64 {
        self.last += 1;
        let id = self.last;
        writeln!(self.objects, "\t{list}: {id}, \"{class}::{name}\", \"{kind}\" {{\n{body}\n\t}}").unwrap();
        id
    }

    pub fn connect(&mut self, child: i64, parent: i64) {
        writeln!(self.connections, "\tC: \"OO\",{child},{parent}").unwrap();
    }

    fn drive(&mut self, child: i64, parent: i64, property: &str) {
        writeln!(self.connections, "\tC: \"OP\",{child},{parent}, \"{property}\"").unwrap();
    }

    /// A node; 0 is the root.
    pub fn node(&mut self, name: &str, kind: &str, parent: i64, properties: &[Property]) -> i64 {
        let mut body = String::from("\t\tVersion: 232\n\t\tProperties70:  {\n");
        for (name, [x, y, z]) in properties {
            writeln!(body, "\t\t\tP: \"{name}\", \"{name}\", \"\", \"A\",{x},{y},{z}").unwrap();
        }
        let id = self.object("Model", "Model", name, kind, &(body + "\t\t}"));
        self.connect(id, parent);
        id
    }

    /// A joint.
    pub fn joint(&mut self, name: &str, parent: i64, place: [f64; 3]) -> i64 {
        self.node(name, "LimbNode", parent, &[("Lcl Translation", place)])
    }

    /// A strip of squares along x, one unit each, as the mesh of a node.
    pub fn strip(&mut self, node: i64, squares: usize) -> i64 {
        let points: Vec<[f64; 3]> =
            (0..=squares).flat_map(|x| [[x as f64, 0.0, 0.0], [x as f64, 1.0, 0.0]]).collect();
        let face = |i: usize| [2 * i as i64, 2 * i as i64 + 2, 2 * i as i64 + 3, -2 * (i as i64) - 2];
        let faces: Vec<i64> = (0..squares).flat_map(face).collect();
        let body = array("Vertices", points.as_flattened()) + &array("PolygonVertexIndex", &faces);
        let id = self.object("Geometry", "Geometry", "", "Mesh", &body);
        self.connect(id, node);
        id
    }

    /// A skin of this kind: "Linear", "DualQuaternion", "Blend".
    pub fn skin(&mut self, geometry: i64, kind: &str, more: &str) -> i64 {
        let body = format!("\t\tVersion: 101\n\t\tSkinningType: \"{kind}\"\n{more}");
        let id = self.object("Deformer", "Deformer", "", "Skin", &body);
        self.connect(id, geometry);
        id
    }

    /// Vertices that a joint moves, with weights; where the joint was and where the mesh was when they were bound.
    pub fn cluster(
        &mut self,
        skin: i64,
        joint: i64,
        weights: &[(i64, f64)],
        joint_was: DAffine3,
        mesh_was: DAffine3,
    ) {
        let (vertices, weights): (Vec<i64>, Vec<f64>) = weights.iter().copied().unzip();
        let body = array("Indexes", &vertices)
            + &array("Weights", &weights)
            + &matrix("Transform", joint_was.inverse() * mesh_was)
            + &matrix("TransformLink", joint_was);
        let id = self.object("Deformer", "SubDeformer", "", "Cluster", &body);
        self.connect(id, skin);
        self.connect(joint, id);
    }

    /// Where nodes were when meshes were bound.
    pub fn bind_pose(&mut self, places: &[(i64, DAffine3)]) {
        let mut body =
            format!("\t\tType: \"BindPose\"\n\t\tVersion: 100\n\t\tNbPoseNodes: {}\n", places.len());
        for (node, place) in places {
            let place = matrix("Matrix", *place);
            writeln!(body, "\t\tPoseNode:  {{\n\t\t\tNode: {node}\n{place}\t\t}}").unwrap();
        }
        self.object("Pose", "Pose", "", "BindPose", &body);
    }

    /// A shape that moves vertices of a mesh: its channel, which has these numbers as full weights.
    pub fn shape(&mut self, geometry: i64, moves: &[(i64, [f64; 3])], full_weights: &[f64]) -> i64 {
        let blend = self.object("Deformer", "Deformer", "", "BlendShape", "\t\tVersion: 100");
        let body =
            String::from("\t\tVersion: 100\n\t\tDeformPercent: 0\n") + &array("FullWeights", full_weights);
        let channel = self.object("Deformer", "SubDeformer", "shape", "BlendShapeChannel", &body);
        let (vertices, offsets): (Vec<i64>, Vec<[f64; 3]>) = moves.iter().copied().unzip();
        let body = array("Indexes", &vertices) + &array("Vertices", offsets.as_flattened());
        let shape = self.object("Geometry", "Geometry", "shape", "Shape", &body);
        self.connect(blend, geometry);
        self.connect(channel, blend);
        self.connect(shape, channel);
        channel
    }

    /// An animation stack, with its first and last frame where it tells them.
    pub fn stack(&mut self, name: &str, frames: Option<(f64, f64)>) -> i64 {
        let span = frames.map_or(String::new(), |(first, last)| {
            let time = |name: &str, frame: f64| {
                format!("\t\t\tP: \"{name}\", \"KTime\", \"Time\", \"\",{}\n", (frame * FRAME) as i64)
            };
            time("LocalStart", first) + &time("LocalStop", last)
        });
        self.object("AnimationStack", "AnimStack", name, "", &format!("\t\tProperties70:  {{\n{span}\t\t}}"))
    }

    /// A layer of a stack, with properties such as `("Mute", 1.0)`.
    pub fn layer(&mut self, stack: i64, properties: &[(&str, f64)]) -> i64 {
        let number =
            |(name, value): &(&str, f64)| format!("\t\t\tP: \"{name}\", \"Number\", \"\", \"A\",{value}\n");
        let body: String = properties.iter().map(number).collect();
        let id = self.object(
            "AnimationLayer",
            "AnimLayer",
            "",
            "",
            &format!("\t\tProperties70:  {{\n{body}\t\t}}"),
        );
        self.connect(id, stack);
        id
    }

    /// Straight curves of a property of three numbers: frames and values.
    pub fn animate(&mut self, layer: i64, object: i64, property: &str, keys: &[(f64, [f64; 3])]) {
        let start = ["d|X", "d|Y", "d|Z"].into_iter().zip(keys[0].1).collect::<Vec<_>>();
        let node = self.curve_node(layer, object, property, &start);
        for (axis, (label, _)) in start.iter().enumerate() {
            self.curve(node, label, keys.iter().map(|(frame, value)| (*frame, value[axis])));
        }
    }

    /// A straight curve of a property of one number.
    pub fn animate_one(&mut self, layer: i64, object: i64, property: &str, keys: &[(f64, f64)]) {
        let label = format!("d|{property}");
        let node = self.curve_node(layer, object, property, &[(&label, keys[0].1)]);
        self.curve(node, &label, keys.iter().copied());
    }

    fn curve_node(&mut self, layer: i64, object: i64, property: &str, start: &[(&str, f64)]) -> i64 {
        let number =
            |(name, value): &(&str, f64)| format!("\t\t\tP: \"{name}\", \"Number\", \"\", \"A\",{value}\n");
        let body: String = start.iter().map(number).collect();
        let body = format!("\t\tProperties70:  {{\n{body}\t\t}}");
        let id = self.object("AnimationCurveNode", "AnimCurveNode", "", "", &body);
        self.connect(id, layer);
        self.drive(id, object, property);
        id
    }

    fn curve(&mut self, node: i64, label: &str, keys: impl Iterator<Item = (f64, f64)>) {
        let (times, values): (Vec<i64>, Vec<f64>) = keys.map(|(f, v)| ((f * FRAME) as i64, v)).unzip();
        let linear = 1 << 2 | 1 << 8;
        let body = String::from("\t\tDefault: 0\n\t\tKeyVer: 4009\n")
            + &array("KeyTime", &times)
            + &array("KeyValueFloat", &values)
            + &array("KeyAttrFlags", &[linear])
            + &array("KeyAttrDataFloat", &[0; 4])
            + &array("KeyAttrRefCount", &[times.len()]);
        let id = self.object("AnimationCurve", "AnimCurve", "", "", &body);
        self.drive(id, node, label);
    }

    pub fn text(&self) -> String {
        let Self { program, creator, objects, connections, .. } = self;
        format!(
            "; FBX 7.5.0 project file\nFBXHeaderExtension:  {{\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7500\n\
             \tCreator: \"{creator}\"\n\tSceneInfo: \"SceneInfo::GlobalInfo\", \"UserData\" {{\n\
             \t\tProperties70:  {{\n\
             \t\t\tP: \"Original|ApplicationName\", \"KString\", \"\", \"\", \"{program}\"\n\
             \t\t\tP: \"LastSaved|ApplicationName\", \"KString\", \"\", \"\", \"{program}\"\n\t\t}}\n\t}}\n}}\n\
             Creator: \"{creator}\"\n\
             GlobalSettings:  {{\n\tVersion: 1000\n\tProperties70:  {{\n\
             \t\tP: \"TimeMode\", \"enum\", \"\", \"\",11\n\t}}\n}}\n\
             Objects:  {{\n{objects}}}\nConnections:  {{\n{connections}}}\n"
        )
    }

    pub fn open(&self) -> Fbx {
        parse_alone(self.text().as_bytes(), Path::new("a.fbx")).unwrap()
    }

    /// The poses of all clips.
    pub fn played(&self) -> Animation {
        self.open().animation(&all_clips()).unwrap()
    }

    /// The poses of all clips, all of their vertices.
    pub fn poses(&self) -> Vec<Vec<Vec3>> {
        poses(&self.played())
    }

    /// What ufbx itself shows in a frame, object after object.
    pub fn shown_by_ufbx(&self, frame: f64) -> Vec<Vec3> {
        let scene = ufbx::load_memory(self.text().as_bytes(), Default::default()).unwrap();
        let options = ufbx::EvaluateOpts { evaluate_skinning: true, ..Default::default() };
        let shown = ufbx::evaluate_scene(&scene, &scene.anim, frame / 24.0, options).unwrap();
        let point = |p: &ufbx::Vec3| Vec3::new(p.x as f32, p.y as f32, p.z as f32);
        shown.meshes.as_ref().iter().flat_map(|m| m.skinned_position.values.iter().map(point)).collect()
    }
}

pub fn all_clips() -> SampleOptions {
    SampleOptions { clips: vec!["all".into()], ..Default::default() }
}

/// All frames of an animation.
pub fn poses(animation: &Animation) -> Vec<Vec<Vec3>> {
    let pose = |frame| {
        let mut pose = vec![Vec3::ZERO; animation.rest().len()];
        animation.pose_into(frame, &mut pose).unwrap();
        pose
    };
    (0..animation.frame_count()).map(pose).collect()
}

/// The largest distance between two poses.
pub fn apart(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// A node with a list of numbers.
pub fn array<T: std::fmt::Display>(name: &str, values: &[T]) -> String {
    let all: Vec<String> = values.iter().map(|v| v.to_string()).collect();
    format!("\t\t{name}: *{} {{\n\t\t\ta: {}\n\t\t}}\n", values.len(), all.join(","))
}

fn matrix(name: &str, transform: DAffine3) -> String {
    array(name, &DMat4::from(transform).to_cols_array())
}
