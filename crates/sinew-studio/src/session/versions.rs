//! Choosing among versions, and what can be asked of each.

use super::history::Change;
use super::{Done, Outcome, Picked, Refusal, Session};

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
        let name = name.trim().to_owned();
        if name.is_empty() || name.chars().count() > LONGEST_NAME {
            return Refusal::say(format!("a name has 1 to {LONGEST_NAME} letters"));
        }
        let old = self.version(version)?.name.clone();
        self.perform(format!("rename {old}"), Change::Name { version, name });
        Ok(Outcome::done())
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
