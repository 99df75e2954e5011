//! Choosing among versions, and what can be asked of each.

use super::history::{Change, Edit};
use super::version::Known;
use super::{Done, Edited, Outcome, Picked, Refusal, Session};

/// Letters of the longest name.
const LONGEST_NAME: usize = 120;

impl Session {
    pub(super) fn select(&mut self, version: u32) -> Result<Outcome<Done>, Refusal> {
        self.version(version)?;
        if self.current != Some(version) {
            self.current = Some(version);
            self.touch();
        }
        Ok(Outcome::done())
    }

    pub(super) fn rename(&mut self, version: u32, name: &str) -> Result<Outcome<Done>, Refusal> {
        let name = a_name(name)?;
        let old = self.version(version)?.name.clone();
        self.perform(format!("rename {old}"), Change::Name { version, name });
        Ok(Outcome::done())
    }

    /// Calls a bone something else. No two bones of a rig have one name.
    pub(super) fn rename_bone(
        &mut self,
        id: u32,
        bone: usize,
        name: &str,
    ) -> Result<Outcome<Edited>, Refusal> {
        let name = a_name(name)?;
        let content = self.next_content();
        let version = self.version_mut(id)?;
        let bones = &version.rig()?.bones;
        let Some(old) = bones.get(bone).map(|bone| bone.name.clone()) else {
            return Refusal::say(format!(
                "there is no bone {bone}: the rig has {}, counted from 0",
                bones.len()
            ));
        };
        if bones.iter().enumerate().any(|(other, b)| other != bone && b.name == name) {
            return Refusal::say(format!("another bone is called {name}"));
        }
        let mut known = Known { content, ..version.known() };
        let mut edit = Edit::BoneName(bone, name);
        edit.swap(&mut version.shape);
        version.exchange(&mut known);
        self.record(format!("rename {old}"), Change::Edit { version: id, edit, known });
        Ok(Outcome::told(Edited { version: Some(id) }))
    }

    pub(super) fn delete(&mut self, version: u32) -> Result<Outcome<Done>, Refusal> {
        let name = self.version(version)?.name.clone();
        let mut change = self.absence(version);
        if self.setup_of(version).is_some() {
            change = Change::All(vec![change, Change::Deform(Box::new(None))]);
        }
        self.perform(format!("delete {name}"), change);
        Ok(Outcome::done())
    }

    /// The bones that move a vertex, the strongest first.
    pub(super) fn pick(&self, version: u32, vertex: usize) -> Result<Outcome<Picked>, Refusal> {
        let shape = &self.version(version)?.shape;
        if vertex >= shape.vertex_count() {
            return Refusal::say(format!("there is no vertex {vertex}"));
        }
        let (bones, weights) = shape.weights().of(vertex);
        let pairs = bones.iter().copied().zip(weights.iter().copied());
        let mut weights: Vec<(u32, f32)> = pairs.filter(|(_, weight)| *weight != 0.0).collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(Outcome::told(Picked { bone: weights.first().map(|w| w.0), weights }))
    }
}

/// A name that people can read.
fn a_name(name: &str) -> Result<String, Refusal> {
    let name = name.trim().to_owned();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        return Refusal::say(format!("a name has 1 to {LONGEST_NAME} letters"));
    }
    Ok(name)
}
