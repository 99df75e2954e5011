//! What hangs on a body or stands beside it and moves no vertex: sockets, empties, cameras, lights.
//!
//! The library computes nothing with nodes. It carries them along, so that what is read can be written: those that hang on
//! bones follow them, and where bones are replaced by others, they stay on the paths they had ([`freed`]). A joint that
//! moves no vertex is no node but a bone without weights.

use glam::{DAffine3, DMat3, DVec3};

/// Something that has a place and moves no vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Name in the file it came from.
    pub name: String,
    /// What it hangs on.
    pub parent: Parent,
    /// What it is.
    pub kind: NodeKind,
    /// Where it is, seen from what it hangs on.
    pub motion: NodeMotion,
}

/// What a node hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parent {
    /// Nothing.
    #[default]
    Scene,
    /// A bone of the rig: the node's place is one in the rest pose, and the bone carries it along as it does vertices.
    Bone(usize),
    /// An earlier node.
    Node(usize),
}

/// Where a node is, seen from what it hangs on.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeMotion {
    /// The same in all frames.
    Still(DAffine3),
    /// In every frame.
    Moving(Vec<DAffine3>),
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A socket, a locator, a null.
    Empty,
    /// An empty that held meshes or joints in its file. What it did to them is in their own motion now.
    Group,
    /// Looks along −z, with y up.
    Camera(Camera),
    /// Shines along −z.
    Light(Light),
}

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it shows.
    pub lens: Lens,
    /// Width over height of the picture, where that is given.
    pub aspect: Option<f64>,
    /// Nearest and farthest distance that is shown; there may be no farthest.
    pub near: f64,
    /// The farthest.
    pub far: Option<f64>,
}

/// What a camera shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// So wide an angle from bottom to top, in radians.
    Perspective(f64),
    /// So much from bottom to top, in the units of the scene.
    Orthographic(f64),
}

/// A light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// What shines.
    pub shape: LightShape,
    /// Linear red, green and blue.
    pub color: [f32; 3],
    /// Candela along the middle; of the sun lux.
    pub intensity: f64,
    /// How far it reaches, where that is given.
    pub range: Option<f64>,
}

/// What shines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightShape {
    /// A point, to all sides.
    Point,
    /// A sun, infinitely far away.
    Sun,
    /// A point, within a cone: half angles in radians where light begins to fade, and where there is none.
    Spot {
        /// Half angle of the cone of full light.
        inner: f64,
        /// Half angle of the cone of any light.
        outer: f64,
    },
    /// A rectangle, to one side.
    Area {
        /// Its length along x.
        width: f64,
        /// Its length along y.
        height: f64,
    },
}

/// Ways in which nodes can contradict themselves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeError {
    /// A node hangs on something that does not exist, or comes later.
    #[error("node {name} hangs on something that is not there")]
    NoParent {
        /// The node.
        name: String,
    },
    /// A node has places for more or fewer frames than there are.
    #[error("node {name} has {found} places for {expected} frames")]
    Frames {
        /// The node.
        name: String,
        /// Places found.
        found: usize,
        /// Frames there are.
        expected: usize,
    },
    /// A place that is not a finite number.
    #[error("node {name} has no finite place")]
    NotFinite {
        /// The node.
        name: String,
    },
}

impl NodeMotion {
    /// The place in a frame.
    pub fn at(&self, frame: usize) -> DAffine3 {
        match self {
            Self::Still(place) => *place,
            Self::Moving(places) => places[frame],
        }
    }

    /// All places that there are.
    pub fn places(&self) -> &[DAffine3] {
        match self {
            Self::Still(place) => std::slice::from_ref(place),
            Self::Moving(places) => places,
        }
    }

    /// Whether it is in one place in all frames.
    pub fn is_still(&self) -> bool {
        matches!(self, Self::Still(_))
    }

