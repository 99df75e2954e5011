//! What a file says about its numbers: units, axes, times.

use glam::DMat3;
use sinew::geometry::Similarity;

use crate::Warning;
use crate::up::Up;
use crate::warning::length;

/// Facts about a file, each where it tells. Positions that Sinew hands out have y up, in the units of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The axis that is up in the file.
    pub up: Option<Up>,
    /// Whether the file's axes are left-handed.
    pub left_handed: Option<bool>,
    /// How many metres a unit is.
    pub metres_per_unit: Option<f64>,
    /// Frames per second.
    pub fps: Option<f64>,
    /// Times of the first and the last frame, in seconds.
    pub times: Option<(f64, f64)>,
    /// The program that wrote the file.
    pub made_by: Option<String>,
    /// Whatever else is worth knowing.
    pub notes: Vec<String>,
}

/// What is said about a file's numbers by those who name it: instead of what the file says, or where it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Said {
    /// How many metres a unit is.
    pub metres_per_unit: Option<f64>,
    /// The axis that is up.
    pub up: Option<Up>,
    /// Everything is made this many times as large.
    pub scale: Option<f64>,
}

impl Said {
    /// Puts what is said among the facts of what was read. Returns what becomes of its positions, which have y up if the
    /// file is right about its axes.
    pub fn settle(&self, facts: &mut Facts) -> Similarity {
        let turn = |up: Up| up.to_y().map_or(DMat3::IDENTITY, DMat3::from_quat);
        let mut change = Similarity::scaling(self.scale.unwrap_or(1.0));
        if let Some(up) = self.up {
            let stated = facts.up.replace(up).unwrap_or_default();
            change = change.then_turned(turn(stated).transpose()).then_turned(turn(up));
        }
        facts.metres_per_unit = self.metres_per_unit.or(facts.metres_per_unit);
        change
    }
}

impl Facts {
    /// In what two files differ besides their units, and by how much; `names` is how they are called.
    pub fn differences(&self, other: &Self, names: [&str; 2]) -> Vec<Warning> {
        let mut found = Vec::new();
        let names = || names.map(Into::into);
        if let (Some(m), Some(n)) = (self.up, other.up)
            && m != n
        {
            found.push(Warning::UpDiffers { names: names(), up: [m, n] });
        }
        if let (Some(m), Some(n)) = (self.left_handed, other.left_handed)
            && m != n
        {
            found.push(Warning::HandsDiffer { names: names(), left_handed: [m, n] });
        }
        if let (Some(m), Some(n)) = (self.fps, other.fps)
            && far(m, n)
        {
            found.push(Warning::RatesDiffer { names: names(), fps: [m, n] });
        }
        found
    }
}

/// Whether two numbers are not just roundings of each other.
fn far(a: f64, b: f64) -> bool {
    (a - b).abs() > 1e-4 * a.abs().max(b.abs())
}

impl Facts {
    /// The length of a unit in words, where the file tells it: "a centimetre".
    pub fn unit(&self) -> Option<String> {
        self.metres_per_unit.map(length)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn what_is_said_counts_before_what_the_file_says() {
        let said = Said { metres_per_unit: Some(0.0254), up: Some(Up::Z), scale: Some(2.0) };
        let place = DVec3::new(1.0, 2.0, 3.0);
        // A file that says nothing: z becomes y.
        let mut facts = Facts::default();
        assert_eq!(said.settle(&mut facts).place(place), DVec3::new(2.0, 6.0, -4.0));
        assert_eq!((facts.metres_per_unit, facts.up), (Some(0.0254), Some(Up::Z)));
        // One that says so itself was turned by its reader.
        assert_eq!(said.settle(&mut facts).place(place), 2.0 * place);
        // One that says z and has y up is turned back.
        let y = Said { up: Some(Up::Y), ..Said::default() };
        assert_eq!(y.settle(&mut facts).place(DVec3::new(1.0, 3.0, -2.0)), place);
        assert!(Said::default().settle(&mut facts).is_identity());
        for stated in [Up::X, Up::Y, Up::Z] {
            let mut facts = Facts { up: Some(stated), ..Facts::default() };
            let same = Said { up: Some(stated), ..Said::default() };
            assert!(same.settle(&mut facts).is_identity(), "{stated}");
        }
    }

    #[test]
    fn differences_say_by_how_much() {
        let a = Facts { metres_per_unit: Some(0.01), up: Some(Up::Z), fps: Some(24.0), ..Facts::default() };
        let b = Facts { metres_per_unit: Some(1.0), up: Some(Up::Y), fps: Some(60.0), ..Facts::default() };
        assert_eq!(
            a.differences(&b, ["a", "b"]).iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "z is up in a and y in b; both are turned so that y is",
                "a has 24 frames a second and b has 60, 2.5 times as many",
            ]
        );
        assert!(a.differences(&Facts::default(), ["a", "b"]).is_empty(), "nothing is said, nothing differs");
        let ntsc = Facts { fps: Some(23.976), ..Facts::default() };
        assert_eq!(ntsc.differences(&a, ["a", "b"]).len(), 1);
    }
}
