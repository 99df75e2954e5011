//! Batches of jobs.

use std::path::PathBuf;

use crate::words::{count, one_of, size};

/// Why there is no list of jobs, or why a job of one is not run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchRefusal {
    /// No line is a job.
    #[error("{}: holds no job: {first}", list.display())]
    NoJobs {
        /// The list.
        list: PathBuf,
        /// What is wrong with the first line.
        first: String,
    },
    /// A list that is larger than any list of jobs.
    #[error("{}: is {}; lists of jobs are at most {}", list.display(), size(*bytes), size(*most))]
    TooLong {
        /// The list.
        list: PathBuf,
        /// Its size.
        bytes: u64,
        /// The most it can be.
        most: u64,
    },
    /// A list that is no text.
    #[error("{}: line {line} is no text; lists of jobs are written in UTF-8", list.display())]
    ListNoText {
        /// The list.
        list: PathBuf,
        /// The line.
        line: usize,
    },
    /// A line that is no job.
    #[error("is no job: {why}")]
    NoJob {
        /// What the reader says.
        why: String,
    },
    /// A job that reads or writes a standard stream.
    #[error("standard input and output are not for jobs of a list; name files")]
    Streams,
    /// Two jobs write one file.
    #[error("{}: line {line} writes that too", path.display())]
    WrittenTwice {
        /// The file.
        path: PathBuf,
        /// The line of the other.
        line: usize,
    },
    /// The same job again.
    #[error("is the same job as line {line}")]
    Same {
        /// The line of the other.
        line: usize,
    },
    /// A job that reads what another of the list writes.
    #[error("{}: line {line} writes that, and jobs of a list are run in any order; put this one into another list", path.display())]
    ReadsResult {
        /// The file.
        path: PathBuf,
        /// The line of the other.
        line: usize,
    },
    /// A job that would take more memory than there is.
    #[error("takes about {} of memory, and {} are to be used", size(*bytes), size(*memory))]
    TooLarge {
        /// What it would take.
        bytes: u64,
        /// What all jobs may take.
        memory: u64,
    },
    /// A template that is no job.
    #[error("the template is no job: {why}")]
    Template {
        /// What the reader says.
        why: String,
    },
    /// A gap that nothing is known for.
    #[error("the template has a gap {{{name}}}; what is known is {}", one_of(known))]
    Gap {
        /// The name.
        name: String,
        /// Names that there are.
        known: Vec<String>,
    },
    /// A brace without its other.
    #[error("the template's text “{text}” has a brace that is no gap; write {{{{ or }}}} for a brace")]
    Brace {
        /// The text.
        text: String,
    },
    /// A number that is none.
    #[error("{name} is to be a number and is “{value}”")]
    NoNumber {
        /// The name.
        name: String,
        /// The value.
        value: String,
    },
    /// A table without names of its columns.
    #[error("the first row of a table names its columns, none of them empty")]
    NoNames,
    /// A row with more or fewer cells than there are columns.
    #[error("line {line} has {}, and there are {}", count(*found, "cell", "cells"), count(*expected, "column", "columns"))]
    Cells {
        /// The line on which the row begins.
        line: usize,
        /// Its cells.
        found: usize,
        /// The columns.
        expected: usize,
    },
    /// A quote that does not end.
    #[error("the quote that begins on line {line} does not end")]
    Quote {
        /// The line.
        line: usize,
    },
    /// Files by a pattern that nothing fits.
    #[error("{pattern}: no file fits this pattern")]
    NothingFits {
        /// The pattern.
        pattern: String,
    },
    /// A path that no job can name.
    #[error("{}: the name is no text", .0.display())]
    NoText(PathBuf),
    /// A table without a template.
    #[error("{}: a table needs a template", .0.display())]
    TableAlone(PathBuf),
    /// A list of jobs with a template.
    #[error("{}: a list of jobs has no gaps, so that there is nothing to do with a template", .0.display())]
    ListWithTemplate(PathBuf),
    /// No folder for what is done.
    #[error("there is no place for what is done; name a folder")]
    NoFolder,
    /// A skin is to be shared by jobs that cannot have one.
    #[error(
        "line {line} cannot share a skin with those before it: all have to be skin, with the same fit and the same source but for its inputs"
    )]
    NotAlike {
        /// The line.
        line: usize,
    },
    /// A skin is to be shared and there is no job.
    #[error("no job of the list makes a skin to share")]
    NothingToShare,
    /// A skin is to be shared whose bones or shapes are of one shot.
    #[error(
        "a shared skin has bones and weights of its own and no correction shapes; leave out start_rig, bones_from and rank"
    )]
    NotShared,
    /// There is no skin to share.
    #[error("the skin that all share: {why}")]
    NoSharedSkin {
        /// Why.
        why: String,
    },
    /// A process that did a job has gone.
    #[error("{0}")]
    Gone(Gone),
}

/// How a process ended that was to do a job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Gone {
    /// It was ended from outside.
    #[error("its process was killed, perhaps for want of memory, alone on the machine as well")]
    Killed,
    /// It took more memory than all jobs may.
    #[error("it took {}, and {} are to be used", size(*bytes), size(*memory))]
    Memory {
        /// What it took.
        bytes: u64,
        /// What all jobs may take.
        memory: u64,
    },
    /// It ended by itself.
    #[error("its process ended ({how}){}", if said.is_empty() { String::new() } else { format!(": {said}") })]
    Ended {
        /// What the system says.
        how: String,
        /// The last that it said.
        said: String,
    },
    /// It could not be started.
    #[error("no process can be started for it: {0}")]
    NotStarted(String),
}
