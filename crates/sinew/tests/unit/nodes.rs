use glam::DQuat;

use super::*;

fn shift(x: f64, y: f64, z: f64) -> DAffine3 {
    DAffine3::from_translation(DVec3::new(x, y, z))
}

fn node(name: &str, parent: Parent, motion: NodeMotion) -> Node {
    Node { name: name.into(), parent, kind: NodeKind::Empty, motion }
}

/// A socket on a bone that turns and shifts, something on the socket, something that moves by itself.
fn some() -> (Vec<Node>, Vec<DAffine3>) {
    let turn = |frame: usize| {
        DAffine3::from_rotation_translation(DQuat::from_rotation_z(frame as f64), DVec3::Y * frame as f64)
    };
    let bones = (0..3).flat_map(|frame| [DAffine3::IDENTITY, turn(frame)]).collect();
    let nodes = vec![
        node("socket", Parent::Bone(1), NodeMotion::Still(shift(2.0, 0.0, 0.0))),
        node("sword", Parent::Node(0), NodeMotion::Still(shift(0.0, 0.0, 1.0))),
        node("bird", Parent::Scene, NodeMotion::Moving((0..3).map(|f| shift(f as f64, 9.0, 0.0)).collect())),
    ];
    (nodes, bones)
}

fn all_worlds(nodes: &[Node], bones: &[DAffine3]) -> Vec<Vec<DAffine3>> {
    bones.chunks_exact(2).enumerate().map(|(frame, bones)| worlds(nodes, frame, bones)).collect()
}

#[test]
fn bones_carry_what_hangs_on_them() {
    let (nodes, bones) = some();
    let of = all_worlds(&nodes, &bones);
    let at = |frame: usize, node: usize| of[frame][node].translation;
    assert_eq!(at(0, 0), DVec3::new(2.0, 0.0, 0.0));
    assert!(at(2, 0).distance(DVec3::new(2.0 * 2.0_f64.cos(), 2.0 + 2.0 * 2.0_f64.sin(), 0.0)) < 1e-12);
    assert!(at(2, 1).distance(at(2, 0) + DVec3::Z) < 1e-12);
    assert_eq!(at(1, 2), DVec3::new(1.0, 9.0, 0.0));
}

#[test]
fn without_bones_everything_stays_on_its_path() {
    let (nodes, bones) = some();
    let free = freed(&nodes, &bones, 2);
    assert_eq!(validate(&free, 0, 3), Ok(()));
    assert_eq!(all_worlds(&free, &bones), all_worlds(&nodes, &bones));
    assert_eq!((free[0].parent, free[1].parent), (Parent::Scene, Parent::Node(0)));
    assert!(free[1].motion.is_still());
}

#[test]
fn groups_stay_only_where_they_stand() {
    let (mut nodes, bones) = some();
    nodes[0].kind = NodeKind::Group;
    nodes.push(Node {
        kind: NodeKind::Group,
        ..node("set", Parent::Scene, NodeMotion::Still(shift(1.0, 1.0, 1.0)))
    });
    nodes.push(node("tree", Parent::Node(3), NodeMotion::Still(shift(0.0, 1.0, 0.0))));
    let free = freed(&nodes, &bones, 2);
    let names: Vec<&str> = free.iter().map(|node| &node.name[..]).collect();
    assert_eq!(names, ["sword", "bird", "set", "tree"]);
    let (before, after) = (all_worlds(&nodes, &bones), all_worlds(&free, &bones));
    assert!((0..3).all(|frame| after[frame]
        == before[frame][1..3].iter().chain(&before[frame][3..]).copied().collect::<Vec<_>>()));
}

#[test]
fn contradictions_are_named() {
    let (nodes, _) = some();
    assert_eq!(validate(&nodes, 2, 3), Ok(()));
    assert_eq!(validate(&nodes, 1, 3), Err(NodeError::NoParent { name: "socket".into() }));
    assert_eq!(validate(&nodes[1..], 2, 3), Err(NodeError::NoParent { name: "sword".into() }));
    let frames = NodeError::Frames { name: "bird".into(), found: 3, expected: 4 };
    assert_eq!(validate(&nodes, 2, 4), Err(frames));
    let lost = node("lost", Parent::Scene, NodeMotion::Still(shift(f64::NAN, 0.0, 0.0)));
    assert_eq!(validate(&[lost], 0, 1), Err(NodeError::NotFinite { name: "lost".into() }));
}

#[test]
fn frames_can_be_chosen_and_left_behind() {
    let (nodes, _) = some();
    let chosen = in_frames(&nodes, &[2, 0]);
    assert_eq!(chosen[2].motion, NodeMotion::Moving(vec![shift(2.0, 9.0, 0.0), shift(0.0, 9.0, 0.0)]));
    assert_eq!(chosen[..2], nodes[..2]);
    let (still, moved) = at_rest(&nodes);
    assert_eq!((moved, &still[2].motion), (1, &NodeMotion::Still(shift(0.0, 9.0, 0.0))));
}

#[test]
fn clips_are_joined_by_names() {
    let still = |name: &str, x: f64| node(name, Parent::Scene, NodeMotion::Still(shift(x, 0.0, 0.0)));
    let on = |at: usize| node("top", Parent::Node(at), NodeMotion::Still(shift(0.0, 1.0, 0.0)));
    let first = [still("a", 1.0), on(0)];
    let second = [still("b", 5.0), still("a", 2.0), on(1)];
    let all = joined(&[(&first, 1), (&second, 2)]);
    let names: Vec<&str> = all.iter().map(|node| &node.name[..]).collect();
    assert_eq!(names, ["a", "top", "b"]);
    assert_eq!(all[0].motion, NodeMotion::Moving([1.0, 2.0, 2.0].map(|x| shift(x, 0.0, 0.0)).to_vec()));
    assert_eq!((all[1].parent, &all[1].motion), (Parent::Node(0), &on(0).motion));
    assert_eq!(all[2].motion, NodeMotion::Still(shift(5.0, 0.0, 0.0)));
    assert_eq!(validate(&all, 0, 3), Ok(()));
}

#[test]
fn larger_and_turned_they_are_elsewhere_but_of_their_own_size() {
    let (mut nodes, bones) = some();
    let camera = Camera { lens: Lens::Orthographic(2.0), aspect: None, near: 0.1, far: Some(10.0) };
    nodes[1].kind = NodeKind::Camera(camera);
    let turn = DMat3::from_rotation_x(0.5);
    let change = DAffine3::from_mat3(turn * 3.0);
    let changed = placed(&nodes, 3.0, turn);
    let bones_changed: Vec<DAffine3> = bones.iter().map(|t| change * *t * change.inverse()).collect();
    let back = DAffine3::from_scale(DVec3::splat(1.0 / 3.0));
    let (before, after) = (all_worlds(&nodes, &bones), all_worlds(&changed, &bones_changed));
    for (a, b) in before.iter().flatten().zip(after.iter().flatten()) {
        assert!((change * *a * back).abs_diff_eq(*b, 1e-12));
    }
    let NodeKind::Camera(seen) = changed[1].kind else { panic!() };
    assert_eq!((seen.lens, seen.far), (Lens::Orthographic(6.0), Some(30.0)));
    assert!((seen.near - 0.3).abs() < 1e-12);
}
