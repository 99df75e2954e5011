//! Where pictures are taken from.

use glam::{DVec3, Vec2, Vec3};

sinew::choices! {
    /// Which way is up in the data.
    #[derive(Default)]
    pub enum UpAxis: "axis" {
        /// +Y, as in glTF and most caches.
        #[default]
        Y = "y", "y is up, as in glTF and most caches",
        /// +Z, as in CAD and scans.
        Z = "z", "z is up, as in CAD and scans",
    }
}

impl UpAxis {
    /// Turns data so that +Y is up.
    pub(crate) fn upright(self, p: DVec3) -> DVec3 {
        match self {
            Self::Y => p,
            Self::Z => DVec3::new(p.x, p.z, -p.y),
        }
    }

    /// Turns back what [`UpAxis::upright`] turned.
    fn as_given(self, p: DVec3) -> DVec3 {
        match self {
            Self::Y => p,
            Self::Z => DVec3::new(p.x, -p.z, p.y),
        }
    }
}

/// A perspective camera, upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Camera {
    /// Looks at everything there is, from as near as it all fits the picture. Goes along with what travels
    /// further than it is long.
    Orbit {
        /// Degrees around the upright axis; 0 looks from +Z, 90 from +X.
        azimuth: f32,
        /// Degrees above the horizon.
        elevation: f32,
        /// Degrees from the lower to the upper edge of the picture.
        field_of_view: f32,
    },
    /// Stands at a point and looks at another. What is behind it is not seen.
    LookAt {
        /// Where the camera stands, in the coordinates of the data.
        eye: Vec3,
        /// The point in the middle of the picture.
        target: Vec3,
        /// Degrees from the lower to the upper edge of the picture.
        field_of_view: f32,
    },
}

impl Default for Camera {
    /// A three-quarter view from slightly above.
    fn default() -> Self {
        Self::Orbit { azimuth: -52.0, elevation: 12.0, field_of_view: 24.0 }
    }
}

/// Brings the data to a convenient place and size: upright, middle at the origin, about as large as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Normalize {
    up: UpAxis,
    center: DVec3,
    scale: f64,
}

/// A mesh that travels further than this many times its size is followed.
const FAR: f64 = 1.0;

impl Normalize {
    /// Places the box around all finite points on the box from −1 to 1, its proportions kept.
    pub fn new(up: UpAxis, points: impl Iterator<Item = Vec3>) -> Self {
        Self::around(up, box_around(up, points))
    }

    fn around(up: UpAxis, found: Option<[DVec3; 2]>) -> Self {
        let Some([min, max]) = found else { return Self { up, center: DVec3::ZERO, scale: 1.0 } };
        let radius = 0.5 * (max - min).length();
        let scale = if radius > 0.0 { 1.0 / radius } else { 1.0 };
        Self { up, center: 0.5 * (min + max), scale }
    }

    /// The same place and size for all shots, or, where what they show travels far, a place for each:
    /// that of its middle, so that the camera goes along.
    pub fn following<P: Iterator<Item = Vec3>>(up: UpAxis, shots: impl Iterator<Item = P>) -> Vec<Self> {
        let boxes: Vec<Option<[DVec3; 2]>> = shots.map(|points| box_around(up, points)).collect();
        let found = || boxes.iter().flatten();
        let union = |boxes: &mut dyn Iterator<Item = [DVec3; 2]>| {
            boxes.reduce(|[a, b], [min, max]| [a.min(min), b.max(max)])
        };
        let whole = union(&mut found().copied());
        let middle = |[min, max]: &[DVec3; 2]| 0.5 * (*min + *max);
        let length = |[min, max]: &[DVec3; 2]| (*max - *min).length();
        let travelled = union(&mut found().map(|b| [middle(b); 2])).map_or(0.0, |b| length(&b));
        if travelled <= FAR * found().map(length).fold(0.0, f64::max) {
            return vec![Self::around(up, whole); boxes.len()];
        }
        let gathered = union(&mut found().map(|b| b.map(|corner| corner - middle(b))));
        let size = Self::around(up, gathered);
        let of_shot = |b: &Option<[DVec3; 2]>| Self { center: b.map_or(DVec3::ZERO, |b| middle(&b)), ..size };
        boxes.iter().map(of_shot).collect()
    }

    pub fn apply(&self, p: Vec3) -> Vec3 {
        ((self.up.upright(p.as_dvec3()) - self.center) * self.scale).as_vec3()
    }

    /// Where a point comes from.
    pub fn undo(&self, p: Vec3) -> Vec3 {
        self.up.as_given(p.as_dvec3() / self.scale + self.center).as_vec3()
    }
}

/// Lowest and highest corner of the box around all finite points, upright.
fn box_around(up: UpAxis, points: impl Iterator<Item = Vec3>) -> Option<[DVec3; 2]> {
    points
        .filter(|p| p.is_finite())
        .map(|p| up.upright(p.as_dvec3()))
        .fold(None, |found, p| Some(found.map_or([p, p], |[min, max]: [DVec3; 2]| [min.min(p), max.max(p)])))
}

/// A camera made ready: the projection from normalised space to pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
    /// Pixels per unit of x/z and y/z.
    pub focal: f32,
    /// The pixel that the camera looks at.
    pub middle: Vec2,
}

/// Nothing nearer than this part of the scene's size is drawn.
pub(crate) const NEAR: f32 = 1e-3;

/// Free space around what an orbit camera frames, in parts of half the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Margin {
    /// Left and right, each.
    pub side: f32,
    pub above: f32,
    pub below: f32,
}

