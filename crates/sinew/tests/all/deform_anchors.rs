//! Examples kept at anchors: what comes back of a field, at what size, on meshes of all kinds.

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use sinew::deform::ExampleField;
use sinew::deform::anchors::{
    AnchorCount, AnchorError, AnchorExample, AnchorOptions, AnchoredField, Anchors, Blend,
};
use sinew::progress::Silent;

type Triangles = Vec<[u32; 3]>;

/// A sheet of `x` × `y` squares of side 1, in waves.
fn sheet(x: u32, y: u32) -> (Triangles, Vec<Vec3>) {
    let height = |i: u32, j: u32| (0.4 * i as f32).sin() * (0.3 * j as f32).cos();
    let places = (0..=x).flat_map(|i| (0..=y).map(move |j| (i, j)));
    let rest = places.map(|(i, j)| Vec3::new(i as f32, j as f32, height(i, j))).collect();
    let squares = (0..x).flat_map(|i| (0..y).map(move |j| i * (y + 1) + j));
    let triangles = squares.flat_map(|v| [[v, v + y + 1, v + y + 2], [v, v + y + 2, v + 1]]).collect();
    (triangles, rest)
}

/// A field that varies slowly over the surface, and a little from triangle to triangle.
fn slow_field(triangles: &Triangles, rest: &[Vec3], noise: f64, phase: f64) -> ExampleField {
    let mut field = ExampleField::none(triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        let middle = corners.iter().map(|&v| rest[v as usize].as_dvec3()).sum::<DVec3>() / 3.0;
        let wave = |k: f64| (0.05 * k * middle.x + 0.07 * middle.y + k + phase).sin();
        let rough = |k: usize| noise * (((t * 9 + k) as f64 * 12.9898).sin() * 43758.547).fract();
        field.turns[t] = DVec3::new(wave(1.0) + rough(0), wave(1.3) + rough(1), wave(1.7) + rough(2));
        field.skews[t] = std::array::from_fn(|k| 0.3 * wave(0.8 + 0.1 * k as f64) + rough(3 + k));
    }
    field
}

fn all(fields: &[ExampleField]) -> Vec<AnchorExample<'_>> {
    fields.iter().map(|field| AnchorExample { field, plain: &[] }).collect()
}

fn with(count: AnchorCount) -> AnchorOptions {
    AnchorOptions { count, ..AnchorOptions::default() }
}

/// The nine numbers of a triangle of the field.
fn numbers(field: &ExampleField, t: usize) -> [f64; 9] {
    let [x, y, z] = field.turns[t].to_array();
    let [a, b, c, d, e, f] = field.skews[t];
    [x, y, z, a, b, c, d, e, f]
}

fn spread(anchors: &Anchors, values: &[Blend], triangles: usize) -> Vec<Blend> {
    let mut out = vec![[0.0; 9]; triangles];
    anchors.spread(values, &mut out);
    out
}

fn blends(anchors: &Anchors, field: &AnchoredField) -> Vec<Blend> {
    let mut values = vec![[0.0; 9]; anchors.len()];
    values.iter_mut().enumerate().for_each(|(a, to)| field.add_to(a, 1.0, to));
    values
}

/// Root of the mean square of what is between spread values and the field.
fn error(out: &[Blend], field: &ExampleField) -> f64 {
    let squares = out.iter().enumerate().flat_map(|(t, b)| {
        let wanted = numbers(field, t);
        (0..9).map(move |k| (f64::from(b[k]) - wanted[k]).powi(2)).collect::<Vec<_>>()
    });
    (squares.sum::<f64>() / out.len() as f64).sqrt()
}

#[test]
fn a_slow_field_comes_back_and_nearer_with_more_anchors() {
    let (triangles, rest) = sheet(60, 40);
    let field = slow_field(&triangles, &rest, 0.0, 0.0);
    let size = error(&vec![[0.0; 9]; triangles.len()], &field);
    let errors = [0.5, 1.0, 2.0, 5.0].map(|percent| {
        let options = with(AnchorCount::Percent(percent));
        let (anchors, values) =
            Anchors::choose(&triangles, &rest, &all(std::slice::from_ref(&field)), &options, &Silent)
                .unwrap();
        assert_eq!(anchors.len(), (triangles.len() as f64 * percent / 100.0).round() as usize);
        error(&spread(&anchors, &blends(&anchors, &values[0]), triangles.len()), &field) / size
    });
    assert!(errors.is_sorted_by(|more, fewer| more > fewer), "{errors:?}");
    assert!(errors[2] < 0.1, "{errors:?}");
}

