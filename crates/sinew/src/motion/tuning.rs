//! Numbers of this room that were tuned on data, each with why.
//!
//! Shares are of the rig's height or diagonal, or of a cost. What follows from the mathematics stands where it is used.

use crate::tuning::tuning;

tuning! {
    /// All of them.
    Tuning {
        /// Finding two poses that are the same.
        alignment: AlignmentTuning = AlignmentTuning::DEFAULT,
        /// Matching bones with joints.
        matching: MatchingTuning = MatchingTuning::DEFAULT,
        /// Telling legs, and which way a body faces.
        figure: FigureTuning = FigureTuning::DEFAULT,
        /// Keeping feet where they stand.
        planting: PlantingTuning = PlantingTuning::DEFAULT,
        /// Solving for translations.
        translations: TranslationTuning = TranslationTuning::DEFAULT,
        /// Fitting bones to what was sculpted.
        edits: EditTuning = EditTuning::DEFAULT,
        /// What is said to be unsure.
        doubts: DoubtTuning = DoubtTuning::DEFAULT,
    }
}

tuning! {
    /// Of `align`, `pose_search`, `exact_poses` and `paths`.
    AlignmentTuning {
        /// Frames of each side that are looked at, besides bind and rest pose.
        frames: usize = 12,
        /// The same of the source and of the rig where limbs are matched.
        limb_frames: [usize; 2] = [24, 20],
        /// The same of a source that may have poses of the rig to the point.
        exact_frames: usize = 4096,
        /// Poses that are the same to the point of which the motion after them is looked at.
        exact_tried: usize = 16,
        /// The share of pivots that are looked at there: those that are nearest to joints.
        exact_pivots: f64 = 0.7,
        /// How near those must be to joints on average, as a share of the size.
        exact_near: f64 = 0.015,
        /// Fewer pivots than this tell nothing.
        exact_enough: usize = 5,
        /// Points of a surface in a search over many poses, and for the pose that is taken.
        surface_points: [usize; 2] = [150, 600],
        /// Facings that are tried where points are compared with segments, and where limbs are matched.
        facings: [usize; 2] = [16, 12],
        /// Pairs of poses that are looked at closely, likewise.
        finalists: [usize; 2] = [8, 24],
        /// How often a placement is improved by nearest points.
        icp_rounds: usize = 12,
        /// How much better a source that faces the other way must agree: what is the same on both sides, as a body in
        /// front and behind nearly is, tells little.
        other_way: f64 = 0.3,
        /// The same for limbs that bend the other way, which knees and elbows do not.
        other_bend: f64 = 1.0,
        /// How much better frames must agree than bind and rest pose, which were made to be alike: where points are
        /// compared with segments, and where limbs are matched.
        other_pose: [f64; 2] = [0.1, 0.05],
        /// The same where names tell: frames are not needed much, as limbs of the two poses are brought together.
        other_pose_of_names: f64 = 0.6,
        /// Percent of the height that are added to how far poses are apart: differences below are rounding, among which the
        /// simplest pair counts and not the luckiest.
        rounding: f64 = 1e-3,
        /// A source is taken as it stands if that is not worse than the best by more than this share.
        as_good: f64 = 0.2,
        /// Names tell how the source lies if so many joints are named.
        enough_names: usize = 4,
        /// Frames after the aligned ones over which paths are compared, and how many are enough.
        path_frames: [usize; 2] = [30, 4],
        /// Paths are the same if half of the bones find a joint that keeps this close, as a share of the height ...
        same_path: f64 = 0.01,
        /// ... and half of the bones move at least so many times as far.
        path_moved: f64 = 3.0,
    }
}

