//! Numbers of this room that were tuned on data, each with why.
//!
//! Lengths are in units, in which the rest pose is one long, and errors in percent of that, unless said otherwise. What
//! follows from the mathematics, or from rounding, stands where it is used.

use crate::tuning::tuning;

tuning! {
    /// All of them.
    Tuning {
        /// The whole way.
        find: FindTuning = FindTuning::DEFAULT,
        /// Parts.
        parts: PartsTuning = PartsTuning::DEFAULT,
        /// Bones blended on a point.
        blends: BlendTuning = BlendTuning::DEFAULT,
        /// The tree of parts.
        tree: TreeTuning = TreeTuning::DEFAULT,
        /// Parts that were missed.
        linkage: LinkageTuning = LinkageTuning::DEFAULT,
        /// Where joints are held.
        anchors: AnchorTuning = AnchorTuning::DEFAULT,
        /// Fits of joints and turns.
        articulation: ArticulationTuning = ArticulationTuning::DEFAULT,
        /// Which joints stay.
        search: SearchTuning = SearchTuning::DEFAULT,
        /// Joints that carry nothing, or that one side alone has.
        spare: SpareTuning = SpareTuning::DEFAULT,
        /// What kind of body it is.
        body: BodyTuning = BodyTuning::DEFAULT,
        /// Weights smoothed against strain.
        strain: StrainTuning = StrainTuning::DEFAULT,
        /// Skeletons changed by hand.
        edits: EditTuning = EditTuning::DEFAULT,
        /// Several bodies.
        several: SeveralTuning = SeveralTuning::DEFAULT,
    }
}

tuning! {
    /// Of `find`.
    FindTuning {
        /// Points of the samples for each bone at first: fewer do not tell how one turns.
        points_per_bone: usize = 6,
        /// Bones at first: twice what bodies have.
        bones: usize = 48,
        /// The most parts that joints are looked for between.
        most_parts: usize = 32,
        /// A point keeps its shape with its part if it stays within this of it.
        near_rigid: f64 = 0.01,
        /// Less than this share of the surface keeping its shape makes a poor candidate.
        poor_share: f64 = 0.5,
        /// And so does a larger mean error, in percent of the longest side.
        poor_error: f64 = 1.0,
        /// Below this error, in percent of the diagonal, a single joint is the whole truth.
        rigid: f64 = 0.05,
    }
}

tuning! {
    /// Of `parts`.
    PartsTuning {
        /// Share of the points that a piece needs to become a part of its own.
        least_piece: f64 = 0.004,
        /// Rounds of weights and transforms before bones go, and after some went.
        rounds: [usize; 2] = [4, 3],
        /// Sweeps over the bones of one fit.
        sweeps: usize = 4,
        /// How firmly turns stay as they are where points do not tell, in distances between points.
        held: f64 = 0.2,
        /// A bone goes if its loss is below this, times its share of the points to the power of `favour`.
        stop: f64 = 0.4,
        /// What speaks for small parts: hands are few points, and matter.
        favour: f64 = 0.5,
    }
}

tuning! {
    /// Of `blends`.
    BlendTuning {
        /// How near to a bone's region a point must be to be moved by it.
        near: f32 = 0.07,
        /// The same in distances between points, for coarse samples.
        near_points: f32 = 2.5,
        /// Weights above this keep a bone with a point.
        kept: f64 = 0.02,
        /// How far off a point without a bone is taken to be.
        lost: f64 = 0.1,
    }
}

tuning! {
    /// Of `tree`.
    TreeTuning {
        /// How strongly a joint is held to where regions meet: the squared slip that a joint as far off as the body is long
        /// is worth.
        hold: f64 = 0.001,
        /// How far off it may be before that grows.
        reach: f64 = 0.08,
        /// What being off costs.
        pull: f64 = 0.003,
        /// What a gap between regions costs.
        gap: f64 = 1.0,
    }
}

