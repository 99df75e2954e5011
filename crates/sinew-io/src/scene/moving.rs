//! Which clip is taken where nobody names one: the first in which anything moves.
//!
//! Many files have a take before the real one in which nothing does: Mixamo's hold an empty "Take 001".

use super::sampled::{SampleOptions, SampledRig};
use crate::{Result, Warning};

/// Clips that were sampled.
pub(crate) trait Moving {
    /// Whether any vertex moves.
    fn moves(&self) -> bool;

    /// How many frames there are.
    fn frames(&self) -> usize;

    /// Takes a warning along.
    fn warn(&mut self, warning: Warning);
}

impl Moving for SampledRig {
    fn moves(&self) -> bool {
        self.rig.moves(0..self.rig.frame_count())
    }

    fn frames(&self) -> usize {
        self.rig.frame_count()
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

/// With whatever else was read beside it.
impl<T> Moving for (SampledRig, T) {
    fn moves(&self) -> bool {
        self.0.moves()
    }

    fn frames(&self) -> usize {
        self.0.frames()
    }

    fn warn(&mut self, warning: Warning) {
        self.0.warn(warning);
    }
}

/// Samples the clips that are asked for, of a file with clips of these names. Where none is, the first that moves, or the
/// first of all where none does; it is said which that was.
pub(crate) fn sample_moving<T: Moving>(
    names: &[String],
    options: &SampleOptions,
    mut sample: impl FnMut(&SampleOptions) -> Result<T>,
) -> Result<T> {
    if !options.clips.is_empty() || names.is_empty() {
        let mut sampled = sample(options)?;
        if !names.is_empty() && sampled.frames() > 1 && !sampled.moves() {
            let all = ["all".to_string()];
            let asked = if options.clips == all { names } else { &options.clips };
            sampled.warn(Warning::NothingMoves { names: asked.to_vec(), clips: names.len() });
        }
        return Ok(sampled);
    }
    let mut first = None;
    for number in 0..names.len() {
        let alone = SampleOptions { clips: vec![called(names, number)], ..options.clone() };
        let mut sampled = sample(&alone)?;
        if sampled.moves() {
            if names.len() > 1 {
                sampled.warn(Warning::ClipTaken {
                    taken: names[number].clone(),
                    still: names[..number].to_vec(),
                    clips: Some(names.len()),
                });
            }
            return Ok(sampled);
        }
        first.get_or_insert(sampled);
    }
    match first {
        Some(mut first) => {
            // One frame is a pose, and nobody expects that to move.
            if names.len() > 1 || first.frames() > 1 {
                first.warn(Warning::NothingMoves { names: names.to_vec(), clips: names.len() });
            }
            Ok(first)
        }
        None => sample(options),
    }
}

/// What names one clip alone: its number, unless another is called that.
fn called(names: &[String], number: usize) -> String {
    let by_number = number.to_string();
    if names.contains(&by_number) { names[number].clone() } else { by_number }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some clips, the number of the one that was sampled, and what was said.
    struct Clip(usize, bool, Vec<String>);

    impl Moving for Clip {
        fn moves(&self) -> bool {
            self.1
        }

        fn frames(&self) -> usize {
            2
        }

        fn warn(&mut self, warning: Warning) {
            self.2.push(warning.to_string());
        }
    }

    fn ask(names: &[&str], moving: &[usize], clips: &[&str]) -> (usize, String) {
        let names: Vec<String> = names.iter().map(|n| (*n).into()).collect();
        let options =
            SampleOptions { clips: clips.iter().map(|c| (*c).into()).collect(), ..Default::default() };
        let sampled = sample_moving(&names, &options, |options| {
            let shown: Vec<&str> = names.iter().map(String::as_str).collect();
            let number = crate::scene::choice::choose(&shown, &options.clips).unwrap()[0];
            Ok(Clip(number, moving.contains(&number), Vec::new()))
        });
        let Clip(number, _, said) = sampled.unwrap();
        (number, said.join("; "))
    }

    #[test]
    fn the_first_clip_that_moves_is_taken_unless_another_is_named() {
        let (taken, said) = ask(&["Take 001", "walk", "run"], &[1, 2], &[]);
        assert_eq!(taken, 1);
        let wanted =
            "the file has 3 clips and walk was taken, the first in which anything moves, after Take 001";
        assert_eq!(said, wanted);
        assert_eq!(ask(&["walk", "run"], &[0, 1], &[]).0, 0);
        let asked = ask(&["Take 001", "walk"], &[1], &["Take 001"]);
        assert_eq!(asked, (0, "nothing moves in Take 001".into()), "as asked for");
        assert_eq!(ask(&["walk"], &[0], &[]), (0, String::new()), "the only one");
        // Clips with numbers for names, and without names.
        assert_eq!(ask(&["1", "0"], &[1], &[]).0, 1);
        assert_eq!(ask(&["", ""], &[1], &[]).0, 1);
    }

    #[test]
    fn it_is_said_where_nothing_moves_at_all() {
        let nothing = "nothing moves in any of the file's 2 clips: Take 001, (nameless)";
        assert_eq!(ask(&["Take 001", ""], &[], &[]), (0, nothing.into()));
        assert_eq!(ask(&["a"], &[], &[]), (0, "nothing moves in a, the only clip of the file".into()));
    }
}
