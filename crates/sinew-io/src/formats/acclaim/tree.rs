//! From what an ASF file says to a skeleton that holds together.

use std::collections::HashMap;

use glam::{DQuat, DVec3};

use super::asf::{Block, File, Parents, ROOT};
use super::skeleton::{Bone, Skeleton, turn_about};
use crate::{Error, Result};

/// Metres in an inch.
const INCH: f64 = 0.0254;

impl File<'_> {
    /// Puts the bones in order, parents first.
    pub(super) fn skeleton(self) -> Result<Skeleton> {
        let Some(parents) = &self.parents else {
            return Err(self.error("there is no :hierarchy; the file may be cut off"));
        };
        let mut numbers = HashMap::from([(ROOT, 0)]);
        for (number, block) in self.bones.iter().enumerate() {
            let error = |message: String| Error::at_line(self.path, block.line, message);
            let Some(called) = &block.name else { return Err(error("this bone has no name".into())) };
            if numbers.insert(called, number + 1).is_some() {
                return Err(error(format!("there are two bones called {called}")));
            }
        }
        let mut children = vec![Vec::new(); numbers.len()];
        for (number, bone) in std::iter::once(ROOT).chain(self.bones.iter().map(Block::called)).enumerate() {
            if let Some((parent, _)) = parents.get(bone) {
                children[numbers[parent.as_str()]].push(number);
            }
        }
        let (mut order, mut open) = (Vec::new(), vec![(0, None)]);
        let mut reached = vec![false; numbers.len()];
        while let Some((number, parent)) = open.pop() {
            if std::mem::replace(&mut reached[number], true) {
                // Every bone hangs on one, so what is reached twice is the root.
                return Err(self.circle(parents, ROOT));
            }
            open.extend(children[number].iter().rev().map(|&child| (child, Some(order.len()))));
            order.push((number, parent));
        }
        if let Some(lost) = reached.iter().skip(1).position(|reached| !reached) {
            return Err(self.lost(parents, lost));
        }
        let bone = |&(number, parent): &(usize, Option<usize>)| match number {
            0 => Ok(self.root_bone()),
            _ => self.made(&self.bones[number - 1], parent),
        };
        let bones = order.iter().map(bone).collect::<Result<_>>()?;
        let metres_per_unit = self.length.map(|length| INCH / length);
        Ok(Skeleton { bones, position: self.root.position, degrees: self.degrees, metres_per_unit })
    }

    /// Why a bone cannot be reached from the root.
    fn lost(&self, parents: &Parents, bone: usize) -> Error {
        let block = &self.bones[bone];
        let mut at = block.called();
        for _ in 0..self.bones.len() {
            match parents.get(at) {
                Some((parent, _)) => at = parent,
                None => {
                    let at_block = self.bones.iter().find(|b| b.called() == at).unwrap_or(block);
                    let message = format!("bone {at} hangs on nothing in the hierarchy");
                    return Error::at_line(self.path, at_block.line, message);
                }
            }
        }
        self.circle(parents, at)
    }

    /// The hierarchy leads from `bone` back to it.
    fn circle(&self, parents: &Parents, bone: &str) -> Error {
        let line = parents.get(bone).map_or(1, |(_, line)| *line);
        let message = format!("the hierarchy goes round in a circle through {bone}");
        Error::at_line(self.path, line, message)
    }

    fn angles(&self, angles: [f64; 3]) -> [f64; 3] {
        if self.degrees { angles.map(f64::to_radians) } else { angles }
    }

    fn root_bone(&self) -> Bone {
        let axes = turn_about(self.root.axis, self.angles(self.root.orientation));
        let freedoms = self.root.order.clone();
        Bone { name: ROOT.into(), parent: None, reach: DVec3::ZERO, axes, freedoms }
    }

    fn made(&self, block: &Block, parent: Option<usize>) -> Result<Bone> {
        let name = block.called().to_string();
        let missing =
            |what: &str| Error::at_line(self.path, block.line, format!("bone {name} has no {what}"));
        let length = block.length.ok_or_else(|| missing("length"))?;
        let direction = block.direction.ok_or_else(|| missing("direction"))?;
        let axes =
            block.axis.map_or(DQuat::IDENTITY, |(angles, order)| turn_about(order, self.angles(angles)));
        // Directions are rounded, and some are not of length one.
        let reach = direction.normalize_or_zero() * length;
        Ok(Bone { name, parent, reach, axes, freedoms: block.freedoms.clone() })
    }
}
