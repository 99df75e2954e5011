//! Everything a page can ask for, one action at a time. Plain and synchronous: it knows no network, and work
//! that takes long is handed out as [`Work`] to be done elsewhere.
//!
//! | to find                 | look in                                                        |
//! | ----------------------- | -------------------------------------------------------------- |
//! | what a page can ask for | `action`, which is answered with what `answer` lists           |
//! | where each action goes  | `apply`                                                        |
//! | what a session holds    | `model`: a [`Subject`], [`Version`]s of a [`Shape`], a history |
//! | what pages choose from  | `tables`                                                       |
//! | what all tabs are told  | `state`; large arrays are in [`data`] and [`appearance`]       |

mod action;
mod answer;
pub mod appearance;
mod apply;
mod brush;
mod changes;
mod curve;
pub mod data;
mod deform;
mod editors;
mod fit;
mod folders;
mod history;
mod kept;
mod measure;
mod measured;
mod model;
mod open;
mod pictures;
mod refusal;
mod report;
mod save;
mod sent;
mod shape;
mod skeleton;
mod state;
mod stroke;
mod subject;
mod tables;
mod transplant;
mod turn;
mod version;
mod versions;
mod words;
mod work;

pub use action::{Action, SaveOptions, Seen};
pub use answer::{Answer, Answers, Began, Done, Edited, Laid, Made, Picked, Results, SetUp, Undone, Written};
pub(crate) use deform::is_deform;
pub use folders::Folders;
pub(crate) use folders::remove_left_uploads;
pub use kept::{KeptVersion, Saved};
pub(crate) use kept::{LIST, read as read_saved};
pub use measure::{Found, Unmeasured};
pub use measured::{CurvePoint, Errors};
pub use model::{Offer, Session};
pub use open::Opening;
pub use refusal::Refusal;
pub(crate) use report::Report;
pub use save::Saving;
pub use shape::Shape;
pub use state::State;
pub use subject::Subject;
pub use tables::Tables;
pub use version::{Kind, Version};
pub use work::{Finish, Outcome, Run, Work};
