//! Numbers of this room that were tuned on data, each with why. What follows from the mathematics stands where it is
//! used.

use crate::tuning::tuning;

tuning! {
    /// All of them.
    Tuning {
        /// Fitting by coordinate descent.
        descent: DescentTuning = DescentTuning::DEFAULT,
        /// Fitting correction shapes.
        corrections: CorrectionTuning = CorrectionTuning::DEFAULT,
        /// Trying rest poses for [`Method::Sma`](super::Method::Sma).
        rest_pose: RestPoseTuning = RestPoseTuning::DEFAULT,
    }
}

/// How long rounds go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The most rounds.
    pub rounds: usize,
    /// Vertices look for other bones in every so-manieth round and keep theirs in between.
    pub search_every: usize,
    /// Relative fall of the squared error over one such period that is worth going on for.
    pub worthwhile: f64,
}

impl Schedule {
    /// So many times as many rounds, going on for that much less.
    pub fn longer(self, times: f64) -> Self {
        let rounds = (self.rounds as f64 * times) as usize;
        Self { rounds, worthwhile: self.worthwhile / times, ..self }
    }
}

const RIGID: [Schedule; 2] = [
    Schedule { rounds: 60, search_every: 3, worthwhile: 0.01 },
    Schedule { rounds: 12, search_every: 3, worthwhile: 0.01 },
];

