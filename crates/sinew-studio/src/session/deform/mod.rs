//! Deformation: handles painted on the surface, joints posed, shapes added as examples.

mod character;
mod opened;

use std::sync::Arc;

use glam::Vec3;
use sinew::deform::{DeformOptions, Example};
use sinew::progress::{Progress, Silent};
use sinew_io::deform_file::{at_rest, find_handles};

pub use self::character::DeformState;
pub(super) use self::character::Deforming;
use self::character::{NONE, frames_of};
pub(super) use self::opened::ReadCharacter;
pub(crate) use self::opened::is_deform;
use super::action::{ExampleOrder, Phase};
use super::data::positions;
use super::history::Change;
use super::work::finish;
use super::{Answer, Done, Edited, Kind, Made, Outcome, Refusal, Session, SetUp, Shape, Version};

impl Session {
    fn deforming(&self) -> Result<&Deforming, Refusal> {
        self.deform.as_ref().ok_or_else(|| Refusal("no character is being deformed".into()))
    }

    /// Makes a character of the version that is shown, with handles that are found.
    pub(super) fn start_deforming(&self) -> Result<Outcome<Made>, Refusal> {
        let (parent, name) = (self.current()?.id, self.current()?.name.clone());
        let rig = self.current()?.rig()?.clone();
        if rig.skeleton.is_none() {
            return Refusal::say(format!("{name} has no skeleton; find one first"));
        }
        Ok(Outcome::wait("handles", move |progress| {
            progress.stage("setting up");
            let rig = Arc::new(at_rest((*rig).clone()));
            let handles = find_handles(&rig, None, progress)?;
            let joint = |vertex: usize| handles.joint(vertex).map_or(NONE, |joint| joint as u32);
            let mut deforming = Deforming {
                version: 0,
                joint_of: Arc::new((0..rig.rest.len()).map(joint).collect()),
                painted: false,
                examples: Vec::new(),
                anchors: None,
                pose: Arc::new(vec![[0.0; 3]; rig.bones.len()]),
                sculpted: None,
                shown: frames_of(&rig.rest),
                deformer: Arc::default(),
                options: DeformOptions::following(),
                rig,
            };
            deforming.deformer(progress)?;
            finish(move |session| {
                let version = session.version_of(&deforming, &name, parent);
                let id = version.id;
                deforming.version = id;
                let coming = Change::presence(id, version, session.versions.len(), id);
                let change = Change::All(vec![coming, Change::Deform(Box::new(Some(deforming)))]);
                session.perform("set up handles".into(), change);
                Ok(Answer::of(Made { version: id }))
            })
        }))
    }

    /// A version that shows a character made of another.
    fn version_of(&mut self, character: &Deforming, name: &str, parent: u32) -> Version {
        let shape = Shape::Poses(character.rig.clone(), character.shown.clone());
        let name = self.name_of_its_own(&format!("{name}, posed"));
        let version = self.new_version(name, Kind::Deform, "deform", shape);
        Version { parent: Some(parent), ..version }
    }

    /// Shows a character that was opened.
    pub(super) fn show_character(&mut self, character: Deforming, parent: u32) {
        let name = self.version(parent).map_or_else(|_| String::new(), |version| version.name.clone());
        let version = self.version_of(&character, &name, parent);
        self.current = Some(version.id);
        self.deform = Some(Deforming { version: version.id, ..character });
        self.versions.push(version);
    }

    /// Gives vertices to a joint's handle, or takes them out of it.
    pub(super) fn paint(
        &mut self,
        joint: usize,
        vertices: &[u32],
        on: bool,
    ) -> Result<Outcome<Done>, Refusal> {
        let deforming = self.deforming()?;
        let count = deforming.joint_of.len();
        let Some(bone) = deforming.rig.bones.get(joint) else {
            return Refusal::say(format!("there is no joint {joint}"));
        };
        if let Some(vertex) = vertices.iter().find(|v| **v as usize >= count) {
            return Refusal::say(format!("there is no vertex {vertex}"));
        }
        let what = format!("paint {}", bone.name);
        let changed = deforming.changed(|other| {
            let joint_of = Arc::make_mut(&mut other.joint_of);
            for &vertex in vertices {
                let slot = &mut joint_of[vertex as usize];
                match on {
                    true => *slot = joint as u32,
                    false if *slot == joint as u32 => *slot = NONE,
                    false => {}
                }
            }
            other.painted = true;
        });
        self.perform(what, Change::Deform(Box::new(Some(changed))));
        Ok(Outcome::done())
    }

