//! Affine bones as animated nodes.
//!
//! A glTF node turns, scales along its own axes and shifts; it cannot shear. With the singular value
//! decomposition A = U Σ Vᵀ two nodes can: the outer one carries the shift, U and Σ, the inner one, the
//! joint, carries Vᵀ. The decompositions are those of [`super::stretch`], keys between frames those of
//! [`super::between`].

use glam::{DAffine3, DMat3, DQuat, DVec3};
use sinew::solve::polar;

use super::stretch::{Axes, follow};
use super::turns::{is_rotation, same_hemisphere, slerp};
use super::way::{Outer, STEPS, path};

/// How far a bone's matrices may be from rotations, entry by entry, to be stored as such.
const PURE_ROTATION: f64 = 1e-6;
/// The same for a bone that is known to be rigid, and how far those of a file may be from rotations for it to
/// count as such. Scales of 100 and 0.01 that cancel each other, quaternions of f32 and inverse bind matrices
/// each leave their rounding, and down a chain of joints it adds up to some 1e-5. A body that stretches by less
/// than this does so by a tenth of a millimetre in two metres.
pub(crate) const RIGID_ROTATION: f64 = 5e-5;

/// Where a bone is and what it moves.
pub(crate) struct Place<'a> {
    pub center: DVec3,
    /// Whether the bone is known to be rigid.
    pub rigid: bool,
    pub outermost: &'a [Outer],
}

/// A bone's motion as node properties, one value per key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoneTracks {
    /// When each key is, in [`STEPS`] to the frame, ascending.
    pub keys: Vec<usize>,
    /// Shift of the outer node.
    pub translation: Vec<DVec3>,
    /// Turn of the outer node: U.
    pub rotation: Vec<DQuat>,
    /// Scale of the outer node: Σ; `None` where it is always one.
    pub scale: Option<Vec<DVec3>>,
    /// Turn of the inner node: Vᵀ; `None` where one node is enough.
    pub inner: Option<Vec<DQuat>>,
}

impl BoneTracks {
    /// Tracks of a bone with a key at every step, for [`super::between`] to choose from. The axes of its
    /// stretches start near `axes`.
    pub fn new(transforms: &[DAffine3], place: &Place, axes: Axes) -> Self {
        let tolerance = if place.rigid { RIGID_ROTATION } else { PURE_ROTATION };
        let path = path(transforms, place.center, place.outermost);
        if transforms.iter().all(|t| is_rotation(t.matrix3, tolerance)) {
            Self::rigid(path.into_iter(), 1)
        } else {
            Self::affine(&path, axes)
        }
    }

    /// Tracks of the rotations nearest to those of joints that are some steps apart.
    pub fn rigid(joints: impl Iterator<Item = DAffine3>, apart: usize) -> Self {
        let mut out = Self::empty();
        let mut last = DQuat::IDENTITY;
        for joint in joints {
            last = match polar(joint.matrix3) {
                Some(r) => same_hemisphere(DQuat::from_mat3(&r).normalize(), last),
                None => last,
            };
            out.rotation.push(last);
            out.translation.push(joint.translation);
        }
        out.keys = (0..out.translation.len()).map(|i| i * apart).collect();
        out
    }

    fn affine(path: &[DAffine3], axes: Axes) -> Self {
        let matrices: Vec<DMat3> = path.iter().map(|p| p.matrix3).collect();
        let stretches = follow(&matrices, axes.0);
        let follow_turns = |turns: &mut dyn Iterator<Item = DMat3>| -> Vec<DQuat> {
            let mut last = DQuat::IDENTITY;
            turns
                .map(|m| {
                    last = same_hemisphere(DQuat::from_mat3(&m).normalize(), last);
                    last
                })
                .collect()
        };
        let inner = follow_turns(&mut stretches.iter().map(|s| s.v.transpose()));
        Self {
            keys: (0..path.len()).collect(),
            translation: path.iter().map(|p| p.translation).collect(),
            rotation: follow_turns(&mut stretches.iter().map(|s| s.u)),
            scale: Some(stretches.iter().map(|s| s.sigma).collect()),
            inner: inner.iter().any(|q| *q != DQuat::IDENTITY).then_some(inner),
        }
    }

    fn empty() -> Self {
        Self { keys: Vec::new(), translation: Vec::new(), rotation: Vec::new(), scale: None, inner: None }
    }

