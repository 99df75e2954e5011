//! Units and axes of what is read and written: one rule for all jobs.
//!
//! Numbers stay in the unit of what was read until a file is written. Formats whose unit is a metre get metres; those that
//! state a unit state the one that was read; others have no place for it, and get the numbers of the source. Where nothing
//! tells a unit, one is taken to be a metre, and numbers stay as they are. Sizes in metres change only by a scale that is
//! asked for.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew_io::formats::{self, Facts, Format, Said};
use sinew_io::motion::Up;
use sinew_io::open::units::{Agreed, agreed, far};

use crate::error::{FieldProblem, JobError, Outcome};
use crate::warning::Warning;

/// Units by the letters they are known by, in metres.
const KNOWN: [(&str, f64); 6] =
    [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048), ("km", 1000.0)];

/// How long a unit is: "m", "cm", "mm", "in", "ft", "km", or a number of metres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Length", into = "Length")]
#[schemars(with = "Length")]
pub struct Unit {
    metres: f64,
}

/// A unit as files have it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Length {
    /// So many metres, such as 0.01.
    Metres(f64),
    /// Letters, such as "cm".
    Letters(String),
}

impl Unit {
    /// A unit of some metres.
    pub fn new(metres: f64) -> Option<Self> {
        (metres > 0.0 && metres.is_finite()).then_some(Self { metres })
    }

    /// How many metres it is.
    pub fn metres(self) -> f64 {
        self.metres
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = KNOWN.iter().find(|(letters, _)| letters.eq_ignore_ascii_case(text));
        let metres = known.map(|(_, metres)| *metres).or_else(|| text.parse().ok());
        metres.and_then(Self::new).ok_or_else(|| {
            let letters: Vec<&str> = KNOWN.iter().map(|(letters, _)| *letters).collect();
            format!("a unit is one of {}, or a number of metres", letters.join(", "))
        })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match KNOWN.iter().find(|(_, metres)| *metres == self.metres) {
            Some((letters, _)) => f.write_str(letters),
            None => write!(f, "{}", self.metres),
        }
    }
}

impl TryFrom<Length> for Unit {
    type Error = String;

    fn try_from(length: Length) -> Result<Self, String> {
        match length {
            Length::Metres(metres) => metres.to_string().parse(),
            Length::Letters(letters) => letters.parse(),
        }
    }
}

impl From<Unit> for Length {
    fn from(unit: Unit) -> Self {
        let text = unit.to_string();
        text.parse().map_or(Self::Letters(text), Self::Metres)
    }
}

/// What a job's fields say about the numbers of its source, for its reader.
pub fn said(unit: Option<Unit>, up: Option<Up>, scale: Option<f64>) -> Said {
    Said { metres_per_unit: unit.map(Unit::metres), up, scale }
}

/// What is made more times as large, or as small, leaves the numbers that files hold.
const MOST_SCALE: f64 = 1e12;

/// Checks what is said about the numbers of a source.
///
/// # Errors
/// A scale that is no positive number, or so far from one that coordinates would be none in files.
pub fn check(scale: Option<f64>) -> Outcome<()> {
    let (least, most) = (1.0 / MOST_SCALE, MOST_SCALE);
    match scale {
        Some(scale) if !(scale > 0.0 && scale.is_finite()) => {
            JobError::field("scale", FieldProblem::NotPositive(scale))
        }
        Some(value) if !(least..=most).contains(&value) => {
            JobError::field("scale", FieldProblem::Beyond { value, least, most })
        }
        _ => Ok(()),
    }
}

/// What becomes of the numbers of something that is read beside something else, where files tell the
/// units of both and they differ. `sizes` are those of their first poses.
pub fn beside(facts: [&Facts; 2], names: [&str; 2], sizes: [f64; 2]) -> Option<Agreed> {
    let (to, from) = facts[0].metres_per_unit.zip(facts[1].metres_per_unit)?;
    far(to, from).then(|| agreed([(to, names[0]), (from, names[1])], sizes))
}

