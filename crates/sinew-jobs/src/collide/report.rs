//! What there is to say of contacts.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use sinew::collide::{Body, Contact};
use sinew::geometry::Bounds;

use super::job::CollideJob;
use crate::warning::Warning;

/// A contact and the bodies it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The bodies, by number.
    pub bodies: [usize; 2],
    /// The contact.
    pub contact: Contact,
}

impl Serialize for Found {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            bodies: [usize; 2],
            triangles: [u32; 2],
            depth: f64,
            points: [[f64; 3]; 2],
        }
        let Contact { triangles, points, depth } = self.contact;
        let points = points.map(|p| p.to_array());
        Written { bodies: self.bodies, triangles, depth, points }.serialize(serializer)
    }
}

/// One frame.
#[derive(Debug, Serialize)]
pub struct FrameReport {
    /// Its number.
    pub frame: usize,
    /// Vertices that had to be computed.
    pub vertices: usize,
    /// All contacts.
    pub contacts: Vec<Found>,
}

impl FrameReport {
    pub(super) fn new(frame: usize, contacts: Vec<Found>, vertices: usize) -> Self {
        Self { frame, vertices, contacts }
    }

    /// Whether another way found the same.
    pub(super) fn has(&self, contacts: &[Found]) -> bool {
        self.contacts == contacts
    }

    fn deepest(&self) -> Option<&Found> {
        self.contacts.iter().max_by(|a, b| a.contact.depth.total_cmp(&b.contact.depth))
    }
}

/// The first frame in which two bones' regions touch, and the deepest contact then.
#[derive(Debug, Serialize)]
pub struct FirstContact {
    /// The frame.
    pub frame: usize,
    /// The bodies, by number.
    pub bodies: [usize; 2],
    /// The bones, by name.
    pub bones: [String; 2],
    /// How deep they are in each other.
    pub depth: f64,
    /// Where.
    pub point: [f64; 3],
}

/// The shortest of some times.
#[derive(Clone, Copy)]
pub(super) struct Shortest(f64);

impl Default for Shortest {
    fn default() -> Self {
        Self(f64::INFINITY)
    }
}

impl Shortest {
    pub fn take(&mut self, seconds: f64) {
        self.0 = self.0.min(seconds);
    }
}

/// One frame, both ways.
#[derive(Clone, Default)]
pub(super) struct FrameTimes {
    pub plain: Shortest,
    pub ours: Shortest,
    /// Whether the plain way found other contacts.
    pub differs: bool,
}

/// The plain way beside ours.
#[derive(Debug, Serialize)]
pub struct RefitReport {
    /// How many frames.
    pub frames: usize,
    /// Frames with other contacts.
    pub differing: usize,
    /// Of all frames, the plain way.
    pub plain_seconds: f64,
    /// Of all frames, by trees of spheres.
    pub seconds: f64,
}

impl RefitReport {
    pub(super) fn new(times: &[FrameTimes]) -> Self {
        Self {
            frames: times.len(),
            differing: times.iter().filter(|frame| frame.differs).count(),
            plain_seconds: times.iter().map(|frame| frame.plain.0).sum(),
            seconds: times.iter().map(|frame| frame.ours.0).sum(),
        }
    }
}

/// Contacts of rigs.
#[derive(Debug, Serialize)]
pub struct CollideReport {
    /// Metres of a unit of the first rig, in which all is told; null where nothing tells it.
    pub input_unit: Option<f64>,
    /// The rigs.
    pub rigs: Vec<String>,
    /// Triangles of each.
    pub triangles: Vec<usize>,
    /// Vertices of each.
    pub vertices: Vec<usize>,
    /// Where the second stands.
    pub offset: [f64; 3],
    /// Frames with a contact.
    pub touching: usize,
    /// The first of them; null where there is none.
    pub first_frame: Option<usize>,
    /// For each pair of bones, when they touch first.
    pub first_contacts: Vec<FirstContact>,
    /// Null where there is no contact.
    pub deepest: Option<f64>,
    /// The same in percent of the first rig's diagonal; 0 where there is no contact.
    #[serde(skip)]
    pub deepest_percent: f64,
    /// Time spent.
    pub seconds: CollideSeconds,
    /// The plain way beside ours; null where that was not asked for.
    pub against_refit: Option<RefitReport>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
    /// Frame by frame.
    pub frames: Vec<FrameReport>,
}

/// Seconds per stage.
#[derive(Debug, Serialize)]
pub struct CollideSeconds {
    /// Reading and building.
    pub before: f64,
    /// All frames.
    pub frames: f64,
}

impl CollideReport {
    pub(super) fn new(
        job: &CollideJob,
        bodies: &[Body],
        frames: Vec<FrameReport>,
        [before, seconds]: [f64; 2],
        against_refit: Option<RefitReport>,
        warnings: Vec<Warning>,
    ) -> Self {
        let touching: Vec<&FrameReport> = frames.iter().filter(|f| !f.contacts.is_empty()).collect();
        let deepest =
            frames.iter().filter_map(FrameReport::deepest).map(|f| f.contact.depth).max_by(f64::total_cmp);
        let diagonal = Bounds::of(&bodies[0].rig().rest).diagonal().max(f64::MIN_POSITIVE);
        Self {
            input_unit: None,
            rigs: job.rigs().map(|path| path.display().to_string()).collect(),
            triangles: bodies.iter().map(|b| b.rig().mesh.triangles(&b.rig().rest).len()).collect(),
            vertices: bodies.iter().map(|b| b.rig().rest.len()).collect(),
            offset: job.offset,
            touching: touching.len(),
            first_frame: touching.first().map(|f| f.frame),
            first_contacts: first_contacts(bodies, &frames),
            deepest,
            deepest_percent: 100.0 * deepest.unwrap_or(0.0) / diagonal,
            seconds: CollideSeconds { before, frames: seconds },
            against_refit,
            warnings,
            frames,
        }
    }
}

fn first_contacts(bodies: &[Body], frames: &[FrameReport]) -> Vec<FirstContact> {
    let bones: Vec<Vec<u32>> = bodies.iter().map(Body::bones_of_triangles).collect();
    let mut known: BTreeMap<([usize; 2], [u32; 2]), (usize, Contact)> = BTreeMap::new();
    for report in frames {
        for Found { bodies, contact } in &report.contacts {
            let pair = [0, 1].map(|k| bones[bodies[k]][contact.triangles[k] as usize]);
            let first = known.entry((*bodies, pair)).or_insert((report.frame, *contact));
            if first.0 == report.frame && contact.depth > first.1.depth {
                first.1 = *contact;
            }
        }
    }
    let mut found: Vec<FirstContact> = known
        .into_iter()
        .map(|((pair, numbers), (frame, contact))| FirstContact {
            frame,
            bodies: pair,
            bones: [0, 1].map(|k| bodies[pair[k]].rig().bones[numbers[k] as usize].name.clone()),
            depth: contact.depth,
            point: (0.5 * (contact.points[0] + contact.points[1])).to_array(),
        })
        .collect();
    found.sort_by_key(|first| first.frame);
    found
}
