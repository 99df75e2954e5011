//! What is done to numbers so that their bytes repeat more: fewer bits, laid out alike.
//!
//! Encoders take the number of bits, from 4 to 16, or the length of a step, which is all that decides how exact
//! the result is.

/// The largest of signed integers of so many bits.
fn largest(bits: u32) -> i32 {
    (1 << (bits - 1)) - 1
}

fn rounded(x: f32, largest: i32) -> i32 {
    (x * largest as f32).round().clamp(-largest as f32, largest as f32) as i32
}

/// A unit vector as two coordinates on an octahedron, in 16-bit numbers. The fourth is left zero.
pub fn octahedral([x, y, z]: [f32; 3], bits: u32) -> [i16; 4] {
    let sum = (x.abs() + y.abs() + z.abs()).max(f32::MIN_POSITIVE);
    let (u, v) = (x / sum, y / sum);
    let (u, v) = match z < 0.0 {
        true => ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)),
        false => (u, v),
    };
    let one = largest(bits);
    [rounded(u, one) as i16, rounded(v, one) as i16, one as i16, 0]
}

/// The unit vector that [`octahedral`] stands for, in parts of `unit`.
fn from_octahedral([u, v, one, fourth]: [i32; 4], unit: f32) -> [i32; 4] {
    let one = one as f32;
    let (x, y) = (u as f32 / one, v as f32 / one);
    let z = 1.0 - x.abs() - y.abs();
    let behind = z.min(0.0);
    let (x, y) = (x - behind.copysign(x), y - behind.copysign(y));
    let length = (x * x + y * y + z * z).sqrt();
    let part = |c: f32| (c / length * unit).round() as i32;
    [part(x), part(y), part(z), fourth]
}

/// A unit quaternion without its largest part, in 16-bit numbers.
pub fn quaternion(q: [f32; 4], bits: u32) -> [i16; 4] {
    let most = (0..4).fold(0, |m, i| if q[i].abs() > q[m].abs() { i } else { m });
    let scale = std::f32::consts::SQRT_2.copysign(q[most]);
    let one = largest(bits);
    let part = |after: usize| rounded(q[(most + after) % 4] * scale, one) as i16;
    [part(1), part(2), part(3), (one & !3) as i16 | most as i16]
}

fn from_quaternion([a, b, c, last]: [i16; 4]) -> [i16; 4] {
    let one = f32::from(last | 3);
    let part = |v: i16| f32::from(v) / one * std::f32::consts::FRAC_1_SQRT_2;
    let (a, b, c) = (part(a), part(b), part(c));
    let left = (1.0 - a * a - b * b - c * c).max(0.0).sqrt();
    let most = usize::from(last.cast_unsigned() & 3);
    let mut q = [0; 4];
    for (after, value) in [left, a, b, c].into_iter().enumerate() {
        q[(most + after) % 4] = (value * 32767.0).round() as i16;
    }
    q
}

/// Floats as whole multiples of the largest power of two that is not above `step`, or of the smallest with which
/// they fit into 24 bits.
pub fn exponential(values: &[f32], step: f32) -> Vec<u32> {
    let most = values.iter().fold(0.0_f32, |m, v| m.max(v.abs()));
    let least = step.max(most / largest(24) as f32).max(f32::MIN_POSITIVE);
    let mut power = (least.log2().floor() as i32).clamp(-100, 100);
    let steps = |v: f32, power: i32| (f64::from(v) * f64::from(-power).exp2()).round();
    while power < 100 && steps(most, power) > f64::from(largest(24)) {
        power += 1;
    }
    let word = |v: &f32| (power as u32) << 24 | steps(*v, power) as i32 as u32 & 0xff_ffff;
    values.iter().map(word).collect()
}

/// The float that a word of [`exponential`] stands for.
pub fn from_exponential(value: u32) -> f32 {
    let (power, mantissa) = (value as i32 >> 24, (value << 8) as i32 >> 8);
    (f64::from(mantissa) * f64::from(power).exp2()) as f32
}

/// A filter, by its name in the extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Bytes are what they are.
    None,
    /// Unit vectors of four bytes, or four 16-bit numbers.
    Octahedral,
    /// Rotations of four 16-bit numbers.
    Quaternion,
    /// Floats.
    Exponential,
}

impl Filter {
    /// What the extension calls it; nothing for none.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Octahedral => Some("OCTAHEDRAL"),
            Self::Quaternion => Some("QUATERNION"),
            Self::Exponential => Some("EXPONENTIAL"),
        }
    }

    /// The filter of a name.
    pub fn named(name: Option<&str>) -> Option<Self> {
        let all = [Self::None, Self::Octahedral, Self::Quaternion, Self::Exponential];
        let name = name.filter(|name| *name != "NONE");
        all.into_iter().find(|filter| filter.name() == name)
    }

    /// Whether elements of so many bytes can be of this kind.
    pub fn takes(self, stride: usize) -> bool {
        match self {
            Self::None => true,
            Self::Octahedral => stride == 4 || stride == 8,
            Self::Quaternion => stride == 8,
            Self::Exponential => stride.is_multiple_of(4),
        }
    }

    /// Undoes the filter where the data stands.
    pub fn undo(self, data: &mut [u8], stride: usize) {
        match self {
            Self::None => {}
            Self::Octahedral if stride == 4 => {
                for four in data.as_chunks_mut().0 {
                    let bytes: &mut [u8; 4] = four;
                    let vector = from_octahedral(bytes.map(|b| i32::from(b.cast_signed())), 127.0);
                    *bytes = vector.map(|v| v as i8 as u8);
                }
            }
            Self::Octahedral => {
                each_four(data, |four| from_octahedral(four.map(i32::from), 32767.0).map(|v| v as i16))
            }
            Self::Quaternion => each_four(data, from_quaternion),
            Self::Exponential => {
                for four in data.as_chunks_mut().0 {
                    *four = from_exponential(u32::from_le_bytes(*four)).to_le_bytes();
                }
            }
        }
    }
}

/// Changes elements of four 16-bit numbers.
fn each_four(data: &mut [u8], change: impl Fn([i16; 4]) -> [i16; 4]) {
    for eight in data.as_chunks_mut::<8>().0 {
        let four = [0, 2, 4, 6].map(|i| i16::from_le_bytes([eight[i], eight[i + 1]]));
        for (i, value) in change(four).into_iter().enumerate() {
            eight[2 * i..2 * i + 2].copy_from_slice(&value.to_le_bytes());
        }
    }
}