#[test]
fn fitted_values_beat_the_fields_own() {
    let (triangles, rest) = sheet(40, 40);
    let field = slow_field(&triangles, &rest, 0.2, 0.0);
    let options = with(AnchorCount::Percent(2.0));
    let (anchors, values) =
        Anchors::choose(&triangles, &rest, &all(std::slice::from_ref(&field)), &options, &Silent).unwrap();
    let fitted = error(&spread(&anchors, &blends(&anchors, &values[0]), triangles.len()), &field);
    let sampled: Vec<Blend> = anchors
        .triangles()
        .iter()
        .map(|&t| {
            let own = numbers(&field, t as usize);
            own.map(|x| x as f32)
        })
        .collect();
    let sampled = error(&spread(&anchors, &sampled, triangles.len()), &field);
    // Hardly more than the noise, which no slow basis can follow.
    assert!(fitted < 0.9 * sampled, "{fitted} against {sampled}");
}

#[test]
fn anchors_go_where_the_field_is() {
    let (triangles, rest) = sheet(60, 40);
    let mut field = slow_field(&triangles, &rest, 0.0, 0.0);
    for (t, corners) in triangles.iter().enumerate() {
        let middle = rest[corners[0] as usize];
        let inside = f64::from((1.0 - middle.distance(Vec3::new(45.0, 20.0, 0.0)) / 10.0).max(0.0));
        field.turns[t] = 3.0 * inside * DVec3::X;
        field.skews[t] = [inside; 6];
    }
    let options = with(AnchorCount::Number(80));
    let (anchors, _) =
        Anchors::choose(&triangles, &rest, &all(std::slice::from_ref(&field)), &options, &Silent).unwrap();
    let inside = |t: &&u32| field.turns[**t as usize].x > 0.0;
    let share = anchors.triangles().iter().filter(inside).count() as f64 / 80.0;
    let of_surface = field.turns.iter().filter(|t| t.x > 0.0).count() as f64 / triangles.len() as f64;
    assert!(
        of_surface < 0.15 && share > 2.5 * of_surface,
        "{share} of the anchors on {of_surface} of the surface"
    );
}

/// Two sheets that share no vertex, a fin on one of them, triangles twice, collapsed and of no place at all.
fn awkward() -> (Triangles, Vec<Vec3>) {
    let (mut triangles, mut rest) = sheet(12, 9);
    let (second, other) = sheet(5, 5);
    let shift = rest.len() as u32;
    triangles.extend(second.iter().map(|t| t.map(|v| v + shift)));
    rest.extend(other.iter().map(|p| *p + Vec3::new(30.0, 0.0, 5.0)));
    let fin = rest.len() as u32;
    rest.extend([Vec3::new(1.0, 1.0, 4.0), Vec3::new(2.0, 2.0, -4.0), Vec3::splat(9.0)]);
    let [a, b, _] = triangles[0];
    triangles.extend([[a, b, fin], [a, b, fin + 1], triangles[3], [a, a, b], [fin + 2; 3]]);
    (triangles, rest)
}

#[test]
fn an_even_field_comes_back_from_few_anchors_on_any_mesh() {
    let (triangles, rest) = awkward();
    let mut field = ExampleField::none(triangles.len());
    field.turns.fill(DVec3::new(0.5, -1.0, 2.0));
    field.skews.fill([0.1, -0.2, 0.3, 0.05, 0.0, -0.4]);
    for count in [1, 2, 9] {
        let options = with(AnchorCount::Number(count));
        let (anchors, values) =
            Anchors::choose(&triangles, &rest, &all(std::slice::from_ref(&field)), &options, &Silent)
                .unwrap();
        let out = spread(&anchors, &blends(&anchors, &values[0]), triangles.len());
        assert!(error(&out, &field) < 2e-4, "{count}: {}", error(&out, &field));
    }
}

#[test]
fn every_triangle_can_be_an_anchor() {
    let (triangles, rest) = awkward();
    let field = slow_field(&triangles, &rest, 0.1, 0.0);
    let options = with(AnchorCount::Percent(100.0));
    let (anchors, values) =
        Anchors::choose(&triangles, &rest, &all(std::slice::from_ref(&field)), &options, &Silent).unwrap();
    let out = spread(&anchors, &blends(&anchors, &values[0]), triangles.len());
    assert!(anchors.len() > triangles.len() / 2);
    assert!(error(&out, &field) < 0.02, "{}", error(&out, &field));
}

#[test]
fn bases_are_made_again_from_the_anchors_alone() {
    let (triangles, rest) = awkward();
    let field = slow_field(&triangles, &rest, 0.1, 0.0);
    let options = AnchorOptions { count: AnchorCount::Number(20), per_triangle: 4 };
    let (anchors, _) = Anchors::choose(&triangles, &rest, &all(&[field]), &options, &Silent).unwrap();
    let again = Anchors::of_triangles(&triangles, &rest, anchors.triangles().to_vec(), 4).unwrap();
    assert_eq!(again, anchors);
}

