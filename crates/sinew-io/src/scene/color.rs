//! Colours that are stored as screens show them (sRGB, IEC 61966-2-1), and linear ones.

/// A stored number as light.
pub(crate) fn to_linear(stored: f64) -> f64 {
    if stored <= 0.04045 { stored / 12.92 } else { ((stored + 0.055) / 1.055).powf(2.4) }
}

/// Light as a stored number.
pub(crate) fn to_srgb(light: f64) -> f64 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

/// A value of a colour attribute with its first three numbers changed: opacity is not light.
pub(crate) fn changed(value: &[f32], change: fn(f64) -> f64) -> impl Iterator<Item = f64> {
    value.iter().enumerate().map(move |(i, x)| if i < 3 { change(f64::from(*x)) } else { f64::from(*x) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_back() {
        for i in -20..200 {
            let x = f64::from(i) / 100.0;
            assert!((to_linear(to_srgb(x)) - x).abs() < 1e-9, "{x}");
        }
        assert!((to_linear(0.5) - 0.214_041).abs() < 1e-6);
        assert_eq!((to_linear(0.0), to_linear(1.0)), (0.0, 1.0));
    }
}
