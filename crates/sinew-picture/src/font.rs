//! A typeface of strokes, drawn for this crate.
//!
//! Each printable ASCII character is a path of pen moves on a small grid, so that text is smooth at any
//! size and in any direction. The grid: baseline at 4, lower-case height at 14, capitals at 18,
//! descenders at 0. Coordinates are single base-36 digits, `m` moves the pen, `l` draws a line, `q` a
//! quadratic curve (control point, then end).

use glam::Vec2;

/// Grid units from baseline to the top of capitals; text sizes are given as this height.
const CAP: f32 = 14.0;
const BASELINE: f32 = 4.0;
/// Grid units between characters.
const SPACING: f32 = 4.4;
const WORD_SPACE: f32 = 4.0;
/// Straight pieces of one curve.
const CURVE_STEPS: usize = 6;

/// Paths of the characters from `!` to `~`.
#[rustfmt::skip]
const GLYPHS: [&str; 94] = [
    "m0i l09 m04 l04", "m0i l0e m4i l4e", "m3i l14 m9i l74 m0d lad m08 la8",
    "m9f q8i5i q0i0e q0b5b q9b98 q9444 q1407 m5k l52", "mai l14 m2i q0i0g q0e2e q4e4g q4i2i m98 q7876 q7494 qb4b6 qb898",
    "mb4 l2e q1i5i q8i8f q8c4b q0a07 q0444 q94aa", "m0i l0e", "m3j q0f0a q0531", "m0j q3f3a q3501",
    "m4i l4a m0g l8c m8g l0c", "m4f l47 m0b l8b", "m14 l01", "m0a l6a", "m04 l04", "m7j l02",
    "m5i q0i0b q0454 qa4ab qai5i", "m2f l6i l64", "m0e q0i5i qaiae qac7a l04 la4",
    "m0g q1i5i q9i9e q9b4b m4b qaba8 qa454 q0406", "m74 l7i l08 la8",
    "m9i l1i l0b q2d5d qada8 qa454 q1406", "m9g q8i6i q0i0a q0454 qa4a8 qad5d q0d09", "m0i lai l44",
    "m5b q1b1e q1i5i q9i9e q9b5b q0b07 q0454 qa4a7 qab5b", "m16 q2444 qa4ac qai5i q0i0e q0959 qa9ad",
    "m04 l04 m0c l0c", "m14 l01 m1c l1c", "m8f l0b l87", "m0d l8d m09 l89", "m0f l8b l07",
    "m0f q0i4i q9i9f q9c6b q4a48 m44 l44",
    "m9a q9d7d q4d4a q4777 q979a l98 q97b7 qd7db qdi7i q0i0b q0373 qa3b4",
    "m04 l6i lc4 m29 la9", "m04 l0i l5i q9i9e q9b5b l0b m5b qaba8 qa454 l04", "mbf qai6i q0i0b q0464 qa4b7",
    "m04 l0i l4i qbibb qb444 l04", "m9i l0i l04 l94 m0b l7b", "m9i l0i l04 m0b l7b",
    "mbf qai6i q0i0b q0464 qb4b8 lba l6a", "m04 l0i ma4 lai m0b lab", "m04 l0i", "m7i l78 q7434 q0408",
    "m04 l0i mai l0a m4d la4", "m0i l04 l84", "m04 l0i l68 lci lc4", "m04 l0i la4 lai",
    "m6i q0i0b q0464 qc4cb qci6i", "m04 l0i l5i qaiae qaa5a l0a", "m6i q0i0b q0464 qc4cb qci6i m88 lc3",
    "m04 l0i l5i qaiae qaa5a l0a m5a la4", "m9f q8i5i q0i0e q0b5b q9b98 q9444 q1407", "m5i l54 m0i lai",
    "m0i l09 q0454 qa4a9 lai", "m0i l54 lai", "m0i l44 l8i lc4 lgi", "m0i la4 mai l04", "m0i l5b l54 m5b lai",
    "m0i lai l04 la4", "m3j l0j l01 l31", "m0j l72", "m0j l3j l31 l01", "m0d l4i l8d", "m02 la2", "m0i l3f",
    "m8e l84 m89 q8444 q0409 q0e4e q8e89", "m0i l04 m09 q0e4e q8e89 q8444 q0409", "m8c q7e4e q0e09 q0444 q7486",
    "m8i l84 m89 q8444 q0409 q0e4e q8e89", "m09 l89 q8e4e q0e09 q0444 q7486", "m6i q2i2f l24 m0e l6e",
    "m8e l83 q8040 q2011 m89 q8444 q0409 q0e4e q8e89", "m0i l04 m0a q0e4e q8e8a l84", "m0e l04 m0i l0i",
    "m3e l33 q3000 m3i l3i", "m0i l04 m7e l08 m3b l84", "m0i l04", "m0e l04 m0a q0e3e q6e6a l64 m6a q6e9e qceca lc4",
    "m0e l04 m0a q0e4e q8e8a l84", "m4e q0e09 q0444 q8489 q8e4e", "m0e l00 m09 q0e4e q8e89 q8444 q0409",
    "m8e l80 m89 q8444 q0409 q0e4e q8e89", "m0e l04 m0a q0e5e", "m7d q6e4e q0e0b q0949 q8987 q8444 q1405",
    "m2h l27 q2464 m0e l6e", "m0e l08 q0444 q8488 m8e l84", "m0e l44 l8e", "m0e l34 l6e l94 lce",
    "m0e l84 m8e l04", "m0e l44 m8e l44 l20", "m0e l8e l04 l84",
    "m4j q2j2h l2d q2a0a q2a27 l23 q2141", "m0j l01", "m0j q2j2h l2d q2a4a q2a27 l23 q2101", "m09 q2d5b q88ad",
];

