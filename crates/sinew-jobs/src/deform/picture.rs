//! Shapes of one pose side by side, and what they make of its sharpest bend.

use glam::{DVec3, Vec3};
use sinew::deform::Pose;
use sinew::rig::Skeleton;
use sinew_io::deform_file::Setup;
use sinew_picture::{Camera, Coloring, Image, PictureOptions, Shot, UpAxis, render};

use super::measures::Measures;
use crate::error::Outcome;

/// Where to look from.
pub(super) struct View {
    /// Degrees around and above; none: at the whole from aside, at the bend across its plane.
    pub angles: Option<(f32, f32)>,
    pub up: UpAxis,
}

/// A joint that turns further than this, in radians, makes a bend.
pub(super) const BENDS: f64 = 0.1;

/// How far around a joint is looked at, in lengths of the bone that it turns.
const REACH: f64 = 1.1;

/// The joint that turns most.
struct Bend {
    joint: usize,
    /// Across the plane in which it bends, in the pose.
    across: DVec3,
    degrees: f64,
}

/// Named shapes of a pose as a whole, and below each the sharpest of its bends from nearby; above each what is lost of
/// what is told there: all bends, whose triangles are `region`, or the one that is drawn.
pub(super) fn sheet(
    setup: &Setup,
    pose: &Pose,
    region: &[[u32; 3]],
    shapes: &[(&[Vec3], &str)],
    view: &View,
) -> Outcome<Image> {
    let mut options = PictureOptions { width: 900, height: 700, up: view.up, ..PictureOptions::default() };
    options.camera = view.angles.map_or(options.camera, camera);
    let row = |triangles: Option<&[[u32; 3]]>, what: &str, options: &PictureOptions| {
        let mut shots = Vec::new();
        for (positions, name) in shapes {
            let (mesh, coloring) = (&setup.rig.mesh, Coloring::Plain);
            let lost = Measures::of(triangles.unwrap_or(region), &setup.rig.rest, positions).in_words();
            let title = format!("{name}, {what}: {lost}");
            shots.push(Shot { mesh, positions, triangles, coloring, skeleton: None, title });
        }
        render(&shots, options)
    };
    let mut image = row(None, "around all bends", &options)?;
    if let Some(bend) = Bend::sharpest(setup, pose) {
        options.ground = false;
        options.camera = camera(view.angles.unwrap_or_else(|| bend.aside(view.up)));
        let what = format!("{} by {:.0} degrees", setup.rig.bones[bend.joint].name, bend.degrees);
        let near = row(Some(&bend.around(setup, region)), &what, &options)?;
        image.height += near.height;
        image.pixels.extend(near.pixels);
    }
    Ok(image)
}

fn camera((azimuth, elevation): (f32, f32)) -> Camera {
    Camera::Orbit { azimuth, elevation, field_of_view: 24.0 }
}

impl Bend {
    /// The one joint with a parent that turns most, if any turns so far that it makes a bend.
    fn sharpest(setup: &Setup, pose: &Pose) -> Option<Self> {
        let skeleton = setup.skeleton();
        let hangs = (0..skeleton.len()).filter(|&joint| skeleton.parents[joint].is_some());
        let joint = hangs.max_by(|&a, &b| pose.turns[a].length().total_cmp(&pose.turns[b].length()))?;
        let (turn, parent) = (pose.turns[joint], skeleton.parents[joint]?);
        let joints = setup.joints();
        let transforms = pose.transforms(&skeleton, &joints);
        let place = |joint: usize| transforms[joint].transform_point3(joints[joint]);
        // The plane of the bones before and behind it, or of the turn where they are in line.
        let behind = next(&skeleton, joint).map_or(DVec3::ZERO, |child| place(child) - place(joint));
        let before = place(joint) - place(parent);
        let across = before.cross(behind);
        let straight = across.length() < 0.1 * before.length() * behind.length() || across == DVec3::ZERO;
        let across = if straight { transforms[parent].matrix3 * turn } else { across };
        let bends = turn.length() > BENDS;
        Some(Self { joint, across: across.try_normalize()?, degrees: turn.length().to_degrees() })
            .filter(|_| bends)
    }

    /// The triangles of a region that are near the joint; all where none is.
    fn around(&self, setup: &Setup, region: &[[u32; 3]]) -> Vec<[u32; 3]> {
        let (skeleton, joints) = (setup.skeleton(), setup.joints());
        let end = next(&skeleton, self.joint).or(skeleton.parents[self.joint]).unwrap_or(self.joint);
        let (middle, far) = (joints[self.joint], REACH * joints[self.joint].distance(joints[end]));
        let near = |v: u32| setup.rig.rest[v as usize].as_dvec3().distance(middle) < far;
        let some: Vec<[u32; 3]> = region.iter().filter(|t| t.iter().all(|&v| near(v))).copied().collect();
        if some.is_empty() { region.to_vec() } else { some }
    }

    /// Azimuth and elevation of a camera that looks across the plane of the bend, rather from above than from below.
    fn aside(&self, up: UpAxis) -> (f32, f32) {
        let upright = match up {
            UpAxis::Y => self.across,
            UpAxis::Z => DVec3::new(self.across.x, self.across.z, -self.across.y),
        };
        let from = if upright.y < 0.0 { -upright } else { upright };
        let elevation = from.y.clamp(-1.0, 1.0).asin().to_degrees();
        (from.x.atan2(from.z).to_degrees() as f32, elevation.min(80.0) as f32)
    }
}

/// The first joint that hangs on one.
fn next(skeleton: &Skeleton, joint: usize) -> Option<usize> {
    skeleton.parents.iter().position(|parent| *parent == Some(joint))
}