    /// These places, of all frames; still where all are the same to the bit.
    pub fn of(places: Vec<DAffine3>) -> Self {
        match places.first() {
            None => Self::Still(DAffine3::IDENTITY),
            Some(first) if places.iter().all(|place| place == first) => Self::Still(*first),
            Some(_) => Self::Moving(places),
        }
    }

    fn map(&self, change: impl Fn(&DAffine3) -> DAffine3) -> Self {
        match self {
            Self::Still(place) => Self::Still(change(place)),
            Self::Moving(places) => Self::Moving(places.iter().map(change).collect()),
        }
    }
}

/// Checks that nodes hang on so many bones and earlier nodes, and have places for so many frames.
///
/// # Errors
/// The first that does not.
pub fn validate(nodes: &[Node], bones: usize, frames: usize) -> Result<(), NodeError> {
    for (number, node) in nodes.iter().enumerate() {
        let name = || node.name.clone();
        let hangs = match node.parent {
            Parent::Scene => true,
            Parent::Bone(bone) => bone < bones,
            Parent::Node(other) => other < number,
        };
        if !hangs {
            return Err(NodeError::NoParent { name: name() });
        }
        if !node.motion.is_still() && node.motion.places().len() != frames {
            let found = node.motion.places().len();
            return Err(NodeError::Frames { name: name(), found, expected: frames });
        }
        if !node.motion.places().iter().all(DAffine3::is_finite) {
            return Err(NodeError::NotFinite { name: name() });
        }
    }
    Ok(())
}

/// Where all nodes are in the scene in one frame, given the transforms of all bones in it.
pub fn worlds(nodes: &[Node], frame: usize, bones: &[DAffine3]) -> Vec<DAffine3> {
    let mut worlds: Vec<DAffine3> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let own = node.motion.at(frame);
        worlds.push(match node.parent {
            Parent::Scene => own,
            Parent::Bone(bone) => bones[bone] * own,
            Parent::Node(other) => worlds[other] * own,
        });
    }
    worlds
}

/// The same nodes without the bones, whose transforms are given frame after frame: those that hang on one go where it
/// would carry them. Groups that move are left out, as they are not what moves the body any more; what hangs on them
/// stays on its path too.
pub fn freed(nodes: &[Node], transforms: &[DAffine3], bones: usize) -> Vec<Node> {
    if nodes.is_empty() {
        return Vec::new();
    }
    let frames = transforms.chunks_exact(bones.max(1)).enumerate();
    let worlds: Vec<Vec<DAffine3>> = frames.map(|(frame, of_bones)| worlds(nodes, frame, of_bones)).collect();
    let (mut moves, mut number) = (Vec::with_capacity(nodes.len()), Vec::with_capacity(nodes.len()));
    let mut kept: Vec<Node> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let is_carried = match node.parent {
            Parent::Scene => false,
            Parent::Bone(_) => true,
            Parent::Node(other) => moves[other],
        };
        moves.push(is_carried || !node.motion.is_still());
        if node.kind == NodeKind::Group && moves[index] {
            number.push(None);
            continue;
        }
        let parent = match node.parent {
            Parent::Node(other) => number[other].map(Parent::Node),
            Parent::Bone(_) => None,
            Parent::Scene => Some(Parent::Scene),
        };
        let path = || NodeMotion::of(worlds.iter().map(|of_frame| of_frame[index]).collect());
        let motion = if parent.is_some() { node.motion.clone() } else { path() };
        number.push(Some(kept.len()));
        kept.push(Node { parent: parent.unwrap_or_default(), motion, ..node.clone() });
    }
    kept
}

/// The same nodes in other frames: `frames` of those there were.
pub fn in_frames(nodes: &[Node], frames: &[usize]) -> Vec<Node> {
    let motion = |motion: &NodeMotion| match motion {
        NodeMotion::Still(place) => NodeMotion::Still(*place),
        NodeMotion::Moving(places) => NodeMotion::Moving(frames.iter().map(|&f| places[f]).collect()),
    };
    nodes.iter().map(|node| Node { motion: motion(&node.motion), ..node.clone() }).collect()
}

