//! Who stands where: a herd scattered over a plain, everyone at a time of their own.

use glam::{Vec2, Vec3};

use crate::model::Model;

/// One of a crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Which model.
    pub model: usize,
    /// Where it stands.
    pub place: Vec3,
    /// Its turn about the upright axis, in radians from +Z towards +X.
    pub turn: f32,
    /// Its size, relative to the model's.
    pub scale: f32,
    /// The frame it is at when the time is zero.
    pub first_frame: f32,
    /// How fast it plays, 1 being the model's own rate.
    pub rate: f32,
    /// What its colours are multiplied with; [`Member::NEUTRAL`] leaves them as they are.
    pub tint: Vec3,
}

impl Member {
    /// A tint that changes nothing. Tints up to one make brighter: they are stored as bytes.
    pub const NEUTRAL: f32 = NEUTRAL;
}

/// How a herd is scattered.
#[derive(Clone, Debug, PartialEq)]
pub struct HerdOptions {
    /// How many there are.
    pub count: usize,
    /// The same seed gives the same herd.
    pub seed: u64,
    /// How many of each model there are for each other; as many of each when empty.
    pub shares: Vec<f32>,
}

impl Default for HerdOptions {
    fn default() -> Self {
        Self { count: 1000, seed: 1, shares: Vec::new() }
    }
}

/// A crowd on a plain.
#[derive(Clone, Debug, PartialEq)]
pub struct Herd {
    /// Everyone.
    pub members: Vec<Member>,
    /// Half the sides of the ground they stand on, bodies included.
    pub half: Vec2,
    /// A length of a body.
    pub body: f32,
    /// Height of the highest.
    pub height: f32,
    /// How fast the ground goes by, towards −Z, in units a second.
    pub speed: f32,
}

const NEUTRAL: f32 = 0.625;
/// Colours of those who have none of their own: chestnut, bay, brown, black, dun and grey.
const COATS: [Vec3; 7] = [
    Vec3::new(0.24, 0.125, 0.065),
    Vec3::new(0.18, 0.10, 0.058),
    Vec3::new(0.12, 0.075, 0.05),
    Vec3::new(0.065, 0.055, 0.05),
    Vec3::new(0.42, 0.31, 0.19),
    Vec3::new(0.38, 0.365, 0.35),
    Vec3::new(0.21, 0.115, 0.06),
];
/// Space around each, in parts of its own width and length.
const ROOM: Vec2 = Vec2::new(1.9, 1.25);
/// Length of a herd over its width.
const OBLONG: f32 = 1.5;
/// How far everyone may be from their place, in parts of the space between places.
const JITTER: Vec2 = Vec2::new(0.45, 0.3);
/// How far rows bend, in the same parts, in waves so slow that neighbours go along.
const BEND: f32 = 1.1;

impl Herd {
    /// A herd of one, where its model stands, that is at a frame when the time is zero. Its colours are its own.
    pub fn alone(model: &Model, frame: f32) -> Self {
        let size = model.highest - model.lowest;
        let member = Member {
            model: 0,
            place: Vec3::ZERO,
            turn: 0.0,
            scale: 1.0,
            first_frame: frame,
            rate: 1.0,
            tint: Vec3::splat(NEUTRAL),
        };
        Self {
            members: vec![member],
            half: 0.5 * Vec2::new(size.x, size.z),
            body: size.x.max(size.z).max(f32::MIN_POSITIVE),
            height: model.highest.y,
            speed: 0.0,
        }
    }

