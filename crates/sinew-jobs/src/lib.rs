//! What people ask of Sinew, as data.
//!
//! A job is a plain struct that reads from and writes to a file (serde, with a JSON schema), knows its defaults, checks itself and
//! runs with progress, giving a report. The command line, the studio and every other door make jobs and put reports into
//! words; rules about files and wishes stand here, once.
//!
//! ```text
//! door: arguments, actions ──> Job ──validate──> run ──> Report ──> words of the door
//! ```

pub mod any;
pub mod bake;
pub mod by_word;
pub mod collide;
pub mod compare;
pub mod convert;
pub mod crowd;
pub mod deform;
pub mod edit;
pub mod error;
pub mod facts;
pub mod frames;
pub mod info;
pub mod job;
pub mod joints;
pub mod light;
pub mod lod;
pub mod loss;
pub mod names;
pub mod pair;
pub mod picture;
pub mod pictures;
pub mod poses;
pub mod refusals;
pub mod report;
pub mod rig_file;
pub mod search;
pub mod skeleton;
pub mod skin;
pub mod source;
pub mod stream;
pub mod target;
pub mod transplant;
pub mod warning;
pub mod words;

pub use any::AnyJob;
pub use error::{FieldProblem, FileKind, JobError, Outcome};
pub use job::Job;
pub use warning::Warning;
