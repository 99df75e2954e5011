//! The order in which people count: frame2 before frame10.

use std::cmp::Ordering;

/// Compares names with runs of digits taken as numbers. Names that differ only in leading zeros are
/// ordered by their bytes, so that equal means identical.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    loop {
        let order = match (digits(x), digits(y)) {
            (0, _) | (_, 0) => match (x.split_first(), y.split_first()) {
                (Some((p, rest_x)), Some((q, rest_y))) => {
                    (x, y) = (rest_x, rest_y);
                    p.cmp(q)
                }
                _ => return x.len().cmp(&y.len()).then_with(|| a.cmp(b)),
            },
            (n, m) => {
                let (p, q) = (significant(&x[..n]), significant(&y[..m]));
                (x, y) = (&x[n..], &y[m..]);
                p.len().cmp(&q.len()).then_with(|| p.cmp(q))
            }
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Length of the run of digits at the start.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A number without its leading zeros.
fn significant(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count() {
        let mut names =
            ["f10.obj", "f2.obj", "f1.obj", "f", "f02.obj", "a3b10", "a3b9", "g0", "f99999999999999999999"];
        names.sort_by(|a, b| compare(a, b));
        let expected =
            ["a3b9", "a3b10", "f", "f1.obj", "f02.obj", "f2.obj", "f10.obj", "f99999999999999999999", "g0"];
        assert_eq!(names, expected);
    }

    proptest::proptest! {
        #[test]
        fn it_is_a_total_order(names in proptest::collection::vec("[a0-2]{0,4}", 3)) {
            let [a, b, c] = [&names[0], &names[1], &names[2]];
            assert_eq!(compare(a, b), compare(b, a).reverse());
            assert_eq!(compare(a, b).is_eq(), a == b);
            if compare(a, b).is_le() && compare(b, c).is_le() {
                assert!(compare(a, c).is_le());
            }
        }
    }
}
