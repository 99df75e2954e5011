//! Numbers of this room that were tuned on data, each with why.
//!
//! Shares are of the rig's height or diagonal, or of a cost. What follows from the mathematics stands where it is used.

/// All of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// Finding two poses that are the same.
    pub alignment: AlignmentTuning,
    /// Matching bones with joints.
    pub matching: MatchingTuning,
    /// Solving for translations.
    pub translations: TranslationTuning,
    /// Fitting bones to what was sculpted.
    pub edits: EditTuning,
    /// What is said to be unsure.
    pub doubts: DoubtTuning,
}

/// Of `align`, `pose_search`, `exact_poses` and `paths`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlignmentTuning {
    /// Frames of each side that are looked at, besides bind and rest pose.
    pub frames: usize,
    /// The same of the source and of the rig where limbs are matched.
    pub limb_frames: [usize; 2],
    /// The same of a source that may have poses of the rig to the point.
    pub exact_frames: usize,
    /// Poses that are the same to the point of which the motion after them is looked at.
    pub exact_tried: usize,
    /// The share of pivots that are looked at there: those that are nearest to joints.
    pub exact_pivots: f64,
    /// How near those must be to joints on average, as a share of the size.
    pub exact_near: f64,
    /// Fewer pivots than this tell nothing.
    pub exact_enough: usize,
    /// Points of a surface in a search over many poses, and for the pose that is taken.
    pub surface_points: [usize; 2],
    /// Facings that are tried where points are compared with segments, and where limbs are matched.
    pub facings: [usize; 2],
    /// Pairs of poses that are looked at closely, likewise.
    pub finalists: [usize; 2],
    /// How often a placement is improved by nearest points.
    pub icp_rounds: usize,
    /// How much better a source that faces the other way must agree: what is the same on both sides, as a body in
    /// front and behind nearly is, tells little.
    pub other_way: f64,
    /// The same for limbs that bend the other way, which knees and elbows do not.
    pub other_bend: f64,
    /// How much better frames must agree than bind and rest pose, which were made to be alike: where points are
    /// compared with segments, and where limbs are matched.
    pub other_pose: [f64; 2],
    /// The same where names tell: frames are not needed much, as limbs of the two poses are brought together.
    pub other_pose_of_names: f64,
    /// A source is taken as it stands if that is not worse than the best by more than this share.
    pub as_good: f64,
    /// Names tell how the source lies if so many joints are named.
    pub enough_names: usize,
    /// Frames after the aligned ones over which paths are compared, and how many are enough.
    pub path_frames: [usize; 2],
    /// Paths are the same if half of the bones find a joint that keeps this close, as a share of the height ...
    pub same_path: f64,
    /// ... and half of the bones move at least so many times as far.
    pub path_moved: f64,
}

/// Of `tree_match`, `source_tree`, `bone_tree`, `limb_directions`, `suggest` and `transplant`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchingTuning {
    /// How often matches are improved by giving the source the rig's lengths.
    pub rounds: usize,
    /// How much lengths count beside directions.
    pub length: f64,
    /// How much a way counts that is looked at in two legs, over the point where the bones hang together.
    pub legs: f64,
    /// How much it counts if joints are farther apart along their tree than their bones are.
    pub detour: f64,
    /// How much the distance between bones counts that follow one joint with a single segment ...
    pub same_joint: f64,
    /// ... and one at which the tree branches, where it would be free for all otherwise.
    pub same_at_branch: f64,
    /// How much places count beside the ways between them.
    pub place: f64,
    /// How much it counts if no bone follows a limb.
    pub left_out: f64,
    /// Bounds for how much a bone counts beside others, by its surface.
    pub bone_weights: [f64; 2],
    /// How strongly lengths are held to the common scale, beside one point that tells them.
    pub hold_length: f64,
    /// The same for segments that no point tells anything of, as a share of the mean squared length.
    pub hold_untold: f64,
    /// Joints whose branches are shorter than this share of the figure, as fingers are, are not followed.
    pub small_branch: f64,
    /// Bones turn against each other by this much, squared and on average, where their pivot is told by motion.
    pub pivot_turned: f64,
    /// A pivot that slips by more than this share of the diagonal is none.
    pub pivot_slips: f64,
    /// Directions of limbs in a soup of bones are known so well, in radians.
    pub loose_direction: f64,
    /// Beside paths, how much place counts.
    pub place_beside_path: f64,
    /// Joints that are bones of the same names are off their places by this share of the rig's size at most.
    pub own_place: f64,
    /// A bone is at the place of a joint if it is nearer than this share of the diagonal.
    pub same_place: f64,
    /// Frames from which the height of the ground is told.
    pub ground_frames: usize,
    /// Joints up to this share of the source's height are those of feet.
    pub feet: f64,
    /// The share of frames in which the lowest point is on the ground, at least.
    pub on_ground: f64,
}