    /// Which properties ever leave what the nodes have at rest, as f32 stores them: the outer one its place
    /// and turn, the inner one no turn.
    pub fn moved(&self, center: DVec3, turn: DQuat) -> Moved {
        let turns = |track: &[DQuat], rest: DQuat| track.iter().any(|q| q.as_quat() != rest.as_quat());
        Moved {
            translation: self.translation.iter().any(|t| t.as_vec3() != center.as_vec3()),
            rotation: turns(&self.rotation, turn),
            scale: self.scale.as_ref().is_some_and(|s| s.iter().any(|s| s.as_vec3() != glam::Vec3::ONE)),
            inner: self.inner.as_ref().is_some_and(|t| turns(t, DQuat::IDENTITY)),
        }
    }

    /// World transform of the joint a fraction `t` of the way from key `a` to key `b`, as viewers
    /// interpolate it.
    pub fn between(&self, a: usize, b: usize, t: f64) -> DAffine3 {
        let turn = |track: &[DQuat]| DMat3::from_quat(slerp(track[a], track[b], t));
        let mut matrix3 = turn(&self.rotation);
        if let Some(scale) = &self.scale {
            matrix3 *= DMat3::from_diagonal(scale[a].lerp(scale[b], t));
        }
        if let Some(inner) = &self.inner {
            matrix3 *= turn(inner);
        }
        DAffine3 { matrix3, translation: self.translation[a].lerp(self.translation[b], t) }
    }

    /// The same with keys at frames only.
    pub fn at_frames(&self) -> Self {
        let at_frame = |&place: &usize| self.keys[place].is_multiple_of(STEPS);
        self.kept(&(0..self.keys.len()).filter(at_frame).collect::<Vec<_>>())
    }

    /// The same with some keys only, given by their places.
    pub fn kept(&self, places: &[usize]) -> Self {
        fn pick<T: Copy>(track: &[T], places: &[usize]) -> Vec<T> {
            places.iter().map(|&i| track[i]).collect()
        }
        Self {
            keys: pick(&self.keys, places),
            translation: pick(&self.translation, places),
            rotation: pick(&self.rotation, places),
            scale: self.scale.as_ref().map(|t| pick(t, places)),
            inner: self.inner.as_ref().map(|t| pick(t, places)),
        }
    }
}

/// Properties of a bone's nodes that leave their rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moved {
    pub translation: bool,
    pub rotation: bool,
    pub scale: bool,
    pub inner: bool,
}