/// By how much numbers in the unit of the second are multiplied to be in that of the first; by 1 where files do not tell.
pub fn factor(facts: [&Facts; 2]) -> f64 {
    let metres = facts[0].metres_per_unit.zip(facts[1].metres_per_unit);
    metres.filter(|(to, from)| far(*to, *from)).map_or(1.0, |(to, from)| from / to)
}

/// Units of a source and of what was written of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Units {
    /// Metres of a unit of the source; null where nothing tells it.
    pub input_unit: Option<f64>,
    /// Metres of a unit of what was written; null where it has no place for that, or where nothing tells it.
    pub output_unit: Option<f64>,
    /// What numbers were multiplied by on the way into the file.
    pub output_scale: f64,
}

impl Default for Units {
    fn default() -> Self {
        Self { input_unit: None, output_unit: None, output_scale: 1.0 }
    }
}

impl Units {
    /// Of a source with these facts, written in a format.
    pub fn new(facts: &Facts, format: &Format) -> Self {
        let input_unit = facts.metres_per_unit;
        let output_unit = format.unit.written(input_unit);
        let output_scale = match (input_unit, format.unit.fixed()) {
            (Some(metres), Some(fixed)) => metres / fixed,
            _ => 1.0,
        };
        Self { input_unit, output_unit, output_scale }
    }

    /// Of a source, and of a file of this name, if one was written.
    pub fn of_file(facts: &Facts, output: Option<&Path>) -> Self {
        match output.and_then(formats::to_write) {
            Some(format) => Self::new(facts, format),
            None => Self { input_unit: facts.metres_per_unit, ..Self::default() },
        }
    }

    /// A scale that is asked for and is the same as the one that units bring along may have been meant instead of it.
    pub fn doubt(&self, scale: Option<f64>) -> Option<Warning> {
        let scale = scale.filter(|scale| self.output_scale != 1.0 && is_about(*scale, self.output_scale))?;
        Some(Warning::ScaledTwice { unit: self.input_unit.unwrap_or(1.0), scale })
    }
}

fn is_about(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-4 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_io::formats::{ALEMBIC, FBX, GLTF, PC2, SINEW, USD};

    #[test]
    fn units_go_by_letters_and_by_metres() {
        for (text, metres) in [("cm", 0.01), ("CM", 0.01), ("0.01", 0.01), ("in", 0.0254), ("2.5e-1", 0.25)] {
            assert_eq!(text.parse::<Unit>().unwrap().metres(), metres, "{text}");
        }
        for text in ["", "yard", "0", "-1", "nan", "inf", "1 cm"] {
            assert!(text.parse::<Unit>().unwrap_err().contains("cm"), "{text}");
        }
        for (json, unit) in [("\"mm\"", 0.001), ("0.5", 0.5), ("1", 1.0)] {
            assert_eq!(serde_json::from_str::<Unit>(json).unwrap().metres(), unit);
        }
        assert_eq!(serde_json::to_string(&Unit::new(0.01).unwrap()).unwrap(), "\"cm\"");
        assert_eq!(serde_json::to_string(&Unit::new(0.015).unwrap()).unwrap(), "0.015");
        assert!(serde_json::from_str::<Unit>("-1").is_err());
    }

    #[test]
    fn numbers_are_scaled_only_into_formats_with_a_unit_of_their_own() {
        let facts = |metres_per_unit| Facts { metres_per_unit, ..Facts::default() };
        let of = |metres, format| {
            let units = Units::new(&facts(metres), format);
            (units.output_unit, units.output_scale)
        };
        assert_eq!(of(Some(0.01), &GLTF), (Some(1.0), 0.01));
        assert_eq!(of(None, &GLTF), (Some(1.0), 1.0));
        for format in [&FBX, &USD] {
            assert_eq!(of(Some(0.01), format), (Some(0.01), 1.0));
            assert_eq!(of(None, format), (Some(1.0), 1.0), "what is written where nothing is known");
        }
        assert_eq!(of(Some(0.01), &SINEW), (Some(0.01), 1.0));
        for format in [&SINEW, &ALEMBIC, &PC2] {
            assert_eq!(of(None, format), (None, 1.0));
        }
        assert_eq!(of(Some(0.01), &ALEMBIC), (None, 1.0));
    }
}
