//! Numbers and names in sentences.

/// Names of clips that a sentence lists.
const MOST_NAMES: usize = 5;

/// A length in the unit that people would use.
pub fn length(metres: f64) -> String {
    let is = |other: f64| (metres - other).abs() <= 1e-4 * metres.abs().max(other);
    match metres {
        _ if is(1.0) => "a metre".into(),
        _ if is(0.01) => "a centimetre".into(),
        _ if is(0.001) => "a millimetre".into(),
        _ if is(0.0254) => "an inch".into(),
        _ if is(0.3048) => "a foot".into(),
        m => format!("{} m", rounded(m)),
    }
}

/// A number with as many digits as anyone wants to read.
pub(super) fn rounded(value: f64) -> String {
    let digits = (3 - value.abs().max(1e-12).log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// "1 bone", "2 bones".
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A clip's name.
pub(super) fn shown(name: &str) -> &str {
    if name.is_empty() { "(nameless)" } else { name }
}

/// Names of clips, of many the first.
pub(super) fn listed(names: &[String]) -> String {
    let some: Vec<&str> = names.iter().take(MOST_NAMES).map(|name| shown(name)).collect();
    let more = if names.len() > MOST_NAMES { ", …" } else { "" };
    some.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_told_in_the_unit_that_people_would_use() {
        assert_eq!(length(0.0254), "an inch");
        assert_eq!(length(0.025), "0.025 m");
    }
}
