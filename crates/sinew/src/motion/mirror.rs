//! A motion with left and right exchanged.

use glam::{DAffine3, DMat3, DVec3};

use super::Motion;
use super::figure::Figure;
use super::names::{Meaning, meaning};

impl Motion {
    /// The same motion as a mirror shows it: what the left arm does, the right one does. The mirror stands along the way
    /// the figure faces in its bind pose, through its root. Joints are exchanged by the sides that their names tell, or
    /// where none tells any, with those nearest to their places behind the mirror.
    pub fn mirrored(&self) -> Self {
        let facing = Figure::of_source(self).facing().unwrap_or(DVec3::Z);
        let across = facing.cross(DVec3::Y).normalize_or(DVec3::X);
        let flip =
            DMat3::IDENTITY - 2.0 * DMat3::from_cols(across * across.x, across * across.y, across * across.z);
        let through = self.bind.first().map_or(DVec3::ZERO, |root| root.translation);
        let mirror = DAffine3::from_mat3_translation(flip, through - flip * through);
        let others = self.others(&mirror);
        let back: Vec<DAffine3> = self.bind.iter().map(|bind| bind.inverse()).collect();
        let joints = self.joints.len();
        let world = |slot: usize| {
            let (frame, joint) = (slot / joints, slot % joints);
            let other = others[joint];
            // What the other one does to its bind pose, seen in the mirror.
            mirror * (self.worlds[frame * joints + other] * back[other]) * mirror * self.bind[joint]
        };
        Self { worlds: (0..self.worlds.len()).map(world).collect(), ..self.clone() }
    }

    /// The joint that each is exchanged with; itself in the middle.
    fn others(&self, mirror: &DAffine3) -> Vec<usize> {
        let meant: Vec<Option<Meaning>> = self.joints.iter().map(|joint| meaning(&joint.name)).collect();
        if meant.iter().flatten().any(|meaning| meaning.side.is_some()) {
            let other = |joint: usize| {
                let own = meant[joint].as_ref().filter(|own| own.side.is_some())?;
                let is_other = |it: &Option<Meaning>| {
                    it.as_ref()
                        .is_some_and(|it| it.part == own.part && it.side.is_some() && it.side != own.side)
                };
                // Of several of one name those in the same place.
                let same = |of: &Option<Meaning>| of.as_ref() == Some(own);
                let place = meant[..joint].iter().filter(|of| same(of)).count();
                (0..meant.len()).filter(|&it| is_other(&meant[it])).nth(place)
            };
            return (0..meant.len()).map(|joint| other(joint).unwrap_or(joint)).collect();
        }
        let nearest = |joint: usize| {
            let seen = mirror.transform_point3(self.bind[joint].translation);
            let far = |it: &usize| self.bind[*it].translation.distance_squared(seen);
            (0..meant.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(joint)
        };
        (0..meant.len()).map(nearest).collect()
    }
}
