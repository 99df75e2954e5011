//! What people ask of Sinew, as data.
//!
//! A [`Job`] is a plain struct that reads from and writes to a file (serde, with a JSON schema), knows its defaults, checks itself and
//! runs with progress, giving a report. A *door* is a program that people enter by: the command line makes jobs of arguments and
//! puts reports into words; the studio, which has its animation in memory, takes their parts ([`skin::Fit`],
//! [`search`]). Rules about files and wishes stand here, once.
//!
//! ```text
//! door: arguments, actions ──> Job::run ( validate ──> perform ) ──> Report ──> words of the door
//! ```
//!
//! | modules | what |
//! | --- | --- |
//! | [`skin`], [`skeleton`], [`transplant`], [`edit`], [`deform`], [`lod`], [`crowd`], [`collide`], [`light`], [`convert`], [`bake`], [`compare`], [`picture`], [`stream`], [`info`] | the jobs |
//! | [`job`], [`any`] | what they have in common, and one of them by its name |
//! | [`error`], [`place`], [`refusals`], [`warning`], [`loss`] | why there is no result, and what to know about one |
//! | [`batch`], [`shard`] | lists of jobs on one machine or many, and parts of them |
//! | [`search`] | rigs that meet an error or a size |
//! | [`source`], [`units`], [`pair`], [`rig_file`], [`poses`], [`frames`], [`target`], [`streams`] | reading and writing as jobs do |
//! | [`report`], [`engines`], [`facts`], [`joints`], [`pictures`], [`off`], [`words`], [`names`], [`by_word`] | parts of reports |

pub mod any;
pub mod bake;
pub mod batch;
pub mod by_word;
pub mod collide;
pub mod compare;
pub mod convert;
pub mod crowd;
pub mod deform;
pub mod edit;
pub mod engines;
pub mod error;
pub mod facts;
pub mod frames;
pub mod info;
pub mod job;
pub mod joints;
pub mod learn;
pub mod light;
pub mod lod;
pub mod loss;
mod lost;
pub mod names;
pub mod off;
pub mod pair;
pub mod picture;
pub mod pictures;
pub mod place;
pub mod poses;
pub mod refusals;
pub mod report;
pub mod rig_file;
pub mod search;
pub mod shard;
pub mod skeleton;
pub mod skin;
pub mod source;
pub mod stream;
pub mod streams;
pub mod target;
pub mod transplant;
pub mod units;
pub mod warning;
pub mod words;

pub use any::AnyJob;
pub use error::{FieldProblem, FileKind, JobError, Outcome};
pub use job::Job;
pub use warning::Warning;
