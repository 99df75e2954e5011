//! A character on its way into poses.

use std::sync::{Arc, Mutex, PoisonError};

use glam::{DVec3, Vec3};
use serde::Serialize;
use sinew::animation::Frames;
use sinew::deform::anchors::{AnchorCount, AnchorOptions};
use sinew::deform::{DeformOptions, Deformer, Example, Handles, Pose};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::deform_file::{Examples, Setup};

use crate::session::Refusal;

/// Stands for no joint.
pub const NONE: u32 = u32::MAX;

/// A character that is posed. Cheap to copy, so that whole states can be taken back.
#[derive(Clone)]
pub(in crate::session) struct Deforming {
    /// The version that shows it.
    pub version: u32,
    /// Mesh, rest pose, skeleton.
    pub rig: Arc<Rig>,
    /// The joint of each vertex, or none.
    pub joint_of: Arc<Vec<u32>>,
    pub painted: bool,
    pub examples: Vec<(String, Arc<Example>)>,
    /// Percent of the triangles that keep what examples add; all without.
    pub anchors: Option<f64>,
    /// How it is set up besides.
    pub options: DeformOptions,
    /// Turns of the joints, in degrees.
    pub pose: Arc<Vec<[f64; 3]>>,
    /// The shape as it was sculpted in this pose, if it was.
    pub sculpted: Option<Arc<Vec<Vec3>>>,
    /// The shape that is shown.
    pub shown: Arc<Frames>,
    /// What poses it; made when it is first needed.
    pub deformer: Arc<Mutex<Option<Arc<Deformer>>>>,
}

/// What all tabs know of it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Deform"))]
pub struct DeformState<'a> {
    /// The version that shows it.
    version: u32,
    joints: Vec<JointState<'a>>,
    painted: bool,
    examples: Vec<&'a str>,
    anchors: Option<f64>,
    bytes: Option<usize>,
    /// For every joint an axis times degrees, against its parent.
    pose: &'a [[f64; 3]],
    /// Whether the shape was sculpted over its pose.
    sculpted: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "DeformJoint"))]
struct JointState<'a> {
    name: &'a str,
    parent: Option<usize>,
    /// In the rest pose.
    place: [f64; 3],
}

impl Deforming {
    /// What all tabs know.
    pub fn state(&self) -> DeformState<'_> {
        let parent = |joint: usize| self.rig.skeleton.as_ref().and_then(|s| s.parents[joint]);
        let joint = |(number, bone): (usize, &'_ sinew::rig::Bone)| (parent(number), bone.center.to_array());
        let joints = self.rig.bones.iter().enumerate().map(|(number, bone)| {
            let (parent, place) = joint((number, bone));
            JointState { name: &bone.name, parent, place }
        });
        DeformState {
            version: self.version,
            joints: joints.collect(),
            painted: self.painted,
            examples: self.examples.iter().map(|(name, _)| name.as_str()).collect(),
            anchors: self.anchors,
            bytes: self.made().map(|deformer| deformer.example_bytes()),
            pose: &self.pose,
            sculpted: self.sculpted.is_some(),
        }
    }

    /// Memory that remembering it takes, about.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.joint_of[..])
            + self.examples.iter().map(|(_, e)| 12 * e.positions.len()).sum::<usize>()
    }

    /// The character as files hold it.
    pub fn setup(&self) -> Result<Setup, Refusal> {
        let mut lists: Vec<Option<Vec<u32>>> = vec![None; self.rig.bones.len()];
        for (vertex, &joint) in self.joint_of.iter().enumerate().filter(|(_, joint)| **joint != NONE) {
            lists[joint as usize].get_or_insert_default().push(vertex as u32);
        }
        let anchors = self.anchors.filter(|_| !self.examples.is_empty());
        let anchors = anchors.map(|percent| AnchorOptions {
            count: AnchorCount::Percent(percent),
            ..AnchorOptions::default()
        });
        let examples = self.examples.iter().map(|(name, example)| (name.clone(), (**example).clone()));
        Ok(Setup {
            rig: (*self.rig).clone(),
            handles: Handles::from_lists(self.joint_of.len(), &lists)?,
            examples: Examples::Shapes(examples.collect()),
            options: DeformOptions { anchors, ..self.options.clone() },
            metres_per_unit: None,
        })
    }

    pub fn made(&self) -> Option<Arc<Deformer>> {
        self.deformer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What poses the character. Takes long when it is made; nobody waits for it who only looks.
    pub fn deformer(&self, progress: &dyn Progress) -> Result<Arc<Deformer>, Refusal> {
        if let Some(deformer) = self.made() {
            return Ok(deformer);
        }
        let deformer = Arc::new(self.setup()?.deformer(progress)?);
        *self.deformer.lock().unwrap_or_else(PoisonError::into_inner) = Some(deformer.clone());
        Ok(deformer)
    }

    /// The same with something changed that it is posed by.
    pub fn changed(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut other = Self { deformer: Arc::default(), sculpted: None, ..self.clone() };
        change(&mut other);
        other
    }

    /// The pose of the joints.
    pub fn joint_pose(&self) -> Pose {
        let skeleton = self.rig.skeleton.clone().unwrap_or_default();
        let mut pose = Pose::rest(&skeleton, &self.rig.joint_places());
        for (turn, degrees) in pose.turns.iter_mut().zip(self.pose.iter()) {
            *turn = DVec3::from(*degrees).map(f64::to_radians);
        }
        pose
    }

    /// The shape in its pose.
    pub fn shape(&self, progress: &dyn Progress) -> Result<Vec<Vec3>, Refusal> {
        match &self.sculpted {
            Some(sculpted) => Ok((**sculpted).clone()),
            None => Ok(self.deformer(progress)?.pose(&self.joint_pose())),
        }
    }
}

/// A shape as the only frame.
pub(super) fn frames_of(shape: &[Vec3]) -> Arc<Frames> {
    Arc::new(Frames::from_poses(&[shape.to_vec()]))
}
