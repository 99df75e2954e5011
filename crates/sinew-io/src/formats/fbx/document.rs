//! What a file consists of besides its objects: head, settings, definitions, connections.

use std::collections::BTreeMap;

use glam::{DAffine3, DMat4, DVec3};

use super::GENERATOR;
use crate::containers::fbx_nodes::{CREATION_TIME, FILE_ID, Node, VERSION, Value, file};

/// Ticks of a second.
pub(super) const TICKS: f64 = 46_186_158_000.0;

/// Frame rates that have a number of their own, and the number of all others.
const TIME_MODES: [(f64, i32); 15] = [
    (120.0, 1),
    (100.0, 2),
    (60.0, 3),
    (50.0, 4),
    (48.0, 5),
    (30.0, 6),
    (30_000.0 / 1001.0, 9),
    (25.0, 10),
    (24.0, 11),
    (1000.0, 12),
    (24_000.0 / 1001.0, 13),
    (96.0, 15),
    (72.0, 16),
    (60_000.0 / 1001.0, 17),
    (59.94, 17),
];
const CUSTOM_MODE: i32 = 14;

/// A file under construction.
#[derive(Default)]
pub(super) struct Document {
    objects: Vec<Node>,
    connections: Vec<Node>,
    takes: Vec<Node>,
    counts: BTreeMap<&'static str, i32>,
    ids: i64,
}

impl Document {
    /// A number for an object.
    pub fn id(&mut self) -> i64 {
        self.ids += 1;
        1_000_000 + self.ids
    }

    /// Begins an object with a name and what kind of its class it is.
    pub fn object(class: &'static str, id: i64, name: &str, suffix: &str, kind: &str) -> Node {
        Node::new(class).with(id).with(label(name, suffix)).with(kind)
    }

    /// Adds a finished object of a class.
    pub fn add(&mut self, class: &'static str, object: Node) {
        *self.counts.entry(class).or_default() += 1;
        self.objects.push(object);
    }

    /// Puts an object under another; 0 is the scene.
    pub fn connect(&mut self, child: i64, parent: i64) {
        self.connections.push(Node::of("C", "OO").with(child).with(parent));
    }

    /// Makes an object drive a property of another.
    pub fn drive(&mut self, child: i64, parent: i64, property: &str) {
        self.connections.push(Node::of("C", "OP").with(child).with(parent).with(property));
    }

    /// Adds a line about a clip of so many ticks.
    pub fn take(&mut self, name: &str, ticks: i64) {
        let span = |what| Node::of(what, 0_i64).with(ticks);
        let take = Node::of("Take", name).child(Node::of("FileName", format!("{name}.tak")));
        self.takes.push(take.child(span("LocalTime")).child(span("ReferenceTime")));
    }

    /// The bytes of the file.
    pub fn finish(self, settings: &Settings) -> Vec<u8> {
        let active = settings.active.as_str();
        let total = self.counts.values().sum::<i32>() + 1;
        let kind = |(class, count): (&&'static str, &i32)| {
            Node::of("ObjectType", *class).child(Node::of("Count", *count))
        };
        let definitions = Node::new("Definitions")
            .child(Node::of("Version", 100))
            .child(Node::of("Count", total))
            .child(kind((&"GlobalSettings", &1)))
            .children(self.counts.iter().map(kind));
        let scene = Properties::default()
            .add("SourceObject", "object", "", [])
            .add("ActiveAnimStackName", "KString", "", [active.into()])
            .node();
        let document = Node::of("Document", 1_000_000_i64).with("Scene").with("Scene");
        let documents = Node::new("Documents")
            .child(Node::of("Count", 1))
            .child(document.child(scene).child(Node::of("RootNode", 0_i64)));
        file(&[
            header(),
            Node::of("FileId", FILE_ID.as_slice()),
            Node::of("CreationTime", CREATION_TIME),
            Node::of("Creator", creator()),
            settings.node(),
            documents,
            Node::new("References"),
            definitions,
            Node::new("Objects").children(self.objects),
            Node::new("Connections").children(self.connections),
            Node::new("Takes").child(Node::of("Current", active)).children(self.takes),
        ])
    }
}

fn creator() -> String {
    format!("{GENERATOR} {}", env!("CARGO_PKG_VERSION"))
}

