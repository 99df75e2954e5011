//! Writing the motion of a rig with a skeleton.
//!
//! The root stands at the origin in the hierarchy, because readers differ in whether its offset is added to
//! its place, and each joint turns about z, x and y: R = Rz Rx Ry. Lengths are those of the rig. A leaf ends
//! as far behind the middle of what it moves as that is from the joint.
//!
//! Angles go on from frame to frame ([`EulerAngles::nearest`]), so that curves between frames make no
//! detours.

use std::fmt::Write;
use std::path::Path;

use glam::DVec3;
use sinew::animation::Clip;
use sinew::geometry::{Bounds, EulerAngles};
use sinew::rig::Rig;

use crate::scene::joints::JointTree;
use crate::scene::names::Names;
use crate::{Error, Result, Target, save_target};

/// Writes the motion of one clip of a rig with a skeleton of one root. Returns the number of bytes.
///
/// [`Rig::clips`] tells the clips.
pub fn write(path: &Path, rig: &Rig, clip: &Clip) -> Result<u64> {
    Ok(save_target(path, |to| put(to, rig, clip))?.0)
}

/// The same into any file.
pub(super) fn put(to: &mut Target, rig: &Rig, clip: &Clip) -> Result<()> {
    let text = to_text(rig, clip).map_err(|message| Error::unsupported(to.path(), message))?;
    to.write(|out| out.write_all(text.as_bytes()))
}

/// The same as text, or a sentence that says why it cannot be.
pub fn to_text(rig: &Rig, clip: &Clip) -> std::result::Result<String, String> {
    check(rig, clip)?;
    let tree = JointTree::new(rig)?.ok_or("the rig has no skeleton, and a BVH file holds nothing else")?;
    if let several @ 2.. = tree.skeleton.roots().count() {
        return Err(format!("the skeleton has {several} roots, and a BVH file holds one"));
    }
    let mut text = Hierarchy::new(rig, &tree).text();
    motion(rig, &tree, clip, &mut text);
    Ok(text)
}

fn check(rig: &Rig, clip: &Clip) -> std::result::Result<(), String> {
    rig.validate().map_err(|e| e.to_string())?;
    if !(clip.fps > 0.0 && clip.fps.is_finite()) {
        return Err(format!("the frame rate must be a positive number, not {}", clip.fps));
    }
    if clip.frames.is_empty() || clip.frames.end > rig.frame_count() {
        let frames = &clip.frames;
        return Err(format!("frames {} to {} are not those of the rig", frames.start, frames.end));
    }
    let finite = rig.bones.iter().all(|b| b.center.is_finite())
        && clip.frames.clone().all(|f| rig.frame_transforms(f).iter().all(|t| t.is_finite()));
    if finite { Ok(()) } else { Err("the rig holds numbers that are not finite".into()) }
}

/// The joints at rest, under construction.
struct Hierarchy<'a> {
    tree: &'a JointTree<'a>,
    names: Vec<String>,
    /// From each joint to the middle of what it moves.
    middles: Vec<Option<DVec3>>,
    /// A length for leaves that tell none.
    short: f64,
}

impl<'a> Hierarchy<'a> {
    fn new(rig: &Rig, tree: &'a JointTree<'a>) -> Self {
        let mut names = Names::default();
        let names = rig.bones.iter().enumerate().map(|(b, bone)| names.unique(safe(&bone.name, b))).collect();
        let middles =
            rig.bone_middles().into_iter().zip(&tree.places).map(|(m, p)| m.map(|m| m - *p)).collect();
        Self { tree, names, middles, short: 0.05 * Bounds::of(&rig.rest).diagonal() }
    }

    /// Joints one below the other, children after the joint they hang on. No recursion: a chain may be long.
    fn text(&self) -> String {
        let children = self.tree.skeleton.children();
        let mut text = String::from("HIERARCHY\n");
        let mut open: Vec<Step> = self.tree.skeleton.roots().map(|root| Step::Open(root, 0)).collect();
        while let Some(step) = open.pop() {
            match step {
                Step::Close(depth) => line(&mut text, depth, "}"),
                Step::Open(joint, depth) => {
                    self.joint(joint, depth, &mut text);
                    if children[joint].is_empty() {
                        self.end(joint, depth + 1, &mut text);
                    }
                    open.push(Step::Close(depth));
                    open.extend(children[joint].iter().rev().map(|&child| Step::Open(child, depth + 1)));
                }
            }
        }
        text
    }

