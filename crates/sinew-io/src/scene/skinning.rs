//! Weights as glTF wants them: none negative, each joint once, the largest first, a sum of one.

use std::path::Path;

use sinew::rig::Rig;

use crate::warning::Counted;
use crate::{Error, Result, Warning};

/// Weights below zero by no more than this are rounding noise.
const NEGATIVE_NOISE: f32 = 1e-6;
/// Sums further than this from one are worth a warning.
const SUM_NOISE: f64 = 1e-4;

/// How weights are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WeightFormat {
    /// In 255ths.
    U8,
    /// In 65535ths.
    U16,
    /// As floats.
    F32,
}

/// Influences of all vertices, `slots` each, a multiple of four.
pub(crate) struct Influences {
    pub slots: usize,
    pub joints: Vec<u16>,
    pub weights: Vec<f32>,
}

impl Influences {
    /// Cleans a rig's weights.
    pub fn new(path: &Path, rig: &Rig, warnings: &mut Vec<Warning>) -> Result<Self> {
        if rig.bones.len() > 1 << 16 {
            let message = format!(
                "{} bones are more than the 65536 that files of rigs can tell apart",
                rig.bones.len()
            );
            return Err(Error::unsupported(path, message));
        }
        let mut rows = Vec::with_capacity(rig.rest.len());
        let mut off = 0;
        for vertex in 0..rig.rest.len() {
            let (row, sum) = clean_row(path, rig, vertex)?;
            off += usize::from((sum - 1.0).abs() > SUM_NOISE);
            rows.push(row);
        }
        if off > 0 {
            warnings.push(Warning::Count { count: off, of: Counted::NotNormalised });
        }
        let most = rows.iter().map(Vec::len).max().unwrap_or(1);
        let slots = most.next_multiple_of(4);
        let mut out =
            Self { slots, joints: vec![0; slots * rows.len()], weights: vec![0.0; slots * rows.len()] };
        for (vertex, row) in rows.iter().enumerate() {
            for (slot, &(joint, weight)) in row.iter().enumerate() {
                out.joints[vertex * slots + slot] = joint;
                out.weights[vertex * slots + slot] = weight;
            }
        }
        Ok(out)
    }

    /// Slots of a set of four, for each of these vertices.
    pub(crate) fn set(&self, vertices: &[u32], set: usize) -> Vec<usize> {
        let start = |v: &u32| *v as usize * self.slots + 4 * set;
        vertices.iter().map(start).flat_map(|start| start..start + 4).collect()
    }

    /// The same in an order that packs well: joints stay in the place where vertices before had them.
    pub(crate) fn steady_set(&self, vertices: &[u32], set: usize) -> Vec<usize> {
        let mut slots = self.set(vertices, set);
        let mut last = [None; 4];
        for four in slots.as_chunks_mut::<4>().0 {
            let joint = |slot: usize| Some(self.joints[slot]).filter(|_| self.weights[slot] > 0.0);
            let mut placed = [None; 4];
            let mut others = Vec::with_capacity(4);
            for &slot in four.iter() {
                match (0..4).find(|place| joint(slot).is_some() && joint(slot) == last[*place]) {
                    Some(place) => placed[place] = Some(slot),
                    None => others.push(slot),
                }
            }
            let mut others = others.into_iter();
            for (place, slot) in placed.into_iter().enumerate() {
                four[place] = slot.or_else(|| others.next()).unwrap_or(four[place]);
                last[place] = joint(four[place]).or(last[place]);
            }
        }
        slots
    }

    /// The same influences with weights rounded to what `format` can store.
    pub(crate) fn rounded(&self, format: WeightFormat) -> Self {
        let steps = match format {
            WeightFormat::U8 => 255,
            WeightFormat::U16 => 65535,
            WeightFormat::F32 => 0,
        };
        let mut out = Self { slots: self.slots, joints: self.joints.clone(), weights: self.weights.clone() };
        if steps == 0 {
            return out;
        }
        for (joints, weights) in
            out.joints.chunks_exact_mut(self.slots).zip(out.weights.chunks_exact_mut(self.slots))
        {
            round_row(weights, steps);
            for (joint, weight) in joints.iter_mut().zip(weights) {
                if *weight == 0.0 {
                    *joint = 0;
                }
            }
        }
        out
    }
}