/// Of `rig_motion`, `contacts`, `shared_points`, `residuals` and `translations`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TranslationTuning {
    /// Poses of the rig's own motion that are learned from, besides the rest pose.
    pub poses: usize,
    /// A seam between bones counts if it is at least this share of the longest of one of them.
    pub faint_seam: f64,
    /// Points of a bone that are looked at where there is no seam, and frames in which they are.
    pub contact_points: usize,
    /// The frames.
    pub contact_frames: usize,
    /// How strongly a shared point is held to the contact, per pose: as turns by 0.03 radians would hold it.
    pub hold_contact: f64,
    /// Share of the distance between bones that touch nowhere that counts as slip.
    pub far_contact: f64,
    /// Slip below this share of the diagonal is no better than none.
    pub least_slip: f64,
    /// Weight of shared points beside edges: enough to hold what no edge holds.
    pub beside_edges: f64,
    /// Penalties on what other bones tell, per pose: the first among equals is taken.
    pub penalties: [f64; 6],
    /// Parts of the motion, each of which is told from the others to choose a penalty.
    pub parts: usize,
    /// Poses remembered at most.
    pub remembered: usize,
    /// How far off a remembered pose counts, as a distance of rotation matrices averaged over the bones: 16°.
    pub reach: f64,
    /// How closely remembered poses are met: poses that look alike may differ by this share.
    pub loose_memory: f64,
}

/// Of `sculpt_fit`, `surface_displacement` and `edit_pose`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EditTuning {
    /// Times all bones take turns, at most.
    pub rounds: usize,
    /// A round that lowers the error by less than this share is the last.
    pub enough: f64,
    /// A motion is taken for that of the body if what it leaves is below this share of what no motion leaves.
    pub body: f64,
    /// A bone gets a motion of its own if what that leaves is below this share of what the body's leaves.
    pub own: f64,
    /// Distances beyond this share of the diagonal count no more when the motion of the body is looked for: how
    /// far a part was moved does not matter, only how much of the mesh it is.
    pub far: f64,
    /// Bones that follow the body's motion to this share of the diagonal have not been sculpted.
    pub still: f64,
    /// Draws affine motions towards none, as a share of the bone's own spread.
    pub affine_ridge: f64,
    /// How strongly displacements are drawn to the given ones, as a share of what the frames say.
    pub displacement_ridge: f64,
    /// Share of a blended transform's square added to it before it is inverted: where bones fold a vertex' place
    /// flat, nothing in the rest pose takes it out of the plane, and huge displacements should not try.
    pub fold_ridge: f64,
    /// Corrections below this share of the diagonal are rounding, which is not worth a basis shape.
    pub rounding: f64,
}

/// Bounds from which something is said to be unsure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubtTuning {
    /// Poses that are farther apart than so many percent of the height agree poorly ...
    pub poor_percent: f64,
    /// ... and so do those whose limbs are so many degrees apart.
    pub poor_degrees: f64,
    /// A source that agrees worse by no more percent than this if it faces the other way may as well do so.
    pub either_percent: f64,
    /// Files mostly face one way: a source that is turned by more degrees, told by its shape alone, may be wrong.
    pub far_degrees: f64,
    /// A bone that moves along its joint's path is sure up to the first and likely up to the second percent.
    pub path_percent: [f64; 2],
    /// The same for one that lies near its joint.
    pub place_percent: [f64; 2],
    /// An edited frame that is farther off its shape than this share of the diagonal is worth a word.
    pub missed: f64,
    /// Weights below this are those of a method that allows them, not rounding.
    pub negative_weight: f32,
}

impl Tuning {
    /// What is used.
    pub const DEFAULT: Self = Self {
        alignment: AlignmentTuning {
            frames: 12,
            limb_frames: [24, 20],
            exact_frames: 4096,
            exact_tried: 16,
            exact_pivots: 0.7,
            exact_near: 0.015,
            exact_enough: 5,
            surface_points: [150, 600],
            facings: [16, 12],
            finalists: [8, 24],
            icp_rounds: 12,
            other_way: 0.3,
            other_bend: 1.0,
            other_pose: [0.1, 0.05],
            other_pose_of_names: 0.6,
            as_good: 0.2,
            enough_names: 4,
            path_frames: [30, 4],
            same_path: 0.01,
            path_moved: 3.0,
        },
        matching: MatchingTuning {
            rounds: 4,
            length: 0.3,
            legs: 0.7,
            detour: 0.3,
            same_joint: 0.3,
            same_at_branch: 0.8,
            place: 0.5,
            left_out: 0.1,
            bone_weights: [0.05, 2.0],
            hold_length: 0.1,
            hold_untold: 1e-6,
            small_branch: 0.04,
            pivot_turned: 0.05,
            pivot_slips: 0.03,
            loose_direction: 0.35,
            place_beside_path: 0.02,
            own_place: 0.01,
            same_place: 1e-3,
            ground_frames: 32,
            feet: 0.2,
            on_ground: 0.1,
        },
        translations: TranslationTuning {
            poses: 256,
            faint_seam: 0.05,
            contact_points: 24,
            contact_frames: 8,
            hold_contact: 1e-3,
            far_contact: 0.1,
            least_slip: 1e-3,
            beside_edges: 1e-6,
            penalties: [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5],
            parts: 4,
            remembered: 128,
            reach: 0.4,
            loose_memory: 1e-3,
        },
        edits: EditTuning {
            rounds: 20,
            enough: 1e-3,
            body: 0.5,
            own: 0.8,
            far: 0.01,
            still: 1e-6,
            affine_ridge: 1e-3,
            displacement_ridge: 1e-4,
            fold_ridge: 1e-8,
            rounding: 1e-6,
        },
        doubts: DoubtTuning {
            poor_percent: 8.0,
            poor_degrees: 50.0,
            either_percent: 8.0,
            far_degrees: 45.0,
            path_percent: [0.5, 2.0],
            place_percent: [4.0, 8.0],
            missed: 1e-4,
            negative_weight: -0.01,
        },
    };
}

impl Default for Tuning {
    fn default() -> Self {
        Self::DEFAULT
    }
}

pub(super) const TUNING: Tuning = Tuning::DEFAULT;
