//! `--up`, of commands that read motion of joints.

use clap::ValueEnum;
use sinew_io::motion::Up;

/// Which axis of a file is up.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum Axis {
    X,
    #[default]
    Y,
    Z,
}

impl From<Axis> for Up {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::X => Self::X,
            Axis::Y => Self::Y,
            Axis::Z => Self::Z,
        }
    }
}
