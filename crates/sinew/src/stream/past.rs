//! What a stream remembers of the frames it has seen.

use glam::Vec3;

use crate::animation::Frames;

/// The most frames that are remembered.
pub const ROOM: usize = 24;
/// Up to about this age, frames are kept equally close together.
const EVEN: usize = 8;

/// Some frames of the past, spread over all of it and closer together the later they are.
#[derive(Default)]
pub struct Past {
    /// Numbers and poses, oldest first.
    kept: Vec<(usize, Vec<Vec3>)>,
}

impl Past {
    /// Remembers frame `number`, the latest, and forgets another where there is no more room.
    pub fn add(&mut self, number: usize, pose: &[Vec3]) {
        if self.kept.len() < ROOM {
            self.kept.push((number, pose.to_vec()));
            return;
        }
        // The frame that is missed least: the gap it leaves, against how long ago it was.
        let gap = |i: usize| self.kept[i + 1].0 - self.kept[i - 1].0;
        let missed = |i: usize| gap(i) as f64 / (number - self.kept[i].0 + EVEN) as f64;
        let least = (1..self.kept.len() - 1).min_by(|&a, &b| missed(a).total_cmp(&missed(b)));
        let Some(least) = least else { return };
        let (_, mut room) = self.kept.remove(least);
        room.copy_from_slice(pose);
        self.kept.push((number, room));
    }

    /// How many are remembered.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// The poses, oldest first.
    pub fn poses(&self) -> impl Iterator<Item = &[Vec3]> {
        self.kept.iter().map(|(_, pose)| pose.as_slice())
    }

    /// The same in one piece.
    pub fn frames(&self) -> Frames {
        Frames::from_poses(&self.poses().collect::<Vec<_>>())
    }
}

#[cfg(test)]
#[path = "../../tests/unit/stream_past.rs"]
mod tests;
