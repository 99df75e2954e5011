use super::*;

#[test]
fn ankles_come_where_they_are_to_be_and_bones_keep_their_lengths() {
    let leg = LegPose { hip: DVec3::Y, knee: DVec3::new(0.0, 0.5, 0.08), ankle: DVec3::new(0.02, 0.1, 0.0) };
    let lengths = |leg: &LegPose| (leg.hip.distance(leg.knee), leg.knee.distance(leg.ankle));
    for place in [DVec3::new(0.1, 0.2, 0.3), DVec3::new(-0.2, 0.14, -0.1), DVec3::new(0.0, 0.6, 0.2)] {
        let bent = leg.bent_to(place, DVec3::X);
        assert!(bent.ankle.distance(place) < 1e-9, "{} is not {place}", bent.ankle);
        let now = LegPose {
            hip: bent.thigh.transform_point3(leg.hip),
            knee: bent.thigh.transform_point3(leg.knee),
            ankle: bent.shin.transform_point3(leg.ankle),
        };
        assert!(now.ankle.distance(place) < 1e-9 && now.hip.distance(leg.hip) < 1e-12);
        assert!(bent.shin.transform_point3(leg.knee).distance(now.knee) < 1e-12, "the knee holds");
        let (was, is) = (lengths(&leg), lengths(&now));
        assert!((was.0 - is.0).abs() < 1e-12 && (was.1 - is.1).abs() < 1e-12);
        // It bends the way it did.
        assert!(now.axis().dot(leg.axis()) > 0.0);
    }
}

#[test]
fn what_is_too_far_is_pointed_at() {
    let leg = LegPose { hip: DVec3::Y, knee: DVec3::new(0.0, 0.5, 0.0), ankle: DVec3::ZERO };
    let bent = leg.bent_to(DVec3::new(3.0, 1.0, 0.0), DVec3::X);
    assert!((bent.ankle.x - TUNING.planting.stretched).abs() < 1e-6 && (bent.ankle.y - 1.0).abs() < 1e-6);
    // A straight leg bends about the axis it mostly has.
    let bent = leg.bent_to(DVec3::new(0.0, 0.2, 0.0), DVec3::X);
    assert!(bent.ankle.distance(DVec3::new(0.0, 0.2, 0.0)) < 1e-9);
    assert!(bent.thigh.transform_point3(leg.knee).x.abs() < 1e-9);
}