tuning! {
    /// Of `tree_match`, `source_tree`, `bone_tree`, `limb_directions`, `suggest` and `transplant`.
    MatchingTuning {
        /// How often matches are improved by giving the source the rig's lengths.
        rounds: usize = 4,
        /// How much lengths count beside directions.
        length: f64 = 0.3,
        /// How much a way counts that is looked at in two legs, over the point where the bones hang together.
        legs: f64 = 0.7,
        /// How much it counts if joints are farther apart along their tree than their bones are.
        detour: f64 = 0.3,
        /// How much the distance between bones counts that follow one joint with a single segment ...
        same_joint: f64 = 0.3,
        /// ... and one at which the tree branches, where it would be free for all otherwise.
        same_at_branch: f64 = 0.8,
        /// How much places count beside the ways between them.
        place: f64 = 0.5,
        /// How much it counts if no bone follows a limb.
        left_out: f64 = 0.1,
        /// Bounds for how much a bone counts beside others, by its surface.
        bone_weights: [f64; 2] = [0.05, 2.0],
        /// How strongly lengths are held to the common scale, beside one point that tells them.
        hold_length: f64 = 0.1,
        /// The same for segments that no point tells anything of, as a share of the mean squared length.
        hold_untold: f64 = 1e-6,
        /// Joints whose branches are shorter than this share of the body, as fingers are, are not followed.
        small_branch: f64 = 0.04,
        /// Bones turn against each other by this much, squared and on average, where their pivot is told by motion.
        pivot_turned: f64 = 0.05,
        /// A pivot that slips by more than this share of the diagonal is none.
        pivot_slips: f64 = 0.03,
        /// Directions of limbs in a rig without a skeleton are known so well, in radians.
        loose_direction: f64 = 0.35,
        /// Beside paths, how much place counts.
        place_beside_path: f64 = 0.02,
        /// Joints that are bones of the same names are off their places by this share of the rig's size at most.
        own_place: f64 = 0.01,
        /// A bone is at the place of a joint if it is nearer than this share of the diagonal.
        same_place: f64 = 1e-3,
        /// Frames from which the height of the ground is told.
        ground_frames: usize = 32,
        /// Joints up to this share of the source's height are those of feet.
        feet: f64 = 0.2,
        /// The share of frames in which the lowest point is on the ground, at least.
        on_ground: f64 = 0.1,
    }
}

tuning! {
    /// Of `figure` and `pose_search`.
    FigureTuning {
        /// Poses that are looked at, besides bind and rest pose.
        poses: usize = 64,
        /// A limb is a leg if it ends below this share of the height in half of the poses: hands hang higher, and a foot
        /// that steps is below it more often than not.
        leg_ends: f64 = 0.16,
        /// The ankle is the first joint of a leg that gets below this share of the height of its hip.
        ankle: f64 = 0.25,
        /// Legs tell where a body faces if what they point to together is more than this share of what they point to ...
        agree: f64 = 0.5,
        /// ... and that is at least this share of the height on average: a foot that is a stump tells nothing.
        least_foot: f64 = 0.008,
        /// How much knees tell beside feet.
        knees: f64 = 0.5,
        /// A source is not looked at from sides that are farther than so many radians (50°) from the one it is told to
        /// face; feet that point outwards do not matter so.
        off_told: f64 = 0.88,
    }
}

tuning! {
    /// Of `footsteps` and `plant`.
    PlantingTuning {
        /// A foot stands once it is slower than the first share of its greatest speed, until it is faster than the
        /// second.
        slow: [f64; 2] = [0.12, 0.25],
        /// The same in lengths of the leg a second: what sways while it stands does not step.
        creeps: [f64; 2] = [0.15, 0.3],
        /// It is on the ground up to these shares of the leg's length above where it is lowest.
        low: [f64; 2] = [0.1, 0.16],
        /// Steps that take less time, in seconds, are none, nor are shorter pauses between two.
        shortest: f64 = 0.07,
        /// The least and most times as far that a body goes for its feet to stand.
        strides: [f64; 2] = [0.5, 1.6],
        /// A body is put higher or lower by this share of a leg at most for a leg to stand as it is bent.
        most_raise: f64 = 0.3,
        /// Points of a shin and foot that are looked at.
        points: usize = 300,
        /// How often what still slides is looked at: a sole that the shin takes along turns as the leg bends.
        rounds: usize = 3,
        /// How far above the lowest point of a foot others touch too, as a share of the leg's length.
        touches: f64 = 0.012,
        /// A foot that would be moved by more than this share of its leg to keep it where it stands is left where it is.
        farthest: f64 = 0.5,
        /// Seconds over which the hips come down and go up again for legs that do not reach.
        give: f64 = 0.15,
        /// Hips come down by this share of the leg at most.
        most_give: f64 = 0.15,
        /// A leg is never stretched beyond this share of its length: a knee that is quite straight snaps.
        stretched: f64 = 0.998,
        /// A knee bends about its own axis where it is bent by more than this sine; else about the one it mostly has.
        bent: f64 = 0.05,
    }
}

