//! Where a crowd is seen from.

use glam::{Mat4, Vec3, Vec4};

use crate::herd::Herd;

/// A camera that stands at a point and looks at another, upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands.
    pub eye: Vec3,
    /// What is in the middle of the picture.
    pub target: Vec3,
    /// Degrees from the lower to the upper edge of the picture.
    pub field_of_view: f32,
}

/// A place to look at a herd from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewpoint {
    /// Degrees around the herd; 0 looks into its face, 90 stands at +X.
    pub around: f32,
    /// Degrees above the ground.
    pub above: f32,
    /// Distance from the herd's middle, in its own size.
    pub away: f32,
}

/// Field of view of cameras around herds.
const FIELD_OF_VIEW: f32 = 36.0;

impl Camera {
    /// A camera at a viewpoint of a herd.
    pub fn around(herd: &Herd, from: Viewpoint) -> Self {
        let (sin_a, cos_a) = from.around.to_radians().sin_cos();
        let (sin_e, cos_e) = from.above.clamp(1.0, 89.0).to_radians().sin_cos();
        let size = herd.half.max_element().max(0.6 * herd.height);
        let target = Vec3::new(0.0, 0.45 * herd.height, 0.0);
        let mut eye = target + from.away.max(0.01) * size * Vec3::new(sin_a * cos_e, sin_e, cos_a * cos_e);
        // Never under the ground.
        eye.y = eye.y.max(0.4 * herd.height);
        Self { eye, target, field_of_view: FIELD_OF_VIEW }
    }

    /// The camera on a smooth way through viewpoints, at a share of it from 0 to 1.
    pub fn along(herd: &Herd, way: &[Viewpoint], share: f32) -> Self {
        let last = way.len().saturating_sub(1);
        let at = share.clamp(0.0, 1.0) * last as f32;
        let first = (at as usize).min(last.saturating_sub(1));
        let point = |i: isize| way[i.clamp(0, last as isize) as usize];
        let [a, b, c, d] = [-1, 0, 1, 2].map(|step| point(first as isize + step));
        let smooth = |f: fn(&Viewpoint) -> f32| catmull_rom([f(&a), f(&b), f(&c), f(&d)], at - first as f32);
        Self::around(
            herd,
            Viewpoint {
                around: smooth(|v| v.around),
                above: smooth(|v| v.above),
                away: smooth(|v| v.away.ln()).exp(),
            },
        )
    }

    /// Directions to the right, up and ahead.
    pub fn axes(&self) -> [Vec3; 3] {
        let forward = (self.target - self.eye).try_normalize().unwrap_or(Vec3::NEG_Z);
        let right = forward.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X);
        [right, right.cross(forward), forward]
    }

    /// Pixels per unit at distance one.
    pub fn focal(&self, height: u32) -> f32 {
        0.5 * height as f32 / self.slope()
    }

    fn slope(&self) -> f32 {
        (0.5 * self.field_of_view.clamp(1.0, 150.0).to_radians()).tan()
    }

    /// World to clip space. Nearer is larger, and there is no far end.
    pub(crate) fn clip(&self, width: u32, height: u32, near: f32) -> Mat4 {
        let [right, up, forward] = self.axes();
        let focal = 1.0 / self.slope();
        let aspect = width as f32 / height as f32;
        let view = Mat4::from_cols(
            Vec4::new(right.x, up.x, -forward.x, 0.0),
            Vec4::new(right.y, up.y, -forward.y, 0.0),
            Vec4::new(right.z, up.z, -forward.z, 0.0),
            Vec4::new(-right.dot(self.eye), -up.dot(self.eye), forward.dot(self.eye), 1.0),
        );
        let project = Mat4::from_cols(
            Vec4::new(focal / aspect, 0.0, 0.0, 0.0),
            Vec4::new(0.0, focal, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 0.0, -1.0),
            Vec4::new(0.0, 0.0, near, 0.0),
        );
        project * view
    }

    /// Planes around what is seen: normals that point inwards, and distances.
    pub(crate) fn planes(&self, width: u32, height: u32, near: f32) -> [Vec4; 5] {
        let [right, up, forward] = self.axes();
        let tall = self.slope();
        let wide = tall * width as f32 / height as f32;
        let through_eye = |normal: Vec3| {
            let normal = normal.normalize();
            normal.extend(-normal.dot(self.eye))
        };
        [
            through_eye(right + wide * forward),
            through_eye(-right + wide * forward),
            through_eye(up + tall * forward),
            through_eye(-up + tall * forward),
            forward.extend(-forward.dot(self.eye) - near),
        ]
    }
}

fn catmull_rom([a, b, c, d]: [f32; 4], t: f32) -> f32 {
    let (t2, t3) = (t * t, t * t * t);
    0.5 * (2.0 * b + (c - a) * t + (2.0 * a - 5.0 * b + 4.0 * c - d) * t2 + (3.0 * (b - c) + d - a) * t3)
}