/// The strokes of a line of text whose capitals are `size` high, pen starting at the origin, x to the
/// right and y down. Also returns the width.
pub(crate) fn strokes(text: &str, size: f32) -> (Vec<Vec<Vec2>>, f32) {
    let unit = size / CAP;
    let (mut lines, mut pen) = (Vec::new(), 0.0_f32);
    for c in text.chars() {
        let Some(path) = glyph(c) else {
            pen += WORD_SPACE + SPACING;
            continue;
        };
        let (mut glyph_lines, width) = trace(path);
        // Digits are all as wide as a zero, so that columns of numbers line up.
        let width = if c.is_ascii_digit() { 10.0 } else { width };
        for point in glyph_lines.iter_mut().flatten() {
            *point = unit * Vec2::new(point.x + pen, BASELINE - point.y);
        }
        lines.append(&mut glyph_lines);
        pen += width + SPACING;
    }
    (lines, unit * (pen - SPACING).max(0.0))
}

/// The width of a line of text whose capitals are `size` high.
pub(crate) fn width(text: &str, size: f32) -> f32 {
    strokes(text, size).1
}

/// The path of a character, `None` for blanks. Common signs beyond ASCII have stand-ins.
fn glyph(c: char) -> Option<&'static str> {
    let c = match c {
        '×' => 'x',
        '–' | '—' | '−' => '-',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        c if c.is_whitespace() || c.is_control() => return None,
        c => c,
    };
    let index = (c as usize).wrapping_sub('!' as usize);
    Some(GLYPHS.get(index).copied().unwrap_or("m0i l8i l84 l04 l0i"))
}

fn trace(path: &str) -> (Vec<Vec<Vec2>>, f32) {
    let digit = |byte: u8| char::from(byte).to_digit(36).unwrap_or(0) as f32;
    let (mut lines, mut right) = (Vec::<Vec<Vec2>>::new(), 0.0_f32);
    for command in path.split(' ').map(str::as_bytes) {
        let point = |i: usize| Vec2::new(digit(command[2 * i + 1]), digit(command[2 * i + 2]));
        let end = point((command.len() - 1) / 2 - 1);
        right = right.max(end.x);
        match (command[0], lines.last_mut()) {
            (b'l', Some(line)) => line.push(end),
            (b'q', Some(line)) => {
                let start = line[line.len() - 1];
                for i in 1..=CURVE_STEPS {
                    let t = i as f32 / CURVE_STEPS as f32;
                    line.push(start.lerp(point(0), t).lerp(point(0).lerp(end, t), t));
                }
            }
            _ => lines.push(vec![end]),
        }
    }
    (lines, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_is_well_formed() {
        for (i, path) in GLYPHS.iter().enumerate() {
            let c = char::from(b'!' + i as u8);
            assert!(path.starts_with('m'), "{c}");
            for command in path.split(' ') {
                let expected = match command.as_bytes()[0] {
                    b'm' | b'l' => 3,
                    b'q' => 5,
                    other => panic!("{c}: {other}"),
                };
                assert_eq!(command.len(), expected, "{c}: {command}");
                assert!(
                    command[1..].chars().all(|d| d.to_digit(36).is_some_and(|d| d <= 20)),
                    "{c}: {command}"
                );
            }
            assert!(trace(path).0.iter().all(|line| line.len() > 1), "{c}: a dot needs a line of no length");
        }
    }

    #[test]
    fn digits_line_up() {
        assert_eq!(width("111", 10.0), width("888", 10.0));
        assert_eq!(width("", 10.0), 0.0);
        assert!(width("é\u{1f40e}", 10.0) > 0.0);
    }
}
