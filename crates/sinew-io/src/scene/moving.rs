//! Which clip is taken where nobody names one: the first in which anything moves.
//!
//! Many files have a take before the real one in which nothing does: Mixamo's hold an empty "Take 001".

use super::sampled::{SampleOptions, SampledRig};
use crate::Result;

/// Names of clips that a sentence lists.
const MOST_NAMES: usize = 5;

/// Clips that were sampled.
pub(crate) trait Moving {
    /// Whether any vertex moves.
    fn moves(&self) -> bool;

    /// How many frames there are.
    fn frames(&self) -> usize;

    /// Takes a sentence for people along.
    fn warn(&mut self, sentence: String);
}

impl Moving for SampledRig {
    fn moves(&self) -> bool {
        self.rig.moves(0..self.rig.frame_count())
    }

    fn frames(&self) -> usize {
        self.rig.frame_count()
    }

    fn warn(&mut self, sentence: String) {
        self.warnings.push(sentence);
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

    fn warn(&mut self, sentence: String) {
        self.0.warn(sentence);
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
            sampled
                .warn(nothing_moves(if options.clips == all { names } else { &options.clips }, names.len()));
        }
        return Ok(sampled);
    }
    let mut first = None;
    for number in 0..names.len() {
        let alone = SampleOptions { clips: vec![called(names, number)], ..options.clone() };
        let mut sampled = sample(&alone)?;
        if sampled.moves() {
            if names.len() > 1 {
                sampled.warn(taken(&names[number], &names[..number], Some(names.len())));
            }
            return Ok(sampled);
        }
        first.get_or_insert(sampled);
    }
    match first {
        Some(mut first) => {
            // One frame is a pose, and nobody expects that to move.
            if names.len() > 1 || first.frames() > 1 {
                first.warn(nothing_moves(names, names.len()));
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

/// What to say where one of several clips was taken and none was asked for: how many there are, where that is known, and
/// those before it, in which nothing moves.
pub(crate) fn taken(name: &str, before: &[String], clips: Option<usize>) -> String {
    let clips = clips.map_or_else(|| "several".into(), |clips| clips.to_string());
    let still = match before {
        [] => String::new(),
        before => format!(", the first in which anything moves, after {}", listed(before)),
    };
    let name = shown(name);
    format!(
        "the file has {clips} clips and {name} was taken{still}; --clip NAME takes another, --clip all takes them all"
    )
}

/// What to say where nothing moves in these of so many clips.
pub(crate) fn nothing_moves(names: &[String], clips: usize) -> String {
    match names {
        [one] if clips == 1 => format!("nothing moves in {}, the only clip of the file", shown(one)),
        all if all.len() == clips => {
            format!("nothing moves in any of the file's {clips} clips: {}", listed(all))
        }
        some => format!("nothing moves in {}", listed(some)),
    }
}

fn shown(name: &str) -> &str {
    if name.is_empty() { "(nameless)" } else { name }
}

fn listed(names: &[String]) -> String {
    let some: Vec<&str> = names.iter().take(MOST_NAMES).map(|name| shown(name)).collect();
    let more = if names.len() > MOST_NAMES { ", …" } else { "" };
    some.join(", ") + more
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

        fn warn(&mut self, sentence: String) {
            self.2.push(sentence);
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
            "the file has 3 clips and walk was taken, the first in which anything moves, after Take 001; ";
        assert!(said.starts_with(wanted), "{said}");
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
