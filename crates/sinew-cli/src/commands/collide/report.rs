//! What `collide` has to say.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use sinew::collide::{Body, Contact};
use sinew::geometry::Bounds;

use super::args::CollideArgs;
use crate::console::{Table, count, number};

/// A contact and the bodies it is of.
#[derive(Clone, Copy, PartialEq)]
pub struct Found {
    pub bodies: [usize; 2],
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
#[derive(Serialize)]
pub struct FrameReport {
    frame: usize,
    /// Vertices that had to be computed.
    vertices: usize,
    contacts: Vec<Found>,
}

impl FrameReport {
    pub fn new(frame: usize, contacts: Vec<Found>, vertices: usize) -> Self {
        Self { frame, vertices, contacts }
    }

    /// Whether another way found the same.
    pub fn has(&self, contacts: &[Found]) -> bool {
        self.contacts == contacts
    }

    fn deepest(&self) -> Option<&Found> {
        self.contacts.iter().max_by(|a, b| a.contact.depth.total_cmp(&b.contact.depth))
    }
}

/// The first frame in which two bones' regions touch, and the deepest contact then.
#[derive(Serialize)]
struct FirstContact {
    frame: usize,
    bodies: [usize; 2],
    bones: [String; 2],
    depth: f64,
    point: [f64; 3],
}

/// The shortest of some times.
#[derive(Clone, Copy)]
pub struct Shortest(f64);

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
pub struct FrameTimes {
    pub plain: Shortest,
    pub ours: Shortest,
    /// Whether the plain way found other contacts.
    pub differs: bool,
}

/// The plain way beside ours.
#[derive(Serialize)]
pub struct PlainReport {
    frames: usize,
    /// Frames with other contacts.
    differing: usize,
    /// Of all frames, each way.
    plain_seconds: f64,
    seconds: f64,
}

impl PlainReport {
    pub fn new(times: &[FrameTimes]) -> Self {
        Self {
            frames: times.len(),
            differing: times.iter().filter(|frame| frame.differs).count(),
            plain_seconds: times.iter().map(|frame| frame.plain.0).sum(),
            seconds: times.iter().map(|frame| frame.ours.0).sum(),
        }
    }

    fn in_words(&self) -> String {
        let each = |seconds: f64| number(1000.0 * seconds / self.frames.max(1) as f64);
        let same = match self.differing {
            0 => "the same contacts in every frame".into(),
            n => format!("other contacts in {}", count(n, "frame", "frames")),
        };
        format!(
            "{} ms a frame where spheres take {}: {} times as long; {same}",
            each(self.plain_seconds),
            each(self.seconds),
            number(self.plain_seconds / self.seconds.max(f64::MIN_POSITIVE))
        )
    }
}

/// The report.
#[derive(Serialize)]
pub struct CollideReport<'a> {
    rigs: Vec<String>,
    triangles: Vec<usize>,
    vertices: Vec<usize>,
    offset: [f64; 3],
    /// Frames with a contact.
    touching: usize,
    /// The first of them; null where there is none.
    first_frame: Option<usize>,
    /// For each pair of bones, when they touch first.
    first_contacts: Vec<FirstContact>,
    /// Null where there is no contact.
    deepest: Option<f64>,
    #[serde(skip)]
    deepest_percent: f64,
    seconds: CollideSeconds,
    against_refit: Option<PlainReport>,
    warnings: Vec<String>,
    frames: &'a [FrameReport],
}

#[derive(Serialize)]
struct CollideSeconds {
    /// Reading and building.
    before: f64,
    /// All frames.
    frames: f64,
}

impl<'a> CollideReport<'a> {
    pub fn new(
        args: &CollideArgs,
        bodies: &[Body],
        frames: &'a [FrameReport],
        [before, seconds]: [f64; 2],
        against_refit: Option<PlainReport>,
        warnings: Vec<String>,
    ) -> Self {
        let rigs = [Some(&args.rig), args.other.as_ref()].into_iter().flatten();
        let touching: Vec<&FrameReport> = frames.iter().filter(|f| !f.contacts.is_empty()).collect();
        let deepest =
            frames.iter().filter_map(FrameReport::deepest).map(|f| f.contact.depth).max_by(f64::total_cmp);
        let diagonal = Bounds::of(&bodies[0].rig().rest).diagonal().max(f64::MIN_POSITIVE);
        Self {
            rigs: rigs.map(|path| path.display().to_string()).collect(),
            triangles: bodies.iter().map(|b| b.rig().mesh.triangles(&b.rig().rest).len()).collect(),
            vertices: bodies.iter().map(|b| b.rig().rest.len()).collect(),
            offset: args.offset.map_or([0.0; 3], |offset| offset.0.to_array()),
            touching: touching.len(),
            first_frame: touching.first().map(|f| f.frame),
            first_contacts: first_contacts(bodies, frames),
            deepest,
            deepest_percent: 100.0 * deepest.unwrap_or(0.0) / diagonal,
            seconds: CollideSeconds { before, frames: seconds },
            against_refit,
            warnings,
            frames,
        }
    }

    /// The report for people.
    pub fn text(&self, args: &CollideArgs) -> String {
        let mut table = Table::default();
        let rigs: Vec<String> = self
            .rigs
            .iter()
            .zip(&self.triangles)
            .map(|(rig, &n)| format!("{rig}, {}", count(n, "triangle", "triangles")))
            .collect();
        table.list("rigs", &rigs);
        let looked = count(self.frames.len(), "frame", "frames");
        match (self.first_frame, self.deepest) {
            (Some(first), Some(deepest)) => {
                table.row("touch", format!("in {} of {looked}, first in frame {first}", self.touching));
                let pairs = self.frames.iter().map(|f| f.contacts.len()).max().unwrap_or(0);
                table.row(
                    "pairs",
                    format!("up to {} in a frame", count(pairs, "pair of triangles", "pairs of triangles")),
                );
                let percent = number(self.deepest_percent);
                table.row("deepest", format!("{}, {percent} % of the diagonal", number(deepest)));
                let first = self.first_contacts.iter().take(MOST_ROWS);
                let first: Vec<String> = first.map(FirstContact::in_words).collect();
                table.list("bones", &first);
                if self.first_contacts.len() > MOST_ROWS {
                    table.row("", format!("and {} more", self.first_contacts.len() - MOST_ROWS));
                }
            }
            _ => table.row("touch", format!("nowhere in {looked}")),
        }
        let computed: usize = self.frames.iter().map(|f| f.vertices).sum();
        let all = self.frames.len() * self.vertices.iter().sum::<usize>();
        let share = number(100.0 * computed as f64 / all.max(1) as f64);
        let each = number(1000.0 * self.seconds.frames / self.frames.len().max(1) as f64);
        table.row("time", format!("{each} ms a frame, for {share} % of the vertices"));
        if let Some(plain) = &self.against_refit {
            table.row("refit", plain.in_words());
        }
        if let Some(path) = &args.output {
            table.row("wrote", path.display().to_string());
        }
        table.list("warning", &self.warnings);
        table.text()
    }
}

/// Longer lists are cut for people; the report has all.
const MOST_ROWS: usize = 6;

impl FirstContact {
    fn in_words(&self) -> String {
        format!("{} and {} from frame {}", self.bones[0], self.bones[1], self.frame)
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