/// The same nodes for frames that are not those they moved in: each stays where it was in the first. How many moved.
pub fn at_rest(nodes: &[Node]) -> (Vec<Node>, usize) {
    let still = |node: &Node| {
        let place = node.motion.places().first().copied().unwrap_or_default();
        Node { motion: NodeMotion::Still(place), ..node.clone() }
    };
    (nodes.iter().map(still).collect(), nodes.iter().filter(|node| !node.motion.is_still()).count())
}

/// Nodes of several clips as those of all their frames one after another; each comes with its number of frames. Nodes are the
/// same where they have the same name and hang on the same; one that a clip does not have stays there where it is first
/// in another.
pub fn joined(clips: &[(&[Node], usize)]) -> Vec<Node> {
    let mut all: Vec<(Node, Vec<Option<usize>>)> = Vec::new();
    for (clip, (nodes, _)) in clips.iter().enumerate() {
        let mut number: Vec<usize> = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let parent = match node.parent {
                Parent::Node(other) => Parent::Node(number[other]),
                other => other,
            };
            let same = |(known, of): &(Node, Vec<Option<usize>>)| {
                known.name == node.name && known.parent == parent && of[clip].is_none()
            };
            let at = all.iter().position(same).unwrap_or_else(|| {
                all.push((Node { parent, ..node.clone() }, vec![None; clips.len()]));
                all.len() - 1
            });
            all[at].1[clip] = Some(index);
            number.push(at);
        }
    }
    let motion = |first: &NodeMotion, of: &[Option<usize>]| {
        let elsewhere = NodeMotion::Still(first.places().first().copied().unwrap_or_default());
        let in_clip = |(clip, (nodes, frames)): (usize, &(&[Node], usize))| {
            let motion = of[clip].map_or(&elsewhere, |index| &nodes[index].motion);
            (0..*frames).map(|frame| motion.at(frame)).collect::<Vec<_>>()
        };
        NodeMotion::of(clips.iter().enumerate().flat_map(in_clip).collect())
    };
    all.into_iter().map(|(node, of)| Node { motion: motion(&node.motion, &of), ..node }).collect()
}

/// The same nodes where everything is `scale` times as large and then turned. Their own size, which is that of what
/// may be put on them, stays.
pub fn placed(nodes: &[Node], scale: f64, turn: DMat3) -> Vec<Node> {
    let change = DAffine3::from_mat3(turn * scale);
    let back = DAffine3::from_scale(DVec3::splat(1.0 / scale));
    let place = |node: &Node, place: &DAffine3| match node.parent {
        Parent::Scene | Parent::Bone(_) => change * *place * back,
        Parent::Node(_) => DAffine3 { translation: place.translation * scale, ..*place },
    };
    let kind = |kind: &NodeKind| match kind {
        NodeKind::Camera(camera) => NodeKind::Camera(Camera {
            lens: match camera.lens {
                Lens::Orthographic(height) => Lens::Orthographic(height * scale),
                Lens::Perspective(angle) => Lens::Perspective(angle),
            },
            near: camera.near * scale,
            far: camera.far.map(|far| far * scale),
            ..*camera
        }),
        NodeKind::Light(light) => NodeKind::Light(Light {
            shape: match light.shape {
                LightShape::Area { width, height } => {
                    LightShape::Area { width: width * scale, height: height * scale }
                }
                other => other,
            },
            range: light.range.map(|range| range * scale),
            ..*light
        }),
        other => other.clone(),
    };
    let placed = |node: &Node| Node {
        motion: node.motion.map(|at| place(node, at)),
        kind: kind(&node.kind),
        ..node.clone()
    };
    nodes.iter().map(placed).collect()
}

/// Lets nodes hang on bones by other numbers, given the new number of each.
pub fn renumber_bones(nodes: &mut [Node], new: &[usize]) {
    for node in nodes {
        if let Parent::Bone(bone) = &mut node.parent {
            *bone = new[*bone];
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/nodes.rs"]
mod tests;