    /// Turns the joints and shows the surface.
    pub(super) fn pose_joints(
        &mut self,
        joints: Vec<[f64; 3]>,
        phase: Phase,
    ) -> Result<Outcome<Edited>, Refusal> {
        let deforming = self.deforming()?;
        if phase == Phase::Cancel {
            return Ok(Outcome::told(Edited::default()));
        }
        if joints.len() != deforming.rig.bones.len() || joints.iter().flatten().any(|x| !x.is_finite()) {
            return Refusal::say(format!(
                "a pose has three angles for each of {} joints",
                deforming.pose.len()
            ));
        }
        let posed = Deforming { pose: Arc::new(joints), sculpted: None, ..deforming.clone() };
        if posed.made().is_some() {
            let shape = posed.shape(&Silent)?;
            return self.show_posed(posed, &shape, phase).map(Outcome::Done);
        }
        Ok(Outcome::wait("pose", move |progress| {
            progress.stage("setting up");
            let shape = posed.shape(progress)?;
            finish(move |session| {
                session.deforming()?;
                session.show_posed(posed, &shape, phase)
            })
        }))
    }

    /// Poses that follow each other are one step. While a hand moves, its own tab alone is shown them.
    fn show_posed(
        &mut self,
        mut posed: Deforming,
        shape: &[Vec3],
        phase: Phase,
    ) -> Result<Answer<Edited>, Refusal> {
        let id = posed.version;
        if phase != Phase::End {
            return Ok(shown(id, shape, Edited { version: Some(id) }));
        }
        posed.shown = frames_of(shape);
        let before = self.exchange_deform(Some(posed));
        self.history.push_first("pose joints", Change::Deform(Box::new(before)));
        self.touch();
        Ok(shown(id, shape, Edited { version: Some(id) }))
    }

    /// Takes a character for another, and shows it.
    pub(super) fn exchange_deform(&mut self, other: Option<Deforming>) -> Option<Deforming> {
        let content = self.next_content();
        if let Some(deforming) = &other
            && let Ok(version) = self.version_mut(deforming.version)
        {
            version.shape = Shape::Poses(deforming.rig.clone(), deforming.shown.clone());
            version.content = content;
        }
        std::mem::replace(&mut self.deform, other)
    }

    /// Takes a shape that was sculpted over the posed one.
    pub(super) fn sculpt_posed(&mut self, id: u32, shape: Vec<Vec3>) -> Result<u32, Refusal> {
        let deforming = self.deforming()?;
        if deforming.version != id {
            return Refusal::say("another character is being deformed");
        }
        let shown = frames_of(&shape);
        let sculpted = Deforming { sculpted: Some(Arc::new(shape)), shown, ..deforming.clone() };
        self.perform("sculpt the pose".into(), Change::Deform(Box::new(Some(sculpted))));
        Ok(id)
    }

    /// Adds a shape that the character should have in its pose.
    pub(super) fn add_example(&mut self, order: ExampleOrder) -> Result<Outcome<SetUp>, Refusal> {
        let name = order.name.trim().to_owned();
        let deforming = self.deforming()?;
        if name.is_empty() || deforming.examples.iter().any(|(other, _)| *other == name) {
            return Refusal::say("an example needs a name of its own");
        }
        let given = match order.version {
            Some(id) => Some(self.example_shape(id, order.frame, deforming.rig.rest.len())?),
            None => None,
        };
        Ok(try_out(format!("add example {name}"), deforming.clone(), move |begun, progress| {
            let positions = given.map_or_else(|| begun.shape(progress), Ok)?;
            let example = Arc::new(Example { positions, pose: begun.joint_pose() });
            Ok(begun.changed(|other| other.examples.push((name, example))))
        }))
    }

