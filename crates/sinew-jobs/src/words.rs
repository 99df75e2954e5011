//! Numbers and names in sentences.

use sinew_io::formats::{self, Format};

/// A number with about four digits that count.
pub fn number(x: f64) -> String {
    let digits = if x == 0.0 || !x.is_finite() { 0.0 } else { x.abs().log10().floor() };
    if !(-4.0..9.0).contains(&digits) {
        return format!("{x:.3e}");
    }
    let text = format!("{x:.*}", (3.0 - digits).clamp(0.0, 8.0) as usize);
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// A size in bytes, kB, MB or GB.
pub fn size(bytes: u64) -> String {
    let b = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", b / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", b / 1e6),
        _ => format!("{:.2} GB", b / 1e9),
    }
}

/// "1 bone", "2 bones".
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// "1 frame of 3 vertices".
pub fn frames_of(frames: usize, vertices: usize) -> String {
    format!("{} of {}", count(frames, "frame", "frames"), count(vertices, "vertex", "vertices"))
}

/// "a, b or c".
pub fn one_of<S: AsRef<str>>(words: &[S]) -> String {
    listed(words, "or")
}

/// "a, b and c".
pub fn all_of<S: AsRef<str>>(words: &[S]) -> String {
    listed(words, "and")
}

fn listed<S: AsRef<str>>(words: &[S], joined: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).into(),
        Some((last, before)) => format!("{} {joined} {last}", before.join(", ")),
    }
}

/// "a", "a and b", "a to z": of names in a row.
pub fn first_to_last(names: &[String]) -> String {
    match names {
        [] | [_] | [_, _] => all_of(names),
        [first, .., last] => format!("{first} to {last}"),
    }
}

/// Names of files of some formats, as a list in a sentence: "*.obj or *.ply".
pub fn endings(word: &str, is: impl Fn(&Format) -> bool) -> String {
    let named = formats::ALL.iter().filter(|f| is(f)).flat_map(|f| f.written);
    let named: Vec<String> = named.map(|ending| format!("*.{ending}")).collect();
    match named.split_last() {
        None => "nothing".into(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {word} {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [0.0, 1.0, 0.12345, 4.56789, 123.456, 98765.4, 1e-9, f64::INFINITY].map(number).into();
        assert_eq!(shown, ["0", "1", "0.1235", "4.568", "123.5", "98765", "1.000e-9", "inf"]);
    }
}