    /// Scatters members over an ellipse. Which model each is, is left to chance.
    pub fn scatter(models: &[Model], options: &HerdOptions) -> Self {
        let mut random = Random(options.seed ^ 0x5851_f42d_4c95_7f2d);
        let size = |m: &Model| Vec2::new(m.highest.x - m.lowest.x, m.highest.z - m.lowest.z);
        let body = models.iter().map(size).fold(Vec2::ZERO, Vec2::max);
        // Whoever turns while dancing needs as much room to the side as ahead.
        let narrow = body.x.max(0.35 * body.y);
        let cell = Vec2::new(narrow, body.y) * ROOM;
        let places = places(options.count, cell, &mut random);
        let members: Vec<Member> = places
            .iter()
            .map(|place| {
                let model = drawn(random.unit(), models.len(), &options.shares);
                let coat = match models.get(model).is_some_and(|m| m.plain) {
                    true => COATS[((random.unit() * COATS.len() as f32) as usize).min(COATS.len() - 1)],
                    false => Vec3::ONE,
                };
                let light = 0.8 + 0.4 * random.unit();
                let warm = 0.10 * (random.unit() - 0.5);
                Member {
                    model,
                    place: Vec3::new(place.x, 0.0, place.y),
                    turn: 0.16 * (random.unit() - 0.5),
                    scale: 0.92 + 0.16 * random.unit(),
                    first_frame: random.unit() * models.get(model).map_or(1.0, |m| m.gait.period as f32),
                    rate: 0.94 + 0.12 * random.unit(),
                    tint: (NEUTRAL * light * coat * Vec3::new(1.0 + warm, 1.0, 1.0 - warm)).min(Vec3::ONE),
                }
            })
            .collect();
        let reach = places.iter().fold(Vec2::ZERO, |reach, p| reach.max(p.abs()));
        let moving: Vec<f32> = models.iter().map(|m| m.gait.speed as f32).filter(|s| *s > 0.0).collect();
        Self {
            members,
            half: reach + 0.5 * body,
            body: body.max_element().max(f32::MIN_POSITIVE),
            height: models.iter().map(|m| m.highest.y).fold(0.0, f32::max),
            speed: moving.iter().sum::<f32>() / moving.len().max(1) as f32,
        }
    }
}

/// The model that a chance from 0 to 1 falls on.
fn drawn(chance: f32, models: usize, shares: &[f32]) -> usize {
    let share =
        |model: usize| shares.get(model).copied().unwrap_or(if shares.is_empty() { 1.0 } else { 0.0 });
    let mut left = chance * (0..models).map(share).sum::<f32>();
    for model in 0..models {
        left -= share(model);
        if left < 0.0 {
            return model;
        }
    }
    models.saturating_sub(1)
}

/// `count` places on an ellipse, those nearest to its middle first: rows like those of bricks, shaken.
fn places(count: usize, cell: Vec2, random: &mut Random) -> Vec<Vec2> {
    if count <= 1 {
        return vec![Vec2::ZERO; count];
    }
    // The ellipse that holds that many cells, and a little more.
    let width = (count as f32 * cell.x * cell.y * 4.0 / (std::f32::consts::PI * OBLONG)).sqrt();
    let half = 0.5 * Vec2::new(width, width * OBLONG) + 2.0 * cell;
    let [columns, rows] = (half / cell).ceil().to_array().map(|n| n as i32);
    let mut found: Vec<(f32, Vec2)> = Vec::new();
    for row in -rows..=rows {
        for column in -columns..=columns {
            let shift = if row & 1 == 0 { 0.0 } else { 0.5 };
            let even = Vec2::new(column as f32 + shift, row as f32);
            let shake = JITTER * (Vec2::new(random.unit(), random.unit()) - 0.5);
            let place = cell * (even + shake + bend(even));
            // Edges of a herd are frayed.
            let away = (place / Vec2::new(1.0, OBLONG)).length() + 0.8 * cell.length() * random.unit();
            found.push((away, place));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(count);
    found.into_iter().map(|(_, place)| place).collect()
}

/// Where a place of the plain is drawn aside, in slow waves.
fn bend(at: Vec2) -> Vec2 {
    let across = (0.17 * at.y + 0.6 * (0.09 * at.x).sin()).sin() + 0.5 * (0.07 * at.y - 0.11 * at.x).sin();
    let along = (0.13 * at.x + 0.6 * (0.07 * at.y).cos()).cos() + 0.5 * (0.10 * at.x + 0.05 * at.y).sin();
    BEND * Vec2::new(across, along)
}

/// Random numbers that are the same everywhere (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    /// At least 0 and less than 1.
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    }
}