fn header() -> Node {
    let stamp = [
        ("Version", 1000),
        ("Year", 1970),
        ("Month", 1),
        ("Day", 1),
        ("Hour", 10),
        ("Minute", 0),
        ("Second", 0),
        ("Millisecond", 0),
    ];
    Node::new("FBXHeaderExtension")
        .child(Node::of("FBXHeaderVersion", 1003))
        .child(Node::of("FBXVersion", VERSION))
        .child(Node::of("EncryptionType", 0))
        .child(Node::new("CreationTimeStamp").children(stamp.map(|(name, n)| Node::of(name, n))))
        .child(Node::of("Creator", creator()))
}

/// Name and class of an object in one text. The bytes between them can be in neither.
fn label(name: &str, class: &str) -> String {
    let name: String = name.chars().filter(|c| !matches!(c, '\0' | '\x01')).collect();
    format!("{name}\0\x01{class}")
}

/// Settings of the scene.
pub(super) struct Settings {
    /// Frames per second.
    pub fps: f64,
    /// Length of the longest clip in ticks.
    pub ticks: i64,
    pub metres_per_unit: f64,
    /// The clip that is shown first.
    pub active: String,
}

impl Settings {
    fn node(&self) -> Node {
        let known = TIME_MODES.iter().find(|(fps, _)| (fps - self.fps).abs() < 1e-9 * fps);
        let mode = known.map_or(CUSTOM_MODE, |(_, mode)| *mode);
        let centimetres = 100.0 * self.metres_per_unit;
        let properties = Properties::default()
            .whole("UpAxis", 1)
            .whole("UpAxisSign", 1)
            .whole("FrontAxis", 2)
            .whole("FrontAxisSign", 1)
            .whole("CoordAxis", 0)
            .whole("CoordAxisSign", 1)
            .whole("OriginalUpAxis", 1)
            .whole("OriginalUpAxisSign", 1)
            .double("UnitScaleFactor", centimetres)
            .double("OriginalUnitScaleFactor", centimetres)
            .colour("AmbientColor", [0.0; 3])
            .add("DefaultCamera", "KString", "", ["Producer Perspective".into()])
            .add("TimeMode", "enum", "", [mode.into()])
            .add("TimeProtocol", "enum", "", [2.into()])
            .add("SnapOnFrameMode", "enum", "", [0.into()])
            .time("TimeSpanStart", 0)
            .time("TimeSpanStop", self.ticks)
            .double("CustomFrameRate", self.fps);
        Node::new("GlobalSettings").child(Node::of("Version", 1000)).child(properties.node())
    }
}

/// Properties of an object.
#[derive(Default)]
pub(super) struct Properties(Vec<Node>);

impl Properties {
    /// Adds a property of any type.
    pub fn add<const N: usize>(self, name: &str, kind: &str, label: &str, values: [Value; N]) -> Self {
        self.flagged(name, (kind, label), "", values)
    }

    fn flagged<const N: usize>(
        mut self,
        name: &str,
        (kind, label): (&str, &str),
        flags: &str,
        values: [Value; N],
    ) -> Self {
        let p = Node::of("P", name).with(kind).with(label).with(flags);
        self.0.push(values.into_iter().fold(p, Node::with));
        self
    }

    pub fn whole(self, name: &str, value: i32) -> Self {
        self.add(name, "int", "Integer", [value.into()])
    }

    pub fn double(self, name: &str, value: f64) -> Self {
        self.add(name, "double", "Number", [value.into()])
    }

    /// A number that people added.
    pub fn custom(self, name: &str, value: f64) -> Self {
        self.flagged(name, ("double", "Number"), "U", [value.into()])
    }

    /// A number that curves may drive.
    pub fn driven(self, name: &str, kind: &str, value: f64) -> Self {
        self.flagged(name, (kind, ""), "A", [value.into()])
    }

    /// A vector that curves may drive.
    pub fn vector(self, name: &str, value: DVec3) -> Self {
        self.flagged(name, (name, ""), "A", value.to_array().map(Value::from))
    }

    pub fn colour(self, name: &str, value: [f32; 3]) -> Self {
        self.flagged(name, ("Color", ""), "A", value.map(|c| Value::from(f64::from(c))))
    }

    pub fn time(self, name: &str, ticks: i64) -> Self {
        self.add(name, "KTime", "Time", [ticks.into()])
    }

    pub fn node(self) -> Node {
        Node::new("Properties70").children(self.0)
    }
}

/// A transform as sixteen numbers.
pub(super) fn matrix(t: &DAffine3) -> Vec<f64> {
    DMat4::from(*t).to_cols_array().to_vec()
}