    /// Takes an example out again.
    pub(super) fn drop_example(&mut self, name: &str) -> Result<Outcome<SetUp>, Refusal> {
        let deforming = self.deforming()?;
        if !deforming.examples.iter().any(|(other, _)| other == name) {
            return Refusal::say(format!("there is no example {name}"));
        }
        let name = name.to_owned();
        Ok(try_out(format!("delete example {name}"), deforming.clone(), move |begun, _| {
            Ok(begun.changed(|other| other.examples.retain(|(other, _)| *other != name)))
        }))
    }

    /// Lets go of the character. Its version stays, and so does what it was in the history.
    pub(super) fn stop_deforming(&mut self) -> Result<Outcome<Done>, Refusal> {
        self.deforming()?;
        self.perform("leave the character".into(), Change::Deform(Box::new(None)));
        Ok(Outcome::done())
    }

    /// The shape of a version in a frame, of a mesh with so many vertices.
    fn example_shape(&self, id: u32, frame: usize, vertices: usize) -> Result<Vec<Vec3>, Refusal> {
        let shape = &self.version(id)?.shape;
        super::data::check_frames(frame, frame.saturating_add(1), shape.frame_count())?;
        if shape.vertex_count() != vertices {
            return Refusal::say("the example is a shape of another mesh");
        }
        let mut pose = vec![Vec3::ZERO; vertices];
        shape.poses().pose_into(frame, &mut pose);
        Ok(pose)
    }

    /// Keeps what examples add at some of the triangles.
    pub(super) fn set_anchors(&mut self, percent: Option<f64>) -> Result<Outcome<SetUp>, Refusal> {
        if percent.is_some_and(|percent| !(percent > 0.0 && percent <= 100.0)) {
            return Refusal::say("anchors are above 0 and at most 100 percent of the triangles");
        }
        let deforming = self.deforming()?;
        let anchors = percent.filter(|percent| *percent < 100.0);
        Ok(try_out("choose anchors".into(), deforming.clone(), move |begun, _| {
            Ok(begun.changed(|other| other.anchors = anchors))
        }))
    }

    /// The joint of each vertex as 16 bits, counted from 1; 0 for none.
    pub fn handles(&self) -> Result<Vec<u8>, Refusal> {
        let number = |joint: &u32| if *joint == NONE { 0 } else { *joint as u16 + 1 };
        Ok(self.deforming()?.joint_of.iter().flat_map(|joint| number(joint).to_le_bytes()).collect())
    }

    /// The character, as files hold it, that a version shows.
    pub(super) fn setup_of(&self, id: u32) -> Option<Deforming> {
        self.deform.clone().filter(|deforming| deforming.version == id)
    }
}

/// Sets the changed character up, and takes it only if that works.
fn try_out(
    what: String,
    begun: Deforming,
    change: impl FnOnce(&Deforming, &dyn Progress) -> Result<Deforming, Refusal> + Send + 'static,
) -> Outcome<SetUp> {
    Outcome::wait("setup", move |progress| {
        progress.stage("setting up");
        let mut changed = change(&begun, progress)?;
        let bytes = changed.deformer(progress)?.example_bytes();
        let shape = changed.shape(progress)?;
        changed.shown = frames_of(&shape);
        finish(move |session| {
            let now = session.deforming()?;
            let same =
                Arc::ptr_eq(&now.joint_of, &begun.joint_of) && now.examples.len() == begun.examples.len();
            if !same {
                return Refusal::say("the character has changed meanwhile");
            }
            let id = changed.version;
            session.perform(what, Change::Deform(Box::new(Some(changed))));
            Ok(shown(id, &shape, SetUp { bytes, version: id }))
        })
    })
}

/// An answer after the positions it is about.
fn shown<T>(id: u32, shape: &[Vec3], fields: T) -> Answer<T> {
    Answer::shown(positions(id, 0, shape), fields)
}