    fn joint(&self, joint: usize, depth: usize, text: &mut String) {
        let root = self.tree.skeleton.parents[joint].is_none();
        let (word, offset, channels) = match root {
            true => ("ROOT", DVec3::ZERO, "6 Xposition Yposition Zposition"),
            false => ("JOINT", self.tree.offsets[joint], "3"),
        };
        line(text, depth, &format!("{word} {}", self.names[joint]));
        line(text, depth, "{");
        line(text, depth + 1, &format!("OFFSET {}", point(offset)));
        line(text, depth + 1, &format!("CHANNELS {channels} Zrotation Xrotation Yrotation"));
    }

    fn end(&self, joint: usize, depth: usize, text: &mut String) {
        line(text, depth, "End Site");
        line(text, depth, "{");
        line(text, depth + 1, &format!("OFFSET {}", point(self.end_of(joint))));
        line(text, depth, "}");
    }

    /// From a leaf to where it ends: beyond the middle of what it moves, or else half as far again in its
    /// parent's direction, or else a little upwards.
    fn end_of(&self, joint: usize) -> DVec3 {
        let onwards = self.tree.skeleton.parents[joint].map(|_| 0.5 * self.tree.offsets[joint]);
        let long = |v: &DVec3| v.length() > 1e-3 * self.short;
        let middle = self.middles[joint].map(|m| 2.0 * m).filter(long);
        middle.or(onwards.filter(long)).unwrap_or(DVec3::Y * self.short)
    }
}

enum Step {
    /// A joint at a depth.
    Open(usize, usize),
    /// The brace that closes it.
    Close(usize),
}

/// Lines further in than this are not moved in any further: a long chain would be all tabs.
const MOST_TABS: usize = 64;

fn line(text: &mut String, depth: usize, words: &str) {
    text.extend(std::iter::repeat_n('\t', depth.min(MOST_TABS)));
    text.push_str(words);
    text.push('\n');
}

fn point(p: DVec3) -> String {
    let [x, y, z] = p.as_vec3().to_array();
    format!("{x} {y} {z}")
}

/// A name without what separates words or blocks.
fn safe(name: &str, number: usize) -> String {
    let unsafe_in_names = |c: char| c.is_whitespace() || c.is_control() || c == '{' || c == '}';
    let name = name.trim().replace(unsafe_in_names, "_");
    if name.is_empty() { format!("joint_{number}") } else { name }
}

fn motion(rig: &Rig, tree: &JointTree, clip: &Clip, text: &mut String) {
    // Writing to text cannot fail.
    let _ = write!(text, "MOTION\nFrames: {}\nFrame Time: {}\n", clip.frames.len(), 1.0 / clip.fps);
    let order = depth_first(tree);
    let mut last = vec![EulerAngles::default(); rig.bones.len()];
    for frame in clip.frames.clone() {
        let pose = tree.pose(rig.frame_transforms(frame));
        for (place, &joint) in order.iter().enumerate() {
            if place == 0 {
                text.push_str(&point(pose.places[joint]));
            }
            let angles = EulerAngles::nearest(pose.turns[joint], last[joint]);
            let [z, x, y] = [angles.z, angles.x, angles.y].map(f64::to_degrees);
            let _ = write!(text, " {z:.6} {x:.6} {y:.6}");
            last[joint] = angles;
        }
        text.push('\n');
    }
}

/// Joints in the order of the hierarchy's lines.
fn depth_first(tree: &JointTree) -> Vec<usize> {
    let children = tree.skeleton.children();
    let mut open: Vec<usize> = tree.skeleton.roots().collect();
    let mut order = Vec::with_capacity(children.len());
    while let Some(joint) = open.pop() {
        order.push(joint);
        open.extend(children[joint].iter().rev());
    }
    order
}
