//! Why jobs are refused, one enum a job: closed, with data, in the names of the fields. Doors say the remedy in their own
//! words.

mod edit;
mod skin;

pub use edit::EditRefusal;
pub use skin::{FitError, FitRefusal, GivenRefusal, RigDiffers, SkinRefusal};