impl View {
    /// The view of `camera` on a picture of `size` pixels. `points` are those to frame, normalised.
    pub fn new(camera: Camera, normalize: &Normalize, size: Vec2, margin: Margin, points: &[Vec3]) -> Self {
        match camera {
            Camera::Orbit { azimuth, elevation, field_of_view } => {
                let (elevation, azimuth) = (finite(elevation).clamp(-89.9, 89.9), finite(azimuth));
                let (sin_a, cos_a) = azimuth.to_radians().sin_cos();
                let (sin_e, cos_e) = elevation.to_radians().sin_cos();
                let back = Vec3::new(sin_a * cos_e, sin_e, cos_a * cos_e);
                let mut view = Self::looking(Vec3::ZERO, -back, field_of_view, size);
                view.frame(size, margin, points);
                view
            }
            Camera::LookAt { eye, target, field_of_view } => {
                let (eye, target) = (normalize.apply(eye), normalize.apply(target));
                Self::looking(eye, target - eye, field_of_view, size)
            }
        }
    }

    fn looking(eye: Vec3, direction: Vec3, field_of_view: f32, size: Vec2) -> Self {
        let forward = direction.try_normalize().unwrap_or(Vec3::NEG_Z);
        let right = forward.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X);
        let half = 0.5 * finite(field_of_view).clamp(1.0, 150.0).to_radians();
        let eye = if eye.is_finite() { eye } else { Vec3::ZERO };
        Self {
            eye,
            right,
            up: right.cross(forward),
            forward,
            focal: 0.5 * size.y / half.tan(),
            middle: 0.5 * size,
        }
    }

    /// Steps back, and aside, until all points are inside of the margins and touch opposite ones.
    ///
    /// With x the offset to the right, z the depth and t the slope of the picture's right edge, a point
    /// is inside when x − cx ≤ t (z − cz), for an eye at (cx, cz): the largest x − t z on either side
    /// fixes both.
    fn frame(&mut self, size: Vec2, margin: Margin, points: &[Vec3]) {
        let Margin { side, above, below } = margin;
        let half = 0.5 * size / self.focal;
        let slope = Vec2::new(half.x * (1.0 - side), half.y * (1.0 - 0.5 * (above + below)));
        let (mut high, mut low, mut nearest) = (Vec2::NEG_INFINITY, Vec2::NEG_INFINITY, f32::INFINITY);
        for p in points {
            let (xy, z) = (Vec2::new(p.dot(self.right), p.dot(self.up)), p.dot(self.forward));
            high = high.max(xy - slope * z);
            low = low.max(-xy - slope * z);
            nearest = nearest.min(z);
        }
        if !(high.is_finite() && low.is_finite()) {
            (high, low, nearest) = (Vec2::ONE, Vec2::ONE, -1.0);
        }
        // A single point, or a line into the picture, leaves the distance open: keep a little away.
        let depth = (-0.5 * (high + low) / slope).min_element().min(nearest - 0.1);
        let across = 0.5 * (high - low);
        self.eye = across.x * self.right + across.y * self.up + depth * self.forward;
        self.middle.y += 0.25 * size.y * (above - below);
    }

    /// Offset to the right, up and depth of a point relative to the eye.
    pub fn eye_space(&self, p: Vec3) -> Vec3 {
        let d = p - self.eye;
        Vec3::new(d.dot(self.right), d.dot(self.up), d.dot(self.forward))
    }

    /// The pixel of a point given relative to the eye, which must be in front of it.
    pub fn pixel(&self, p: Vec3) -> Vec2 {
        self.middle + self.focal / p.z * Vec2::new(p.x, -p.y)
    }

    /// The direction, not normalised, in which a place of the picture lies.
    pub fn ray(&self, pixel: Vec2) -> Vec3 {
        let d = (pixel - self.middle) / self.focal;
        self.forward + d.x * self.right - d.y * self.up
    }
}

fn finite(x: f32) -> f32 {
    if x.is_finite() { x } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orbits_frame_everything_tightly() {
        let size = Vec2::new(300.0, 200.0);
        let points: Vec<Vec3> = (0..200)
            .map(|i| {
                Vec3::new((i as f32).sin() * 40.0, (i as f32 * 1.7).cos() * 3.0, (i as f32 * 0.3).sin() * 9.0)
            })
            .collect();
        let normalize = Normalize::new(UpAxis::Y, points.iter().copied());
        let placed: Vec<Vec3> = points.iter().map(|&p| normalize.apply(p)).collect();
        for azimuth in [-130.0, 0.0, 77.0] {
            let camera = Camera::Orbit { azimuth, elevation: 25.0, field_of_view: 40.0 };
            let margin = Margin { side: 0.1, above: 0.1, below: 0.1 };
            let view = View::new(camera, &normalize, size, margin, &placed);
            let (mut min, mut max) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
            for &p in &placed {
                let eye = view.eye_space(p);
                assert!(eye.z > NEAR);
                min = min.min(view.pixel(eye));
                max = max.max(view.pixel(eye));
            }
            assert!(min.cmpge(Vec2::ZERO).all() && max.cmple(size).all(), "{min} {max}");
            let filled = (max - min) / size;
            assert!(filled.max_element() > 0.8, "{filled}");
        }
    }

    #[test]
    fn z_up_data_stands_upright() {
        assert_eq!(UpAxis::Z.upright(DVec3::Z), DVec3::Y);
        assert_eq!(UpAxis::Z.upright(DVec3::Y), DVec3::NEG_Z);
        let p = DVec3::new(1.0, 2.0, 3.0);
        assert_eq!(UpAxis::Z.as_given(UpAxis::Z.upright(p)), p);
    }
}