#[test]
fn the_same_for_any_number_of_threads() {
    let (triangles, rest) = sheet(50, 50);
    let fields = [0.0, 1.0].map(|phase| slow_field(&triangles, &rest, 0.05, phase));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            Anchors::choose(&triangles, &rest, &all(&fields), &with(AnchorCount::Number(150)), &Silent)
                .unwrap()
        })
    };
    assert_eq!(run(1), run(5));
}

#[test]
fn a_twentieth_of_the_numbers_at_five_percent_and_budgets_are_kept() {
    let (triangles, rest) = sheet(50, 40);
    let fields = [0.0, 1.0, 2.0].map(|phase| slow_field(&triangles, &rest, 0.05, phase));
    let bytes = |anchors: &Anchors, values: &[AnchoredField]| {
        4 * anchors.len() + values.iter().map(AnchoredField::bytes).sum::<usize>()
    };
    // The dense form in the smallest of the usual number types.
    let dense = |examples: usize| examples * triangles.len() * 9 * size_of::<f32>();
    for examples in [1, 3] {
        let options = with(AnchorCount::Percent(5.0));
        let (anchors, values) =
            Anchors::choose(&triangles, &rest, &all(&fields[..examples]), &options, &Silent).unwrap();
        assert!(20 * bytes(&anchors, &values) <= dense(examples));
        let options = with(AnchorCount::Bytes(4000));
        let (anchors, values) =
            Anchors::choose(&triangles, &rest, &all(&fields[..examples]), &options, &Silent).unwrap();
        let used = bytes(&anchors, &values);
        assert!((3800..=4000).contains(&used), "{used}");
    }
}

#[test]
fn what_cannot_be_is_said() {
    let (triangles, rest) = sheet(3, 3);
    let field = ExampleField::none(triangles.len());
    let refused = |fields: &[ExampleField], options: AnchorOptions| {
        Anchors::choose(&triangles, &rest, &all(fields), &options, &Silent).unwrap_err().to_string()
    };
    let one = std::slice::from_ref(&field);
    assert!(refused(&[], with(AnchorCount::Number(3))).contains("there is none"));
    for (count, words) in [
        (AnchorCount::Number(0), "0 anchors"),
        (AnchorCount::Number(19), "19 anchors"),
        (AnchorCount::Percent(0.0), "0 % anchors"),
        (AnchorCount::Percent(f64::NAN), "NaN % anchors"),
        (AnchorCount::Bytes(40), "40 bytes of anchors"),
    ] {
        let said = refused(one, with(count));
        assert!(said.starts_with(words), "{said}");
    }
    let wide = AnchorOptions { count: AnchorCount::Number(3), per_triangle: 0 };
    assert!(refused(one, wide).contains("not 0"));
    let short = ExampleField::none(5);
    assert!(
        refused(&[field.clone(), short], with(AnchorCount::Number(3))).contains("example 1 has values for 5")
    );
    let mut broken = field.clone();
    broken.skews[7][2] = f64::NAN;
    let said = refused(&[broken], with(AnchorCount::Number(3)));
    assert!(said.contains("example 0") && said.contains("triangle 7"), "{said}");
    let none = Anchors::choose(&[], &[], &all(one), &AnchorOptions::default(), &Silent).unwrap_err();
    assert_eq!(none, AnchorError::NoTriangles);
    for bad in [vec![4, 2], vec![2, 2], vec![18]] {
        let error = Anchors::of_triangles(&triangles, &rest, bad, 6).unwrap_err();
        assert!(matches!(error, AnchorError::BadAnchor { .. }), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Any triangles at any places: anchors are had, and what they spread to lies between their values.
    #[test]
    fn any_soup_of_triangles_has_anchors(
        corners in prop::collection::vec([0..30_u32, 0..30, 0..30], 1..120),
        grid in 1..6_i32,
        count in 1..40_usize,
        per_triangle in 1..8_usize,
    ) {
        let place = |i: i32| Vec3::new((i * 7 % grid) as f32, (i * 5 % grid) as f32, (i * 3 % grid) as f32);
        let rest: Vec<Vec3> = (0..30).map(place).collect();
        let field = slow_field(&corners, &rest, 0.5, 0.0);
        let count = count.min(corners.len());
        let options = AnchorOptions { count: AnchorCount::Number(count), per_triangle };
        let (anchors, values) = Anchors::choose(&corners, &rest, &all(&[field]), &options, &Silent).unwrap();
        prop_assert!((1..=count).contains(&anchors.len()));
        let values = blends(&anchors, &values[0]);
        let ends = |k: usize| {
            let of = values.iter().map(|v| v[k]);
            (of.clone().fold(f32::INFINITY, f32::min), of.fold(f32::NEG_INFINITY, f32::max))
        };
        for out in spread(&anchors, &values, corners.len()) {
            for k in 0..9 {
                let (least, most) = ends(k);
                let slack = 1e-4 * (most - least) + 1e-5;
                prop_assert!(out[k] >= least - slack && out[k] <= most + slack, "{} {least} {most}", out[k]);
            }
        }
    }
}
