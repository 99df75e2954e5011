use super::*;

#[test]
fn equal_values_are_stored_once() {
    let rows: [&[f32]; 4] = [&[0.5, 1.0], &[0.0, 0.0], &[0.5, 1.0], &[-0.0, 0.0]];
    let made = Attribute::new("light map", AttributeKind::Uv, Domain::Vertex, 2, rows);
    assert_eq!((made.value_count(), &made.indices[..]), (3, &[0, 1, 0, 2][..]));
    assert!((0..4).all(|place| made.value(place) == rows[place]));
    assert!(made.fits(4, 0) && !made.fits(3, 0));
}

#[test]
fn a_corner_has_the_value_of_its_vertex_or_its_own() {
    let rows: [&[f32]; 2] = [&[1.0], &[2.0]];
    let mut made = Attribute::new("heat", AttributeKind::Custom, Domain::Vertex, 1, rows);
    assert_eq!(made.at_corner(&[1, 0, 1], 2), [2.0]);
    made.domain = Domain::Corner;
    assert_eq!(made.at_corner(&[1, 0, 1], 0), [1.0]);
    assert!(made.fits(0, 2) && !made.fits(2, 0));
}

#[test]
fn what_nothing_has_is_left_out() {
    let rows: [&[f32]; 3] = [&[0.1; 3], &[0.2; 3], &[0.3; 3]];
    let mut made = Attribute::new("Col", AttributeKind::Color, Domain::Vertex, 3, rows);
    made.indices = vec![2, 0];
    let left = made.without_unused();
    assert_eq!((left.value_count(), left.value(0), left.value(1)), (2, rows[2], rows[0]));
}

#[test]
fn widths_are_those_of_the_kind() {
    let of = |kind, width: usize| {
        let row = [0.0; 5];
        Attribute::new("", kind, Domain::Vertex, width, [&row[..width]]).fits(1, 0)
    };
    let widths = |kind| (1..=5).filter(|&width| of(kind, width)).collect::<Vec<_>>();
    assert_eq!(widths(AttributeKind::Uv), [2]);
    assert_eq!(widths(AttributeKind::Color), [3, 4]);
    assert_eq!(widths(AttributeKind::Custom), [1, 2, 3, 4]);
}

#[test]
fn looks_tell_apart_what_any_attribute_tells_apart() {
    let of = |rows: [f32; 3]| {
        Attribute::new("", AttributeKind::Custom, Domain::Corner, 1, rows.chunks_exact(1).collect::<Vec<_>>())
    };
    let attributes = [of([0.0, 0.0, 1.0]), of([5.0, 6.0, 5.0])];
    let mut looks = Looks::default();
    let numbers: Vec<u32> = (0..3).map(|c| looks.number(&attributes, &[0, 1, 2], c)).collect();
    assert_eq!(numbers, [0, 1, 2]);
    let again = [of([1.0, 0.0, 0.0]), of([5.0, 6.0, 5.0])];
    assert_eq!(looks.number(&again, &[0, 1, 2], 0), 2);
    assert_eq!(looks.values(1), [0.0, 6.0]);
}
