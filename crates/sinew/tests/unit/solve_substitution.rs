use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn solutions_solve(
        size in 1..120_usize,
        pairs in prop::collection::vec((0..120_u32, 0..120_u32), 0..500),
    ) {
        let fold = |&(a, b): &(u32, u32)| [a % size as u32, b % size as u32];
        let mut pairs: Vec<[u32; 2]> = pairs.iter().map(fold).filter(|[a, b]| a < b).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let pattern = SymmetricPattern::new(size, &pairs);
        let mut values = Vec::new();
        for column in 0..size as u32 {
            let near = pairs.iter().filter(|p| p.contains(&column)).count();
            values.push(near as f64 + 0.1);
            values.extend(pairs.iter().filter(|p| p[0] == column).map(|_| -1.0));
        }
        let wanted: Vec<[f64; 3]> =
            (0..size).map(|i| [0.7, 1.3, 2.9].map(|f| (i as f64 * f).sin())).collect();
        let factor = Substitution::new(pattern.clone(), &values).unwrap();
        let mut x = vec![[0.0; 4]; size];
        for lane in 0..3 {
            let column: Vec<f64> = wanted.iter().map(|w| w[lane]).collect();
            for (row, b) in pattern.times(&values, &column).into_iter().enumerate() {
                x[factor.place(row as u32) as usize][lane] = b;
            }
        }
        factor.solve(&mut x);
        for (row, wanted) in wanted.iter().enumerate() {
            let got = x[factor.place(row as u32) as usize];
            prop_assert!((0..3).all(|lane| (got[lane] - wanted[lane]).abs() < 1e-9));
        }
    }
}
