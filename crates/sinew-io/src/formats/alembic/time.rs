//! When samples were taken.

use crate::Result;
use crate::containers::ogawa::Ogawa;

/// Time per cycle of samplings that are lists of times: the largest number over 32. Any this large is one.
pub(super) const ACYCLIC: f64 = f64::MAX / 32.0;
/// Times closer to a sample than this part of the way to the next are at it.
const SAME: f64 = 1e-6;

/// Times of samples, which properties share.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sampling {
    /// Seconds from one cycle to the next; [`ACYCLIC`] where there is only one.
    pub cycle: f64,
    /// Times within the first cycle. One, unless shutters are sampled or times are listed.
    pub times: Vec<f64>,
}

/// A place between two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Between {
    /// The sample at or before the time.
    pub lower: usize,
    /// How far on to the next, from 0 to 1. Zero at the sample itself.
    pub weight: f64,
}

impl Sampling {
    pub fn is_acyclic(&self) -> bool {
        self.cycle >= ACYCLIC
    }

    /// Time of a sample, in seconds.
    pub fn time(&self, index: usize) -> f64 {
        let count = self.times.len();
        if self.is_acyclic() {
            return self.times[index.min(count - 1)];
        }
        self.times[index % count] + self.cycle * (index / count) as f64
    }

    /// Where a time is among `samples` samples. Before the first and after the last, those hold.
    pub fn between(&self, time: f64, samples: usize) -> Between {
        let (mut lower, mut upper) = (0, samples.saturating_sub(1));
        while lower < upper {
            let middle = lower + (upper - lower).div_ceil(2);
            if self.time(middle) <= time { lower = middle } else { upper = middle - 1 }
        }
        let here = self.time(lower);
        if lower + 1 >= samples || time <= here {
            return Between { lower, weight: 0.0 };
        }
        let weight = (time - here) / (self.time(lower + 1) - here);
        match weight {
            w if w > 1.0 - SAME => Between { lower: lower + 1, weight: 0.0 },
            w if w > SAME => Between { lower, weight },
            _ => Between { lower, weight: 0.0 },
        }
    }
}

/// Reads an archive's samplings: for each the number of samples, the time per cycle, the number of times
/// and those.
pub(super) fn samplings(file: &Ogawa, bytes: &[u8]) -> Result<Vec<Sampling>> {
    let mut out = Vec::new();
    let mut rest = bytes;
    let cut = || file.malformed("the archive's times of samples are cut off");
    while !rest.is_empty() {
        let (head, tail) = rest.split_first_chunk::<16>().ok_or_else(cut)?;
        let (cycle, count) = head[4..].split_first_chunk().ok_or_else(cut)?;
        let cycle = f64::from_le_bytes(*cycle);
        let count = count.first_chunk().map_or(0, |b| u32::from_le_bytes(*b)) as usize;
        let (times, tail) =
            count.checked_mul(8).and_then(|length| tail.split_at_checked(length)).ok_or_else(cut)?;
        let times: Vec<f64> = times.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
        let sound = times.iter().all(|t| t.is_finite() && t.abs() < 1e12) && times.is_sorted();
        if !sound || times.is_empty() || !(cycle > 1e-9 && cycle.is_finite()) {
            let message = format!("the archive's times of samples, number {}, are no times", out.len());
            return Err(file.malformed(message));
        }
        out.push(Sampling { cycle, times });
        rest = tail;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_each_kind() {
        let uniform = Sampling { cycle: 0.5, times: vec![2.0] };
        assert_eq!([0, 1, 5].map(|i| uniform.time(i)), [2.0, 2.5, 4.5]);
        let cyclic = Sampling { cycle: 1.0, times: vec![-0.25, 0.0, 0.25] };
        assert_eq!([0, 2, 3, 7].map(|i| cyclic.time(i)), [-0.25, 0.25, 0.75, 2.0]);
        let listed = Sampling { cycle: ACYCLIC, times: vec![0.0, 1.0, 5.0] };
        assert_eq!([0, 2, 9].map(|i| listed.time(i)), [0.0, 5.0, 5.0]);
    }

    #[test]
    fn places_between_samples() {
        let listed = Sampling { cycle: ACYCLIC, times: vec![0.0, 1.0, 5.0] };
        let at = |time| {
            let Between { lower, weight } = listed.between(time, 3);
            (lower, weight)
        };
        assert_eq!(at(-3.0), (0, 0.0));
        assert_eq!(at(0.25), (0, 0.25));
        assert_eq!(at(1.0), (1, 0.0));
        assert_eq!(at(1.0 - 1e-9), (1, 0.0));
        assert_eq!(at(2.0), (1, 0.25));
        assert_eq!(at(99.0), (2, 0.0));
        let uniform = Sampling { cycle: 1.0 / 24.0, times: vec![0.0] };
        assert_eq!(uniform.between(7.0 / 24.0, 100), Between { lower: 7, weight: 0.0 });
        assert_eq!(uniform.between(7.0, 0), Between { lower: 0, weight: 0.0 });
    }
}
