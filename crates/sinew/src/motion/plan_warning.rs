//! What may be wrong about how a motion goes onto a rig.

/// What may be wrong about a plan that was found.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanWarning {
    /// The two poses agree poorly.
    #[error("the two poses agree poorly")]
    PoorAgreement {
        /// How far they are apart, in percent of the rig's height.
        apart_percent: f64,
        /// Mean angle between limbs, where both sides have them.
        angle_degrees: Option<f64>,
    },
    /// The source is taken to face another way than the rig, by its shape alone.
    #[error("the source is taken to face another way")]
    FacesElsewhere {
        /// How far it is turned.
        degrees: f64,
    },
    /// Limbs of rig and source have different numbers of joints, and may be matched shifted by one.
    #[error("{bones} bones share joints in limbs that have others free, and may follow the wrong ones")]
    LimbsDiffer {
        /// How many bones.
        bones: usize,
    },
    /// Limbs of the result go another way than those of the source.
    #[error(
        "limbs of the result are {degrees:.0} degrees off those of the source, on average over its frames"
    )]
    LimbsApart {
        /// How far off they are.
        degrees: f64,
    },
    /// The source agrees about as well if it faces the other way.
    #[error("the source agrees about as well if it faces the other way")]
    EitherWay {
        /// By how many percent it agrees worse then.
        margin_percent: f64,
    },
}
