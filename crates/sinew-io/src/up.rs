//! Which way is up.

use std::f64::consts::FRAC_PI_2;

use glam::DQuat;

sinew::choices! {
    /// An axis that points up.
    #[derive(Default)]
    pub enum Up: "axis" {
        /// x is up.
        X = "x", "x is up",
        /// y is up, as in nearly all files.
        #[default]
        Y = "y", "y is up, as in nearly all files",
        /// z is up.
        Z = "z", "z is up",
    }
}

impl Up {
    /// The turn after which y is up; none where it is already.
    pub fn to_y(self) -> Option<DQuat> {
        match self {
            Self::X => Some(DQuat::from_rotation_z(FRAC_PI_2)),
            Self::Y => None,
            Self::Z => Some(DQuat::from_rotation_x(-FRAC_PI_2)),
        }
    }
}