tuning! {
    /// Of `linkage`.
    LinkageTuning {
        /// How strongly both ends are held to where the regions meet.
        hold: f64 = 1e-3,
        /// Where the ends are tried at first: this far from where the parts meet.
        tried: f64 = 0.06,
    }
}

tuning! {
    /// Of `contacts` and of the fits that hold joints to them.
    AnchorTuning {
        /// How strongly joints are held to where their regions meet: the squared error of a point that a joint as far off as
        /// the body is long would be worth.
        hold: f64 = 1e-4,
        /// How far off a joint may be before it is held harder.
        reach: f64 = 0.1,
        /// Share of a strain that turning does not make good.
        taut: f64 = 0.2,
        /// A hinge is a joint that moves points of its axis by less than about this share of what it moves others.
        hinge: f64 = 0.05,
    }
}

tuning! {
    /// Of `articulation`.
    ArticulationTuning {
        /// Steps of a fit of turns alone while joints are looked for.
        turn_steps: usize = 6,
        /// Steps of a fit of turns and joints.
        joint_steps: usize = 10,
        /// Steps of the fit of turns to all vertices in the end.
        last_steps: usize = 20,
        /// Steps that gain a smaller share end a fit.
        worthwhile: f64 = 1e-4,
        /// How strongly joints are held to where they are in the rest pose in the end, for each vertex: decides only where no
        /// vertex does, as about the length of a part that moves next to nothing.
        straight: f64 = 2e-7,
    }
}

tuning! {
    /// Of `search`.
    SearchTuning {
        /// Rounds of joints and weights at first and at the end.
        rounds: usize = 2,
        /// The most links put in.
        links: usize = 3,
        /// How many are tried each time.
        links_tried: usize = 5,
        /// What one must gain.
        link_gain: f64 = 0.1,
        /// Joints whose loss is below this go.
        dispensable: f64 = 0.28,
        /// And those whose loss is below so many times what more joints than needed leave over: cloth and noise.
        noise: f64 = 1.2,
        /// How many are tried each time.
        tried: usize = 6,
        /// Joints whose loss is up to this many times as large are tried with all others finding their place anew.
        far: f64 = 4.0,
        /// And go when then their loss is below this share of what others may lose.
        settled: f64 = 0.4,
        /// What a joint is missed where its limb has more joints than the one across.
        surplus: f64 = 0.8,
        /// What a joint is missed grows with the inverse of the share of the body below it to this power.
        favour: f64 = 0.25,
        /// Down to this share.
        small: f64 = 0.02,
        /// Joints that bend less, in degrees, are missed less.
        bends: f64 = 20.0,
        /// Joints at the end of a limb go whose weight is nowhere above this.
        idle: f64 = 0.5,
        /// Segments are merged whose joint bends less than this, in degrees, where nothing else is changed about them.
        stiff: f64 = 5.0,
    }
}

tuning! {
    /// Of `spare` and `alike`.
    SpareTuning {
        /// Joints that carry less than this share of the surface themselves are hollow; toes and hands of small figures carry
        /// twice as much.
        hollow: f64 = 0.01,
        /// What may be lost when one goes, in percent.
        most_lost: f64 = 0.08,
        /// A joint that one side alone has goes when less than this is lost, in percent and as it counts ...
        lone: f64 = 0.2,
        /// ... and else comes to the other side as well if it gains as much as this there.
        gain: f64 = 0.05,
        /// How many joints are looked at that one side alone has.
        lone_tried: usize = 4,
    }
}

