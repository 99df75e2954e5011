//! The colour of a place on a surface under the studio's lights.

use glam::{Vec2, Vec3};

use crate::color::heat_color;
use crate::light::{Lighting, Received};
use crate::raster::ScreenTriangle;
use crate::surface::{Look, Looks, PLAIN_GLOSS, Surface};

const LAMP: Vec3 = Vec3::new(1.10, 1.03, 0.94);
const SKY: Vec3 = Vec3::new(0.36, 0.39, 0.44);
const FLOOR: Vec3 = Vec3::new(0.21, 0.195, 0.18);
const FILL: Vec3 = Vec3::new(0.12, 0.135, 0.16);
const RIM: f32 = 0.30;

/// Everything that the colour of a pixel depends on besides the pixel.
pub(crate) struct Studio<'a> {
    pub surface: &'a Surface<'a>,
    pub lighting: &'a Lighting,
    /// Direction towards the lamp.
    pub lamp: Vec3,
    /// Direction towards the weak light on the other side.
    pub fill: Vec3,
    pub eye: Vec3,
    /// Width of mesh lines in samples, 0 for none.
    pub line_width: f32,
}

impl Studio<'_> {
    /// The colour, linear and ready to show, of a place given in samples.
    pub fn color(&self, t: &ScreenTriangle, sample: Vec2) -> Vec3 {
        let index = t.triangle as usize;
        let vertices = self.surface.triangles[index].map(|v| v as usize);
        let b = t.barycentric(sample);
        let side = usize::from(!t.front);
        let received = Received::mix(vertices.map(|v| self.lighting.vertices[v][side]), b);
        let (normal, view) = self.normal_and_view(t, b);
        let lit = self.light(&self.look(index, vertices, b), normal, view, &received);
        let near = t.edge_distance(sample, self.surface.outline[index]);
        let line = (0.5 * self.line_width + 0.5 - near).clamp(0.0, 1.0) * self.line_width.min(1.0);
        tone_map(lit) * (1.0 - 0.6 * line)
    }

    /// Cosine of the angle at which a place is looked at: 1 straight on, 0 along the surface.
    pub fn facing(&self, t: &ScreenTriangle, sample: Vec2) -> f32 {
        let (normal, view) = self.normal_and_view(t, t.barycentric(sample));
        normal.dot(view).clamp(0.0, 1.0)
    }

    /// The normal of the side that is seen, and the direction towards the eye.
    fn normal_and_view(&self, t: &ScreenTriangle, b: Vec3) -> (Vec3, Vec3) {
        let [p, q, r] = self.surface.triangles[t.triangle as usize].map(|v| v as usize);
        let mix = |values: &[Vec3]| b.x * values[p] + b.y * values[q] + b.z * values[r];
        let normal = mix(&self.surface.normals).try_normalize().unwrap_or(Vec3::Y);
        let view = (self.eye - mix(&self.surface.positions)).try_normalize().unwrap_or(Vec3::Z);
        (if t.front { normal } else { -normal }, view)
    }

    fn look(&self, triangle: usize, vertices: [usize; 3], b: Vec3) -> Look {
        let source = vertices.map(|v| self.surface.source[v] as usize);
        let gloss = PLAIN_GLOSS;
        match &self.surface.looks {
            Looks::Same(look) => *look,
            Looks::PerTriangle(looks) => looks[triangle],
            Looks::PerVertex(colors) => {
                let [p, q, r] = source.map(|v| colors[v]);
                Look { color: b.x * p + b.y * q + b.z * r, gloss }
            }
            Looks::Scalar { values, range } => {
                let value = b.dot(Vec3::from_array(source.map(|v| values[v])));
                let span = range.1 - range.0;
                let t = if span != 0.0 { (value - range.0) / span } else { value - range.0 };
                Look { color: heat_color(t), gloss }
            }
        }
    }

    fn light(&self, look: &Look, n: Vec3, view: Vec3, received: &Received) -> Vec3 {
        // Light wraps a little around the edge between day and night, which keeps low-poly meshes calm.
        let day = ((n.dot(self.lamp) + 0.12) / 1.12).max(0.0) * received.lamp;
        let up = 0.5 + 0.5 * n.y;
        let open = received.sky * up + received.floor * (1.0 - up);
        let diffuse = LAMP * day
            + SKY * (up * received.sky)
            + FLOOR * ((1.0 - up) * received.floor)
            + FILL * (n.dot(self.fill).max(0.0) * open);
        let half = (self.lamp + view).try_normalize().unwrap_or(n);
        let polish = 10.0 + 190.0 * look.gloss * look.gloss;
        let shine =
            (0.02 + 0.5 * look.gloss * look.gloss) * n.dot(half).max(0.0).powf(polish) * received.lamp;
        let grazing = (1.0 - n.dot(view).max(0.0)).powi(4);
        let rim = RIM * grazing * up * received.sky;
        look.color * (diffuse + rim) + Vec3::splat(0.9 * shine + 0.08 * rim) * LAMP
    }
}

/// Leaves dark and middle tones alone and rolls highlights off towards white.
fn tone_map(x: Vec3) -> Vec3 {
    const KNEE: f32 = 0.72;
    let roll = |v: f32| {
        if v <= KNEE { v.max(0.0) } else { KNEE + (1.0 - KNEE) * (1.0 - (-(v - KNEE) / (1.0 - KNEE)).exp()) }
    };
    Vec3::new(roll(x.x), roll(x.y), roll(x.z))
}