impl Moved {
    /// What either moves.
    pub fn or(self, other: Self) -> Self {
        Self {
            translation: self.translation || other.translation,
            rotation: self.rotation || other.rotation,
            scale: self.scale || other.scale,
            inner: self.inner || other.inner,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::EulerRot;
    use proptest::prelude::*;

    fn distance(a: DMat3, b: DMat3) -> f64 {
        (a - b).to_cols_array().iter().fold(0.0, |s: f64, x| s.max(x.abs()))
    }

    fn turn(x: f64, y: f64, z: f64) -> DMat3 {
        DMat3::from_quat(DQuat::from_euler(EulerRot::XYZ, x, y, z))
    }

    fn tracks(motion: impl Fn(f64) -> DMat3, frames: usize) -> BoneTracks {
        let transforms: Vec<DAffine3> = (0..frames)
            .map(|f| DAffine3 { matrix3: motion(f as f64), translation: DVec3::new(f as f64, 0.0, 0.0) })
            .collect();
        let axes = Axes::clearest(&transforms);
        let place = Place { center: DVec3::new(1.0, 2.0, 3.0), rigid: false, outermost: &[] };
        BoneTracks::new(&transforms, &place, axes).at_frames()
    }

    /// Largest deviation from `motion` at the keys and halfway between them.
    fn deviation(motion: impl Fn(f64) -> DMat3, frames: usize) -> (f64, f64) {
        let tracks = tracks(&motion, frames);
        (0..frames - 1).fold((0.0, 0.0), |(at, between): (f64, f64), f| {
            let here = distance(tracks.between(f, f + 1, 0.0).matrix3, motion(f as f64));
            let half = distance(tracks.between(f, f + 1, 0.5).matrix3, motion(f as f64 + 0.5));
            (at.max(here), between.max(half))
        })
    }

    /// A rotation of about four degrees a frame times a symmetric stretch.
    fn turning(stretch: impl Fn(f64) -> DMat3) -> impl Fn(f64) -> DMat3 {
        move |f| turn(0.05 * f, 0.04 * f + 0.1 * (0.2 * f).sin(), -0.03 * f) * stretch(f)
    }

    fn along(axes: DMat3, sigma: DVec3) -> DMat3 {
        axes * DMat3::from_diagonal(sigma) * axes.transpose()
    }

    #[test]
    fn turning_and_stretching_bones_interpolate_well() {
        // The stretch axes turn too, by about one degree a frame.
        let motion = turning(|f| {
            let sigma = DVec3::new(1.4 + 0.2 * (0.1 * f).sin(), 1.0, 0.7 + 0.1 * (0.15 * f).cos());
            along(turn(0.01 * f, 0.4, 0.015 * f), sigma)
        });
        let (at, between) = deviation(motion, 120);
        assert!(at < 1e-6 && between < 2e-3, "{at} {between}");
    }

    #[test]
    fn nearly_rigid_bones_interpolate_well() {
        for size in [1e-3, 1e-5, 1e-7, 1e-9] {
            let motion = turning(|f| {
                let sigma = DVec3::ONE + size * DVec3::new((0.1 * f).sin(), (0.07 * f).cos(), 0.3);
                along(turn(0.3, 0.02 * f, 0.1), sigma)
            });
            let (at, between) = deviation(motion, 120);
            assert!(at < 1e-6 && between < 5e-3, "{size}: {at} {between}");
        }
    }

    #[test]
    fn a_repeated_stretch_does_not_spin() {
        // A bone that lengthens along one axis and keeps its round cross-section.
        let axis = turn(0.4, -0.7, 0.2);
        let motion = turning(|f| {
            let thin = 1.0 - 0.1 * (0.1 * f).sin();
            along(axis, DVec3::new(1.0 + 0.3 * (0.1 * f).sin(), thin, thin))
        });
        let (at, between) = deviation(motion, 120);
        assert!(at < 1e-6 && between < 2e-3, "{at} {between}");
        let uniform = turning(|f| DMat3::IDENTITY * (1.0 + 0.01 * f));
        assert!(tracks(&uniform, 40).inner.is_none());
        assert!(deviation(uniform, 40).1 < 2e-3);
    }

    #[test]
    fn rotations_need_one_node_and_no_scale() {
        let tracks = tracks(turning(|_| DMat3::IDENTITY), 60);
        assert!(tracks.scale.is_none() && tracks.inner.is_none());
        assert!(tracks.rotation.windows(2).all(|w| w[0].dot(w[1]) > 0.9));
    }

    #[test]
    fn mirrored_bones_stay_mirrored_along_one_axis() {
        let motion = turning(|f| {
            let sigma = DVec3::new(1.0 + 0.05 * (0.3 * f).sin(), 1.0 + 0.05 * (0.2 * f).cos(), -1.0);
            DMat3::from_diagonal(sigma)
        });
        let (at, between) = deviation(motion, 100);
        assert!(at < 1e-6 && between < 5e-3, "{at} {between}");
    }

    #[test]
    fn flat_bones_are_finite_and_exact() {
        let flat = [
            DMat3::ZERO,
            DMat3::from_cols(DVec3::X, DVec3::X, DVec3::X),
            turn(1.0, 2.0, 0.5) * DMat3::from_diagonal(DVec3::new(2.0, 1.0, 0.0)) * turn(0.3, 0.1, 0.9),
            DMat3::from_diagonal(DVec3::new(1.0, 0.0, 0.0)),
            DMat3::from_diagonal(DVec3::new(1e-300, 0.0, 1e-308)),
            DMat3::from_diagonal(DVec3::splat(-1.0)),
            DMat3::IDENTITY,
        ];
        let (at, _) = deviation(|f| flat[(f as usize) % flat.len()], 3 * flat.len());
        assert!(at < 1e-6, "{at}");
        let tracks = tracks(|f| flat[(f as usize) % flat.len()], 3 * flat.len());
        assert!(tracks.rotation.iter().all(|q| (q.length() - 1.0).abs() < 1e-9));
    }

    proptest! {
        #[test]
        fn any_affine_motion_is_exact_at_its_keys(
            entries in prop::collection::vec(prop::array::uniform9(-3.0..3.0_f64), 1..6),
        ) {
            let matrices: Vec<DMat3> = entries.iter().map(DMat3::from_cols_array).collect();
            let tracks = tracks(|f| matrices[f as usize], matrices.len());
            for (f, m) in matrices.iter().enumerate() {
                prop_assert!(distance(tracks.between(f, f, 0.0).matrix3, *m) < 1e-5);
            }
        }
    }
}