tuning! {
    /// Of `rig_motion`, `contacts`, `shared_points`, `residuals` and `translations`.
    TranslationTuning {
        /// Poses of the rig's own motion that are learned from, besides the rest pose.
        poses: usize = 256,
        /// A seam between bones counts if it is at least this share of the longest of one of them.
        faint_seam: f64 = 0.05,
        /// Points of a bone that are looked at where there is no seam, and frames in which they are.
        contact_points: usize = 24,
        /// The frames.
        contact_frames: usize = 8,
        /// How strongly a shared point is held to the contact, per pose: as turns by 0.03 radians would hold it.
        hold_contact: f64 = 1e-3,
        /// Share of the distance between bones that touch nowhere that counts as slip.
        far_contact: f64 = 0.1,
        /// Slip below this share of the diagonal is no better than none.
        least_slip: f64 = 1e-3,
        /// Weight of shared points beside edges: enough to hold what no edge holds.
        beside_edges: f64 = 1e-6,
        /// Penalties on what other bones tell, per pose: the first among equals is taken.
        penalties: [f64; 6] = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5],
        /// Parts of the motion, each of which is told from the others to choose a penalty.
        parts: usize = 4,
        /// Poses remembered at most.
        remembered: usize = 128,
        /// How far off a remembered pose counts, as a distance of rotation matrices averaged over the bones: 16°.
        reach: f64 = 0.4,
        /// How closely remembered poses are met: poses that look alike may differ by this share.
        loose_memory: f64 = 1e-3,
    }
}

tuning! {
    /// Of `sculpt_fit`, `surface_displacement` and `edit_pose`.
    EditTuning {
        /// Times all bones take turns, at most.
        rounds: usize = 20,
        /// A round that lowers the error by less than this share is the last.
        enough: f64 = 1e-3,
        /// A motion is taken for that of the body if what it leaves is below this share of what no motion leaves.
        body: f64 = 0.5,
        /// A bone gets a motion of its own if what that leaves is below this share of what the body's leaves.
        own: f64 = 0.8,
        /// Distances beyond this share of the diagonal count no more when the motion of the body is looked for: how
        /// far a part was moved does not matter, only how much of the mesh it is.
        far: f64 = 0.01,
        /// Bones that follow the body's motion to this share of the diagonal have not been sculpted.
        still: f64 = 1e-6,
        /// Draws affine motions towards none, as a share of the bone's own spread.
        affine_ridge: f64 = 1e-3,
        /// How strongly displacements are drawn to the given ones, as a share of what the frames say.
        displacement_ridge: f64 = 1e-4,
        /// Share of a blended transform's square added to it before it is inverted: where bones fold a vertex' place
        /// flat, nothing in the rest pose takes it out of the plane, and huge displacements should not try.
        fold_ridge: f64 = 1e-8,
        /// Corrections below this share of the diagonal are rounding, which is not worth a basis shape.
        rounding: f64 = 1e-6,
        /// A clip loops whose bones end within this share of the diagonal, and of a whole turn, of where they began.
        loop_closes: f64 = 1e-3,
    }
}

tuning! {
    /// Bounds from which something is said to be unsure.
    DoubtTuning {
        /// Poses that are farther apart than so many percent of the height agree poorly ...
        poor_percent: f64 = 8.0,
        /// ... and so do those whose limbs are so many degrees apart.
        poor_degrees: f64 = 35.0,
        /// The same where names tell: limbs are brought together, but names that lie show in the poses.
        named_degrees: f64 = 60.0,
        /// Limbs of a result are poor that are so many degrees off the source's on average.
        apart_degrees: f64 = 30.0,
        /// Frames in which limbs of a result are held against the source's.
        agreement_frames: usize = 48,
        /// A source that agrees worse by no more percent than this if it faces the other way may as well do so.
        either_percent: f64 = 8.0,
        /// Files mostly face one way: a source that is turned by more degrees, told by its shape alone, may be wrong.
        far_degrees: f64 = 45.0,
        /// A bone that moves along its joint's path is sure up to the first and likely up to the second percent.
        path_percent: [f64; 2] = [0.5, 2.0],
        /// The same for one that lies near its joint.
        place_percent: [f64; 2] = [4.0, 8.0],
        /// A limb that had to be made so many times as long or as short beside the rest of the source is not sure.
        stretch: f64 = 1.8,
        /// An edited frame that is farther off its shape than this share of the diagonal is worth a word.
        missed: f64 = 1e-4,
        /// Weights below this are those of a method that allows them, not rounding.
        negative_weight: f32 = -0.01,
    }
}

pub(super) const TUNING: Tuning = Tuning::DEFAULT;