tuning! {
    /// Of `body`.
    BodyTuning {
        /// Limbs of a pair are at least so alike in mass and in length. A sword or a shield is part of its arm.
        alike: f64 = 0.45,
        /// A limb has at least this share of the body.
        least_limb: f64 = 0.004,
        /// And both together no more than this: two halves of a body are no limbs.
        most_limbs: f64 = 0.7,
        /// Limbs that leave the trunk at neighbouring parts count this much less.
        neighbours: f64 = 0.8,
        /// A second pair of limbs has at least this share of the worth of the first; ears have not.
        lesser: f64 = 0.25,
        /// What a head is worth against lengths and masses of limbs as logarithms.
        head: f64 = 2.0,
        /// What it is worth how far the limbs are from the head where all hang on one part.
        star: f64 = 3.0,
        /// Pairs of limbs that differ more than this are not those of an animal on four legs.
        unlike: f64 = 1.5,
        /// Legs of an animal on four go the same way: the least cosine between them.
        parallel: f64 = 0.6,
        /// And across its trunk: the largest cosine.
        across: f64 = 0.65,
        /// How far off the plane between a pair the middle of the body may be, in units, before the pair counts half.
        aside: f64 = 0.1,
        /// Where names are less sure than this they are a guess.
        named: f64 = 0.3,
        /// Feet and knees, as shares of the leg, that make it clear where forwards is.
        facing: f64 = 0.25,
        /// Knees are above this share of the way from the hip to the toes, ankles below.
        above_ankle: f64 = 0.7,
        /// A collar bone is shorter than this share of the upper arm.
        collar: f64 = 0.7,
        /// Of this share of the body, or length in units, it counts half.
        least_head: f64 = 0.02,
        /// How far from the hip joints towards the next joint of the trunk the pelvis is.
        above: f64 = 0.3,
        /// At the most, in units.
        most_above: f64 = 0.06,
    }
}

tuning! {
    /// Of `strain`, in shares of the longest side.
    StrainTuning {
        /// The error that a strain of one is worth at smoothness one. Twice as much, and the ends of short limbs no longer
        /// follow their joints all the way.
        worth: f64 = 0.008,
        /// Sweeps over all vertices, before and after they choose their joints. With as many again nothing changes that
        /// could be measured.
        sweeps: [usize; 2] = [20, 10],
        /// Joints that a point may be moved by before it has to choose.
        candidates: usize = 8,
        /// Over-relaxation: how far beyond the best a point goes, so that all settle in fewer sweeps.
        relaxation: f64 = 1.6,
        /// Distances from a joint are taken to be this much longer: a joint's own place is not known to a hair.
        around: f64 = 0.03,
    }
}

tuning! {
    /// Of `edited` and `known`.
    EditTuning {
        /// Rounds of joints and weights of a fit anew.
        rounds: usize = 3,
        /// A joint may be so far outside the box around the body, in shares of its longest side: farther off is a slip.
        outside: f64 = 0.1,
        /// How far around a place the surface tells which joint moves it, in units.
        around: f64 = 0.02,
        /// A place is on a bone when it is no farther from it than this share of its length.
        beside: f64 = 0.35,
        /// A joint that was found is the one that is known if it is so near, in units ...
        same: f64 = 0.07,
        /// ... and nearer than this share of the shortest bone at it: else it is a joint beside it.
        same_bone: f64 = 0.45,
        /// Beside a joint that is known, one that was found goes when less than this is lost, in percent.
        dispensable: f64 = 0.28,
        /// Joints of another rig that turn less than this, in degrees, are not told by the motion.
        still: f64 = 5.0,
        /// Surfaces this far apart, in units, are of other kinds of bodies.
        unlike: f64 = 0.2,
        /// How much worse it is to leave something of the other body away.
        without: f64 = 0.05,
        /// How far around a joint the surface tells where it is, in distances to the nearest of it.
        ring: f64 = 1.3,
        /// And how far it tells how it is turned, in those.
        limb: f64 = 2.0,
        /// Fewer points do not tell how a joint turns.
        points: usize = 4,
    }
}

tuning! {
    /// Of `several`.
    SeveralTuning {
        /// Pieces that stay within this of each other, in units, are of one body ...
        near: f32 = 0.05,
        /// ... and within so many distances between points.
        near_points: f32 = 3.0,
        /// A body has at least this share of all points: a robot's loose hand has less.
        least: f64 = 0.2,
    }
}

/// As they are used.
pub(super) const TUNING: Tuning = Tuning::DEFAULT;
