//! Motion and deformation that are cancelled: they end soon after they are told to, wherever they are, and leave what
//! they were given as it was. Questions are counted, not seconds.

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::bodies::{arm, biped};
use crate::common::limbs::tube;
use crate::common::rigs::rig_of;
use glam::{DAffine3, DVec3, Vec3};
use sinew::deform::anchors::AnchorOptions;
use sinew::deform::{DeformError, DeformOptions, Deformer, Example, Handles};
use sinew::motion::{
    Carry, EditError, Motion, Plan, PlanOptions, PoseEdit, PoseEditor, TranslationError, TranslationSolver,
    Translations, TransplantError, Transplanter, edit_chain, edit_rest,
};
use sinew::progress::{Cancelled, Progress, Silent};
use sinew::rig::{PoseChain, Rig};

/// Cancels from some question on.
struct After {
    questions: usize,
    asked: AtomicUsize,
}

impl Progress for After {
    fn cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::SeqCst) >= self.questions
    }
}

/// Questions that may be asked in vain: threads that are at it ask once more each.
const IN_VAIN: usize = 64;

/// Cancels work after ever more questions until it is done, and returns how many that takes.
fn cancel_everywhere<T, E: Debug + PartialEq>(
    cancelled: &E,
    mut work: impl FnMut(&dyn Progress) -> Result<T, E>,
) -> usize {
    let mut questions = 0;
    loop {
        let after = After { questions, asked: AtomicUsize::new(0) };
        let done = work(&after);
        let asked = after.asked.load(Ordering::SeqCst);
        match done {
            Ok(_) => return asked,
            Err(error) => assert_eq!(error, *cancelled),
        }
        assert!(asked <= questions + IN_VAIN, "{asked} questions, the answer was yes after {questions}");
        questions = 2 * questions + 1;
    }
}

/// A rig of bones without a skeleton, and a motion of the same body in other units.
fn rig_and_motion() -> (Rig, Motion) {
    let body = biped(1.0, 0.7, 0.3);
    let mut motion = Motion::of_rig(&rig_of(&body, 10, true));
    motion.joints.iter_mut().enumerate().for_each(|(i, joint)| joint.name = format!("joint{i}"));
    motion.scale(3.0);
    (rig_of(&body, 8, false), motion)
}

#[test]
fn transplants_end() {
    let (rig, motion) = rig_and_motion();
    let options = PlanOptions::default();
    let asked = cancel_everywhere(&TransplantError::Cancelled, |p| Plan::new(&rig, &motion, &options, p));
    assert!(asked > 500, "{asked} questions");
    let plan = Plan::new(&rig, &motion, &options, &Silent).unwrap();
    let solved = Translations::Learned;
    let asked = cancel_everywhere(&TransplantError::Cancelled, |p| {
        Transplanter::new(&rig, &motion, &plan, solved, p).map(|_| ())
    });
    assert!(asked > 100, "{asked} questions");
    let transplanter = Transplanter::new(&rig, &motion, &plan, solved, &Silent).unwrap();
    let asked = cancel_everywhere(&Cancelled, |p| transplanter.transplant(&rig, &motion, p));
    assert!(asked > motion.frame_count(), "{asked} questions");
}

#[test]
fn translations_end() {
    let (rig, _) = rig_and_motion();
    let asked = cancel_everywhere(&TranslationError::Cancelled, |p| {
        TranslationSolver::new(&rig, Translations::Auto, p).map(|_| ())
    });
    assert!(asked > 100, "{asked} questions");
}

fn sculpted(pose: &[Vec3]) -> Vec<Vec3> {
    pose.iter().map(|p| *p + 0.1 * Vec3::new(p.y.sin(), p.z, (3.0 * p.x).cos())).collect()
}

#[test]
fn edits_end_and_leave_the_rig_as_it_was() {
    for with_skeleton in [false, true] {
        let before = rig_of(&arm(), 12, with_skeleton);
        let editor = PoseEditor::new(&before, &Silent).unwrap();
        let shape = sculpted(&before.pose(2));
        let edit = PoseEdit { shape: &shape, frame: 2, through: 11, ease_out: 3, ..PoseEdit::default() };
        let mut rig = before.clone();
        let asked = cancel_everywhere(&EditError::Cancelled, |p| {
            assert_eq!(rig, before);
            editor.edit(&mut rig, &edit, p)
        });
        assert!(asked > 15 && rig != before, "{asked} questions");
        let shape = sculpted(&before.rest);
        let mut rig = before.clone();
        cancel_everywhere(&EditError::Cancelled, |p| {
            assert_eq!(rig, before);
            edit_rest(&mut rig, &shape, Carry::Surface, p)
        });
        assert_ne!(rig, before);
    }
}

#[test]
fn edits_of_chains_end_and_leave_them_as_they_were() {
    let rig = rig_of(&arm(), 12, false);
    let bones = rig.bones.len();
    let last = |i: usize| i.checked_sub(bones).map_or(DAffine3::IDENTITY, |before| rig.transforms[before]);
    let before = PoseChain {
        mesh: rig.mesh.clone(),
        rest: rig.rest.clone(),
        weights: rig.weights.clone(),
        later_weights: Vec::new(),
        bones: rig.bones.clone(),
        steps: (0..rig.transforms.len()).map(|i| rig.transforms[i] * last(i).inverse()).collect(),
        keys: vec![5],
        moves: Vec::new(),
        fps: rig.fps,
        nodes: Vec::new(),
    };
    let shape = sculpted(before.bake().frame(2));
    let edit = PoseEdit { shape: &shape, frame: 2, through: 11, ease_out: 3, ..PoseEdit::default() };
    let mut chain = before.clone();
    let asked = cancel_everywhere(&EditError::Cancelled, |p| {
        assert_eq!(chain, before);
        edit_chain(&mut chain, &edit, p)
    });
    assert!(asked > 10 && chain != before, "{asked} questions");
}

#[test]
fn setting_a_character_up_ends() {
    let limb = tube(18.0, 60, 16, &[0.0, 6.0, 12.0], 1.5);
    let (character, handles) = (limb.character(), limb.handles());
    let bent = |degrees: f64| {
        let pose = limb.bent(1, degrees);
        let positions = limb.rest.iter().map(|p| *p + Vec3::Y * 0.01 * degrees as f32).collect();
        Example { positions, pose }
    };
    let examples = [bent(40.0), bent(80.0)];
    for anchors in [None, Some(AnchorOptions::default())] {
        let options = DeformOptions { anchors, ..DeformOptions::default() };
        let asked = cancel_everywhere(&DeformError::Cancelled, |p| {
            Deformer::new(&character, &handles, &examples, &options, p)
        });
        assert!(asked > 5, "{asked} questions");
    }
    let deformer = Deformer::new(
        &character,
        &handles,
        &examples,
        &DeformOptions { anchors: Some(AnchorOptions::default()), ..DeformOptions::default() },
        &Silent,
    );
    let stored = deformer.unwrap().stored_examples().expect("anchors");
    let options = DeformOptions::default();
    cancel_everywhere(&DeformError::Cancelled, |p| {
        Deformer::with_stored(&character, &handles, &stored, &options, p)
    });
    let joints: Vec<DVec3> = limb.joints.clone();
    cancel_everywhere(&DeformError::Cancelled, |p| {
        Handles::from_skeleton(&limb.mesh, &limb.rest, &limb.skeleton, &joints, p)
    });
}
