//! Several files in one unit.
//!
//! Files say how long their units are, and what is in another unit is brought to that of the first. Some say what is not
//! so, though, as many programs write whatever their scene is set to: where two files are of one size as they stand and
//! would not be in one unit, their numbers are taken as they stand. Either way it is said.

use glam::Vec3;
use sinew::geometry::{Bounds, Similarity};

use super::{Opened, PoseStream};
use crate::scene::Facts;
use crate::{Result, Warning};

/// Something with a size and a unit.
pub(super) trait Measurable {
    fn facts(&self) -> &Facts;

    fn set_unit(&mut self, metres: f64);

    /// The diagonal of the first pose, 0 without any.
    fn size(&mut self) -> Result<f64>;

    fn change(&mut self, by: &Similarity);
}

impl Measurable for Opened {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn set_unit(&mut self, metres: f64) {
        self.facts.metres_per_unit = Some(metres);
    }

    fn size(&mut self) -> Result<f64> {
        let frames = &self.animation.frames;
        Ok(if frames.is_empty() { 0.0 } else { diagonal(frames.frame(0)) })
    }

    fn change(&mut self, by: &Similarity) {
        self.animation.change(by);
    }
}

impl Measurable for PoseStream {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn set_unit(&mut self, metres: f64) {
        self.facts.metres_per_unit = Some(metres);
    }

    fn size(&mut self) -> Result<f64> {
        Ok(self.first_pose()?.as_deref().map_or(0.0, diagonal))
    }

    fn change(&mut self, by: &Similarity) {
        PoseStream::change(self, by);
    }
}

fn diagonal(pose: &[Vec3]) -> f64 {
    Bounds::of(pose).diagonal()
}

/// Brings parts to the unit of the first that tells one. Those that tell none are taken to be in it as well. Returns what
/// there is to say.
pub(super) fn agree<T: Measurable>(parts: &mut [(String, &mut T)]) -> Result<Vec<Warning>> {
    let Some(first) = parts.iter().position(|(_, part)| part.facts().metres_per_unit.is_some()) else {
        return Ok(Vec::new());
    };
    let mut told = Vec::new();
    let metres = parts[first].1.facts().metres_per_unit;
    let mut size = None;
    for number in 0..parts.len() {
        let own = parts[number].1.facts().metres_per_unit;
        let (Some(metres), Some(own)) = (metres, own.filter(|_| number != first)) else { continue };
        if !far(metres, own) {
            continue;
        }
        let wanted = match size {
            Some(size) => size,
            None => *size.insert(parts[first].1.size()?),
        };
        let Agreed { factor, warning } =
            agreed([(metres, &parts[first].0), (own, &parts[number].0)], [wanted, parts[number].1.size()?]);
        let part = &mut parts[number].1;
        part.change(&Similarity::scaling(factor));
        part.set_unit(metres);
        told.push(warning);
    }
    Ok(told)
}

/// What becomes of numbers in another unit.
pub struct Agreed {
    /// They are multiplied by this.
    pub factor: f64,
    /// What there is to say.
    pub warning: Warning,
}

/// Whether two files state other units.
pub fn far(a: f64, b: f64) -> bool {
    (a - b).abs() > 1e-9 * a.abs().max(b.abs())
}

/// By how much numbers of the second of two files are multiplied to be in the unit of the first. Each has metres and a
/// name; `sizes` are those of their first poses.
pub fn agreed([(to, first), (from, second)]: [(f64, &str); 2], sizes: [f64; 2]) -> Agreed {
    let (factor, ratio) = (from / to, sizes[0] / sizes[1]);
    let known = ratio.is_finite() && ratio > 0.0;
    let scaled = !(known && ratio.ln().abs() < (ratio / factor).ln().abs());
    let names = [first, second].map(Into::into);
    let warning = Warning::UnitsDiffer { names, metres: [to, from], scaled };
    Agreed { factor: if scaled { factor } else { 1.0 }, warning }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_count_unless_sizes_contradict() {
        let ask = |sizes| agreed([(0.01, "cm.usda"), (1.0, "m.glb")], sizes);
        assert_eq!(ask([165.0, 1.7]).factor, 100.0);
        assert_eq!(ask([0.0, 1.7]).factor, 100.0, "nothing to compare");
        let alike = ask([1.6, 1.7]);
        assert_eq!(alike.factor, 1.0);
        assert_eq!(
            alike.warning.to_string(),
            "a unit is a centimetre in cm.usda and a metre in m.glb, but they are of one size as they stand, and taken so"
        );
        // Twice the size is no other unit.
        assert_eq!(agreed([(0.0254, "a"), (0.01, "b")], [1.0, 2.6]).factor, 0.01 / 0.0254);
    }
}