tuning! {
    /// Of [`Descent`](super::Descent).
    DescentTuning {
        /// Vertices most rounds are run on, at least and for each bone: more change little but the time.
        sample: [usize; 2] = [2000, 60],
        /// Frames that rigid bones are fitted to before all are taken. Rotations do not become fewer in fewer coordinates:
        /// what rigid bones cost grows with the frames.
        rigid_frames: usize = 64,
        /// Bones a vertex tries to take in when it looks for others.
        attempts: usize = 3,
        /// The same for vertices that come in late.
        first_attempts: usize = 5,
        /// Rounds with flexible bones, on the sample and on all vertices.
        flexible: [Schedule; 2] = [Schedule { rounds: 90, search_every: 3, worthwhile: 0.006 }, Schedule { rounds: 18, search_every: 3, worthwhile: 0.008 }],
        /// The same with rigid bones, which cost more and gain less.
        rigid: [Schedule; 2] = RIGID,
        /// How many times as many rounds, for how much less each, where much time is to be spent.
        longer: f64 = 4.0,
        /// Rounds on all frames, after those on fewer.
        on_all_frames: Schedule = Schedule { rounds: 3, search_every: 3, worthwhile: 0.01 },
        /// Rounds from a given skin, which start on all vertices.
        from_skin: Schedule = Schedule { rounds: 60, search_every: 3, worthwhile: 0.002 },
        /// Starts tried: one for so many vertices. What a start costs does not depend on the size of the mesh, what comes
        /// after does; on a large mesh more starts cost little.
        vertices_per_start: usize = 1000,
        /// The fewest and the most starts.
        starts: [usize; 2] = [3, 8],
        /// How many times as many where much time is to be spent.
        more_starts: usize = 6,
        /// Frames for which one of them, the best after few rounds, goes through all rounds on the sample then. What that costs
        /// does not grow with the frames, what comes before and after does; and a limb that got no bone of its own hardly
        /// shows after few rounds, and no later round gives it one.
        frames_per_finalist: usize = 50,
        /// The fewest and the most of these.
        finalists: [usize; 2] = [3, 18],
        /// The most bones of all starts together, at least one start: of many bones all starts come out much alike.
        bones_started: usize = 800,
        /// Vertices starts are tried on, at least and for each bone.
        tried_on: [usize; 2] = [1000, 30],
        /// Rounds of a start with one influence a vertex, before there are more.
        single: Schedule = Schedule { rounds: 10, search_every: 1, worthwhile: 0.01 },
        /// Rounds after which starts are compared.
        trial: Schedule = Schedule { rounds: 10, search_every: 3, worthwhile: 0.0 },
        /// Solves that bring rigid bones near their best after the frames have changed.
        rebase_solves: usize = 4,
        /// How strongly rest positions are held to where they were. Flexible bones would as soon deform a sheared limb back
        /// as a sound one forth; this decides for the sound one and is too weak for anything else.
        rest_hold: f64 = 0.005,
        /// A bone with less than this, in vertices wholly its own, is dead.
        dead_weight: f64 = 0.5,
        /// Share of the squared error that a revived bone must promise to take away.
        revival_gain: f64 = 1e-3,
        /// Which bones vertices look at where there are many.
        near_bones: NearBonesTuning = NearBonesTuning::DEFAULT,
        /// What is done where little time is to be spent.
        quick: QuickTuning = QuickTuning::DEFAULT,
        /// Error against the number of bones.
        curve: CurveTuning = CurveTuning::DEFAULT,
        /// How the number of bones is chosen.
        bone_count: BoneCountTuning = BoneCountTuning::DEFAULT,
        /// How bones come to stand still.
        sparse: SparseTuning = SparseTuning::DEFAULT,
        /// How the largest errors are lowered.
        norm: NormTuning = NormTuning::DEFAULT,
        /// How bones move where much time is to be spent.
        relocation: RelocationTuning = RelocationTuning::DEFAULT,
        /// How weights are made smooth.
        smoothing: SmoothingTuning = SmoothingTuning::DEFAULT,
    }

    /// Of [`Effort::Quick`](super::Effort::Quick). Vertices are many and starts see few of them: what a start is improved by
    /// costs least.
    QuickTuning {
        /// Vertices the start is made on, at least and for each bone.
        tried_on: [usize; 2] = [1500, 30],
        /// Rounds of the start.
        trial: Schedule = Schedule { rounds: 20, search_every: 3, worthwhile: 0.0 },
        /// Rounds on the sample and on all vertices.
        rounds: [Schedule; 2] = [Schedule { rounds: 12, ..RIGID[0] }, Schedule { rounds: 1, ..RIGID[1] }],
        /// Rounds of smoothing, with neighbours pulling and after isolated patches are gone.
        smoothing: [usize; 2] = [1, 1],
    }

    /// Of vertices that look for bones.
    NearBonesTuning {
        /// With so many bones all are looked at.
        from: usize = 64,
        /// Bones looked at beyond those that vertices have.
        looked_at: usize = 32,
    }

    /// Of the [`Curve`](super::Curve).
    CurveTuning {
        /// Vertices, at least and for each bone.
        sample: [usize; 2] = [1000, 24],
        /// Rounds of a level with one influence a vertex.
        single: Schedule = Schedule { rounds: 6, search_every: 1, worthwhile: 0.01 },
        /// Rounds after these.
        trial: Schedule = Schedule { rounds: 15, search_every: 3, worthwhile: 0.0 },
        /// What a fit with as many bones leaves of a level's error, about.
        to_come: f64 = 0.85,
        /// Frames that tell what correction shapes would take off.
        frames: usize = 64,
    }

    /// Of the number of bones where none is asked for.
    BoneCountTuning {
        /// Error in percent that is aimed at: what people do not see.
        percent: f64 = 1.5,
        /// The most bones.
        most: usize = 96,
        /// How far off a vertex may be, over time, relative to the mean distance of vertices from their middle.
        far: f64 = 0.03,
        /// Share of the vertices that may be farther off: noise of a scan, not a part of the body.
        left_behind: f64 = 0.01,
    }

    /// Of norms other than the usual.
    NormTuning {
        /// Rounds.
        rounds: usize = 30,
        /// What the power is multiplied by from round to round.
        growth: f64 = 1.1,
        /// The highest power; above, few vertices count and swing.
        highest: f64 = 8.0,
        /// The least a vertex counts in a frame.
        floor: f64 = 0.01,
        /// Share of the way to new counts.
        share: f64 = 0.3,
        /// How many times the mean error may be what it was.
        mean: f64 = 1.3,
        /// Vertices look for other bones in every so-manieth round.
        search_every: usize = 5,
    }

    /// Of bones that stand still.
    SparseTuning {
        /// Rounds in which fewer and fewer move.
        falling: usize = 16,
        /// How often after that more move again, and fewer and fewer, so that others come to stand still.
        cycles: usize = 4,
        /// Rounds of each time.
        cycle: usize = 6,
        /// How many times as many move then.
        beyond: f64 = 1.8,
        /// Rounds in the end, in which what is left settles.
        settling: usize = 16,
        /// Vertices look for other bones in every so-manieth round.
        search_every: usize = 1,
        /// What weights that are off their neighbours' mean by one cost at smoothness one, in mean squared errors.
        smoothness: f64 = 3.0,
    }

    /// Of bones that move to where they are needed.
    RelocationTuning {
        /// How often one moves, at most.
        attempts: usize = 16,
        /// Rounds that tell whether it was well.
        rounds: Schedule = Schedule { rounds: 12, search_every: 3, worthwhile: 0.002 },
        /// Relative fall of the squared error that it is worth.
        worthwhile: f64 = 1e-3,
    }

    /// Of smooth weights.
    SmoothingTuning {
        /// What weights that are off their neighbours' mean by one cost at smoothness one, in mean squared errors.
        strength: f64 = 30.0,
        /// Rounds with neighbours pulling.
        rounds: usize = 3,
        /// Rounds after isolated patches are gone, in which vertices keep their bones.
        last_rounds: usize = 2,
        /// A patch that carries less than this share of what the bone's main patch carries may go.
        patch_share: f64 = 0.5,
        /// It stays where the error of its vertices would rise by more than this many mean squared errors.
        patch_cost: f64 = 0.5,
    }

    /// Of [`fit_corrections`](super::fit_corrections).
    CorrectionTuning {
        /// Passes of subspace iteration for the start.
        start_passes: usize = 4,
        /// Shapes carried beyond the rank while starting, so that the last of the wanted ones converge too.
        spare: usize = 6,
        /// Vertices that all turns but the last look at.
        sample: usize = 3000,
        /// Turns of shapes and coefficients, with the sample.
        turns: usize = 6,
        /// The same with all vertices.
        turns_on_all: usize = 3,
        /// Share of a vertex' normal equations added to their diagonal.
        ridge: f64 = 1e-6,
    }

    /// Of rest poses that are tried.
    RestPoseTuning {
        /// Triangles of the sample.
        triangles: usize = 1200,
        /// Frames of the sample.
        frames: usize = 48,
        /// Frames tried besides the first.
        tried: usize = 6,
        /// A frame must beat the pose that came with the mesh by this factor.
        clearly_better: f64 = 0.98,
    }
}

/// As they are used.
pub(super) const TUNING: Tuning = Tuning::DEFAULT;