/// The influences of a vertex and the sum its weights had.
fn clean_row(path: &Path, rig: &Rig, vertex: usize) -> Result<(Vec<(u16, f32)>, f64)> {
    let (bones, weights) = rig.weights.of(vertex);
    if let Some(weight) = weights.iter().find(|w| **w < -NEGATIVE_NOISE) {
        return Err(Error::NegativeWeight { path: path.into(), vertex, weight: *weight });
    }
    let mut row: Vec<(u16, f64)> = Vec::new();
    for (&bone, &weight) in bones.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
        match row.iter_mut().find(|r| r.0 == bone as u16) {
            Some(known) => known.1 += f64::from(weight),
            None => row.push((bone as u16, f64::from(weight))),
        }
    }
    let sum: f64 = row.iter().map(|r| r.1).sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(Error::unsupported(path, format!("vertex {vertex} follows no bone")));
    }
    row.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut stored: Vec<(u16, f32)> = row.iter().map(|&(bone, w)| (bone, (w / sum) as f32)).collect();
    stored.retain(|r| r.1 > 0.0);
    // The largest takes up what rounding left over, so that the stored sum is one to the last bit.
    let rest: f64 = stored[1..].iter().map(|r| f64::from(r.1)).sum();
    stored[0].1 = (1.0 - rest) as f32;
    Ok((stored, sum))
}

/// Rounds weights to multiples of 1 / `steps` that still sum to one, by largest remainder.
fn round_row(weights: &mut [f32], steps: u32) {
    let exact: Vec<f64> = weights.iter().map(|w| f64::from(*w) * f64::from(steps)).collect();
    let mut whole: Vec<u32> = exact.iter().map(|x| x.floor() as u32).collect();
    let mut missing = steps.saturating_sub(whole.iter().sum());
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&i, &j| exact[j].fract().total_cmp(&exact[i].fract()));
    for &i in order.iter().cycle().take(steps as usize) {
        if missing == 0 {
            break;
        }
        if weights[i] > 0.0 {
            whole[i] += 1;
            missing -= 1;
        }
    }
    for (weight, n) in weights.iter_mut().zip(whole) {
        *weight = (f64::from(n) / f64::from(steps)) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn steady_sets_hold_the_same_influences(rows in prop::collection::vec(prop::collection::btree_map(
            0..6_u16, 0.1..1.0_f32, 0..5_usize), 1..20)) {
            let mut all = Influences { slots: 4, joints: vec![0; 4 * rows.len()], weights: vec![0.0; 4 * rows.len()] };
            for (v, row) in rows.iter().enumerate() {
                for (slot, (joint, weight)) in row.iter().enumerate() {
                    (all.joints[4 * v + slot], all.weights[4 * v + slot]) = (*joint, *weight);
                }
            }
            let vertices: Vec<u32> = (0..rows.len() as u32).rev().collect();
            let steady = all.steady_set(&vertices, 0);
            for (four, plain) in steady.chunks_exact(4).zip(all.set(&vertices, 0).chunks_exact(4)) {
                let mut sorted = four.to_vec();
                sorted.sort_unstable();
                prop_assert_eq!(sorted, plain);
            }
            // What two neighbours both have stays where it is.
            for pair in steady.as_chunks::<4>().0.windows(2) {
                for (i, &a) in pair[0].iter().enumerate().filter(|(_, a)| all.weights[**a] > 0.0) {
                    let same = |b: &usize| all.weights[*b] > 0.0 && all.joints[*b] == all.joints[a];
                    prop_assert!(pair[1].iter().position(same).is_none_or(|j| j == i));
                }
            }
        }

        #[test]
        fn rounded_weights_sum_to_one_and_stay_in_order(raw in prop::collection::vec(0.0..1.0_f32, 1..9)) {
            let sum: f32 = raw.iter().sum();
            prop_assume!(sum > 0.1);
            let mut weights: Vec<f32> = raw.iter().map(|w| w / sum).collect();
            weights.sort_by(|a, b| b.total_cmp(a));
            for steps in [255, 65535] {
                let mut rounded = weights.clone();
                round_row(&mut rounded, steps);
                let total: f64 = rounded.iter().map(|w| (f64::from(*w) * f64::from(steps)).round()).sum();
                prop_assert_eq!(total, f64::from(steps));
                prop_assert!(rounded.windows(2).all(|w| w[0] >= w[1]));
                prop_assert!(rounded.iter().zip(&weights).all(|(a, b)| (a - b).abs() <= 1.5 / steps as f32));
            }
        }
    }
}
