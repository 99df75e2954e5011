//! What attributes are at a time.

use glam::{DAffine3, DQuat, DVec3};

use super::layer::{Property, Raw};
use super::mesh_out::NAME;
use super::site::Site;
use super::stage::Stage;
use crate::Result;
use crate::scene::turns::slerp;

/// How values between two samples are found.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Between {
    /// The earlier sample's.
    Held,
    /// Straight from one to the other.
    Linear,
    /// Quaternions, along the shorter way.
    Turn,
}

/// The samples around a time: the earlier, the later, and how far between them it is.
fn around(site: &Site, times: &[f64], time: f64) -> (usize, usize, f64) {
    let time = (time - site.offset) / site.scale;
    let key = times.partition_point(|t| *t <= time).saturating_sub(1);
    let next = (key + 1).min(times.len().saturating_sub(1));
    let span = times[next] - times[key];
    let t = if span > 0.0 { ((time - times[key]) / span).clamp(0.0, 1.0) } else { 0.0 };
    (key, next, t)
}

impl Stage {
    fn numbers_of(&self, site: &Site, raw: Raw) -> Result<Option<Vec<f64>>> {
        self.layers[site.layer].numbers(raw)
    }

    /// The strongest value of an attribute.
    fn valued(&self, prim: usize, name: &str) -> Option<(&Site, &Property)> {
        let of_site = |site: &Site| self.layers[site.layer].prims[site.prim].properties.get(name);
        self.prims[prim].sites.iter().find_map(|site| {
            let property = of_site(site)?;
            let sampled = property.samples.as_ref().is_some_and(|s| !s.times.is_empty());
            (sampled || property.default.is_some()).then_some((site, property))
        })
    }

    /// The numbers of an attribute at a time; nothing where it has no value.
    pub fn at(&self, prim: usize, name: &str, time: f64, between: Between) -> Result<Option<Vec<f64>>> {
        let Some((site, property)) = self.valued(prim, name) else { return Ok(None) };
        let Some(samples) = property.samples.as_ref().filter(|s| !s.times.is_empty()) else {
            return property.default.map_or(Ok(None), |raw| self.numbers_of(site, raw));
        };
        let (key, next, t) = around(site, &samples.times, time);
        let before = self.numbers_of(site, samples.values[key])?;
        if t == 0.0 || between == Between::Held {
            return Ok(before);
        }
        let after = self.numbers_of(site, samples.values[next])?;
        let (Some(mut a), Some(b)) = (before.clone(), after) else { return Ok(before) };
        if a.len() != b.len() {
            return Ok(Some(a));
        }
        if between == Between::Turn {
            for (a, b) in a.chunks_exact_mut(4).zip(b.chunks_exact(4)) {
                let q = slerp(quaternion(a), quaternion(b), t);
                a.copy_from_slice(&[q.w, q.x, q.y, q.z]);
            }
        } else {
            a.iter_mut().zip(&b).for_each(|(a, b)| *a += (b - *a) * t);
        }
        Ok(Some(a))
    }

    /// The words of an attribute that does not change.
    pub fn words(&self, prim: usize, name: &str) -> Result<Vec<String>> {
        let Some((site, property)) = self.valued(prim, name) else { return Ok(Vec::new()) };
        let first = || property.samples.as_ref().and_then(|s| s.values.first().copied());
        property.default.or_else(first).map_or(Ok(Vec::new()), |raw| self.layers[site.layer].words(raw))
    }

    /// The first word.
    pub fn word(&self, prim: usize, name: &str) -> Result<Option<String>> {
        Ok(self.words(prim, name)?.into_iter().next())
    }

    /// What a prim is called: files written by Sinew say so where the prim may not be called that.
    pub fn name(&self, prim: usize) -> String {
        let stated = self.word(prim, NAME).ok().flatten();
        stated.unwrap_or_else(|| self.prims[prim].name.clone())
    }

    /// The numbers of an attribute where no time is asked for.
    pub fn default_of(&self, prim: usize, name: &str) -> Result<Option<Vec<f64>>> {
        let Some((site, property)) = self.valued(prim, name) else { return Ok(None) };
        property.default.map_or(Ok(None), |raw| self.numbers_of(site, raw))
    }

    /// Whether an attribute has a value.
    pub fn has(&self, prim: usize, name: &str) -> bool {
        self.valued(prim, name).is_some()
    }

    /// When an attribute has samples, in times of the stage.
    pub fn times(&self, prim: usize, name: &str) -> Vec<f64> {
        let Some((site, property)) = self.valued(prim, name) else { return Vec::new() };
        let times = property.samples.as_ref().map_or(&[][..], |s| &s.times);
        times.iter().map(|t| site.stage_time(*t)).collect()
    }

    /// Whether an attribute has more than one sample.
    pub fn varies(&self, prim: usize, name: &str) -> bool {
        self.valued(prim, name).and_then(|(_, p)| p.samples.as_ref()).is_some_and(|s| s.times.len() > 1)
    }

    /// Facts about a property, of the strongest site that states them.
    pub fn fact<T>(&self, prim: usize, name: &str, fact: impl Fn(&Property) -> Option<T>) -> Option<T> {
        let of_site = |site: &Site| self.layers[site.layer].prims[site.prim].properties.get(name);
        self.prims[prim].sites.iter().find_map(|site| fact(of_site(site)?))
    }

    /// How the values of a primvar lie on a mesh.
    pub fn interpolation(&self, prim: usize, name: &str) -> Option<String> {
        self.fact(prim, name, |p| p.interpolation.clone())
    }
}

/// Four numbers with the real part first; no turn where they are all zero.
pub(super) fn quaternion(q: &[f64]) -> DQuat {
    let q = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
    let length = q.length();
    if length > 1e-12 && length.is_finite() { q * length.recip() } else { DQuat::IDENTITY }
}

/// Sixteen numbers, row after row, of a matrix that row vectors are multiplied with.
pub(super) fn affine(m: &[f64]) -> DAffine3 {
    let row = |i: usize| DVec3::from_slice(&m[4 * i..4 * i + 3]);
    DAffine3::from_cols(row(0), row(1), row(2), row(3))
}

/// Points of three numbers each.
pub(super) fn points(numbers: &[f64]) -> Vec<DVec3> {
    numbers.chunks_exact(3).map(DVec3::from_slice).collect()
}
